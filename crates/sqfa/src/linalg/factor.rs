//! The backend's factorisations of larger matrices, single-threaded so that their bits never depend on threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

/// Up to this order our own kernels are faster (eight at a time) or as fast (one at a time).
pub(crate) const SMALL_ORDER: usize = 48;

fn view(values: &[f64], order: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(&values[..order * order], order, order)
}

fn view_mut(values: &mut [f64], order: usize) -> MatMut<'_, f64> {
    MatMut::from_row_major_slice_mut(&mut values[..order * order], order, order)
}

pub(super) fn cholesky(matrix: &mut [f64], order: usize) {
    match view(matrix, order).llt(Side::Lower) {
        Ok(factor) => {
            let lower = factor.L();
            for i in 0..order {
                for j in 0..order {
                    matrix[i * order + j] = if j <= i { lower[(i, j)] } else { 0.0 };
                }
            }
        }
        Err(_) => matrix[..order * order].fill(f64::NAN),
    }
}

pub(super) fn invert_lower(lower: &[f64], inverse: &mut [f64], order: usize) {
    faer::linalg::triangular_inverse::invert_lower_triangular(
        view_mut(inverse, order),
        view(lower, order),
        Par::Seq,
    );
    for i in 0..order {
        inverse[i * order + i + 1..(i + 1) * order].fill(0.0);
    }
}

pub(super) fn multiply(
    left: &[f64],
    left_transposed: bool,
    right: &[f64],
    right_transposed: bool,
    product: &mut [f64],
    order: usize,
) {
    let turned = |values, transposed| {
        let matrix = view(values, order);
        if transposed { matrix.transpose() } else { matrix }
    };
    matmul(
        view_mut(product, order),
        Accum::Replace,
        turned(left, left_transposed),
        turned(right, right_transposed),
        1.0,
        Par::Seq,
    );
}

pub(super) fn eigen(matrix: &mut [f64], vectors: &mut [f64], order: usize) {
    let finite = matrix[..order * order].iter().all(|value| value.is_finite());
    let decomposition = if finite { symmetric_eigen(view(matrix, order)) } else { None };
    match decomposition {
        Some((values, columns)) => {
            for i in 0..order {
                matrix[i * order + i] = values[i];
                for j in 0..order {
                    vectors[i * order + j] = columns[(i, j)];
                }
            }
        }
        None => {
            matrix[..order * order].fill(f64::NAN);
            vectors[..order * order].fill(f64::NAN);
        }
    }
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix; `None` when the iteration fails.
pub(crate) fn symmetric_eigen(matrix: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
    let order = matrix.nrows();
    let mut values = faer::Mat::<f64>::zeros(order, 1);
    let mut vectors = Mat::zeros(order, order);
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(
        order,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    ));
    self_adjoint_evd(
        matrix,
        values.col_mut(0).as_diagonal_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .ok()?;
    Some((values.col(0).iter().copied().collect(), vectors))
}

/// Whether a row-major symmetric matrix has a Cholesky factor once `shift` is added to its diagonal.
pub(crate) fn is_positive_semidefinite<T: super::Element>(
    entries: &[T],
    order: usize,
    shift: f64,
) -> bool {
    let shifted = Mat::from_fn(order, order, |i, j| {
        super::Float::to_f64(entries[i * order + j]) + if i == j { shift } else { 0.0 }
    });
    shifted.llt(Side::Lower).is_ok()
}
