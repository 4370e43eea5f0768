//! The minimum covariance determinant (MCD): location and scatter of the h samples whose covariance has the smallest
//! determinant.
//!
//! A concentration step replaces a subset by the h samples that are closest in its metric, which never increases the
//! determinant. Half of the random initializations have p + 1 samples and half have h. After two steps, only the best
//! continue until nothing changes. With more than [`SAMPLE`] samples, the first steps use a random sample of them. With
//! fewer, single samples are exchanged at the end as long as that decreases the determinant (Hawkins 1994), which
//! reaches minima that concentration alone does not.
//!
//! The covariance of the innermost fraction α of Gaussian samples, multiplied by α / P(χ²_{p+2} ≤ χ²_p(α)), is
//! consistent (Croux & Haesbroeck 1999). The reweighted estimate is the mean and covariance, with that factor, of all
//! samples with d² < χ²_p(0.975) in the metric of the raw estimate. A step costs N·p² + p³ flops.
//!
//! References:
//!
//! Croux & Haesbroeck, "Influence function and efficiency of the minimum covariance determinant scatter matrix
//! estimator", Journal of Multivariate Analysis 71, 1999.
//!
//! Hawkins, "The feasible solution algorithm for the minimum covariance determinant estimator in multivariate data",
//! Computational Statistics & Data Analysis 17, 1994.
//!
//! Rousseeuw & Van Driessen, "A fast algorithm for the minimum covariance determinant estimator", Technometrics 41,
//! 1999.

mod columns;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use self::columns::{Candidate, Columns};
use super::RobustError;
use super::chi_squared::{cumulative, quantile};
use crate::finite::first_not_finite;
use crate::parallel;
use crate::points::Points;

/// Number of samples that the first steps use.
const SAMPLE: usize = 1500;
/// Number of initializations that continue until they converge.
const FINALISTS: usize = 10;
/// Number of converged candidates whose samples are exchanged.
const EXCHANGED: usize = 4;
/// Number of concentration steps before the best initializations are selected.
const FIRST_STEPS: usize = 2;
/// Maximum number of steps of a candidate. The determinant decreases and there are finitely many subsets, so it
/// converges much earlier.
const STEPS: usize = 500;
/// Smallest relative decrease of the determinant that counts as an improvement and not as round-off.
const EXCHANGE_GAIN: f64 = 1e-10;
/// Fraction of Gaussian samples that reweighting keeps.
const KEPT: f64 = 0.975;

/// Settings of the search for the minimum covariance determinant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McdOptions {
    /// Fraction of samples that are not outliers: h = ⌊support·N⌋.
    pub support: f64,
    /// Number of random initializations.
    pub starts: usize,
    /// Seed of the random initializations.
    pub seed: u64,
}

impl Default for McdOptions {
    fn default() -> Self {
        Self { support: 0.8, starts: 100, seed: 0 }
    }
}

/// A location and a scatter, the samples they were computed from, and the distances of all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct McdEstimate {
    /// The location, one number per column.
    pub location: Vec<f64>,
    /// The scatter, row-major. It has divisor N, and the reweighted one is multiplied by the consistency factor.
    pub scatter: Vec<f64>,
    /// Whether each sample was used for the mean and covariance.
    pub support: Vec<bool>,
    /// Squared Mahalanobis distances of all samples.
    pub distances: Vec<f64>,
    /// Logarithm of the determinant of the scatter.
    pub log_determinant: f64,
}

/// The minimum covariance determinant of some samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Mcd {
    /// The estimate from the best h samples, without any correction.
    pub raw: McdEstimate,
    /// The reweighted estimate, which is more efficient and usually the one to use.
    pub reweighted: McdEstimate,
    /// Factor by which the raw scatter is multiplied before reweighting.
    pub consistency: f64,
}

