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
        let height = rows.len() / n;
        // Row-major like the sum, so that adding it reads and writes whole rows.
        let mut product = MatMut::from_row_major_slice_mut(part, height, n);
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
        for (i, row) in rows.chunks_mut(n).enumerate() {
            for (target, &value) in row[..=first + i].iter_mut().zip(&part[i * n..]) {
                *target += Float::to_f64(value);
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
