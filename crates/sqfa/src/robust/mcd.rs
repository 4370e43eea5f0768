//! The minimum covariance determinant: location and scatter of the h points whose covariance has the least determinant.
//!
//! Concentration steps (take the h points closest in the metric of the last h) never raise the determinant. Many start, half
//! from p + 1 random points and half from h; after two steps the best go on until nothing changes. With more than [`SAMPLE`]
//! points the first steps look at a sample; with fewer, single points are exchanged in the end as long as that lowers the
//! determinant (Hawkins 1994), which reaches minima that concentration alone does not. The covariance of the innermost share α
//! of Gaussian points times α / P(χ²_{p+2} ≤ χ²_p(α)) is consistent (Croux & Haesbroeck 1999); the reweighted estimate is the
//! mean and covariance, with that factor, of all points with d² < χ²_p(0.975) in the metric of the raw one. A step costs N·p²
//! and p³.
//!
//! Croux & Haesbroeck, "Influence function and efficiency of the minimum covariance determinant scatter matrix estimator",
//! Journal of Multivariate Analysis 71, 1999.
//! Hawkins, "The feasible solution algorithm for the minimum covariance determinant estimator in multivariate data",
//! Computational Statistics & Data Analysis 17, 1994.
//! Rousseeuw & Van Driessen, "A fast algorithm for the minimum covariance determinant estimator", Technometrics 41, 1999.

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

/// Points that the first steps look at.
const SAMPLE: usize = 1500;
/// Starts that are carried to the end.
const FINALISTS: usize = 10;
/// Finalists whose points are exchanged.
const EXCHANGED: usize = 4;
/// Steps of a start before the best are chosen.
const FIRST_STEPS: usize = 2;
/// Steps of a finalist at most; determinants fall and supports are finitely many, so it ends long before.
const STEPS: usize = 500;
/// An exchange must lower the determinant by more than round-off.
const EXCHANGE_GAIN: f64 = 1e-10;
/// The share of Gaussian points that reweighting keeps.
const KEPT: f64 = 0.975;

/// How the minimum is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McdOptions {
    /// The share of points that are no outliers: h = ⌊share·N⌋.
    pub support: f64,
    /// Random starts.
    pub starts: usize,
    /// Seed of the starts.
    pub seed: u64,
}

impl Default for McdOptions {
    fn default() -> Self {
        Self { support: 0.8, starts: 100, seed: 0 }
    }
}

/// A location and a scatter, which points they come from, and how far all points are.
#[derive(Debug, Clone, PartialEq)]
pub struct McdEstimate {
    /// The location.
    pub location: Vec<f64>,
    /// The scatter, row-major: divisor N, times the factor of consistency once reweighted.
    pub scatter: Vec<f64>,
    /// Which points it is the mean and covariance of.
    pub support: Vec<bool>,
    /// Squared Mahalanobis distances of all points.
    pub distances: Vec<f64>,
    /// ln det of the scatter.
    pub log_determinant: f64,
}

/// The minimum covariance determinant of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct Mcd {
    /// The best h points, without any correction.
    pub raw: McdEstimate,
    /// The reweighted estimate.
    pub reweighted: McdEstimate,
    /// What the raw scatter is multiplied by before reweighting.
    pub consistency: f64,
}

/// Finds the minimum covariance determinant of points.
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

/// What the covariance of the innermost share α of Gaussian points must be multiplied by: α / P(χ²_{p+2} ≤ χ²_p(α)).
fn consistency_factor(dimension: usize, share: f64) -> f64 {
    if share >= 1.0 { 1.0 } else { share / cumulative(dimension + 2, quantile(dimension, share)) }
}

impl McdEstimate {
    /// The same with its scatter multiplied.
    fn scaled(mut self, factor: f64) -> Self {
        self.scatter.iter_mut().for_each(|entry| *entry *= factor);
        self.distances.iter_mut().for_each(|distance| *distance /= factor);
        self.log_determinant += self.location.len() as f64 * factor.ln();
        self
    }
}

/// The middle of sorted numbers, or the mean of the two in the middle.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { 0.5 * (sorted[half - 1] + sorted[half]) }
}

/// The support of least determinant that the starts lead to; `None` when all end on a hyperplane.
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
    // Stable: of equal determinants the earlier start.
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

/// A candidate of a sample as a start on all points: its metric is all that counts.
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
