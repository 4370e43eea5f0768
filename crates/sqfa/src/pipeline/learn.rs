//! The last step of a fit: learns the filters on all samples with the selected settings.

use std::time::Instant;

use crate::linalg::Mat;
use crate::model::{Noise, Restarts, Start, with_fixed_signs, with_unit_length};
use crate::optimize::Observer;
use crate::reduce::{ReduceError, ReducerSettings, Reduction, Setting, Training};
use crate::statistics::{ClassStatistics, Estimator, Scaling, StatisticsError};
use crate::transform::Features;

use super::coordinates::{Learned, OnColumns};
use super::defaults::in_one_unit;
use super::distinct::replace_copies;
use super::fitted::Account;
use super::in_memory::{Arm, InMemory};
use super::rule::{Rule, select};
use super::score::{Compared, Scores};
use super::search::{Common, Search};
use super::selection::{Candidate, Selection, Tried};
use super::space::Space;
use super::{Fitted, Parts, Pipeline, PipelineError, Reference, WIDE};

/// The number of initializations of the last fit, times the number of filters. At least one
/// initialization is used, and the first one comes from the search.
const STARTS: usize = 16;

/// The data of a fit: raw class statistics of all training samples, and the samples if they are in
/// memory.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    pub(crate) statistics: ClassStatistics,
    pub(crate) parts: Option<&'a Parts<'a>>,
    pub(crate) dropped: &'a [usize],
    /// Whether the statistics contain only variances, because the method computes one covariance
    /// for all classes itself.
    sparing: bool,
}

/// The result of a search.
pub(crate) struct Found {
    pub(crate) selection: Selection,
    /// The initial filters for the last fit, for preprocessed columns.
    pub(crate) start: Option<Mat<f64>>,
    /// The index of every scored fold, with the filters that were learned without it.
    pub(crate) folds: Vec<(usize, Mat<f64>)>,
    /// The principal components of preprocessed columns in which candidates were scored. `None` if
    /// they differ between folds.
    pub(crate) basis: Option<Mat<f64>>,
    /// Whether within-class scaling uses all columns, even if there are more than [`WIDE`].
    pub(crate) whole: bool,
}

impl Found {
    /// Returns the result of a search on other samples, without its filters.
    pub(crate) fn again(selection: Selection, whole: bool) -> Self {
        Self { selection, start: None, folds: Vec::new(), basis: None, whole }
    }

    /// Returns the result of a search with the candidate that the rule selects, or `None` if no
    /// candidate was scored. `nested` computes the held-out accuracy of the selection.
    pub(crate) fn among(
        search: &Search,
        scores: &dyn Compared,
        nested: impl FnOnce(&[Candidate]) -> Option<f64>,
        reference: Option<Reference>,
    ) -> Option<Self> {
        let candidates: Vec<Candidate> = search.runners().iter().map(|own| own.candidate).collect();
        let (taken, reason) = select(&candidates, scores)?;
        let tried = candidates.iter().enumerate().map(|(at, &candidate)| Tried {
            candidate,
            points: scores.points(at),
            log_posterior: scores.mean(at),
            accuracy: scores.accuracy(at),
        });
        let selection = Selection {
            candidate: candidates[taken],
            reason,
            tried: tried.collect(),
            folds: search.scored().len(),
            accuracy: nested(&candidates).or_else(|| Some(scores.accuracy(taken))),
            reference,
        };
        let own = &search.runners()[taken];
        let start = own.filters().first().map(|(_, filters)| filters.clone());
        Some(Self { selection, start, folds: own.filters().to_vec(), basis: None, whole: false })
    }
}

impl<'a> Job<'a> {
    /// Returns the data of samples. If `as_samples` is true, covariances store the samples instead
    /// of their entries.
    pub(crate) fn new(
        parts: &'a Parts<'a>,
        estimator: Estimator,
        dropped: &'a [usize],
        as_samples: bool,
    ) -> Result<Self, StatisticsError> {
        let statistics = match as_samples {
            true => parts.as_samples()?,
            false => parts.statistics(None, estimator)?,
        };
        Ok(Self { parts: Some(parts), ..Self::of(statistics, dropped) })
    }

