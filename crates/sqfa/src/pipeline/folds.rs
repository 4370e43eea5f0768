//! Folds of labelled points whose class sums are kept apart, so that any training part is a merge and nothing is summed twice.
//!
//! Which fold a row is in is decided in [`crate::deal`]. Cost: one pass over the points.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::deal::deal;
use crate::labels::Labels;
use crate::linalg::triangle;
use crate::points::Points;
use crate::reduce::{Samples, Training};
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Form, Preprocessor, StatisticsError,
};

/// Points that are held out at most where one split does: more would take memory and time and decide nothing else.
const HELD: u64 = 50_000;

/// One of so many of the points' bytes is room to spare.
const SHARE: usize = 4;

/// How points are held out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Parts that every class is dealt into.
    pub parts: usize,
    /// How many of them are held out in turn; the others are always learned from.
    pub held: usize,
    /// How often all is repeated with another shuffle.
    pub repeats: usize,
}

impl Plan {
    /// Few points: five folds, twice over. Many: one split, which holds out a seventh, at most 50 000. Otherwise five folds.
    pub fn for_points(points: u64) -> Self {
        match points {
            0..200 => Self { parts: 5, held: 5, repeats: 2 },
            200..6000 => Self { parts: 5, held: 5, repeats: 1 },
            _ => {
                let parts = usize::try_from(points / HELD).unwrap_or(usize::MAX).max(7);
                Self { parts, held: 1, repeats: 1 }
            }
        }
    }

    /// The same where every fold has principal components of its own, which cost more than the fits: from so many points on, two
    /// folds of five are enough to judge by.
    pub(crate) fn for_components(points: u64) -> Self {
        match points {
            0..1000 => Self { parts: 5, held: 5, repeats: 1 },
            1000..6000 => Self { parts: 5, held: 2, repeats: 1 },
            _ => Self::for_points(points),
        }
    }
}

/// Labelled points, each counting as often as its weight says.
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a> {
    /// One point a row.
    pub points: Points<'a>,
    /// One label a point.
    pub labels: &'a Labels,
    /// Repetition counts, when not all are 1.
    pub weights: Option<&'a [u64]>,
}

impl Weighted<'_> {
    /// How often a row counts.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.map_or(1, |weights| weights[row])
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        self.weights.map_or(self.labels.len() as u64, |weights| weights.iter().sum())
    }

    /// Refuses labels or weights of another number of points.
    fn check(&self) -> Result<(), StatisticsError> {
        let (points, labels) = (self.points.rows(), self.labels.len());
        if points != labels {
            return Err(StatisticsError::LabelCount { labels, points });
        }
        match self.weights.map(<[u64]>::len) {
            Some(weights) if weights != points => {
                Err(StatisticsError::WeightCount { weights, points })
            }
            _ => Ok(()),
        }
    }

    /// Adds some rows to class sums.
    fn add(
        &self,
        sums: &mut ClassAccumulator,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let Some(weights) = self.weights else {
            return sums.update_some(self.points, self.labels, rows);
        };
        let mut own = vec![0; weights.len()];
        rows.for_each(|row| own[row] = weights[row]);
        sums.update_weighted(self.points, self.labels, &own)
    }
}

/// Points in parts, with the class sums of every part.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    data: Weighted<'a>,
    /// The part of every row.
    of_row: Arc<Vec<u16>>,
    /// Whether every number is known to be finite.
    finite: bool,
    /// The sums of every part, and last of the rows in none; `None` where they are made whenever they are asked for.
    sums: Option<Arc<Vec<ClassAccumulator>>>,
    /// The number of parts.
    count: usize,
    /// Parts that take part.
    active: Vec<usize>,
    /// The part that choices are made on and nothing is learned from.
    spared: Option<usize>,
    /// Robust statistics that were asked for before, which cost more than a merge.
    robust: Arc<Mutex<Vec<Robust>>>,
}

/// Robust statistics without a fold.
#[derive(Debug)]
struct Robust {
    without: Option<usize>,
    estimator: Estimator,
    statistics: ClassStatistics,
}

impl<'a> Parts<'a> {
    /// Deals points into parts by a seed and sums each.
    pub fn new(data: Weighted<'a>, plan: Plan, seed: u64) -> Result<Self, StatisticsError> {
        data.check()?;
        Self::of(data, Self::dealt(data, plan, seed), plan.held)
    }

