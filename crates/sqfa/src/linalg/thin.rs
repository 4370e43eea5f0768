//! A table of many rows times a few columns, from both sides: X·V and Xᵀ·Y, for covariances that are stored as factors.
//!
//! Eight rows of X at a time are multiplied with columns of V that stay in the cache. Products are summed in the
//! table's own precision over at most [`DEPTH`] terms and then in `f64`. The work is divided into panels that depend
//! only on the table, and each column is computed independently of the others, so the bits are the same for any number
//! of threads and any width. For K × n tables and W columns, each product costs 2KnW flops and reads the table once per
//! sixteen columns.

use faer::{Mat, MatMut, MatRef};

use super::symmetric::{Element, num};
use crate::parallel;

/// Maximum number of terms that are summed in the table's precision.
pub(super) const DEPTH: usize = 1024;
/// Number of rows that are processed together.
const TOGETHER: usize = 8;
/// Number of rows of the table that one task of X·V processes.
const ROW_PANEL: usize = 64;
/// Number of columns of the table that one task of Xᵀ·Y processes.
const COLUMN_PANEL: usize = 2048;
/// Number of rows whose contributions to Xᵀ·Y are summed in the table's precision.
const FLUSH: usize = 256;

/// Returns X·V for a row-major table X of n columns.
pub(crate) fn table_times<T: Element>(table: &[T], n: usize, block: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(table.len() / n.max(1), block.ncols());
    for first in (0..block.ncols()).step_by(16) {
        let width = (block.ncols() - first).min(16);
        let source = block.subcols(first, width);
        let target = product.as_mut().subcols_mut(first, width);
        if width > 8 {
            right::<T, 16>(table, n, source, target);
        } else {
            right::<T, 8>(table, n, source, target);
        }
    }
    product
}

/// Adds factor · Xᵀ·Y for a row-major table X of n columns.
pub(crate) fn add_table_transpose_times<T: Element>(
    table: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    factor: f64,
    mut target: MatMut<'_, f64>,
) {
    for first in (0..block.ncols()).step_by(16) {
        let width = (block.ncols() - first).min(16);
        let source = block.subcols(first, width);
        let target = target.as_mut().subcols_mut(first, width);
        if width > 8 {
            left::<T, 16>(table, n, source, factor, target);
        } else {
            left::<T, 8>(table, n, source, factor, target);
        }
    }
}

/// A product that can be compiled with fused multiply-add instructions or without them.
pub(super) trait Product {
    type Sums;
    fn run<const FUSED: bool>(self) -> Self::Sums;
}

/// A product that runs with fused multiply-add instructions if the processor has them.
pub(super) struct Dispatched<P>(pub(super) P);

impl<P: Product> pulp::WithSimd for Dispatched<P> {
    type Output = P::Sums;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        if S::F64_LANES >= 4 || cfg!(target_arch = "aarch64") {
            self.0.run::<true>()
        } else {
            self.0.run::<false>()
        }
    }
}

/// Copies the rows of a thin block into arrays in the table's precision.
pub(super) fn packed<T: Element, const W: usize>(block: MatRef<'_, f64>) -> Vec<[T; W]> {
    let mut packed = vec![[T::ZERO; W]; block.nrows()];
    for j in 0..block.ncols() {
        for (row, &value) in packed.iter_mut().zip(block.col(j).iter()) {
            row[j] = <T as num::Float>::from_f64(value);
        }
    }
    packed
}

fn right<T: Element, const W: usize>(
    table: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    mut product: MatMut<'_, f64>,
) {
    let packed = packed::<T, W>(block);
    let panels = parallel::map(table.chunks(ROW_PANEL * n), |panel| {
        let rows: Vec<&[T]> = panel.chunks(n).collect();
        super::dispatch_with(Dispatched(Right { rows: &rows, packed: &packed }))
    });
    for (row, sums) in panels.iter().flatten().enumerate() {
        for j in 0..product.ncols() {
            product[(row, j)] = sums[j];
        }
    }
}

/// The product Σ_j x_j v_j for each of some rows, which need not be contiguous in memory.
pub(super) struct Right<'a, T, const W: usize> {
    pub(super) rows: &'a [&'a [T]],
    pub(super) packed: &'a [[T; W]],
}

