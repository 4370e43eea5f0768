//! Refinement of filters: maximizes the mean log posterior of the true class.
//!
//! The objective is (1/N) Σ_s ln p(y_s | z_s), see `objective::posterior`. Filters are optimized
//! within the span of the initial filters and the leading principal components.

use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, beside};
use crate::model::FitError;
use crate::objective::{LabeledRows, Posterior, Restrictable};
use crate::optimize::{
    Control, Observer, Optimizer, Preconditioner, Preconditioning, Progress, Stopping, climb,
    climb_in_subspaces,
};
use crate::statistics::{ClassStatistics, StatisticsError};

use super::rule::{REFINED_COMPONENTS, REFINED_NUMBERS};

/// The relative change of the objective at which an optimization has converged.
const TOLERANCE: f64 = 1e-7;

/// The result of an optimization.
pub(super) struct Climbed {
    pub(super) filters: Mat<f64>,
    /// The objective for the initial filters and after every iteration.
    pub(super) trace: Vec<f64>,
    pub(super) cancelled: bool,
}

/// Optimizes filters for at most `iterations` iterations on the posterior of the samples.
/// `fraction` is the noise as a fraction of the mean within-class variance.
pub(super) fn climb_posterior(
    statistics: &ClassStatistics,
    samples: LabeledRows<'_>,
    filters: Mat<f64>,
    fraction: f64,
    iterations: usize,
    optimizer: Optimizer,
    observer: &mut Observer<'_>,
) -> Result<Climbed, FitError> {
    let (count, scale) = (filters.ncols(), statistics.noise_scale());
    let noise = fraction * scale;
    let preconditioner = Preconditioner::new(statistics, scale, f64::INFINITY, Preconditioning::On);
    let (constraint, priors) = (Constraint::Sphere, statistics.shares());
    let objective = Posterior::new(statistics, samples, constraint, noise, count, 0, &priors)
        .measured_with(scale);
    let optimizer = optimizer.chosen(objective.effort());
    let climb = if optimizer == Optimizer::Subspace { climb_in_subspaces } else { climb };
    let mut cancelled = false;
    let mut watch = |progress: &Progress| {
        let control = observer(progress);
        cancelled |= control == Control::Cancel;
        control
    };
    let stopping = Stopping { max_iterations: iterations, tolerance: TOLERANCE };
    let mut climbed = climb(&objective, vec![filters], &preconditioner, stopping, &mut watch, 0)
        .map_err(|error| FitError::from_evaluation(error, statistics.classes(), noise))?;
    let run = climbed.runs.remove(0);
    Ok(Climbed { filters: objective.filters(&run.point), trace: run.trace, cancelled })
}

/// Returns an orthonormal basis of the span of the filters and the leading principal components.
pub(super) fn basis_around(
    statistics: &ClassStatistics,
    filters: MatRef<'_, f64>,
) -> Result<Mat<f64>, StatisticsError> {
    let n = filters.nrows();
    let requested = (REFINED_NUMBERS / filters.ncols().max(1)).max(REFINED_COMPONENTS);
    if requested + filters.ncols() >= n {
        return Ok(Mat::identity(n, n));
    }
    // The number of components is at most the number of samples.
    let samples = statistics.counts().map_or(n, |counts| counts.iter().sum::<u64>() as usize);
    let components = statistics.principal_components(requested.min(samples).min(n))?.0;
    Ok(independent(beside(&[filters, components.as_ref()]).as_ref()))
}

/// Returns an orthonormal basis of the span of some columns by Gram–Schmidt. Columns that lie in
/// the span of the previous ones up to round-off are omitted, such as filters that coincide or
/// components within the span of the filters.
fn independent(columns: MatRef<'_, f64>) -> Mat<f64> {
    /// The smallest fraction of a column's length outside the previous span. Two rounds of
    /// projection leave errors of 10⁻¹⁵.
    const NEW: f64 = 1e-8;
    let n = columns.nrows();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for j in 0..columns.ncols() {
        let mut own: Vec<f64> = columns.col(j).iter().copied().collect();
        let length = norm(&own);
        for _ in 0..2 {
            for other in &basis {
                let along: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                own.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let left = norm(&own);
        if left > NEW * length {
            own.iter_mut().for_each(|value| *value /= left);
            basis.push(own);
        }
    }
    Mat::from_fn(n, basis.len(), |i, j| basis[j][i])
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
