//! Operations on tall blocks (matrices of n rows and a few columns). Each sums its terms in a fixed order.

use faer::linalg::matmul::matmul;
use faer::{Accum, ColMut, Mat, MatMut, MatRef, Par};
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::parallel;

/// Number of rows of a tall product that one parallel task computes.
const PANEL: usize = 256;

/// Returns XᵀY for two tall blocks with the same number of rows.
pub(crate) fn transpose_times(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(x.ncols(), y.ncols());
    matmul(product.as_mut(), Accum::Replace, x.transpose(), y, 1.0, Par::Seq);
    product
}

/// Splits the rows of a block into panels of `height` rows (the last may be shorter) and numbers them.
pub(super) fn row_panels<T>(
    block: MatMut<'_, T>,
    height: usize,
) -> impl Iterator<Item = (usize, MatMut<'_, T>)> {
    let mut rest = Some(block);
    std::iter::from_fn(move || {
        let block = rest.take().filter(|block| block.nrows() > 0)?;
        let height = height.min(block.nrows());
        let (panel, below) = block.split_at_row_mut(height);
        rest = Some(below);
        Some(panel)
    })
    .enumerate()
}

/// Adds Σ left_k · right_k to a tall block. Panels of rows run in parallel; within a panel, the terms are added in
/// order of k.
pub(crate) fn add_products(target: MatMut<'_, f64>, terms: &[(MatRef<'_, f64>, MatRef<'_, f64>)]) {
    let mut target = target;
    let add = |(panel, mut rows): (usize, MatMut<'_, f64>)| {
        let height = rows.nrows();
        for (left, right) in terms {
            let left = left.subrows(panel * PANEL, height);
            matmul(rows.as_mut(), Accum::Add, left, right, 1.0, Par::Seq);
        }
    };
    if target.nrows() <= PANEL {
        add((0, target));
    } else {
        parallel::for_each(row_panels(target.as_mut(), PANEL), add);
    }
}

/// Returns X·Y for a tall block X and a small matrix Y.
pub(crate) fn tall_times(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(x.nrows(), y.ncols());
    add_products(product.as_mut(), &[(x, y)]);
    product
}

/// Number of entries from which the columns of a block are processed in parallel. Smaller blocks fit into the caches of
/// one core, and starting threads would take longer than the work.
const LARGE: usize = 1 << 16;

/// Computes target += factor · x, one column after the other, or columns in parallel if the block is large.
pub(crate) fn add_scaled(target: MatMut<'_, f64>, factor: f64, x: MatRef<'_, f64>) {
    let mut target = target;
    let add = |(j, mut own): (usize, ColMut<'_, f64>)| {
        let column = x.col(j);
        match (column.try_as_col_major(), own.as_mut().try_as_col_major_mut()) {
            (Some(column), Some(own)) => {
                for (target, value) in own.as_slice_mut().iter_mut().zip(column.as_slice()) {
                    *target += factor * value;
                }
            }
            _ => {
                for (target, value) in own.iter_mut().zip(column.iter()) {
                    *target += factor * value;
                }
            }
        }
    };
    if x.nrows() * x.ncols() < LARGE {
        target.as_mut().col_iter_mut().enumerate().for_each(add);
    } else {
        parallel::for_each(target.as_mut().col_iter_mut().enumerate(), add);
    }
}

