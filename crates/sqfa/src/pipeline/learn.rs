//! From a choice to filters: the method on all points, with less noise where filters coincide and less is as good.

use std::time::Instant;

use crate::linalg::Mat;
use crate::model::{Noise, Restarts, Start, Warning, with_fixed_signs, with_unit_length};
use crate::optimize::{Control, Progress};
use crate::reduce::{
    ReduceError, ReducerSettings, Reduction, Setting, Training, reducer, reducer_entry,
};
use crate::statistics::{ClassStatistics, Estimator, Preprocessor, Scaling, StatisticsError};

use super::arms::{finished, preprocessor};
use super::closed_form::{in_one_unit, like_pixels};
use super::score::{Compared, Scores};
use super::search::{Arm, Common, Searched, search};
use super::selection::{Candidate, Reason, Selection, Tried, select};
use super::space::{Space, Units, largest_cosine};
use super::{Fitted, Parts, Pipeline, PipelineError, SetAside, WIDE};

/// |cosine| beyond which two filters see the same thing.
const COINCIDE: f64 = 0.999;
/// Starts of the last fit, of which the first is warm: this many divided by the number of filters, at least 1.
const STARTS: usize = 16;

/// All that is fitted: raw statistics of all points, and the points where there are any.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    pub(crate) statistics: ClassStatistics,
    /// Without shrinkage, where the estimator shrinks.
    plain: Option<ClassStatistics>,
    pub(crate) parts: Option<&'a Parts<'a>>,
    pub(crate) aside: &'a [SetAside],
    pub(crate) filters: usize,
    /// Whether the statistics have variances alone.
    sparing: bool,
}

/// What a search found.
pub(crate) struct Found {
    pub(crate) selection: Selection,
    /// Less noise that is as good, the largest first.
    less: Vec<Candidate>,
    /// Filters of preprocessed columns to start from.
    pub(crate) start: Option<Mat<f64>>,
    /// The same of every fold.
    pub(crate) folds: Vec<Mat<f64>>,
    /// The principal components of preprocessed columns that it was found on, where it was.
    pub(crate) basis: Option<Mat<f64>>,
    /// Whether it was found on many columns, beside components that hold too little of them.
    pub(crate) whole: bool,
}

impl Found {
    /// The choice among what was tried, with the filters that every fold gave to what is taken.
    pub(crate) fn among(
        tried: Vec<Tried>,
        scores: &dyn Compared,
        folds: usize,
        filters: impl FnOnce(usize) -> Vec<Mat<f64>>,
    ) -> Option<Self> {
        let candidates: Vec<Candidate> = tried.iter().map(|one| one.candidate).collect();
        let (taken, reason, equal) = select(&candidates, scores)?;
        let candidate = candidates[taken];
        let mut less: Vec<Candidate> = equal
            .iter()
            .map(|&at| candidates[at])
            .filter(|other| other.units == candidate.units && other.share < candidate.share)
            .collect();
        less.sort_by(|a, b| b.share.total_cmp(&a.share));
        let filters = filters(taken);
        let start = filters.first().cloned();
        let selection = Selection { candidate, noise: f64::NAN, reason, tried, folds };
        Some(Self { selection, less, start, folds: filters, basis: None, whole: false })
    }
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        parts: &'a Parts<'a>,
        estimator: Estimator,
        aside: &'a [SetAside],
        filters: usize,
    ) -> Result<Self, StatisticsError> {
        let (statistics, plain) = parts.statistics(None, estimator)?;
        Ok(Self { statistics, plain, parts: Some(parts), aside, filters, sparing: false })
    }

    /// The same with variances alone, for a method that needs one covariance for all classes and makes it itself.
    pub(crate) fn sparing(
        parts: &'a Parts<'a>,
        aside: &'a [SetAside],
        filters: usize,
    ) -> Result<Self, StatisticsError> {
        let own = Self::of(parts.pooled_variances()?, aside, filters);
        Ok(Self { parts: Some(parts), sparing: true, ..own })
    }

    pub(crate) fn of(statistics: ClassStatistics, aside: &'a [SetAside], filters: usize) -> Self {
        Self { statistics, plain: None, parts: None, aside, filters, sparing: false }
    }

    /// The same with what a classifier should see, where the estimator shrinks.
    pub(crate) fn with_plain(self, plain: Option<ClassStatistics>) -> Self {
        Self { plain, ..self }
    }

    /// The statistics, and those without shrinkage where the estimator shrinks: all that is left without points.
    pub(crate) fn into_statistics(self) -> (ClassStatistics, Option<ClassStatistics>) {
        (self.statistics, self.plain)
    }

    /// What an account of a fit says of the data.
    fn told(&self) -> Told<'a> {
        Told {
            mean: self.statistics.total_mean(),
            warnings: Warning::of_statistics(&self.statistics),
            degrees: self.statistics.degrees(),
            aside: self.aside,
        }
    }
}