    /// Returns the data of samples with their variances only, for a method that computes one
    /// covariance for all classes itself.
    pub(crate) fn sparing(
        parts: &'a Parts<'a>,
        dropped: &'a [usize],
    ) -> Result<Self, StatisticsError> {
        let own = Self::of(parts.pooled_variances()?, dropped);
        Ok(Self { parts: Some(parts), sparing: true, ..own })
    }

    /// Returns the data of class statistics without samples.
    pub(crate) fn of(statistics: ClassStatistics, dropped: &'a [usize]) -> Self {
        Self { statistics, parts: None, dropped, sparing: false }
    }
}

/// The coordinates in which all samples are fitted, with the data in these coordinates.
struct Fit<'a> {
    space: Space,
    /// The statistics of scaled columns, without shrinkage.
    columns: ClassStatistics,
    parts: Option<&'a Parts<'a>>,
    sparing: bool,
    about: Account,
}

/// The result of a fit, with the statistics that its refinement needs.
pub(crate) struct Outcome {
    pub(crate) fitted: Fitted,
    /// The statistics of scaled columns, without shrinkage.
    pub(crate) columns: ClassStatistics,
}

impl Pipeline {
    /// Selects scaling and noise on held-out folds. Returns `None` if both are specified or nothing
    /// can be held out.
    pub(crate) fn found(
        &self,
        arms: &[Arm<'_>],
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Found>, PipelineError> {
        if !self.searches() {
            return Ok(None);
        }
        let common = self.common(filters);
        let folds = InMemory::new(arms);
        let scalings = arms.iter().map(|arm| arm.scaling).collect();
        let reference = folds.reference(observer)?;
        let mut search = Search::new(Rule { scalings, noise: self.settings.noise });
        let scores = folds.search(&mut search, &common, observer)?;
        let scores: Vec<&Scores> = scores.iter().collect();
        let samples = folds.samples(search.scored());
        let nested = |candidates: &[Candidate]| {
            samples.accuracy(&scores, |some| select(candidates, some).map(|(taken, _)| taken))
        };
        Ok(Found::among(&search, &scores, nested, reference))
    }

    /// Returns the method, the settings and the number of filters that all fits of a search use.
    pub(crate) fn common(&self, filters: usize) -> Common<'_> {
        Common { entry: self.method.entry, settings: &self.settings, filters }
    }

    /// Learns filters on all samples with the selected settings, or with the default if nothing was
    /// selected.
    pub(crate) fn learn(
        &self,
        job: Job<'_>,
        filters: usize,
        found: Option<Found>,
        observer: &mut Observer<'_>,
    ) -> Result<Outcome, PipelineError> {
        if !self.has_noise() {
            let fitted = self.learn_each(job, &[filters], observer)?.pop();
            return fitted.ok_or_else(|| ReduceError::NoFilters { filters }.into());
        }
        let (candidate, found) = match found {
            Some(found) => (found.selection.candidate, Some(found)),
            None => (self.default_candidate(job.dropped, &job.statistics), None),
        };
        let (selection, start, basis, whole) = match found {
            Some(Found { selection, start, basis, whole, .. }) => {
                (Some(selection), start, basis, whole)
            }
            None => (self.searches().then(|| Selection::default_of(candidate)), None, None, false),
        };
        let fit = self.in_scaling(job, candidate.scaling, basis, whole)?;
        let start = start.map(|start| {
            let own = fit.space.of_columns(start);
            with_unit_length(fit.space.lower(own.as_ref()))
        });
        let (reduction, distinct) =
            self.learn_candidate(&fit.space, filters, candidate, start, observer)?;
        fit.outcome(reduction, Some(distinct), selection)
    }

    /// Learns several numbers of filters at once, with a method whose scaling and noise are not
    /// selected on folds. If the scaling is not specified and the method selects a shrinkage, both
    /// scalings are tried and the one with the higher held-out accuracy is used.
    pub(crate) fn learn_each(
        &self,
        job: Job<'_>,
        counts: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Outcome>, PipelineError> {
        let usual = self.usual_scaling(&job);
        let open = self.scaling.is_none() && self.has_own_shrinkage() && job.parts.is_some();
        if !open {
            let fit = self.in_scaling(job, usual, None, false)?;
            return self.learn_together(fit, counts, observer);
        }
        let scaled = self.in_scaling(job.clone(), usual, None, false);
        let scaled = scaled.and_then(|fit| self.learn_together(fit, counts, observer));
        let plain = self.in_scaling(job, Scaling::None, None, false);
        let plain = plain.and_then(|fit| self.learn_together(fit, counts, observer));
        let held = |own: &Outcome| own.fitted.record.accuracy_of(Setting::Shrinkage);
        let better = |(first, other): (Outcome, Outcome)| {
            if held(&other) > held(&first) { other } else { first }
        };
        match (scaled, plain) {
            (Ok(scaled), Ok(plain)) => Ok(scaled.into_iter().zip(plain).map(better).collect()),
            (Err(_), Ok(plain)) => Ok(plain),
            (scaled, _) => scaled,
        }
    }

    /// Whether the method selects a shrinkage towards equal variances, which depends on the
    /// scaling.
    fn has_own_shrinkage(&self) -> bool {
        self.method.entry.usual_scaling(&self.settings) != Scaling::None
    }

    /// Returns the scaling of a method whose scaling is not selected on folds.
    ///
    /// If the method shrinks towards equal variances, the shrinkage must not depend on the units of
    /// the columns, so columns are scaled. Without shrinkage, columns are scaled if the method
    /// would mix columns with different units. That is the case if it ranks directions by variance
    /// and some columns vary far more than others, or if it adds the same noise to every filter.
    /// With many columns that vary alike within classes, noise alone is no reason for scaling.
    fn usual_scaling(&self, job: &Job<'_>) -> Scaling {
        let entry = self.method.entry;
        let alike = || in_one_unit(&job.statistics, job.dropped);
        let wide = job.statistics.dimension() - job.dropped.len() > WIDE;
        let mixes = || {
            entry.ranks_by_variance && !alike()
                || entry.has_plain_noise(&self.settings) && !(wide && alike())
        };
        let own =
            || if mixes() { Scaling::PerFeature } else { entry.usual_scaling(&self.settings) };
        self.scaling.unwrap_or_else(own)
    }

    /// Transforms the data to the coordinates of a scaling.
    fn in_scaling<'a>(
        &self,
        job: Job<'a>,
        scaling: Scaling,
        basis: Option<Mat<f64>>,
        whole: bool,
    ) -> Result<Fit<'a>, PipelineError> {
        let about = Account::new(self, &job.statistics, scaling);
        let Job { statistics, parts, dropped, sparing } = job;
        let learned = Learned { statistics, parts: parts.map(|parts| (parts, None)) };
        let maker = OnColumns { recipe: self, scaling, dropped, whole };
        let (space, columns) = maker.make(learned, basis)?;
        Ok(Fit { space, columns, parts, sparing, about })
    }

