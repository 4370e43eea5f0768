//! The Chernoff distance −ln ∫ pˢ q¹⁻ˢ between Gaussians; s = ½ gives the Bhattacharyya distance.
//!
//! With Δ = μ_b−μ_a and S = (1−s)Σ_a + sΣ_b it is ½s(1−s)ΔᵀS⁻¹Δ + ½[ln|S| − (1−s)ln|Σ_a| − s
//! ln|Σ_b|]. With x = S⁻¹Δ and K = ½(S⁻¹ − s(1−s)xxᵀ), the derivatives are ∂Σ_a = (1−s)(K −
//! ½Σ_a⁻¹), ∂Σ_b = s(K − ½Σ_b⁻¹) and ∂μ_b = s(1−s)x = −∂μ_a. Cost per pair: three Cholesky
//! factorizations of order m, no eigenproblem. Reference: Fukunaga, *Introduction to Statistical
//! Pattern Recognition*, 1990, section 3.4.

use crate::distance::formula::{Formula, Pair, Slopes, Work, apply, difference, factor};
use crate::linalg::Real;

pub(crate) struct Chernoff(pub(crate) f64);

impl Formula for Chernoff {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let s = R::splat(self.0);
        let rest = R::splat(1.0 - self.0);
        let weight = R::splat(self.0 * (1.0 - self.0));
        let half = R::splat(0.5);
        let [mixed, lower, mixed_inverse, inverse, precision, own, _] = &mut work.matrices;
        let [delta, white, x] = &mut work.vectors;
        for i in 0..m * m {
            mixed[i] = rest * pair.cov_a[i] + s * pair.cov_b[i];
        }
        let mut log_dets = factor(mixed, mixed_inverse, m);
        difference(pair, delta);
        apply(mixed_inverse, false, delta, white, m);
        apply(mixed_inverse, true, white, x, m);
        let mut square = R::splat(0.0);
        for i in 0..m {
            square = square + white[i] * white[i];
        }
        let mut slopes = slopes;
        if let Some(slopes) = slopes.as_deref_mut() {
            R::multiply(mixed_inverse, true, mixed_inverse, false, precision, m);
            for i in 0..m {
                slopes.mean_a[i] = -weight * x[i];
                slopes.mean_b[i] = weight * x[i];
                for j in 0..m {
                    let at = i * m + j;
                    precision[at] = half * (precision[at] - weight * x[i] * x[j]);
                }
            }
        }
        for (first, cov, share) in [(true, pair.cov_a, rest), (false, pair.cov_b, s)] {
            lower[..m * m].copy_from_slice(cov);
            log_dets = log_dets - share * factor(lower, inverse, m);
            if let Some(slopes) = slopes.as_deref_mut() {
                R::multiply(inverse, true, inverse, false, own, m);
                let target = if first { &mut slopes.cov_a } else { &mut slopes.cov_b };
                for i in 0..m * m {
                    target[i] = share * (precision[i] - half * own[i]);
                }
            }
        }
        // The exact value is never negative, but round-off between nearly equal classes may make it
        // so.
        (half * (weight * square + log_dets)).map(|value| if value < 0.0 { 0.0 } else { value })
    }
}
