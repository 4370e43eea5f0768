//! The fit of points that are elsewhere: sums of folds come in, candidates go out to be scored, whole sums of scores come back.
//!
//! The number of filters is one question, units and noise another; each is one pass over the points held out, for all
//! candidates at once. So the grid of noise is given beforehand: a decade apart, half a decade around the default. Parts are
//! those of [`row_keys`](super::row_keys); a class of which some fold would leave fewer than two points is never held out.
//! Cost: one fit per candidate and fold, on statistics.

use crate::labels::Classes;
use crate::linalg::Mat;
use crate::optimize::Observer;
use crate::statistics::{ClassAccumulator, ClassStatistics, Estimator, Preprocessor};

use super::arms::{OnColumns, finished};
use super::count::curve;
use super::folds::finished as statistics_of;
use super::learn::{Found, Job};
use super::score::Compared;
use super::search::{Common, MakeSpace};
use super::selection::{Candidate, DEFAULT_SHARE, Tried};
use super::side::Side;
use super::space::{Space, Units, components_after};
use super::{
    COMPONENTS, Curve, Filters, Fitted, NoChoice, Pipeline, PipelineError, Plan, Scorer, Tally,
    WIDE,
};

/// The shares that are tried in every unit, times the default, in the order in which a race would reach them.
const GRID: [f64; 8] = [10.0, 1.0, 0.1, 100.0, 0.01, 0.001, 3.162_277_66, 0.316_227_766];

/// Candidates to be scored, the same ones in every fold.
#[derive(Debug)]
pub struct Question {
    /// The number of a part that is held out, and the candidates that learned from the others.
    pub folds: Vec<(usize, Vec<Scorer>)>,
    /// Whether points of a class are held out.
    pub held: Vec<bool>,
    /// How many candidates there are.
    pub candidates: usize,
}

/// A fit that asks for scores.
pub struct Remote {
    recipe: Pipeline,
    dropped: Vec<usize>,
    total: ClassAccumulator,
    /// Sums of what is learned from when a part is held out.
    training: Vec<(usize, ClassAccumulator)>,
    held: Vec<bool>,
    asked: Option<Asked>,
    filters: Option<usize>,
    curve: Option<Curve>,
    found: Option<Found>,
    searched: bool,
}

/// Units, and how their spaces are made.
type Maker<'a> = (Units, Box<dyn MakeSpace + 'a>);

/// What the last question was about.
enum Asked {
    Counts(Vec<usize>),
    Candidates(Vec<(Candidate, Vec<Mat<f64>>)>),
}

impl Remote {
    /// From the sums of every part, and of the points in none.
    ///
    /// As many parts are held out in turn as for points at hand: all, or the first where there are many points.
    pub fn new(
        recipe: Pipeline,
        parts: &[ClassAccumulator],
        rest: &ClassAccumulator,
    ) -> Result<Self, PipelineError> {
        let mut total = rest.clone();
        for part in parts {
            total.merge(part)?;
        }
        let counts = total.counts();
        let one = Plan::for_points(counts.iter().sum()).held == 1;
        let turns = if one { parts.len().min(1) } else { parts.len() };
        let held: Vec<bool> = (0..counts.len())
            .map(|class| {
                parts[..turns].iter().all(|part| part.counts()[class] + 2 <= counts[class])
            })
            .collect();
        let never: Vec<bool> = held.iter().map(|held| !held).collect();
        let always = total.of_some(&never);
        let mut training = Vec::new();
        for at in 0..turns {
            if parts[at].of_some(&held).counts().iter().all(|&count| count == 0) {
                continue;
            }
            // Merged anew: what was added cannot be taken out again without round-off.
            let mut sums = always.clone();
            sums.merge(&rest.of_some(&held))?;
            for (_, part) in parts.iter().enumerate().filter(|(other, _)| *other != at) {
                sums.merge(&part.of_some(&held))?;
            }
            training.push((at, sums));
        }
        let dropped = total.clone().finish(Estimator::Empirical)?.constant_columns();
        if dropped.len() == total.dimension() {
            return Err(PipelineError::AllConstant { columns: total.dimension() });
        }
        recipe.check_start(total.dimension())?;
        let filters = match recipe.filters {
            Filters::Count(filters) => Some(filters),
            Filters::Auto { .. } => None,
        };
        let searched = !recipe.searches();
        let (asked, curve, found) = (None, None, None);
        Ok(Self { recipe, dropped, total, training, held, asked, filters, curve, found, searched })
    }

