//! Why a reducer could not be fitted, with numbers and remedies.

use thiserror::Error;

use crate::classify::ClassifierError;
use crate::model::FitError;
use crate::names::Unknown;
use crate::remedy::{Remedy, any_of};
use crate::split::SplitError;
use crate::statistics::StatisticsError;

use super::{Limit, Setting};

/// Why a reducer could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReduceError {
    /// The data or statistics are unsound.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// The fit of an SQFA model failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A method that looks at points refused them.
    #[error(transparent)]
    Samples(#[from] super::SampleError),
    /// Held-out points could not be classified.
    #[error("held-out points cannot be classified: {0}")]
    Classifier(#[from] ClassifierError),
    /// The validation part would lack a class.
    #[error("{what} is chosen on held-out points, but {source}: give a number instead")]
    Split {
        /// What was to be chosen.
        what: &'static str,
        /// Why there is no split.
        source: SplitError,
    },
    /// The method is unknown.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// No filters were asked for.
    #[error("{filters} filters asked for: at least 1 is needed")]
    NoFilters {
        /// Filters asked for.
        filters: usize,
    },
    /// More filters than the method can give.
    #[error(
        "{method} gives at most {limit} filters here ({why}), and {filters} were asked for: {}", why.way_out(*limit)
    )]
    TooMany {
        /// The method.
        method: &'static str,
        /// Filters asked for.
        filters: usize,
        /// The most it can give.
        limit: usize,
        /// Where the limit comes from.
        why: Limit,
    },
    /// The method learns from points, and only statistics are there.
    #[error("{what} learns from points, and only class statistics were given: {remedy}")]
    NeedsPoints {
        /// The method or setting.
        what: String,
        /// What to do instead.
        remedy: Remedy,
    },
    /// A setting outside its range.
    #[error("{setting} is {value}: give {range}")]
    Setting {
        /// The setting.
        setting: Setting,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Covariances that keep no entries, where a method needs them.
    #[error("{method} needs all entries of the class covariances: {}", any_of(self.remedies()))]
    NotDense {
        /// The method.
        method: &'static str,
    },
    /// More dimensions than a dense eigenproblem can take.
    #[error(
        "{method} solves a dense eigenproblem of order {dimension}, more than {limit}: {}", any_of(self.remedies())
    )]
    TooLarge {
        /// The method.
        method: &'static str,
        /// Dimensions of the data.
        dimension: usize,
        /// The most it takes.
        limit: usize,
    },
    /// A within-class scatter without full rank.
    #[error(
        "{method}: the within-class scatter is singular (some direction has no variance within classes): {}", any_of(self.remedies())
    )]
    Singular {
        /// The method.
        method: &'static str,
    },
    /// The eigenvalue iteration of the backend failed.
    #[error(
        "{method}: the eigenvalue iteration did not converge: check the data for extreme values"
    )]
    Eigen {
        /// The method.
        method: &'static str,
    },
}

impl ReduceError {
    /// What helps, as far as settings do.
    pub fn remedies(&self) -> &[Remedy] {
        match self {
            Self::NotDense { .. } => &[Remedy::DenseStatistics],
            Self::TooLarge { .. } => &[Remedy::FewerDimensions],
            Self::Singular { .. } => &[Remedy::Shrinkage, Remedy::FewerDimensions],
            Self::NeedsPoints { remedy, .. } => std::slice::from_ref(remedy),
            Self::Classifier(error) => error.remedies(),
            _ => &[],
        }
    }
}
