//! Fits of samples that are on other machines: class statistics of folds come in, candidates go out, and sums of their scores come
//! back.
//!
//! It is the search of samples in memory with another implementation of [`Folds`]. The number of filters is one question; the
//! grid of noise, its third noise, each of its extensions and the neighbors of the best are one question each. A question is one
//! pass over the samples that are held out, and includes all candidates so far, because differences are paired sample by sample.
//! The part of a row follows from [`row_keys`](super::row_keys). A class of which some fold would leave fewer than two samples is
//! never held out.
//! Cost: one fit per candidate and fold, on statistics.

use std::sync::Arc;

use crate::labels::Classes;
use crate::labels::Labels;
use crate::linalg::Mat;
use crate::optimize::Observer;
use crate::points::Points;
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, Scaling, StatisticsError,
    check_several,
};

use super::coordinates::{Learned, MakeSpace, OnColumns, finished};
use super::count::curve;
use super::learn::{Found, Job, Outcome};
use super::rule::{COMPONENTS, Rule};
use super::search::{Asked, Folds, Search};
use super::side::Side;
use super::space::{Space, components_after};
use super::{
    Curve, Filters, Fitted, NoChoice, Pipeline, PipelineError, Plan, RefinementSpace, Scorer,
    Tally, WIDE,
};

/// Candidates to be scored, the same ones in every fold.
#[derive(Debug)]
pub struct Question {
    /// The number of a part that is held out, and the candidates that learned from the others.
    pub folds: Vec<(usize, Vec<Scorer>)>,
    /// Whether samples of a class are held out.
    pub held: Vec<bool>,
    /// How many candidates there are.
    pub candidates: usize,
}

/// A fit that asks for scores.
pub struct Remote {
    received: Received,
    filters: Option<usize>,
    /// The numbers of filters that were asked about.
    counts: Vec<usize>,
    curve: Option<Curve>,
    search: Search,
    /// The scorers of all candidates of the search, fold by fold.
    scorers: Vec<Vec<Scorer>>,
    /// The scores of all candidates of the search.
    tally: Tally,
    outcome: Option<Outcome>,
}

/// The folds of samples that are on other machines.
struct Received {
    recipe: Pipeline,
    dropped: Vec<usize>,
    total: ClassAccumulator,
    /// Sums of what is learned from when a part is held out.
    training: Vec<(usize, ClassAccumulator)>,
    /// Whether samples of a class are held out.
    held: Vec<bool>,
    /// How spaces are made if there are many columns.
    within: Vec<Within>,
}

