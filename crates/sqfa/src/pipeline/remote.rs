//! The fit of points that are elsewhere: sums of folds come in, candidates go out to be scored, whole sums of scores come back.
//!
//! The number of filters is one question, units and noise another; each is one pass over the points held out, for all
//! candidates at once. So the grid of noise is given beforehand: a decade apart, half a decade around the default. Parts are
//! those of [`row_keys`](super::row_keys); a class of which some fold would leave fewer than two points is never held out.
//! Cost: one fit per candidate and fold, on statistics.

use crate::labels::Classes;
use crate::labels::Labels;
use crate::linalg::Mat;
use crate::model::Noise;
use crate::optimize::Observer;
use crate::points::Points;
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, Scaling, StatisticsError,
};

use super::coordinates::{Learned, MakeSpace, OnColumns, finished};
use super::count::curve;
use super::learn::{Found, Job, Outcome};
use super::score::Compared;
use super::search::Common;
use super::selection::{Candidate, DEFAULT_FRACTION, Tried};
use super::side::Side;
use super::space::{Space, components_after};
use super::{
    COMPONENTS, Curve, Filters, Fitted, NoChoice, Pipeline, PipelineError, Plan, RefinementSpace,
    Scorer, Tally, WIDE,
};

/// The fractions that are tried in every scaling, times the default, in the order in which a search of samples in memory would
/// reach them.
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
    outcome: Option<Outcome>,
}

