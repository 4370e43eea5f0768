//! Half of XᵀX: the lower triangle of a block's scatter, added to a running sum in f64.
//!
//! The block is in the data's own precision and short enough that its products lose nothing that
//! matters (for bytes, nothing at all); each panel of rows is one product of the backend, panels run
//! in parallel and own their rows of the sum, so the bits do not depend on threads.
//! Cost: K·n² flops for K points, and one read and write of the sum's triangle.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, MatMut, MatRef, Par};

use super::symmetric::{Element, num::Float};
use crate::parallel;

/// Rows of the sum that one task owns: many, because every task packs the points before its product. Classes run in
/// parallel, too, so that few cores never wait for the last task.
const PANEL: usize = 512;

/// Adds XᵀX + Σ weight·vvᵀ to the lower triangle of `sum`, where `block` holds the points row by row.
///
/// `scratch` has room for n² numbers; keep it from block to block, because fresh memory costs more than the sum.
pub(crate) fn add_scatter<T: Element>(
    block: &[T],
    points: usize,
    n: usize,
    rank_ones: &[(f64, &[f64])],
    scratch: &mut [T],
    sum: &mut [f64],
) {
    let x = MatRef::from_row_major_slice(&block[..points * n], points, n);
    // The longest panels first, so that the last one to finish is short.
    let panels = sum.chunks_mut(PANEL * n).zip(scratch.chunks_mut(PANEL * n)).enumerate();
    parallel::for_each(panels.rev(), |(panel, (rows, part))| {
        let first = panel * PANEL;
        multiply_panel(x, first, part, rows.len() / n);
        for (i, row) in rows.chunks_mut(n).enumerate() {
            for (target, &value) in row[..=first + i].iter_mut().zip(&part[i * n..]) {
                *target += Float::to_f64(value);
            }
            add_rank_ones(row, first + i, rank_ones);
        }
    });
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
    let scratch = &mut scratch[..width * width];
    if width > 0 {
        let panels = scratch.chunks_mut(PANEL * width).enumerate();
        parallel::for_each(panels.rev(), |(panel, part)| {
            let height = part.len() / width;
            multiply_panel(x, panel * PANEL, part, height);
        });
    }
    let product = &*scratch;
    parallel::rows(sum, n, |i, row| {
        if let Ok(at) = columns.binary_search(&i) {
            for (&column, &value) in columns[..=at].iter().zip(&product[at * width..]) {
                row[column] += Float::to_f64(value);
            }
        }
        add_rank_ones(row, i, rank_ones);
    });
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

/// Adds a row of Σ weight·vvᵀ up to its diagonal.
fn add_rank_ones(row: &mut [f64], i: usize, rank_ones: &[(f64, &[f64])]) {
    for &(weight, vector) in rank_ones {
        let factor = weight * vector[i];
        for (target, &other) in row[..=i].iter_mut().zip(vector) {
            *target += factor * other;
        }
    }
}

#[cfg(test)]
mod tests {
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
        let mut scratch = vec![0.0; n * n];
        let [mut whole, mut parts] = [vec![1.0; n * n], vec![1.0; n * n]];
        add_scatter(&block, points, n, &[(0.5, &shift)], &mut scratch, &mut whole);
        add_scatter_of(&some, points, &columns, n, &[(0.5, &shift)], &mut scratch, &mut parts);
        for i in 0..n {
            for j in 0..=i {
                let direct: f64 = (0..points).map(|row| entry(row, i) * entry(row, j)).sum();
                let direct = 1.0 + direct + 0.5 * shift[i] * shift[j];
                assert!((whole[i * n + j] - direct).abs() < 1e-10 * (1.0 + direct.abs()));
                assert!((parts[i * n + j] - direct).abs() < 1e-10 * (1.0 + direct.abs()));
            }
        }
    }
}