impl<T: Element, const W: usize> Product for Right<'_, T, W> {
    type Sums = Vec<[f64; W]>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Sums {
        let Self { rows: all, packed } = self;
        let (rows, n) = (all.len(), packed.len());
        let mut sums = vec![[0.0; W]; rows];
        for first in (0..n).step_by(DEPTH) {
            let depth = DEPTH.min(n - first);
            let columns = &packed[first..first + depth];
            for start in (0..rows).step_by(TOGETHER) {
                let part = |k: usize| &all[start + k][first..][..depth];
                if start + TOGETHER <= rows {
                    let rows: [&[T]; TOGETHER] = std::array::from_fn(part);
                    let dots = dots::<T, W, TOGETHER, FUSED>(&rows, columns);
                    (0..TOGETHER).for_each(|k| add(&mut sums[start + k], &dots[k]));
                } else {
                    for k in 0..rows - start {
                        let dots = dots::<T, W, 1, FUSED>(&[part(k)], columns);
                        add(&mut sums[start + k], &dots[0]);
                    }
                }
            }
        }
        sums
    }
}

/// Computes Σ_j x_j v_j for several rows at once.
#[inline(always)]
fn dots<T: Element, const W: usize, const R: usize, const FUSED: bool>(
    rows: &[&[T]; R],
    columns: &[[T; W]],
) -> [[T; W]; R] {
    let depth = columns.len();
    let rows: [&[T]; R] = std::array::from_fn(|k| &rows[k][..depth]);
    let mut sums = [[T::ZERO; W]; R];
    for j in 0..depth {
        let v = columns[j];
        for k in 0..R {
            let x = rows[k][j];
            for lane in 0..W {
                sums[k][lane] = num::Float::fused::<FUSED>(x, v[lane], sums[k][lane]);
            }
        }
    }
    sums
}

/// Adds a row of partial sums to sums in `f64`.
#[inline(always)]
pub(super) fn add<T: Element, const W: usize>(sum: &mut [f64; W], part: &[T; W]) {
    for lane in 0..W {
        sum[lane] += num::Float::to_f64(part[lane]);
    }
}

fn left<T: Element, const W: usize>(
    table: &[T],
    n: usize,
    block: MatRef<'_, f64>,
    factor: f64,
    mut target: MatMut<'_, f64>,
) {
    let packed = packed::<T, W>(block);
    let panels = super::block::row_panels(target.as_mut(), COLUMN_PANEL);
    parallel::for_each(panels, |(panel, mut rows)| {
        let (first, width) = (panel * COLUMN_PANEL, rows.nrows());
        let job = Left { table, n, packed: &packed, first, width };
        for (i, sums) in super::dispatch_with(Dispatched(job)).iter().enumerate() {
            for j in 0..rows.ncols() {
                rows[(i, j)] += factor * sums[j];
            }
        }
    });
}

struct Left<'a, T, const W: usize> {
    table: &'a [T],
    n: usize,
    packed: &'a [[T; W]],
    first: usize,
    width: usize,
}

impl<T: Element, const W: usize> Product for Left<'_, T, W> {
    type Sums = Vec<[f64; W]>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Sums {
        let Self { table, n, packed, first, width } = self;
        let mut sums = vec![[0.0; W]; width];
        let mut parts = vec![[T::ZERO; W]; width];
        for flush in (0..packed.len()).step_by(FLUSH) {
            let end = (flush + FLUSH).min(packed.len());
            parts.fill([T::ZERO; W]);
            let row = |at: usize| &table[at * n + first..][..width];
            let mut start = flush;
            while start < end {
                if start + TOGETHER <= end {
                    let rows: [&[T]; TOGETHER] = std::array::from_fn(|k| row(start + k));
                    let factors: [[T; W]; TOGETHER] = std::array::from_fn(|k| packed[start + k]);
                    spread::<T, W, TOGETHER, FUSED>(&rows, &factors, &mut parts);
                    start += TOGETHER;
                } else {
                    spread::<T, W, 1, FUSED>(&[row(start)], &[packed[start]], &mut parts);
                    start += 1;
                }
            }
            sums.iter_mut().zip(&parts).for_each(|(sum, part)| add(sum, part));
        }
        sums
    }
}

