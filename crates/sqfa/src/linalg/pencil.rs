//! The symmetric generalized eigenproblem A v = λ B v with B positive definite.
//!
//! With B = LLᵀ and L⁻¹AL⁻ᵀ = UΛUᵀ, the eigenvectors are V = L⁻ᵀU, so that VᵀBV = I. The cost is a Cholesky
//! factorization, two triangular solves and an eigenproblem of order n. If only a few of many eigenvalues are
//! requested, products of L⁻¹AL⁻ᵀ and thin blocks replace the dense eigenproblem.

use super::factor::{solve_transposed, symmetric_eigen, whitened};
use super::leading::{RESIDUAL, Times, leading_or_dense};
use super::solver::CholeskySolver;
use super::{Mat, MatRef, Real};

/// Smallest squared pivot, relative to the largest diagonal entry of B, for which B counts as having full rank.
const RANK: f64 = 1e-13;

/// Eigenvalues in descending order and their eigenvectors, one per column.
#[derive(Debug, Clone)]
pub(crate) struct Pencil {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
}

/// Error for a B that does not have full rank, or for numbers that are not finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Deficient {
    /// The smallest squared pivot in the Cholesky factorization of B.
    pub(crate) pivot: f64,
    /// The largest diagonal entry of B.
    pub(crate) largest: f64,
}

/// Solves A v = λ B v for the `count` largest eigenvalues.
///
/// Both matrices are row-major, and only their lower triangles are read. The largest entry of each eigenvector in
/// absolute value is positive, which fixes the sign.
///
/// # Errors
///
/// Returns [`Deficient`] if B does not have full rank or a number is not finite.
pub(crate) fn pencil(
    a: &[f64],
    b: &[f64],
    order: usize,
    count: usize,
) -> Result<Pencil, Deficient> {
    let largest = (0..order).fold(0.0_f64, |largest, i| largest.max(b[i * order + i]));
    let mut lower = b.to_vec();
    f64::cholesky(&mut lower, order);
    // A failed factorization leaves NaN, which `f64::min` would ignore, so NaN is replaced by 0.
    let pivot = (0..order)
        .map(|i| lower[i * order + i].powi(2))
        .fold(f64::INFINITY, |least, pivot| if pivot.is_nan() { 0.0 } else { least.min(pivot) });
    let deficient = Deficient { pivot, largest };
    if pivot <= RANK * largest {
        return Err(deficient);
    }
    let whitened = whitened(a, &lower, order);
    if !whitened.norm_max().is_finite() {
        return Err(deficient);
    }
    let (values, rotation) = symmetric_eigen(whitened.as_ref()).ok_or(deficient)?;
    let mut vectors = Mat::from_fn(order, count, |i, j| rotation[(i, order - 1 - j)]);
    solve_transposed(&lower, vectors.as_mut(), order);
    let vectors = with_positive_tops(vectors);
    Ok(Pencil { values: values.into_iter().rev().take(count).collect(), vectors })
}

/// Solves A v = λ B v for the `count` largest eigenvalues, where A is available only through products and `fill` writes
/// a row of B up to the diagonal. Returns `None` if B does not have full rank.
pub(crate) fn leading_pencil(
    a: &Times<'_>,
    fill: impl Fn(usize, &mut [f64]) + Sync,
    order: usize,
    count: usize,
) -> Option<Pencil> {
    let factor = CholeskySolver::new(order, fill)?;
    if factor.smallest_pivot() <= RANK * factor.largest() {
        return None;
    }
    let times =
        |block: MatRef<'_, f64>| factor.forward(a(factor.backward(block).as_ref()).as_ref());
    let (values, mut vectors) = leading_or_dense(&times, order, count, RESIDUAL)?;
    // Columns are solved one by one, so that the bits of a vector do not depend on the other columns of the block.
    for j in 0..count {
        let solved = factor.backward(vectors.as_ref().subcols(j, 1));
        vectors.as_mut().subcols_mut(j, 1).copy_from(solved);
    }
    Some(Pencil { values, vectors: with_positive_tops(vectors) })
}