/// Returns the sum of the products of all corresponding entries. The columns of large blocks are processed in parallel;
/// their sums are always added in order, so the bits do not depend on the number of threads.
pub(crate) fn inner(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> f64 {
    if x.nrows() * x.ncols() < LARGE {
        return (0..x.ncols()).map(|j| column_inner(x, y, j)).sum();
    }
    parallel::map(0..x.ncols(), |j| column_inner(x, y, j)).iter().sum()
}

/// Returns the inner product of column j of two blocks, computed in eight interleaved partial sums.
pub(crate) fn column_inner(x: MatRef<'_, f64>, y: MatRef<'_, f64>, j: usize) -> f64 {
    let (x, y) = (x.col(j), y.col(j));
    match (x.try_as_col_major(), y.try_as_col_major()) {
        (Some(x), Some(y)) => slice_inner(x.as_slice(), y.as_slice()),
        _ => x.iter().zip(y.iter()).map(|(x, y)| x * y).sum(),
    }
}

/// Returns the inner product of two slices. Eight interleaved partial sums let the compiler use vector instructions
/// without changing the order of additions.
fn slice_inner(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (x_parts, y_parts) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = x_parts.remainder().iter().zip(y_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in x_parts.zip(y_parts) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Concatenates blocks horizontally.
pub(crate) fn beside(blocks: &[MatRef<'_, f64>]) -> Mat<f64> {
    let rows = blocks.first().map_or(0, |block| block.nrows());
    let mut joined = Mat::zeros(rows, blocks.iter().map(|block| block.ncols()).sum());
    let mut column = 0;
    for block in blocks {
        joined.as_mut().subcols_mut(column, block.ncols()).copy_from(block);
        column += block.ncols();
    }
    joined
}

/// Draws independent standard normal numbers. Each pair (seed, stream) has its own sequence, which does not depend on
/// what else is drawn.
pub(crate) fn random(n: usize, columns: usize, seed: u64, stream: u64) -> Mat<f64> {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    let mut block = Mat::zeros(n, columns);
    for j in 0..columns {
        for value in block.as_mut().col_mut(j).iter_mut() {
            *value = StandardNormal.sample(&mut generator);
        }
    }
    block
}

/// Computes target = block · filters, where `block` holds samples as rows. `block` and `target` are row-major.
pub(crate) fn rows_times<T: super::Element>(
    block: &[T],
    rows: usize,
    filters: MatRef<'_, T>,
    target: &mut [T],
) {
    let (n, m) = (filters.nrows(), filters.ncols());
    matmul(
        MatMut::from_row_major_slice_mut(target, rows, m),
        Accum::Replace,
        MatRef::from_row_major_slice(&block[..rows * n], rows, n),
        filters,
        <T as super::Float>::from_f64(1.0),
        Par::Seq,
    );
}

/// Computes target = blockᵀ · weights, where row i of `weights` belongs to row i of `block`. All are row-major.
pub(crate) fn rows_transposed_times<T: super::Element>(
    block: &[T],
    weights: &[T],
    rows: usize,
    columns: usize,
    target: &mut [T],
) {
    let n = target.len() / columns;
    matmul(
        MatMut::from_row_major_slice_mut(target, n, columns),
        Accum::Replace,
        MatRef::from_row_major_slice(&block[..rows * n], rows, n).transpose(),
        MatRef::from_row_major_slice(&weights[..rows * columns], rows, columns),
        <T as super::Float>::from_f64(1.0),
        Par::Seq,
    );
}

/// Computes target = left · rightᵀ for two row-major blocks of samples with the same number of columns.
pub(crate) fn rows_times_rows<T: super::Element>(
    left: &[T],
    height: usize,
    right: &[T],
    width: usize,
    columns: usize,
    target: &mut [T],
) {
    matmul(
        MatMut::from_row_major_slice_mut(&mut target[..height * width], height, width),
        Accum::Replace,
        MatRef::from_row_major_slice(&left[..height * columns], height, columns),
        MatRef::from_row_major_slice(&right[..width * columns], width, columns).transpose(),
        <T as super::Float>::from_f64(1.0),
        Par::Seq,
    );
}

/// Computes target += factor · left · right for row-major matrices: left is height × depth, right is depth × columns.
pub(crate) fn add_rows_product<T: super::Element>(
    left: &[T],
    height: usize,
    right: &[T],
    depth: usize,
    columns: usize,
    factor: f64,
    target: &mut [T],
) {
    matmul(
        MatMut::from_row_major_slice_mut(&mut target[..height * columns], height, columns),
        Accum::Add,
        MatRef::from_row_major_slice(&left[..height * depth], height, depth),
        MatRef::from_row_major_slice(&right[..depth * columns], depth, columns),
        <T as super::Float>::from_f64(factor),
        Par::Seq,
    );
}

/// Computes target += leftᵀ · right for row-major matrices: left is depth × height, right is depth × width.
pub(crate) fn add_inner_products<T: super::Element>(
    left: &[T],
    right: &[T],
    (depth, height, width): (usize, usize, usize),
    target: &mut [T],
) {
    matmul(
        MatMut::from_row_major_slice_mut(&mut target[..height * width], height, width),
        Accum::Add,
        MatRef::from_row_major_slice(&left[..depth * height], depth, height).transpose(),
        MatRef::from_row_major_slice(&right[..depth * width], depth, width),
        <T as super::Float>::from_f64(1.0),
        Par::Seq,
    );
}

/// Computes sum += leftᵀ · right, accumulated in `f64`, for row-major blocks of at most a few hundred rows.
pub(crate) fn add_rows_inner<T: super::Element>(
    left: &[T],
    right: &[T],
    rows: usize,
    columns: usize,
    sum: &mut [f64],
) {
    let mut product = vec![<T as super::Float>::ZERO; columns * columns];
    add_inner_products(left, right, (rows, columns, columns), &mut product);
    sum.iter_mut().zip(product).for_each(|(sum, value)| *sum += super::Float::to_f64(value));
}

/// Computes sum += factor · Xᵀ diag(weights) X for a row-major X, accumulated in `f64` block by block.
pub(crate) fn add_weighted_scatter<T: super::Element>(
    rows: &[T],
    weights: &[T],
    columns: usize,
    factor: f64,
    sum: &mut [f64],
) {
    let blocks = rows.chunks(PANEL * columns).zip(weights.chunks(PANEL));
    let parts = parallel::map(blocks, |(block, weights)| {
        let mut weighted = Vec::with_capacity(block.len());
        for (row, &weight) in block.chunks(columns).zip(weights) {
            weighted.extend(row.iter().map(|&value| value * weight));
        }
        let mut part = vec![0.0; columns * columns];
        add_rows_inner(block, &weighted, weights.len(), columns, &mut part);
        part
    });
    for part in parts {
        sum.iter_mut().zip(part).for_each(|(sum, value)| *sum += factor * value);
    }
}
