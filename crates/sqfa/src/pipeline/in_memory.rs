//! Folds of samples in memory, on which candidates are scored immediately.

use std::cell::RefCell;
use std::sync::Arc;

use crate::optimize::Observer;
use crate::reduce::ReduceError;
use crate::statistics::{Estimator, Scaling, StatisticsError};

use super::coordinates::{Learned, MakeSpace};
use super::folds::{Parts, SHARE};
use super::rule::FLOOR;
use super::score::Scores;
use super::search::{Asked, Common, Folds, Search};
use super::side::Side;
use super::{PipelineError, Scorer, nested};

/// The memory that training sides may always use, which is little compared with that of a process.
const ROOM: usize = 8 << 20;

/// One scaling of the search: its samples in folds, once per repeat, and the coordinates of its
/// spaces.
pub(crate) struct Arm<'a> {
    pub(crate) scaling: Scaling,
    /// The estimator of class statistics of these samples, before they are scaled.
    pub(crate) estimator: Estimator,
    pub(crate) repeats: Vec<Parts<'a>>,
    /// The constructors of the spaces: one per repeat, or one for all repeats.
    pub(crate) makers: Vec<Box<dyn MakeSpace + 'a>>,
}

/// A fold of a repeat, with the rows that it holds out. All arms hold out the same rows.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) repeat: usize,
    pub(crate) fold: usize,
    rows: Arc<Vec<u32>>,
}

impl Held {
    /// Returns the held-out rows.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.rows.iter().map(|&row| row as usize)
    }
}

impl<'a> Arm<'a> {
    /// Returns the samples of a repeat.
    pub(crate) fn parts(&self, held: &Held) -> &Parts<'a> {
        &self.repeats[held.repeat]
    }

    /// Returns the folds that hold out any samples, in the order of the repeats.
    pub(crate) fn held(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for (repeat, parts) in self.repeats.iter().enumerate() {
            for &fold in parts.folds() {
                let mut rows = Vec::with_capacity(parts.within(fold).count());
                rows.extend(parts.within(fold).map(|row| row as u32));
                if !rows.is_empty() {
                    held.push(Held { repeat, fold, rows: Arc::new(rows) });
                }
            }
        }
        held
    }

    /// Returns the training side of a fold.
    pub(crate) fn side(&self, held: &Held) -> Result<Side, PipelineError> {
        let parts = self.parts(held);
        let statistics = parts.statistics(Some(held.fold), self.estimator)?;
        let learned = Learned { statistics, parts: Some((parts, Some(held.fold))) };
        Side::new(&*self.makers[held.repeat.min(self.makers.len() - 1)], learned)
    }
}

/// The folds of all arms.
pub(crate) struct InMemory<'p, 'a> {
    arms: &'p [Arm<'a>],
    held: Vec<Held>,
    sides: RefCell<Sides>,
}

/// A cache of training sides for the next request of a search. Its size is limited by [`ROOM`] or a
/// fraction of the memory of the samples, if that is more.
struct Sides {
    kept: Vec<(Scaling, usize, Arc<Side>)>,
    /// The number of bytes left for further sides.
    room: usize,
}

impl Sides {
    fn of(&self, scaling: Scaling, fold: usize) -> Option<&Arc<Side>> {
        self.kept.iter().find(|own| (own.0, own.1) == (scaling, fold)).map(|own| &own.2)
    }

    fn keep(&mut self, scaling: Scaling, fold: usize, side: &Arc<Side>) {
        let bytes = side.space.bytes();
        if bytes <= self.room {
            self.room -= bytes;
            self.kept.push((scaling, fold, Arc::clone(side)));
        }
    }
}

