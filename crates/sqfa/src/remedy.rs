//! Remedies for errors, as values: the command and Python phrase them with their own flags and parameters.

use std::fmt;

/// A change that can resolve an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Samples instead of class statistics, or a method that does not need samples.
    PointsOrOtherMethod,
    /// Samples instead of class statistics, or omission of the setting that needs them.
    PointsOrWithout,
    /// Samples, or t distributions with a covariance.
    PointsOrLighterTails,
    /// A number instead of `auto`.
    Number,
    /// Fewer columns, for example the leading principal components.
    FewerDimensions,
    /// Fewer filters.
    FewerFilters,
    /// More shrinkage.
    Shrinkage,
    /// Covariances that store all their entries.
    DenseStatistics,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PointsOrOtherMethod => "use the samples, or use pca, lda or an sqfa method",
            Self::PointsOrWithout => "use the samples, or leave this setting out",
            Self::PointsOrLighterTails => {
                "a distribution with such tails has no covariance; use the samples, or use sqfa-t with ν above 2"
            }
            Self::Number => "specify a number instead of auto",
            Self::FewerDimensions => "reduce the dimension first",
            Self::FewerFilters => "use fewer filters",
            Self::Shrinkage => "use more shrinkage",
            Self::DenseStatistics => "use dense statistics",
        })
    }
}

/// Joins several remedies to one phrase.
pub(crate) fn any_of(remedies: &[Remedy]) -> String {
    remedies.iter().map(Remedy::to_string).collect::<Vec<_>>().join(", or ")
}
