//! A sketch of the scatter of one class in few rows, for so many dimensions that n² entries do not fit.
//!
//! The scatter is S = AᵀA for the matrix A of centered points, of which at most ℓ orthogonal rows B are kept (frequent
//! directions: Liberty, KDD 2013; Ghashami, Liberty, Phillips & Woodruff, SIAM J. Computing 45, 2016). Points wait until there
//! are ℓ/2 of them; centered by their own mean, they are put below B together with the row √(N_A N_B/(N_A+N_B))·δ that
//! corrects for the difference δ of the means. If λ₁ ≥ λ₂ ≥ … are the squared singular values of all of these, λ_{ℓ+1} is
//! taken off each of the first ℓ, and the others are dropped. What was taken off adds up to Δ, and then
//!
//! 0 ≤ S − BᵀB ≤ Δ·I with Δ ≤ ‖A − A_k‖²_F/(ℓ + 1 − k) for every k ≤ ℓ:
//!
//! a step takes at least (ℓ + 1)·λ_{ℓ+1} off the trace, and the largest k directions hold no more than those of A. Neither line
//! asks where the rows below B came from, so that merged sketches keep both, and rank up to ℓ is kept exactly.
//!
//! A direction that is strong all along lost exactly Δ, so the covariance gives Δ back in the kept directions, and what then is
//! missing of the trace, which is summed exactly, to all directions alike: Φ = (BᵀB + ΔVᵀV + ρI)/(N − 1), V the rows of B at
//! unit length. S − BᵀB − ΔVᵀV lies between −Δ and Δ, hence ‖Φ − S/(N − 1)‖ ≤ (Δ + ρ)/(N − 1), and a fit can be confined to the
//! span of the rows and means. Variances of single dimensions are told as they were summed. All of this is apart
//! from rounding (some 10⁻¹³ of the largest variance; 10⁻⁷ where covariances are finished in single precision).
//! Cost: 10.5ℓn flops a point, ℓn numbers of eight bytes for the rows and ℓn/2 for points that wait, of four where they came in
//! single precision; rows are combined where they lie.

use std::borrow::Cow;
use std::ops::Range;

use super::class_sum::Finished;
use super::forms::Sketched;
use super::waiting::Waiting;
use super::{Estimator, StatisticsError};
use crate::linalg::{Below, Mat, combine, stacked_gram, symmetric_eigen};
use crate::parallel;
use crate::points::Points;

/// Rows of a sketch that nobody gave a size.
pub const SKETCH_SIZE: usize = 100;
/// More rows than this would make the eigenproblems of a sketch dearer than reading the points.
pub const LARGEST_SKETCH: usize = 4096;

/// A sketch of the points of one class.
#[derive(Debug, Clone)]
pub(super) struct SketchSum {
    /// ℓ.
    size: usize,
    /// Points behind the rows.
    pub(super) count: u64,
    pub(super) mean: Vec<f64>,
    /// Σ(x − mean)² of every dimension.
    pub(super) squares: Vec<f64>,
    /// At most ℓ orthogonal rows.
    pub(super) rows: Vec<f64>,
    /// Δ; infinite where squares overflowed.
    pub(super) shed: f64,
    waiting: Waiting,
}

impl SketchSum {
    pub(super) fn empty(n: usize, size: usize) -> Self {
        Self {
            size,
            count: 0,
            mean: vec![0.0; n],
            squares: vec![0.0; n],
            rows: Vec::new(),
            shed: 0.0,
            waiting: Waiting::default(),
        }
    }

    /// The number of points, those that wait among them.
    pub(super) fn count(&self) -> u64 {
        self.count + self.waiting.count()
    }

