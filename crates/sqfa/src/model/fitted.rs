//! The result of a fit: the filters, and how they were found.

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

/// The result of one initialization.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    /// The final objective over all pairs of classes.
    pub objective: f64,
    /// The initial objective and the objective after every iteration. If the optimization used a
    /// sample of the class pairs, only the last value is that of all pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<f64>,
    /// The number of iterations.
    pub iterations: usize,
    /// The number of passes over the class covariances in which this initialization took part.
    pub passes: usize,
    /// The number of evaluations of the objective.
    pub evaluations: usize,
    /// The reason why the optimization ended.
    #[serde(flatten, with = "crate::optimize::optimized")]
    pub termination: Termination,
}

/// A fitted SQFA model: the filters, and a record of how they were found.
///
/// # Examples
///
/// ```
/// # use sqfa::{ClassStatistics, Estimator, Labels, Points, Sqfa, Table};
/// # let values = [
/// #     0.0, 1.0, 0.1, 0.2, 1.1, 0.0, 0.1, 0.9, 0.2,
/// #     1.0, 0.1, 0.2, 1.2, 0.0, 0.1, 0.9, 0.2, 0.0,
/// # ];
/// # let labels = Labels::from_texts(&["cat", "cat", "cat", "dog", "dog", "dog"]);
/// # let points = Points::F64(Table::row_major(&values, 6, 3).expect("6 × 3 numbers"));
/// # let statistics = ClassStatistics::from_points(points, &labels, Estimator::Empirical)?;
/// let model = Sqfa::new(1)?.fit(&statistics)?;
/// println!("{} after {} iterations", model.objective(), model.iterations());
/// for warning in model.warnings() {
///     println!("warning: {warning}");
/// }
///
/// // One feature z = Fᵀx per sample and filter, row by row.
/// let features = model.transform(points)?;
/// assert_eq!(features.to_f64().len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Returns the filters: an n × m matrix with one filter per column.
    pub fn filters(&self) -> &Mat<f64> {
        &self.filters
    }

    /// Returns the classes, in the order of the class statistics.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the name of the distance that was maximized.
    pub fn distance(&self) -> &str {
        &self.distance
    }

    /// Returns the constraint that the filters satisfy.
    pub fn constraint(&self) -> Constraint {
        self.constraint
    }

    /// Returns the regularization noise σ² that was added to every feature variance.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Returns the objective, which is the mean distance over all pairs of classes.
    pub fn objective(&self) -> f64 {
        self.restarts[self.best].objective
    }

    /// Returns the initial objective and the objective after every iteration, for the best
    /// initialization.
    pub fn trace(&self) -> &[f64] {
        &self.restarts[self.best].trace
    }

    /// Returns the objective after every iteration for each group of filters that was learned.
    ///
    /// The objective of a group is that of all filters up to this group. There is one group unless
    /// filters are learned sequentially.
    pub fn group_traces(&self) -> &[Vec<f64>] {
        &self.group_traces
    }

    /// Returns the results of all initializations, in order.
    pub fn restarts(&self) -> &[Restart] {
        &self.restarts
    }

    /// Returns the index of the best initialization, whose filters were kept.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Returns the number of passes, which multiply all class covariances by a block and are shared
    /// by all initializations.
    ///
    /// If the fit was restricted to the few dimensions outside which all classes are isotropic,
    /// these are the passes that found the dimensions. [`Restart::passes`] then counts the passes
    /// over the reduced covariances.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Returns the number of evaluations of the objective, summed over initializations and groups.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Returns the number of iterations of the best initialization.
    pub fn iterations(&self) -> usize {
        self.restarts[self.best].iterations
    }

    /// Returns the time of the fit in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns whether steps were measured in the metric of the total covariance.
    pub fn preconditioned(&self) -> bool {
        self.preconditioned
    }

    /// Returns the optimization algorithm; for filters that were learned in groups, that of the
    /// last group.
    pub fn optimizer(&self) -> Optimizer {
        self.optimizer
    }

    /// Returns the reason why the best initialization ended.
    pub fn termination(&self) -> Termination {
        self.restarts[self.best].termination
    }

    /// Returns whether the best initialization reached an optimum within the tolerance.
    pub fn converged(&self) -> bool {
        self.termination().converged()
    }

    /// Returns the warnings of this fit.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns orthonormal filters with the same span.
    ///
    /// # Errors
    ///
    /// Returns [`FitError::Degenerate`] if the filters are linearly dependent.
    pub fn orthogonalized(&self) -> Result<Mat<f64>, FitError> {
        orthonormalize(self.filters.as_ref()).map(with_fixed_signs).ok_or(FitError::Degenerate)
    }

    /// Returns the class Gaussians in feature space, without noise.
    ///
    /// # Panics
    ///
    /// Panics if the statistics do not have the dimension of the model.
    pub fn feature_statistics(&self, statistics: &ClassStatistics) -> Gaussians {
        project(statistics, self.filters.as_ref(), 0.0)
    }

    /// Returns the features z = Fᵀx of samples, in the precision of the samples.
    ///
    /// # Errors
    ///
    /// Returns [`FitError::Dimension`] if the samples do not have the dimension of the model.
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

/// Changes the signs of filters so that the entry of largest magnitude of each is positive.
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

/// Scales filters to unit length.
pub(crate) fn with_unit_length(mut filters: Mat<f64>) -> Mat<f64> {
    for j in 0..filters.ncols() {
        let length = column_inner(filters.as_ref(), filters.as_ref(), j).sqrt();
        filters.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= length);
    }
    filters
}
