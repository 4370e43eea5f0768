//! The search: fits candidates on the training side of every fold and requests their scores on the
//! held-out samples.
//!
//! [`Rule`] decides which candidates are tried. They are scored on the first folds, and those that
//! are not clearly behind are then scored on the remaining ones. A fit is initialized with the
//! filters of the nearest noise on the same fold. The caller computes the scores: `in_memory` from
//! samples in memory, `remote` on the workers of a distributed engine.

use std::ops::Range;
use std::sync::Arc;

use crate::linalg::Mat;
use crate::model::{FitError, Noise, Restarts, Start};
use crate::optimize::{Observer, Stopping, Termination};
use crate::reduce::{ReduceError, ReducerEntry, ReducerSettings, Training};
use crate::statistics::Scaling;

use super::rule::{Rule, leading};
use super::score::Compared;
use super::selection::Candidate;
use super::side::Side;
use super::space::Space;
use super::{PipelineError, Scorer};

/// The criterion of convergence of fits in the search, which need not be exact.
const STOPPING: Stopping = Stopping { max_iterations: 100, tolerance: 1e-5 };
/// The number of random initializations for the first fit of a scaling.
const STARTS: usize = 2;

/// The held-out folds of a search, with the class statistics of their training sides.
pub(crate) trait Folds {
    /// The number of folds.
    fn count(&self) -> usize;

    /// Returns the number of folds on which all candidates are scored. Candidates that are not
    /// clearly behind are then scored on the other folds.
    fn first(&self) -> usize;

    /// Returns the training side of a fold under a scaling, or `None` if it has too few samples.
    fn side(&self, scaling: Scaling, fold: usize) -> Result<Option<Arc<Side>>, PipelineError>;
}

/// Candidates to be scored, fitted on the training side of each fold.
#[derive(Default)]
pub(crate) struct Asked {
    /// The index and the scaling of each candidate.
    pub(crate) candidates: Vec<(usize, Scaling)>,
    /// The index of each fold, with one scorer per candidate.
    pub(crate) folds: Vec<(usize, Vec<Scorer>)>,
}

/// The index of each fold, with a scorer for each candidate that could be fitted.
type Fits = Vec<(usize, Vec<Option<Scorer>>)>;

/// The method, the settings and the number of filters that all fits of a search use.
pub(crate) struct Common<'a> {
    pub(crate) entry: &'a ReducerEntry,
    pub(crate) settings: &'a ReducerSettings,
    pub(crate) filters: usize,
}

/// A candidate with the filters that were learned on the folds so far.
pub(crate) struct Runner {
    pub(crate) candidate: Candidate,
    /// The index of each fold, with the filters that were learned without it, for preprocessed
    /// columns.
    filters: Vec<(usize, Mat<f64>)>,
}

/// The state of a search, which continues as scores become available.
pub(crate) struct Search {
    rule: Rule,
    /// All candidates so far.
    asked: Vec<Candidate>,
    /// The candidates that could be fitted.
    runners: Vec<Runner>,
    /// The folds on which candidates were scored, in the order of the scores.
    scored: Vec<usize>,
    /// The folds that leave too few samples for training.
    unused: Vec<usize>,
    is_finished: bool,
}

impl Runner {
    fn new(candidate: Candidate) -> Self {
        Self { candidate, filters: Vec::new() }
    }

    /// Returns the filters that were learned without a fold.
    fn on(&self, fold: usize) -> Option<&Mat<f64>> {
        self.filters.iter().find(|(own, _)| *own == fold).map(|(_, filters)| filters)
    }

    /// Returns the index of each fold with the filters that were learned without it.
    pub(crate) fn filters(&self) -> &[(usize, Mat<f64>)] {
        &self.filters
    }

    fn forget(&mut self, fold: usize) {
        self.filters.retain(|(own, _)| *own != fold);
    }
}

impl Search {
    pub(crate) fn new(rule: Rule) -> Self {
        let (asked, runners, scored, unused) = Default::default();
        Self { rule, asked, runners, scored, unused, is_finished: false }
    }

    /// Returns the candidates that could be fitted, in the order of all scores.
    pub(crate) fn runners(&self) -> &[Runner] {
        &self.runners
    }

    /// Returns the folds on which candidates were scored, in the order of the scores.
    pub(crate) fn scored(&self) -> &[usize] {
        &self.scored
    }

