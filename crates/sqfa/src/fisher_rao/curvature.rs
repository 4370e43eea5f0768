//! First and second derivatives of E(W) = ¼‖log G(W)‖² in rescaled coordinates.
//!
//! The coordinates K with W = RKRᵀ and RRᵀ = I + Σ + ½μμᵀ make the problem well conditioned. Let C
//! = U ℓ Zᵀ as in `lift`, κ a skew direction and δ = RκRᵀ. In the eigenvectors of G, the derivative
//! of log G is weighted by f(r) = (r/2) coth(r/2), plus half a commutator:
//!
//! ```text
//! T = UᵀδZ     T'_kl = f(ℓ_k−ℓ_l)(T+Tᵀ)_kl/2 + f(ℓ_k+ℓ_l)(T−Tᵀ)_kl/2
//! dS = [U T' + (δZ − UT) diag f(ℓ)] Zᵀ + ½(Sδ + δS),     Hess E[κ] = skew(Rᵀ dS R),     grad E = skew(RᵀSR)
//! ```
//!
//! The term (δZ − UT) diag f(ℓ) is the contribution of the direction orthogonal to the d columns of
//! U.
//!
//! Cost: 8 d³ to prepare and 12 d³ per product. A matrix of order d(d−1)/2 is never formed.

use super::frame::FramedPair;
use super::lift::Lift;
use crate::linalg::Real;

/// The change of coordinates from K to W.
#[derive(Debug, Clone)]
pub(super) struct Rescaling {
    order: usize,
    /// The factor R, lower triangular.
    pub(super) root: Vec<f64>,
    /// The product RᵀR.
    gram: Vec<f64>,
}

impl Rescaling {
    pub(super) fn new(pair: &FramedPair) -> Self {
        let n = pair.order();
        let mut root = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                root[i * n + j] = 0.5 * pair.mean[i] * pair.mean[j];
            }
            root[i * n + i] += 1.0 + (2.0 * pair.half_logs[i]).exp();
        }
        f64::cholesky(&mut root, n);
        let mut gram = vec![0.0; n * n];
        f64::multiply(&root, true, &root, false, &mut gram, n);
        Self { order: n, root, gram }
    }

    /// Returns RκRᵀ.
    pub(super) fn expand(&self, step: &[f64]) -> Vec<f64> {
        super::frame::congruence(&self.root, false, step, self.order)
    }
}

/// The derivatives at one twist.
pub(super) struct Curvature<'a> {
    order: usize,
    gram: &'a [f64],
    /// UᵀR without its last row.
    left: Vec<f64>,
    /// ZᵀR.
    right: Vec<f64>,
    /// ½(f(ℓ_k−ℓ_l) + f(ℓ_k+ℓ_l)) − f(ℓ_l), the weight of T_kl.
    own: Vec<f64>,
    /// ½(f(ℓ_k−ℓ_l) − f(ℓ_k+ℓ_l)), the weight of T_lk.
    other: Vec<f64>,
    /// Rᵀ(Z f Zᵀ + sym S)R.
    side: Vec<f64>,
    /// The gradient, a skew-symmetric matrix.
    pub(super) gradient: Vec<f64>,
    scratch: [Vec<f64>; 3],
}

impl<'a> Curvature<'a> {
    pub(super) fn new(lift: &Lift, rescaling: &'a Rescaling) -> Self {
        let n = lift.order;
        let zeros = || vec![0.0; n * n];
        let (mut left, mut right, mut weighted) = (zeros(), zeros(), zeros());
        for k in 0..n {
            weighted[k * n..][..n].copy_from_slice(&lift.left[k * (n + 1)..][..n]);
        }
        f64::multiply(&weighted, false, &rescaling.root, false, &mut left, n);
        f64::multiply(&lift.right, false, &rescaling.root, false, &mut right, n);
        // RᵀSR: the skew part is the gradient, and the symmetric part contributes to the curvature.
        let mut square = zeros();
        scale_rows(&left, &lift.logs, &mut weighted, n);
        f64::multiply(&weighted, true, &right, false, &mut square, n);
        let weights: Vec<f64> = lift.logs.iter().map(|&log| stretch(log)).collect();
        let (mut own, mut other, mut side, mut gradient) = (zeros(), zeros(), zeros(), zeros());
        scale_rows(&right, &weights, &mut weighted, n);
        f64::multiply(&weighted, true, &right, false, &mut side, n);
        for i in 0..n {
            for j in 0..n {
                let (straight, mirrored) = (square[i * n + j], square[j * n + i]);
                gradient[i * n + j] = 0.5 * (straight - mirrored);
                side[i * n + j] += 0.5 * (straight + mirrored);
                if i <= j {
                    let near = stretch(lift.logs[i] - lift.logs[j]);
                    let far = stretch(lift.logs[i] + lift.logs[j]);
                    for at in [i * n + j, j * n + i] {
                        own[at] = 0.5 * (near + far) - weights[at % n];
                        other[at] = 0.5 * (near - far);
                    }
                }
            }
        }
        let scratch = [weighted, square, zeros()];
        let gram = &rescaling.gram;
        Self { order: n, gram, left, right, own, other, side, gradient, scratch }
    }

    /// Multiplies the second derivative with a skew step.
    pub(super) fn apply(&mut self, step: &[f64], product: &mut [f64]) {
        let n = self.order;
        let [a, b, c] = &mut self.scratch;
        f64::multiply(step, false, &self.right, true, a, n);
        f64::multiply(&self.left, false, a, false, b, n);
        for i in 0..n {
            for j in 0..n {
                let at = i * n + j;
                a[at] = self.own[at] * b[at] + self.other[at] * b[j * n + i];
            }
        }
        f64::multiply(&self.left, true, a, false, b, n);
        f64::multiply(b, false, &self.right, false, c, n);
        f64::multiply(self.gram, false, step, false, a, n);
        f64::multiply(a, false, &self.side, false, b, n);
        for i in 0..n {
            for j in 0..i {
                let (low, high) = (i * n + j, j * n + i);
                let value = 0.5 * (b[low] + c[low] - b[high] - c[high]);
                product[low] = value;
                product[high] = -value;
            }
            product[i * n + i] = 0.0;
        }
    }
}

fn scale_rows(rows: &[f64], weights: &[f64], scaled: &mut [f64], order: usize) {
    for (k, &weight) in weights.iter().enumerate() {
        for j in 0..order {
            scaled[k * order + j] = weight * rows[k * order + j];
        }
    }
}

/// Returns (r/2) coth(r/2).
fn stretch(r: f64) -> f64 {
    let half = 0.5 * r.abs();
    // For smaller values the next term of the series, half⁴/45, is below round-off.
    if half < 1e-4 { 1.0 + half * half / 3.0 } else { half / half.tanh() }
}
