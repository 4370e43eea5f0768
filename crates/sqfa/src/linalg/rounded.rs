//! Products of tall blocks in single precision, accumulated in `f64` over panels.
//!
//! They are used if products of the class covariances are rounded to single precision anyway: what is computed from
//! these products then loses nothing more. Small matrices remain in `f64`. The time is half of that in double
//! precision, plus one conversion per entry.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::block::row_panels;
use crate::parallel;

/// Number of rows whose products are summed in single precision before they are added in `f64`.
const DEPTH: usize = 1024;
/// Number of rows of a tall product that one task computes.
const PANEL: usize = 256;

fn rounded(block: MatRef<'_, f64>) -> Mat<f32> {
    Mat::from_fn(block.nrows(), block.ncols(), |i, j| block[(i, j)] as f32)
}

/// Returns XᵀY for two tall blocks. If the product is `symmetric`, only half of it is computed and mirrored.
pub(crate) fn rounded_transpose_times(
    x: MatRef<'_, f64>,
    y: MatRef<'_, f64>,
    symmetric: bool,
) -> Mat<f64> {
    let mut sum = Mat::<f64>::zeros(x.ncols(), y.ncols());
    let mut part = Mat::<f32>::zeros(x.ncols(), y.ncols());
    for first in (0..x.nrows()).step_by(DEPTH) {
        let depth = DEPTH.min(x.nrows() - first);
        let (left, right) = (rounded(x.subrows(first, depth)), rounded(y.subrows(first, depth)));
        let (left, right) = (left.transpose(), right.as_ref());
        if symmetric {
            triangular_matmul(
                part.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Replace,
                left,
                BlockStructure::Rectangular,
                right,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        } else {
            matmul(part.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
        }
        for j in 0..part.ncols() {
            let from = if symmetric { j } else { 0 };
            for i in from..part.nrows() {
                sum[(i, j)] += f64::from(part[(i, j)]);
            }
        }
    }
    if symmetric {
        for j in 0..sum.ncols() {
            for i in 0..j {
                sum[(i, j)] = sum[(j, i)];
            }
        }
    }
    sum
}

/// Adds Σ left_k · right_k to a tall block. Panels of rows run in parallel; within a panel, the terms are added in
/// order of k.
pub(crate) fn add_rounded_products(
    target: MatMut<'_, f64>,
    terms: &[(MatRef<'_, f64>, MatRef<'_, f64>)],
) {
    let factors: Vec<Mat<f32>> = terms.iter().map(|(_, right)| rounded(*right)).collect();
    parallel::for_each(row_panels(target, PANEL), |(panel, mut rows)| {
        let height = rows.nrows();
        let mut sum = Mat::<f32>::zeros(height, rows.ncols());
        for ((left, _), right) in terms.iter().zip(&factors) {
            let left = rounded(left.subrows(panel * PANEL, height));
            matmul(sum.as_mut(), Accum::Add, left.as_ref(), right.as_ref(), 1.0, Par::Seq);
        }
        for j in 0..rows.ncols() {
            for i in 0..height {
                rows[(i, j)] += f64::from(sum[(i, j)]);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::{add_products, random, transpose_times};
    use super::*;

    #[test]
    fn agrees_with_double_precision_up_to_rounding() {
        // The sizes span more than one panel and depth and are multiples of neither.
        let (n, m) = (2500, 70);
        let (x, y) = (random(n, m, 1, 0), random(n, m, 1, 1));
        let close = |a: &Mat<f64>, b: &Mat<f64>, scale: f64| {
            for j in 0..a.ncols() {
                for i in 0..a.nrows() {
                    let error = (a[(i, j)] - b[(i, j)]).abs();
                    assert!(error < 1e-6 * scale, "{i} {j}: {error:e}");
                }
            }
        };
        let exact = transpose_times(x.as_ref(), y.as_ref());
        close(&rounded_transpose_times(x.as_ref(), y.as_ref(), false), &exact, n as f64);
        let square = transpose_times(x.as_ref(), x.as_ref());
        close(&rounded_transpose_times(x.as_ref(), x.as_ref(), true), &square, n as f64);
        let (mut sum, mut expected) = (y.clone(), y.clone());
        let terms = [(x.as_ref(), exact.as_ref()), (y.as_ref(), square.as_ref())];
        add_products(expected.as_mut(), &terms);
        add_rounded_products(sum.as_mut(), &terms);
        close(&sum, &expected, n as f64 * m as f64);
    }
}
