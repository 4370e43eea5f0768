//! Optimization in subspaces: every pass adds a direction to the span of the filters and of the
//! last steps, and the problem within this span is solved before the next pass.
//!
//! Let U be an orthonormal basis of [η, H_1 … H_s, D] with D = M⁻¹·gradient. For η = UC, the
//! objective is one of the same kind in p ≤ (s+2)m dimensions (see `objective::restricted`), which
//! the L-BFGS loop optimizes from C = Uᵀη. These inner steps need no pass, and afterwards Φ_kη =
//! (Φ_kU)C. Products of steps are computed as combinations (Φ_kU)ΔC and never as differences of
//! products, which would lose digits.
//!
//! Cost of an iteration: one pass, some tens of evaluations, and about 2c·n·p² flops for
//! combinations. The idea is that of sequential subspace optimization (Narkiss & Zibulevsky, 2005).

use std::collections::VecDeque;

use super::basis::{Basis, independent};
use super::climb::{
    Climbed, GRADIENT_SHARE, Run, climb, end_without_step, ended_by_a_pass, scale_first_step,
};
use super::settling::Settling;
use super::{Control, Observer, Preconditioner, Progress, Stopping, Termination};
use crate::linalg::{Mat, MatRef, beside, inner, transpose_times};
use crate::objective::{Beside, Effort, EvaluationError, Objective, Restrictable};
use crate::parallel;

/// Number of consecutive small gains that count as convergence: fewer than along lines, because
/// each is the gain of a whole subspace.
const IN_A_ROW: usize = 3;
/// Tolerance within a subspace, as a fraction of the tolerance of the fit.
const INNER_TOLERANCE: f64 = 0.1;
/// Iterations between recomputations of the products, which remove accumulated round-off.
const REFRESH: usize = 50;

/// Ratio of the passes that L-BFGS needs to those of this optimizer.
const FEWER_PASSES: f64 = 2.5;
/// Evaluations per iteration of L-BFGS.
const LINE_EVALUATIONS: f64 = 2.5;

/// The work that is invested to make use of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    /// Number of steps that the basis keeps.
    steps: usize,
    /// Largest number of iterations within a subspace; most need one or two evaluations.
    inner: usize,
}

/// The plan if passes are cheap.
const SPARING: Plan = Plan { steps: 3, inner: 14 };
/// The plan if passes are expensive: more steps and iterations save a few more passes.
const GENEROUS: Plan = Plan { steps: 5, inner: 30 };
/// Number of vectors that a basis may always keep. With few filters, this leaves space for earlier
/// directions, which still carry information.
const ROOM: usize = 16;
/// Fraction of the cost of a pass that the larger plan may cost.
const SHARE: f64 = 0.25;

impl Plan {
    fn new(effort: Effort) -> Self {
        if GENEROUS.cost(effort) < SHARE * effort.pass { GENEROUS } else { SPARING }
    }

    /// Returns the number of vectors, in addition to the frozen ones, that a basis keeps for the
    /// next iteration.
    fn room(self, columns: usize) -> usize {
        ((self.steps + 1) * columns).max(ROOM)
    }

    /// Returns the flops of an iteration without its pass.
    fn cost(self, effort: Effort) -> f64 {
        let span = self.room(effort.columns as usize) as f64 + effort.columns;
        let step = 1.5 * effort.evaluation + 2.0 * effort.classes * span * span * effort.columns;
        self.inner as f64 * step + span * span * effort.column
    }
}

/// Returns whether the saved passes outweigh the evaluations and combinations that they require.
pub(super) fn pays(effort: Effort) -> bool {
    let line = effort.pass + LINE_EVALUATIONS * effort.evaluation;
    FEWER_PASSES * line > effort.pass + Plan::new(effort).cost(effort)
}

