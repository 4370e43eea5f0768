//! What Ledoit–Wolf shrinkage needs beyond mean and scatter: Σ|y|⁴ and Σ|y|²y of every class.
//!
//! y = x − r with a reference r that never moves while points stream in (128 for bytes, else the mean of
//! the first block), so that a block costs 4Kn flops for K points and no product with the scatter. Moving
//! the reference by e = r − r′ takes, with s = Σy and R = Σyyᵀ,
//! Σ|y|⁴ += 4t·e + 4eᵀRe + 2|e|² tr R + 4|e|² s·e + N|e|⁴ and
//! t = Σ|y|²y += 2Re + (tr R)e + |e|²s + 2(s·e)e + N|e|²e: once a merge, and once at the end.

use crate::linalg::{Element, Float, Lower, dispatch};
use crate::parallel;

/// Columns whose squares are summed in the data's own precision: for bytes exactly, 512 · 2¹⁴ < 2²⁴ a lane.
const CHUNK: usize = 8192;
/// Sums kept side by side.
const LANES: usize = 16;
/// Columns of the cubic sums that one task owns.
const COLUMNS: usize = 128;

/// The sums of one class.
#[derive(Debug, Clone)]
pub(super) struct Fourth {
    pub(super) reference: Vec<f64>,
    /// Σ|y|²y.
    pub(super) cubic: Vec<f64>,
    /// Σ|y|⁴ of points that were not bytes.
    pub(super) quartic: f64,
    /// Σ|y|⁴ of bytes, exact, so that it does not depend on batches.
    pub(super) exact: u128,
}

/// Mean and scatter (lower triangle) of the points the sums are of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) count: f64,
    pub(super) mean: &'a [f64],
    pub(super) scatter: Lower<'a, f64>,
}

impl Fourth {
    pub(super) fn empty(n: usize, reference: f64) -> Self {
        Self { reference: vec![reference; n], cubic: vec![0.0; n], quartic: 0.0, exact: 0 }
    }

    /// Adds bytes whose reference is already taken off.
    pub(super) fn add_bytes(&mut self, block: &[f32]) {
        let n = self.cubic.len();
        let zeros = vec![0.0; n];
        let squares = squared_lengths(block, n, &zeros);
        self.exact += squares.iter().map(|&square| (square as u128).pow(2)).sum::<u128>();
        self.add_cubic(block, &zeros, &squares);
    }

    /// Adds points as they came, each `weight` times.
    pub(super) fn add<T: Element>(&mut self, block: &[T], weights: Option<&[u64]>) {
        let n = self.cubic.len();
        let minus: Vec<T> = self.reference.iter().map(|&value| T::from_f64(-value)).collect();
        let mut squares = squared_lengths(block, n, &minus);
        let mut quartic = 0.0;
        for (row, square) in squares.iter_mut().enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[row] as f64);
            quartic += weight * *square * *square;
            *square *= weight;
        }
        self.quartic += quartic;
        self.add_cubic(block, &minus, &squares);
    }

    fn add_cubic<T: Element>(&mut self, block: &[T], minus: &[T], factors: &[f64]) {
        let n = self.cubic.len();
        parallel::for_each(self.cubic.chunks_mut(COLUMNS).enumerate(), |(chunk, sums)| {
            let first = chunk * COLUMNS;
            dispatch(
                #[inline(always)]
                || add_rows(block, n, first, &minus[first..], factors, sums),
            );
        });
    }

    /// Forgets that some points were bytes.
    pub(super) fn leave_bytes(&mut self) {
        self.quartic += std::mem::take(&mut self.exact) as f64;
    }

    /// Adds the sums of other points, moved to this reference; `known` is of those points.
    pub(super) fn merge(&mut self, mut other: Self, known: Known<'_>) {
        let same = self.reference == other.reference;
        if !same {
            let reference = self.reference.clone();
            other.move_to(&reference, known);
        }
        self.exact += other.exact;
        self.quartic += other.quartic;
        self.cubic.iter_mut().zip(&other.cubic).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Σ|x − mean|⁴.
    pub(super) fn about_mean(mut self, known: Known<'_>) -> f64 {
        self.move_to(known.mean, known);
        self.quartic.max(0.0)
    }

    fn move_to(&mut self, reference: &[f64], known: Known<'_>) {
        self.leave_bytes();
        let Known { count, mean, scatter } = known;
        let n = mean.len();
        let step: Vec<f64> = self.reference.iter().zip(reference).map(|(a, b)| a - b).collect();
        let drift: Vec<f64> = mean.iter().zip(&self.reference).map(|(a, b)| a - b).collect();
        let along = inner(&drift, &step);
        let trace = scatter.diagonal().sum::<f64>() + count * inner(&drift, &drift);
        let mut image = lower_times(scatter, &step);
        image.iter_mut().zip(&drift).for_each(|(image, drift)| *image += count * along * drift);
        let (length, sum_along) = (inner(&step, &step), count * along);
        self.quartic += 4.0 * inner(&self.cubic, &step)
            + 4.0 * inner(&step, &image)
            + 2.0 * length * trace
            + 4.0 * length * sum_along
            + count * length * length;
        for i in 0..n {
            self.cubic[i] += 2.0 * image[i]
                + length * count * drift[i]
                + (trace + 2.0 * sum_along + count * length) * step[i];
        }
        self.reference.copy_from_slice(reference);
    }
}

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// A symmetric matrix, given by its lower triangle, times a vector.
fn lower_times(lower: Lower<'_, f64>, vector: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; lower.order()];
    for i in 0..lower.order() {
        let row = lower.row(i);
        product[i] += inner(row, vector);
        for (target, entry) in product[..i].iter_mut().zip(row) {
            *target += entry * vector[i];
        }
    }
    product
}

/// |x + minus|² of every row.
fn squared_lengths<T: Element>(block: &[T], n: usize, minus: &[T]) -> Vec<f64> {
    parallel::runs(
        block.len() / n,
        64,
        || (),
        |(), row| {
            dispatch(
                #[inline(always)]
                || squared_length(&block[row * n..][..n], minus),
            )
        },
    )
}

#[inline(always)]
fn squared_length<T: Element>(row: &[T], minus: &[T]) -> f64 {
    let one = <T as Float>::from_f64(1.0);
    let mut total = 0.0;
    for (row, minus) in row.chunks(CHUNK).zip(minus.chunks(CHUNK)) {
        let mut sums = [T::ZERO; LANES];
        let (rows, minuses) = (row.chunks_exact(LANES), minus.chunks_exact(LANES));
        for (x, minus) in rows.remainder().iter().zip(minuses.remainder()) {
            let y = x.fused::<false>(one, *minus);
            sums[0] = y.fused::<false>(y, sums[0]);
        }
        for (x, minus) in rows.zip(minuses) {
            for lane in 0..LANES {
                let y = x[lane].fused::<false>(one, minus[lane]);
                sums[lane] = y.fused::<false>(y, sums[lane]);
            }
        }
        total += sums.iter().map(|&sum| Float::to_f64(sum)).sum::<f64>();
    }
    total
}

#[inline(always)]
fn add_rows<T: Element>(
    block: &[T],
    n: usize,
    first: usize,
    minus: &[T],
    factors: &[f64],
    sums: &mut [f64],
) {
    let one = <T as Float>::from_f64(1.0);
    for (row, &factor) in block.chunks_exact(n).zip(factors) {
        for ((sum, &x), &minus) in sums.iter_mut().zip(&row[first..]).zip(minus) {
            *sum += factor * Float::to_f64(x.fused::<false>(one, minus));
        }
    }
}
