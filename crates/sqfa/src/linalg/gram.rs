//! Half of XᵀX: the lower triangle of a block's scatter, added to a running sum in f64.
//!
//! The block is in the data's own precision and short enough that its products lose nothing that
//! matters (for bytes, nothing at all); each panel of rows is one product of the backend, panels run
//! in parallel and own their rows of the sum, so the bits do not depend on threads.
//! Cost: K·n² flops for K points, and one read and write of the sum's triangle.

use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use super::symmetric::{Element, num::Float};

/// Rows of the sum that one task owns.
const PANEL: usize = 128;

/// Adds XᵀX + Σ weight·vvᵀ to the lower triangle of `sum`, where `block` holds the points row by row.
pub(crate) fn add_scatter<T: Element>(
    block: &[T],
    points: usize,
    n: usize,
    rank_ones: &[(f64, &[f64])],
    sum: &mut [f64],
) {
    let x = MatRef::from_row_major_slice(&block[..points * n], points, n);
    // The longest panels first, so that the last one to finish is short.
    sum.par_chunks_mut(PANEL * n).enumerate().rev().for_each(|(panel, rows)| {
        let first = panel * PANEL;
        let height = rows.len() / n;
        let width = first + height;
        let mut part = Mat::<T>::zeros(height, width);
        let own = x.subcols(first, height).transpose();
        let one = T::from_f64(1.0);
        matmul(
            part.as_mut().subcols_mut(0, first),
            Accum::Replace,
            own,
            x.subcols(0, first),
            one,
            Par::Seq,
        );
        triangular::matmul(
            part.as_mut().subcols_mut(first, height),
            triangular::BlockStructure::TriangularLower,
            Accum::Replace,
            own,
            triangular::BlockStructure::Rectangular,
            x.subcols(first, height),
            triangular::BlockStructure::Rectangular,
            one,
            Par::Seq,
        );
        for (i, row) in rows.chunks_mut(n).enumerate() {
            for (j, target) in row[..=first + i].iter_mut().enumerate() {
                *target += Float::to_f64(part[(i, j)]);
            }
            for &(weight, vector) in rank_ones {
                let factor = weight * vector[first + i];
                for (target, &other) in row[..=first + i].iter_mut().zip(vector) {
                    *target += factor * other;
                }
            }
        }
    });
}
