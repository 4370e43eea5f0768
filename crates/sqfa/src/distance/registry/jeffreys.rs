//! The Jeffreys divergence KL(p‖q) + KL(q‖p) between Gaussians.
//!
//! It is computed as a sum of squares, J = ½‖L_a⁻¹(Σ_a−Σ_b)L_b⁻ᵀ‖² + ½|L_a⁻¹Δ|² + ½|L_b⁻¹Δ|², which
//! is never negative and equals ½[tr(Σ_a⁻¹Σ_b) + tr(Σ_b⁻¹Σ_a)] − m + ½Δᵀ(Σ_a⁻¹+Σ_b⁻¹)Δ with Δ =
//! μ_b−μ_a. The derivatives are ∂Σ_a = ½[Σ_b⁻¹ − Σ_a⁻¹(Σ_b+ΔΔᵀ)Σ_a⁻¹] and ∂μ_b = (Σ_a⁻¹+Σ_b⁻¹)Δ =
//! −∂μ_a. Cost per pair: two Cholesky factorizations and a few products. Reference: Kullback,
//! *Information Theory and Statistics*, 1959, chapter 9.

use crate::distance::formula::{
    Formula, Pair, Slopes, Work, apply, congruence, difference, factor,
};
use crate::linalg::Real;

pub(crate) struct Jeffreys;

impl Formula for Jeffreys {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let half = R::splat(0.5);
        let [lower, inverse_a, inverse_b, spread, scratch, precision_a, precision_b] =
            &mut work.matrices;
        let [delta, white, pull] = &mut work.vectors;
        lower[..m * m].copy_from_slice(pair.cov_a);
        factor(lower, inverse_a, m);
        lower[..m * m].copy_from_slice(pair.cov_b);
        factor(lower, inverse_b, m);
        difference(pair, delta);
        let mut value = R::splat(0.0);
        for inverse in [&*inverse_a, &*inverse_b] {
            apply(inverse, false, delta, white, m);
            for i in 0..m {
                value = value + half * white[i] * white[i];
            }
        }
        for i in 0..m * m {
            spread[i] = pair.cov_a[i] - pair.cov_b[i];
        }
        R::multiply(inverse_a, false, spread, false, scratch, m);
        R::multiply(scratch, false, inverse_b, true, spread, m);
        for i in 0..m * m {
            value = value + half * spread[i] * spread[i];
        }
        if let Some(slopes) = slopes {
            R::multiply(inverse_a, true, inverse_a, false, precision_a, m);
            R::multiply(inverse_b, true, inverse_b, false, precision_b, m);
            apply(precision_a, false, delta, white, m);
            apply(precision_b, false, delta, pull, m);
            for i in 0..m {
                slopes.mean_b[i] = white[i] + pull[i];
                slopes.mean_a[i] = -slopes.mean_b[i];
            }
            for (own, other, other_cov, slope) in [
                (&*precision_a, &*precision_b, pair.cov_b, &mut slopes.cov_a),
                (&*precision_b, &*precision_a, pair.cov_a, &mut slopes.cov_b),
            ] {
                for i in 0..m {
                    for j in 0..m {
                        spread[i * m + j] = other_cov[i * m + j] + delta[i] * delta[j];
                    }
                }
                congruence(own, false, spread, scratch, slope, m);
                for i in 0..m * m {
                    slope[i] = half * (other[i] - slope[i]);
                }
            }
        }
        value
    }
}
