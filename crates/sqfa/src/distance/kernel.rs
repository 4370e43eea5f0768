//! A distance as the pair loop calls it: eight pairs at once, or one.

use std::sync::Arc;

use super::Dissimilarity;
use super::formula::{Formula, Pair, Slopes, Work};
use crate::features::Gaussian;
use crate::linalg::{Lanes, dispatch};

/// Above this order one pair at a time, with the backend's blocked factorisations, is faster.
pub(super) const LANE_ORDER: usize = 48;

/// What a distance remembers of a pair: numbers of its own, empty when it knows nothing yet.
pub(crate) type Hint = Vec<f64>;

/// Evaluates pairs; every [`Formula`] is one, and so is a user's own distance.
pub(super) trait Kernel: Send + Sync {
    /// Whether eight pairs may share one evaluation at this order.
    fn shares_lanes(&self, order: usize) -> bool;
    /// Eight pairs at once; asked only of kernels that share lanes.
    fn eight(
        &self,
        _pair: &Pair<'_, Lanes>,
        _work: &mut Work<Lanes>,
        _slopes: Option<&mut Slopes<Lanes>>,
    ) -> Lanes {
        unreachable!("the pair loop asks shares_lanes first")
    }
    /// Whether [`Kernel::one_from`] is faster from a hint.
    fn keeps_hints(&self) -> bool {
        false
    }
    /// One pair, helped by what was found for it nearby; the hint is brought up to date.
    fn one_from(
        &self,
        pair: &Pair<'_, f64>,
        work: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
        _hint: &mut Hint,
    ) -> f64 {
        self.one(pair, work, slopes)
    }
    /// One pair.
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

/// A user's own distance.
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
