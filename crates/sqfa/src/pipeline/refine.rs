//! Refinement of filters, with the number of iterations and the noise selected on held-out samples.
//!
//! On the training side of every fold, the filters of the method are optimized for the mean log
//! posterior in several rounds, and the held-out samples are scored after each round. The round and
//! the noise with the best mean score are selected if the score is better than that of the initial
//! filters by more than two standard errors and the accuracy is not lower. The filters are then
//! optimized on all samples for the same number of iterations. Otherwise the filters do not change.

use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::linalg::{Mat, transpose_times};
use crate::model::{with_fixed_signs, with_unit_length};
use crate::objective::LabeledRows;
use crate::optimize::{Observer, Optimizer, Termination};
use crate::points::Points;
use crate::reduce::ReduceError;
use crate::transform::Features;

use super::climb::{Climbed, basis_around, climb_posterior};
use super::in_memory::Arm;
use super::learn::{Found, Job, Outcome};
use super::rule::{CLEARLY, PATIENCE, ROUND_NOISES, ROUNDS};
use super::score::{Compared, Scores};
use super::side::Side;
use super::space::Space;
use super::{Fitted, Labeled, NoChoice, Parts, Pipeline, PipelineError, nested};

/// The score of one noise and one number of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RefinementTrial {
    /// The noise, as a fraction of the mean within-class variance.
    pub noise: f64,
    /// The number of iterations from the initial filters.
    pub steps: usize,
    /// The mean ln p(true class) over held-out samples, each at least ln 0.05. `None` if trials
    /// were compared by accuracy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_posterior: Option<f64>,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// The selected number of iterations of a refinement, with all trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefinementChoice {
    /// The selected number of iterations, or 0 if the filters were not refined.
    pub steps: usize,
    /// The noise of the best trial, as a fraction of the mean within-class variance.
    pub noise: f64,
    /// The difference between the mean log posteriors of the best trial and of the initial filters,
    /// if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// The held-out accuracy of the selection: for each fold, that of the trial which the other
    /// folds select.
    pub accuracy: f64,
    /// All trials. The first one is that of the initial filters.
    pub trials: Vec<RefinementTrial>,
}

/// The difference between two mean log posteriors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The difference.
    pub mean: f64,
    /// The standard error of the difference, paired sample by sample.
    pub error: f64,
}

impl RefinementChoice {
    /// Returns the held-out accuracy before the refinement, or `None` without trials.
    pub fn before(&self) -> Option<f64> {
        self.trials.first().map(|trial| trial.accuracy)
    }

    /// Returns the number of iterations, the noise and the held-out accuracies by stable names.
    pub fn facts(&self) -> Vec<(&'static str, f64)> {
        let before = self.before().map(|accuracy| ("held-out accuracy before", accuracy));
        let mut facts =
            vec![("refinement steps", self.steps as f64), ("refinement noise", self.noise)];
        facts.extend(before);
        facts.push(("held-out accuracy after", self.accuracy));
        facts
    }
}

/// The coordinates in which filters are refined if the samples are on other machines.
#[derive(Debug)]
pub struct RefinementSpace {
    /// The filters whose features are the coordinates, one per column, for raw samples.
    pub filters: Mat<f64>,
    /// The offset that is added to these features.
    pub offset: Option<Vec<f64>>,
    /// The filters as an orthonormal basis of the preprocessed columns that were kept.
    basis: Mat<f64>,
}

/// The optimization on one fold: its filters, the coordinates it uses, and the rows that score it.
struct Climb<'p, 'a> {
    side: Side,
    parts: &'p Parts<'a>,
    held: Vec<usize>,
    points: Coordinates,
    filters: Mat<f64>,
}

impl<'p, 'a> Climb<'p, 'a> {
    /// Prepares the optimization on training rows from filters of preprocessed columns.
    fn new(
        side: Side,
        parts: &'p Parts<'a>,
        held: Vec<usize>,
        learned: &[usize],
        start: &Mat<f64>,
    ) -> Self {
        let points = Coordinates::new(parts, learned, &side.space);
        let filters = with_unit_length(side.space.lower(start.as_ref()));
        Self { side, parts, held, points, filters }
    }

