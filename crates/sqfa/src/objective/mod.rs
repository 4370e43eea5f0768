//! The objectives that filters maximize.
//!
//! The optimizer evaluates an objective at a point and along lines through it, through the trait
//! [`Objective`], and knows nothing else about it.

mod criterion;
mod projection;
mod on_statistics;
mod posterior;
mod restricted;
mod feature_problem;
#[cfg(test)]
pub(crate) mod tests;

use thiserror::Error;

use crate::distance::PairError;
use crate::linalg::{Mat, MatRef};

pub(crate) use criterion::Criterion;
pub(crate) use on_statistics::OnStatistics;
pub(crate) use posterior::{LabeledRows, Posterior};
pub(crate) use restricted::{Beside, Effort, Restrictable};

/// An error in the evaluation of an objective.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum EvaluationError {
    /// A filter is zero or, with orthonormal filters, the filters are linearly dependent.
    #[error(
        "the filters are degenerate: one of them is zero or, with orthonormal filters, they are linearly dependent"
    )]
    Degenerate,
    /// A distance between two classes could not be computed.
    #[error(transparent)]
    Pairs(#[from] PairError),
}

/// An objective to maximize.
///
/// Evaluating points costs one pass over the class covariances, which all points share. Lines
/// through the points cost one more pass; after it, any step along the lines needs no further pass.
pub(crate) trait Objective: Sync {
    type Point: Send + Sync;
    type Line: Send;

    /// Evaluates several free matrices together. Cost: one pass.
    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Self::Point, EvaluationError>>;
    /// Prepares the lines through points along directions. Cost: one pass.
    fn along(&self, searches: Vec<(&Self::Point, Mat<f64>)>) -> Vec<Self::Line>;
    /// Returns the objective and its derivative at a step along a line. Cost: no pass.
    fn try_step(
        &self,
        point: &Self::Point,
        line: &mut Self::Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError>;
    /// Moves a point along a line. Cost: no pass.
    fn take_step(
        &self,
        point: &mut Self::Point,
        line: Self::Line,
        step: f64,
    ) -> Result<(), EvaluationError>;
    /// Recomputes points from their free matrices, so that round-off does not accumulate. Cost: one
    /// pass.
    fn refresh(&self, points: Vec<&mut Self::Point>) -> Result<(), EvaluationError>;
    /// Returns the objective at a point.
    fn value(&self, point: &Self::Point) -> f64;
    /// Returns the gradient with respect to the columns that may change.
    fn gradient<'a>(&self, point: &'a Self::Point) -> MatRef<'a, f64>;
    /// Returns the columns of the free matrix that may change.
    fn moving<'a>(&self, point: &'a Self::Point) -> MatRef<'a, f64>;
    /// Returns the absolute value below which the objective counts as zero when changes are
    /// compared; 1 if it does not depend on the scale of the data.
    fn unit(&self) -> f64 {
        1.0
    }
    /// Returns the change of the objective, at a given value, that counts as small for a tolerance.
    fn small_change(&self, value: f64, tolerance: f64) -> f64 {
        tolerance * value.abs().max(self.unit())
    }
    /// Returns the approximate memory in bytes that the optimization from one initialization needs.
    fn start_bytes(&self) -> usize {
        0
    }
    /// Returns the number of evaluations along a line that cost as much as one pass.
    fn evaluations_per_pass(&self) -> f64;
}