    /// The classes, in the order of all sums.
    pub fn classes(&self) -> &Classes {
        self.total.classes()
    }

    /// The recipe.
    pub fn recipe(&self) -> &Pipeline {
        &self.recipe
    }

    /// The next candidates to be scored; none when all is chosen.
    pub fn ask(&mut self, observer: &mut Observer<'_>) -> Result<Option<Question>, PipelineError> {
        let Some(filters) = self.filters else { return self.ask_count(observer).map(Some) };
        if self.searched || self.training.is_empty() {
            return Ok(None);
        }
        self.searched = true;
        self.ask_candidates(filters, observer)
    }

    /// Takes what the points held out say of the last candidates.
    pub fn answer(&mut self, tally: &Tally) -> Result<(), PipelineError> {
        match self.asked.take() {
            Some(Asked::Counts(counts)) => {
                let chosen = curve(&counts, tally).filter(|_| tally.met(0) > 0);
                let chosen = chosen.ok_or(PipelineError::Count { why: NoChoice::TooFewPoints })?;
                self.filters = Some(chosen.filters);
                self.curve = Some(chosen);
            }
            Some(Asked::Candidates(candidates)) if tally.met(0) > 0 => {
                let tried = candidates.iter().enumerate().map(|(at, (candidate, _))| Tried {
                    candidate: *candidate,
                    points: tally.met(at),
                    log_posterior: tally.mean(at),
                    accuracy: tally.accuracy(at),
                });
                let filters = |taken: usize| candidates[taken].1.clone();
                self.found =
                    Found::among(tried.collect(), tally, self.training.len(), |_| None, filters);
            }
            _ => {}
        }
        Ok(())
    }

