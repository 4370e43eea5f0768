//! Classifiers of features.

mod discriminant;
mod kind;
mod knn;
mod lda;
mod qda;
mod shrunk;

use thiserror::Error;

use crate::points::Points;
use crate::remedy::{Remedy, any_of};

pub(crate) use discriminant::Densities;
pub use kind::{Classifier, ClassifierKind};
pub use knn::Knn;
pub use lda::LdaClassifier;
pub use qda::Qda;

/// The fraction of the mean variance that [`Qda::plain`] adds to its covariances in the paper's experiments.
pub const QDA_SHRINKAGE: f64 = 1e-5;

/// Points that one task classifies.
const POINTS_A_TASK: usize = 256;

/// Why a classifier could not be built or asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClassifierError {
    /// A class covariance without full rank.
    #[error(
        "class '{class}' has a singular covariance in feature space (smallest pivot {pivot:e} of {largest:e}): {}", any_of(self.remedies())
    )]
    Singular {
        /// The class.
        class: String,
        /// The smallest squared pivot of its Cholesky factor.
        pivot: f64,
        /// The largest.
        largest: f64,
    },
    /// A pooled covariance without full rank.
    #[error(
        "the pooled covariance is singular in feature space (smallest pivot {pivot:e} of {largest:e}): {}", any_of(self.remedies())
    )]
    PooledSingular {
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
    /// Degrees of freedom that are none.
    #[error("{degrees} degrees of freedom: give a finite number above 0")]
    Degrees {
        /// ν.
        degrees: f64,
    },
    /// Points of another dimension than the classifier's.
    #[error(
        "points have {given} dimensions, the classifier {expected}: pass features of the filters it was built from"
    )]
    Dimension {
        /// Dimensions of the points.
        given: usize,
        /// Dimensions the classifier knows.
        expected: usize,
    },
    /// Not one code a point.
    #[error("{codes} class codes for {points} points: give one a point")]
    Codes {
        /// Codes given.
        codes: usize,
        /// Points given.
        points: usize,
    },
    /// A code beyond the classes.
    #[error("class code {code} at row {row} is not one of the {classes} classes: codes run from 0")]
    UnknownCode {
        /// The code.
        code: u32,
        /// Where it stands.
        row: usize,
        /// Classes there are.
        classes: usize,
    },
    /// More neighbors than training points, or none.
    #[error(
        "{neighbors} neighbors of {points} training points: ask for at least 1 and at most {points}"
    )]
    Neighbors {
        /// Neighbors asked for.
        neighbors: usize,
        /// Training points.
        points: usize,
    },
    /// Nothing to learn from.
    #[error("{points} training points of {dimension} dimensions: give at least one of each")]
    Empty {
        /// Training points.
        points: usize,
        /// Dimensions.
        dimension: usize,
    },
    /// A point whose squared distances overflow.
    #[error(
        "row {row} is so far from every class that its squared distances overflow: no class is the nearest; correct or \
         remove it"
    )]
    TooFar {
        /// The row.
        row: usize,
    },
    /// A number that is not finite.
    #[error("row {row}, column {column} holds {value}: remove or replace non-finite values")]
    NotFinite {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The value.
        value: f64,
    },
}

impl ClassifierError {
    /// What helps, as far as settings do.
    pub fn remedies(&self) -> &'static [Remedy] {
        match self {
            Self::Singular { .. } | Self::PooledSingular { .. } => {
                &[Remedy::FewerFilters, Remedy::Shrinkage]
            }
            _ => &[],
        }
    }
}

/// Whether points have the dimension a classifier knows.
fn check_dimension(points: Points<'_>, expected: usize) -> Result<(), ClassifierError> {
    let given = points.columns();
    if given == expected { Ok(()) } else { Err(ClassifierError::Dimension { given, expected }) }
}

/// The share of predictions that are right.
fn share_right(predicted: &[u32], codes: &[u32]) -> Result<f64, ClassifierError> {
    if predicted.len() != codes.len() {
        return Err(ClassifierError::Codes { codes: codes.len(), points: predicted.len() });
    }
    let hits = predicted.iter().zip(codes).filter(|(a, b)| a == b).count();
    Ok(hits as f64 / codes.len().max(1) as f64)
}