/// What is told of the data whatever becomes of their statistics.
struct Told<'a> {
    mean: Vec<f64>,
    warnings: Vec<Warning>,
    degrees: Option<f64>,
    aside: &'a [SetAside],
}

impl Told<'_> {
    /// The account of filters of kept, preprocessed columns, with the statistics that a classifier should see.
    fn account(
        &self,
        mut reduction: Reduction,
        (scaling, map): (Scaling, Option<Preprocessor>),
        selection: Option<Selection>,
        statistics: ClassStatistics,
    ) -> Fitted {
        let kept = reduction.filters.clone();
        if let Some(map) = &map {
            reduction.filters = map.embed(kept.as_ref());
        }
        reduction.warnings.extend(self.warnings.iter().cloned());
        if let (Some(degrees), None) = (self.degrees, reduction.setting(Setting::Degrees)) {
            reduction.settings.push((Setting::Degrees, degrees));
        }
        Fitted {
            reduction,
            preprocessor: map,
            scaling,
            set_aside: self.aside.to_vec(),
            selection,
            curve: None,
            refinement: None,
            mean: self.mean.clone(),
            statistics,
            kept,
        }
    }
}

/// A fit whose units are chosen.
struct Chosen<'a> {
    units: Units,
    space: Space,
    /// What a classifier should see.
    seen: ClassStatistics,
    told: Told<'a>,
    filters: usize,
}