impl<'p, 'a> InMemory<'p, 'a> {
    pub(crate) fn new(arms: &'p [Arm<'a>]) -> Self {
        let held = arms.first().map(Arm::held).unwrap_or_default();
        let bytes = arms.first().and_then(|arm| arm.repeats.first()).map_or(0, Parts::bytes);
        let sides = RefCell::new(Sides { kept: Vec::new(), room: ROOM.max(bytes / SHARE) });
        Self { arms, held, sides }
    }

    /// Runs a search to its end and returns the scores of its candidates.
    pub(crate) fn search(
        &self,
        search: &mut Search,
        common: &Common<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Scores>, PipelineError> {
        let mut scores: Vec<Scores> = Vec::new();
        loop {
            let known: Vec<&Scores> = scores.iter().collect();
            let Some(asked) = search.ask(common, self, &known, observer)? else {
                return Ok(scores);
            };
            scores.resize(search.runners().len(), Scores::default());
            self.score(&asked, &mut scores)?;
        }
    }

    /// Scores candidates on further folds and appends the scores to the existing ones.
    pub(crate) fn score(&self, asked: &Asked, scores: &mut [Scores]) -> Result<(), PipelineError> {
        for (fold, scorers) in &asked.folds {
            let held = &self.held[*fold];
            for (&(at, scaling), scorer) in asked.candidates.iter().zip(scorers) {
                // Within principal components, every scaling has its own coordinates of the
                // samples.
                let Some(arm) = self.arm(scaling) else { continue };
                scores[at].extend(scorer.scores(arm.parts(held).data(), held.rows())?);
            }
        }
        Ok(())
    }

    /// Returns the scalings of the arms.
    pub(crate) fn scalings(&self) -> Vec<Scaling> {
        self.arms.iter().map(|arm| arm.scaling).collect()
    }

    /// Returns the scores of one scorer on the samples that a fold holds out.
    pub(crate) fn scores_of(
        &self,
        scaling: Scaling,
        fold: usize,
        scorer: &Scorer,
    ) -> Result<Scores, PipelineError> {
        let held = &self.held[fold];
        let Some(arm) = self.arm(scaling) else { return Ok(Scores::default()) };
        Ok(scorer.scores(arm.parts(held).data(), held.rows())?)
    }

    /// Returns the scores of predicting one class for all samples that a fold holds out.
    pub(crate) fn constant_scores(&self, scaling: Scaling, fold: usize, class: u32) -> Scores {
        let held = &self.held[fold];
        let Some(arm) = self.arm(scaling) else { return Scores::default() };
        let data = arm.parts(held).data();
        let hits: Vec<bool> = held.rows().map(|row| data.labels.codes()[row] == class).collect();
        let weights = match data.weights {
            Some(_) => held.rows().map(|row| data.weight(row) as f64).collect(),
            None => Vec::new(),
        };
        Scores::of(vec![FLOOR as f32; hits.len()], hits, weights)
    }

    /// Returns identifiers of the held-out samples of some folds, in the order of their scores.
    pub(crate) fn samples(&self, folds: &[usize]) -> nested::Held {
        // Repeats of one table hold out the same samples. Within principal components, every fold
        // has its own table.
        let own_rows = self.arms.first().is_some_and(|arm| arm.makers.len() > 1);
        let mut samples = nested::Held::default();
        for &fold in folds {
            let held = &self.held[fold];
            let table = if own_rows { held.repeat as u64 } else { 0 };
            samples.push(held.rows().map(|row| table << 32 | row as u64));
        }
        samples
    }

    fn arm(&self, scaling: Scaling) -> Option<&'p Arm<'a>> {
        self.arms.iter().find(|arm| arm.scaling == scaling)
    }
}

impl Folds for InMemory<'_, '_> {
    fn count(&self) -> usize {
        self.held.len()
    }

    fn first(&self) -> usize {
        self.held.len().min(1)
    }

    fn side(&self, scaling: Scaling, fold: usize) -> Result<Option<Arc<Side>>, PipelineError> {
        if let Some(side) = self.sides.borrow().of(scaling, fold) {
            return Ok(Some(Arc::clone(side)));
        }
        let Some(arm) = self.arm(scaling) else { return Ok(None) };
        match arm.side(&self.held[fold]) {
            Ok(side) => {
                let side = Arc::new(side);
                self.sides.borrow_mut().keep(scaling, fold, &side);
                Ok(Some(side))
            }
            // A robust estimator may have too few samples in a fold but enough for the last fit.
            Err(PipelineError::Reduce(ReduceError::Statistics(
                StatisticsError::Robust(_) | StatisticsError::RobustClass { .. },
            ))) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