    /// Returns the scores of filters on the held-out rows.
    fn score(&self, filters: &Mat<f64>) -> Result<Scores, PipelineError> {
        let scorer = self.side.scorer(filters);
        Ok(scorer.scores(self.parts.data(), self.held.iter().copied())?)
    }
}

/// Samples in the coordinates of a space. Weights are represented by repeated rows.
struct Coordinates {
    features: Features,
    rows: Vec<usize>,
    codes: Vec<u32>,
}

impl Coordinates {
    fn new(parts: &Parts<'_>, rows: &[usize], space: &Space) -> Self {
        let data = parts.data();
        let features = space.coordinates(data.points, rows);
        let repeated: Vec<usize> = (0..rows.len())
            .flat_map(|at| std::iter::repeat_n(at, data.weight(rows[at]) as usize))
            .collect();
        let codes = repeated.iter().map(|&at| data.labels.codes()[rows[at]]).collect();
        Self { features, rows: repeated, codes }
    }

    fn labeled(&self, order: usize) -> LabeledRows<'_> {
        LabeledRows {
            points: self.features.as_points(order),
            preprocessor: None,
            rows: self.rows.clone(),
            codes: self.codes.clone(),
        }
    }

    /// Optimizes filters for a number of iterations.
    fn climb(
        &self,
        space: &Space,
        filters: &Mat<f64>,
        fraction: f64,
        iterations: usize,
        optimizer: Optimizer,
        observer: &mut Observer<'_>,
    ) -> Result<Climbed, PipelineError> {
        let (statistics, filters) = (&space.statistics, filters.clone());
        let samples = self.labeled(statistics.dimension());
        climb_posterior(statistics, samples, filters, fraction, iterations, optimizer, observer)
            .map_err(|error| ReduceError::from(error).into())
    }
}

