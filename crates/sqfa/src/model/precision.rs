//! The precision of passes: single precision if it keeps enough digits of the objective.

use super::Warning;
use crate::statistics::ClassStatistics;

/// Largest ratio of variance to noise for which passes in single precision keep the relative error
/// of the objective at about 5e-6.
const SINGLE_PRECISION_RANGE: f64 = 1e7;

/// Returns the statistics, converted to double precision if passes in single precision would lose
/// too many digits.
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

/// Statistics as specified, or a copy in double precision.
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
