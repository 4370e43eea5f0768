//! Errors of reducers, with values and remedies.

use thiserror::Error;

use crate::classify::ClassifierError;
use crate::model::FitError;
use crate::names::Unknown;
use crate::remedy::{Remedy, any_of};
use crate::split::SplitError;
use crate::statistics::StatisticsError;

use super::{Limit, Setting};

/// An error in the fit of a reducer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReduceError {
    /// The data or class statistics are not valid.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// The fit of an SQFA model failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The fit of a method that learns from samples failed.
    #[error(transparent)]
    Samples(#[from] super::SampleError),
    /// The held-out samples could not be classified.
    #[error("the held-out samples cannot be classified: {0}")]
    Classifier(#[from] ClassifierError),
    /// The samples cannot be split so that every class is represented in both parts.
    #[error("{what} is selected on held-out samples, but {source}: give a number instead")]
    Split {
        /// The setting to select.
        what: &'static str,
        /// The reason why there is no split.
        source: SplitError,
    },
    /// There is no method with this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The number of filters is zero.
    #[error("{filters} filters were requested: ask for at least 1")]
    NoFilters {
        /// The requested number of filters.
        filters: usize,
    },
    /// More filters were requested than the method can give.
    #[error(
        "{filters} filters were requested, but {method} gives at most {limit} here ({why}): {}", why.way_out(*limit)
    )]
    TooMany {
        /// The name of the method.
        method: &'static str,
        /// The requested number of filters.
        filters: usize,
        /// The largest possible number of filters.
        limit: usize,
        /// The reason for the limit.
        why: Limit,
    },
    /// The method learns from samples, but only class statistics are available.
    #[error("{what} learns from samples, but only class statistics were given: {remedy}")]
    NeedsPoints {
        /// The name of the method or setting.
        what: String,
        /// The remedy.
        remedy: Remedy,
    },
    /// The value of a setting is outside its range.
    #[error("{setting} is {value}: give {range}")]
    Setting {
        /// The setting.
        setting: Setting,
        /// The value of the setting.
        value: f64,
        /// A description of the allowed values.
        range: &'static str,
    },
    /// A method needs full covariances, but the statistics do not store them.
    #[error("{method} needs the full class covariances: {}", any_of(self.remedies()))]
    NotDense {
        /// The name of the method.
        method: &'static str,
    },
    /// The data have more dimensions than a dense eigenproblem supports.
    #[error(
        "{method} solves a dense eigenproblem of order {dimension}, more than the limit of {limit}: {}", any_of(self.remedies())
    )]
    TooLarge {
        /// The name of the method.
        method: &'static str,
        /// The dimension of the data.
        dimension: usize,
        /// The largest supported order.
        limit: usize,
    },
    /// The within-class scatter is singular.
    #[error(
        "{method}: the within-class scatter is singular (some direction has no variance within classes): {}", any_of(self.remedies())
    )]
    Singular {
        /// The name of the method.
        method: &'static str,
    },
    /// An eigenvalue computation did not converge.
    #[error(
        "{method}: the eigenvalue computation did not converge: check the data for extreme values"
    )]
    Eigen {
        /// The name of the method.
        method: &'static str,
    },
}

impl ReduceError {
    /// Returns the settings that help, as values that the command and Python phrase in their own
    /// terms.
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