    /// Adds some rows, each as often as its weight says.
    pub(super) fn add(&mut self, points: Points<'_>, rows: &[u32], weights: Option<&[u64]>) {
        let most = (self.size / 2).max(1);
        let mut rows = rows;
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(most - self.waiting.len()));
            self.waiting.push(points, now, weights);
            if self.waiting.len() == most {
                self.fold();
            }
            rows = later;
        }
    }

    /// Adds another sketch.
    pub(super) fn merge(&mut self, other: &Self) {
        self.settle();
        let other = other.settled();
        let n = self.mean.len();
        let write = |columns: Range<usize>, target: &mut [f64]| {
            let rows = other.rows.chunks_exact(n).map(|row| &row[columns.clone()]);
            target.chunks_exact_mut(columns.len()).zip(rows).for_each(|(target, row)| {
                target.copy_from_slice(row);
            });
        };
        let rows = Below { rows: other.rows.len() / n, write: &write };
        self.join(other.count, &other.mean, &other.squares, &rows);
        self.shed += other.shed;
    }

    /// Lets no point wait any longer.
    pub(super) fn settle(&mut self) {
        self.fold();
        self.waiting = Waiting::default();
    }

    /// The same with no point that waits; a copy only where one does.
    pub(super) fn settled(&self) -> Cow<'_, Self> {
        if self.waiting.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        own.settle();
        Cow::Owned(own)
    }

    /// Puts the points that wait into the rows.
    fn fold(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        let points = waiting.centered(self.mean.len());
        let write = |columns: Range<usize>, target: &mut [f64]| points.write(columns, target);
        let rows = Below { rows: points.len(), write: &write };
        self.join(waiting.count(), &points.mean, &points.squares(), &rows);
        waiting.clear();
        self.waiting = waiting;
    }

    /// Joins so many points of this mean and these sums of squares, whose scatter is that of the rows.
    fn join(&mut self, count: u64, mean: &[f64], squares: &[f64], rows: &Below<'_>) {
        if count == 0 {
            return;
        }
        let (mine, theirs) = (self.count as f64, count as f64);
        let (share, root) = (theirs / (mine + theirs), (mine * theirs / (mine + theirs)).sqrt());
        let shift: Vec<f64> = mean.iter().zip(&self.mean).map(|(new, old)| new - old).collect();
        let correction: Vec<f64> = shift.iter().map(|shift| root * shift).collect();
        self.mean.iter_mut().zip(&shift).for_each(|(mean, shift)| *mean += share * shift);
        for ((sum, more), row) in self.squares.iter_mut().zip(squares).zip(&correction) {
            *sum += more + row * row;
        }
        let more = usize::from(self.count > 0);
        let write = |columns: Range<usize>, target: &mut [f64]| {
            let (above, last) = target.split_at_mut(rows.rows * columns.len());
            (rows.write)(columns.clone(), above);
            last.copy_from_slice(&correction[columns][..last.len()]);
        };
        self.count += count;
        self.compress(&Below { rows: rows.rows + more, write: &write });
    }

    /// The directions of the rows and of those below, of which at most ℓ remain.
    fn compress(&mut self, below: &Below<'_>) {
        let n = self.mean.len();
        let eigen = symmetric_eigen(stacked_gram(&self.rows, n, below).as_ref())
            .filter(|(values, _)| values.iter().all(|value| value.is_finite()));
        let Some((values, vectors)) = eigen else {
            self.shed = f64::INFINITY;
            self.rows = Vec::new();
            return;
        };
        let order = values.len();
        // Eigenvalues come in ascending order; below this they are rounding of the Gram matrix and of its solution.
        let rounding = 4.0 * f64::EPSILON * (order as f64 + (n as f64).sqrt());
        let floor = rounding * values.last().copied().unwrap_or(0.0);
        let beyond = order.checked_sub(self.size + 1).map_or(0.0, |at| values[at]);
        let off = if beyond > floor { beyond } else { 0.0 };
        let kept: Vec<usize> =
            (0..order).rev().take(self.size).filter(|&i| values[i] > floor.max(off)).collect();
        let weights = Mat::from_fn(order, kept.len(), |row, j| {
            vectors[(row, kept[j])] * (1.0 - off / values[kept[j]]).sqrt()
        });
        combine(&mut self.rows, n, below, weights.as_ref());
        self.shed += off;
    }

    /// Mean and covariance of at least two points.
    pub(super) fn finish(
        mut self,
        estimator: Estimator,
        double: bool,
    ) -> Result<Finished, StatisticsError> {
        let share = match estimator {
            Estimator::Empirical => 0.0,
            Estimator::Shrinkage(share) => share,
            other => return Err(StatisticsError::SketchEstimator { estimator: other.to_string() }),
        };
        self.settle();
        let (n, divisor) = (self.mean.len(), (self.count - 1) as f64);
        let trace = self.squares.iter().sum::<f64>() / divisor;
        if !self.shed.is_finite() || !trace.is_finite() {
            return Err(StatisticsError::SketchOverflow);
        }
        let shed = self.shed;
        parallel::rows(&mut self.rows, n, |_, row| {
            let more = (1.0 + shed / squared(row)).sqrt();
            row.iter_mut().for_each(|value| *value *= more);
        });
        // Nothing is missing of an exact sketch but rounding.
        let missing = if shed > 0.0 {
            let rows = parallel::map(self.rows.chunks_exact(n), squared);
            let held = rows.iter().sum::<f64>() / divisor;
            (trace - held).max(0.0) / n as f64
        } else {
            0.0
        };
        let variances = self.squares.iter().map(|square| square / divisor).collect();
        let bound = shed / divisor + missing;
        let covariance = Sketched::new(self.rows, variances, 1.0 / divisor, missing, bound);
        let covariance = covariance.shrunk(share, share * trace / n as f64);
        let covariance = if double { covariance } else { covariance.rounded() };
        Ok(Finished { mean: self.mean, covariance: Box::new(covariance), share })
    }
}

fn squared(row: &[f64]) -> f64 {
    row.iter().map(|value| value * value).sum()
}
