//! Classifiers that judge features.

mod qda;

use thiserror::Error;

pub use qda::Qda;

/// Why a classifier could not be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClassifierError {
    /// A class covariance without full rank.
    #[error(
        "class '{class}' has a singular covariance in feature space (smallest pivot {pivot:e} of {largest:e}): use fewer filters, or more shrinkage"
    )]
    Singular {
        /// The class.
        class: String,
        /// The smallest squared pivot of its Cholesky factor.
        pivot: f64,
        /// The largest.
        largest: f64,
    },
    /// Priors that are no probabilities.
    #[error("priors must be {classes} non-negative numbers with a positive sum")]
    Priors {
        /// Classes there are.
        classes: usize,
    },
    /// Shrinkage outside [0, 1].
    #[error("shrinkage is {shrinkage}: give a number between 0 and 1")]
    Shrinkage {
        /// The shrinkage given.
        shrinkage: f64,
    },
}
