//! Distances that are a function of a simpler quantity: roots, Hellinger, equal-covariance Fisher–Rao.
//!
//! At a = b these functions have no derivative; below [`ZERO`] value and derivative are 0.

use super::formula::{Formula, Pair, Slopes, Work, scale};
use crate::linalg::Real;

/// Squared distances up to this many units count as zero: far above round-off of identical classes, far below
/// any distance that matters (1e-10 where 1 is a clear separation).
pub(crate) const ZERO: f64 = 1e-20;

/// A scalar function of a formula's value, with its derivative.
pub(crate) trait Link: Send + Sync {
    /// f(v) and f′(v) for v above [`ZERO`].
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

/// √(1 − e^(−B)), the Hellinger distance as a function of Bhattacharyya's.
pub(crate) struct HellingerLink;

impl Link for HellingerLink {
    fn apply(&self, value: f64) -> (f64, f64) {
        let distance = (-(-value).exp_m1()).sqrt();
        (distance, (-value).exp() / (2.0 * distance))
    }
}

/// √8·asinh(√v/√8) = √2·arccosh(1 + v/4), Fisher–Rao at equal covariances as a function of squared Mahalanobis.
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

/// A formula seen through a link.
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
        // As a factor, since lanes cannot be compared with each other: 1 leaves every bit as it is.
        let inner = inner * counts.map(|units| if units <= ZERO { 0.0 } else { 1.0 });
        let apply = |value: f64| if value <= 0.0 { (0.0, 0.0) } else { self.1.apply(value) };
        if let Some(slopes) = slopes {
            scale(slopes, inner.map(|value| apply(value).1));
        }
        inner.map(|value| apply(value).0)
    }
}
