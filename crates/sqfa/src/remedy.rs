//! What helps against an error, as a value: whoever knows the user's words for it (a flag, a parameter) can say them.

use std::fmt;

/// What helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Points instead of class statistics, or a method that needs none.
    PointsOrOtherMethod,
    /// Points instead of class statistics, or doing without.
    PointsOrWithout,
    /// Points, or tails that have a covariance.
    PointsOrLighterTails,
    /// A number where `auto` was asked for.
    Number,
    /// Fewer dimensions, as in the leading principal components.
    FewerDimensions,
    /// Fewer filters.
    FewerFilters,
    /// More shrinkage.
    Shrinkage,
    /// Covariances that keep all their entries.
    DenseStatistics,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PointsOrOtherMethod => "give points, or use pca, lda or an sqfa method",
            Self::PointsOrWithout => "give points, or leave it out",
            Self::PointsOrLighterTails => {
                "a distribution with such tails has no covariance; give points, or use sqfa-t with ν above 2"
            }
            Self::Number => "give a number instead of auto",
            Self::FewerDimensions => "reduce the dimension first",
            Self::FewerFilters => "use fewer filters",
            Self::Shrinkage => "use more shrinkage",
            Self::DenseStatistics => "use dense statistics",
        })
    }
}

/// Several remedies in one phrase.
pub(crate) fn any_of(remedies: &[Remedy]) -> String {
    remedies.iter().map(Remedy::to_string).collect::<Vec<_>>().join(", or ")
}
