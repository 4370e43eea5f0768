//! The squared affine-invariant distance between positive definite matrices: d² = Σ ln² λ(A, B).
//!
//! It compares second moments Ψ = Σ + μμᵀ by default (this is smSQFA) or covariances. With A =
//! L_aL_aᵀ, B = L_bL_bᵀ, L_a⁻¹L_b = C, CCᵀ = UΛUᵀ and W = L_a⁻ᵀU, the derivatives are ∂d²/∂B = W
//! diag(2 ln λ/λ) Wᵀ and ∂d²/∂A = −W diag(2 ln λ) Wᵀ. They contain only spectral functions, so
//! repeated eigenvalues are harmless, and working with the factor C keeps the digits of eigenvalues
//! far below the largest. Cost per pair: two Cholesky factorizations and one eigenproblem of order
//! m by one-sided rotations. Reference: Bhatia, *Positive Definite Matrices*, 2007, chapter 6.

use crate::distance::formula::{Compared, Formula, Pair, Slopes, Work, factor};
use crate::linalg::Real;

pub(crate) struct SquaredAffineInvariant(pub(crate) Compared);

impl Formula for SquaredAffineInvariant {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let [a, b, inverse, rows, turned, scratch, _] = &mut work.matrices;
        let [values, weights, _] = &mut work.vectors;
        self.0.write(pair.mean_a, pair.cov_a, a, m);
        self.0.write(pair.mean_b, pair.cov_b, b, m);
        factor(a, inverse, m);
        R::cholesky(b, m);
        R::multiply(b, true, inverse, true, rows, m);
        R::eigen_of_factor(rows, values, [turned, scratch, weights], m);
        let mut value = R::splat(0.0);
        for i in 0..m {
            let log = values[i].map(f64::ln);
            value = value + log * log;
            weights[i] = -(log + log);
        }
        if let Some(slopes) = slopes {
            R::multiply(rows, false, inverse, false, turned, m);
            R::weighted_squares(turned, weights, &mut slopes.cov_a, m);
            for i in 0..m {
                weights[i] = -weights[i] / values[i];
            }
            R::weighted_squares(turned, weights, &mut slopes.cov_b, m);
            self.0.chain(&slopes.cov_a, pair.mean_a, &mut slopes.mean_a, m);
            self.0.chain(&slopes.cov_b, pair.mean_b, &mut slopes.mean_b, m);
        }
        value
    }
}
