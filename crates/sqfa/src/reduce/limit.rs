//! The limits on the number of filters, with their remedies.

use std::fmt;

use crate::statistics::ClassStatistics;

/// The limit on the number of filters of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The dimension of the data.
    Dimension,
    /// The number of classes minus one.
    ClassesLessOne,
    /// The number of principal components that the method works in.
    Components,
}

impl Limit {
    /// Returns the largest number of filters and the reason; `components` is the number of
    /// components that the method works in.
    pub(crate) fn most(
        self,
        statistics: &ClassStatistics,
        components: Option<usize>,
    ) -> (usize, Self) {
        let own = match self {
            Self::Dimension => None,
            Self::ClassesLessOne => Some(statistics.classes().len() - 1),
            Self::Components => components,
        };
        match own {
            Some(count) if count < statistics.dimension() => (count, self),
            Some(count) if count == statistics.dimension() && self == Self::ClassesLessOne => {
                (count, self)
            }
            _ => (statistics.dimension(), Self::Dimension),
        }
    }

    /// Returns a remedy for requesting more than `limit` filters. It never suggests a method with
    /// the same limit.
    pub(super) fn way_out(self, limit: usize) -> String {
        let fewer = format!("ask for at most {limit}");
        match self {
            Self::Dimension => fewer,
            Self::ClassesLessOne => {
                format!("{fewer}, or use pca, sqfa or another method without this limit")
            }
            Self::Components => format!("{fewer}, or use more principal components"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dimension => "the dimension of the data",
            Self::ClassesLessOne => "classes less one",
            Self::Components => "the principal components in use",
        })
    }
}
