//! What an iterative reducer of samples found, and how.

use crate::linalg::Mat;
use crate::optimize::{Descended, Termination};

/// The end of a descent.
#[derive(Debug, Clone)]
pub struct SampleFit {
    /// p × m, one filter a column.
    pub filters: Mat<f64>,
    /// The loss of these filters.
    pub loss: f64,
    /// The loss at the start and after every iteration.
    pub trace: Vec<f64>,
    /// Iterations taken.
    pub iterations: usize,
    /// Evaluations of loss and gradient.
    pub evaluations: usize,
    /// Why it ended.
    pub termination: Termination,
}

impl SampleFit {
    /// Whether the result is a minimum to the tolerance asked for.
    pub fn converged(&self) -> bool {
        self.termination.converged()
    }

    /// The end of a descent over the filters themselves.
    pub(super) fn new(end: Descended) -> Self {
        let Descended { point, loss, trace, iterations, evaluations, termination } = end;
        Self { filters: point, loss, trace, iterations, evaluations, termination }
    }
}