    /// Returns the next candidates to score, or `None` when the search is finished. `scores` has
    /// one entry for each candidate of [`Search::runners`].
    pub(crate) fn ask(
        &mut self,
        common: &Common<'_>,
        folds: &dyn Folds,
        scores: &dyn Compared,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Asked>, PipelineError> {
        while !self.is_finished {
            let before = self.runners.len();
            let tried: Vec<Candidate> = self.runners.iter().map(|own| own.candidate).collect();
            let next = self.rule.next(&self.asked, &tried, scores);
            self.is_finished = next.is_empty();
            let (mut places, range): (Vec<usize>, _) = match self.is_finished {
                true => (leading(before, scores), folds.first()..folds.count()),
                false => ((before..before + next.len()).collect(), 0..folds.first()),
            };
            self.asked.extend(&next);
            self.runners.extend(next.into_iter().map(Runner::new));
            // Process one scaling after the other, so that only one training side is in memory.
            let order = |at: &usize| {
                let own = self.runners[*at].candidate.scaling;
                self.rule.scalings.iter().position(|&scaling| scaling == own)
            };
            places.sort_by_key(order);
            let fits = self.run(common, folds, &places, range, observer)?;
            self.is_finished |= fits.is_none();
            let asked = fits.map(|fits| self.complete(before, &places, fits)).unwrap_or_default();
            if !asked.folds.is_empty() {
                return Ok(Some(asked));
            }
            self.runners.truncate(before);
        }
        Ok(None)
    }

    /// Fits some candidates on some folds. Returns `None` if the observer cancelled the search.
    fn run(
        &mut self,
        common: &Common<'_>,
        folds: &dyn Folds,
        places: &[usize],
        range: Range<usize>,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Fits>, PipelineError> {
        let mut fits: Fits = Vec::new();
        'folds: for fold in range {
            if self.unused.contains(&fold) {
                continue;
            }
            let mut scorers = Vec::with_capacity(places.len());
            let mut side: Option<(Scaling, Arc<Side>)> = None;
            for &at in places {
                let Candidate { scaling, noise } = self.runners[at].candidate;
                if side.as_ref().is_none_or(|(own, _)| *own != scaling) {
                    drop(side.take());
                    side = folds.side(scaling, fold)?.map(|side| (scaling, side));
                }
                let Some((_, side)) = &side else {
                    self.runners.iter_mut().for_each(|own| own.forget(fold));
                    self.unused.push(fold);
                    continue 'folds;
                };
                let start = self.start(at, fold).map(|own| side.space.lower(own.as_ref()));
                let noise = noise.value(side.unit);
                let fitted = common.attempt(&side.space, noise, start, observer)?;
                scorers.push(fitted.as_ref().map(|(filters, _)| side.scorer(filters)));
                if let Some((filters, cancelled)) = fitted {
                    if cancelled {
                        return Ok(None);
                    }
                    let lifted = side.space.lift(filters.as_ref());
                    self.runners[at].filters.push((fold, lifted));
                }
            }
            fits.push((fold, scorers));
        }
        Ok(Some(fits))
    }

    /// Returns the request for the candidates that could be fitted on every fold. New candidates
    /// that could not be fitted are removed.
    fn complete(&mut self, before: usize, places: &[usize], fits: Fits) -> Asked {
        let fitted: Vec<bool> = (0..places.len())
            .map(|place| fits.iter().all(|(_, scorers)| scorers[place].is_some()))
            .collect();
        let failed: Vec<usize> = places
            .iter()
            .zip(&fitted)
            .filter(|(at, fitted)| **at >= before && !**fitted)
            .map(|(&at, _)| at)
            .collect();
        let left = places.iter().zip(&fitted).filter(|(_, fitted)| **fitted);
        let candidates: Vec<(usize, Scaling)> = left
            .map(|(&at, _)| {
                let out = failed.iter().filter(|&&out| out < at).count();
                (at - out, self.runners[at].candidate.scaling)
            })
            .collect();
        let mut at = 0;
        self.runners.retain(|_| {
            at += 1;
            !failed.contains(&(at - 1))
        });
        if candidates.is_empty() {
            return Asked::default();
        }
        let new = fits.iter().map(|(fold, _)| *fold).filter(|fold| !self.scored.contains(fold));
        let new: Vec<usize> = new.collect();
        self.scored.extend(new);
        let of = |scorers: Vec<Option<Scorer>>| {
            scorers
                .into_iter()
                .zip(&fitted)
                .filter(|(_, ok)| **ok)
                .filter_map(|(own, _)| own)
                .collect()
        };
        let folds = fits.into_iter().map(|(fold, scorers)| (fold, of(scorers))).collect();
        Asked { candidates, folds }
    }

    /// Returns the initial filters of a fit: those of the nearest noise on the same fold.
    ///
    /// Filters of other folds must not be used. They were trained on the held-out samples of this
    /// fold, and with little noise a fit stays near its initial filters.
    fn start(&self, at: usize, fold: usize) -> Option<&Mat<f64>> {
        let own = self.runners[at].candidate;
        let far = |other: &Runner| other.candidate.noise.decades_from(own.noise);
        self.runners
            .iter()
            .filter(|other| other.candidate.scaling == own.scaling && other.on(fold).is_some())
            .min_by(|a, b| far(a).total_cmp(&far(b)))
            .and_then(|other| other.on(fold))
    }
}

impl Common<'_> {
    /// Fits filters in a space and returns whether the fit was cancelled. Returns `None` if the
    /// noise is too small for the class covariances.
    pub(crate) fn attempt(
        &self,
        space: &Space,
        noise: f64,
        start: Option<Mat<f64>>,
        observer: &mut Observer<'_>,
    ) -> Result<Option<(Mat<f64>, bool)>, PipelineError> {
        match self.fit(space, noise, start, observer) {
            Ok(fitted) => Ok(Some(fitted)),
            Err(PipelineError::Reduce(ReduceError::Fit(
                FitError::NotPositiveDefinite { .. }
                | FitError::NotFinite { .. }
                | FitError::RankDeficient { .. }
                | FitError::ConstantDimension { .. },
            ))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn fit(
        &self,
        space: &Space,
        noise: f64,
        start: Option<Mat<f64>>,
        observer: &mut Observer<'_>,
    ) -> Result<(Mat<f64>, bool), PipelineError> {
        let restarts = if start.is_some() { 1 } else { STARTS };
        // The specified initial filters have one row per column, while the space may be one of
        // principal components.
        let own = ReducerSettings { start: Start::Auto, ..self.settings.clone() };
        let settings = ReducerSettings {
            noise: Noise::Value(noise),
            start: start.map_or(Start::Auto, Start::Given),
            restarts: Restarts::Count(restarts),
            stopping: STOPPING,
            ..space.settings(&own)
        };
        let training = Training::from_statistics(&space.statistics);
        let fitted = self.entry.reducer(&settings).fit_one(&training, self.filters, observer)?;
        Ok((fitted.filters, fitted.run.termination == Some(Termination::Cancelled)))
    }
}
