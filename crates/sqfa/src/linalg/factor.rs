//! Factorizations of larger matrices by the matrix backend. They run on one thread, so that their bits never depend on
//! the number of threads. Matrices are row-major slices of order² entries.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Largest order for which our own kernels are used. Up to here they are faster for eight matrices at a time and as
/// fast for one.
pub(crate) const SMALL_ORDER: usize = 48;

fn view(values: &[f64], order: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(&values[..order * order], order, order)
}

fn view_mut(values: &mut [f64], order: usize) -> MatMut<'_, f64> {
    MatMut::from_row_major_slice_mut(&mut values[..order * order], order, order)
}

/// Replaces a positive definite matrix by its lower Cholesky factor; a failed factorization leaves NaN.
pub(super) fn cholesky(matrix: &mut [f64], order: usize) {
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
    let mut memory =
        MemBuffer::new(cholesky_in_place_scratch::<f64>(order, Par::Seq, Default::default()));
    let factored = cholesky_in_place(
        view_mut(matrix, order),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    );
    if factored.is_err() {
        matrix[..order * order].fill(f64::NAN);
        return;
    }
    for i in 0..order {
        matrix[i * order + i + 1..(i + 1) * order].fill(0.0);
    }
}

/// Writes the inverse of a lower triangular matrix to `inverse`.
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

/// Writes the product of two matrices, either of which may be transposed, to `product`.
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

/// Diagonalizes a symmetric matrix: writes the eigenvalues to its diagonal and the eigenvectors to the columns of
/// `vectors`.
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

