//! A sketch of the scatter matrix of one class in a few rows, for so many columns that n² entries do not fit into
//! memory.
//!
//! The scatter is S = AᵀA for the matrix A of centered samples. The sketch keeps at most ℓ orthogonal rows B (frequent
//! directions: Liberty, KDD 2013; Ghashami, Liberty, Phillips & Woodruff, SIAM J. Computing 45, 2016). New samples wait
//! until there are ℓ/2 of them. They are then centered by their own mean and appended to B, together with the row √(N_A
//! N_B/(N_A+N_B))·δ that corrects for the difference δ of the means. Let λ₁ ≥ λ₂ ≥ … be the squared singular values of
//! the stacked rows. Then λ_{ℓ+1} is subtracted from each of the first ℓ, and the others are dropped. With Δ the sum of
//! all subtracted values,
//!
//! 0 ≤ S − BᵀB ≤ Δ·I with Δ ≤ ‖A − A_k‖²_F/(ℓ + 1 − k) for every k ≤ ℓ.
//!
//! The bound on Δ holds because each step removes at least (ℓ + 1)·λ_{ℓ+1} from the trace, and the largest k directions
//! of B never exceed those of A. Neither argument depends on where the appended rows came from, so merged sketches
//! satisfy both bounds. Scatter matrices of rank up to ℓ are represented exactly.
//!
//! A direction that is strong throughout loses exactly Δ. The covariance therefore adds Δ to the kept directions, and
//! distributes what is then missing from the trace, which is summed exactly, equally over all directions: Φ = (BᵀB +
//! ΔVᵀV + ρI)/(N − 1), where V has the rows of B at unit length. S − BᵀB − ΔVᵀV lies between −Δ and Δ, hence ‖Φ − S/(N
//! − 1)‖ ≤ (Δ + ρ)/(N − 1), and a fit can be reduced to the span of the rows and means. The variances of single columns
//! are exact. All of this holds apart from rounding (about 10⁻¹³ of the largest variance, or 10⁻⁷ if covariances are in
//! single precision).
//!
//! The cost is 10.5ℓn flops per sample and memory for ℓn numbers of eight bytes for the rows. Waiting samples take ℓn/2
//! numbers of eight bytes, or of four bytes if the data are in single precision. Rows are combined in place.

use std::borrow::Cow;
use std::ops::Range;

use super::class_sum::Finished;
use super::forms::Sketched;
use super::waiting::Waiting;
use super::{Estimator, StatisticsError};
use crate::linalg::{Below, Mat, combine, stacked_gram, symmetric_eigen};
use crate::parallel;
use crate::points::Points;

/// Default number of rows of a sketch.
pub const SKETCH_SIZE: usize = 100;
/// Largest number of rows of a sketch. With more rows, its eigenproblems would take longer than reading the samples.
pub const LARGEST_SKETCH: usize = 4096;

/// A sketch of the samples of one class.
#[derive(Debug, Clone)]
pub(super) struct SketchSum {
    /// Maximum number ℓ of rows.
    size: usize,
    /// Number of samples that the rows represent, without waiting samples.
    pub(super) count: u64,
    pub(super) mean: Vec<f64>,
    /// Sum of squared deviations Σ(x − mean)² of each column.
    pub(super) squares: Vec<f64>,
    /// At most ℓ orthogonal rows, row-major.
    pub(super) rows: Vec<f64>,
    /// The sum Δ of subtracted squared singular values; infinite if squares overflowed.
    pub(super) shed: f64,
    waiting: Waiting,
}

impl SketchSum {
    /// Returns an empty sketch of at most `size` rows for n columns.
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

    /// Returns the number of samples, including waiting samples.
    pub(super) fn count(&self) -> u64 {
        self.count + self.waiting.count()
    }

    /// Adds rows of a table. Each row counts as often as its weight specifies.
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

    /// Adds another sketch of the same size.
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

    /// Adds all waiting samples to the rows and frees their memory.
    pub(super) fn settle(&mut self) {
        self.fold();
        self.waiting = Waiting::default();
    }

    /// Returns the sketch without waiting samples; copies it only if there are any.
    pub(super) fn settled(&self) -> Cow<'_, Self> {
        if self.waiting.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        own.settle();
        Cow::Owned(own)
    }

    /// Adds the waiting samples to the rows.
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

    /// Adds a set of samples that is represented by its count, its mean, its sums of squares and rows with the same
    /// scatter.
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

    /// Compresses the own rows and the rows below to at most ℓ rows.
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
        // Eigenvalues are in ascending order. Eigenvalues below this floor are rounding errors of the Gram matrix and
        // its eigenproblem.
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

    /// Computes mean and covariance of at least two samples.
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
        // An exact sketch misses nothing of the trace except rounding errors.
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
