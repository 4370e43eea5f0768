//! Class sums as statistics, with and without shrinkage.

use anyhow::{Context, Result};
use sqfa::statistics::ClassAccumulator;
use sqfa::{ClassStatistics, Estimator};

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
