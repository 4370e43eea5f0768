//! The search for scaling and noise: candidates on held-out folds, from a short grid that grows while its edge is best.
//!
//! Every scaling starts with three noise fractions a decade apart, from large to small, and each fit starts from the filters
//! of the nearest one; the third is left out if the second is clearly worse than the first. While the best of a scaling is at
//! the edge of its grid and not clearly worse than that of another scaling, the grid grows by a decade; then the best of all
//! gets neighbors half a decade away. If the noise is specified, each scaling has one candidate. After [`ENOUGH`] held-out
//! samples, a candidate is dropped if its score is behind the best by more than two standard errors and it is no more
//! accurate, or if its accuracy is; the others are scored on all folds.

use std::sync::Arc;

use crate::classify::Qda;
use crate::linalg::Mat;
use crate::model::{FitError, Noise, Restarts, Start};
use crate::optimize::{Observer, Stopping, Termination};
use crate::reduce::{JUDGED, ReduceError, ReducerEntry, ReducerSettings, Training};
use crate::statistics::{Estimator, Scaling, StatisticsError};
use crate::transform::transform_rows_offset;

use super::coordinates::{Learned, MakeSpace};
use super::folds::Parts;
use super::score::{Compared, Scores};
use super::selection::{Candidate, DEFAULT_FRACTION};
use super::side::Side;
use super::space::Space;
use super::{PipelineError, nested};

/// Held-out points after which a candidate may be dropped.
const ENOUGH: u64 = 300;
/// Standard errors behind the best beyond which it is.
const CLEARLY: f64 = 2.0;
/// The fractions that every scaling starts with, times the default.
const FIRST: [f64; 3] = [10.0, 1.0, 0.1];
/// A step of the grid.
const STEP: f64 = 10.0;
/// The largest and smallest fraction that is ever tried, times the default.
const ENDS: (f64, f64) = (100.0, 1e-3);
/// Fits of the search need not be exact.
const STOPPING: Stopping = Stopping { max_iterations: 100, tolerance: 1e-5 };
/// Random starts of the first fit of a scaling.
const STARTS: usize = 2;

/// One scaling of the search: its samples in folds, once per repeat, and how its spaces are made.
pub(crate) struct Arm<'a> {
    pub(crate) scaling: Scaling,
    /// The estimator of class statistics of these samples, before they are scaled.
    pub(crate) estimator: Estimator,
    pub(crate) repeats: Vec<Parts<'a>>,
    /// One a repeat, or one for all.
    pub(crate) makers: Vec<Box<dyn MakeSpace + 'a>>,
}

/// A repeat, one of its folds and the rows that are held out in it; every arm holds out the same.
pub(crate) type Held = (usize, usize, Arc<Vec<u32>>);

impl<'a> Arm<'a> {
    /// What makes the spaces of a repeat.
    fn maker(&self, repeat: usize) -> &(dyn MakeSpace + 'a) {
        &*self.makers[repeat.min(self.makers.len() - 1)]
    }

    /// The folds that hold anything out, repeat by repeat.
    pub(crate) fn held(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for (repeat, parts) in self.repeats.iter().enumerate() {
            for &fold in parts.folds() {
                let mut rows = Vec::with_capacity(parts.within(fold).count());
                rows.extend(parts.within(fold).map(|row| row as u32));
                if !rows.is_empty() {
                    held.push((repeat, fold, Arc::new(rows)));
                }
            }
        }
        held
    }
}

/// What every fit of a search shares.
pub(crate) struct Common<'a> {
    pub(crate) entry: &'a ReducerEntry,
    pub(crate) settings: &'a ReducerSettings,
    pub(crate) filters: usize,
}

/// The training side of one fold, in the units of one arm.
pub(crate) struct Fold<'p, 'a> {
    pub(crate) side: Side,
    pub(crate) parts: &'p Parts<'a>,
    pub(crate) held: Arc<Vec<u32>>,
}

/// A candidate on its way through the folds.
pub(crate) struct Runner {
    pub(crate) candidate: Candidate,
    arm: usize,
    pub(crate) scores: Scores,
    /// Filters of preprocessed columns, fold by fold.
    pub(crate) filters: Vec<Mat<f64>>,
}

