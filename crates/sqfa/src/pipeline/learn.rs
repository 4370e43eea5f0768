//! From a choice to filters: the method on all points, with less noise where filters coincide and less is as good.

use std::time::Instant;

use crate::linalg::Mat;
use crate::model::{Noise, Restarts, Start, Warning, with_fixed_signs, with_unit_length};
use crate::optimize::Observer;
use crate::reduce::{
    ReduceError, ReducerSettings, Reduction, Setting, Training, reducer, reducer_entry,
};
use crate::statistics::{ClassStatistics, Estimator, Preprocessor, Scaling, StatisticsError};

use super::arms::finished;
use super::closed_form::{in_one_unit, like_pixels};
use super::distinct::replace_copies;
use super::score::{Compared, Scores};
use super::search::{Arm, Common, Searched, search};
use super::selection::{Candidate, Selection, Tried, select};
use super::space::{Space, Units};
use super::{Fitted, Parts, Pipeline, PipelineError, WIDE};

/// Starts of the last fit, of which the first is warm: this many divided by the number of filters, at least 1.
const STARTS: usize = 16;

/// All that is fitted: raw statistics of all points, and the points where there are any.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    pub(crate) statistics: ClassStatistics,
    /// Without shrinkage, where the estimator shrinks.
    plain: Option<ClassStatistics>,
    pub(crate) parts: Option<&'a Parts<'a>>,
    pub(crate) dropped: &'a [usize],
    pub(crate) filters: usize,
    /// Whether the statistics have variances alone.
    sparing: bool,
}

/// What a search found.
pub(crate) struct Found {
    pub(crate) selection: Selection,
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
    /// A choice that was made before, for other samples.
    pub(crate) fn again(selection: Selection, whole: bool) -> Self {
        Self { selection, start: None, folds: Vec::new(), basis: None, whole }
    }

    /// The choice among what was tried, with the filters that every fold gave to what is taken.
    pub(crate) fn among(
        tried: Vec<Tried>,
        scores: &dyn Compared,
        folds: usize,
        nested: impl FnOnce(&[Candidate]) -> Option<f64>,
        filters: impl FnOnce(usize) -> Vec<Mat<f64>>,
    ) -> Option<Self> {
        let candidates: Vec<Candidate> = tried.iter().map(|one| one.candidate).collect();
        let (taken, reason) = select(&candidates, scores)?;
        let candidate = candidates[taken];
        let filters = filters(taken);
        let start = filters.first().cloned();
        let accuracy = nested(&candidates).or(Some(tried[taken].accuracy));
        let selection = Selection { candidate, noise: f64::NAN, reason, tried, folds, accuracy };
        Some(Self { selection, start, folds: filters, basis: None, whole: false })
    }
}

impl<'a> Job<'a> {
    pub(crate) fn new(
        parts: &'a Parts<'a>,
        estimator: Estimator,
        dropped: &'a [usize],
        filters: usize,
    ) -> Result<Self, StatisticsError> {
        let (statistics, plain) = parts.statistics(None, estimator)?;
        Ok(Self { statistics, plain, parts: Some(parts), dropped, filters, sparing: false })
    }

    /// The same with variances alone, for a method that needs one covariance for all classes and makes it itself.
    pub(crate) fn sparing(
        parts: &'a Parts<'a>,
        dropped: &'a [usize],
        filters: usize,
    ) -> Result<Self, StatisticsError> {
        let own = Self::of(parts.pooled_variances()?, dropped, filters);
        Ok(Self { parts: Some(parts), sparing: true, ..own })
    }

    pub(crate) fn of(statistics: ClassStatistics, dropped: &'a [usize], filters: usize) -> Self {
        Self { statistics, plain: None, parts: None, dropped, filters, sparing: false }
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
    fn told(&self) -> Told {
        Told {
            mean: self.statistics.total_mean(),
            warnings: Warning::of_statistics(&self.statistics),
            degrees: self.statistics.degrees(),
        }
    }
}

/// What is told of the data whatever becomes of their statistics.
struct Told {
    mean: Vec<f64>,
    warnings: Vec<Warning>,
    degrees: Option<f64>,
}

impl Told {
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
            selection,
            curve: None,
            refinement: None,
            mean: self.mean.clone(),
            distinct: kept.ncols(),
            statistics,
            kept,
        }
    }
}

/// A fit whose units are chosen.
struct Chosen {
    units: Units,
    space: Space,
    /// What a classifier should see.
    seen: ClassStatistics,
    told: Told,
    filters: usize,
}