struct State<P> {
    start: usize,
    point: P,
    basis: Basis,
    /// The free matrix in the coordinates of the basis.
    coordinates: Mat<f64>,
    /// The last steps in the coordinates of the basis, newest first.
    steps: VecDeque<Mat<f64>>,
    /// The slope along the preconditioned gradient before the last pass.
    slope: f64,
    trace: Vec<f64>,
    settling: Settling,
    iterations: usize,
    passes: usize,
    evaluations: usize,
    end: Option<Termination>,
}

/// Optimizes from several initializations at once and returns the results in their order.
pub(crate) fn climb_in_subspaces<O: Restrictable>(
    objective: &O,
    starts: Vec<Mat<f64>>,
    preconditioner: &Preconditioner,
    stopping: Stopping,
    observer: &mut Observer<'_>,
    frozen: usize,
) -> Result<Climbed<O::Point>, EvaluationError> {
    let plan = Plan::new(objective.effort());
    let count = starts.len();
    let mut passes = 1;
    let mut states: Vec<State<O::Point>> = planted(objective, starts, None)?
        .into_iter()
        .enumerate()
        .map(|(start, (point, basis, coordinates))| State {
            start,
            trace: vec![objective.value(&point)],
            point,
            basis,
            coordinates,
            steps: VecDeque::new(),
            slope: 0.0,
            settling: Settling::after(IN_A_ROW),
            iterations: 0,
            passes: 1,
            evaluations: 1,
            end: None,
        })
        .collect();
    let mut cancelled = false;
    let mut best = highest(&states);
    for iteration in 0.. {
        let mut active: Vec<&mut State<O::Point>> =
            states.iter_mut().filter(|state| state.end.is_none()).collect();
        if active.is_empty() {
            break;
        }
        if iteration >= stopping.max_iterations || cancelled {
            let end = if cancelled { Termination::Cancelled } else { Termination::MaxIterations };
            active.iter_mut().for_each(|state| state.end = Some(end));
            break;
        }
        if iteration > 0 && iteration % REFRESH == 0 {
            renew(objective, &mut active)?;
            passes += 1;
        }
        let fresh = directions(objective, &mut active, preconditioner, &stopping);
        active.retain(|state| state.end.is_none());
        if !active.is_empty() {
            passes += usize::from(extend(objective, &mut active, fresh));
            let preconditioned = preconditioner.is_active();
            let climbing = active.len();
            let mut watch = |progress: &Progress| {
                let control = observer(&Progress {
                    active: climbing,
                    starts: count,
                    iteration: iteration + 1,
                    passes,
                    objective: progress.objective.max(best),
                    frozen,
                });
                cancelled = control == Control::Cancel;
                control
            };
            climb_within(objective, &mut active, preconditioned, &stopping, plan, &mut watch)?;
        }
        best = highest(&states);
        let progress = Progress {
            active: states.iter().filter(|state| state.end.is_none()).count(),
            starts: count,
            iteration: iteration + 1,
            passes,
            objective: best,
            frozen,
        };
        cancelled = cancelled || observer(&progress) == Control::Cancel;
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

/// Returns the highest objective of all initializations so far.
fn highest<P>(states: &[State<P>]) -> f64 {
    let values = states.iter().filter_map(|state| state.trace.last());
    values.fold(f64::NEG_INFINITY, |best, &value| best.max(value))
}

type Planted<P> = (P, Basis, Mat<f64>);

/// Creates points with orthonormal bases of their filters. Cost: one pass.
///
/// The pass multiplies the bases instead of the filters, so that nearly dependent filters do not
/// magnify its errors.
fn planted<O: Restrictable>(
    objective: &O,
    frees: Vec<Mat<f64>>,
    near: Option<Vec<&O::Point>>,
) -> Result<Vec<Planted<O::Point>>, EvaluationError> {
    let bases: Vec<Mat<f64>> = parallel::map(&frees, |free| independent(free.as_ref(), true));
    let blocks: Vec<_> = bases.iter().map(|basis| basis.as_ref()).collect();
    let images = objective.multiply(&blocks);
    let near: Vec<Option<&O::Point>> = match near {
        Some(near) => near.into_iter().map(Some).collect(),
        None => vec![None; frees.len()],
    };
    let parts = frees.into_iter().zip(bases.into_iter().zip(images)).zip(near);
    parallel::try_map(parts, |((free, (vectors, images)), near)| {
        let coordinates = transpose_times(vectors.as_ref(), free.as_ref());
        let basis = Basis::new(vectors, images, objective.forms());
        let (_, images) = basis.combined(coordinates.as_ref());
        Ok((objective.lift(free, images, near)?, basis, coordinates))
    })
}

/// Recomputes points and replaces their bases by those of their filters alone. Cost: one pass.
fn renew<O: Restrictable>(
    objective: &O,
    active: &mut [&mut State<O::Point>],
) -> Result<(), EvaluationError> {
    let frees = active.iter().map(|state| objective.free(&state.point).to_owned()).collect();
    let near = active.iter().map(|state| &state.point).collect();
    let renewed = planted(objective, frees, Some(near))?;
    for (state, (point, basis, coordinates)) in active.iter_mut().zip(renewed) {
        (state.point, state.basis, state.coordinates) = (point, basis, coordinates);
        state.steps.clear();
        state.passes += 1;
        state.evaluations += 1;
    }
    Ok(())
}

/// Returns the directions that the preconditioned gradients add to the bases. Ends the
/// initializations whose gradient vanishes.
///
/// The result may have no columns: then an optimization that did not finish continues in the same
/// span, without a pass.
fn directions<O: Restrictable>(
    objective: &O,
    active: &mut [&mut State<O::Point>],
    preconditioner: &Preconditioner,
    stopping: &Stopping,
) -> Vec<Mat<f64>> {
    let gradients: Vec<_> =
        active.iter().map(|state| (state.start, objective.gradient(&state.point))).collect();
    let solved = preconditioner.apply(&gradients);
    let fresh: Vec<Option<Mat<f64>>> =
        parallel::map(active.iter_mut().zip(solved), |(state, solved)| {
            let gradient = objective.gradient(&state.point);
            let mut direction = solved.unwrap_or_else(|| gradient.to_owned());
            scale_first_step(&mut direction, objective.moving(&state.point));
            state.slope = -inner(direction.as_ref(), gradient);
            let unit = objective.small_change(objective.value(&state.point), stopping.tolerance);
            if -state.slope < GRADIENT_SHARE * unit || state.slope.is_nan() {
                // There is nothing to gain: a step would only follow round-off.
                state.iterations += 1;
                state.end = Some(end_without_step(state.slope, unit));
                return None;
            }
            Some(state.basis.outside(direction.as_ref()))
        });
    fresh.into_iter().flatten().collect()
}

/// Adds new directions to the bases and returns whether this needed a pass.
fn extend<O: Restrictable>(
    objective: &O,
    active: &mut [&mut State<O::Point>],
    fresh: Vec<Mat<f64>>,
) -> bool {
    let mut added: Vec<_> =
        active.iter_mut().zip(fresh).filter(|(_, block)| block.ncols() > 0).collect();
    if added.is_empty() {
        return false;
    }
    let images = {
        let blocks: Vec<_> = added.iter().map(|(_, block)| block.as_ref()).collect();
        objective.multiply(&blocks)
    };
    parallel::for_each(added.iter_mut().zip(images), |((state, block), images)| {
        state.passes += 1;
        state.basis.extend(std::mem::replace(block, Mat::zeros(0, 0)), images);
    });
    true
}

/// Optimizes within the bases of all initializations in step and moves the points.
fn climb_within<O: Restrictable>(
    objective: &O,
    active: &mut [&mut State<O::Point>],
    preconditioned: bool,
    stopping: &Stopping,
    plan: Plan,
    observer: &mut Observer<'_>,
) -> Result<(), EvaluationError> {
    let restricted: Vec<O::Restricted> = parallel::map(active.iter(), |state| {
        let Basis { vectors, images, forms } = &state.basis;
        objective.restrict(vectors.as_ref(), images, forms)
    });
    let metric = if preconditioned {
        Preconditioner::Each(parallel::map(&restricted, |own| objective.metric_within(own)))
    } else {
        Preconditioner::Identity
    };
    let within = Beside(restricted.iter().map(|own| objective.within(own)).collect());
    let starts: Vec<Mat<f64>> =
        active.iter().map(|state| padded(state, &state.coordinates)).collect();
    let inner =
        Stopping { max_iterations: plan.inner, tolerance: INNER_TOLERANCE * stopping.tolerance };
    let climbed = climb(&within, starts.clone(), &metric, inner, observer, 0)?;
    let runs = active.iter_mut().zip(starts).zip(climbed.runs);
    parallel::try_map(runs, |((state, start), run)| {
        state.iterations += 1;
        state.evaluations += run.evaluations + 1;
        take(objective, state, start, within.moving(&run.point), stopping, plan)
    })
    .map(|_| ())
}

/// Returns coordinates in a basis that has been extended since they were computed.
fn padded<P>(state: &State<P>, old: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(state.basis.vectors.ncols(), old.ncols(), |i, j| {
        if i < old.nrows() { old[(i, j)] } else { 0.0 }
    })
}

/// Moves a point to the optimum within its basis, and reduces the basis to what the next iteration
/// needs: the filters and the last steps.
fn take<O: Restrictable>(
    objective: &O,
    state: &mut State<O::Point>,
    start: Mat<f64>,
    moved: MatRef<'_, f64>,
    stopping: &Stopping,
    plan: Plan,
) -> Result<(), EvaluationError> {
    let frozen = start.ncols() - moved.ncols();
    let before = objective.value(&state.point);
    let unit = objective.small_change(before, stopping.tolerance);
    let step = moved - start.subcols(frozen, moved.ncols());
    let coordinates = beside(&[start.subcols(0, frozen), moved]);
    let mut steps: VecDeque<Mat<f64>> =
        state.steps.iter().map(|step| padded(state, step)).collect();
    steps.truncate(plan.steps - 1);
    steps.push_front(step);
    let own = independent(coordinates.as_ref(), true);
    let mut kept = vec![coordinates.as_ref()];
    kept.extend(steps.iter().map(|step| step.as_ref()));
    let mut turn = independent(beside(&kept).as_ref(), true);
    let room = frozen + plan.room(moved.ncols());
    if turn.ncols() < room.min(turn.nrows()) {
        // If there is space left, the newest of the other directions are kept as well.
        let size = turn.nrows();
        let others = Mat::from_fn(size, size, |i, j| f64::from(u8::from(i + j + 1 == size)));
        turn = independent(beside(&[turn.as_ref(), others.as_ref()]).as_ref(), true);
        turn = turn.subcols(0, room.min(turn.ncols())).to_owned();
    }
    state.basis.turn(turn.as_ref(), moved.ncols());
    let lead = transpose_times(turn.subcols(0, own.ncols()), moved);
    let (block, images) = state.basis.combined(lead.as_ref());
    // Frozen columns are copied instead of recomputed, so that their bits do not change.
    let with_frozen =
        |old: MatRef<'_, f64>, new: &Mat<f64>| beside(&[old.subcols(0, frozen), new.as_ref()]);
    let free = with_frozen(objective.free(&state.point), &block);
    let images = objective
        .images(&state.point)
        .into_iter()
        .zip(&images)
        .map(|(old, new)| with_frozen(old.as_ref(), new))
        .collect();
    let point = objective.lift(free, images, Some(&state.point))?;
    let value = objective.value(&point);
    if value.is_nan() || value <= before {
        // The optimum of the whole span gains nothing, so only round-off is left.
        state.end = Some(end_without_step(state.slope, unit));
        return Ok(());
    }
    state.coordinates = transpose_times(turn.as_ref(), coordinates.as_ref());
    state.steps = steps.iter().map(|step| transpose_times(turn.as_ref(), step.as_ref())).collect();
    state.point = point;
    state.trace.push(value);
    if state.settling.has_settled(before, value, 1.0, unit) {
        state.end = Some(Termination::SmallChange);
    }
    Ok(())
}