/// A finished search.
pub(crate) struct Searched {
    pub(crate) runners: Vec<Runner>,
    pub(crate) folds: usize,
    /// The samples that the scores are of.
    pub(crate) held: nested::Held,
}

impl<'p, 'a> Fold<'p, 'a> {
    /// A fold and the rows it holds out.
    pub(crate) fn new(
        arm: &'p Arm<'a>,
        (repeat, fold, held): &Held,
    ) -> Result<Self, PipelineError> {
        let parts = &arm.repeats[*repeat];
        let statistics = parts.statistics(Some(*fold), arm.estimator)?;
        let learned = Learned { statistics, parts: Some((parts, Some(*fold))) };
        let side = Side::new(arm.maker(*repeat), learned)?;
        Ok(Self { side, parts, held: held.clone() })
    }

    /// A fold whose space was made elsewhere.
    pub(crate) fn of(side: Side, parts: &'p Parts<'a>, held: Vec<u32>) -> Self {
        Self { side, parts, held: Arc::new(held) }
    }

    /// The scores of filters of the space on the points held out.
    pub(crate) fn score(&self, filters: &Mat<f64>) -> Result<Scores, PipelineError> {
        let data = self.parts.data();
        let (folded, offset) = self.side.space.fold(filters.as_ref());
        let qda = Qda::from_statistics(self.side.space.classes(), filters.as_ref(), None).ok();
        let mut scores = Scores::with_room(self.held.len());
        for rows in self.held.chunks(JUDGED) {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            let features =
                transform_rows_offset(data.points, &rows, folded.as_ref(), offset.as_deref());
            let codes: Vec<u32> = rows.iter().map(|&row| data.labels.codes()[row]).collect();
            let weights = data.weights.map(|all| rows.iter().map(|&row| all[row] as f64).collect());
            let points = features.as_points(filters.ncols());
            scores.extend(Scores::by(qda.as_ref(), points, &codes, weights.unwrap_or_default())?);
        }
        Ok(scores)
    }
}

impl Common<'_> {
    /// One fit in a space, and whether it was cancelled; none with too little noise for its covariances.
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

/// Scores candidates on the folds of some arms.
pub(crate) fn search(
    arms: &[Arm<'_>],
    common: &Common<'_>,
    observer: &mut Observer<'_>,
) -> Result<Searched, PipelineError> {
    let mut race = Race::new(arms, common);
    let open = common.settings.noise == Noise::Auto;
    for arm in 0..arms.len() {
        if open {
            race.enter_grid(arm, observer)?;
        } else {
            race.enter(arm, common.settings.noise, observer)?;
        }
        race.forget_all_but_best();
    }
    if let (Some(best), true) = (race.best(), open) {
        let Runner { arm, candidate, .. } = race.searched.runners[best];
        if let Noise::Fraction(fraction) = candidate.noise {
            for next in [fraction * STEP.sqrt(), fraction / STEP.sqrt()] {
                race.enter(arm, Noise::Fraction(next), observer)?;
            }
        }
    }
    race.finish(observer)
}

struct Race<'p, 'a> {
    arms: &'p [Arm<'a>],
    common: &'p Common<'p>,
    /// What the folds hold out, the same for every arm; the first ones decide who is dropped.
    held: Vec<Held>,
    /// Folds of every arm, each made when it is first run in: the statistics of all together would take much memory.
    folds: Vec<Vec<Option<Fold<'p, 'a>>>>,
    first: usize,
    searched: Searched,
    cancelled: bool,
}