/// Flips the sign of each column whose largest entry in absolute value is negative.
fn with_positive_tops(mut vectors: Mat<f64>) -> Mat<f64> {
    for j in 0..vectors.ncols() {
        let column = vectors.col(j);
        let top = column.iter().fold(0.0_f64, |top, &x| if x.abs() > top.abs() { x } else { top });
        if top < 0.0 {
            vectors.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
        }
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::super::MatRef;
    use super::*;

    /// Tolerance for condition numbers below 100 at orders up to 60, which amounts to some hundred roundings.
    const ROUNDING: f64 = 1e-11;

    fn symmetric(order: usize, seed: usize, ridge: f64) -> Vec<f64> {
        (0..order * order)
            .map(|at| {
                let (i, j) = (at / order, at % order);
                let wave = (((i + 1) * (j + 1) + seed) as f64).sin() / order as f64;
                wave + if i == j { ridge } else { 0.0 }
            })
            .collect()
    }

    #[test]
    fn eigenvectors_solve_the_problem_and_are_b_orthonormal() {
        for order in [1, 2, 7, 60] {
            let (a, b) = (symmetric(order, 3, 0.0), symmetric(order, 8, 2.0));
            let found = pencil(&a, &b, order, order).unwrap();
            assert!(found.values.windows(2).all(|pair| pair[0] >= pair[1]));
            let (a, b) = [&a, &b].map(|x| MatRef::from_row_major_slice(x, order, order)).into();
            let (left, right): (Mat<f64>, Mat<f64>) = (a * &found.vectors, b * &found.vectors);
            for j in 0..order {
                for i in 0..order {
                    let gap = left[(i, j)] - found.values[j] * right[(i, j)];
                    assert!(gap.abs() < ROUNDING, "order {order}: {gap:e}");
                }
            }
            let gram = found.vectors.transpose() * &right;
            assert!((gram - Mat::<f64>::identity(order, order)).norm_max() < ROUNDING);
        }
    }

    /// A has rank 3 plus a multiple of the identity, and only a few vectors are requested. They must equal those of the
    /// dense problem both when the Krylov method finds them (order 400) and when it does not (the other orders).
    #[test]
    fn leading_eigenvectors_agree_with_the_dense_problem() {
        for order in [1, 7, 60, 400] {
            let b = symmetric(order, 8, 2.0);
            let rank = 3.min(order);
            let factor = Mat::from_fn(order, rank, |i, j| ((i * (j + 2) + 5 * j) as f64).sin());
            let times =
                |block: MatRef<'_, f64>| &factor * (factor.transpose() * block) + 0.3 * block;
            let ridge = Mat::<f64>::identity(order, order);
            let a = times(ridge.as_ref());
            let a: Vec<f64> = (0..order * order).map(|at| a[(at / order, at % order)]).collect();
            let fill = |i: usize, row: &mut [f64]| row.copy_from_slice(&b[i * order..][..=i]);
            let dense = pencil(&a, &b, order, rank).unwrap();
            let found = leading_pencil(&times, fill, order, rank).unwrap();
            for j in 0..rank {
                let gap = found.values[j] - dense.values[j];
                assert!(gap.abs() < ROUNDING * dense.values[0], "order {order}: {gap:e}");
            }
            assert!((found.vectors - dense.vectors).norm_max() < ROUNDING * 10.0, "order {order}");
        }
        let flat = |_: usize, row: &mut [f64]| row.fill(1.0);
        assert!(leading_pencil(&|block| block.to_owned(), flat, 3, 1).is_none());
    }

    #[test]
    fn a_singular_denominator_is_rejected() {
        let ones = vec![1.0; 9];
        let refusal = pencil(&symmetric(3, 1, 1.0), &ones, 3, 3).unwrap_err();
        assert!(refusal.pivot <= RANK && refusal.largest == 1.0);
        assert!(pencil(&ones, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, f64::NAN], 3, 3).is_err());
    }
}
