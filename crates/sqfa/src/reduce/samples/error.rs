//! What is wrong with samples or settings, where, by how much, and what helps.

use thiserror::Error;

/// Why a reducer of samples could not run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SampleError {
    /// Nothing to learn from.
    #[error("{points} samples of {dimension} dimensions: give at least one of each")]
    Empty {
        /// Samples given.
        points: usize,
        /// Their dimension.
        dimension: usize,
    },
    /// Not one label a sample.
    #[error("{labels} labels for {points} samples: give one a sample")]
    Labels {
        /// Labels given.
        labels: usize,
        /// Samples given.
        points: usize,
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
    /// Fewer than two classes with samples.
    #[error("samples of {classes} class: supervised reducers need at least two")]
    OneClass {
        /// Classes that have samples.
        classes: usize,
    },
    /// No filters, or more than dimensions.
    #[error(
        "{filters} filters of {dimension} dimensions: ask for at least 1 and at most {dimension}"
    )]
    Filters {
        /// Filters asked for.
        filters: usize,
        /// Dimensions of the samples.
        dimension: usize,
    },
    /// No neighbors.
    #[error("0 neighbors: ask for at least 1")]
    NoNeighbors,
    /// A class too small for the neighbors asked for.
    #[error(
        "class '{class}' has {count} samples, too few for {neighbors} neighbors of its own: \
         give it at least {} samples, leave it out, or ask for at most {} neighbors",
        neighbors + 1,
        count.saturating_sub(1)
    )]
    SmallClass {
        /// The class.
        class: String,
        /// Its samples.
        count: usize,
        /// Neighbors asked for.
        neighbors: usize,
    },
    /// A within-class scatter without full rank.
    #[error(
        "the local within-class scatter of {dimension} dimensions is singular (smallest pivot {pivot:e} of {largest:e}): \
         reduce the samples to fewer principal components, or give more of them"
    )]
    SingularScatter {
        /// The dimension.
        dimension: usize,
        /// The smallest squared pivot of its Cholesky factor.
        pivot: f64,
        /// The largest diagonal entry.
        largest: f64,
    },
    /// A regularization that is no positive number.
    #[error(
        "regularization {regularization}: give a positive number, about as large as typical squared distances"
    )]
    Regularization {
        /// The regularization given.
        regularization: f64,
    },
    /// A regularization so small that round-off of the costs decides the transport.
    #[error(
        "regularization {regularization:e} is too small for squared distances up to {cost:e}: \
         use at least {least:e}, or scale the samples"
    )]
    TooSharp {
        /// The regularization given.
        regularization: f64,
        /// The largest squared distance of projected samples.
        cost: f64,
        /// The smallest regularization that is stable.
        least: f64,
    },
    /// A regularization so small that every sample keeps to itself.
    #[error(
        "regularization {regularization:e} is so small that every sample is transported onto itself at no cost: use a larger \
         one, such as the mean squared distance within classes, {scale:e}"
    )]
    NoTransport {
        /// The regularization given.
        regularization: f64,
        /// The mean squared distance of two projected samples of a class.
        scale: f64,
    },
    /// No Sinkhorn iterations.
    #[error("0 Sinkhorn iterations: ask for at least 1")]
    NoIterations,
    /// Classes that lie on top of each other.
    #[error(
        "all classes lie on one point in the projected space: remove constant dimensions, or give \
         samples that differ"
    )]
    NoSpread,
    /// Filters that depend on each other.
    #[error(
        "the {filters} filters of the start depend on each other: use another seed or fewer filters"
    )]
    Dependent {
        /// Filters asked for.
        filters: usize,
    },
    /// A weight outside [0, 1].
    #[error("push weight {push}: give a number between 0 (pull only) and 1 (push only)")]
    Weight {
        /// The weight given.
        push: f64,
    },
    /// A loss that is not finite at the start.
    #[error("the loss is {loss} at the start: scale the samples to moderate numbers")]
    NoLoss {
        /// The loss.
        loss: f64,
    },
}
