//! The interface between distances and the loop over pairs, which evaluates eight pairs at once or
//! a single pair.

use std::sync::Arc;

use super::Dissimilarity;
use super::formula::{Formula, Pair, Slopes, Work};
use crate::features::Gaussian;
use crate::linalg::{Lanes, dispatch};

/// Largest dimension at which eight pairs are evaluated at once. In higher dimensions, single pairs
/// with the backend's blocked factorizations are faster.
pub(super) const LANE_ORDER: usize = 48;

/// Values that a distance stores for a pair to speed up the next evaluation; empty before the first
/// evaluation.
pub(crate) type Hint = Vec<f64>;

/// Evaluates a distance for the loop over pairs. Every [`Formula`] implements this trait, and
/// [`Custom`] implements it for user-defined distances.
pub(super) trait Kernel: Send + Sync {
    /// Returns whether eight pairs can be evaluated at once in this dimension.
    fn shares_lanes(&self, order: usize) -> bool;
    /// Evaluates eight pairs at once; called only if [`Kernel::shares_lanes`] returns `true`.
    fn eight(
        &self,
        _pair: &Pair<'_, Lanes>,
        _work: &mut Work<Lanes>,
        _slopes: Option<&mut Slopes<Lanes>>,
    ) -> Lanes {
        unreachable!("the loop over pairs calls shares_lanes first")
    }
    /// Returns whether [`Kernel::one_from`] benefits from a hint.
    fn keeps_hints(&self) -> bool {
        false
    }
    /// Evaluates one pair, using the hint of an earlier evaluation nearby, and updates the hint.
    fn one_from(
        &self,
        pair: &Pair<'_, f64>,
        work: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
        _hint: &mut Hint,
    ) -> f64 {
        self.one(pair, work, slopes)
    }
    /// Evaluates one pair.
    fn one(
        &self,
        pair: &Pair<'_, f64>,
        work: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
    ) -> f64;
}

impl<F: Formula> Kernel for F {
    fn shares_lanes(&self, order: usize) -> bool {
        order <= LANE_ORDER
    }
    fn eight(
        &self,
        pair: &Pair<'_, Lanes>,
        work: &mut Work<Lanes>,
        slopes: Option<&mut Slopes<Lanes>>,
    ) -> Lanes {
        dispatch(
            #[inline(always)]
            || self.pair(pair, work, slopes),
        )
    }
    fn one(
        &self,
        pair: &Pair<'_, f64>,
        work: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
    ) -> f64 {
        self.pair(pair, work, slopes)
    }
}

/// A user-defined distance.
pub(super) struct Custom(pub(super) Arc<dyn Dissimilarity>);

impl Kernel for Custom {
    fn shares_lanes(&self, _: usize) -> bool {
        false
    }
    fn one(
        &self,
        pair: &Pair<'_, f64>,
        _: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
    ) -> f64 {
        let side = |mean, covariance| Gaussian { order: pair.order, mean, covariance };
        self.0.evaluate(side(pair.mean_a, pair.cov_a), side(pair.mean_b, pair.cov_b), slopes)
    }
}