    /// The same of points of which every number is known to be finite; where sums are not kept they are made whenever they are
    /// asked for, some classes at a time.
    pub(crate) fn of_finite(
        data: Weighted<'a>,
        plan: Plan,
        seed: u64,
        keeps: bool,
    ) -> Result<Self, StatisticsError> {
        data.check()?;
        let parts = Self::without_sums(data, Self::dealt(data, plan, seed), plan.held);
        let parts = Self { finite: true, ..parts };
        if keeps { parts.summed() } else { Ok(parts) }
    }

    fn without_sums(data: Weighted<'a>, of_row: Arc<Vec<u16>>, count: usize) -> Self {
        Self {
            data,
            of_row,
            finite: false,
            sums: None,
            count,
            active: (0..count).collect(),
            spared: None,
            robust: Arc::default(),
        }
    }

    /// The same with the sums of every part.
    fn summed(mut self) -> Result<Self, StatisticsError> {
        let all = 0..self.data.labels.classes().len();
        let sums = (0..=self.count).map(|part| self.made(part, &all, None));
        self.sums = Some(Arc::new(sums.collect::<Result<_, _>>()?));
        Ok(self)
    }

    /// The sums of some classes in one part; all other classes are empty. Where an estimator is given they are for it alone.
    fn made(
        &self,
        part: usize,
        classes: &Range<usize>,
        estimator: Option<Estimator>,
    ) -> Result<ClassAccumulator, StatisticsError> {
        let Weighted { points, labels, weights } = self.data;
        let own = |row: &usize| {
            usize::from(self.of_row[*row]).min(self.count) == part
                && classes.contains(&(labels.codes()[*row] as usize))
                && self.data.weight(*row) > 0
        };
        let rows = (0..self.of_row.len()).filter(own);
        let mut sums = ClassAccumulator::new(labels.classes().clone(), points.columns());
        if let Some(estimator) = estimator {
            sums = sums.only_for(estimator);
        }
        match self.finite {
            true => sums.update_finite(points, labels, weights, rows)?,
            false => self.data.add(&mut sums, rows)?,
        }
        Ok(sums)
    }

    /// The part of every row, without any sums.
    pub(crate) fn dealt(data: Weighted<'_>, plan: Plan, seed: u64) -> Arc<Vec<u16>> {
        let Weighted { points, labels, .. } = data;
        Arc::new(deal(points, labels, &|row| data.weight(row), (plan.parts, plan.held), seed))
    }

    /// Sums parts that were dealt before: the part of every row, of which those from `count` on are always learned from.
    pub fn of(
        data: Weighted<'a>,
        of_row: Arc<Vec<u16>>,
        count: usize,
    ) -> Result<Self, StatisticsError> {
        Self::without_sums(data, of_row, count).summed()
    }

    /// The same with sums of points that are not at hand and always learned from.
    pub(crate) fn with_forgotten(
        mut self,
        forgotten: &ClassAccumulator,
    ) -> Result<Self, StatisticsError> {
        if self.sums.is_none() {
            self = self.summed()?;
        }
        if let Some(last) = self.sums.as_mut().and_then(|sums| Arc::make_mut(sums).last_mut()) {
            last.merge(forgotten)?;
        }
        Ok(self)
    }

