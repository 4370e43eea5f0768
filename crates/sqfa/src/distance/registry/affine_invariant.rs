//! The squared affine-invariant distance between positive matrices: d² = Σ ln² λ(A, B).
//!
//! By default on second moments Ψ = Σ + μμᵀ (this is smSQFA), on request on covariances.
//! With A = LLᵀ and L⁻¹BL⁻ᵀ = V diag(λ) Vᵀ: ∂d²/∂B = L⁻ᵀV diag(2 ln λ/λ) VᵀL⁻¹ and
//! ∂d²/∂A = −L⁻ᵀV diag(2 ln λ) VᵀL⁻¹; only spectral functions, so repeated eigenvalues are harmless.
//! Cost per pair: one Cholesky and one symmetric eigenproblem of order m.
//! Reference: Bhatia, *Positive Definite Matrices*, 2007, chapter 6.

use crate::distance::formula::{
    Compared, Formula, Pair, Slopes, Work, congruence, factor, spectral,
};
use crate::linalg::Real;

pub(crate) struct SquaredAffineInvariant(pub(crate) Compared);

impl Formula for SquaredAffineInvariant {
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let m = pair.order;
        let [a, b, inverse, whitened, vectors, scratch, inner] = &mut work.matrices;
        self.0.write(pair.mean_a, pair.cov_a, a, m);
        self.0.write(pair.mean_b, pair.cov_b, b, m);
        factor(a, inverse, m);
        congruence(inverse, false, b, scratch, whitened, m);
        R::eigen(whitened, vectors, m);
        let mut value = R::splat(0.0);
        for i in 0..m {
            let log = whitened[i * m + i].map(f64::ln);
            value = value + log * log;
        }
        if let Some(slopes) = slopes {
            let two = R::splat(2.0);
            spectral(whitened, vectors, |l| -two * l.map(f64::ln), scratch, inner, m);
            congruence(inverse, true, inner, scratch, &mut slopes.cov_a, m);
            spectral(whitened, vectors, |l| two * l.map(f64::ln) / l, scratch, inner, m);
            congruence(inverse, true, inner, scratch, &mut slopes.cov_b, m);
            self.0.chain(&slopes.cov_a, pair.mean_a, &mut slopes.mean_a, m);
            self.0.chain(&slopes.cov_b, pair.mean_b, &mut slopes.mean_b, m);
        }
        value
    }
}