/// Computes the minimum covariance determinant of samples, one per row.
///
/// The result is deterministic for a seed and does not depend on the number of threads.
///
/// ```
/// use sqfa::Table;
/// use sqfa::robust::{McdOptions, mcd};
///
/// // Twenty samples of one column around 0, and one outlier.
/// let mut values: Vec<f64> = (0..20).map(|i| (f64::from(i) * 0.7).sin()).collect();
/// values.push(100.0);
/// let samples = Table::row_major(&values, 21, 1).expect("21 rows of 1 number");
///
/// let found = mcd(samples.into(), &McdOptions::default())?.reweighted;
/// assert!(found.location[0].abs() < 1.0);
/// assert!(!found.support[20]); // the outlier
/// # Ok::<(), sqfa::robust::RobustError>(())
/// ```
///
/// # Errors
///
/// Returns an error if the support is not in (0.5, 1], a value is not finite, there are too few samples for the number
/// of columns, or at least h samples lie on a hyperplane.
pub fn mcd(points: Points<'_>, options: &McdOptions) -> Result<Mcd, RobustError> {
    if !(options.support > 0.5 && options.support <= 1.0) {
        return Err(RobustError::Support { share: options.support });
    }
    if let Some((row, column, value)) = first_not_finite(points, None) {
        return Err(RobustError::NotFinite { row, column, value });
    }
    let all = Columns::new(points);
    let support = (options.support * all.rows as f64) as usize;
    if support <= all.width {
        let (points, dimension) = (all.rows, all.width);
        return Err(RobustError::TooFewPoints { points, support, dimension });
    }
    let best = search(&all, support, options)
        .ok_or(RobustError::ExactFit { support, points: all.rows })?;
    let raw = all.estimate(&best.chosen, &best.metric);
    let consistency = consistency_factor(all.width, support as f64 / all.rows as f64);
    let limit = consistency * quantile(all.width, KEPT);
    let kept: Vec<f64> = raw.distances.iter().map(|&d| if d < limit { 1.0 } else { 0.0 }).collect();
    let metric = all.metric(&kept).ok_or(RobustError::ExactFit { support, points: all.rows })?;
    let reweighted = all.estimate(&kept, &metric).scaled(consistency_factor(all.width, KEPT));
    Ok(Mcd { raw, reweighted, consistency })
}

/// Returns the consistency factor for the covariance of the innermost fraction α of Gaussian samples: α / P(χ²_{p+2} ≤
/// χ²_p(α)).
fn consistency_factor(dimension: usize, share: f64) -> f64 {
    if share >= 1.0 { 1.0 } else { share / cumulative(dimension + 2, quantile(dimension, share)) }
}

impl McdEstimate {
    /// Multiplies the scatter by a factor, and adapts distances and determinant.
    fn scaled(mut self, factor: f64) -> Self {
        self.scatter.iter_mut().for_each(|entry| *entry *= factor);
        self.distances.iter_mut().for_each(|distance| *distance /= factor);
        self.log_determinant += self.location.len() as f64 * factor.ln();
        self
    }
}

/// Returns the median of sorted numbers, which is the mean of the two middle ones if their number is even.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { 0.5 * (sorted[half - 1] + sorted[half]) }
}

/// Returns the subset with the smallest determinant that was found, or `None` if all initializations end on a
/// hyperplane.
fn search(all: &Columns, support: usize, options: &McdOptions) -> Option<Candidate> {
    if support == all.rows {
        let chosen = vec![1.0; all.rows];
        return Some(Candidate { metric: all.metric(&chosen)?, chosen });
    }
    let sampled = (all.rows > SAMPLE).then(|| {
        let mut rows: Vec<usize> = (0..all.rows).collect();
        rows.shuffle(&mut generator(options.seed, u64::MAX));
        rows.truncate(SAMPLE);
        rows.sort_unstable();
        all.sample(&rows)
    });
    let looked_at = sampled.as_ref().unwrap_or(all);
    let own = (support * looked_at.rows / all.rows).max(all.width + 1);
    let starts = parallel::map(0..options.starts.max(1), |index| {
        let mut order: Vec<usize> = (0..looked_at.rows).collect();
        order.shuffle(&mut generator(options.seed, index as u64));
        let count = if index % 2 == 0 { all.width + 1 } else { own };
        looked_at.concentrate(looked_at.start(&order, count)?, own, FIRST_STEPS)
    });
    let mut starts: Vec<Candidate> = starts.into_iter().flatten().collect();
    // The sort is stable, so of equal determinants the earlier initialization is preferred.
    starts.sort_by(|a, b| a.metric.log_determinant.total_cmp(&b.metric.log_determinant));
    starts.dedup_by(|a, b| a.chosen == b.chosen);
    starts.truncate(FINALISTS);
    let ends = parallel::map(starts, |start| all.concentrate(start_on(all, start), support, STEPS));
    let mut ends: Vec<Candidate> = ends.into_iter().flatten().collect();
    ends.sort_by(|a, b| a.metric.log_determinant.total_cmp(&b.metric.log_determinant));
    ends.dedup_by(|a, b| a.chosen == b.chosen);
    if sampled.is_none() {
        ends.truncate(EXCHANGED);
        ends =
            parallel::map(ends, |end| all.exchange(end, support)).into_iter().flatten().collect();
    }
    ends.into_iter().reduce(|best, next| {
        if next.metric.log_determinant < best.metric.log_determinant { next } else { best }
    })
}

/// Converts a candidate on a random sample to an initialization on all samples, for which only its metric is needed.
fn start_on(all: &Columns, candidate: Candidate) -> Candidate {
    if candidate.chosen.len() == all.rows {
        candidate
    } else {
        Candidate { chosen: Vec::new(), metric: candidate.metric }
    }
}

fn generator(seed: u64, stream: u64) -> ChaCha12Rng {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    generator
}

#[cfg(test)]
mod tests;
