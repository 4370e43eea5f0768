//! A line search for the strong Wolfe conditions, by cubic interpolation within a bracket.
//!
//! A step needs no pass over the data. If evaluations are cheap, the search may therefore be nearly
//! exact (curvature 0.1); otherwise it accepts the first acceptable step (0.9). Reference: Nocedal
//! & Wright, *Numerical Optimization*, 2006, section 3.5.

/// The conditions on a step, and the limit on evaluations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wolfe {
    /// Largest fraction of the initial slope that may remain.
    pub(super) curvature: f64,
    /// Largest number of evaluations of one search.
    pub(super) max_evaluations: usize,
}

/// Fraction of the predicted decrease that a step must reach.
const DECREASE: f64 = 1e-4;
/// Largest factor by which the step grows from one trial to the next.
const GROWTH: f64 = 5.0;
/// Smallest distance of interpolated steps from the ends of the bracket, as a fraction of the
/// bracket.
const MARGIN: f64 = 0.08;
/// Length of a bracket, relative to its end, below which it is not divided further.
const SHORTEST: f64 = 1e-10;

#[derive(Debug, Clone, Copy)]
struct Evaluated {
    step: f64,
    loss: f64,
    slope: f64,
}

/// The result of a line search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// The step, or `None` if no step decreases the loss.
    pub(super) step: Option<f64>,
    pub(super) evaluations: usize,
}

/// Searches for a step; `evaluate` returns loss and slope, or `None` if there is no value.
pub(super) fn search(
    loss: f64,
    slope: f64,
    first: f64,
    wolfe: Wolfe,
    mut evaluate: impl FnMut(f64) -> Option<(f64, f64)>,
) -> Outcome {
    let start = Evaluated { step: 0.0, loss, slope };
    let mut low = start;
    let mut high: Option<Evaluated> = None;
    let mut step = first;
    for evaluations in 1..=wolfe.max_evaluations {
        let trial = match evaluate(step) {
            Some((loss, slope)) if loss.is_finite() && slope.is_finite() => {
                Evaluated { step, loss, slope }
            }
            _ => Evaluated { step, loss: f64::INFINITY, slope: f64::NAN },
        };
        let promised = loss + DECREASE * step * slope;
        if trial.loss > promised || (low.step > 0.0 && trial.loss >= low.loss) {
            high = Some(trial);
        } else {
            if trial.slope.abs() <= -wolfe.curvature * slope {
                return Outcome { step: Some(step), evaluations };
            }
            let towards = high.map_or(f64::INFINITY, |high| high.step);
            if trial.slope * (towards - low.step).signum() >= 0.0 {
                high = Some(low);
            }
            low = trial;
        }
        step = match high {
            None => {
                // The slopes of two trials predict the step at which the slope vanishes. The
                // prediction is used within limits.
                let previous = start;
                let secant = low.step
                    - low.slope * (low.step - previous.step) / (low.slope - previous.slope);
                let longest = GROWTH * low.step;
                if secant.is_finite() && secant > low.step {
                    secant.clamp(1.2 * low.step, longest)
                } else {
                    longest
                }
            }
            Some(high) => {
                let length = high.step - low.step;
                if length.abs() <= SHORTEST * low.step.max(high.step) {
                    break;
                }
                let share = interpolate(low, high).clamp(MARGIN, 1.0 - MARGIN);
                low.step + share * length
            }
        };
    }
    Outcome { step: (low.step > 0.0).then_some(low.step), evaluations: wolfe.max_evaluations }
}

/// Returns the minimum of the cubic through two trials, as a fraction of the way from the first to
/// the second.
fn interpolate(low: Evaluated, high: Evaluated) -> f64 {
    let length = high.step - low.step;
    if !high.loss.is_finite() {
        return 0.2;
    }
    if high.slope.is_finite() {
        let d1 = low.slope + high.slope - 3.0 * (low.loss - high.loss) / (low.step - high.step);
        let root = (d1 * d1 - low.slope * high.slope).sqrt() * length.signum();
        let minimum =
            high.step - length * (high.slope + root - d1) / (high.slope - low.slope + 2.0 * root);
        let share = (minimum - low.step) / length;
        if share.is_finite() {
            return share;
        }
    }
    let quadratic = -0.5 * low.slope * length / (high.loss - low.loss - low.slope * length);
    if quadratic.is_finite() { quadratic } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Wolfe = Wolfe { curvature: 0.1, max_evaluations: 30 };

    fn run(f: impl Fn(f64) -> (f64, f64), first: f64) -> f64 {
        let (loss, slope) = f(0.0);
        let outcome = search(loss, slope, first, EXACT, |step| Some(f(step)));
        let step = outcome.step.unwrap();
        let (after, there) = f(step);
        assert!(after <= loss + DECREASE * step * slope);
        assert!(there.abs() <= 0.1 * slope.abs(), "slope {there} after {slope}");
        step
    }

    #[test]
    fn finds_wolfe_steps_from_starts_far_too_short_and_far_too_long() {
        for first in [1e-6, 1e-2, 1.0, 100.0] {
            let parabola = run(|t| ((t - 3.0).powi(2), 2.0 * (t - 3.0)), first);
            assert!((parabola - 3.0).abs() < 0.31);
            run(|t| (-t / (t * t + 2.0), (t * t - 2.0) / (t * t + 2.0).powi(2)), first);
            run(|t| (t.powi(4) - 2.0 * t, 4.0 * t.powi(3) - 2.0), first);
        }
    }

    #[test]
    fn steps_back_from_where_there_is_no_value() {
        let f = |t: f64| (-(1.0 - t).ln() - 3.0 * t, 1.0 / (1.0 - t) - 3.0);
        let outcome = search(0.0, -2.0, 8.0, EXACT, |t| (t < 1.0).then(|| f(t)));
        assert!((outcome.step.unwrap() - 2.0 / 3.0).abs() < 0.07);
    }

    #[test]
    fn says_so_when_no_step_helps() {
        let outcome = search(0.0, -1e-30, 1.0, EXACT, |t| Some((t, 1.0)));
        assert!(outcome.step.is_none());
    }
}