/// Computes the lower triangle of leftᵀ·right for a symmetric product, at half the cost of [`multiply`].
fn multiply_lower(left: &[f64], right: &[f64], product: &mut [f64], order: usize) {
    triangular::matmul(
        view_mut(product, order),
        BlockStructure::TriangularLower,
        Accum::Replace,
        view(left, order).transpose(),
        BlockStructure::Rectangular,
        view(right, order),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Replaces the rows r of a factor by orthonormal eigenvectors of Σ r rᵀ and writes the eigenvalues to `values`.
pub(super) fn eigen_of_factor(rows: &mut [f64], values: &mut [f64], order: usize) {
    let mut matrix = vec![0.0; order * order];
    multiply_lower(rows, rows, &mut matrix, order);
    let mut vectors = vec![0.0; order * order];
    eigen(&mut matrix, &mut vectors, order);
    for j in 0..order {
        values[j] = matrix[j * order + j];
        for i in 0..order {
            rows[j * order + i] = vectors[i * order + j];
        }
    }
}

/// Computes Σ weight · r rᵀ over the rows r, symmetric to the last bit.
pub(super) fn weighted_squares(rows: &[f64], weights: &[f64], result: &mut [f64], order: usize) {
    let mut weighted = rows[..order * order].to_vec();
    for (row, &weight) in weighted.chunks_mut(order).zip(weights) {
        row.iter_mut().for_each(|value| *value *= weight);
    }
    multiply_lower(&weighted, rows, result, order);
    for i in 0..order {
        for j in 0..i {
            result[j * order + i] = result[i * order + j];
        }
    }
}

/// Largest order for which a dense eigenproblem is solved. Beyond it, the solution would take minutes and gigabytes.
pub(crate) const MAX_ORDER: usize = 8192;

/// Returns the eigenvalues, in ascending order, and the eigenvectors (as columns) of a symmetric matrix, or `None` if
/// the iteration does not converge.
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

/// Returns L⁻¹AL⁻ᵀ for a lower triangular L and a symmetric A, of which only the lower triangle is read. Both are
/// row-major.
pub(super) fn whitened(a: &[f64], lower: &[f64], order: usize) -> Mat<f64> {
    use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
    let lower = view(lower, order);
    let mut whitened = Mat::from_fn(order, order, |i, j| a[i.max(j) * order + i.min(j)]);
    solve_lower_triangular_in_place(lower, whitened.as_mut(), Par::Seq);
    solve_lower_triangular_in_place(lower, whitened.as_mut().transpose_mut(), Par::Seq);
    whitened
}

/// Replaces X by L⁻ᵀX for a lower triangular L.
pub(super) fn solve_transposed(lower: &[f64], x: MatMut<'_, f64>, order: usize) {
    use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
    solve_upper_triangular_in_place(view(lower, order).transpose(), x, Par::Seq);
}

/// Whether a row-major symmetric matrix has a Cholesky factor after `shift` is added to its diagonal.
pub(crate) fn is_positive_semidefinite<T: super::Element>(
    entries: &[T],
    order: usize,
    shift: f64,
) -> bool {
    let mut shifted: Vec<f64> = entries.iter().map(|&entry| super::Float::to_f64(entry)).collect();
    shifted.iter_mut().step_by(order + 1).for_each(|value| *value += shift);
    cholesky(&mut shifted, order);
    shifted.first().is_none_or(|value| !value.is_nan())
}

#[cfg(test)]
mod tests {
    use super::super::small;
    use super::*;

    /// Tolerance for entries near 1. The blocked and the plain loops add in different orders, so their last bits
    /// differ.
    const ROUNDING: f64 = 1e-12;
    const ORDER: usize = 70;

    fn wave(seed: usize) -> Vec<f64> {
        (0..ORDER * ORDER).map(|k| ((k * k + seed) as f64).sin()).collect()
    }

    fn positive() -> Vec<f64> {
        let mut matrix = vec![0.0; ORDER * ORDER];
        small::multiply(&wave(1), false, &wave(1), true, &mut matrix, ORDER);
        matrix.iter_mut().for_each(|value| *value /= ORDER as f64);
        matrix.iter_mut().step_by(ORDER + 1).for_each(|value| *value += 0.5);
        matrix
    }

    fn assert_near(x: &[f64], y: &[f64]) {
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= ROUNDING, "{x} is not {y}");
        }
    }

    #[test]
    fn agrees_with_the_plain_loops() {
        let (mut ours, mut theirs) = (positive(), positive());
        small::cholesky(&mut ours, ORDER);
        cholesky(&mut theirs, ORDER);
        assert_near(&theirs, &ours);
        let [mut ours_inverse, mut theirs_inverse] = [wave(2), wave(2)];
        small::invert_lower(&ours, &mut ours_inverse, ORDER);
        invert_lower(&theirs, &mut theirs_inverse, ORDER);
        assert_near(&theirs_inverse, &ours_inverse);
        for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
            let [mut ours, mut theirs] = [wave(3), wave(3)];
            small::multiply(&wave(4), left, &wave(5), right, &mut ours, ORDER);
            multiply(&wave(4), left, &wave(5), right, &mut theirs, ORDER);
            assert_near(&theirs, &ours);
        }
    }

    #[test]
    fn eigenvectors_are_orthogonal_and_reproduce_the_matrix() {
        let indefinite: Vec<f64> =
            (0..ORDER * ORDER).map(|at| ((at / ORDER * (at % ORDER)) as f64).sin()).collect();
        let repeated: Vec<f64> =
            (0..ORDER * ORDER).map(|at| 0.1 + f64::from(at / ORDER == at % ORDER)).collect();
        for matrix in [positive(), indefinite, repeated] {
            let (mut diagonal, mut vectors) = (matrix.clone(), vec![0.0; ORDER * ORDER]);
            eigen(&mut diagonal, &mut vectors, ORDER);
            let scaled: Vec<f64> = (0..ORDER * ORDER)
                .map(|at| vectors[at] * diagonal[at % ORDER * (ORDER + 1)])
                .collect();
            let (mut rebuilt, mut gram) = (wave(6), wave(6));
            small::multiply(&scaled, false, &vectors, true, &mut rebuilt, ORDER);
            small::multiply(&vectors, true, &vectors, false, &mut gram, ORDER);
            assert_near(&rebuilt, &matrix);
            let identity: Vec<f64> =
                (0..ORDER * ORDER).map(|at| f64::from(at / ORDER == at % ORDER)).collect();
            assert_near(&gram, &identity);
        }
    }

    #[test]
    fn failures_are_nan_and_never_panic() {
        let mut indefinite = positive();
        indefinite[ORDER + 1] = -1.0;
        cholesky(&mut indefinite, ORDER);
        assert!(indefinite.iter().all(|value| value.is_nan()));
        let mut broken = positive();
        broken[3] = f64::INFINITY;
        let mut vectors = vec![0.0; ORDER * ORDER];
        eigen(&mut broken, &mut vectors, ORDER);
        assert!(broken.iter().chain(&vectors).all(|value| value.is_nan()));
    }
}
