//! The Calvo–Oller lower bound of the Fisher–Rao distance between Gaussians or t distributions, squared.
//!
//! Embeds (μ, Σ) as Ω = [Σ+μμᵀ, μ; μᵀ, 1]; with ℓ = ln λ(Ω_a, Ω_b) and s = Σℓ = ln|Σ_b|/|Σ_a|,
//! d² = (b/2) Σℓ² + ((b−1)/4) s², where b = (ν+m)/(ν+m+2) for t distributions of scatter Σ with ν degrees of
//! freedom and 1 for Gaussians. s² ≤ (m+1) Σℓ² makes d² ≥ 0 for ν ≥ 1; below that it bounds nothing.
//! Ω itself is never factored: with Σ_a = LLᵀ the pair is moved to (0, I) and
//! (δ, X) = (L⁻¹(μ_b−μ_a), L⁻¹Σ_bL⁻ᵀ), whose embedding is diagonalised; a common shift of the means therefore
//! costs no digits. Cost per pair: one Cholesky and one symmetric eigenproblem of order m + 1.
//! References: Calvo & Oller, *J. Multivariate Analysis* 35, 1990; *Statistics & Decisions* 20, 2002 (elliptical).

use crate::distance::formula::{
    Formula, Pair, Slopes, Work, apply, congruence, difference, factor, spectral,
};
use crate::linalg::Real;

pub(crate) struct SquaredCalvoOller {
    /// ν; infinite for Gaussians.
    degrees: f64,
}

impl SquaredCalvoOller {
    pub(crate) const GAUSSIAN: Self = Self { degrees: f64::INFINITY };

    /// Between t distributions of so many degrees of freedom, at least 1.
    pub(crate) fn heavy_tailed(degrees: f64) -> Self {
        Self { degrees }
    }

    /// b and b − 1, the latter without cancellation.
    fn shape(&self, order: usize) -> (f64, f64) {
        if self.degrees.is_infinite() {
            return (1.0, 0.0);
        }
        let above = self.degrees + order as f64;
        (above / (above + 2.0), -2.0 / (above + 2.0))
    }
}

impl Formula for SquaredCalvoOller {
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let size = m + 1;
        let [lower, inverse, embedded, vectors, scratch, inner, block] = &mut work.matrices;
        let [delta, raw, column] = &mut work.vectors;
        lower[..m * m].copy_from_slice(pair.cov_a);
        factor(lower, inverse, m);
        difference(pair, raw);
        apply(inverse, false, raw, delta, m);
        congruence(inverse, false, pair.cov_b, scratch, block, m);
        embed(delta, block, embedded, m);
        R::eigen(embedded, vectors, size);
        let (shape, less) = self.shape(m);
        let (shape, half_less) = (R::splat(shape), R::splat(0.5 * less));
        let half = R::splat(0.5);
        let (mut squares, mut sum) = (R::splat(0.0), R::splat(0.0));
        for i in 0..size {
            let log = embedded[i * size + i].map(f64::ln);
            squares = squares + half * log * log;
            sum = sum + log;
        }
        let common = half_less * sum;
        let value = shape * squares + half * common * sum;
        if let Some(slopes) = slopes {
            let two = R::splat(2.0);
            // λ·∂d²/∂λ.
            let slope = |l: R| shape * l.map(f64::ln) + common;
            // d²'s derivative with respect to the first embedding, in blocks [G, g; gᵀ, ·].
            spectral(embedded, vectors, |l| -slope(l), scratch, inner, size);
            split(inner, block, column, m);
            congruence(inverse, true, block, scratch, &mut slopes.cov_a, m);
            apply(inverse, true, column, &mut slopes.mean_a, m);
            spectral(embedded, vectors, |l| slope(l) / l, scratch, inner, size);
            split(inner, block, column, m);
            congruence(inverse, true, block, scratch, &mut slopes.cov_b, m);
            apply(block, false, delta, raw, m);
            for i in 0..m {
                raw[i] = raw[i] + column[i];
            }
            apply(inverse, true, raw, &mut slopes.mean_b, m);
            for i in 0..m {
                slopes.mean_a[i] = slopes.mean_a[i] * two;
                slopes.mean_b[i] = slopes.mean_b[i] * two;
            }
        }
        value
    }
}

/// Writes [X+δδᵀ, δ; δᵀ, 1].
fn embed<R: Real>(delta: &[R], x: &[R], embedded: &mut [R], m: usize) {
    let size = m + 1;
    for i in 0..m {
        for j in 0..m {
            embedded[i * size + j] = x[i * m + j] + delta[i] * delta[j];
        }
        embedded[i * size + m] = delta[i];
        embedded[m * size + i] = delta[i];
    }
    embedded[m * size + m] = R::splat(1.0);
}

/// Reads the leading block and the last column out of an embedding's derivative.
fn split<R: Real>(embedded: &[R], block: &mut [R], column: &mut [R], m: usize) {
    let size = m + 1;
    for i in 0..m {
        block[i * m..(i + 1) * m].copy_from_slice(&embedded[i * size..i * size + m]);
        column[i] = embedded[i * size + m];
    }
}