impl Pipeline {
    /// Units and noise by the race over folds; none where nothing is searched or nothing could be held out.
    pub(crate) fn found(
        &self,
        arms: &[Arm<'_>],
        filters: usize,
        observer: &mut Observer<'_>,
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
        let Searched { runners, folds, held } = search(arms, &common, observer)?;
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
        let nested = |candidates: &[Candidate]| {
            held.accuracy(&scores, |some| select(candidates, some).map(|(taken, _)| taken))
        };
        let filters = |taken: usize| runners[taken].filters.clone();
        Ok(Found::among(tried, &scores, folds, nested, filters))
    }

    /// Fits all points with what was found, or with the closed form where a noise is needed and nothing was.
    pub(crate) fn learn(
        &self,
        job: Job<'_>,
        found: Option<Found>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let found = match found {
            Some(found) => found,
            None if self.finds_noise() => {
                let selection = self.closed_form(job.dropped, &job.statistics);
                Found::again(selection, false)
            }
            None => return self.learn_given(&job, observer),
        };
        let Found { selection, start, basis, whole, .. } = found;
        let chosen = self.in_units(job, selection.candidate.units, basis, whole)?;
        self.learn_chosen(chosen, selection, start.as_ref(), observer)
    }

    /// Fits with the settings as they are, in units that serve held-out points best where the method chooses on them.
    fn learn_given(
        &self,
        job: &Job<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
        let mut fitted = self.learn_each(job, &[job.filters], observer)?;
        fitted.pop().ok_or_else(|| ReduceError::NoFilters { filters: job.filters }.into())
    }

    /// The same of several numbers of filters together, one result each.
    pub(crate) fn learn_each(
        &self,
        job: &Job<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
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
            && !like_pixels(&job.statistics, job.dropped)
            || entry.ranks_by_variance && !in_one_unit(&job.statistics, job.dropped);
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
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Fitted>, PipelineError> {
        let map = Preprocessor::dropping(&job.statistics, scaling, self.centers(), job.dropped);
        let applied = map.as_ref().map(|map| map.applied(&job.statistics));
        let statistics = applied.as_ref().unwrap_or(&job.statistics);
        let training = match job.parts {
            Some(parts) => parts.training(statistics, map.as_ref(), self.estimator()),
            None => Training::from_statistics(statistics),
        };
        let training = if job.sparing { training.sparing() } else { training };
        let start = match (&self.settings.start, &map) {
            (Start::Given(own), Some(map)) => {
                Start::Given(map.unfold(own.as_ref(), statistics.dimension()))
            }
            (own, _) => own.clone(),
        };
        let fixed = match (&self.settings.fixed, &map) {
            (Some(own), Some(map)) => Some(map.unfold(own.as_ref(), statistics.dimension())),
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
    fn in_units(
        &self,
        job: Job<'_>,
        units: Units,
        basis: Option<Mat<f64>>,
        whole: bool,
    ) -> Result<Chosen, PipelineError> {
        let told = job.told();
        let Job { mut statistics, plain, dropped, filters, .. } = job;
        let map =
            Preprocessor::dropping(&statistics, self.scaling_of(units), self.centers(), dropped);
        map.iter().for_each(|map| map.apply(&mut statistics));
        let seen = match (plain, &map) {
            (None, _) => statistics.clone(),
            (Some(mut plain), map) => {
                map.iter().for_each(|map| map.apply(&mut plain));
                plain
            }
        };
        let count = self.components();
        let space = turned(units, Space::plain(map, statistics), dropped, basis, count, whole)?;
        Ok(Chosen { units, space, seen, told, filters })
    }

    /// Fits with a choice of units and noise.
    fn learn_chosen(
        &self,
        Chosen { units, space, seen, told, filters }: Chosen,
        mut selection: Selection,
        start: Option<&Mat<f64>>,
        observer: &mut Observer<'_>,
    ) -> Result<Fitted, PipelineError> {
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
        let mut reduction = method.fit_one(&training, filters, observer)?;
        let distinct = match self.turns() {
            true => replace_copies(&mut reduction, self.base(), &settings, &training, observer)?,
            false => filters,
        };
        if space.is_turned() {
            let lifted = space.lift(reduction.filters.as_ref());
            // Of length 1 in the units of the fit, in which the noise is the same in every direction.
            reduction.filters = with_fixed_signs(lifted);
        }
        reduction.seconds = began.elapsed().as_secs_f64();
        let units = (self.scaling_of(units), space.preprocessor.clone());
        let fitted = told.account(reduction, units, Some(selection), seen);
        Ok(Fitted { distinct, ..fitted })
    }

    /// The space in which all points are fitted: principal components where units within classes meet many columns.
    pub(crate) fn space(
        &self,
        statistics: ClassStatistics,
        units: Units,
        dropped: &[usize],
    ) -> Result<Space, PipelineError> {
        let plain = self.space_of(units, dropped).plain(statistics);
        turned(units, plain, dropped, None, self.components(), false)
    }
}

/// A space in its units: within so many principal components where units within classes meet many columns, unless these are to be whole,
/// or covariances that keep no entries.
fn turned(
    units: Units,
    plain: Space,
    dropped: &[usize],
    basis: Option<Mat<f64>>,
    count: usize,
    whole: bool,
) -> Result<Space, PipelineError> {
    let columns = match plain.preprocessor.as_ref().and_then(Preprocessor::kept) {
        Some(kept) => kept.len(),
        None => plain.statistics.dimension() - dropped.len(),
    };
    let dense = plain.statistics.covariances().iter().all(|one| one.entries().is_some());
    if units != Units::WithinClass || ((whole || columns <= WIDE) && dense) {
        return finished(units, plain);
    }
    let basis = match basis {
        Some(known) => known,
        None => {
            let count = count.min(plain.statistics.dimension());
            with_fixed_signs(plain.statistics.components_after(None, count)?)
        }
    };
    finished(units, plain.within(basis))
}