    /// Fits all points with what was chosen.
    pub fn fit(&mut self, observer: &mut Observer<'_>) -> Result<Fitted, PipelineError> {
        let Some(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let (statistics, plain) = statistics_of(&[&self.total], self.recipe.estimator())?;
        let job = Job::of(statistics, &self.dropped, filters).with_plain(plain);
        let mut fitted = self.recipe.learn(job, self.found.take(), observer)?;
        fitted.curve = self.curve.take();
        Ok(fitted)
    }

    /// Every number of filters, in the default units against the default noise.
    fn ask_count(&mut self, observer: &mut Observer<'_>) -> Result<Question, PipelineError> {
        let Filters::Auto { max } = self.recipe.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let columns = self.total.dimension() - self.dropped.len();
        let columns = if columns > WIDE { COMPONENTS } else { columns };
        let mut counts = self.recipe.counts(max.min(columns))?;
        let makers = self.makers()?;
        let units: Vec<Units> = makers.iter().map(|(units, _)| *units).collect();
        let (arm, usual) = self.recipe.counted_in(&units);
        let mut folds = Vec::new();
        for (at, sums) in &self.training {
            let Some((_, maker)) = makers.get(arm) else { break };
            let side = Side::new(&**maker, statistics_of(&[sums], self.recipe.estimator())?)?;
            let noise = usual.share * side.unit;
            let fitted = self.recipe.fit_counts(&side.space, &counts, noise, observer)?;
            counts.truncate(fitted.len());
            folds
                .push((*at, fitted.iter().map(|filters| side.scorer(filters)).collect::<Vec<_>>()));
        }
        if folds.is_empty() {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        }
        folds.iter_mut().for_each(|(_, scorers)| scorers.truncate(counts.len()));
        drop(makers);
        let candidates = counts.len();
        self.asked = Some(Asked::Counts(counts));
        Ok(Question { folds, held: self.held.clone(), candidates })
    }

    /// The grid in every unit; candidates that some fold cannot fit are out.
    fn ask_candidates(
        &mut self,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Option<Question>, PipelineError> {
        let estimator = self.recipe.estimator();
        let common = Common {
            method: self.recipe.base(),
            settings: &self.recipe.settings,
            estimator,
            filters,
        };
        let makers = self.makers()?;
        let mut candidates: Vec<(Candidate, Vec<Mat<f64>>)> = makers
            .iter()
            .flat_map(|(units, _)| {
                GRID.map(|step| Candidate { units: *units, share: step * DEFAULT_SHARE })
            })
            .map(|candidate| (candidate, Vec::new()))
            .collect();
        let mut folds: Vec<(usize, Vec<Option<Scorer>>)> = Vec::new();
        for (at, sums) in &self.training {
            let mut scorers = Vec::new();
            for (arm, (_, maker)) in makers.iter().enumerate() {
                let side = Side::new(&**maker, statistics_of(&[sums], estimator)?)?;
                let mut before: Vec<(f64, Mat<f64>)> = Vec::new();
                for (candidate, found) in &mut candidates[arm * GRID.len()..][..GRID.len()] {
                    let noise = candidate.share * side.unit;
                    // From the nearest noise, as in a race.
                    let far = |share: f64| (share / candidate.share).ln().abs();
                    let start = before.iter().min_by(|a, b| far(a.0).total_cmp(&far(b.0)));
                    let start = start.map(|(_, filters)| side.space.lower(filters.as_ref()));
                    let fitted = common.attempt(&side.space, noise, start, observer)?;
                    scorers.push(fitted.as_ref().map(|(filters, _)| side.scorer(filters)));
                    let Some((filters, cancelled)) = fitted else { continue };
                    if cancelled {
                        return Ok(None);
                    }
                    let lifted = side.space.lift(filters.as_ref());
                    found.push(lifted.clone());
                    before.push((candidate.share, lifted));
                }
            }
            folds.push((*at, scorers));
        }
        drop(makers);
        let whole: Vec<bool> =
            candidates.iter().map(|(_, filters)| filters.len() == folds.len()).collect();
        let keep = |at: usize| whole[at];
        let folds = folds
            .into_iter()
            .map(|(at, scorers)| {
                let kept = scorers.into_iter().enumerate().filter(|(scorer, _)| keep(*scorer));
                (at, kept.filter_map(|(_, scorer)| scorer).collect::<Vec<_>>())
            })
            .collect();
        let kept = candidates.into_iter().enumerate().filter(|(at, _)| keep(*at));
        let candidates: Vec<_> = kept.map(|(_, candidate)| candidate).collect();
        if candidates.is_empty() {
            return Ok(None);
        }
        let count = candidates.len();
        self.asked = Some(Asked::Candidates(candidates));
        Ok(Some(Question { folds, held: self.held.clone(), candidates: count }))
    }

    /// How the space of every unit is made: on columns, or on principal components of many.
    fn makers(&self) -> Result<Vec<Maker<'_>>, PipelineError> {
        let recipe = &self.recipe;
        let wide = self.total.dimension() - self.dropped.len() > WIDE;
        let total = wide.then(|| statistics_of(&[&self.total], recipe.estimator())).transpose()?;
        recipe
            .units()
            .into_iter()
            .map(|units| {
                let scaling = recipe.scaling_of(units);
                let maker: Box<dyn MakeSpace + '_> = match &total {
                    None => Box::new(OnColumns {
                        units,
                        scaling,
                        center: recipe.centers(),
                        dropped: &self.dropped,
                    }),
                    Some((total, _)) => {
                        let map =
                            Preprocessor::dropping(total, scaling, recipe.centers(), &self.dropped);
                        Box::new(Within::new(units, map, total)?)
                    }
                };
                Ok((units, maker))
            })
            .collect()
    }
}

/// Spaces within the leading principal components of all points.
struct Within {
    units: Units,
    map: Option<Preprocessor>,
    basis: Mat<f64>,
    /// The mean within-class variance of the columns over that of the components.
    ratio: f64,
}

impl Within {
    fn new(
        units: Units,
        map: Option<Preprocessor>,
        total: &ClassStatistics,
    ) -> Result<Self, PipelineError> {
        let (basis, ratio) = components_after(map.as_ref(), total, COMPONENTS)?;
        Ok(Self { units, map, basis, ratio })
    }
}

impl MakeSpace for Within {
    fn space(&self, mut statistics: ClassStatistics) -> Result<Space, PipelineError> {
        self.map.iter().for_each(|map| map.apply(&mut statistics));
        finished(self.units, Space::plain(self.map.clone(), statistics).within(self.basis.clone()))
    }

    fn unit(&self, space: &Space) -> f64 {
        let ratio = if self.units == Units::WithinClass { 1.0 } else { self.ratio };
        ratio * space.statistics.noise_scale()
    }
}
