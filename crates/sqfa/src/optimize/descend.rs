//! L-BFGS for a plain function, whose loss and gradient are evaluated at every trial step.
//!
//! It is for losses without the cheap lines of an [`Objective`](crate::objective::Objective). Every
//! evaluation is expensive, so the first step that satisfies the strong Wolfe conditions is
//! accepted, which usually is the first trial.

use super::climb::{GRADIENT_SHARE, end_without_step, negated, scale_first_step};
use super::lbfgs::Memory;
use super::line_search::{Wolfe, search};
use super::settling::Settling;
use super::{Control, Observer, Progress, Stopping, Termination};
use crate::linalg::{Mat, MatRef, add_scaled, inner};

const WOLFE: Wolfe = Wolfe { curvature: 0.9, max_evaluations: 15 };

/// The result of a descent.
#[derive(Debug)]
pub(crate) struct Descended {
    pub(crate) point: Mat<f64>,
    pub(crate) loss: f64,
    /// The initial loss and the loss after every iteration.
    pub(crate) trace: Vec<f64>,
    pub(crate) iterations: usize,
    pub(crate) termination: Termination,
}

/// Minimizes a function from an initial point; `evaluate` returns loss and gradient.
///
/// An error at the initial point is returned. An error at a trial step shortens the step.
pub(crate) fn descend<E>(
    start: Mat<f64>,
    mut evaluate: impl FnMut(MatRef<'_, f64>) -> Result<(f64, Mat<f64>), E>,
    stopping: Stopping,
    observer: &mut Observer<'_>,
) -> Result<Descended, E> {
    let mut point = start;
    let (mut loss, mut gradient) = evaluate(point.as_ref())?;
    let mut evaluations = 1;
    let mut trace = vec![loss];
    let mut memory = Memory::default();
    let (mut iterations, mut settling) = (0, Settling::default());
    let termination = loop {
        if iterations >= stopping.max_iterations {
            break Termination::MaxIterations;
        }
        let unit = stopping.tolerance * loss.abs().max(1.0);
        let mut direction = memory.direction(gradient.as_ref(), None);
        let mut slope = inner(direction.as_ref(), gradient.as_ref());
        if !memory.is_empty() && (slope.is_nan() || slope >= 0.0) {
            memory.clear();
            direction = negated(gradient.as_ref());
        }
        if memory.is_empty() {
            scale_first_step(&mut direction, point.as_ref());
            slope = inner(direction.as_ref(), gradient.as_ref());
        }
        if slope.is_nan() || slope >= 0.0 {
            break end_without_step(slope, unit);
        }
        if -slope < GRADIENT_SHARE * unit {
            break Termination::SmallGradient;
        }
        iterations += 1;
        let mut latest = None;
        let mut attempt = |step: f64| {
            let mut trial = point.clone();
            add_scaled(trial.as_mut(), step, direction.as_ref());
            evaluations += 1;
            let (loss, gradient) = evaluate(trial.as_ref()).ok()?;
            let slope = inner(direction.as_ref(), gradient.as_ref());
            latest = Some((step, trial, loss, gradient));
            Some((loss, slope))
        };
        let found = search(loss, slope, 1.0, WOLFE, &mut attempt).step;
        let Some(step) = found else {
            if memory.is_empty() {
                break end_without_step(slope, unit);
            }
            // The curvature may be misleading, so the next iteration uses the gradient alone.
            memory.clear();
            continue;
        };
        // The search may return a step that was not its last trial.
        if latest.as_ref().is_none_or(|(last, ..)| *last != step) {
            let mut attempt = |step: f64| {
                let mut trial = point.clone();
                add_scaled(trial.as_mut(), step, direction.as_ref());
                evaluations += 1;
                let (loss, gradient) = evaluate(trial.as_ref())?;
                Ok((step, trial, loss, gradient))
            };
            latest = Some(attempt(step)?);
        }
        let Some((_, moved, new_loss, new_gradient)) = latest else {
            break Termination::NoProgress;
        };
        memory.push(&moved - &point, &new_gradient - &gradient, None);
        let before = loss;
        (point, loss, gradient) = (moved, new_loss, new_gradient);
        trace.push(loss);
        if settling.has_settled(before, loss, step, unit) {
            break Termination::SmallChange;
        }
        let progress = Progress::of_one(iterations, evaluations, loss);
        if observer(&progress) == Control::Cancel {
            break Termination::Cancelled;
        }
    };
    Ok(Descended { point, loss, trace, iterations, termination })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Stopping = Stopping { max_iterations: 2000, tolerance: 1e-14 };

    /// Returns value and gradient of the Rosenbrock function, whose minimum is 0 at a vector of ones.
    fn valley(x: MatRef<'_, f64>) -> Result<(f64, Mat<f64>), ()> {
        let mut gradient = Mat::zeros(x.nrows(), x.ncols());
        let mut loss = 0.0;
        for j in 0..x.ncols() {
            let (a, b) = (x[(0, j)], x[(1, j)]);
            loss += (1.0 - a).powi(2) + 100.0 * (b - a * a).powi(2);
            gradient[(0, j)] = -2.0 * (1.0 - a) - 400.0 * a * (b - a * a);
            gradient[(1, j)] = 200.0 * (b - a * a);
        }
        Ok((loss, gradient))
    }

    #[test]
    fn reaches_the_minimum_of_a_curved_valley() {
        let start = Mat::from_fn(2, 3, |i, j| if i == 0 { -1.2 } else { 1.0 + j as f64 });
        let found = descend(start, valley, TIGHT, &mut |_| Control::Continue).unwrap();
        assert!(found.termination.converged(), "{:?}", found.termination);
        assert!(found.trace.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(found.trace.len(), found.iterations + 1);
        assert!((0..3).all(|j| (found.point[(0, j)] - 1.0).abs() < 1e-5), "{:?}", found.point);
        assert_eq!(found.loss, valley(found.point.as_ref()).unwrap().0);
    }

    #[test]
    fn stops_when_told_to() {
        let start = || Mat::from_fn(2, 1, |i, _| if i == 0 { -1.2 } else { 1.0 });
        let few = Stopping { max_iterations: 3, ..TIGHT };
        let found = descend(start(), valley, few, &mut |_| Control::Continue).unwrap();
        assert_eq!((found.iterations, found.termination), (3, Termination::MaxIterations));
        let mut seen = 0;
        let found = descend(start(), valley, TIGHT, &mut |progress| {
            seen = progress.iteration;
            if seen == 2 { Control::Cancel } else { Control::Continue }
        });
        let found = found.unwrap();
        assert_eq!((seen, found.termination), (2, Termination::Cancelled));
    }

    #[test]
    fn a_missing_value_shortens_the_step_and_at_the_start_is_an_error() {
        let log = |x: MatRef<'_, f64>| {
            let t = x[(0, 0)];
            if t <= 0.0 {
                Err(t)
            } else {
                Ok((t - t.ln(), Mat::from_fn(1, 1, |_, _| 1.0 - 1.0 / t)))
            }
        };
        let from =
            |t: f64| descend(Mat::from_fn(1, 1, |_, _| t), log, TIGHT, &mut |_| Control::Continue);
        assert!((from(30.0).unwrap().point[(0, 0)] - 1.0).abs() < 1e-6);
        assert_eq!(from(-1.0).unwrap_err(), -1.0);
    }
}
