//! A minimum of E(W) near an initial twist: Newton steps by conjugate gradients within a trust
//! region.
//!
//! The Newton equation is solved only as accurately as the current gradient warrants. The conjugate
//! gradients stop at the boundary of the region or along a direction of negative curvature
//! (Steihaug). A step is accepted if E decreases by a fraction of the decrease that the quadratic
//! model predicts. If the predicted decrease is below the round-off of E, the step is accepted if
//! the gradient decreases.
//!
//! The search ends when the residual meets the tolerance and the model predicts no further
//! decrease. Both conditions are necessary: far apart, where W is large, the residual alone may be
//! small before E is minimal.
//!
//! Cost: 4–7 evaluations of the lift (d = 8, distances 2–8), each followed by 3–10 curvature
//! products. Reference: Nocedal & Wright, *Numerical Optimization*, 2006, algorithms 4.1 and 7.2.

use super::curvature::{Curvature, Rescaling};
use super::frame::{FramedPair, dot};
use super::lift::{Lift, Scales};
use super::rotations::norm;

/// The pair, and what the search computes once per pair.
pub(super) struct Problem<'a> {
    pub(super) pair: &'a FramedPair,
    pub(super) scales: &'a Scales,
    pub(super) rescaling: &'a Rescaling,
    pub(super) tolerance: f64,
}

/// Fraction of the predicted decrease that an accepted step must reach.
const KEPT: f64 = 1e-4;
/// Relative change of E that may be round-off alone.
const NOISE: f64 = 1e-13;
/// Predicted relative decrease of E, as a fraction of the tolerance, below which E counts as
/// minimal.
const VALUE: f64 = 1e-3;
/// Lower bound on the curvature at minima in the rescaled coordinates; smaller values were never
/// observed.
const FLATTEST: f64 = 1e-2;
/// Initial radius in the rescaled coordinates, in which the region of interest has a size of about
/// 1.
const RADIUS: f64 = 2.0;
/// Radius below which no step can succeed.
const SMALLEST: f64 = 1e-12;
/// Number of steps at the level of round-off that do not halve the residual, after which the search
/// stops.
const PATIENCE: usize = 3;

/// A step, with the decrease of E that the quadratic model predicts for it.
struct Step {
    values: Vec<f64>,
    length: f64,
    promised: f64,
    /// Whether the step ended inside the region, and only met positive curvature.
    inside: bool,
}

/// The result of a descent.
pub(super) struct Found {
    pub(super) lift: Lift,
    /// Whether the residual meets the tolerance and E cannot decrease further.
    pub(super) settled: bool,
}

impl Problem<'_> {
    /// Decreases E until it is minimal, nothing improves or `budget` evaluations are used up.
    pub(super) fn descend(&self, start: Lift, budget: usize, evaluations: &mut usize) -> Found {
        let mut here = start;
        let mut radius = RADIUS;
        let mut stalled = 0;
        let mut curvature = Curvature::new(&here, self.rescaling);
        loop {
            let small = here.residual.max(here.noise()) <= self.tolerance;
            if small && self.is_negligible(&curvature, &here) {
                return Found { lift: here, settled: true };
            }
            let step = truncated_newton(&mut curvature, here.residual, radius);
            if small && step.inside && step.promised.abs() <= VALUE * self.tolerance * here.energy {
                return Found { lift: here, settled: true };
            }
            if *evaluations >= budget || radius < SMALLEST || stalled >= PATIENCE {
                return Found { lift: here, settled: false };
            }
            let next = self.moved(&here, &step.values);
            *evaluations += 1;
            let mut fresh = None;
            let quality = if step.promised > NOISE * here.energy {
                (here.energy - next.energy) / step.promised
            } else {
                // E does not change by more than round-off here, so the gradient decides.
                stalled += usize::from(next.residual > 0.5 * here.residual);
                let trial = fresh.insert(Curvature::new(&next, self.rescaling));
                f64::from(u8::from(norm(&trial.gradient) < norm(&curvature.gradient)))
            };
            if quality < 0.25 || quality.is_nan() {
                radius = 0.25 * step.length;
            } else if quality > 0.75 && step.length > 0.99 * radius {
                radius *= 2.0;
            }
            if quality > KEPT {
                curvature = fresh.unwrap_or_else(|| Curvature::new(&next, self.rescaling));
                here = next;
            }
        }
    }

    /// Returns whether the gradient is so small that E cannot decrease noticeably, whatever the
    /// curvature.
    fn is_negligible(&self, curvature: &Curvature<'_>, here: &Lift) -> bool {
        let limit = FLATTEST * VALUE * self.tolerance * here.energy;
        let gradient = &curvature.gradient;
        dot(gradient, gradient) <= 2.0 * limit
    }

    /// Returns the lift after a step, whose twist is made exactly skew.
    fn moved(&self, here: &Lift, step: &[f64]) -> Lift {
        let n = here.order;
        let direction = self.rescaling.expand(step);
        let mut twist = here.twist.clone();
        for i in 0..n {
            for j in 0..i {
                let (low, high) = (i * n + j, j * n + i);
                let value = twist[low] + 0.5 * (direction[low] - direction[high]);
                twist[low] = value;
                twist[high] = -value;
            }
        }
        Lift::new(self.pair, self.scales, twist, Some(&here.right))
    }
}

/// Returns an approximate minimizer of the quadratic model within the region.
fn truncated_newton(curvature: &mut Curvature<'_>, residual: f64, radius: f64) -> Step {
    let size = curvature.gradient.len();
    let mut values = vec![0.0; size];
    let mut rest: Vec<f64> = curvature.gradient.iter().map(|value| -value).collect();
    let mut direction = rest.clone();
    let mut product = vec![0.0; size];
    let mut square = dot(&rest, &rest);
    // This accuracy makes the residual converge quadratically.
    let goal = square * residual.min(0.1).powi(2);
    let mut inside = true;
    for _ in 0..size {
        curvature.apply(&direction, &mut product);
        let bend = dot(&direction, &product);
        let edge = to_edge(&values, &direction, radius);
        inside = bend > 0.0 && square < edge * bend;
        let pace = if inside { square / bend } else { edge };
        for i in 0..size {
            values[i] += pace * direction[i];
            rest[i] -= pace * product[i];
        }
        let next = dot(&rest, &rest);
        if !inside || next <= goal {
            break;
        }
        let turn = next / square;
        square = next;
        for i in 0..size {
            direction[i] = rest[i] + turn * direction[i];
        }
    }
    // With rest = −gradient − Hess·step, the decrease of the model needs no further product.
    let promised = 0.5 * (dot(&values, &rest) - dot(&values, &curvature.gradient));
    Step { length: norm(&values), values, promised, inside }
}

/// Returns the multiple of `direction` that leads from `values` to the boundary of the region.
fn to_edge(values: &[f64], direction: &[f64], radius: f64) -> f64 {
    let (a, b) = (dot(direction, direction), dot(values, direction));
    let room = (radius * radius - dot(values, values)).max(0.0);
    let root = (b * b + a * room).sqrt();
    // The positive root of |values + t·direction| = radius, without cancellation.
    if b > 0.0 { room / (b + root) } else { (root - b) / a }
}