/// A scaling, and how its spaces are made.
type Maker<'a> = (Scaling, Box<dyn MakeSpace + 'a>);

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
        recipe.check(total.dimension())?;
        let filters = match recipe.filters {
            Filters::Count(filters) => Some(filters),
            Filters::Auto { .. } => None,
        };
        let searched = !recipe.searches();
        Ok(Self {
            recipe,
            dropped,
            total,
            training,
            held,
            asked: None,
            filters,
            curve: None,
            found: None,
            searched,
            outcome: None,
        })
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
    pub fn fit(&mut self, observer: &mut Observer<'_>) -> Result<&Fitted, PipelineError> {
        let Some(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let job = Job::of(statistics_of(&self.total)?, &self.dropped);
        let found = self.found.take();
        let mut outcome = self.recipe.learn(job, filters, found, observer)?;
        let curve = self.curve.take();
        outcome.fitted.record.counts = curve.map(|curve| curve.points).unwrap_or_default();
        Ok(&self.outcome.insert(outcome).fitted)
    }

    /// Returns the result of [`Remote::fit`] and of the refinement, if there is one yet.
    pub fn fitted(&self) -> Option<&Fitted> {
        self.outcome.as_ref().map(|outcome| &outcome.fitted)
    }

    /// Returns the coordinates that samples are transformed to before a refinement; `None` before a fit.
    ///
    /// # Errors
    ///
    /// If principal components cannot be computed.
    pub fn refinement_space(&self) -> Result<Option<RefinementSpace>, PipelineError> {
        self.outcome.as_ref().map(|own| self.recipe.refinement_space(own)).transpose()
    }

    /// Refines the filters of a fit on samples, or a part of them, in the coordinates of the refinement.
    ///
    /// # Errors
    ///
    /// If the samples cannot be used.
    pub fn refine(
        &mut self,
        space: &RefinementSpace,
        coordinates: Points<'_>,
        labels: &Labels,
        observer: &mut Observer<'_>,
    ) -> Result<(), PipelineError> {
        match &mut self.outcome {
            Some(own) => self.recipe.refine_in(own, space, coordinates, labels, observer),
            None => Ok(()),
        }
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
        let scalings: Vec<Scaling> = makers.iter().map(|(scaling, _)| *scaling).collect();
        let (arm, usual) = self.recipe.counted_in(&scalings);
        let mut folds = Vec::new();
        for (at, sums) in &self.training {
            let Some((_, maker)) = makers.get(arm) else { break };
            let side = Side::new(&**maker, learned(sums)?)?;
            let noise = usual.noise.value(side.unit);
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
        let recipe = &self.recipe;
        let common = Common { entry: recipe.method.entry, settings: &recipe.settings, filters };
        let noises: Vec<Noise> = match recipe.settings.noise {
            Noise::Auto => GRID.map(|step| Noise::Fraction(step * DEFAULT_FRACTION)).to_vec(),
            noise => vec![noise],
        };
        let makers = self.makers()?;
        let mut candidates: Vec<(Candidate, Vec<Mat<f64>>)> = makers
            .iter()
            .flat_map(|(scaling, _)| {
                noises.iter().map(|&noise| Candidate { scaling: *scaling, noise })
            })
            .map(|candidate| (candidate, Vec::new()))
            .collect();
        let mut folds: Vec<(usize, Vec<Option<Scorer>>)> = Vec::new();
        for (at, sums) in &self.training {
            let mut scorers = Vec::new();
            for (arm, (_, maker)) in makers.iter().enumerate() {
                let side = Side::new(&**maker, learned(sums)?)?;
                let mut before: Vec<(Noise, Mat<f64>)> = Vec::new();
                for (candidate, found) in &mut candidates[arm * noises.len()..][..noises.len()] {
                    let noise = candidate.noise.value(side.unit);
                    // From the filters of the nearest noise, as for samples in memory.
                    let far = |noise: Noise| noise.decades_from(candidate.noise);
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
                    before.push((candidate.noise, lifted));
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

    /// Returns how the space of each scaling is made: on columns, or on principal components of many.
    fn makers(&self) -> Result<Vec<Maker<'_>>, PipelineError> {
        let recipe = &self.recipe;
        let wide = self.total.dimension() - self.dropped.len() > WIDE;
        let total = wide.then(|| statistics_of(&self.total)).transpose()?;
        let maker = |scaling: Scaling| {
            let maker: Box<dyn MakeSpace + '_> = match &total {
                None => {
                    let dropped = &self.dropped;
                    Box::new(OnColumns { recipe, scaling, dropped, whole: false })
                }
                Some(total) => {
                    let (of_columns, center) = (scaling.of_columns(), scaling.centers());
                    let map = Preprocessor::dropping(total, of_columns, center, &self.dropped);
                    Box::new(Within::new(recipe, scaling, map, total)?)
                }
            };
            Ok((scaling, maker))
        };
        recipe.scalings().into_iter().map(maker).collect()
    }
}

/// The class statistics of accumulated samples.
fn statistics_of(sums: &ClassAccumulator) -> Result<ClassStatistics, StatisticsError> {
    ClassAccumulator::finish_together(&[sums], Estimator::Empirical)
}

/// The training side of a fold without samples.
fn learned<'p>(sums: &ClassAccumulator) -> Result<Learned<'p, 'p>, StatisticsError> {
    Ok(Learned { statistics: statistics_of(sums)?, parts: None })
}

/// Spaces within the leading principal components of all samples.
struct Within {
    scaling: Scaling,
    estimator: Estimator,
    map: Option<Preprocessor>,
    basis: Mat<f64>,
    /// The mean within-class variance of the columns divided by that of the components.
    ratio: f64,
}

impl Within {
    fn new(
        recipe: &Pipeline,
        scaling: Scaling,
        map: Option<Preprocessor>,
        total: &ClassStatistics,
    ) -> Result<Self, PipelineError> {
        let count = recipe.restricted_to().unwrap_or(COMPONENTS);
        let (basis, ratio) = components_after(map.as_ref(), total, count)?;
        let ratio = if recipe.restricted_to().is_some() { 1.0 } else { ratio };
        Ok(Self { scaling, estimator: recipe.estimator(), map, basis, ratio })
    }
}

impl MakeSpace for Within {
    fn space(&self, learned: Learned<'_, '_>) -> Result<Space, PipelineError> {
        let mut statistics = learned.statistics;
        self.map.iter().for_each(|map| map.apply(&mut statistics));
        let space = Space::plain(self.map.clone(), statistics).within(self.basis.clone());
        Ok(finished(self.scaling, space)?.shrunk_by(self.estimator, None)?)
    }

    fn unit(&self, space: &Space) -> f64 {
        let ratio = if self.scaling == Scaling::WithinClass { 1.0 } else { self.ratio };
        ratio * space.statistics.noise_scale()
    }
}
