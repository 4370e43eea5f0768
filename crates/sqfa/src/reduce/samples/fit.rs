//! What an iterative reducer of samples found, and how.

use crate::linalg::Mat;
use crate::optimize::{Descended, Termination};

/// The end of a descent.
#[derive(Debug, Clone)]
pub(crate) struct SampleFit {
    /// p × m, one filter a column.
    pub(crate) filters: Mat<f64>,
    /// The loss of these filters.
    pub(crate) loss: f64,
    /// The loss at the start and after every iteration.
    pub(crate) trace: Vec<f64>,
    /// Iterations taken.
    pub(crate) iterations: usize,
    /// Why it ended.
    pub(crate) termination: Termination,
}

impl SampleFit {
    /// The end of a descent over the filters themselves.
    pub(super) fn new(end: Descended) -> Self {
        let Descended { point, loss, trace, iterations, termination, .. } = end;
        Self { filters: point, loss, trace, iterations, termination }
    }
}