impl<'p, 'a> Race<'p, 'a> {
    fn new(arms: &'p [Arm<'a>], common: &'p Common<'p>) -> Self {
        let held = arms.first().map(Arm::held).unwrap_or_default();
        let (mut first, mut points) = (0, 0);
        while let Some((repeat, _, rows)) = held.get(first).filter(|_| points < ENOUGH) {
            let data = arms[0].repeats[*repeat].data();
            points += rows.iter().map(|&row| data.weight(row as usize)).sum::<u64>();
            first += 1;
        }
        // Repeats of one table hold out the same samples; on components every fold is a table of its own.
        let own_rows = arms.first().is_some_and(|arm| arm.makers.len() > 1);
        let mut samples = nested::Held::default();
        for (repeat, _, rows) in &held {
            let table = if own_rows { *repeat as u64 } else { 0 };
            samples.push(rows.iter().map(|&row| table << 32 | u64::from(row)));
        }
        let searched = Searched { runners: Vec::new(), folds: held.len(), held: samples };
        let folds = arms.iter().map(|_| held.iter().map(|_| None).collect()).collect();
        Self { arms, common, held, folds, first, searched, cancelled: false }
    }

    /// Forgets the folds of all arms but that of the best candidate so far, which alone may be run in again.
    fn forget_all_but_best(&mut self) {
        let best = self.best().map(|at| self.searched.runners[at].arm);
        for (arm, folds) in self.folds.iter_mut().enumerate() {
            if Some(arm) != best {
                folds.iter_mut().for_each(|fold| *fold = None);
            }
        }
    }

    /// Tries the grid of a scaling, which grows while its edge is best.
    fn enter_grid(&mut self, arm: usize, observer: &mut Observer<'_>) -> Result<(), PipelineError> {
        let mut fractions: Vec<f64> = Vec::new();
        for fraction in FIRST.map(|step| step * DEFAULT_FRACTION) {
            if !self.is_falling(arm) {
                self.enter(arm, Noise::Fraction(fraction), observer)?;
                fractions.push(fraction);
            }
        }
        while let Some(fraction) = self.beyond(arm, &fractions) {
            self.enter(arm, Noise::Fraction(fraction), observer)?;
            fractions.push(fraction);
        }
        Ok(())
    }

    /// Scores a new candidate on the first folds.
    fn enter(
        &mut self,
        arm: usize,
        noise: Noise,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        let candidate = Candidate { scaling: self.arms[arm].scaling, noise };
        let runner = Runner { candidate, arm, scores: Scores::default(), filters: Vec::new() };
        self.searched.runners.push(runner);
        self.run(self.searched.runners.len() - 1, 0..self.first, observer)
    }

    fn run(
        &mut self,
        at: usize,
        folds: std::ops::Range<usize>,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        for index in folds {
            if self.cancelled {
                return Ok(());
            }
            let (arm, noise) = {
                let runner = &self.searched.runners[at];
                (runner.arm, runner.candidate.noise)
            };
            if self.folds[arm][index].is_none() {
                match Fold::new(&self.arms[arm], &self.held[index]) {
                    Ok(fold) => self.folds[arm][index] = Some(fold),
                    // The fold leaves too few samples for a robust estimator; all samples may be enough.
                    Err(PipelineError::Reduce(ReduceError::Statistics(
                        StatisticsError::Robust(_) | StatisticsError::RobustClass { .. },
                    ))) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            let Some(fold) = &self.folds[arm][index] else { return Ok(()) };
            let Side { space, unit, .. } = &fold.side;
            let start = self.start(at, index).map(|filters| space.lower(filters.as_ref()));
            let fitted = self.common.attempt(space, noise.value(*unit), start, observer)?;
            // The candidate is dropped, the others go on.
            let Some((filters, cancelled)) = fitted else { return Ok(()) };
            self.cancelled |= cancelled;
            let scores = fold.score(&filters)?;
            let lifted = space.lift(filters.as_ref());
            let runner = &mut self.searched.runners[at];
            runner.scores.extend(scores);
            runner.filters.push(lifted);
        }
        Ok(())
    }

    /// Where a fit starts: the filters of the nearest noise on the same fold.
    ///
    /// Never those of another fold: they have seen the points held out, and with little noise a climb does not leave them.
    fn start(&self, at: usize, fold: usize) -> Option<Mat<f64>> {
        let runner = &self.searched.runners[at];
        let far = |other: &Runner| other.candidate.noise.decades_from(runner.candidate.noise);
        self.searched.runners[..at]
            .iter()
            .filter(|other| other.arm == runner.arm && other.filters.len() > fold)
            .min_by(|a, b| far(a).total_cmp(&far(b)))
            .map(|other| other.filters[fold].clone())
    }

    /// Whether the last noise of an arm is clearly behind the larger one before it.
    fn is_falling(&self, arm: usize) -> bool {
        let own: Vec<&Runner> =
            self.searched.runners.iter().filter(|runner| runner.arm == arm).collect();
        let [.., before, last] = own[..] else { return false };
        if last.scores.len() < before.scores.len() {
            return true;
        }
        let ahead = before.scores.ahead_of(&last.scores);
        ahead.mean > CLEARLY * ahead.error
    }

    /// Returns the next fraction of an arm whose best is at an edge of its grid and not clearly behind the best of all.
    fn beyond(&self, arm: usize, fractions: &[f64]) -> Option<f64> {
        let left = self.left().into_iter().map(|at| &self.searched.runners[at]);
        let best = left.filter(|runner| runner.arm == arm).reduce(|best, other| {
            if other.scores.mean() > best.scores.mean() { other } else { best }
        })?;
        let Noise::Fraction(best) = best.candidate.noise else { return None };
        let largest = fractions.iter().copied().fold(0.0, f64::max);
        let smallest = fractions.iter().copied().fold(f64::INFINITY, f64::min);
        next_fraction(best, smallest, largest).filter(|_| !self.cancelled)
    }

    /// Drops who is clearly behind and runs the others over the remaining folds.
    fn finish(mut self, observer: &mut Observer<'_>) -> Result<Searched, PipelineError> {
        if self.first == self.searched.folds {
            return Ok(self.searched);
        }
        self.folds.iter_mut().flatten().for_each(|fold| *fold = None);
        for index in self.first..self.searched.folds {
            let left = self.left();
            for at in left {
                self.run(at, index..index + 1, observer)?;
            }
            self.folds.iter_mut().flatten().for_each(|fold| *fold = None);
        }
        Ok(self.searched)
    }

    /// The candidates that have met every fold so far.
    fn going(&self) -> Vec<usize> {
        let runners = &self.searched.runners;
        let most = runners.iter().map(|runner| runner.scores.len()).max().unwrap_or(0);
        let going = (0..runners.len()).filter(|&at| runners[at].scores.len() == most);
        going.filter(|_| most > 0).collect()
    }

    /// The best of them: of those that are not clearly less accurate than another.
    fn best(&self) -> Option<usize> {
        let scores = self.scores();
        let more = |best: usize, at| if scores.mean(at) > scores.mean(best) { at } else { best };
        scores.able(&self.going()).into_iter().reduce(more)
    }

    /// Those that are not clearly behind it.
    fn left(&self) -> Vec<usize> {
        let (scores, Some(best)) = (self.scores(), self.best()) else { return Vec::new() };
        // What is more accurate stays, too: features that say nothing are never wrong with confidence, and may lead in score
        // until enough samples show that they are less accurate.
        let not_behind = |at: &usize| {
            let behind = scores.ahead(best, *at);
            let more_accurate = scores.accuracy(*at) > scores.accuracy(best);
            behind.mean <= CLEARLY * behind.error || more_accurate
        };
        scores.able(&self.going()).into_iter().filter(not_behind).collect()
    }

    fn scores(&self) -> Vec<&Scores> {
        self.searched.runners.iter().map(|runner| &runner.scores).collect()
    }
}

/// One step beyond the end of a grid whose best value is that end; `None` inside the grid and at the limits.
fn next_fraction(best: f64, smallest: f64, largest: f64) -> Option<f64> {
    let (most, least) = (ENDS.0 * DEFAULT_FRACTION, ENDS.1 * DEFAULT_FRACTION);
    if best >= largest {
        return Some(largest * STEP).filter(|fraction| *fraction <= most * 1.01);
    }
    let smaller = smallest / STEP;
    (best <= smallest && smaller >= least * 0.99).then_some(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_grows_only_where_its_end_is_best() {
        assert_eq!(next_fraction(0.3, 0.03, 3.0), None);
        assert_eq!(next_fraction(3.0, 0.03, 3.0), Some(30.0));
        assert_eq!(next_fraction(0.03, 0.03, 3.0), Some(0.03 / STEP));
        assert_eq!(next_fraction(30.0, 0.03, 30.0), None);
        assert_eq!(next_fraction(3e-4, 3e-4, 3.0), None);
    }
}
