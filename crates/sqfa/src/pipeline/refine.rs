//! The refinement under the same folds: how far to climb the posterior, against how much noise, or whether to stay.
//!
//! On the training part of every fold the filters that the method found there climb the mean log posterior in a few rounds;
//! after each, the points held out are scored. The round and the noise with the best mean score are taken, if they are
//! ahead of the start by more than two standard errors and classify no fewer points rightly; all points then climb as far.
//! Otherwise the filters stay as they are.

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times, transpose_times};
use crate::model::{with_fixed_signs, with_unit_length};
use crate::objective::TrainValidation;
use crate::optimize::{Observer, Termination};
use crate::points::Points;
use crate::reduce::{
    Gain, Refined, Refinement, RefinementChoice, RefinementTrial, Samples, Training,
};
use crate::statistics::ClassStatistics;
use crate::transform::Features;

use super::learn::{Found, Job, Outcome};
use super::score::{Compared, Scores};
use super::search::{Arm, Fold};
use super::side::Side;
use super::space::Space;
use super::{Fitted, NoChoice, Parts, Pipeline, PipelineError, Plan, nested};

/// Iterations after which held-out points are scored, in all.
const ROUNDS: [usize; 6] = [0, 5, 12, 25, 50, 100];
/// Noise that the climbs are run against, as shares of the mean within-class variance in the units of the fit.
const NOISES: [f64; 3] = [1.0, 0.1, 0.01];
/// Rounds without a better score after which a noise is given up.
const PATIENCE: usize = 2;
/// Standard errors by which the best of so many trials must be ahead of the start.
const CLEARLY: f64 = 2.0;

/// The coordinates in which filters are refined, where points are elsewhere.
#[derive(Debug)]
pub struct RefinementSpace {
    /// Filters of raw points whose features are the coordinates, one a column.
    pub filters: Mat<f64>,
    /// What is added to these features.
    pub offset: Option<Vec<f64>>,
    /// The same of preprocessed columns that were kept, orthonormal.
    basis: Mat<f64>,
}

/// The climb of one fold: where it is, and the coordinates it uses.
struct Climb<'p, 'a> {
    fold: Fold<'p, 'a>,
    points: Coordinates,
    filters: Mat<f64>,
}

impl<'p, 'a> Climb<'p, 'a> {
    /// The climb of samples that are learned from, from filters of preprocessed columns.
    fn new(fold: Fold<'p, 'a>, learned: &[usize], start: &Mat<f64>) -> Self {
        let points = Coordinates::new(fold.parts, learned, &fold.side.space);
        let filters = with_unit_length(fold.side.space.lower(start.as_ref()));
        Self { fold, points, filters }
    }
}

/// Points in the coordinates of a space, with repeated rows for weights.
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

    fn split(&self, order: usize) -> TrainValidation<'_> {
        TrainValidation {
            points: self.features.as_points(order),
            preprocessor: None,
            rows: self.rows.clone(),
            codes: self.codes.clone(),
            held: Vec::new(),
            held_codes: Vec::new(),
        }
    }

    /// Filters some iterations further.
    fn climb(
        &self,
        space: &Space,
        filters: &Mat<f64>,
        noise: f64,
        iterations: usize,
        observer: &mut Observer<'_>,
    ) -> Result<(Mat<f64>, Vec<f64>, bool), PipelineError> {
        let recipe = Refinement { patience: usize::MAX / 2, ..Refinement::default() };
        let split = self.split(space.statistics.dimension());
        let free = filters.clone();
        Ok(recipe.climb_on(&space.statistics, split, free, noise, iterations, observer)?)
    }
}

