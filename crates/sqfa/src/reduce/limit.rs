//! What bounds the number of filters of a method, and what helps against it.

use std::fmt;

use crate::statistics::ClassStatistics;

/// What bounds the number of filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The dimension of the data.
    Dimension,
    /// The number of classes less one.
    ClassesLessOne,
    /// The principal components that the method works in.
    Components,
}

impl Limit {
    /// The most filters, and what bounds them; `components` are those a method works in.
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

    /// What helps against asking for more than `limit` filters: never what has the same limit.
    pub(super) fn way_out(self, limit: usize) -> String {
        let fewer = format!("ask for at most {limit}");
        match self {
            Self::Dimension => fewer,
            Self::ClassesLessOne => {
                format!("{fewer}, or use pca, sqfa or another method without this limit")
            }
            Self::Components => format!("{fewer}, or let it work in more components"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dimension => "the dimension of the data",
            Self::ClassesLessOne => "classes less one",
            Self::Components => "the principal components it works in",
        })
    }
}
