//! Errors of fits, with values and remedies.

use thiserror::Error;

use crate::distance::{DistanceError, PairError};
use crate::labels::Classes;
use crate::objective::EvaluationError;
use crate::statistics::StatisticsError;

/// An error in the fit of an SQFA model.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// The data or class statistics are not valid.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),
    /// The distance is unknown.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// A distance that does not depend on second moments alone, for the method that compares these.
    #[error(
        "{method} compares second moments, and the distance '{distance}' does not depend on them alone: use {}, or the method {any}",
        accepted.join(", ")
    )]
    NotOfSecondMoments {
        /// The method.
        method: &'static str,
        /// The distance.
        distance: String,
        /// The distances that it accepts.
        accepted: Vec<&'static str>,
        /// The method that accepts every distance.
        any: &'static str,
    },
    /// The recipe has no filters.
    #[error("{filters} filters were requested: ask for at least 1")]
    NoFilters {
        /// The requested number of filters.
        filters: usize,
    },
    /// The recipe has more filters than the data have dimensions.
    #[error(
        "{filters} filters were requested, but the data have {dimension} dimensions: ask for at most {dimension}"
    )]
    TooManyFilters {
        /// The requested number of filters.
        filters: usize,
        /// The dimension of the data.
        dimension: usize,
    },
    /// The noise is negative or not finite.
    #[error("noise is {noise}: give a finite number of at least 0, 'scale' or 'auto'")]
    Noise {
        /// The specified noise.
        noise: f64,
    },
    /// Without noise, a class has fewer samples than a covariance of full rank needs.
    #[error(
        "class '{class}' has {count} samples in {dimension} dimensions, so its covariance is singular, and the noise is 0: set a positive noise, or use covariance = oas"
    )]
    RankDeficient {
        /// The label of the class.
        class: String,
        /// The number of samples of the class.
        count: u64,
        /// The dimension of the data.
        dimension: usize,
    },
    /// Without noise, a dimension has no variance within a class.
    #[error(
        "dimension {index} is constant in class '{class}', and the noise is 0: set a positive noise, drop constant dimensions, or use covariance = oas"
    )]
    ConstantDimension {
        /// The label of the class.
        class: String,
        /// The index of the dimension.
        index: usize,
    },
    /// The projected covariance of a class is not positive definite.
    #[error(
        "the covariance of class '{class}' is not positive definite in feature space (pivot {pivot:e}, noise {noise:e}): increase the noise, or check that the specified covariances are positive semi-definite"
    )]
    NotPositiveDefinite {
        /// The label of the class.
        class: String,
        /// The first pivot that is not positive.
        pivot: f64,
        /// The noise σ² of the fit.
        noise: f64,
    },
    /// The projected covariance of a class has a negative eigenvalue without noise.
    #[error(
        "the covariance of class '{class}' is indefinite: its eigenvalues in feature space are between {smallest:e} and {largest:e}; pass a positive semi-definite matrix"
    )]
    Indefinite {
        /// The label of the class.
        class: String,
        /// The smallest eigenvalue of the projected covariance.
        smallest: f64,
        /// The largest eigenvalue of the projected covariance.
        largest: f64,
    },
    /// A distance or derivative is not finite.
    #[error(
        "distance '{distance}' between classes '{first}' and '{second}' is {value}: increase the noise or, for a distance of your own, check its code"
    )]
    NotFinite {
        /// The name of the distance.
        distance: String,
        /// The label of the first class.
        first: String,
        /// The label of the second class.
        second: String,
        /// The value of the distance; NaN if a derivative is not finite.
        value: f64,
    },
    /// The initial filters are zero or linearly dependent.
    #[error(
        "the initial filters are degenerate: one of them is zero or, with orthonormal filters, they are linearly dependent"
    )]
    Degenerate,
    /// A fixed filter is zero, not finite or linearly dependent on the others.
    #[error(
        "a fixed filter is zero or not finite or, with orthonormal filters, linearly dependent on the others"
    )]
    FixedDegenerate,
    /// The fixed filters have the wrong number of rows, or no filter remains to be learned.
    #[error(
        "the fixed filters are {rows} × {columns} (dimensions × filters): {dimension} dimensions are needed, and from 1 to {} of the {filters} requested filters", filters.saturating_sub(1)
    )]
    FixedShape {
        /// The rows of the fixed filters.
        rows: usize,
        /// The columns of the fixed filters.
        columns: usize,
        /// The dimension of the data.
        dimension: usize,
        /// The total number of requested filters.
        filters: usize,
    },
    /// Fixed filters were combined with the refinement, which changes all filters.
    #[error(
        "the refinement changes all filters, also fixed ones: leave out the refinement or the fixed filters"
    )]
    FixedRefined,
    /// The initial filters have the wrong shape.
    #[error(
        "the initial filters are {rows} × {columns} (dimensions × filters), but {dimension} × {filters} is needed"
    )]
    StartShape {
        /// The rows of the initial filters.
        rows: usize,
        /// The columns of the initial filters.
        columns: usize,
        /// The dimension of the data.
        dimension: usize,
        /// The requested number of filters.
        filters: usize,
    },
    /// The initial filters have values that are not finite.
    #[error("the initial filters contain values that are not finite: pass finite numbers")]
    StartNotFinite,
    /// A closed form has more dimensions than a dense eigenproblem supports.
    #[error(
        "{method} solves a dense eigenproblem of order {dimension}, more than the limit of {limit}: reduce the dimensions first (principal components), or use an initialization or method without an eigenproblem (random, pca)"
    )]
    TooLarge {
        /// The name of the closed form.
        method: &'static str,
        /// The dimension of the data.
        dimension: usize,
        /// The largest supported order.
        limit: usize,
    },
    /// A closed form was asked for more filters than there are directions with variance.
    #[error(
        "{filters} filters were requested, but {method} finds {rank} directions with variance: ask for at most {rank}, or set a positive noise"
    )]
    Rank {
        /// The name of the closed form.
        method: &'static str,
        /// The requested number of filters.
        filters: usize,
        /// The number of directions with variance.
        rank: usize,
    },
    /// An eigenvalue computation did not converge.
    #[error(
        "{method}: the eigenvalue computation did not converge: check the data for extreme values"
    )]
    Eigen {
        /// The name of the closed form.
        method: &'static str,
    },
    /// The pair weights are not valid.
    #[error(
        "pair weights must be a symmetric {classes} × {classes} matrix of non-negative numbers, not all 0"
    )]
    Weights {
        /// The number of classes.
        classes: usize,
    },
    /// The samples differ in dimension from those that the model was fitted on.
    #[error("the samples have {found} dimensions, but the model was fitted on {expected}")]
    Dimension {
        /// The dimension of the model.
        expected: usize,
        /// The dimension of the samples.
        found: usize,
    },
    /// A number of initializations or a group size is zero.
    #[error("{what} must be at least 1")]
    Zero {
        /// A description of the setting.
        what: &'static str,
    },
    /// There are more initializations than are supported.
    #[error("{count} initializations were requested: give a number from 1 to {most}")]
    TooManyRestarts {
        /// The requested number of initializations.
        count: usize,
        /// The largest supported number.
        most: usize,
    },
    /// The tolerance is negative or not finite.
    #[error("tolerance is {tolerance}: give a finite number of at least 0")]
    Tolerance {
        /// The specified tolerance.
        tolerance: f64,
    },
    /// The classifier could not be built from the features.
    #[error(transparent)]
    Classifier(#[from] crate::classify::ClassifierError),
}

impl FitError {
    /// Converts an evaluation error, with the labels of the classes that it concerns.
    pub(crate) fn from_evaluation(error: EvaluationError, classes: &Classes, noise: f64) -> Self {
        let name = |class: usize| classes.label(class).to_string();
        match error {
            EvaluationError::Degenerate => Self::Degenerate,
            EvaluationError::Pairs(PairError::NotPositiveDefinite { class, pivot }) => {
                Self::NotPositiveDefinite { class: name(class), pivot, noise }
            }
            EvaluationError::Pairs(PairError::NotFinite { distance, first, second, value }) => {
                Self::NotFinite { distance, first: name(first), second: name(second), value }
            }
        }
    }
}
