//! Covariances that are specified by vectors that span them: Φ = weight·Σ vvᵀ + ridge·I.

use std::ops::Range;

use super::sparse_gram::{self, SparseVectors};
use crate::linalg::{Mat, MatMut, MatRef, add_scatter, scratch_room};

/// Number of columns of the vectors that one step of a Gram matrix processes.
const COLUMNS: usize = 512;

/// Vectors that span a covariance, such as the centered samples of a class.
pub trait Spanning: Sync {
    /// Returns the number of vectors.
    fn vectors(&self) -> usize;
    /// Returns the factor of Σ vvᵀ.
    fn weight(&self) -> f64;
    /// Returns the multiple of the identity that is added, or `None` if the added diagonal is not such a multiple.
    fn ridge(&self) -> Option<f64>;
    /// Writes entry `columns.start + j` of vector v to `block[j * stride + v]`.
    fn copy_columns(&self, columns: Range<usize>, block: &mut [f64], stride: usize);
    /// Returns the inner products of all vectors (rows) with the columns of an n × m block.
    fn times(&self, block: MatRef<'_, f64>) -> Mat<f64>;
    /// Adds Σ_v v ⊗ weights\[v\], where weights\[v\] is row v of `weights`, to an n × m block.
    fn add_combination(&self, weights: MatRef<'_, f64>, target: MatMut<'_, f64>);
    /// Returns access to the nonzero entries, if the vectors are sparse apart from a common vector that is subtracted
    /// from all.
    fn sparse(&self) -> Option<&dyn SparseVectors> {
        None
    }
}

/// Returns the lower triangle of the Gram matrix of all vectors of several forms, followed by the columns of `more`,
/// row-major in `f64`.
///
/// For v vectors it costs n·v² flops and working memory for 512·v numbers, or less if the vectors are sparse.
pub(in crate::statistics) fn gram(forms: &[&dyn Spanning], more: MatRef<'_, f64>) -> Vec<f64> {
    sparse_gram::gram(forms, more).unwrap_or_else(|| dense_gram(forms, more))
}

fn dense_gram(forms: &[&dyn Spanning], more: MatRef<'_, f64>) -> Vec<f64> {
    let n = more.nrows();
    let size = forms.iter().map(|form| form.vectors()).sum::<usize>() + more.ncols();
    let mut sum = vec![0.0; size * size];
    let mut scratch = vec![0.0; scratch_room::<f64>(size)];
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

/// Returns Σ_v v ⊗ weights\[v\] over all vectors of several forms, followed by the columns of `more`.
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

#[cfg(test)]
mod tests {
    use super::super::{Csr, SparseFactor};
    use super::*;
    use crate::linalg::random;

    #[test]
    fn sparse_vectors_have_the_gram_matrix_of_dense_ones() {
        // Three entries per row in 400 columns, some of them repeated, and a mean that is not small compared with the
        // entries.
        let (columns, rows) = (400, 60);
        let indices =
            (0..3 * rows as u32).map(|at| (at * at * 31 + at / 2 * 7) % columns).collect();
        let values = (0..3 * rows).map(|at| 1.0 + (at as f64).sin()).collect();
        let starts = (0..=rows).map(|row| 3 * row).collect();
        let table = Csr::<f64>::new(columns as usize, starts, indices, values).unwrap();
        let forms: Vec<SparseFactor<f64>> = [0..13, 13..20, 20..60]
            .map(|own| SparseFactor::new(&table, &own.collect::<Vec<_>>()).unwrap())
            .into();
        let forms: Vec<&dyn Spanning> = forms.iter().map(|form| form as &dyn Spanning).collect();
        for more in [0, 4] {
            let more = random(columns as usize, more, 7, 0);
            let sparse = sparse_gram::gram(&forms, more.as_ref()).expect("so few entries pay");
            let dense = dense_gram(&forms, more.as_ref());
            let size = rows + more.ncols();
            for i in 0..size {
                for j in 0..=i {
                    let gap = sparse[i * size + j] - dense[i * size + j];
                    assert!(gap.abs() < 1e-12, "({i}, {j}): {gap:e}");
                }
            }
        }
    }

    #[test]
    fn sparse_vectors_with_many_entries_use_the_dense_algorithm() {
        let values = (0..40).map(|at| (at as f64).cos()).collect();
        let starts = vec![0, 10, 20, 30, 40];
        let indices = (0..40).map(|at| at % 10).collect();
        let table = Csr::<f64>::new(10, starts, indices, values).unwrap();
        let form = SparseFactor::new(&table, &[0, 1, 2, 3]).unwrap();
        assert!(sparse_gram::gram(&[&form], Mat::zeros(10, 0).as_ref()).is_none());
    }
}
