//! Wasserstein discriminant analysis (WDA): orthonormal filters that make transport within classes
//! cheap and transport between classes expensive.
//!
//! It minimizes Σ_i W(i,i) / Σ_{i<j} W(i,j), where W is the cost of the entropic transport plan
//! between two classes in the projected space after a fixed number of Sinkhorn iterations. The
//! filters are F = ηR⁻¹ with ηᵀη = RᵀR. L-BFGS optimizes η in the metric of the samples'
//! covariance. It minimizes the logarithm of the loss, because the loss may decrease by orders of
//! magnitude. With increasing regularization, plans become uniform and the loss that of LDA.
//!
//! Cost of an evaluation: about 2(L+1) passes over an N_i × N_j matrix for L iterations, for every
//! pair of classes. Reference: Flamary, Cuturi, Courty & Rakotomamonjy, *Machine Learning* 107,
//! 2018.

mod logarithmic;
mod loss;
mod metric;
mod scaling;

use self::metric::Metric;
use super::gathered::{Gathered, check};
use super::{SampleError, SampleFit};
use crate::constraint::Constraint;
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef, orthonormalize, tall_times, transpose_times};
use crate::model::random;
use crate::optimize::{Observer, Progress, Stopping, descend};
use crate::points::Points;

/// The settings of WDA.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wda {
    /// The entropic regularization, in squared distances of the samples (1/λ of the reference).
    pub(crate) regularization: f64,
    /// The number of Sinkhorn iterations of every plan.
    pub(crate) sinkhorn_iterations: usize,
    /// The seed of the random orthonormal initial filters.
    pub(crate) seed: u64,
    /// The criterion of convergence. The tolerance is that of the logarithm of the loss, which is a
    /// relative change of the loss.
    pub(crate) stopping: Stopping,
}

impl Default for Wda {
    fn default() -> Self {
        Self {
            regularization: 1.0,
            sinkhorn_iterations: 10,
            seed: 0,
            stopping: Stopping { max_iterations: 500, tolerance: 1e-5 },
        }
    }
}

impl Wda {
    /// Learns filters from samples, beginning with the given filters (p × m) if there are any. The
    /// observer receives the loss after every iteration.
    pub(crate) fn fit(
        &self,
        points: Points<'_>,
        labels: &Labels,
        filters: usize,
        start: Option<&Mat<f64>>,
        observer: &mut Observer<'_>,
    ) -> Result<SampleFit, SampleError> {
        let rows = check(points, labels, filters)?;
        let regularization = self.regularization;
        if !(regularization > 0.0 && regularization.is_finite()) {
            return Err(SampleError::Regularization { regularization });
        }
        if self.sinkhorn_iterations == 0 {
            return Err(SampleError::NoIterations);
        }
        let samples = Gathered::new(points, &rows);
        // Linearly dependent filters are ignored, because they cannot be orthonormalized.
        let start = start
            .and_then(|given| orthonormalize(given.as_ref()))
            .or_else(|| orthonormalize(random(samples.columns, filters, self.seed, 0).as_ref()));
        let start = start.ok_or(SampleError::Dependent { filters })?;
        let metric = Metric::new(&samples).ok_or(SampleError::NoSpread)?;
        let evaluate = |measured: MatRef<'_, f64>| {
            let free = metric.plain(measured);
            let (loss, slope) = self.evaluate_free(&samples, free.as_ref())?;
            Ok::<_, SampleError>((loss, metric.plain(slope.as_ref())))
        };
        let start = metric.measured(start.as_ref());
        let mut tell = |progress: &Progress| {
            observer(&Progress { objective: progress.objective.exp(), ..*progress })
        };
        let mut end = descend(start, evaluate, self.stopping, &mut tell)?;
        end.loss = end.loss.exp();
        end.trace.iter_mut().for_each(|loss| *loss = loss.exp());
        end.point = metric.plain(end.point.as_ref());
        end.point = orthonormalize(end.point.as_ref()).ok_or(SampleError::Dependent { filters })?;
        Ok(SampleFit::new(end))
    }

    /// Returns the logarithm of the loss of ηR⁻¹ and its gradient with respect to η.
    fn evaluate_free(
        &self,
        samples: &Gathered,
        free: MatRef<'_, f64>,
    ) -> Result<(f64, Mat<f64>), SampleError> {
        let m = free.ncols();
        let constraint = Constraint::Orthonormal;
        let dependent = || SampleError::Dependent { filters: m };
        // The map is applied twice, because the error of the first round grows with the squared
        // condition number of the free matrix.
        let (first, map) = orthonormal_map(free).ok_or_else(dependent)?;
        let (filters, again) = orthonormal_map(first.as_ref()).ok_or_else(dependent)?;
        let map = map * again;
        let (loss, slope) = loss::evaluate(
            samples,
            filters.as_ref(),
            self.regularization,
            self.sinkhorn_iterations,
        )?;
        let overlap = row_major(transpose_times(filters.as_ref(), slope.as_ref()).as_ref());
        let correction = constraint.correction(&overlap, m);
        let correction = MatRef::from_row_major_slice(&correction, m, m);
        let along = &slope - tall_times(filters.as_ref(), correction);
        Ok((loss, tall_times(along.as_ref(), map.transpose())))
    }
}

/// Returns ηT with orthonormal columns, and T; `None` if the columns are linearly dependent.
fn orthonormal_map(free: MatRef<'_, f64>) -> Option<(Mat<f64>, Mat<f64>)> {
    let m = free.ncols();
    let gram = row_major(transpose_times(free, free).as_ref());
    let map = Constraint::Orthonormal.map(&gram, m)?.dense(m);
    let map = MatRef::from_row_major_slice(&map, m, m).to_owned();
    Some((tall_times(free, map.as_ref()), map))
}

/// Returns all entries of a small matrix, row by row.
fn row_major(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let at = |k: usize| matrix[(k / matrix.ncols(), k % matrix.ncols())];
    (0..matrix.nrows() * matrix.ncols()).map(at).collect()
}

#[cfg(test)]
mod tests;
