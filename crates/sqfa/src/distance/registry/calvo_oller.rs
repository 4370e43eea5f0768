//! The squared Calvo–Oller lower bound on the Fisher–Rao distance between Gaussians or t
//! distributions.
//!
//! A Gaussian (μ, Σ) is embedded as Ω = [Σ+μμᵀ, μ; μᵀ, 1]. With ℓ = ln λ(Ω_a, Ω_b) and s = Σℓ =
//! ln|Σ_b|/|Σ_a|, the squared distance is d² = (b/2) Σℓ² + ((b−1)/4) s². Here b is 1 for Gaussians,
//! and b = (ν+m)/(ν+m+2) for t distributions of scatter Σ with ν degrees of freedom. Because s² ≤
//! (m+1) Σℓ², d² ≥ 0 for ν ≥ 1; for smaller ν it is not a lower bound.
//!
//! The embeddings are never formed. With Σ_a = L_aL_aᵀ and Σ_b = L_bL_bᵀ, the pair is transformed
//! to (0, I) and to an embedding CCᵀ with the factor C = [L_a⁻¹L_b, L_a⁻¹Δ; 0, 1]. Therefore
//! neither a common shift of the means nor eigenvalues far below the largest cost digits. With CCᵀ
//! = UΛUᵀ and W = diag(L_a⁻ᵀ, 1)U, the derivative with respect to Ω_b is W f(Λ) Wᵀ, where f(λ) = (b
//! ln λ + ((b−1)/2) s)/λ.
//!
//! Cost per pair: two Cholesky factorizations and one eigenproblem of order m + 1 by one-sided
//! rotations. References: Calvo & Oller, *J. Multivariate Analysis* 35, 1990; *Statistics &
//! Decisions* 20, 2002 (elliptical).

use crate::distance::formula::{Formula, Pair, Slopes, Work, apply, difference, factor};
use crate::linalg::Real;

pub(crate) struct SquaredCalvoOller {
    /// The degrees of freedom ν; infinite for Gaussians.
    degrees: f64,
}

impl SquaredCalvoOller {
    pub(crate) const GAUSSIAN: Self = Self { degrees: f64::INFINITY };

    /// Returns the distance between t distributions with the given degrees of freedom, at least 1.
    pub(crate) fn heavy_tailed(degrees: f64) -> Self {
        Self { degrees }
    }

    /// Returns b and b − 1, the latter computed without cancellation.
    fn shape(&self, order: usize) -> (f64, f64) {
        if self.degrees.is_infinite() {
            return (1.0, 0.0);
        }
        let above = self.degrees + order as f64;
        (above / (above + 2.0), -2.0 / (above + 2.0))
    }
}

impl Formula for SquaredCalvoOller {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let size = m + 1;
        let [first, second, inverse, rows, turned, block, _] = &mut work.matrices;
        let [delta, values, weights] = &mut work.vectors;
        difference(pair, delta);
        border(pair.cov_a, first, m);
        factor(first, inverse, size);
        border(pair.cov_b, second, m);
        R::cholesky(second, size);
        for i in 0..m {
            second[i * size + m] = delta[i];
        }
        R::multiply(second, true, inverse, true, rows, size);
        R::eigen_of_factor(rows, values, [turned, block, weights], size);
        let (shape, less) = self.shape(m);
        let (shape, half_less) = (R::splat(shape), R::splat(0.5 * less));
        let half = R::splat(0.5);
        let (mut squares, mut sum) = (R::splat(0.0), R::splat(0.0));
        for i in 0..size {
            let log = values[i].map(f64::ln);
            squares = squares + half * log * log;
            sum = sum + log;
            weights[i] = log;
        }
        let common = half_less * sum;
        let value = shape * squares + half * common * sum;
        if let Some(slopes) = slopes {
            R::multiply(rows, false, inverse, false, turned, size);
            // λ·∂d²/∂λ; the sign is negative for the first embedding.
            for weight in &mut weights[..size] {
                *weight = -(shape * *weight + common);
            }
            R::weighted_squares(turned, weights, block, size);
            split(block, &mut slopes.cov_a, &mut slopes.mean_a, m);
            for i in 0..size {
                weights[i] = -weights[i] / values[i];
            }
            R::weighted_squares(turned, weights, block, size);
            split(block, &mut slopes.cov_b, weights, m);
            apply(&slopes.cov_b, false, delta, &mut slopes.mean_b, m);
            for i in 0..m {
                slopes.mean_a[i] = slopes.mean_a[i] + slopes.mean_a[i];
                let slope = slopes.mean_b[i] + weights[i];
                slopes.mean_b[i] = slope + slope;
            }
        }
        value
    }
}

/// Writes [Σ, 0; 0, 1].
#[inline(always)]
fn border<R: Real>(covariance: &[R], bordered: &mut [R], m: usize) {
    let size = m + 1;
    for i in 0..m {
        bordered[i * size..i * size + m].copy_from_slice(&covariance[i * m..(i + 1) * m]);
        bordered[i * size + m] = R::splat(0.0);
        bordered[m * size + i] = R::splat(0.0);
    }
    bordered[m * size + m] = R::splat(1.0);
}

/// Copies the leading block and the last column of the derivative with respect to an embedding.
#[inline(always)]
fn split<R: Real>(embedded: &[R], block: &mut [R], column: &mut [R], m: usize) {
    let size = m + 1;
    for i in 0..m {
        block[i * m..(i + 1) * m].copy_from_slice(&embedded[i * size..i * size + m]);
        column[i] = embedded[i * size + m];
    }
}