impl Pipeline {
    /// Refines filters on the folds on which scaling and noise were selected, starting with the
    /// filters of each fold. If nothing was selected, the method is fitted to each fold first.
    pub(crate) fn refine(
        &self,
        outcome: Outcome,
        job: Job<'_>,
        arms: &[Arm<'_>],
        starts: Option<&[(usize, Mat<f64>)]>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let Some(parts) = job.parts else {
            return Err(PipelineError::Count { why: NoChoice::NoPoints });
        };
        let own =
            outcome.fitted.record.selection.as_ref().map(|selection| selection.candidate.scaling);
        let arm = arms.iter().find(|arm| Some(arm.scaling) == own);
        let (Some(arm), Some(starts)) = (arm, starts) else {
            return self.refine_anew(outcome, parts, job.dropped, false, observer);
        };
        let mut climbs = Vec::new();
        let folds = arm.held();
        for (fold, start) in starts {
            let held = &folds[*fold];
            let parts = arm.parts(held);
            let learned = parts.leave_out(held.fold).learned();
            let rows = held.rows().collect();
            climbs.push(Climb::new(arm.side(held)?, parts, rows, &learned, start));
        }
        let labels = parts.data().labels;
        let (choice, cancelled) = self.choose(&climbs, labels, observer)?;
        drop(climbs);
        let inside = || Ok(within(self.space(job, arm.scaling, false)?, parts));
        self.follow(outcome.fitted, choice, cancelled, inside, observer)
    }

    /// Refines filters of many columns, or of a method whose settings were not selected on folds.
    ///
    /// For every fold, the method is fitted to the training samples with the selected settings. The
    /// filters are then optimized within the span of these filters and of the principal components
    /// of the same samples. No sample that is scored was therefore used for training. If `whole` is
    /// true, within-class scaling uses all columns.
    pub(crate) fn refine_anew(
        &self,
        outcome: Outcome,
        parts: &Parts<'_>,
        dropped: &[usize],
        whole: bool,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let (fitted, labels) = (&outcome.fitted, parts.data().labels);
        let mut climbs = Vec::new();
        let dealt;
        if let Some(part) = parts.spared() {
            // The validation part was not used for training, so the filters of all training rows
            // can be scored.
            let space = around(&outcome)?;
            let (held, learned) = (parts.within(part).collect(), parts.learned());
            let start = fitted.kept().to_owned();
            climbs.push(Climb::new(Side::of(space), parts, held, &learned, &start));
        } else {
            let data = *parts.data();
            let plan = data.plan(true);
            dealt = Parts::of_finite(data, plan, self.settings.seed, false)?;
            let filters = fitted.kept().ncols();
            for &part in dealt.folds() {
                let held: Vec<usize> = dealt.within(part).collect();
                if held.is_empty() {
                    continue;
                }
                let others = dealt.leave_out(part);
                let job = self.job(&others, dropped)?;
                let found = fitted.record.selection.clone().map(|own| Found::again(own, whole));
                let alone = self.learn(job, filters, found, observer)?;
                let side = Side::of(around(&alone)?);
                let start = alone.fitted.kept().to_owned();
                climbs.push(Climb::new(side, &dealt, held, &others.learned(), &start));
            }
        }
        let (choice, cancelled) = self.choose(&climbs, labels, observer)?;
        drop(climbs);
        let space = around(&outcome)?;
        let inside = || Ok(within(space, parts));
        self.follow(outcome.fitted, choice, cancelled, inside, observer)
    }

    /// Refines filters on all samples with the selected noise and number of iterations.
    fn follow(
        &self,
        mut fitted: Fitted,
        choice: RefinementChoice,
        cancelled: bool,
        inside: impl FnOnce() -> Result<(Space, Coordinates), PipelineError>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        if choice.steps > 0 && !cancelled {
            let (space, points) = inside()?;
            let mut filters = with_unit_length(space.lower(fitted.kept()));
            let mut trace: Vec<f64> = Vec::new();
            for (done, next) in ROUNDS.iter().zip(&ROUNDS[1..]) {
                if *next > choice.steps {
                    break;
                }
                let (optimizer, noise) = (self.settings.optimizer, choice.noise);
                let further =
                    points.climb(&space, &filters, noise, next - done, optimizer, observer)?;
                filters = further.filters;
                // The first value of a round repeats the last value of the previous round.
                trace.extend(further.trace.into_iter().skip(usize::from(!trace.is_empty())));
                if further.cancelled {
                    fitted.record.run.termination = Some(Termination::Cancelled);
                    break;
                }
            }
            let lifted = with_fixed_signs(with_unit_length(space.lift(filters.as_ref())));
            let own = space.lower(lifted.as_ref());
            fitted.replace(lifted, space.classes().reduced(own.as_ref()));
            fitted.record.run.refined(choice.steps, trace);
        }
        if cancelled {
            fitted.record.run.termination = Some(Termination::Cancelled);
        }
        fitted.record.refinement = Some(choice);
        Ok(fitted)
    }

    /// Optimizes filters on every fold and selects the noise and the number of iterations. The
    /// second value is whether the observer cancelled the optimization.
    fn choose(
        &self,
        climbs: &[Climb<'_, '_>],
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<(RefinementChoice, bool), PipelineError> {
        let optimizer = self.settings.optimizer;
        if climbs.is_empty() {
            let largest = labels.counts().into_iter().max().unwrap_or(0);
            return Err(PipelineError::NothingToRefineOn { largest });
        }
        let mut start = Scores::default();
        for climb in climbs {
            start.extend(climb.score(&climb.filters)?);
        }
        let mut tried = vec![(start.clone(), 0, ROUND_NOISES[0])];
        let mut cancelled = false;
        'noises: for noise in ROUND_NOISES {
            let mut filters: Vec<Mat<f64>> =
                climbs.iter().map(|climb| climb.filters.clone()).collect();
            let (mut top, mut since) = (start.mean(), 0);
            for (done, next) in ROUNDS.iter().zip(&ROUNDS[1..]) {
                let mut scores = Scores::default();
                for (climb, filters) in climbs.iter().zip(&mut filters) {
                    let space = &climb.side.space;
                    let (points, steps) = (&climb.points, next - done);
                    let further =
                        points.climb(space, filters, noise, steps, optimizer, observer)?;
                    *filters = further.filters;
                    cancelled |= further.cancelled;
                    if cancelled {
                        break 'noises;
                    }
                    scores.extend(climb.score(filters)?);
                }
                since = if scores.mean() > top { 0 } else { since + 1 };
                top = top.max(scores.mean());
                tried.push((scores, *next, noise));
                if since == PATIENCE {
                    break;
                }
            }
        }
        let scores: Vec<&Scores> = tried.iter().map(|(scores, ..)| scores).collect();
        let (best, taken) = taken(&scores, tried.len());
        let gain = scores.ahead(best, 0);
        let mut held = nested::Held::default();
        climbs.iter().for_each(|climb| held.push(climb.held.iter().map(|&row| row as u64)));
        let nested = held.accuracy(&scores, |some| Some(self::taken(some, tried.len()).1));
        let choice = RefinementChoice {
            steps: tried[taken].1,
            noise: tried[best].2,
            gain: Some(Gain { mean: gain.mean, error: gain.error }),
            accuracy: nested.unwrap_or(tried[taken].0.accuracy()),
            trials: tried
                .iter()
                .map(|(scores, steps, noise)| trial(*noise, *steps, scores))
                .collect(),
        };
        Ok((choice, cancelled))
    }

    /// Returns the coordinates in which filters of class statistics are refined if the samples are
    /// on other machines.
    pub(crate) fn refinement_space(
        &self,
        outcome: &Outcome,
    ) -> Result<RefinementSpace, PipelineError> {
        let Outcome { fitted, columns } = outcome;
        let basis = basis_around(columns, fitted.kept())?;
        let (filters, offset) = match &fitted.preprocessor {
            Some(map) => {
                let (filters, offset) = map.fold(basis.as_ref());
                (filters, Some(offset))
            }
            None => (basis.clone(), None),
        };
        Ok(RefinementSpace { filters, offset, basis })
    }

    /// Refines filters of class statistics on samples that were transformed to the coordinates of
    /// the refinement.
    ///
    /// Every fold starts with the filters of all samples. Distributed data have many samples, so
    /// these filters hardly depend on the held-out ones.
    pub(crate) fn refine_in(
        &self,
        Outcome { fitted, columns }: &Outcome,
        space: &RefinementSpace,
        coordinates: Points<'_>,
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let basis = space.basis.as_ref();
        let start = transpose_times(basis, fitted.kept());
        let data = Labeled::new(coordinates, labels);
        let plan = data.plan(true);
        let dealt = Parts::of_finite(data, plan, self.settings.seed, false)?;
        let mut climbs = Vec::new();
        for &part in dealt.folds() {
            let held: Vec<usize> = dealt.within(part).collect();
            if held.is_empty() {
                continue;
            }
            let statistics = dealt.statistics(Some(part), self.estimator())?;
            let side = Side::of(Space::plain(None, statistics));
            let learned = dealt.leave_out(part).learned();
            climbs.push(Climb::new(side, &dealt, held, &learned, &start));
        }
        let (choice, cancelled) = self.choose(&climbs, labels, observer)?;
        drop(climbs);
        let inside = || {
            let rows = dealt.learned();
            let own = Space::plain(None, columns.reduced(basis));
            let points = Coordinates::new(&dealt, &rows, &own);
            let map = fitted.preprocessor.clone();
            Ok((Space::plain(map, columns.clone()).within(space.basis.clone()), points))
        };
        self.follow(fitted.clone(), choice, cancelled, inside, observer)
    }
}

/// Returns a space with the training samples in its coordinates.
fn within(space: Space, parts: &Parts<'_>) -> (Space, Coordinates) {
    let points = Coordinates::new(parts, &parts.learned(), &space);
    (space, points)
}

/// Returns the span of the fitted filters and the leading principal components as a space.
fn around(Outcome { fitted, columns }: &Outcome) -> Result<Space, PipelineError> {
    let basis = basis_around(columns, fitted.kept())?;
    Ok(Space::plain(fitted.preprocessor.clone(), columns.clone()).within(basis))
}

/// Returns the trial with the best mean score and the trial to use. The latter is the best one if
/// it is clearly better than the initial filters and not less accurate, and otherwise the initial
/// filters.
fn taken(scores: &dyn Compared, count: usize) -> (usize, usize) {
    let more = |best: usize, at| if scores.mean(at) > scores.mean(best) { at } else { best };
    let best = (0..count).fold(0, more);
    let (gain, hits) = (scores.ahead(best, 0), scores.more_accurate(best, 0));
    let stays = gain.mean <= CLEARLY * gain.error || hits.mean < 0.0;
    (best, if stays { 0 } else { best })
}

fn trial(noise: f64, steps: usize, scores: &Scores) -> RefinementTrial {
    let log_posterior = Some(scores.mean());
    RefinementTrial { noise, steps, log_posterior, accuracy: scores.accuracy() }
}
