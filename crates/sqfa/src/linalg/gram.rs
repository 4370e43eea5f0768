//! Half of XᵀX: the lower triangle of a block's scatter, added to a running sum in f64.
//!
//! The block is in the data's own precision and short enough that its products lose nothing that
//! matters (for bytes, nothing at all); each panel of rows is one product of the backend, panels run
//! in parallel and own their rows of the sum, so the bits do not depend on threads.
//! Cost: K·n² flops for K points, and one read and write of the sum's triangle.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};

use super::dispatch;
use super::symmetric::{Element, num::Float};
use super::triangle::{lower_panels, lower_rows_in, row_of_panel};
use crate::parallel;

/// Rows of the sum that one task owns: many, because every task packs the points before its product, and half as many where
/// they would take megabytes. Classes run in parallel, too, so that few cores never wait for the last task.
fn panel<T>(n: usize) -> usize {
    const BYTES: usize = 2 << 20;
    if 512 * n * size_of::<T>() <= BYTES { 512 } else { 256 }
}

/// Numbers that [`add_scatter`] works in: a panel for every thread, however many panels there are.
///
/// Keep them from block to block, because fresh memory costs more than the sum.
pub(crate) fn scratch_room<T>(n: usize) -> usize {
    let panel = panel::<T>(n);
    if n <= panel { n * n } else { n * panel * n.div_ceil(panel).min(parallel::threads()) }
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
    let x = MatRef::from_row_major_slice(&block[..points * n], points, n);
    let height = panel::<T>(n);
    let at_once = (scratch.len() / (height * n)).max(1);
    let packed = sum.len() != n * n;
    // The longest panels first, so that the last one to finish is short.
    let mut panels = lower_panels(sum, n, 0..n, |_| height);
    panels.reverse();
    for some in panels.chunks_mut(at_once) {
        let parts = scratch.chunks_mut(height * n);
        parallel::for_each(some.iter_mut().zip(parts), |((first, panel), part)| {
            let (first, height) = (*first, height.min(n - *first));
            multiply_panel(x, first, &mut part[..height * n], height);
            dispatch(
                #[inline(always)]
                || {
                    for i in 0..height {
                        let row = row_of_panel((first, &mut **panel), packed, n, first + i);
                        add_row(row, &part[i * n..]);
                        add_rank_ones(row, first + i, rank_ones);
                    }
                },
            );
        });
    }
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
    let width = columns.len();
    let block = &block[..points * n];
    let x = MatRef::from_row_major_slice_with_stride(block, points, width, n);
    let runs = runs_of(columns);
    let panel = panel::<T>(n);
    let at_once = panel * (scratch.len() / (panel * n)).max(1);
    let mut done = 0;
    for first in (0..width.max(1)).step_by(at_once) {
        let height = at_once.min(width - first);
        if height > 0 {
            let panels = scratch[..height * width].chunks_mut(panel * width).enumerate();
            parallel::for_each(panels.rev(), |(at, part)| {
                multiply_panel(x, first + at * panel, part, part.len() / width);
            });
        }
        let product = &*scratch;
        // Rows of the sum up to the next column of X that varies, so that every row is met once.
        let end = columns.get(first + height).copied().unwrap_or(n);
        lower_rows_in(sum, n, done..end, |i, row| {
            let own = columns.binary_search(&i).ok();
            dispatch(
                #[inline(always)]
                || {
                    if let Some(at) = own {
                        let product = &product[(at - first) * width..][..=at];
                        for &(column, start, length) in runs.iter().take_while(|run| run.1 <= at) {
                            let length = length.min(at + 1 - start);
                            add_row(&mut row[column..][..length], &product[start..]);
                        }
                    }
                    add_rank_ones(row, i, rank_ones);
                },
            );
        });
        done = end;
    }
}

/// Some rows of the lower triangle of XᵀX, row-major like the sum, so that adding them reads and writes whole rows.
fn multiply_panel<T: Element>(x: MatRef<'_, T>, first: usize, part: &mut [T], height: usize) {
    let mut product = MatMut::from_row_major_slice_mut(part, height, x.ncols());
    let own = x.subcols(first, height).transpose();
    let one = T::from_f64(1.0);
    matmul(
        product.as_mut().subcols_mut(0, first),
        Accum::Replace,
        own,
        x.subcols(0, first),
        one,
        Par::Seq,
    );
    triangular::matmul(
        product.as_mut().subcols_mut(first, height),
        triangular::BlockStructure::TriangularLower,
        Accum::Replace,
        own,
        triangular::BlockStructure::Rectangular,
        x.subcols(first, height),
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

/// Adds a row of Σ weight·vvᵀ up to its diagonal.
#[inline(always)]
fn add_rank_ones(row: &mut [f64], i: usize, rank_ones: &[(f64, &[f64])]) {
    for &(weight, vector) in rank_ones {
        let factor = weight * vector[i];
        for (target, &other) in row.iter_mut().zip(vector) {
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
        let (points, n) = (40, 1100);
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
        // One panel at a time, two, and all five.
        for panels in [1, 2, 5] {
            let mut scratch = vec![0.0; panels * panel::<f64>(n) * n];
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
