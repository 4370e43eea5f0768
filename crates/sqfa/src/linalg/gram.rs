//! The lower triangle of the scatter matrix XᵀX of a block of samples, added to a running sum in `f64`.
//!
//! The products are computed in the data's own precision. The caller keeps blocks short enough that this loses no
//! relevant digits; for bytes it is exact. Each task owns a panel of rows of the sum and computes it tile by tile with
//! the backend's product, so the bits do not depend on the number of threads. The cost for K samples of n columns is
//! K·n² flops, one read and write of the sum's triangle, and a tile of at most 2 MB per thread.

use std::ops::Range;

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};

use super::dispatch;
use super::symmetric::{Element, num::Float};
use super::triangle::{lower_panels, row_of_panel};
use crate::parallel;

/// Number of rows of the sum that one task owns.
///
/// Panels are high because every task packs the samples before its product. They are halved if the packed panel would
/// take megabytes. Classes run in parallel as well, so a few long tasks do not leave cores idle at the end.
fn height<T>(n: usize) -> usize {
    const BYTES: usize = 2 << 20;
    if 512 * n * size_of::<T>() <= BYTES { 512 } else { 256 }
}

/// Number of columns that are multiplied with a task's rows at a time.
const COLUMNS: usize = 512;

/// Number of entries in a tile, the part of a product that one task computes at a time.
fn tile<T>(n: usize) -> usize {
    height::<T>(n).min(n) * COLUMNS.min(n)
}

/// Returns the length of the scratch buffer of [`add_scatter`]: one tile per thread, but no more than there are tasks.
///
/// Reuse the buffer from block to block, because touching fresh memory takes longer than the sum itself.
pub(crate) fn scratch_room<T>(n: usize) -> usize {
    tile::<T>(n) * n.div_ceil(height::<T>(n)).min(parallel::threads())
}

/// Adds XᵀX + Σ weight·vvᵀ to the lower triangle of `sum`.
///
/// `block` holds X row-major, `points` × `n`. `scratch` has the length [`scratch_room`].
pub(crate) fn add_scatter<T: Element>(
    block: &[T],
    points: usize,
    n: usize,
    rank_ones: &[(f64, &[f64])],
    scratch: &mut [T],
    sum: &mut [f64],
) {
    let all: Vec<usize> = (0..n).collect();
    add_scatter_of(block, points, &all, n, rank_ones, scratch, sum);
}

/// Adds XᵀX + Σ weight·vvᵀ to the lower triangle of `sum` for an X that is zero outside some columns.
///
/// `columns` lists the nonzero columns in ascending order, and every row of `block` begins with their values.
pub(crate) fn add_scatter_of<T: Element>(
    block: &[T],
    points: usize,
    columns: &[usize],
    n: usize,
    rank_ones: &[(f64, &[f64])],
    scratch: &mut [T],
    sum: &mut [f64],
) {
    let (width, height, tile) = (columns.len(), height::<T>(n), tile::<T>(n));
    let block = &block[..points * n];
    let x = MatRef::from_row_major_slice_with_stride(block, points, width, n);
    let runs = runs_of(columns);
    let packed = sum.len() != n * n;
    // A task owns the rows of `sum` from one nonzero column up to another. `own` is the range of nonzero columns among
    // them.
    let mut next = 0;
    let mut own = Vec::new();
    let ends = |first: usize| {
        let met = columns.partition_point(|&column| column < first);
        columns.get(met + height).copied().unwrap_or(n) - first
    };
    for (first, panel) in lower_panels(sum, n, 0..n, ends) {
        let met = height.min(width - next);
        own.push((first, panel, next..next + met));
        next += met;
    }
    let at_once = (scratch.len() / tile).max(1);
    // The longest panels run first, so that no long task is left at the end.
    own.reverse();
    for some in own.chunks_mut(at_once) {
        let parts = scratch.chunks_mut(tile);
        parallel::for_each(some.iter_mut().zip(parts), |((first, panel, own), part)| {
            let last = if own.end < width { columns[own.end] } else { n };
            let mut varying = own.clone().map(|at| columns[at]).peekable();
            for row in (*first..last).filter(|_| !rank_ones.is_empty()) {
                if varying.next_if_eq(&row).is_none() {
                    let row_of_sum = row_of_panel((*first, &mut **panel), packed, n, row);
                    dispatch(
                        #[inline(always)]
                        || add_rank_ones(row_of_sum, 0, row, rank_ones),
                    );
                }
            }
            for left in tiles_of(own) {
                multiply_tile(x, own, &left, part);
                let from = if left.start == 0 { 0 } else { columns[left.start] };
                let first_run = runs.partition_point(|run| run.1 + run.2 <= left.start);
                dispatch(
                    #[inline(always)]
                    || {
                        for (at, values) in own.clone().zip(part.chunks(left.len())) {
                            let row = columns[at];
                            let end = if left.end < own.end { columns[left.end] } else { row + 1 };
                            let row_of_sum = row_of_panel((*first, &mut **panel), packed, n, row);
                            let target = &mut row_of_sum[from..end];
                            let seen = left.start..left.end.min(at + 1);
                            for &(column, start, length) in &runs[first_run..] {
                                let met = start.max(seen.start)..(start + length).min(seen.end);
                                if met.is_empty() {
                                    break;
                                }
                                let target = &mut target[column + (met.start - start) - from..];
                                add_row(target, &values[met.start - left.start..][..met.len()]);
                            }
                            add_rank_ones(target, from, row, rank_ones);
                        }
                    },
                );
            }
        });
    }
}

