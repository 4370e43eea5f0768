//! Fits to class sums, and fits in the span of few samples where that costs least.

use anyhow::{Context, Result};
use sqfa::{
    ClassAccumulator, ClassStatistics, Control, Estimator, FitError, FittedSqfa, Progress, Sqfa,
    StatisticsError,
};

/// Up to this many samples their Gram matrix costs less than the passes of a usual fit.
const FEW_SAMPLES: u64 = 4000;

/// Statistics of sums and, when they are shrunk, the same without shrinkage, which classifiers need.
pub(super) fn finish(
    sums: ClassAccumulator,
    estimator: Estimator,
) -> Result<(Option<ClassStatistics>, ClassStatistics)> {
    let unshrunk = match estimator {
        Estimator::Empirical => None,
        _ => Some(sums.clone().finish(Estimator::Empirical).context("DATA cannot be used")?),
    };
    Ok((unshrunk, sums.finish(estimator).context("DATA cannot be used")?))
}

/// Fits in the span of the samples when they are few, kept as they are, and the maximum is known to lie there.
pub(super) fn fit_where_cheapest(
    recipe: &Sqfa,
    statistics: &ClassStatistics,
    observer: &mut dyn FnMut(&Progress) -> Control,
) -> Result<FittedSqfa, FitError> {
    let samples = statistics.counts().map_or(u64::MAX, |counts| counts.iter().sum());
    let few = samples <= FEW_SAMPLES && 2 * samples < statistics.dimension() as u64;
    let kept = statistics.covariances().iter().all(|covariance| covariance.spanning().is_some());
    if few && kept {
        match recipe.fit_in_span(statistics, observer) {
            Err(FitError::Statistics(StatisticsError::NoSpan { .. })) => {}
            answer => return answer,
        }
    }
    recipe.fit_observed(statistics, observer)
}
