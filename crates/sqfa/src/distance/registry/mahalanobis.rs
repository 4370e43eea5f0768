//! The squared Mahalanobis distance between means under the average covariance.
//!
//! d² = ΔᵀS⁻¹Δ with Δ = μ_b−μ_a and S = (Σ_a+Σ_b)/2. With x = S⁻¹Δ, the derivatives are ∂μ_b = 2x =
//! −∂μ_a and ∂Σ_a = ∂Σ_b = −½xxᵀ. Cost per pair: one Cholesky factorization of order m. Reference:
//! Mahalanobis, *Proc. National Institute of Sciences of India* 2, 1936.

use crate::distance::formula::{Formula, Pair, Slopes, Work, apply, difference, dot, factor};
use crate::linalg::Real;

pub(crate) struct SquaredMahalanobis;

impl Formula for SquaredMahalanobis {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let half = R::splat(0.5);
        let [mixed, inverse, ..] = &mut work.matrices;
        let [delta, white, x] = &mut work.vectors;
        for i in 0..m * m {
            mixed[i] = half * (pair.cov_a[i] + pair.cov_b[i]);
        }
        factor(mixed, inverse, m);
        difference(pair, delta);
        apply(inverse, false, delta, white, m);
        let value = dot(white, white, m);
        if let Some(slopes) = slopes {
            apply(inverse, true, white, x, m);
            for i in 0..m {
                slopes.mean_b[i] = x[i] + x[i];
                slopes.mean_a[i] = -slopes.mean_b[i];
                for j in 0..m {
                    let slope = -half * x[i] * x[j];
                    slopes.cov_a[i * m + j] = slope;
                    slopes.cov_b[i * m + j] = slope;
                }
            }
        }
        value
    }
}
