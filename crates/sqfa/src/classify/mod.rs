//! Classifiers on features: quadratic and linear discriminant analysis, and k nearest neighbors.

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

/// Fraction of the mean variance that [`Qda::plain`] adds to each covariance in the paper's experiments.
pub const QDA_SHRINKAGE: f64 = 1e-5;

/// Number of samples that one task classifies.
const POINTS_A_TASK: usize = 256;

/// An error of creating or applying a classifier.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClassifierError {
    /// A class covariance without full rank.
    #[error(
        "class '{class}' has a singular covariance in feature space (smallest pivot {pivot:e} of {largest:e}): {}", any_of(self.remedies())
    )]
    Singular {
        /// Name of the class.
        class: String,
        /// Smallest squared pivot of its Cholesky factor.
        pivot: f64,
        /// Largest variance of the class.
        largest: f64,
    },
    /// A pooled covariance without full rank.
    #[error(
        "the pooled covariance is singular in feature space (smallest pivot {pivot:e} of {largest:e}): {}", any_of(self.remedies())
    )]
    PooledSingular {
        /// Smallest squared pivot of its Cholesky factor.
        pivot: f64,
        /// Largest pooled variance.
        largest: f64,
    },
    /// Priors that are not probabilities.
    #[error("priors must be {classes} non-negative numbers with a positive sum")]
    Priors {
        /// Number of classes.
        classes: usize,
    },
    /// A shrinkage outside [0, 1].
    #[error("the shrinkage is {shrinkage}: specify a number between 0 and 1")]
    Shrinkage {
        /// The specified shrinkage.
        shrinkage: f64,
    },
    /// Degrees of freedom that are not positive and finite.
    #[error("the degrees of freedom are {degrees}: specify a finite number above 0")]
    Degrees {
        /// The specified degrees of freedom ν.
        degrees: f64,
    },
    /// Samples with a different number of features than the classifier.
    #[error(
        "the samples have {given} features, but the classifier expects {expected}: pass the features of the filters it was built from"
    )]
    Dimension {
        /// Number of features of the samples.
        given: usize,
        /// Number of features of the classifier.
        expected: usize,
    },
    /// A number of class codes that differs from the number of samples.
    #[error("{codes} class codes for {points} samples: pass one code per sample")]
    Codes {
        /// Number of codes.
        codes: usize,
        /// Number of samples.
        points: usize,
    },
    /// A code that is not less than the number of classes.
    #[error(
        "class code {code} in row {row} (counted from 0) is not valid: with {classes} classes, codes must be less than {classes}"
    )]
    UnknownCode {
        /// The code.
        code: u32,
        /// Row index of the code.
        row: usize,
        /// Number of classes.
        classes: usize,
    },
    /// More neighbors than training samples, or none.
    #[error(
        "{neighbors} neighbors of {points} training samples: specify at least 1 and at most {points}"
    )]
    Neighbors {
        /// Specified number of neighbors.
        neighbors: usize,
        /// Number of training samples.
        points: usize,
    },
    /// Training data without samples or without features.
    #[error(
        "{points} training samples with {dimension} features: at least one of each is required"
    )]
    Empty {
        /// Number of training samples.
        points: usize,
        /// Number of features.
        dimension: usize,
    },
    /// A sample whose squared distances overflow.
    #[error(
        "the sample in row {row} (counted from 0) is so far from every class that its squared distances overflow: correct or \
         remove it"
    )]
    TooFar {
        /// Row index of the sample.
        row: usize,
    },
    /// A value that is NaN or infinite.
    #[error(
        "the value in row {row}, column {column} (counted from 0) is {value}: remove or replace non-finite values"
    )]
    NotFinite {
        /// Row index of the sample.
        row: usize,
        /// Column index.
        column: usize,
        /// The value.
        value: f64,
    },
}

impl ClassifierError {
    /// Returns the settings that can help, if any.
    pub fn remedies(&self) -> &'static [Remedy] {
        match self {
            Self::Singular { .. } | Self::PooledSingular { .. } => {
                &[Remedy::FewerFilters, Remedy::Shrinkage]
            }
            _ => &[],
        }
    }
}

/// Checks that samples have the number of features that the classifier expects.
fn check_dimension(points: Points<'_>, expected: usize) -> Result<(), ClassifierError> {
    let given = points.columns();
    if given == expected { Ok(()) } else { Err(ClassifierError::Dimension { given, expected }) }
}

/// Returns the fraction of correct predictions.
fn share_right(predicted: &[u32], codes: &[u32]) -> Result<f64, ClassifierError> {
    if predicted.len() != codes.len() {
        return Err(ClassifierError::Codes { codes: codes.len(), points: predicted.len() });
    }
    let hits = predicted.iter().zip(codes).filter(|(a, b)| a == b).count();
    Ok(hits as f64 / codes.len().max(1) as f64)
}
