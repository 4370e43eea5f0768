//! Orthonormal bases of tall blocks, and projections onto their orthogonal complements.

use faer::{Mat, MatMut, MatRef};

use super::block::{
    add_products, add_scaled, column_inner, inner, random, tall_times, transpose_times,
};
use super::factor::symmetric_eigen;

/// Smallest length that a unit column must keep after projection for it to count as an independent direction.
pub(crate) const INDEPENDENT: f64 = 1e-6;

/// Projects a block onto the orthogonal complement of orthonormal columns: X − U(UᵀX).
pub(crate) fn take_out(block: MatMut<'_, f64>, basis: MatRef<'_, f64>) {
    let mut overlap = transpose_times(basis, block.as_ref());
    for j in 0..overlap.ncols() {
        overlap.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
    }
    add_products(block, &[(basis, overlap.as_ref())]);
}

/// Orthonormalizes the columns of a tall block by two rounds of Gram–Schmidt, or returns `None` if they are dependent.
pub(crate) fn orthonormalize(block: MatRef<'_, f64>) -> Option<Mat<f64>> {
    let mut result = block.to_owned();
    for j in 0..result.ncols() {
        let before = column_inner(result.as_ref(), result.as_ref(), j).sqrt();
        for _ in 0..2 {
            for k in 0..j {
                let (left, mut right) = result.as_mut().split_at_col_mut(j);
                let own = right.as_mut().subcols_mut(0, 1);
                let other = left.as_ref().subcols(k, 1);
                let overlap = inner(other, own.as_ref());
                add_scaled(own, -overlap, other);
            }
        }
        let norm = column_inner(result.as_ref(), result.as_ref(), j).sqrt();
        if norm.is_nan() || norm <= 1e-10 * before {
            return None;
        }
        result.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= norm);
    }
    Some(result)
}

/// Returns an orthonormal basis with as many columns as the block. Columns that depend on earlier ones are replaced by
/// random directions.
pub(crate) fn completed_basis(block: MatRef<'_, f64>, seed: u64) -> Mat<f64> {
    completed(block.to_owned(), seed)
}

/// Orthonormalizes the columns of a block in place. Columns that depend on earlier ones are replaced by random
/// directions, which are drawn from the seed.
pub(crate) fn completed(mut basis: Mat<f64>, seed: u64) -> Mat<f64> {
    let rows = basis.nrows();
    let mut fresh = 0;
    let mut j = 0;
    while j < basis.ncols() {
        let (left, mut right) = basis.as_mut().split_at_col_mut(j);
        let mut own = right.as_mut().subcols_mut(0, 1);
        let before = inner(own.as_ref(), own.as_ref()).sqrt();
        for _ in 0..2 {
            let overlap = transpose_times(left.as_ref(), own.as_ref());
            for k in 0..j {
                add_scaled(own.as_mut(), -overlap[(k, 0)], left.as_ref().subcols(k, 1));
            }
        }
        let norm = inner(own.as_ref(), own.as_ref()).sqrt();
        if norm.is_nan() || norm <= 1e-10 * before {
            fresh += 1;
            own.copy_from(random(rows, 1, seed, u64::MAX - 2 - fresh));
            continue;
        }
        own.as_mut().col_mut(0).iter_mut().for_each(|value| *value /= norm);
        j += 1;
    }
    basis
}

/// Returns an orthonormal basis of the span of a block, with columns in no particular order, or `None` if the span is
/// empty.
///
/// It solves two eigenproblems of the Gram matrix, which is faster than Gram–Schmidt for wide blocks.
pub(crate) fn orthonormal_span(mut block: Mat<f64>) -> Option<Mat<f64>> {
    for j in 0..block.ncols() {
        let length = column_inner(block.as_ref(), block.as_ref(), j).sqrt();
        if length > 0.0 {
            block.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= length);
        }
    }
    // The basis of nearly dependent columns is orthonormal only roughly after one round, so a second round follows.
    for _ in 0..2 {
        let gram = transpose_times(block.as_ref(), block.as_ref());
        let (values, vectors) = symmetric_eigen(gram.as_ref())?;
        let largest = values.iter().fold(0.0_f64, |most, &value| most.max(value));
        let kept: Vec<usize> = (0..values.len())
            .filter(|&j| values[j] > INDEPENDENT * INDEPENDENT * largest)
            .collect();
        let turn = Mat::from_fn(block.ncols(), kept.len(), |i, j| {
            vectors[(i, kept[j])] / values[kept[j]].sqrt()
        });
        block = tall_times(block.as_ref(), turn.as_ref());
    }
    (block.ncols() > 0).then_some(block)
}
