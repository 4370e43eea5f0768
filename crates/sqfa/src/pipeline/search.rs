//! The search for units and noise: a race over folds, from a short grid that grows where its end is best.
//!
//! Every unit starts with three noises a decade apart, from large to small, each fit starting from the one before; the last
//! is left out where the second is already clearly behind the first. While the best of a unit is its largest or smallest
//! and not clearly behind that of another unit, its grid grows by a decade; the best of all gets neighbours half a decade
//! away. After [`ENOUGH`] held-out samples, a candidate is dropped if its score is behind the best by more than two standard
//! errors and it is no more accurate, or if its accuracy is; the others meet all folds.

use std::sync::Arc;

use crate::classify::Qda;
use crate::linalg::Mat;
use crate::model::{Noise, Restarts, Start};
use crate::optimize::{Observer, Stopping, Termination};
use crate::reduce::{JUDGED, ReduceError, ReducerSettings, Training, reducer};
use crate::statistics::{ClassStatistics, Estimator};
use crate::transform::transform_rows_offset;

use super::folds::Parts;
use super::score::{Compared, Scores};
use super::selection::{Candidate, DEFAULT_SHARE};
use super::side::Side;
use super::space::{Space, Units};
use super::{PipelineError, nested};

/// Held-out points after which a candidate may be dropped.
const ENOUGH: u64 = 300;
/// Standard errors behind the best beyond which it is.
const CLEARLY: f64 = 2.0;
/// The shares every unit starts with, times the default.
const FIRST: [f64; 3] = [10.0, 1.0, 0.1];
/// A step of the grid.
const STEP: f64 = 10.0;
/// The largest and smallest share that is ever tried, times the default.
const ENDS: (f64, f64) = (100.0, 1e-3);
/// Fits of the search need not be exact.
const STOPPING: Stopping = Stopping { max_iterations: 100, tolerance: 1e-5 };
/// Random starts of the first fit of a unit.
const STARTS: usize = 2;

/// Makes the space of a fit from the sums of its training points.
pub(crate) trait MakeSpace {
    fn space(&self, statistics: ClassStatistics) -> Result<Space, PipelineError>;
    /// What a share is a share of, in the space's squared units.
    fn unit(&self, space: &Space) -> f64;
}

/// One unit of the search: its points in folds, once a repeat, and how its spaces are made.
pub(crate) struct Arm<'a> {
    pub(crate) units: Units,
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
    pub(crate) method: &'a str,
    pub(crate) settings: &'a ReducerSettings,
    pub(crate) estimator: Estimator,
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
        estimator: Estimator,
    ) -> Result<Self, PipelineError> {
        let parts = &arm.repeats[*repeat];
        let side = Side::new(arm.maker(*repeat), parts.statistics(Some(*fold), estimator)?)?;
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
        let qda = Qda::from_statistics(self.side.judging(), filters.as_ref(), None).ok();
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
                crate::model::FitError::NotPositiveDefinite { .. }
                | crate::model::FitError::NotFinite { .. },
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
        let settings = ReducerSettings {
            noise: Noise::Value(noise),
            start: start.map_or(Start::Auto, Start::Given),
            restarts: Restarts::Count(restarts),
            stopping: STOPPING,
            ..self.settings.clone()
        };
        let training = Training::from_statistics(&space.statistics);
        let fitted = reducer(self.method, &settings)?.fit_one(&training, self.filters, observer)?;
        Ok((fitted.filters, fitted.termination == Some(Termination::Cancelled)))
    }
}

/// Races candidates over the folds of some arms.
pub(crate) fn search(
    arms: &[Arm<'_>],
    common: &Common<'_>,
    observer: &mut Observer<'_>,
) -> Result<Searched, PipelineError> {
    let mut race = Race::new(arms, common);
    for arm in 0..arms.len() {
        let mut shares: Vec<f64> = Vec::new();
        for share in FIRST.map(|step| step * DEFAULT_SHARE) {
            if !race.is_falling(arm) {
                race.enter(arm, share, observer)?;
                shares.push(share);
            }
        }
        while let Some(share) = race.beyond(arm, &shares) {
            race.enter(arm, share, observer)?;
            shares.push(share);
        }
        race.forget_all_but_best();
    }
    if let Some(best) = race.best() {
        let Runner { arm, candidate, .. } = race.searched.runners[best];
        for share in [candidate.share * STEP.sqrt(), candidate.share / STEP.sqrt()] {
            race.enter(arm, share, observer)?;
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

    /// Runs a new candidate over the first folds.
    fn enter(
        &mut self,
        arm: usize,
        share: f64,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        let candidate = Candidate { units: self.arms[arm].units, share };
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
            let (arm, share) = {
                let runner = &self.searched.runners[at];
                (runner.arm, runner.candidate.share)
            };
            if self.folds[arm][index].is_none() {
                let fold = Fold::new(&self.arms[arm], &self.held[index], self.common.estimator)?;
                self.folds[arm][index] = Some(fold);
            }
            let Some(fold) = &self.folds[arm][index] else { return Ok(()) };
            let Side { space, unit, .. } = &fold.side;
            let start = self.start(at, index).map(|filters| space.lower(filters.as_ref()));
            let fitted = self.common.attempt(space, share * unit, start, observer)?;
            // The candidate is out, the race goes on.
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
        let far = |other: &Runner| (other.candidate.share / runner.candidate.share).ln().abs();
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

    /// The next share of an arm whose best is at an end of its grid and not clearly behind the best of all.
    fn beyond(&self, arm: usize, shares: &[f64]) -> Option<f64> {
        let left = self.left().into_iter().map(|at| &self.searched.runners[at]);
        let best = left
            .filter(|runner| runner.arm == arm)
            .reduce(
                |best, other| {
                    if other.scores.mean() > best.scores.mean() { other } else { best }
                },
            )?
            .candidate
            .share;
        let largest = shares.iter().copied().fold(0.0, f64::max);
        let smallest = shares.iter().copied().fold(f64::INFINITY, f64::min);
        next_share(best, smallest, largest).filter(|_| !self.cancelled)
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
fn next_share(best: f64, smallest: f64, largest: f64) -> Option<f64> {
    let (most, least) = (ENDS.0 * DEFAULT_SHARE, ENDS.1 * DEFAULT_SHARE);
    if best >= largest {
        return Some(largest * STEP).filter(|share| *share <= most * 1.01);
    }
    let smaller = smallest / STEP;
    (best <= smallest && smaller >= least * 0.99).then_some(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_grows_only_where_its_end_is_best() {
        assert_eq!(next_share(0.3, 0.03, 3.0), None);
        assert_eq!(next_share(3.0, 0.03, 3.0), Some(30.0));
        assert_eq!(next_share(0.03, 0.03, 3.0), Some(0.03 / STEP));
        assert_eq!(next_share(30.0, 0.03, 30.0), None);
        assert_eq!(next_share(3e-4, 3e-4, 3.0), None);
    }
}