impl Remote {
    /// From the sums of every part, and of the samples in none.
    ///
    /// As many parts are held out in turn as for samples in memory: all, or the first if there are many samples.
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
        let wide = total.dimension() - dropped.len() > WIDE && !training.is_empty();
        let within = match wide {
            true => Within::each(&recipe, &statistics_of(&total)?, &dropped)?,
            false => Vec::new(),
        };
        let rule = Rule { scalings: recipe.scalings(), noise: recipe.settings.noise };
        Ok(Self {
            received: Received { recipe, dropped, total, training, held, within },
            filters,
            counts: Vec::new(),
            curve: None,
            search: Search::new(rule),
            scorers: Vec::new(),
            tally: Tally::new(0),
            outcome: None,
        })
    }

    /// The classes, in the order of all sums.
    pub fn classes(&self) -> &Classes {
        self.received.total.classes()
    }

    /// The recipe.
    pub fn recipe(&self) -> &Pipeline {
        &self.received.recipe
    }

    /// Returns the next candidates to be scored; `None` when everything is selected.
    ///
    /// # Errors
    ///
    /// If candidates cannot be fitted.
    pub fn ask(&mut self, observer: &mut Observer<'_>) -> Result<Option<Question>, PipelineError> {
        let Received { recipe, training, .. } = &self.received;
        let Some(filters) = self.filters else { return self.ask_count(observer).map(Some) };
        if !recipe.searches() || training.is_empty() {
            return Ok(None);
        }
        let common = recipe.common(filters);
        let asked = self.search.ask(&common, &self.received, &self.tally, observer)?;
        let Some(Asked { candidates, folds }) = asked else { return Ok(None) };
        self.scorers.resize(folds.len(), Vec::new());
        for (all, (_, scorers)) in self.scorers.iter_mut().zip(folds) {
            // In the order of their numbers.
            let mut numbered: Vec<_> = candidates.iter().map(|(at, _)| *at).zip(scorers).collect();
            numbered.sort_by_key(|(at, _)| *at);
            all.extend(numbered.into_iter().map(|(_, scorer)| scorer));
        }
        let folds = self.scorers.iter().cloned().enumerate().collect();
        Ok(Some(self.received.question(folds, self.search.runners().len())))
    }

    /// Takes what the samples held out say of the last candidates.
    ///
    /// # Errors
    ///
    /// If nothing was held out for a number of filters.
    pub fn answer(&mut self, tally: &Tally) -> Result<(), PipelineError> {
        if self.filters.is_some() {
            self.tally = tally.clone();
            return Ok(());
        }
        let selected = curve(&self.counts, tally)?;
        self.filters = Some(selected.filters);
        self.curve = Some(selected);
        Ok(())
    }

    /// Fits all samples with what was selected.
    ///
    /// # Errors
    ///
    /// If the number of filters is open or the fit fails.
    pub fn fit(&mut self, observer: &mut Observer<'_>) -> Result<&Fitted, PipelineError> {
        let Some(filters) = self.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let Received { recipe, dropped, total, .. } = &self.received;
        let job = Job::of(statistics_of(total)?, dropped);
        let found = Found::among(&self.search, &self.tally, |_| None, None);
        let mut outcome = recipe.learn(job, filters, found, observer)?;
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
        self.outcome.as_ref().map(|own| self.received.recipe.refinement_space(own)).transpose()
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
        let recipe = &self.received.recipe;
        if let Some(own) = &mut self.outcome {
            own.fitted = recipe.refine_in(own, space, coordinates, labels, observer)?;
        }
        Ok(())
    }

    /// Every number of filters, in the default scaling with the default noise.
    fn ask_count(&mut self, observer: &mut Observer<'_>) -> Result<Question, PipelineError> {
        let Received { recipe, dropped, total, .. } = &self.received;
        let Filters::Auto { max } = recipe.filters else {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        };
        let columns = total.dimension() - dropped.len();
        let columns = if columns > WIDE { COMPONENTS } else { columns };
        let counts = recipe.counts(max.min(columns))?;
        let (counts, asked) =
            recipe.ask_counts(counts, &recipe.scalings(), &self.received, observer)?;
        if asked.folds.is_empty() {
            return Err(PipelineError::Count { why: NoChoice::TooFewPoints });
        }
        self.counts = counts;
        Ok(self.received.question(asked.folds, asked.candidates.len()))
    }
}

impl Received {
    /// Returns a question about candidates of numbered folds.
    fn question(&self, folds: Vec<(usize, Vec<Scorer>)>, candidates: usize) -> Question {
        let part = |(fold, scorers): (usize, _)| (self.training[fold].0, scorers);
        let folds = folds.into_iter().map(part).collect();
        Question { folds, held: self.held.clone(), candidates }
    }
}

impl Folds for Received {
    fn count(&self) -> usize {
        self.training.len()
    }

    /// All folds are scored in the same pass over the samples.
    fn first(&self) -> usize {
        self.count()
    }

    fn side(&self, scaling: Scaling, fold: usize) -> Result<Option<Arc<Side>>, PipelineError> {
        let Self { recipe, dropped, .. } = self;
        let learned = Learned { statistics: statistics_of(&self.training[fold].1)?, parts: None };
        let side = match self.within.iter().find(|within| within.scaling == scaling) {
            Some(within) => Side::new(within, learned),
            None => Side::new(&OnColumns { recipe, scaling, dropped, whole: false }, learned),
        };
        side.map(|side| Some(Arc::new(side)))
    }
}

/// The class statistics of accumulated samples.
fn statistics_of(sums: &ClassAccumulator) -> Result<ClassStatistics, StatisticsError> {
    check_several(sums.classes())?;
    ClassAccumulator::finish_together(&[sums], Estimator::Empirical)
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
    /// Returns one for every scaling.
    fn each(
        recipe: &Pipeline,
        total: &ClassStatistics,
        dropped: &[usize],
    ) -> Result<Vec<Self>, PipelineError> {
        let of = |scaling: Scaling| {
            let (of_columns, center) = (scaling.of_columns(), scaling.centers());
            let map = Preprocessor::dropping(total, of_columns, center, dropped);
            Self::new(recipe, scaling, map, total)
        };
        recipe.scalings().into_iter().map(of).collect()
    }

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
