//! The search: fits candidates on the training side of every fold and asks for their scores on the samples held out.
//!
//! [`Rule`] decides which candidates are tried. They are scored on the first folds; those that are not clearly behind are then
//! scored on the remaining ones. A fit starts from the filters of the nearest noise on the same fold. The caller computes the
//! scores: `in_memory` from samples in memory, `remote` on the workers of an engine.

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

/// Fits of the search need not be exact.
const STOPPING: Stopping = Stopping { max_iterations: 100, tolerance: 1e-5 };
/// Random starts of the first fit of a scaling.
const STARTS: usize = 2;

/// Held-out folds: the class statistics of what is learned from when one is held out.
pub(crate) trait Folds {
    /// The number of folds.
    fn count(&self) -> usize;

    /// The number of folds that score every candidate; the others score those that are not clearly behind.
    fn first(&self) -> usize;

    /// Returns the training side of a fold under a scaling; `None` if it has too few samples for it.
    fn side(&self, scaling: Scaling, fold: usize) -> Result<Option<Arc<Side>>, PipelineError>;
}

/// Candidates that learned without a fold, to be scored on the samples that it holds out.
#[derive(Default)]
pub(crate) struct Asked {
    /// The number and the scaling of each candidate.
    pub(crate) candidates: Vec<(usize, Scaling)>,
    /// Folds, each with one scorer for every candidate.
    pub(crate) folds: Vec<(usize, Vec<Scorer>)>,
}

/// Folds, and for each candidate its scorer, if it could be fitted.
type Fits = Vec<(usize, Vec<Option<Scorer>>)>;

/// What every fit of a search shares.
pub(crate) struct Common<'a> {
    pub(crate) entry: &'a ReducerEntry,
    pub(crate) settings: &'a ReducerSettings,
    pub(crate) filters: usize,
}

/// A candidate on its way through the folds.
pub(crate) struct Runner {
    pub(crate) candidate: Candidate,
    /// Folds, and the filters of preprocessed columns that were found without them.
    filters: Vec<(usize, Mat<f64>)>,
}

/// A search, which goes on as scores come in.
pub(crate) struct Search {
    rule: Rule,
    /// All candidates so far.
    asked: Vec<Candidate>,
    /// Those that could be fitted.
    runners: Vec<Runner>,
    /// Folds on which candidates were scored, in the order of the scores.
    scored: Vec<usize>,
    /// Folds that leave too few samples.
    unused: Vec<usize>,
    is_finished: bool,
}

impl Runner {
    fn new(candidate: Candidate) -> Self {
        Self { candidate, filters: Vec::new() }
    }

    /// Returns the filters that were found without a fold.
    fn on(&self, fold: usize) -> Option<&Mat<f64>> {
        self.filters.iter().find(|(own, _)| *own == fold).map(|(_, filters)| filters)
    }

    /// Returns folds and the filters that were found without them.
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

    /// The candidates that could be fitted, in the order of all scores.
    pub(crate) fn runners(&self) -> &[Runner] {
        &self.runners
    }

    /// The folds on which candidates were scored, in the order of the scores.
    pub(crate) fn scored(&self) -> &[usize] {
        &self.scored
    }

    /// Returns the next candidates to score; `None` when the search is finished. `scores` has one entry for each candidate of
    /// [`Search::runners`].
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
            // One scaling after the other, so that only one side is in memory.
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

    /// Fits some candidates on some folds; `None` if this was cancelled.
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

    /// Returns the question about the candidates that could be fitted on every fold; new ones that could not are out.
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

    /// Where a fit starts: the filters of the nearest noise on the same fold.
    ///
    /// Never those of another fold: they have seen the samples held out, and with little noise a fit stays near its start.
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
    /// One fit in a space, and whether it was cancelled; `None` with too little noise for its covariances.
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
        // Initial filters are of all columns, and the space may be one of principal components.
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
