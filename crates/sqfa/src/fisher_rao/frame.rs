//! Coordinates in which the first Gaussian is N(0, I) and the second has a diagonal covariance.
//!
//! A is a matrix with AAᵀ = Σ₀ and A⁻¹Σ₁A⁻ᵀ = diag(e^{2h}), and μ = A⁻¹(μ₁ − μ₀). In general, h
//! follows from the singular values of L₀⁻¹L₁, where L are the Cholesky factors. If the covariances
//! are close, h follows from the eigenvalues of L₀⁻¹(Σ₁ − Σ₀)L₀⁻ᵀ instead, because ln(1 + x) keeps
//! the digits of a small x. Thus both very different and nearly equal covariances keep their
//! digits.
//!
//! Cost: two Cholesky factorizations and one Jacobi decomposition of order d.

use super::error::{FisherRaoError, Side, checked};
use super::rotations::{identity, norm, orthogonalize};
use crate::features::Gaussian;
use crate::linalg::Real;

/// A Gaussian, represented as the image of N(0, I) under the map z ↦ mean + factor·z.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) order: usize,
    pub(super) mean: Vec<f64>,
    pub(super) factor: Vec<f64>,
    pub(super) inverse: Vec<f64>,
}

/// Two Gaussians in common coordinates.
#[derive(Debug, Clone)]
pub(super) struct FramedPair {
    /// The frame of the first Gaussian, which defines the coordinates.
    pub(super) start: Frame,
    /// The mean of the second Gaussian in the original coordinates.
    pub(super) end_mean: Vec<f64>,
    /// The mean μ of the second Gaussian in the coordinates of the frame.
    pub(super) mean: Vec<f64>,
    /// Half the logarithms h of the variances of the second Gaussian in the coordinates of the
    /// frame.
    pub(super) half_logs: Vec<f64>,
}

/// Frobenius norm of L₀⁻¹(Σ₁ − Σ₀)L₀⁻ᵀ below which the covariances count as close.
const CLOSE: f64 = 0.5;

impl Frame {
    /// Returns the frame of a Gaussian whose factor is lower triangular.
    pub(super) fn triangular(gaussian: Gaussian<'_>, side: Side) -> Result<Self, FisherRaoError> {
        let (_, lower) = checked(gaussian, side)?;
        let mut inverse = vec![0.0; lower.len()];
        f64::invert_lower(&lower, &mut inverse, gaussian.order);
        Ok(Self { order: gaussian.order, mean: gaussian.mean.to_vec(), factor: lower, inverse })
    }
}

impl FramedPair {
    /// Checks two Gaussians and computes their common coordinates.
    pub(super) fn new(p: Gaussian<'_>, q: Gaussian<'_>) -> Result<Self, FisherRaoError> {
        let n = p.order;
        if n != q.order {
            return Err(FisherRaoError::Dimensions { first: n, second: q.order });
        }
        let (first, lower_p) = checked(p, Side::First)?;
        let (second, lower_q) = checked(q, Side::Second)?;
        let mut inverse_p = vec![0.0; n * n];
        f64::invert_lower(&lower_p, &mut inverse_p, n);
        let mut rows = vec![0.0; n * n];
        let mut scratch = vec![0.0; n * n];

        let difference: Vec<f64> = second.iter().zip(&first).map(|(b, a)| b - a).collect();
        f64::multiply(&inverse_p, false, &difference, false, &mut scratch, n);
        f64::multiply(&scratch, false, &inverse_p, true, &mut rows, n);
        // The rows of `turn` are the directions along which both covariances are diagonal.
        let mut turn = identity(n);
        let half_logs: Vec<f64> = if norm(&rows) < CLOSE {
            f64::eigen(&mut rows, &mut scratch, n);
            for i in 0..n {
                for j in 0..n {
                    turn[i * n + j] = scratch[j * n + i];
                }
            }
            (0..n).map(|i| 0.5 * rows[i * n + i].ln_1p()).collect()
        } else {
            f64::multiply(&inverse_p, false, &lower_q, false, &mut rows, n);
            orthogonalize(&mut rows, n, &mut turn, n, n);
            rows.chunks_exact(n).map(|row| norm(row).ln()).collect()
        };
        let mut factor = vec![0.0; n * n];
        let mut inverse = vec![0.0; n * n];
        f64::multiply(&lower_p, false, &turn, true, &mut factor, n);
        f64::multiply(&turn, false, &inverse_p, false, &mut inverse, n);
        let shift: Vec<f64> = q.mean.iter().zip(p.mean).map(|(b, a)| b - a).collect();
        let mean = inverse.chunks_exact(n).map(|row| dot(row, &shift)).collect();
        let start = Frame { order: n, mean: p.mean.to_vec(), factor, inverse };
        Ok(Self { start, end_mean: q.mean.to_vec(), mean, half_logs })
    }

    /// Returns the dimension of the Gaussians.
    pub(super) fn order(&self) -> usize {
        self.start.order
    }

    /// Returns the frame of the second Gaussian, with the factor A·diag(e^h).
    pub(super) fn end(&self) -> Frame {
        let n = self.order();
        let (mut factor, mut inverse) = (self.start.factor.clone(), self.start.inverse.clone());
        for i in 0..n {
            for j in 0..n {
                factor[i * n + j] *= self.half_logs[j].exp();
                inverse[i * n + j] *= (-self.half_logs[i]).exp();
            }
        }
        Frame { order: n, mean: self.end_mean.clone(), factor, inverse }
    }
}

/// Returns the inner product of two vectors.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

/// Returns `left · middle · leftᵀ`, or `leftᵀ · middle · left` if `transposed`.
pub(super) fn congruence(left: &[f64], transposed: bool, middle: &[f64], order: usize) -> Vec<f64> {
    let mut scratch = vec![0.0; order * order];
    let mut product = vec![0.0; order * order];
    f64::multiply(left, transposed, middle, false, &mut scratch, order);
    f64::multiply(&scratch, false, left, !transposed, &mut product, order);
    product
}
