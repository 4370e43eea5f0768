//! The precision of passes: single, where that keeps the digits that matter.

use super::Warning;
use crate::statistics::ClassStatistics;

/// Largest variance over noise up to which single-precision passes keep the objective to about 5e-6.
const SINGLE_PRECISION_RANGE: f64 = 1e7;

/// Statistics in double precision where single-precision passes would cost digits that matter.
pub(super) fn precise_enough<'a>(
    statistics: &'a ClassStatistics,
    noise: f64,
    largest_variance: f64,
    warnings: &mut Vec<Warning>,
) -> Precise<'a> {
    if statistics.covariances().iter().all(|covariance| !covariance.is_single()) {
        return Precise::Given(statistics);
    }
    let ratio = largest_variance / noise;
    if ratio <= SINGLE_PRECISION_RANGE {
        return Precise::Given(statistics);
    }
    warnings.push(Warning::DoublePrecision { ratio });
    Precise::Doubled(Box::new(statistics.in_double_precision()))
}

/// Statistics as given, or a copy in double precision.
pub(super) enum Precise<'a> {
    Given(&'a ClassStatistics),
    Doubled(Box<ClassStatistics>),
}

impl std::ops::Deref for Precise<'_> {
    type Target = ClassStatistics;
    fn deref(&self) -> &ClassStatistics {
        match self {
            Self::Given(statistics) => statistics,
            Self::Doubled(statistics) => statistics,
        }
    }
}
