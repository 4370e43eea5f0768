//! The exact Fisher–Rao distance as an objective.
//!
//! Each pair requires a small optimization (see the `fisher_rao` module). The minimizer of a pair
//! is its hint: the next evaluation of the same pair starts there, so that a few Newton steps are
//! enough along a line. Cost per pair: about 90 µs without and 60 µs with a hint at m = 8.
//! Reference: Nielsen, *Entropy* 25, 2023, for bounds and lifts; the minimization over lifts is our
//! own.

use crate::distance::formula::{Pair, Slopes, Work};
use crate::distance::kernel::{Hint, Kernel};
use crate::features::Gaussian;
use crate::fisher_rao::{FisherRaoOptions, fisher_rao};

pub(super) struct ExactFisherRao;

impl Kernel for ExactFisherRao {
    fn shares_lanes(&self, _: usize) -> bool {
        false
    }

    fn keeps_hints(&self) -> bool {
        true
    }

    fn one(
        &self,
        pair: &Pair<'_, f64>,
        work: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
    ) -> f64 {
        self.one_from(pair, work, slopes, &mut Hint::new())
    }

    fn one_from(
        &self,
        pair: &Pair<'_, f64>,
        _: &mut Work<f64>,
        slopes: Option<&mut Slopes<f64>>,
        hint: &mut Hint,
    ) -> f64 {
        let side = |mean, covariance| Gaussian { order: pair.order, mean, covariance };
        let options = FisherRaoOptions {
            bounds: false,
            warm_start: (!hint.is_empty()).then_some(hint.as_slice()),
            ..FisherRaoOptions::default()
        };
        // NaN makes the loop over pairs find and report the reason.
        let Ok(found) =
            fisher_rao(side(pair.mean_a, pair.cov_a), side(pair.mean_b, pair.cov_b), &options)
        else {
            return f64::NAN;
        };
        if let Some(slopes) = slopes {
            let gradient = found.gradient();
            slopes.mean_a.copy_from_slice(&gradient.mean_p);
            slopes.cov_a.copy_from_slice(&gradient.covariance_p);
            slopes.mean_b.copy_from_slice(&gradient.mean_q);
            slopes.cov_b.copy_from_slice(&gradient.covariance_q);
        }
        *hint = found.twist;
        found.distance
    }
}