impl Pipeline {
    /// Units and noise by the race over folds; none where nothing is searched or nothing could be held out.
    pub(crate) fn found(
        &self,
        arms: &[Arm<'_>],
        filters: usize,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Option<Found>, PipelineError> {
        if !self.searches() {
            return Ok(None);
        }
        let common = Common {
            method: self.base(),
            settings: &self.settings,
            estimator: self.estimator(),
            filters,
        };
        let Searched { runners, folds } = search(arms, &common, observer)?;
        let tried: Vec<Tried> = runners
            .iter()
            .map(|runner| Tried {
                candidate: runner.candidate,
                points: runner.scores.points(),
                log_posterior: runner.scores.mean(),
                accuracy: runner.scores.accuracy(),
            })
            .collect();
        let scores: Vec<&Scores> = runners.iter().map(|runner| &runner.scores).collect();
        Ok(Found::among(tried, &scores, folds, |taken| runners[taken].filters.clone()))
    }

    /// Fits all points with what was found, or with the closed form where a noise is needed and nothing was.
    pub(crate) fn learn(
        &self,
        job: Job<'_>,
        found: Option<Found>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let found = match found {
            Some(found) => found,
            None if self.finds_noise() => {
                let selection = self.closed_form(job.aside, &job.statistics);
                let (less, folds) = (Vec::new(), Vec::new());
                Found { selection, less, start: None, folds, basis: None, whole: false }
            }
            None => return self.learn_given(&job, observer),
        };
        let Found { mut selection, less, start, basis, whole, .. } = found;
        let mut less = less.into_iter();
        // Less noise is tried in the same units.
        let chosen = self.in_units(job, selection.candidate.units, basis, whole)?;
        loop {
            let (fitted, cosine) =
                self.learn_chosen(&chosen, selection.clone(), start.as_ref(), observer)?;
            let Some(next) = (cosine > COINCIDE).then(|| less.next()).flatten() else {
                return Ok(fitted);
            };
            selection.candidate = next;
            selection.reason = Reason::DistinctFilters;
        }
    }

    /// Fits with the settings as they are, in units that serve held-out points best where the method chooses on them.
    fn learn_given(
        &self,
        job: &Job<'_>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Fitted, PipelineError> {
        let mut fitted = self.learn_each(job, &[job.filters], observer)?;
        fitted.pop().ok_or_else(|| ReduceError::NoFilters { filters: job.filters }.into())
    }

    /// The same of several numbers of filters together, one result each.
    pub(crate) fn learn_each(
        &self,
        job: &Job<'_>,
        filters: &[usize],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Fitted>, PipelineError> {
        if self.mixes_units(job) {
            return self.learn_scaled(job, filters, Scaling::PerFeature, observer);
        }
        let usual = self.usual_scaling();
        let scaled = self.learn_scaled(job, filters, usual, observer);
        if self.scaling.is_some() || usual == Scaling::None || job.parts.is_none() {
            return scaled;
        }
        let held = |fitted: &Fitted| fitted.reduction.held_out(Setting::Shrinkage);
        let better = |(first, other): (Fitted, Fitted)| {
            if held(&other) > held(&first) { other } else { first }
        };
        match (scaled, self.learn_scaled(job, filters, Scaling::None, observer)) {
            (Ok(scaled), Ok(plain)) => Ok(scaled.into_iter().zip(plain).map(better).collect()),
            (Err(_), Ok(plain)) => Ok(plain),
            (scaled, _) => scaled,
        }
    }

    /// Whether the method would mix columns in different units: one that adds the same noise to every filter, unless columns
    /// are like pixels, and one that ranks directions by variance, if some columns vary far more than the others.
    fn mixes_units(&self, job: &Job<'_>) -> bool {
        let Ok(entry) = reducer_entry(self.base()) else { return false };
        let mixes = entry.has_plain_noise(&self.settings)
            && !like_pixels(&job.statistics, job.aside)
            || entry.ranks_by_variance && !in_one_unit(&job.statistics, job.aside);
        self.scaling.is_none() && mixes
    }

    /// How columns are scaled where nobody said so and nothing is chosen: a shrinkage that nobody gave pulls towards the
    /// same variance of every column, which must not depend on their units.
    pub(crate) fn usual_scaling(&self) -> Scaling {
        self.scaling.unwrap_or_else(|| {
            let entry = reducer_entry(self.base());
            entry.map_or(Scaling::None, |entry| entry.usual_scaling(&self.settings))
        })
    }

    fn learn_scaled(
        &self,
        job: &Job<'_>,
        filters: &[usize],
        scaling: Scaling,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Fitted>, PipelineError> {
        let map = preprocessor(&job.statistics, scaling, self.centers(), job.aside);
        let applied = map.as_ref().map(|map| map.applied(&job.statistics));
        let statistics = applied.as_ref().unwrap_or(&job.statistics);
        let training = match job.parts {
            Some(parts) => parts.training(statistics, map.as_ref(), self.estimator()),
            None => Training::from_statistics(statistics),
        };
        let training = if job.sparing { training.sparing() } else { training };
        let start = match (&self.settings.start, &map) {
            (Start::Given(own), Some(map)) => Start::Given(map.unfold(own.as_ref())),
            (own, _) => own.clone(),
        };
        let fixed = match (&self.settings.fixed, &map) {
            (Some(own), Some(map)) => Some(map.unfold(own.as_ref())),
            (own, _) => own.clone(),
        };
        let settings = ReducerSettings { start, fixed, ..self.settings.clone() };
        let reductions = reducer(self.base(), &settings)?.fit(&training, filters, observer)?;
        let seen = match (&job.plain, &map) {
            (None, _) => statistics.clone(),
            (Some(plain), None) => plain.clone(),
            (Some(plain), Some(map)) => map.applied(plain),
        };
        let told = job.told();
        let account =
            |reduction| told.account(reduction, (scaling, map.clone()), None, seen.clone());
        Ok(reductions.into_iter().map(account).collect())
    }

    /// A job in the units that were chosen for it, on components where they were found already.
    fn in_units<'a>(
        &self,
        job: Job<'a>,
        units: Units,
        basis: Option<Mat<f64>>,
        whole: bool,
    ) -> Result<Chosen<'a>, PipelineError> {
        let told = job.told();
        let Job { mut statistics, plain, aside, filters, .. } = job;
        let map = preprocessor(&statistics, self.scaling_of(units), self.centers(), aside);
        map.iter().for_each(|map| map.apply(&mut statistics));
        let seen = match (plain, &map) {
            (None, _) => statistics.clone(),
            (Some(mut plain), map) => {
                map.iter().for_each(|map| map.apply(&mut plain));
                plain
            }
        };
        let count = self.components();
        let space = turned(units, Space::plain(map, statistics), aside, basis, count, whole)?;
        Ok(Chosen { units, space, seen, told, filters })
    }

    /// Fits with a choice of units and noise; also says how nearly two filters coincide.
    fn learn_chosen(
        &self,
        Chosen { units, space, seen, told, filters }: &Chosen<'_>,
        mut selection: Selection,
        start: Option<&Mat<f64>>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<(Fitted, f64), PipelineError> {
        let began = Instant::now();
        selection.noise = selection.candidate.share * space.statistics.noise_scale();
        let start = start.map(|start| with_unit_length(space.lower(start.as_ref())));
        let settings = ReducerSettings {
            noise: Noise::Value(selection.noise),
            restarts: match (self.settings.restarts, &start) {
                (Restarts::Auto, Some(_)) => Restarts::Count((STARTS / filters).max(1)),
                (restarts, _) => restarts,
            },
            start: match (&self.settings.start, start) {
                (Start::Auto | Start::Random | Start::Differences, Some(start)) => {
                    Start::Given(start)
                }
                (Start::Given(own), _) => Start::Given(space.lower_raw(own.as_ref())),
                (own, _) => own.clone(),
            },
            ..self.settings.clone()
        };
        let training = Training::from_statistics(&space.statistics);
        let method = reducer(self.base(), &settings)?;
        let mut reduction = method.fit_one(&training, *filters, observer)?;
        let cosine = largest_cosine(reduction.filters.as_ref());
        if space.is_turned() {
            let lifted = space.lift(reduction.filters.as_ref());
            // Of length 1 in the units of the fit, in which the noise is the same in every direction.
            reduction.filters = with_fixed_signs(lifted);
        }
        reduction.seconds = began.elapsed().as_secs_f64();
        let units = (self.scaling_of(*units), space.preprocessor.clone());
        Ok((told.account(reduction, units, Some(selection), seen.clone()), cosine))
    }

    /// The space in which all points are fitted: principal components where units within classes meet many columns.
    pub(crate) fn space(
        &self,
        statistics: ClassStatistics,
        units: Units,
        aside: &[SetAside],
    ) -> Result<Space, PipelineError> {
        let plain = self.space_of(units, aside).plain(statistics);
        turned(units, plain, aside, None, self.components(), false)
    }
}

/// A space in its units: within so many principal components where units within classes meet many columns, unless these are to be whole,
/// or covariances that keep no entries.
fn turned(
    units: Units,
    plain: Space,
    aside: &[SetAside],
    basis: Option<Mat<f64>>,
    count: usize,
    whole: bool,
) -> Result<Space, PipelineError> {
    let columns = match plain.preprocessor.as_ref().and_then(Preprocessor::kept) {
        Some(kept) => kept.len(),
        None => plain.statistics.dimension() - aside.len(),
    };
    let dense = plain.statistics.covariances().iter().all(|one| one.entries().is_some());
    if units != Units::WithinClass || ((whole || columns <= WIDE) && dense) {
        return finished(units, plain);
    }
    let basis = match basis {
        Some(known) => known,
        None => {
            let count = count.min(plain.statistics.dimension());
            plain.statistics.components_after(None, count)?
        }
    };
    finished(units, plain.within(basis))
}