    /// Learns several numbers of filters at once with the specified settings.
    fn learn_together(
        &self,
        fit: Fit<'_>,
        counts: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Outcome>, PipelineError> {
        let settings = fit.space.settings(&self.settings);
        let coordinates = fit.coordinates();
        let training = fit.training(coordinates.as_ref(), self.estimator());
        let reductions = self.method.entry.reducer(&settings).fit(&training, counts, observer)?;
        drop(training);
        reductions.into_iter().map(|reduction| fit.outcome(reduction, None, None)).collect()
    }

    /// Learns filters with the noise of a candidate. Returns the number of distinct filters, which
    /// come first.
    fn learn_candidate(
        &self,
        space: &Space,
        filters: usize,
        candidate: Candidate,
        start: Option<Mat<f64>>,
        observer: &mut Observer<'_>,
    ) -> Result<(Reduction, usize), PipelineError> {
        let began = Instant::now();
        let own = space.settings(&self.settings);
        let settings = ReducerSettings {
            noise: Noise::Value(candidate.noise.value(space.statistics.noise_scale())),
            restarts: match (own.restarts, &start) {
                (Restarts::Auto, Some(_)) => Restarts::Count((STARTS / filters).max(1)),
                (restarts, _) => restarts,
            },
            start: match (own.start, start) {
                (Start::Auto | Start::Random | Start::Differences, Some(start)) => {
                    Start::Given(start)
                }
                (own, _) => own,
            },
            ..own
        };
        let entry = self.method.entry;
        let training = Training::from_statistics(&space.statistics);
        let mut reduction = entry.reducer(&settings).fit_one(&training, filters, observer)?;
        let distinct = match self.turns() {
            true => replace_copies(&mut reduction, entry, &settings, &training, observer)?,
            false => filters,
        };
        reduction.run.seconds = began.elapsed().as_secs_f64();
        Ok((reduction, distinct))
    }

    /// Returns the coordinates in which all samples are fitted.
    pub(crate) fn space(
        &self,
        job: Job<'_>,
        scaling: Scaling,
        whole: bool,
    ) -> Result<Space, PipelineError> {
        Ok(self.in_scaling(job, scaling, None, whole)?.space)
    }
}

impl Fit<'_> {
    /// Returns all samples in the coordinates of the fit, or `None` if these are the scaled
    /// columns.
    fn coordinates(&self) -> Option<Features> {
        let parts = self.parts.filter(|_| self.space.is_turned())?;
        let points = parts.data().points;
        let rows: Vec<usize> = (0..points.rows()).collect();
        Some(self.space.coordinates(points, &rows))
    }

