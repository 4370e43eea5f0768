//! The symmetric generalised eigenproblem A v = λ B v with B positive definite.
//!
//! B = LLᵀ, L⁻¹AL⁻ᵀ = UΛUᵀ, V = L⁻ᵀU, so that VᵀBV = I. Cost: a Cholesky factorisation, two triangular solves and an
//! eigenproblem of order n.

use super::factor::{solve_transposed, symmetric_eigen, whitened};
use super::{Mat, Real};

/// A squared pivot smaller than this share of B's largest diagonal entry means B has no full rank.
const RANK: f64 = 1e-13;

/// Eigenvalues, largest first, and their vectors, one a column.
#[derive(Debug, Clone)]
pub(crate) struct Pencil {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Mat<f64>,
}

/// The denominator has no full rank (or a number is not finite).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Deficient {
    /// The smallest squared pivot of B's Cholesky factor.
    pub(crate) pivot: f64,
    /// The largest diagonal entry of B.
    pub(crate) largest: f64,
}

/// Solves A v = λ B v for the largest `count` eigenvalues; both matrices by their lower triangles, row-major, and each vector's
/// largest entry positive.
pub(crate) fn pencil(
    a: &[f64],
    b: &[f64],
    order: usize,
    count: usize,
) -> Result<Pencil, Deficient> {
    let largest = (0..order).fold(0.0_f64, |largest, i| largest.max(b[i * order + i]));
    let mut lower = b.to_vec();
    f64::cholesky(&mut lower, order);
    // A failed factorisation leaves NaN, which `min` would pass over.
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
    for j in 0..count {
        let column = vectors.col(j);
        let top = column.iter().fold(0.0_f64, |top, &x| if x.abs() > top.abs() { x } else { top });
        if top < 0.0 {
            vectors.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
        }
    }
    Ok(Pencil { values: values.into_iter().rev().take(count).collect(), vectors })
}

#[cfg(test)]
mod tests {
    use super::super::MatRef;
    use super::*;

    /// Condition numbers below 100 at orders up to 60: some hundred roundings.
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
    fn vectors_solve_the_problem_and_are_orthonormal_in_the_denominator() {
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

    #[test]
    fn a_denominator_without_full_rank_is_refused() {
        let ones = vec![1.0; 9];
        let refusal = pencil(&symmetric(3, 1, 1.0), &ones, 3, 3).unwrap_err();
        assert!(refusal.pivot <= RANK && refusal.largest == 1.0);
        assert!(pencil(&ones, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, f64::NAN], 3, 3).is_err());
    }
}
