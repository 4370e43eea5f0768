//! Covariances known by the vectors that span them: Φ = weight·Σ vvᵀ + ridge·I.

use std::ops::Range;

use crate::linalg::{Mat, MatMut, MatRef, add_scatter};

/// Columns of the vectors that one step of a Gram matrix looks at.
const COLUMNS: usize = 512;

/// The centred samples, or whatever else spans a covariance.
pub trait Spanning: Sync {
    /// The number of vectors.
    fn vectors(&self) -> usize;
    /// What Σ vvᵀ is multiplied by.
    fn weight(&self) -> f64;
    /// What is added on the diagonal; `None` when that is no multiple of the identity.
    fn ridge(&self) -> Option<f64>;
    /// Writes entry `columns.start + j` of vector v to `block[j * stride + v]`.
    fn copy_columns(&self, columns: Range<usize>, block: &mut [f64], stride: usize);
    /// The inner products of every vector with every column of an n × m block.
    fn times(&self, block: MatRef<'_, f64>) -> Mat<f64>;
    /// Adds Σ_v v ⊗ weights\[v\] to an n × m block.
    fn add_combination(&self, weights: MatRef<'_, f64>, target: MatMut<'_, f64>);
}

/// The Gram matrix of all vectors of several forms followed by the columns of `more`: lower triangle,
/// row-major, in f64. Cost: n·v² flops for v vectors, 512·v numbers of working memory beside the result.
pub(in crate::statistics) fn gram(forms: &[&dyn Spanning], more: MatRef<'_, f64>) -> Vec<f64> {
    let n = more.nrows();
    let size = forms.iter().map(|form| form.vectors()).sum::<usize>() + more.ncols();
    let mut sum = vec![0.0; size * size];
    let mut scratch = vec![0.0; size * size];
    let mut block = vec![0.0; COLUMNS.min(n) * size];
    for first in (0..n).step_by(COLUMNS) {
        let columns = first..(first + COLUMNS).min(n);
        let height = columns.len();
        let mut offset = 0;
        for form in forms {
            form.copy_columns(columns.clone(), &mut block[offset..], size);
            offset += form.vectors();
        }
        for j in 0..height {
            for k in 0..more.ncols() {
                block[j * size + offset + k] = more[(first + j, k)];
            }
        }
        add_scatter(&block, height, size, &[], &mut scratch, &mut sum);
    }
    sum
}

/// Σ_v v ⊗ weights\[v\] over all vectors of several forms followed by the columns of `more`.
pub(in crate::statistics) fn combination(
    forms: &[&dyn Spanning],
    more: MatRef<'_, f64>,
    weights: MatRef<'_, f64>,
) -> Mat<f64> {
    let mut target = Mat::zeros(more.nrows(), weights.ncols());
    let mut offset = 0;
    for form in forms {
        let rows = weights.subrows(offset, form.vectors());
        form.add_combination(rows, target.as_mut());
        offset += form.vectors();
    }
    let rows = weights.subrows(offset, more.ncols());
    crate::linalg::add_products(target.as_mut(), &[(more, rows)]);
    target
}
