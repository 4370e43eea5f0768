//! Why a fit was refused or failed, with numbers and remedies.

use thiserror::Error;

use crate::distance::{DistanceError, PairError};
use crate::labels::Classes;
use crate::objective::EvaluationError;
use crate::statistics::StatisticsError;

/// Why a model could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FitError {
    /// The data or statistics are unsound.
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
    /// No filters were asked for.
    #[error("{filters} filters asked for: at least 1 is needed")]
    NoFilters {
        /// Filters asked for.
        filters: usize,
    },
    /// More filters than dimensions.
    #[error("{filters} filters asked for in {dimension} dimensions: ask for at most {dimension}")]
    TooManyFilters {
        /// Filters asked for.
        filters: usize,
        /// Dimensions of the data.
        dimension: usize,
    },
    /// Feature noise below zero or not finite.
    #[error("feature noise is {noise}: give a finite number of at least 0, 'scale' or 'auto'")]
    Noise {
        /// The noise given.
        noise: f64,
    },
    /// Fewer samples than a covariance of full rank needs, and no noise.
    #[error(
        "class '{class}' has {count} samples in {dimension} dimensions, so its covariance is singular, and noise is 0: set noise, or use covariance = oas"
    )]
    RankDeficient {
        /// The class.
        class: String,
        /// Its points.
        count: u64,
        /// Dimensions.
        dimension: usize,
    },
    /// A dimension without variance, and no noise.
    #[error(
        "dimension {index} is constant in class '{class}' and noise is 0: set noise, drop constant dimensions, or use covariance = oas"
    )]
    ConstantDimension {
        /// The class.
        class: String,
        /// Which dimension.
        index: usize,
    },
    /// A projected covariance that is not positive definite.
    #[error(
        "the covariance of class '{class}' is not positive definite in feature space (pivot {pivot:e}, noise {noise:e}): increase noise, or check that the given matrices are positive semi-definite"
    )]
    NotPositiveDefinite {
        /// The class.
        class: String,
        /// The pivot that failed.
        pivot: f64,
        /// The noise in use.
        noise: f64,
    },
    /// A covariance that projects to a matrix with a negative eigenvalue.
    #[error(
        "the covariance of class '{class}' is indefinite: in feature space its smallest eigenvalue is {smallest:e} and its largest {largest:e}; pass a positive semi-definite matrix"
    )]
    Indefinite {
        /// The class.
        class: String,
        /// The smallest eigenvalue of its projection.
        smallest: f64,
        /// The largest.
        largest: f64,
    },
    /// A distance that is not finite.
    #[error(
        "distance '{distance}' between classes '{first}' and '{second}' is {value}: increase noise, or check the distance's own code"
    )]
    NotFinite {
        /// The distance.
        distance: String,
        /// The first class.
        first: String,
        /// The second class.
        second: String,
        /// What it returned.
        value: f64,
    },
    /// Filters that vanish or depend on each other.
    #[error(
        "the starting filters are degenerate: one is zero or, if orthonormal, they depend on each other"
    )]
    Degenerate,
    /// Fixed filters that vanish, are not finite or depend on each other.
    #[error(
        "a fixed filter is zero or not finite or, if filters are orthonormal, depends on the others"
    )]
    FixedDegenerate,
    /// Fixed filters of another shape, or so many that nothing is left to learn.
    #[error(
        "fixed filters are {rows} × {columns}: {dimension} dimensions are needed, and from 1 to {} of the {filters} filters asked for", filters.saturating_sub(1)
    )]
    FixedShape {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
        /// Dimensions of the data.
        dimension: usize,
        /// Filters asked for in all.
        filters: usize,
    },
    /// Fixed filters and a refinement, which moves all.
    #[error("the refinement moves all filters: leave it out, or the fixed filters")]
    FixedRefined,
    /// Starting filters of another shape.
    #[error(
        "starting filters are {rows} × {columns}, but the data have {dimension} dimensions and {filters} filters were asked for"
    )]
    StartShape {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
        /// Dimensions of the data.
        dimension: usize,
        /// Filters asked for.
        filters: usize,
    },
    /// Starting filters that are not finite.
    #[error("starting filters hold non-finite values: pass finite numbers")]
    StartNotFinite,
    /// A closed form in more dimensions than a dense eigenproblem can take.
    #[error(
        "{method} solves a dense eigenproblem of order {dimension}, more than {limit}: work in fewer dimensions (principal components), or use a start or method without it (random, pca)"
    )]
    TooLarge {
        /// The closed form.
        method: &'static str,
        /// Dimensions of the data.
        dimension: usize,
        /// The most it takes.
        limit: usize,
    },
    /// More filters than directions with variance.
    #[error(
        "{method} finds {rank} directions with variance, and {filters} filters were asked for: ask for at most {rank}, or set noise"
    )]
    Rank {
        /// The closed form.
        method: &'static str,
        /// Filters asked for.
        filters: usize,
        /// Directions with variance.
        rank: usize,
    },
    /// The eigenvalue iteration of the backend failed.
    #[error(
        "{method}: the eigenvalue iteration did not converge: check the data for extreme values"
    )]
    Eigen {
        /// The closed form.
        method: &'static str,
    },
    /// Pair weights that do not fit.
    #[error(
        "pair weights must be a symmetric {classes} × {classes} matrix of non-negative numbers, not all 0"
    )]
    Weights {
        /// Classes of the data.
        classes: usize,
    },
    /// Data of another dimension than the model's.
    #[error("points have {found} dimensions, but the model was fitted on {expected}")]
    Dimension {
        /// The model's.
        expected: usize,
        /// The points'.
        found: usize,
    },
    /// A start, restart or group count of zero.
    #[error("{what} must be at least 1")]
    Zero {
        /// Which setting.
        what: &'static str,
    },
    /// More starts than anybody waits for.
    #[error("{count} restarts: give a number from 1 to {most}")]
    TooManyRestarts {
        /// Starts asked for.
        count: usize,
        /// The most there may be.
        most: usize,
    },
    /// A tolerance that cannot be reached.
    #[error("tolerance is {tolerance}: give a finite number of at least 0")]
    Tolerance {
        /// The tolerance given.
        tolerance: f64,
    },
    /// A classifier that cannot be built on the features.
    #[error(transparent)]
    Classifier(#[from] crate::classify::ClassifierError),
}

impl FitError {
    /// Names the classes an evaluation error is about.
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
