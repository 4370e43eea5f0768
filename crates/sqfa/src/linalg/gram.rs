//! Half of XᵀX: the lower triangle of a block's scatter, added to a running sum in f64.
//!
//! The block is in the data's own precision and short enough that its products lose nothing that
//! matters (for bytes, nothing at all); panels of rows are multiplied tile by tile, each one product of the backend, run
//! in parallel and own their rows of the sum, so the bits do not depend on threads.
//! Cost: K·n² flops for K points, one read and write of the sum's triangle, and a tile of at most 2 MB a thread.

use std::ops::Range;

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};

use super::dispatch;
use super::symmetric::{Element, num::Float};
use super::triangle::{lower_panels, row_of_panel};
use crate::parallel;

/// Rows of the sum that one task owns: many, because every task packs the points before its product, and half as many where
/// they would take megabytes. Classes run in parallel, too, so that few cores never wait for the last task.
fn height<T>(n: usize) -> usize {
    const BYTES: usize = 2 << 20;
    if 512 * n * size_of::<T>() <= BYTES { 512 } else { 256 }
}

/// Columns of a task's rows that are multiplied at a time.
const COLUMNS: usize = 512;

/// The numbers of a tile: what one task multiplies at a time.
fn tile<T>(n: usize) -> usize {
    height::<T>(n).min(n) * COLUMNS.min(n)
}

/// Numbers that [`add_scatter`] works in: a tile for every thread, however many there are.
///
/// Keep them from block to block, because fresh memory costs more than the sum.
pub(crate) fn scratch_room<T>(n: usize) -> usize {
    tile::<T>(n) * n.div_ceil(height::<T>(n)).min(parallel::threads())
}

/// Adds XᵀX + Σ weight·vvᵀ to the lower triangle of `sum`, where `block` holds the points row by row.
///
/// `scratch` has [`scratch_room`].
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

/// The same where all but some columns of X are zero: `columns`, ascending, says which are not, and every row of `block` has these
/// at its front.
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
    // A task owns the rows from one column that varies up to another: where it begins, and how many of these it meets.
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
    // The longest panels first, so that the last one to finish is short.
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

/// The columns that some rows are multiplied with, [`COLUMNS`] at a time; last those of the rows themselves.
fn tiles_of(own: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let (start, end) = (own.start, own.end);
    let left = (0..start).step_by(COLUMNS).map(move |at| at..(at + COLUMNS).min(start));
    left.chain(std::iter::once(start..end).filter(|own| !own.is_empty()))
}

/// A tile of XᵀX, row-major like the sum, so that adding it reads and writes whole rows; on the diagonal its lower triangle.
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

/// Columns that stand side by side: the first of them, its place in the list, and how many they are.
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

/// Adds a part of row i of Σ weight·vvᵀ, from some column on.
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
    fn columns_of_zeros_may_be_left_out() {
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
        // One panel at a time, two, and five.
        for panels in [1, 2, 5] {
            let mut scratch = vec![0.0; panels * tile::<f64>(n)];
            // The sum is a full matrix once, a packed triangle once.
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
