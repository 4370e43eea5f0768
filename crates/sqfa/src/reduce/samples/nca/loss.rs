//! The expected fraction of neighbors of another class and its gradient, computed block by block.
//!
//! Let w_ij = p_ij(p_i − [same class]), whose rows sum to 0. In z-space, Σ_i p_i has the gradient
//! −2(WZ)_i + 2(s_jz_j − (WᵀZ)_j), where s are the column sums of W, and XᵀZ̄ transforms it to the
//! filters.

use super::super::gathered::Gathered;
use crate::linalg::{
    Mat, MatRef, add_inner_products, add_rows_product, dispatch, exponential, rows_times,
    rows_times_rows, transpose_times,
};
use crate::parallel;

/// Number of parts of the samples that accumulate gradients separately. It is fixed, so that the
/// bits do not depend on the number of threads.
const PARTS: usize = 32;
/// Number of samples whose neighbors are weighted together.
const BLOCK: usize = 32;

/// The contribution of one part to Σp_i and to its gradient in z-space.
struct Share {
    kept: f64,
    slope: Vec<f64>,
}

/// Returns the loss of filters (p × m) and its gradient.
pub(super) fn evaluate(samples: &Gathered, filters: MatRef<'_, f64>) -> (f64, Mat<f64>) {
    let (rows, p, m) = (samples.rows(), samples.columns, filters.ncols());
    let mut projected = vec![0.0; rows * m];
    rows_times(&samples.values, rows, filters, &mut projected);
    let squares: Vec<f64> = projected.chunks(m).map(|z| z.iter().map(|x| x * x).sum()).collect();
    let length = rows.div_ceil(PARTS);
    let shares: Vec<Share> = parallel::map(0..rows.div_ceil(length), |part| {
        let end = ((part + 1) * length).min(rows);
        share(samples, &projected, &squares, m, part * length..end)
    });
    let mut kept = 0.0;
    let mut slope = vec![0.0; rows * m];
    for share in shares {
        kept += share.kept;
        slope.iter_mut().zip(share.slope).for_each(|(sum, value)| *sum += value);
    }
    let count = rows as f64;
    slope.iter_mut().for_each(|value| *value *= -2.0 / count);
    let x = MatRef::from_row_major_slice(&samples.values, rows, p);
    let gradient = transpose_times(x, MatRef::from_row_major_slice(&slope, rows, m));
    (1.0 - kept / count, gradient)
}

/// Returns the contribution of some samples to Σp_i, and half of its gradient.
fn share(
    samples: &Gathered,
    projected: &[f64],
    squares: &[f64],
    m: usize,
    own: std::ops::Range<usize>,
) -> Share {
    let rows = squares.len();
    let mut share = Share { kept: 0.0, slope: vec![0.0; rows * m] };
    let mut weights = vec![0.0; BLOCK * rows];
    let mut sums = vec![0.0; rows];
    for start in own.clone().step_by(BLOCK) {
        let height = BLOCK.min(own.end - start);
        let block = &projected[start * m..][..height * m];
        let weights = &mut weights[..height * rows];
        rows_times_rows(block, height, projected, rows, m, weights);
        for (row, weights) in (start..).zip(weights.chunks_mut(rows)) {
            let class = samples.classes.partition_point(|(_, rows)| rows.end <= row);
            let same = samples.classes[class].1.clone();
            share.kept += weigh(weights, squares, row, same);
            sums.iter_mut().zip(&*weights).for_each(|(sum, weight)| *sum += weight);
        }
        let target = &mut share.slope[start * m..][..height * m];
        add_rows_product(weights, height, projected, rows, m, -1.0, target);
        let mut mixed = vec![0.0; rows * m];
        add_inner_products(weights, block, (height, rows, m), &mut mixed);
        share.slope.iter_mut().zip(mixed).for_each(|(slope, value)| *slope -= value);
    }
    for ((slope, z), sum) in share.slope.chunks_mut(m).zip(projected.chunks(m)).zip(&sums) {
        slope.iter_mut().zip(z).for_each(|(slope, z)| *slope += sum * z);
    }
    share
}

/// Replaces the products z_i·z_j of a sample by the weights w_ij and returns p_i.
fn weigh(products: &mut [f64], squares: &[f64], row: usize, same: std::ops::Range<usize>) -> f64 {
    // |z_i − z_j|² without |z_i|², which is the same for all j.
    products.iter_mut().zip(squares).for_each(|(value, square)| *value = square - 2.0 * *value);
    products[row] = f64::INFINITY;
    let nearest = products.iter().fold(f64::INFINITY, |least, &value| least.min(value));
    dispatch(
        #[inline(always)]
        || products.iter_mut().for_each(|value| *value = exponential(nearest - *value)),
    );
    let all: f64 = products.iter().sum();
    let kept = products[same.clone()].iter().sum::<f64>() / all;
    let apart = kept / all;
    products[..same.start].iter_mut().for_each(|value| *value *= apart);
    products[same.end..].iter_mut().for_each(|value| *value *= apart);
    let together = (kept - 1.0) / all;
    products[same].iter_mut().for_each(|value| *value *= together);
    kept
}
