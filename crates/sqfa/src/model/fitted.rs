//! The result of a fit: filters, and everything about how they were found.

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::{Mat, column_inner, orthonormalize};
use crate::optimize::{Optimizer, Termination};
use crate::points::Points;
use crate::statistics::ClassStatistics;
use crate::statistics::project;
use crate::transform::{Features, transform};

use super::{FitError, Warning};

/// How one start ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    /// The objective it reached.
    pub objective: f64,
    /// The objective after every iteration, the start's first; where the climb looked at some pairs of classes, only the last
    /// looks at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<f64>,
    /// Iterations it took.
    pub iterations: usize,
    /// Passes it took part in.
    pub passes: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// Why it ended.
    #[serde(flatten, with = "crate::optimize::optimized")]
    pub termination: Termination,
}

/// A fitted SQFA model.
#[derive(Debug, Clone)]
pub struct FittedSqfa {
    pub(super) filters: Mat<f64>,
    pub(super) classes: Classes,
    pub(super) distance: String,
    pub(super) constraint: Constraint,
    pub(super) noise: f64,
    pub(super) restarts: Vec<Restart>,
    pub(super) best: usize,
    pub(super) group_traces: Vec<Vec<f64>>,
    pub(super) passes: usize,
    pub(super) evaluations: usize,
    pub(super) seconds: f64,
    pub(super) preconditioned: bool,
    pub(super) optimizer: Optimizer,
    pub(super) warnings: Vec<Warning>,
}

impl FittedSqfa {
    /// The filters, one a column.
    pub fn filters(&self) -> &Mat<f64> {
        &self.filters
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The distance that was maximized.
    pub fn distance(&self) -> &str {
        &self.distance
    }

    /// The constraint the filters satisfy.
    pub fn constraint(&self) -> Constraint {
        self.constraint
    }

    /// The feature noise σ² that was used.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// The objective: the mean distance over pairs of classes.
    pub fn objective(&self) -> f64 {
        self.restarts[self.best].objective
    }

    /// The objective after every iteration of the best start.
    pub fn trace(&self) -> &[f64] {
        &self.restarts[self.best].trace
    }

    /// The same for every group of filters that was learned: the objective of the filters up to it; one where all were learned
    /// together.
    pub fn group_traces(&self) -> &[Vec<f64>] {
        &self.group_traces
    }

    /// Every start, in order.
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
    }

    /// Which start was kept.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Multiplications of all class covariances by a block, shared by all starts. A climb in the few dimensions outside which
    /// classes are isotropic takes those that found them; its own are passes of [`Restart`].
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Evaluations of the objective, summed over starts and groups.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Iterations of the best start.
    pub fn iterations(&self) -> usize {
        self.restarts[self.best].iterations
    }

    /// Seconds of optimization.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Whether steps were measured in the metric of the total covariance.
    pub fn preconditioned(&self) -> bool {
        self.preconditioned
    }

    /// How the filters were climbed; that of the last group, for filters learned in groups.
    pub fn optimizer(&self) -> Optimizer {
        self.optimizer
    }

    /// Why the best start ended.
    pub fn termination(&self) -> Termination {
        self.restarts[self.best].termination
    }

    /// Whether the best start reached an optimum to the tolerance asked for.
    pub fn converged(&self) -> bool {
        self.termination().converged()
    }

    /// What a user should know about this fit.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The same subspace with orthonormal filters.
    pub fn orthogonalized(&self) -> Result<Mat<f64>, FitError> {
        orthonormalize(self.filters.as_ref()).map(with_fixed_signs).ok_or(FitError::Degenerate)
    }

    /// The class Gaussians in feature space, without noise.
    pub fn feature_statistics(&self, statistics: &ClassStatistics) -> Gaussians {
        project(statistics, self.filters.as_ref(), 0.0)
    }

    /// The features z = Fᵀx of points, in the points' own precision.
    pub fn transform(&self, points: Points<'_>) -> Result<Features, FitError> {
        if points.columns() != self.filters.nrows() {
            return Err(FitError::Dimension {
                expected: self.filters.nrows(),
                found: points.columns(),
            });
        }
        Ok(transform(points, self.filters.as_ref(), None))
    }
}

/// Turns filters so that the entry of largest magnitude of each is positive.
pub(crate) fn with_fixed_signs(mut filters: Mat<f64>) -> Mat<f64> {
    for j in 0..filters.ncols() {
        let largest = filters.col(j).iter().fold(0.0_f64, |largest, &value| {
            if value.abs() > largest.abs() { value } else { largest }
        });
        if largest < 0.0 {
            filters.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
        }
    }
    filters
}

/// Scales filters to length 1 to the last digit.
pub(crate) fn with_unit_length(mut filters: Mat<f64>) -> Mat<f64> {
    for j in 0..filters.ncols() {
        let length = column_inner(filters.as_ref(), filters.as_ref(), j).sqrt();
        filters.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= length);
    }
    filters
}