/// Returns the ranges of columns that the rows in `own` are multiplied with, [`COLUMNS`] at a time. The last range is
/// `own` itself, the square on the diagonal.
fn tiles_of(own: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let (start, end) = (own.start, own.end);
    let left = (0..start).step_by(COLUMNS).map(move |at| at..(at + COLUMNS).min(start));
    left.chain(std::iter::once(start..end).filter(|own| !own.is_empty()))
}

/// Computes a tile of XᵀX, row-major like the sum, so that adding it reads and writes whole rows. On the diagonal, only
/// the lower triangle of the tile is computed.
fn multiply_tile<T: Element>(
    x: MatRef<'_, T>,
    own: &Range<usize>,
    left: &Range<usize>,
    part: &mut [T],
) {
    let (height, width) = (own.len(), left.len());
    let product = MatMut::from_row_major_slice_mut(&mut part[..height * width], height, width);
    let rows = x.subcols(own.start, height).transpose();
    let columns = x.subcols(left.start, width);
    let one = T::from_f64(1.0);
    if left.end <= own.start {
        return matmul(product, Accum::Replace, rows, columns, one, Par::Seq);
    }
    triangular::matmul(
        product,
        triangular::BlockStructure::TriangularLower,
        Accum::Replace,
        rows,
        triangular::BlockStructure::Rectangular,
        columns,
        triangular::BlockStructure::Rectangular,
        one,
        Par::Seq,
    );
}

/// Finds runs of consecutive columns. Returns the first column of each run, its position in the list, and its length.
pub(crate) fn runs_of(columns: &[usize]) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for (at, &column) in columns.iter().enumerate() {
        match runs.last_mut() {
            Some((first, _, length)) if *first + *length == column => *length += 1,
            _ => runs.push((column, at, 1)),
        }
    }
    runs
}

#[inline(always)]
fn add_row<T: Element>(row: &mut [f64], values: &[T]) {
    for (target, &value) in row.iter_mut().zip(values) {
        *target += Float::to_f64(value);
    }
}

/// Adds the entries of row i of Σ weight·vvᵀ from column `from` on to `part`.
#[inline(always)]
fn add_rank_ones(part: &mut [f64], from: usize, i: usize, rank_ones: &[(f64, &[f64])]) {
    for &(weight, vector) in rank_ones {
        let factor = weight * vector[i];
        for (target, &other) in part.iter_mut().zip(&vector[from..]) {
            *target += factor * other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::triangle::{Lower, triangle};
    use super::*;

    #[test]
    fn leaving_out_zero_columns_does_not_change_the_scatter() {
        let (points, n) = (40, 1800);
        let varies = |column: usize| column % 3 != 1 && !(200..700).contains(&column);
        let entry = |row: usize, column: usize| match varies(column) {
            true => ((row * 31 + column * 17) % 97) as f64 / 9.7 - 5.0,
            false => 0.0,
        };
        let block: Vec<f64> = (0..points * n).map(|at| entry(at / n, at % n)).collect();
        let columns: Vec<usize> = (0..n).filter(|&column| varies(column)).collect();
        let mut some = vec![f64::NAN; points * n];
        for (row, values) in some.chunks_mut(n).enumerate() {
            values
                .iter_mut()
                .zip(&columns)
                .for_each(|(value, &column)| *value = entry(row, column));
        }
        let shift: Vec<f64> = (0..n).map(|i| (i % 7) as f64 - 3.0).collect();
        // Scratch for one panel at a time, for two, and for five.
        for panels in [1, 2, 5] {
            let mut scratch = vec![0.0; panels * tile::<f64>(n)];
            // The sum is stored once as a full matrix and once as a packed triangle.
            let [mut whole, mut parts] = [vec![1.0; n * n], vec![1.0; triangle(n)]];
            add_scatter(&block, points, n, &[(0.5, &shift)], &mut scratch, &mut whole);
            add_scatter_of(&some, points, &columns, n, &[(0.5, &shift)], &mut scratch, &mut parts);
            for i in 0..n {
                for j in 0..=i {
                    let direct: f64 = (0..points).map(|row| entry(row, i) * entry(row, j)).sum();
                    let direct = 1.0 + direct + 0.5 * shift[i] * shift[j];
                    assert!((whole[i * n + j] - direct).abs() < 1e-10 * (1.0 + direct.abs()));
                    let part = Lower::new(&parts, n).row(i)[j];
                    assert!((part - direct).abs() < 1e-10 * (1.0 + direct.abs()));
                }
            }
        }
    }
}
