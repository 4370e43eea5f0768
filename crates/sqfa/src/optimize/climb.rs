//! The main loop: it computes directions for all initializations, one shared pass and a line search
//! for each, until every initialization has stopped.

use super::lbfgs::Memory;
use super::line_search::{Wolfe, search};
use super::settling::Settling;
use super::{Control, Observer, Preconditioner, Progress, Stopping, Termination};
use crate::linalg::{Mat, MatRef, column_inner, inner};
use crate::objective::{EvaluationError, Objective};
use crate::parallel;

/// Fraction of the tolerance below which a gradient counts as zero. It is compared with the change
/// of the objective along a step as long as the filters.
pub(super) const GRADIENT_SHARE: f64 = 1e-3;
/// Length of the first step, relative to the filters.
const FIRST_STEP: f64 = 0.2;
/// Iterations between recomputations of the products, which remove accumulated round-off.
const REFRESH: usize = 25;

/// The result of one initialization.
#[derive(Debug)]
pub(crate) struct Run<P> {
    pub(crate) point: P,
    pub(crate) trace: Vec<f64>,
    pub(crate) iterations: usize,
    pub(crate) passes: usize,
    pub(crate) evaluations: usize,
    pub(crate) termination: Termination,
}

/// The results of all initializations, and the number of passes that they shared.
#[derive(Debug)]
pub(crate) struct Climbed<P> {
    pub(crate) runs: Vec<Run<P>>,
    pub(crate) passes: usize,
}

struct State<P> {
    /// The index of the initialization.
    start: usize,
    point: P,
    memory: Memory,
    /// The gradient of the loss, and M⁻¹ times it if M is not the identity.
    gradient: Mat<f64>,
    preconditioned: Option<Mat<f64>>,
    trace: Vec<f64>,
    settling: Settling,
    iterations: usize,
    passes: usize,
    evaluations: usize,
    end: Option<Termination>,
}

/// Optimizes from several initializations at once and returns the results in their order.
pub(crate) fn climb<O: Objective>(
    objective: &O,
    starts: Vec<Mat<f64>>,
    preconditioner: &Preconditioner,
    stopping: Stopping,
    observer: &mut Observer<'_>,
    frozen: usize,
) -> Result<Climbed<O::Point>, EvaluationError> {
    let wolfe = Wolfe {
        curvature: if objective.evaluations_per_pass() > 10.0 { 0.1 } else { 0.9 },
        max_evaluations: 30,
    };
    let count = starts.len();
    let points = objective.at(starts).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut passes = 1;
    let mut states: Vec<State<O::Point>> = points
        .into_iter()
        .enumerate()
        .map(|(start, point)| {
            let gradient = negated(objective.gradient(&point));
            State {
                start,
                trace: vec![objective.value(&point)],
                point,
                memory: Memory::default(),
                preconditioned: None,
                gradient,
                settling: Settling::default(),
                iterations: 0,
                passes: 1,
                evaluations: 1,
                end: None,
            }
        })
        .collect();
    for iteration in 0.. {
        let mut active: Vec<&mut State<O::Point>> =
            states.iter_mut().filter(|state| state.end.is_none()).collect();
        if active.is_empty() {
            break;
        }
        if iteration >= stopping.max_iterations {
            active.iter_mut().for_each(|state| state.end = Some(Termination::MaxIterations));
            break;
        }
        if iteration > 0 && iteration % REFRESH == 0 {
            objective.refresh(active.iter_mut().map(|state| &mut state.point).collect())?;
            passes += 1;
            for state in &mut active {
                state.passes += 1;
                state.gradient = negated(objective.gradient(&state.point));
                let block = (state.start, state.gradient.as_ref());
                state.preconditioned = preconditioner.apply(&[block]).remove(0);
            }
        } else if iteration == 0 {
            precondition(&mut active, preconditioner);
        }
        let directions: Vec<Mat<f64>> =
            parallel::map(&mut active, |state| direction(objective, state));
        let searches = active
            .iter()
            .zip(directions)
            .map(|(state, direction)| (&state.point, direction))
            .collect();
        let lines = objective.along(searches);
        passes += 1;
        let old: Vec<(Mat<f64>, Mat<f64>)> =
            parallel::try_map(active.iter_mut().zip(lines), |(state, line)| {
                advance(objective, state, line, wolfe, &stopping)
            })?;
        remember(&mut active, old, preconditioner);
        let remaining = active.iter().filter(|state| state.end.is_none()).count();
        let best = states
            .iter()
            .filter_map(|state| state.trace.last())
            .fold(f64::NEG_INFINITY, |best, &value| best.max(value));
        let progress = Progress {
            active: remaining,
            starts: count,
            iteration: iteration + 1,
            passes,
            objective: best,
            frozen,
        };
        if observer(&progress) == Control::Cancel {
            let active = states.iter_mut().filter(|state| state.end.is_none());
            active.for_each(|state| state.end = Some(Termination::Cancelled));
            break;
        }
    }
    let ended = states.into_iter().map(|state| Run {
        point: state.point,
        trace: state.trace,
        iterations: state.iterations,
        passes: state.passes,
        evaluations: state.evaluations,
        termination: state.end.unwrap_or(Termination::MaxIterations),
    });
    ended_by_a_pass(objective, ended.collect(), passes)
}

