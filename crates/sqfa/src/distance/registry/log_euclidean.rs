//! The squared log-Euclidean distance between positive definite matrices: ‖log A − log B‖².
//!
//! It compares second moments by default, or covariances, and is invariant to rotations only. With
//! A = V diag(λ) Vᵀ and X = log A − log B, the derivative is ∂A = 2V[Γ∘(VᵀXV)]Vᵀ, where Γ are the
//! divided differences of the logarithm; ∂B has the same form with B and −X. Cost per pair: two
//! symmetric eigenproblems of order m. Reference: Arsigny, Fillard, Pennec & Ayache, *SIAM J.
//! Matrix Anal. Appl.* 29, 2007.

use crate::distance::formula::{Compared, Formula, Pair, Slopes, Work, congruence, spectral};
use crate::linalg::Real;

/// The ratio |r| below which divided differences of the logarithm use a series; the first omitted
/// term is r⁶/7.
const SERIES: f64 = 1e-4;

pub(crate) struct SquaredLogEuclidean(pub(crate) Compared);

impl Formula for SquaredLogEuclidean {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let [a, b, vectors_a, vectors_b, scratch, gap, inner] = &mut work.matrices;
        self.0.write(pair.mean_a, pair.cov_a, a, m);
        self.0.write(pair.mean_b, pair.cov_b, b, m);
        R::eigen(a, vectors_a, m);
        R::eigen(b, vectors_b, m);
        spectral(b, vectors_b, |l| l.map(f64::ln), scratch, inner, m);
        spectral(a, vectors_a, |l| l.map(f64::ln), scratch, gap, m);
        let mut value = R::splat(0.0);
        for i in 0..m * m {
            gap[i] = gap[i] - inner[i];
            value = value + gap[i] * gap[i];
        }
        if let Some(slopes) = slopes {
            for (sign, values, vectors, mean, slope, mean_slope) in [
                (2.0, &*a, &*vectors_a, pair.mean_a, &mut slopes.cov_a, &mut slopes.mean_a),
                (-2.0, &*b, &*vectors_b, pair.mean_b, &mut slopes.cov_b, &mut slopes.mean_b),
            ] {
                congruence(vectors, true, gap, scratch, inner, m);
                for i in 0..m {
                    for j in 0..m {
                        let gamma = divided_difference(values[i * m + i], values[j * m + j]);
                        inner[i * m + j] = inner[i * m + j] * gamma * R::splat(sign);
                    }
                }
                congruence(vectors, false, inner, scratch, slope, m);
                self.0.chain(slope, mean, mean_slope, m);
            }
        }
        value
    }
}

/// Returns (ln x − ln y)/(x − y), or 1/x if x = y, without cancellation.
#[inline(always)]
fn divided_difference<R: Real>(x: R, y: R) -> R {
    let sum = x + y;
    let ratio = (x - y) / sum;
    let factor = ratio.map(|r| {
        if r.abs() < SERIES { 1.0 + r * r / 3.0 + r.powi(4) / 5.0 } else { r.atanh() / r }
    });
    (factor + factor) / sum
}
