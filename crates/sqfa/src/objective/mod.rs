//! What the optimizer climbs: asked for a point, and for a line through it, and nothing else.

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

/// Why an objective has no value somewhere.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum EvaluationError {
    /// Filters that vanish or depend on each other.
    #[error(
        "the filters are degenerate: one is zero or, if orthonormal, they depend on each other"
    )]
    Degenerate,
    /// The distances could not be computed.
    #[error(transparent)]
    Pairs(#[from] PairError),
}

/// Something to climb. Evaluating points costs one pass over the class covariances, shared by all of
/// them; lines through them cost one more, and then any step along them is free of passes.
pub(crate) trait Objective: Sync {
    type Point: Send + Sync;
    type Line: Send;

    /// Evaluates several free matrices side by side. One pass.
    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Self::Point, EvaluationError>>;
    /// Prepares the lines from points along directions. One pass.
    fn along(&self, searches: Vec<(&Self::Point, Mat<f64>)>) -> Vec<Self::Line>;
    /// The objective and its derivative a step along a line. No pass.
    fn try_step(
        &self,
        point: &Self::Point,
        line: &mut Self::Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError>;
    /// Moves a point along a line. No pass.
    fn take_step(
        &self,
        point: &mut Self::Point,
        line: Self::Line,
        step: f64,
    ) -> Result<(), EvaluationError>;
    /// Recomputes points from their free matrices, so that round-off cannot drift. One pass.
    fn refresh(&self, points: Vec<&mut Self::Point>) -> Result<(), EvaluationError>;
    /// The objective.
    fn value(&self, point: &Self::Point) -> f64;
    /// Its gradient with respect to the columns that may move.
    fn gradient<'a>(&self, point: &'a Self::Point) -> MatRef<'a, f64>;
    /// The columns that may move.
    fn moving<'a>(&self, point: &'a Self::Point) -> MatRef<'a, f64>;
    /// Values below this count as zero when changes are compared: 1 for an objective without units.
    fn unit(&self) -> f64 {
        1.0
    }
    /// The change of the objective that a tolerance allows at a value.
    fn small_change(&self, value: f64, tolerance: f64) -> f64 {
        tolerance * value.abs().max(self.unit())
    }
    /// Bytes that a climb from one start takes, about.
    fn start_bytes(&self) -> usize {
        0
    }
    /// How many evaluations along a line cost as much as one pass.
    fn evaluations_per_pass(&self) -> f64;
}
