//! The squared Bures–Wasserstein distance between Gaussians.
//!
//! W² = |Δ|² + tr Σ_a + tr Σ_b − 2 tr(Σ_a^½Σ_bΣ_a^½)^½. With Σ_a = LLᵀ and R = (LᵀΣ_bL)^½ it is
//! computed as the sum of squares |Δ|² + ‖L⁻ᵀ(R − LᵀL)‖², which does not cancel. With B = L⁻ᵀRL⁻¹,
//! the derivatives are ∂Σ_a = I − B and ∂Σ_b = I − B⁻¹. Cost per pair: one Cholesky factorization
//! and one symmetric eigenproblem of order m. Reference: Bhatia, Jain & Lim, *Expositiones
//! Mathematicae* 37, 2019.

use crate::distance::formula::{
    Formula, Pair, Slopes, Work, congruence, difference, factor, spectral,
};
use crate::linalg::Real;

pub(crate) struct SquaredWasserstein;

impl Formula for SquaredWasserstein {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let [lower, inverse, whitened, vectors, scratch, root, product] = &mut work.matrices;
        let [delta, ..] = &mut work.vectors;
        lower[..m * m].copy_from_slice(pair.cov_a);
        factor(lower, inverse, m);
        congruence(lower, true, pair.cov_b, scratch, whitened, m);
        R::eigen(whitened, vectors, m);
        spectral(whitened, vectors, |l| l.sqrt(), scratch, root, m);
        R::multiply(lower, true, lower, false, scratch, m);
        for i in 0..m * m {
            scratch[i] = root[i] - scratch[i];
        }
        R::multiply(inverse, true, scratch, false, product, m);
        difference(pair, delta);
        let mut value = R::splat(0.0);
        for i in 0..m {
            value = value + delta[i] * delta[i];
        }
        for i in 0..m * m {
            value = value + product[i] * product[i];
        }
        if let Some(slopes) = slopes {
            congruence(inverse, true, root, scratch, &mut slopes.cov_a, m);
            spectral(whitened, vectors, |l| R::splat(1.0) / l.sqrt(), scratch, root, m);
            congruence(lower, false, root, scratch, &mut slopes.cov_b, m);
            for slope in [&mut slopes.cov_a, &mut slopes.cov_b] {
                for i in 0..m {
                    for j in 0..m {
                        let identity = R::splat(if i == j { 1.0 } else { 0.0 });
                        slope[i * m + j] = identity - slope[i * m + j];
                    }
                }
            }
            for i in 0..m {
                slopes.mean_b[i] = delta[i] + delta[i];
                slopes.mean_a[i] = -slopes.mean_b[i];
            }
        }
        value
    }

    /// Returns tr Σ_a + tr Σ_b, the squared distance of zero-mean Gaussians if nothing of the mass
    /// could be coupled.
    fn unit<R: Real>(&self, pair: &Pair<'_, R>) -> R {
        let diagonal = (0..pair.order).map(|i| i * (pair.order + 1));
        diagonal.fold(R::splat(0.0), |sum, at| sum + pair.cov_a[at] + pair.cov_b[at])
    }
}
