//! Climbing in subspaces: one pass buys the span of the filters, of the last steps and of a new direction, and the problem
//! within that span is climbed to its end before the next pass.
//!
//! With U an orthonormal basis of [η, H_1 … H_s, D], D = M⁻¹·gradient, the objective of η = UC is one of its own kind in
//! p ≤ (s+2)m dimensions (`objective::restricted`); the climb of whole problems climbs it from C = Uᵀη. Its steps need no pass, and
//! afterwards Φ_kη = (Φ_kU)C. Products of steps are combinations (Φ_kU)ΔC, never differences of products.
//! Cost of an iteration: one pass, some tens of evaluations, and about 2c·n·p² flops of combining.
//! The idea is that of sequential subspace optimization (Narkiss & Zibulevsky, 2005).

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

/// Small gains in a row that count as convergence: fewer than along lines, because each is that of a whole subspace.
const IN_A_ROW: usize = 3;
/// The climb within a subspace may stop at changes of this share of the tolerance.
const INNER_TOLERANCE: f64 = 0.1;
/// Iterations between recomputations that keep round-off from drifting.
const REFRESH: usize = 50;

/// Passes that L-BFGS needs for one of this, and the evaluations an iteration of it takes.
const FEWER_PASSES: f64 = 2.5;
const LINE_EVALUATIONS: f64 = 2.5;

/// How much of a pass is spent on making use of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    /// Steps that are remembered.
    steps: usize,
    /// Iterations within a subspace at most; most take one or two evaluations.
    inner: usize,
}

/// Enough where passes are cheap; where they are dear, more steps and more iterations save a few more of them.
const SPARING: Plan = Plan { steps: 3, inner: 14 };
const GENEROUS: Plan = Plan { steps: 5, inner: 30 };
/// Vectors that a basis may always keep: few filters leave room for what earlier directions said.
const ROOM: usize = 16;
/// The share of a pass that being generous may cost.
const SHARE: f64 = 0.25;

impl Plan {
    fn new(effort: Effort) -> Self {
        if GENEROUS.cost(effort) < SHARE * effort.pass { GENEROUS } else { SPARING }
    }

    /// Vectors of a basis that are kept for the next iteration, beside frozen ones.
    fn room(self, columns: usize) -> usize {
        ((self.steps + 1) * columns).max(ROOM)
    }

    /// Flops of an iteration beside its pass.
    fn cost(self, effort: Effort) -> f64 {
        let span = self.room(effort.columns as usize) as f64 + effort.columns;
        let step = 1.5 * effort.evaluation + 2.0 * effort.classes * span * span * effort.columns;
        self.inner as f64 * step + span * span * effort.column
    }
}

/// Whether fewer passes are worth the evaluations and combinations they cost.
pub(super) fn pays(effort: Effort) -> bool {
    let line = effort.pass + LINE_EVALUATIONS * effort.evaluation;
    FEWER_PASSES * line > effort.pass + Plan::new(effort).cost(effort)
}

struct State<P> {
    start: usize,
    point: P,
    basis: Basis,
    /// The free matrix in the basis.
    coordinates: Mat<f64>,
    /// The last steps in the basis, newest first.
    steps: VecDeque<Mat<f64>>,
    /// The slope along the gradient as it was before the last pass.
    slope: f64,
    trace: Vec<f64>,
    settling: Settling,
    iterations: usize,
    passes: usize,
    evaluations: usize,
    end: Option<Termination>,
}

/// Climbs from several starts at once; returns them in order.
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

/// The highest objective of all starts so far.
fn highest<P>(states: &[State<P>]) -> f64 {
    let values = states.iter().filter_map(|state| state.trace.last());
    values.fold(f64::NEG_INFINITY, |best, &value| best.max(value))
}

type Planted<P> = (P, Basis, Mat<f64>);

/// Points with orthonormal bases of their own filters: the pass is over the bases, so that filters which nearly depend on
/// each other magnify nothing. One pass.
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

/// Recomputes points and begins their bases anew. One pass.
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

/// What the preconditioned gradients add to the bases, which may be nothing: then a climb that did not end goes on in the same
/// span, without a pass. Ends the starts whose gradient vanishes.
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
                // Nothing to gain: a step would only follow round-off.
                state.iterations += 1;
                state.end = Some(end_without_step(state.slope, unit));
                return None;
            }
            Some(state.basis.outside(direction.as_ref()))
        });
    fresh.into_iter().flatten().collect()
}

/// Takes new directions into the bases; says whether that took a pass.
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

/// Climbs within the bases of all starts in step and moves the points.
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

/// Coordinates in a basis that has been extended since.
fn padded<P>(state: &State<P>, old: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(state.basis.vectors.ncols(), old.ncols(), |i, j| {
        if i < old.nrows() { old[(i, j)] } else { 0.0 }
    })
}

/// Moves a point to where the climb within its basis ended, and keeps of the basis what the next one needs: the filters and
/// the last steps.
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
        // Where filters and steps leave room, the newest of the other directions stay, too.
        let size = turn.nrows();
        let others = Mat::from_fn(size, size, |i, j| f64::from(u8::from(i + j + 1 == size)));
        turn = independent(beside(&[turn.as_ref(), others.as_ref()]).as_ref(), true);
        turn = turn.subcols(0, room.min(turn.ncols())).to_owned();
    }
    state.basis.turn(turn.as_ref(), moved.ncols());
    let lead = transpose_times(turn.subcols(0, own.ncols()), moved);
    let (block, images) = state.basis.combined(lead.as_ref());
    // Frozen columns are copied, not recomputed.
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
        // The best of the whole span gains nothing: what is left is round-off.
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
