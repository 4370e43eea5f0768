//! The minimum of E(W) near one start: Newton steps by conjugate gradients inside a trust region.
//!
//! The Newton equation is solved only as well as the current gradient deserves, and left at the edge of
//! the region or along a direction of negative curvature (Steihaug). A step is kept when E falls by a
//! share of what the quadratic model promised; where E no longer resolves that, when the gradient falls.
//! The search ends when the residual meets the tolerance and the model promises nothing more: far apart,
//! where W is large, the residual alone may be small before E is.
//! Cost: 4–7 evaluations of the lift (d = 8, distances 2–8), each followed by 3–10 curvature products.
//! Reference: Nocedal & Wright, *Numerical Optimization*, 2006, algorithms 4.1 and 7.2.

use super::curvature::{Curvature, Rescaling};
use super::frame::{FramedPair, dot};
use super::lift::{Lift, Scales};
use super::rotations::norm;

/// What the search needs to know of a pair.
pub(super) struct Problem<'a> {
    pub(super) pair: &'a FramedPair,
    pub(super) scales: &'a Scales,
    pub(super) rescaling: &'a Rescaling,
    pub(super) tolerance: f64,
}

/// Share of the promised decrease that a step must keep.
const KEPT: f64 = 1e-4;
/// Relative change of E that round-off can fake.
const NOISE: f64 = 1e-13;
/// Promised relative decrease of E, as a share of the tolerance, below which E is settled.
const VALUE: f64 = 1e-3;
/// Curvature below any seen at a minimum in the rescaled coordinates.
const FLATTEST: f64 = 1e-2;
/// First radius in the rescaled coordinates, where the whole region of interest has size about one.
const RADIUS: f64 = 2.0;
/// Radius below which no step can succeed.
const SMALLEST: f64 = 1e-12;
/// Steps at the level of round-off that do not halve the residual, after which it is as small as it gets.
const PATIENCE: usize = 3;

/// A step and the decrease of E that the quadratic model promises for it.
struct Step {
    values: Vec<f64>,
    length: f64,
    promised: f64,
    /// Whether it ended inside the region, with positive curvature all along.
    inside: bool,
}

/// Where a descent ended.
pub(super) struct Found {
    pub(super) lift: Lift,
    /// Whether the residual meets the tolerance and E has nothing left to lose.
    pub(super) settled: bool,
}

impl Problem<'_> {
    /// Follows E downhill until it is settled, nothing improves, or `budget` is spent.
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
                // E is flat to round-off here: judge by the gradient.
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

    /// Whether the gradient is so small that E cannot fall noticeably, whatever the curvature.
    fn is_negligible(&self, curvature: &Curvature<'_>, here: &Lift) -> bool {
        let limit = FLATTEST * VALUE * self.tolerance * here.energy;
        let gradient = &curvature.gradient;
        dot(gradient, gradient) <= 2.0 * limit
    }

    /// The lift one step further, its twist kept exactly skew.
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

/// An approximate minimizer of the quadratic model inside the region.
fn truncated_newton(curvature: &mut Curvature<'_>, residual: f64, radius: f64) -> Step {
    let size = curvature.gradient.len();
    let mut values = vec![0.0; size];
    let mut rest: Vec<f64> = curvature.gradient.iter().map(|value| -value).collect();
    let mut direction = rest.clone();
    let mut product = vec![0.0; size];
    let mut square = dot(&rest, &rest);
    // Tight enough for the residual to fall quadratically.
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
    // With rest = −gradient − Hess·step the model's decrease needs no further product.
    let promised = 0.5 * (dot(&values, &rest) - dot(&values, &curvature.gradient));
    Step { length: norm(&values), values, promised, inside }
}

/// How far one can go from `values` along `direction` before leaving the region.
fn to_edge(values: &[f64], direction: &[f64], radius: f64) -> f64 {
    let (a, b) = (dot(direction, direction), dot(values, direction));
    let room = (radius * radius - dot(values, values)).max(0.0);
    let root = (b * b + a * room).sqrt();
    // The positive root of |values + t·direction| = radius, without cancellation.
    if b > 0.0 { room / (b + root) } else { (root - b) / a }
}
