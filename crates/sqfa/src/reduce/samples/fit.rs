//! The result of an iterative method that learns from samples.

use crate::linalg::Mat;
use crate::optimize::{Descended, Termination};

/// The filters that a descent found, and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct SampleFit {
    /// The filters: a p × m matrix with one filter per column.
    pub(crate) filters: Mat<f64>,
    /// The loss of these filters.
    pub(crate) loss: f64,
    /// The initial loss and the loss after every iteration.
    pub(crate) trace: Vec<f64>,
    /// The number of iterations.
    pub(crate) iterations: usize,
    /// The reason why the descent ended.
    pub(crate) termination: Termination,
}

impl SampleFit {
    /// Converts the result of a descent whose variables are the filters themselves.
    pub(super) fn new(end: Descended) -> Self {
        let Descended { point, loss, trace, iterations, termination, .. } = end;
        Self { filters: point, loss, trace, iterations, termination }
    }
}