/// Computes p_j += Σ_k x_kj y_k for several rows at once.
#[inline(always)]
fn spread<T: Element, const W: usize, const R: usize, const FUSED: bool>(
    rows: &[&[T]; R],
    factors: &[[T; W]; R],
    targets: &mut [[T; W]],
) {
    let width = targets.len();
    let rows: [&[T]; R] = std::array::from_fn(|k| &rows[k][..width]);
    for j in 0..width {
        let mut target = targets[j];
        for k in 0..R {
            let x = rows[k][j];
            for lane in 0..W {
                target[lane] = num::Float::fused::<FUSED>(x, factors[k][lane], target[lane]);
            }
        }
        targets[j] = target;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(rows: usize, n: usize) -> Vec<f64> {
        (0..rows * n).map(|at| ((at * 31 + at / 7) % 113) as f64 / 56.0 - 1.0).collect()
    }

    #[test]
    fn both_products_agree_with_the_definition_at_awkward_sizes() {
        for (rows, n) in [(1, 1), (7, 3), (8, 1024), (65, 1025), (300, 2049), (9, 4100)] {
            let table = example(rows, n);
            let single: Vec<f32> = table.iter().map(|&value| value as f32).collect();
            for width in [1, 8, 9, 17] {
                let v = Mat::from_fn(n, width, |i, j| ((i * 5 + j * 3) % 17) as f64 / 8.0 - 1.0);
                let y = Mat::from_fn(rows, width, |i, j| ((i * 3 + j * 7) % 13) as f64 / 6.0 - 1.0);
                let right = Mat::from_fn(rows, width, |i, j| {
                    (0..n).map(|k| table[i * n + k] * v[(k, j)]).sum::<f64>()
                });
                let left = Mat::from_fn(n, width, |i, j| {
                    0.5 * (0..rows).map(|k| table[k * n + i] * y[(k, j)]).sum::<f64>() + 1.0
                });
                // Round-off grows with the square root of the number of terms.
                let scale = ((rows + n) as f64).sqrt() * 10.0;
                let found = table_times(&table, n, v.as_ref());
                assert!((&found - &right).norm_max() < 1e-14 * scale, "{rows} {n} {width}");
                let found = table_times(&single, n, v.as_ref());
                assert!((&found - &right).norm_max() < 1e-6 * scale, "{rows} {n} {width}");
                let mut found = Mat::full(n, width, 1.0);
                add_table_transpose_times(&table, n, y.as_ref(), 0.5, found.as_mut());
                assert!((&found - &left).norm_max() < 1e-14 * scale, "{rows} {n} {width}");
                let mut found = Mat::full(n, width, 1.0);
                add_table_transpose_times(&single, n, y.as_ref(), 0.5, found.as_mut());
                assert!((&found - &left).norm_max() < 1e-6 * scale, "{rows} {n} {width}");
            }
        }
    }

    #[test]
    fn bits_of_a_column_do_not_depend_on_other_columns() {
        let (rows, n) = (130, 2500);
        let table: Vec<f32> = example(rows, n).iter().map(|&value| value as f32 * 1.1).collect();
        let v = Mat::from_fn(n, 24, |i, j| ((i * 31 + j * 17) % 97) as f64 / 9.7 - 5.0);
        let wide = table_times(&table, n, v.as_ref());
        let mut back = Mat::zeros(n, 24);
        add_table_transpose_times(&table, n, wide.as_ref(), 0.3, back.as_mut());
        for j in [0, 7, 15, 16, 23] {
            let alone = table_times(&table, n, v.subcols(j, 1));
            assert_eq!(wide.col(j).to_owned(), alone.col(0).to_owned());
            let mut alone = Mat::zeros(n, 1);
            add_table_transpose_times(&table, n, wide.subcols(j, 1), 0.3, alone.as_mut());
            assert_eq!(back.col(j).to_owned(), alone.col(0).to_owned());
        }
    }
}