/// Recomputes the final objectives in one more pass, so that the reported values are those of the
/// filters without accumulated round-off.
pub(super) fn ended_by_a_pass<O: Objective>(
    objective: &O,
    mut runs: Vec<Run<O::Point>>,
    passes: usize,
) -> Result<Climbed<O::Point>, EvaluationError> {
    objective.refresh(runs.iter_mut().map(|run| &mut run.point).collect())?;
    for run in &mut runs {
        if let Some(last) = run.trace.last_mut() {
            *last = objective.value(&run.point);
        }
        run.passes += 1;
        run.evaluations += 1;
    }
    Ok(Climbed { runs, passes: passes + 1 })
}

pub(super) fn negated(block: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(block.nrows(), block.ncols(), |i, j| -block[(i, j)])
}

fn precondition<P>(active: &mut [&mut State<P>], preconditioner: &Preconditioner) {
    let blocks: Vec<_> =
        active.iter().map(|state| (state.start, state.gradient.as_ref())).collect();
    let solved = preconditioner.apply(&blocks);
    for (state, preconditioned) in active.iter_mut().zip(solved) {
        state.preconditioned = preconditioned;
    }
}

/// Returns the next direction. Without any curvature information, it is scaled relative to the
/// filters.
fn direction<O: Objective>(objective: &O, state: &mut State<O::Point>) -> Mat<f64> {
    let preconditioned = state.preconditioned.as_ref().map(|block| block.as_ref());
    let mut direction = state.memory.direction(state.gradient.as_ref(), preconditioned);
    let slope = inner(direction.as_ref(), state.gradient.as_ref());
    if !state.memory.is_empty() && (slope.is_nan() || slope >= 0.0) {
        state.memory.clear();
        direction = negated(preconditioned.unwrap_or(state.gradient.as_ref()));
    }
    if state.memory.is_empty() {
        scale_first_step(&mut direction, objective.moving(&state.point));
    }
    direction
}

/// Scales a direction without a natural length so that no column changes by more than a fraction of
/// its length.
pub(super) fn scale_first_step(direction: &mut Mat<f64>, moving: MatRef<'_, f64>) {
    let longest = (0..moving.ncols())
        .map(|j| {
            let length = column_inner(direction.as_ref(), direction.as_ref(), j);
            (length / column_inner(moving, moving, j)).sqrt()
        })
        .fold(0.0_f64, f64::max);
    if longest > 0.0 {
        let factor = FIRST_STEP / longest;
        for j in 0..direction.ncols() {
            direction.as_mut().col_mut(j).iter_mut().for_each(|value| *value *= factor);
        }
    }
}

/// Searches one line and moves the point. Returns the step and the gradient before it.
fn advance<O: Objective>(
    objective: &O,
    state: &mut State<O::Point>,
    line: O::Line,
    wolfe: Wolfe,
    stopping: &Stopping,
) -> Result<(Mat<f64>, Mat<f64>), EvaluationError> {
    let mut line = line;
    let none = || (Mat::zeros(0, 0), Mat::zeros(0, 0));
    state.iterations += 1;
    state.passes += 1;
    let before = objective.value(&state.point);
    let unit = objective.small_change(before, stopping.tolerance);
    // The slope at 0 follows from quantities that are known at the point.
    let slope = -objective.try_step(&state.point, &mut line, 0.0)?.1;
    if slope.is_nan() || slope >= 0.0 {
        state.end = Some(end_without_step(slope, unit));
        return Ok(none());
    }
    if -slope < GRADIENT_SHARE * unit {
        // There is nothing to gain: a step would only follow round-off.
        state.end = Some(Termination::SmallGradient);
        return Ok(none());
    }
    let outcome = search(-before, slope, 1.0, wolfe, |step| {
        objective
            .try_step(&state.point, &mut line, step)
            .ok()
            .map(|(value, slope)| (-value, -slope))
    });
    state.evaluations += outcome.evaluations;
    let Some(step) = outcome.step else {
        if state.memory.is_empty() {
            state.end = Some(end_without_step(slope, unit));
        } else {
            // The curvature may be misleading, so the next iteration uses the preconditioned
            // gradient alone.
            state.memory.clear();
        }
        return Ok(none());
    };
    let position = objective.moving(&state.point).to_owned();
    objective.take_step(&mut state.point, line, step)?;
    let moved = objective.moving(&state.point) - &position;
    let gradient = negated(objective.gradient(&state.point));
    let old = std::mem::replace(&mut state.gradient, gradient);
    let value = objective.value(&state.point);
    state.trace.push(value);
    if state.settling.has_settled(before, value, step, unit) {
        state.end = Some(Termination::SmallChange);
    }
    Ok((moved, old))
}

/// Returns the reason to stop if no step was found: an optimum if even the model predicts no gain.
pub(super) fn end_without_step(slope: f64, unit: f64) -> Termination {
    if slope.abs() < unit { Termination::SmallGradient } else { Termination::NoProgress }
}

/// Stores the observed curvature and preconditions the new gradients.
fn remember<P: Send>(
    active: &mut [&mut State<P>],
    old: Vec<(Mat<f64>, Mat<f64>)>,
    preconditioner: &Preconditioner,
) {
    let blocks: Vec<_> =
        active.iter().map(|state| (state.start, state.gradient.as_ref())).collect();
    let solved = preconditioner.apply(&blocks);
    for ((state, (step, gradient)), preconditioned) in active.iter_mut().zip(old).zip(solved) {
        if step.nrows() > 0 {
            let change = &state.gradient - &gradient;
            let preconditioned_change = preconditioned
                .as_ref()
                .zip(state.preconditioned.as_ref())
                .map(|(new, old)| new - old);
            state.memory.push(step, change, preconditioned_change);
        }
        state.preconditioned = preconditioned;
    }
}
