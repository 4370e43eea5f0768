//! Rows from several places as one tall matrix A, processed a few columns at a time: the Gram matrix AAᵀ, and
//! combinations WᵀA that replace the first rows.
//!
//! Work is divided by columns, and the division depends on the sizes alone, so the bits are the same at any number of
//! threads. The Gram matrix of v rows costs v²n flops, and k combinations cost 2vkn flops. Each thread needs working
//! memory for a few thousand columns.

use std::ops::Range;

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::parallel;

/// Number of columns that one task processes.
const WIDTH: usize = 2048;

/// Further rows of the stacked matrix: their number, and a function that writes a range of columns of all of them,
/// row-major.
pub(crate) struct Below<'a> {
    pub(crate) rows: usize,
    pub(crate) write: &'a (dyn Fn(Range<usize>, &mut [f64]) + Sync),
}

/// Returns the lower triangle of the Gram matrix of rows with n columns, followed by the rows of `below`.
pub(crate) fn stacked_gram(rows: &[f64], n: usize, below: &Below<'_>) -> Mat<f64> {
    let held = rows.len() / n;
    let order = held + below.rows;
    let panels = parallel::map((0..n).step_by(WIDTH), |first| {
        let columns = first..(first + WIDTH).min(n);
        let own = rows.chunks_exact(n).map(|row| &row[columns.clone()]);
        let table = stacked(own, held, columns.clone(), below);
        let table = MatRef::from_row_major_slice(&table, order, columns.len());
        let mut gram = Mat::zeros(order, order);
        triangular::matmul(
            gram.as_mut(),
            triangular::BlockStructure::TriangularLower,
            Accum::Replace,
            table,
            triangular::BlockStructure::Rectangular,
            table.transpose(),
            triangular::BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        gram
    });
    let mut sum = Mat::zeros(order, order);
    for panel in panels {
        sum += panel;
    }
    sum
}

/// Replaces the rows by one linear combination per column of `weights`. The rows of `weights` correspond to the own
/// rows followed by those of `below`.
pub(crate) fn combine(rows: &mut Vec<f64>, n: usize, below: &Below<'_>, weights: MatRef<'_, f64>) {
    let (held, kept) = (rows.len() / n, weights.ncols());
    if kept > held {
        rows.reserve_exact((kept - held) * n);
        rows.resize(kept * n, 0.0);
    }
    let mut panels: Vec<Vec<&mut [f64]>> = (0..n).step_by(WIDTH).map(|_| Vec::new()).collect();
    for row in rows.chunks_exact_mut(n) {
        panels.iter_mut().zip(row.chunks_mut(WIDTH)).for_each(|(panel, part)| panel.push(part));
    }
    parallel::for_each(panels.into_iter().enumerate(), |(panel, parts)| {
        let columns = panel * WIDTH..(panel * WIDTH + WIDTH).min(n);
        let own = parts.iter().take(held).map(|part| &part[..]);
        let table = stacked(own, held, columns.clone(), below);
        let table = MatRef::from_row_major_slice(&table, weights.nrows(), columns.len());
        let mut combined = vec![0.0; kept * columns.len()];
        let target = MatMut::from_row_major_slice_mut(&mut combined, kept, columns.len());
        matmul(target, Accum::Replace, weights.transpose(), table, 1.0, Par::Seq);
        for (part, values) in parts.into_iter().zip(combined.chunks_exact(columns.len())) {
            part.copy_from_slice(values);
        }
    });
    rows.truncate(kept * n);
}

/// Copies some columns of the `held` own rows and of the rows below into one row-major block.
fn stacked<'a>(
    own: impl Iterator<Item = &'a [f64]>,
    held: usize,
    columns: Range<usize>,
    below: &Below<'_>,
) -> Vec<f64> {
    let width = columns.len();
    let mut table = vec![0.0; (held + below.rows) * width];
    let (above, rest) = table.split_at_mut(held * width);
    above.chunks_exact_mut(width).zip(own).for_each(|(row, own)| row.copy_from_slice(own));
    (below.write)(columns, rest);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gram_matrix_and_combinations_of_stacked_rows() {
        let n = WIDTH + 3;
        let value = |i: usize| ((i * 37 + i / 7) % 19) as f64 - 9.0;
        let (first, second): (Vec<f64>, Vec<f64>) =
            ((0..2 * n).map(value).collect(), (0..n).map(|i| value(5 * i + 1)).collect());
        let row = |i: usize| if i < 2 { &first[i * n..][..n] } else { &second[..] };
        let write = |columns: Range<usize>, target: &mut [f64]| {
            target.copy_from_slice(&second[columns]);
        };
        let below = Below { rows: 1, write: &write };
        let gram = stacked_gram(&first, n, &below);
        for i in 0..3 {
            for j in 0..=i {
                // The entries are integers, so every sum is exact.
                let expected: f64 = row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
                assert_eq!(gram[(i, j)], expected, "({i}, {j})");
            }
        }
        // The number of combinations is smaller than, equal to, and larger than the number of rows.
        for kept in [0, 1, 2, 5] {
            let weights = Mat::from_fn(3, kept, |i, j| (i as f64 - 1.0) * (j as f64 + 1.0));
            let mut combined = first.clone();
            combine(&mut combined, n, &below, weights.as_ref());
            assert_eq!(combined.len(), kept * n);
            for j in 0..kept {
                for column in [0, 1, n - 1] {
                    let expected: f64 = (0..3).map(|i| weights[(i, j)] * row(i)[column]).sum();
                    assert_eq!(combined[j * n + column], expected);
                }
            }
        }
    }
}
