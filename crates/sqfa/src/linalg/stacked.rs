//! Several row-major tables of the same columns as one tall matrix A: the Gram matrix AAᵀ and combinations WᵀA.
//!
//! Nothing is copied; work is cut by columns (Gram) or by rows of the result (combination), which depend on the tables
//! alone: the same bits at any thread count. Cost: v²n flops for the Gram matrix of v rows, 2vkn for k combinations.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use crate::parallel;

/// Columns of the tables that one task of a Gram matrix looks at.
const WIDTH: usize = 8192;
/// Rows of the result that one task of a combination owns.
const HEIGHT: usize = 16;

/// The Gram matrix of all rows, one table after the other; lower triangle.
pub(crate) fn stacked_gram(tables: &[&[f64]], n: usize) -> Mat<f64> {
    let order = tables.iter().map(|table| table.len() / n).sum();
    let panels = parallel::map((0..n).step_by(WIDTH), |first| {
        let width = WIDTH.min(n - first);
        let mut gram = Mat::zeros(order, order);
        let mut row = 0;
        for (i, table) in tables.iter().enumerate() {
            let left = view(table, n).subcols(first, width);
            let mut column = 0;
            for other in &tables[..i] {
                let right = view(other, n).subcols(first, width);
                let (height, depth) = (left.nrows(), right.nrows());
                let target = gram.as_mut().submatrix_mut(row, column, height, depth);
                matmul(target, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
                column += depth;
            }
            let target = gram.as_mut().submatrix_mut(row, row, left.nrows(), left.nrows());
            triangular::matmul(
                target,
                triangular::BlockStructure::TriangularLower,
                Accum::Replace,
                left,
                triangular::BlockStructure::Rectangular,
                left.transpose(),
                triangular::BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
            row += left.nrows();
        }
        gram
    });
    let mut sum = Mat::zeros(order, order);
    for panel in panels {
        sum += panel;
    }
    sum
}

/// One row for every column of `weights`, whose rows stand for those of the tables; row-major.
pub(crate) fn stacked_combinations(
    weights: MatRef<'_, f64>,
    tables: &[&[f64]],
    n: usize,
) -> Vec<f64> {
    let mut rows = vec![0.0; weights.ncols() * n];
    parallel::for_each(rows.chunks_mut(HEIGHT * n).enumerate(), |(task, rows)| {
        let height = rows.len() / n;
        let mut target = MatMut::from_row_major_slice_mut(rows, height, n);
        let mut first = 0;
        for table in tables {
            let table = view(table, n);
            let own = weights.submatrix(first, task * HEIGHT, table.nrows(), height);
            matmul(target.as_mut(), Accum::Add, own.transpose(), table, 1.0, Par::Seq);
            first += table.nrows();
        }
    });
    rows
}

fn view(table: &[f64], n: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(table, table.len() / n, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_below_one_another() {
        let n = WIDTH + 3;
        let value = |i: usize| ((i * 37 + i / 7) % 19) as f64 - 9.0;
        let (first, second): (Vec<f64>, Vec<f64>) =
            ((0..2 * n).map(value).collect(), (0..n).map(|i| value(5 * i + 1)).collect());
        let row = |i: usize| if i < 2 { &first[i * n..][..n] } else { &second[..] };
        let tables: [&[f64]; 3] = [&first, &[], &second];
        let gram = stacked_gram(&tables, n);
        for i in 0..3 {
            for j in 0..=i {
                // Whole numbers: every sum is exact.
                let expected: f64 = row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
                assert_eq!(gram[(i, j)], expected, "({i}, {j})");
            }
        }
        let weights = Mat::from_fn(3, HEIGHT + 1, |i, j| (i as f64 - 1.0) * (j as f64 + 1.0));
        let combined = stacked_combinations(weights.as_ref(), &tables, n);
        for j in 0..=HEIGHT {
            for column in [0, 1, n - 1] {
                let expected: f64 = (0..3).map(|i| weights[(i, j)] * row(i)[column]).sum();
                assert_eq!(combined[j * n + column], expected);
            }
        }
    }
}
