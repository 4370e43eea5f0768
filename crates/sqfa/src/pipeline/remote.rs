//! Fits of samples on other machines. The driver receives class statistics of folds, sends
//! candidates to the workers, and receives sums of their scores.
//!
//! The search is the same as for samples in memory, with another implementation of [`Folds`]. The
//! number of filters is one question. The grid of noise, the third noise, each extension of the
//! grid and the neighbors of the best candidate are one question each. A question needs one pass
//! over the held-out samples. It includes all candidates so far, because differences are paired
//! sample by sample. The part of a row follows from [`row_keys`](super::row_keys). A class is never
//! held out if some fold would leave fewer than two of its samples for training.
//!
//! The cost is one fit per candidate and fold, on class statistics.

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

/// Candidates to be scored on the held-out samples. All folds have the same candidates.
#[derive(Debug)]
pub struct Question {
    /// The index of each part that is held out, with the scorers that were trained on the other
    /// parts.
    pub folds: Vec<(usize, Vec<Scorer>)>,
    /// Whether samples of each class are held out.
    pub held: Vec<bool>,
    /// The number of candidates.
    pub candidates: usize,
}

/// A fit of samples on other machines, which requests scores of its candidates.
///
/// [`Remote::ask`] returns questions until everything is selected, [`Remote::answer`] receives
/// their scores, and [`Remote::fit`] learns the filters.
pub struct Remote {
    received: Received,
    filters: Option<usize>,
    /// The numbers of filters in the last question.
    counts: Vec<usize>,
    curve: Option<Curve>,
    search: Search,
    /// The scorers of all candidates of the search, for each fold.
    scorers: Vec<Vec<Scorer>>,
    /// The scores of all candidates of the search.
    tally: Tally,
    outcome: Option<Outcome>,
}

/// The folds of samples on other machines, as class statistics.
struct Received {
    recipe: Pipeline,
    dropped: Vec<usize>,
    total: ClassAccumulator,
    /// The index of every part that is held out, with the class statistics of the other parts.
    training: Vec<(usize, ClassAccumulator)>,
    /// Whether samples of each class are held out.
    held: Vec<bool>,
    /// The coordinates for each scaling if there are many columns, otherwise empty.
    within: Vec<Within>,
}

impl Remote {
    /// Starts a fit from the class statistics of every part, and of the samples in no part
    /// (`rest`).
    ///
    /// All parts are held out in turn, or only the first if there are many samples, as for samples
    /// in memory.
    ///
    /// # Errors
    ///
    /// If the parts have different classes or columns, if all columns are constant, or if a setting
    /// does not suit the data or the method.
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
            // Merged anew for every fold: subtracting a part from the total would leave round-off.
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

    /// Returns the classes, in the order of all class statistics.
    pub fn classes(&self) -> &Classes {
        self.received.total.classes()
    }

    /// Returns the recipe of the fit.
    pub fn recipe(&self) -> &Pipeline {
        &self.received.recipe
    }

    /// Returns the next candidates to be scored, or `None` when everything is selected.
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
            // Scorers are stored in the order of the candidates' indices.
            let mut numbered: Vec<_> = candidates.iter().map(|(at, _)| *at).zip(scorers).collect();
            numbered.sort_by_key(|(at, _)| *at);
            all.extend(numbered.into_iter().map(|(_, scorer)| scorer));
        }
        let folds = self.scorers.iter().cloned().enumerate().collect();
        Ok(Some(self.received.question(folds, self.search.runners().len())))
    }

    /// Receives the scores of the candidates of the last question.
    ///
    /// # Errors
    ///
    /// If no sample was held out to select the number of filters.
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

    /// Learns filters on all samples with the selected settings.
    ///
    /// # Errors
    ///
    /// If the number of filters is not selected yet, or if the fit fails.
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

    /// Returns the result of [`Remote::fit`], after [`Remote::refine`] the refined one, or `None`
    /// before a fit.
    pub fn fitted(&self) -> Option<&Fitted> {
        self.outcome.as_ref().map(|outcome| &outcome.fitted)
    }

    /// Returns the coordinates to which samples are transformed before a refinement, or `None`
    /// before a fit.
    ///
    /// # Errors
    ///
    /// If principal components cannot be computed.
    pub fn refinement_space(&self) -> Result<Option<RefinementSpace>, PipelineError> {
        self.outcome.as_ref().map(|own| self.received.recipe.refinement_space(own)).transpose()
    }

    /// Refines the filters of a fit on all or some samples, in the coordinates of the refinement.
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

    /// Returns the question about the number of filters, with the default scaling and noise.
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
    /// Returns a question about candidates, whose folds are specified by index.
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

/// Returns the class statistics of accumulated samples.
fn statistics_of(sums: &ClassAccumulator) -> Result<ClassStatistics, StatisticsError> {
    check_several(sums.classes())?;
    ClassAccumulator::finish_together(&[sums], Estimator::Empirical)
}

/// Coordinates within the leading principal components of all samples, under one scaling.
struct Within {
    scaling: Scaling,
    estimator: Estimator,
    map: Option<Preprocessor>,
    basis: Mat<f64>,
    /// The mean within-class variance of the columns, divided by that of the components.
    ratio: f64,
}

impl Within {
    /// Returns the coordinates for every scaling.
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