    /// Returns the training data of the method.
    fn training<'t>(
        &'t self,
        coordinates: Option<&'t Features>,
        estimator: Estimator,
    ) -> Training<'t> {
        let (space, statistics) = (&self.space, &self.space.statistics);
        let Some(parts) = self.parts else { return Training::from_statistics(statistics) };
        let training = match coordinates {
            Some(features) => {
                let points = features.as_points(statistics.dimension());
                parts.training(points, statistics, None, estimator)
            }
            None => {
                let points = parts.data().points;
                parts.training(points, statistics, space.preprocessor.as_ref(), estimator)
            }
        };
        if self.sparing { training.sparing() } else { training }
    }

    /// Returns the result of a fit for filters in the coordinates of the fit.
    fn outcome(
        &self,
        mut reduction: Reduction,
        distinct: Option<usize>,
        selection: Option<Selection>,
    ) -> Result<Outcome, PipelineError> {
        let mut own = reduction.filters.clone();
        if self.space.is_turned() {
            let lifted = self.space.lift(own.as_ref());
            // Filters keep length 1 in the coordinates of the fit, in which the noise is isotropic.
            reduction.filters = with_fixed_signs(lifted.clone());
            for j in (0..lifted.ncols()).filter(|&j| lifted.col(j) != reduction.filters.col(j)) {
                own.as_mut().col_mut(j).iter_mut().for_each(|value| *value = -*value);
            }
        }
        let features = self.features(&own)?;
        let map = self.space.preprocessor.clone();
        let distinct = distinct.unwrap_or(reduction.filters.ncols());
        let fitted = self.about.of(reduction, map, selection, features, distinct);
        Ok(Outcome { fitted, columns: self.columns.clone() })
    }

    /// Returns the class statistics of the features of some filters.
    fn features(&self, filters: &Mat<f64>) -> Result<ClassStatistics, StatisticsError> {
        match self.parts {
            Some(parts) if self.sparing => {
                let (filters, offset) = self.space.fold(filters.as_ref());
                parts.features(&filters, offset.as_deref())
            }
            _ => Ok(self.space.classes().reduced(filters.as_ref())),
        }
    }
}