impl Pipeline {
    /// Refines filters on the folds on which scaling and noise were selected, from the filters that each fold found there, or
    /// on folds that fit the method anew if nothing was selected.
    pub(crate) fn refine(
        &self,
        outcome: Outcome,
        job: Job<'_>,
        arms: &[Arm<'_>],
        starts: Option<&[Mat<f64>]>,
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
        for (held, start) in arm.held().iter().zip(starts) {
            let (repeat, fold, _) = *held;
            let learned = arm.repeats[repeat].leave_out(fold).learned();
            climbs.push(Climb::new(Fold::new(arm, held)?, &learned, start));
        }
        let (choice, cancelled) = choose(&climbs, observer)?;
        drop(climbs);
        let space = || self.space(job, arm.scaling, false);
        self.follow(outcome.fitted, parts, choice, cancelled, space, observer)
    }

    /// Refines filters of many columns, or of a method whose settings were not selected on folds.
    ///
    /// Every fold fits the method to its own training samples, with the settings that were selected, and optimizes within the
    /// span of these filters and of the principal components of the same samples. So no sample that is scored was used for
    /// training. If `whole` is true, within-class scaling uses all columns.
    pub(crate) fn refine_anew(
        &self,
        outcome: Outcome,
        parts: &Parts<'_>,
        dropped: &[usize],
        whole: bool,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let recipe = self.refinement();
        let fitted = &outcome.fitted;
        let mut climbs = Vec::new();
        let dealt;
        if let Some(part) = parts.spared() {
            // Nothing was learned from these rows.
            let space = around(&recipe, &outcome)?;
            let held = parts.within(part).map(|row| row as u32).collect();
            let fold = Fold::of(Side::of(space), parts, held);
            climbs.push(Climb::new(fold, &parts.learned(), &fitted.kept().to_owned()));
        } else {
            let data = *parts.data();
            let plan = Plan::for_components(data.total());
            dealt = Parts::of_finite(data, plan, self.settings.seed, false)?;
            let filters = fitted.kept().ncols();
            for &part in dealt.folds() {
                let held: Vec<u32> = dealt.within(part).map(|row| row as u32).collect();
                if held.is_empty() {
                    continue;
                }
                let others = dealt.leave_out(part);
                let job = self.job(&others, dropped)?;
                let found = fitted.record.selection.clone().map(|own| Found::again(own, whole));
                let alone = self.learn(job, filters, found, observer)?;
                let fold = Fold::of(Side::of(around(&recipe, &alone)?), &dealt, held);
                let start = alone.fitted.kept().to_owned();
                climbs.push(Climb::new(fold, &others.learned(), &start));
            }
        }
        let (choice, cancelled) = choose(&climbs, observer)?;
        drop(climbs);
        let space = around(&recipe, &outcome)?;
        self.follow(outcome.fitted, parts, choice, cancelled, || Ok(space), observer)
    }

    /// Refines all samples as far as the folds selected.
    fn follow(
        &self,
        mut fitted: Fitted,
        parts: &Parts<'_>,
        choice: RefinementChoice,
        cancelled: bool,
        space: impl FnOnce() -> Result<Space, PipelineError>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        if choice.steps > 0 && !cancelled {
            let space = space()?;
            let points = Coordinates::new(parts, &parts.learned(), &space);
            let mut filters = with_unit_length(space.lower(fitted.kept()));
            let mut trace: Vec<f64> = Vec::new();
            for (done, next) in ROUNDS.iter().zip(&ROUNDS[1..]) {
                if *next > choice.steps {
                    break;
                }
                let (further, own, stopped) =
                    points.climb(&space, &filters, choice.noise, next - done, observer)?;
                filters = further;
                // Every round begins where the one before it ended.
                trace.extend(own.into_iter().skip(usize::from(!trace.is_empty())));
                if stopped {
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

    /// How filters are refined on one split.
    fn refinement(&self) -> Refinement {
        let own = || Refinement {
            seed: self.settings.seed,
            optimizer: self.settings.optimizer,
            ..Refinement::default()
        };
        self.settings.refinement.clone().unwrap_or_else(own)
    }

    /// Returns the coordinates in which filters of class statistics are refined if the samples are on other machines.
    pub(crate) fn refinement_space(
        &self,
        outcome: &Outcome,
    ) -> Result<RefinementSpace, PipelineError> {
        let Outcome { fitted, columns } = outcome;
        let basis = self.refinement().basis(columns, fitted.kept())?;
        let (filters, offset) = match &fitted.preprocessor {
            Some(map) => {
                let (filters, offset) = map.fold(basis.as_ref());
                (filters, Some(offset))
            }
            None => (basis.clone(), None),
        };
        Ok(RefinementSpace { filters, offset, basis })
    }

    /// Refines filters of class statistics on samples that were transformed to the coordinates of the refinement.
    pub(crate) fn refine_in(
        &self,
        Outcome { fitted, columns }: &mut Outcome,
        space: &RefinementSpace,
        coordinates: Points<'_>,
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        let basis = space.basis.as_ref();
        let statistics = columns.reduced(basis);
        let start = transpose_times(basis, fitted.kept());
        let samples = Samples { points: coordinates, labels, preprocessor: None };
        let training = Training::new(&statistics, samples).with_estimator(self.estimator());
        let same = |_: &Training<'_>, _: &mut Observer<'_>| Ok(start.clone());
        // An engine holds many samples, so the training accuracy within few coordinates is hardly too high.
        let mut refined = self.refinement().refine(&training, start.as_ref(), &same, observer)?;
        drop(training);
        let own = refined.filters.clone();
        refined.filters = with_fixed_signs(tall_times(basis, own.as_ref()));
        let features = columns.reduced(refined.filters.as_ref());
        fitted.adopt(refined, features);
        Ok(())
    }
}

/// The space around fitted filters: their own span and that of the leading principal components.
fn around(
    recipe: &Refinement,
    Outcome { fitted, columns }: &Outcome,
) -> Result<Space, PipelineError> {
    let basis = recipe.basis(columns, fitted.kept())?;
    Ok(Space::plain(fitted.preprocessor.clone(), columns.clone()).within(basis))
}

impl Fitted {
    /// Uses the filters that were refined on one split.
    fn adopt(&mut self, refined: Refined, features: ClassStatistics) {
        if let (Some(trace), Some(choice)) = (refined.trace, &refined.choice) {
            self.replace(refined.filters, features);
            self.record.run.refined(choice.steps, trace);
        }
        if refined.cancelled {
            self.record.run.termination = Some(Termination::Cancelled);
        }
        self.record.refinement = refined.choice;
    }
}

/// Climbs on every fold and chooses noise and steps.
fn choose(
    climbs: &[Climb<'_, '_>],
    observer: &mut Observer<'_>,
) -> Result<(RefinementChoice, bool), PipelineError> {
    let mut start = Scores::default();
    for climb in climbs {
        start.extend(climb.fold.score(&climb.filters)?);
    }
    let mut tried = vec![(start.clone(), 0, NOISES[0])];
    let mut cancelled = false;
    'noises: for noise in NOISES {
        let mut filters: Vec<Mat<f64>> = climbs.iter().map(|climb| climb.filters.clone()).collect();
        let (mut top, mut since) = (start.mean(), 0);
        for (done, next) in ROUNDS.iter().zip(&ROUNDS[1..]) {
            let mut scores = Scores::default();
            for (climb, filters) in climbs.iter().zip(&mut filters) {
                let space = &climb.fold.side.space;
                let (further, _, stopped) =
                    climb.points.climb(space, filters, noise, next - done, observer)?;
                *filters = further;
                cancelled |= stopped;
                if cancelled {
                    break 'noises;
                }
                scores.extend(climb.fold.score(filters)?);
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
    climbs.iter().for_each(|climb| held.push(climb.fold.held.iter().map(|&row| u64::from(row))));
    let nested = held.accuracy(&scores, |some| Some(self::taken(some, tried.len()).1));
    let choice = RefinementChoice {
        steps: tried[taken].1,
        noise: tried[best].2,
        gain: Some(Gain { mean: gain.mean, error: gain.error }),
        accuracy: nested.unwrap_or(tried[taken].0.accuracy()),
        trials: tried.iter().map(|(scores, steps, noise)| trial(*noise, *steps, scores)).collect(),
    };
    Ok((choice, cancelled))
}

/// Of so many trials, the one with the best mean score and the one to take: the best, or the start unless the best is clearly
/// ahead of it.
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
