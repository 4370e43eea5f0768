//! Filters that measure different things.
//!
//! With much noise a second copy of the best filter raises the objective more than a new direction does, so filters coincide
//! and a plot of two features is a line. Held-out samples select so much noise when fewer filters suffice. The filters that
//! differ are kept; the others are learned next to them, orthogonal in the coordinates of the fit, so that every feature shows
//! something new. Neither less noise nor a constraint on all filters is as accurate.

use crate::constraint::Constraint;
use crate::linalg::{MatRef, beside, transpose_times};
use crate::model::{Restarts, Start};
use crate::optimize::Observer;
use crate::reduce::{ReduceError, ReducerEntry, ReducerSettings, Reduction, Training};
use crate::statistics::{ClassStatistics, project};

use super::rule::SAME;

/// Returns which filters differ from all those before them that do.
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
    // The noise is the same in every direction of the fit, so its part in the features has the cosines of the filters. Few
    // samples of many columns vary in few directions, along which different filters may correlate.
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

/// Replaces filters that coincide with others, and returns how many differ: these come first.
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
    // Orthogonal filters may not exist, for instance without noise; the copies then stay.
    let Ok(found) = entry.reducer(&settings).fit_one(training, count, observer) else {
        return Ok(count);
    };
    let others = found.filters.subcols(kept.ncols(), count - kept.ncols());
    reduction.filters = beside(&[kept.as_ref(), others]);
    reduction.run.passes += found.run.passes;
    reduction.run.evaluations += found.run.evaluations;
    Ok(kept.ncols())
}
