//! Detection and replacement of filters that coincide.
//!
//! With much noise, a second copy of the best filter can increase the objective more than a new
//! direction. Filters then coincide, and a plot of two features is a line. Held-out samples select
//! so much noise if fewer filters suffice. Distinct filters are kept. The others are learned again
//! with the constraint that all filters are orthogonal in the coordinates of the fit, so that every
//! feature is informative. Neither less noise nor a constraint on all filters is as accurate.

use crate::constraint::Constraint;
use crate::linalg::{MatRef, beside, transpose_times};
use crate::model::{Restarts, Start};
use crate::optimize::Observer;
use crate::reduce::{ReduceError, ReducerEntry, ReducerSettings, Reduction, Training};
use crate::statistics::{ClassStatistics, project};

use super::rule::SAME;

/// Returns the indices of filters that differ from all previous distinct ones.
pub(crate) fn distinct(statistics: &ClassStatistics, filters: MatRef<'_, f64>) -> Vec<usize> {
    let (m, shares) = (filters.ncols(), statistics.shares());
    let features = project(statistics, filters, 0.0);
    let over_classes = |entry: &dyn Fn(usize) -> f64| -> f64 {
        shares.iter().enumerate().map(|(class, share)| share * entry(class)).sum()
    };
    let mean = |j: usize| over_classes(&|class| features.mean(class)[j]);
    let means: Vec<f64> = (0..m).map(mean).collect();
    let within = |a: usize, b: usize| over_classes(&|class| features.covariance(class)[a * m + b]);
    let total = |a: usize, b: usize| {
        let shift = |class: usize, j: usize| features.mean(class)[j] - means[j];
        within(a, b) + over_classes(&|class| shift(class, a) * shift(class, b))
    };
    let correlate = |entry: &dyn Fn(usize, usize) -> f64, a: usize, b: usize| {
        entry(a, b).abs() > SAME * (entry(a, a) * entry(b, b)).sqrt()
    };
    // In the coordinates of the fit the noise is isotropic, so the correlations of its features are
    // the cosines between filters. They are needed because few samples of many columns vary in few
    // directions, along which features of different filters may correlate.
    let gram = transpose_times(filters, filters);
    let noise = |a: usize, b: usize| gram[(a, b)];
    let parts: [&dyn Fn(usize, usize) -> f64; 3] = [&within, &total, &noise];
    let same = |a: usize, b: usize| parts.iter().all(|part| correlate(*part, a, b));
    let mut kept: Vec<usize> = Vec::new();
    for filter in 0..m {
        if kept.iter().all(|&other| !same(filter, other)) {
            kept.push(filter);
        }
    }
    kept
}

/// Replaces filters that coincide with others. Returns the number of distinct filters, which come
/// first.
pub(crate) fn replace_copies(
    reduction: &mut Reduction,
    entry: &ReducerEntry,
    settings: &ReducerSettings,
    training: &Training<'_>,
    observer: &mut Observer<'_>,
) -> Result<usize, ReduceError> {
    let count = reduction.filters.ncols();
    let kept = distinct(training.statistics(), reduction.filters.as_ref());
    let possible = settings.fixed.is_none() && count <= training.statistics().dimension();
    if kept.len() == count || !possible {
        return Ok(count);
    }
    let kept: Vec<MatRef<'_, f64>> =
        kept.iter().map(|&at| reduction.filters.subcols(at, 1)).collect();
    let kept = beside(&kept);
    let settings = ReducerSettings {
        fixed: Some(kept.clone()),
        constraint: Some(Constraint::Orthonormal),
        start: Start::Auto,
        restarts: Restarts::Count(1),
        ..settings.clone()
    };
    // Orthogonal filters may not exist, for instance without noise. In this case the copies are
    // kept.
    let Ok(found) = entry.reducer(&settings).fit_one(training, count, observer) else {
        return Ok(count);
    };
    let others = found.filters.subcols(kept.ncols(), count - kept.ncols());
    reduction.filters = beside(&[kept.as_ref(), others]);
    reduction.run.passes += found.run.passes;
    reduction.run.evaluations += found.run.evaluations;
    Ok(kept.ncols())
}