    /// The points.
    pub fn data(&self) -> &Weighted<'a> {
        &self.data
    }

    /// The parts that can be held out in turn.
    pub fn folds(&self) -> &[usize] {
        &self.active
    }

    /// Whether something can be held out while something is left to learn from.
    pub fn can_choose(&self) -> bool {
        self.active.len() > 1 || self.spared.is_some()
    }

    /// What a method learns from, in some preprocessing: rows as often as they count; choices are made on a spared part.
    pub(crate) fn training<'t>(
        &'t self,
        statistics: &'t ClassStatistics,
        preprocessor: Option<&'t Preprocessor>,
        estimator: Estimator,
    ) -> Training<'t> {
        let Weighted { points, labels, .. } = self.data;
        let training = Training::new(statistics, Samples { points, labels, preprocessor })
            .with_estimator(estimator);
        let training = match self.repeated() {
            Some(rows) => training.on_numbered(rows),
            None => training,
        };
        match self.spared {
            Some(part) => training.validated_on(self.rows(part)),
            None => training,
        }
    }

    /// The part that choices are made on and nothing is learned from, if there is one.
    pub(crate) fn spared(&self) -> Option<usize> {
        self.spared
    }

    /// The rows of one part.
    pub fn rows(&self, part: usize) -> Vec<usize> {
        self.within(part).collect()
    }

    /// The same without a list.
    pub(crate) fn within(&self, part: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let own =
            move |row: &usize| usize::from(self.of_row[*row]) == part && self.data.weight(*row) > 0;
        (0..self.of_row.len()).filter(own)
    }

    /// The rows that are learned from.
    pub fn learned(&self) -> Vec<usize> {
        self.learning().collect()
    }

    fn learning(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let all = self.count;
        (0..self.of_row.len()).filter(move |&row| {
            let part = usize::from(self.of_row[row]);
            let active = self.active.contains(&part) && self.spared != Some(part);
            (part >= all || active) && self.data.weight(row) > 0
        })
    }

    /// The same, each as often as it counts; none where these are all rows, once each.
    fn repeated(&self) -> Option<Vec<u32>> {
        let weight = |row: usize| self.data.weight(row) as usize;
        let count: usize = self.learning().map(weight).sum();
        if self.data.weights.is_none() && count == self.of_row.len() {
            return None;
        }
        let mut rows = Vec::with_capacity(count);
        rows.extend(self.learning().flat_map(|row| std::iter::repeat_n(row as u32, weight(row))));
        Some(rows)
    }

    /// The sums of everything that takes part.
    pub fn total(&self) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(None, &(0..self.data.labels.classes().len()), None)
    }

    /// The sums of everything that takes part but one fold.
    pub fn without(&self, fold: usize) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(Some(fold), &(0..self.data.labels.classes().len()), None)
    }

    /// The statistics of everything that takes part, but for a fold, and the same without shrinkage where they are shrunk.
    pub(crate) fn statistics(
        &self,
        without: Option<usize>,
        estimator: Estimator,
    ) -> Result<(ClassStatistics, Option<ClassStatistics>), StatisticsError> {
        if estimator.needs_points() {
            return Ok((self.robust(without, estimator)?, None));
        }
        let Some(sums) = &self.sums else {
            return with_plain(estimator, |estimator| {
                let Weighted { points, labels, .. } = self.data;
                let (classes, columns) = (labels.classes(), points.columns());
                let double = matches!(points, Points::F64(_));
                let mut make = |some: Range<usize>| self.merged(without, &some, Some(estimator));
                ClassAccumulator::finish_made(classes, columns, double, &mut make, estimator)
            });
        };
        let parts: Vec<_> = self.taking_part(without).map(|part| &sums[part]).collect();
        finished(&parts, estimator)
    }

    /// The statistics of everything that takes part, without shrinkage, with covariances in the form that costs less.
    pub(crate) fn smallest_statistics(&self) -> Result<ClassStatistics, StatisticsError> {
        let Weighted { points, labels, weights } = self.data;
        let (rows, classes) = (points.rows() as u64, labels.classes().len());
        let form = Form::Auto.decide(rows, points.columns(), classes, points.width());
        if form == Form::Factor && weights.is_none() {
            return ClassStatistics::from_factor_rows(
                points,
                labels,
                &self.learned(),
                Estimator::Empirical,
            );
        }
        Ok(self.statistics(None, Estimator::Empirical)?.0)
    }

    /// The statistics of everything that takes part with one covariance for all classes, of which only the variances are made.
    pub(crate) fn pooled_variances(&self) -> Result<ClassStatistics, StatisticsError> {
        let Weighted { points, labels, weights } = self.data;
        ClassStatistics::pooled_variances(points, labels, weights, self.learning())
    }

    /// Whether sums of all classes take so much room beside the points that they are not made before they are needed.
    pub(crate) fn spares_room(&self, estimator: Estimator) -> bool {
        let Weighted { points, labels, .. } = self.data;
        let n = points.columns();
        let sums = labels.classes().len() * triangle(n) * size_of::<f64>();
        let made = self.sums.is_none() && self.finite && self.spared.is_none();
        made && estimator == Estimator::Empirical && SHARE * sums > points.bytes()
    }

    fn robust(
        &self,
        without: Option<usize>,
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        let known = || self.robust.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &&Robust| one.without == without && one.estimator == estimator;
        if let Some(found) = known().iter().find(same) {
            return Ok(found.statistics.clone());
        }
        let mut rows = self.learned();
        rows.retain(|&row| without != Some(usize::from(self.of_row[row])));
        let Weighted { points, labels, weights } = self.data;
        let statistics =
            ClassStatistics::robust_of_rows(points, labels, &rows, weights, estimator)?;
        let copy = statistics.clone();
        known().push(Robust { without, estimator, statistics });
        Ok(copy)
    }

    /// The parts that are left when one is put away: to choose settings inside an outer fold without summing again.
    pub fn leave_out(&self, fold: usize) -> Self {
        let mut left = self.clone();
        left.active.retain(|&part| part != fold);
        left.robust = Arc::default();
        left
    }

    /// The same with a part that choices are made on and nothing is ever learned from: validation points.
    pub fn spare(mut self, part: usize) -> Self {
        self.spared = Some(part);
        self.robust = Arc::default();
        self
    }

    /// The sums of some classes in all parts that take part.
    fn merged(
        &self,
        left_out: Option<usize>,
        classes: &Range<usize>,
        estimator: Option<Estimator>,
    ) -> Result<ClassAccumulator, StatisticsError> {
        let one = |part: usize| match &self.sums {
            Some(kept) => Ok(Cow::Borrowed(&kept[part])),
            None => self.made(part, classes, estimator).map(Cow::Owned),
        };
        let mut parts = self.taking_part(left_out);
        let mut sums = one(parts.next().unwrap_or(self.count))?.into_owned();
        for part in parts {
            sums.merge(&*one(part)?)?;
        }
        Ok(sums)
    }

    /// The rows in no part, and the parts that take part.
    fn taking_part(&self, left_out: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let kept = move |part: &usize| Some(*part) != left_out && Some(*part) != self.spared;
        std::iter::once(self.count).chain(self.active.iter().copied().filter(kept))
    }
}

