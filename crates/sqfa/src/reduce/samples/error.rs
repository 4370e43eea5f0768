//! Errors about samples and settings of methods that learn from samples, with remedies.

use thiserror::Error;

/// An error in the fit of a method that learns from samples.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SampleError {
    /// There are no samples, or they have no dimensions.
    #[error(
        "the data have {points} samples and {dimension} dimensions: at least one of each is needed"
    )]
    Empty {
        /// The number of samples.
        points: usize,
        /// The dimension of the samples.
        dimension: usize,
    },
    /// The number of labels differs from the number of samples.
    #[error("{labels} labels for {points} samples: give one label per sample")]
    Labels {
        /// The number of labels.
        labels: usize,
        /// The number of samples.
        points: usize,
    },
    /// A sample has a value that is not finite.
    #[error(
        "row {row}, column {column} contains {value}: remove or replace values that are not finite"
    )]
    NotFinite {
        /// The index of the row.
        row: usize,
        /// The index of the column.
        column: usize,
        /// The value: NaN or infinite.
        value: f64,
    },
    /// Fewer than two classes have samples.
    #[error("the samples have {classes} class: supervised methods need at least two")]
    OneClass {
        /// The number of classes that have samples.
        classes: usize,
    },
    /// The number of filters is zero or larger than the dimension.
    #[error(
        "{filters} filters were requested, but the samples have {dimension} dimensions: ask for at least 1 and at most {dimension}"
    )]
    Filters {
        /// The requested number of filters.
        filters: usize,
        /// The dimension of the samples.
        dimension: usize,
    },
    /// The number of neighbors is zero.
    #[error("0 neighbors were requested: ask for at least 1")]
    NoNeighbors,
    /// A class has too few samples for the number of neighbors.
    #[error(
        "class '{class}' has {count} samples, too few for {neighbors} neighbors of its own: \
         provide at least {} samples of it, leave out the class, or ask for at most {} neighbors",
        neighbors + 1,
        count.saturating_sub(1)
    )]
    SmallClass {
        /// The label of the class.
        class: String,
        /// The number of samples of the class.
        count: usize,
        /// The requested number of neighbors.
        neighbors: usize,
    },
    /// The local within-class scatter is singular.
    #[error(
        "the local within-class scatter in {dimension} dimensions is singular (smallest pivot {pivot:e} of {largest:e}): \
         use fewer principal components or more samples"
    )]
    SingularScatter {
        /// The dimension of the samples.
        dimension: usize,
        /// The smallest squared pivot of the Cholesky factor.
        pivot: f64,
        /// The largest diagonal entry of the scatter.
        largest: f64,
    },
    /// The regularization is not a positive number.
    #[error(
        "regularization is {regularization}: give a positive number, about as large as typical squared distances between samples"
    )]
    Regularization {
        /// The specified regularization.
        regularization: f64,
    },
    /// The regularization is so small that round-off of the costs determines the transport plan.
    #[error(
        "regularization {regularization:e} is too small for squared distances up to {cost:e}: \
         use at least {least:e}, or scale the samples"
    )]
    TooSharp {
        /// The specified regularization.
        regularization: f64,
        /// The largest squared distance between projected samples.
        cost: f64,
        /// The smallest regularization that is numerically stable.
        least: f64,
    },
    /// The regularization is so small that every sample is transported onto itself.
    #[error(
        "regularization {regularization:e} is so small that every sample is transported onto itself at no cost: use a larger \
         one, such as the mean squared distance within classes, {scale:e}"
    )]
    NoTransport {
        /// The specified regularization.
        regularization: f64,
        /// The mean squared distance between two projected samples of a class.
        scale: f64,
    },
    /// The number of Sinkhorn iterations is zero.
    #[error("0 Sinkhorn iterations were requested: ask for at least 1")]
    NoIterations,
    /// All classes have the same position in the projected space.
    #[error(
        "all samples coincide in the projected space: remove constant dimensions, or use samples that \
         differ"
    )]
    NoSpread,
    /// The filters are linearly dependent.
    #[error(
        "the {filters} initial filters are linearly dependent: use another seed or fewer filters"
    )]
    Dependent {
        /// The requested number of filters.
        filters: usize,
    },
    /// The weight of the push term is not between 0 and 1.
    #[error("the push weight is {push}: give a number between 0 (pull only) and 1 (push only)")]
    Weight {
        /// The specified weight.
        push: f64,
    },
    /// The loss of the initial filters is not finite.
    #[error("the loss of the initial filters is {loss}: scale the samples to moderate values")]
    NoLoss {
        /// The loss: NaN or infinite.
        loss: f64,
    },
}
