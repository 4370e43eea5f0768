//! Distances that are functions of a simpler quantity: square roots, Hellinger and the
//! equal-covariance Fisher–Rao distance.
//!
//! These functions are not differentiable at a = b, so value and derivatives are set to 0 for
//! quantities of at most [`ZERO`].

use super::formula::{Formula, Pair, Slopes, Work, scale};
use crate::linalg::Real;

/// Largest squared distance, relative to [`Formula::unit`], that counts as zero. It is far above
/// the round-off between identical classes and far below distances that matter: it corresponds to a
/// distance of 1e-10 if 1 is a clear separation.
pub(crate) const ZERO: f64 = 1e-20;

/// A scalar function that is applied to the value of a formula, with its derivative.
pub(crate) trait Link: Send + Sync {
    /// Returns f(v) and f′(v) for v above [`ZERO`].
    fn apply(&self, value: f64) -> (f64, f64);
}

/// The square root.
pub(crate) struct Root;

impl Link for Root {
    fn apply(&self, value: f64) -> (f64, f64) {
        let root = value.sqrt();
        (root, 0.5 / root)
    }
}

/// √(1 − e^(−B)), the Hellinger distance as a function of the Bhattacharyya distance B.
pub(crate) struct HellingerLink;

impl Link for HellingerLink {
    fn apply(&self, value: f64) -> (f64, f64) {
        let distance = (-(-value).exp_m1()).sqrt();
        (distance, (-value).exp() / (2.0 * distance))
    }
}

/// √8·asinh(√v/√8) = √2·arccosh(1 + v/4), the Fisher–Rao distance between Gaussians with equal
/// covariances, as a function of the squared Mahalanobis distance v.
pub(crate) struct EqualCovarianceLink;

impl Link for EqualCovarianceLink {
    fn apply(&self, value: f64) -> (f64, f64) {
        let root = value.sqrt();
        (
            8.0_f64.sqrt() * (root / 8.0_f64.sqrt()).asinh(),
            0.5 / (root * (1.0 + value / 8.0).sqrt()),
        )
    }
}

/// A formula whose value is transformed by a scalar function.
pub(crate) struct Linked<F, L>(pub(crate) F, pub(crate) L);

impl<F: Formula, L: Link> Formula for Linked<F, L> {
    #[inline(always)]
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        mut slopes: Option<&mut Slopes<R>>,
    ) -> R {
        let inner = self.0.pair(pair, work, slopes.as_deref_mut());
        let counts = inner / self.0.unit(pair);
        // The lanes of one value cannot branch separately, so values that count as zero are
        // multiplied by 0. The factor 1 leaves the bits of all others unchanged.
        let inner = inner * counts.map(|units| if units <= ZERO { 0.0 } else { 1.0 });
        let apply = |value: f64| if value <= 0.0 { (0.0, 0.0) } else { self.1.apply(value) };
        if let Some(slopes) = slopes {
            scale(slopes, inner.map(|value| apply(value).1));
        }
        inner.map(|value| apply(value).0)
    }
}