/// The statistics of some sums together, and the same without shrinkage where they are shrunk.
pub(crate) fn finished(
    sums: &[&ClassAccumulator],
    estimator: Estimator,
) -> Result<(ClassStatistics, Option<ClassStatistics>), StatisticsError> {
    with_plain(estimator, |estimator| ClassAccumulator::finish_together(sums, estimator))
}

/// What is finished by an estimator, and without shrinkage where that shrinks.
fn with_plain(
    estimator: Estimator,
    finish: impl Fn(Estimator) -> Result<ClassStatistics, StatisticsError>,
) -> Result<(ClassStatistics, Option<ClassStatistics>), StatisticsError> {
    let shrinks = estimator != Estimator::Empirical;
    let plain = shrinks.then(|| finish(Estimator::Empirical)).transpose()?;
    Ok((finish(estimator)?, plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Table;

    #[test]
    fn a_spared_part_chooses_and_is_not_learned_from() {
        let values: Vec<f64> = (0..12).map(|row| f64::from(row * row)).collect();
        let labels = Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let points = Points::F64(Table::row_major(&values, 12, 1).unwrap());
        let data = Weighted { points, labels: &labels, weights: None };
        // Rows 0 to 3 choose, rows 4 and 5 are put away, the others are learned from.
        let of_row: Vec<u16> =
            (0..12).map(|row| [0, 0, 0, 0, 1, 1].get(row).copied().unwrap_or(2)).collect();
        let parts = Parts::of(data, of_row.into(), 2).unwrap().leave_out(1).spare(0);
        assert_eq!(parts.learned(), (6..12).collect::<Vec<_>>());
        assert_eq!((parts.folds(), parts.rows(0)), ([0].as_slice(), vec![0, 1, 2, 3]));
        assert!(parts.can_choose());
        let mean = |sums: ClassAccumulator| {
            sums.finish(crate::statistics::Estimator::Empirical).unwrap().total_mean()[0]
        };
        let expected = (6..12).map(|row| f64::from(row * row)).sum::<f64>() / 6.0;
        assert!((mean(parts.total().unwrap()) - expected).abs() < 1e-12 * expected);
        assert!((mean(parts.without(0).unwrap()) - expected).abs() < 1e-12 * expected);
    }
}
