//! Folds of labeled points whose class sums are kept apart, so that any training part is a merge and nothing is summed twice.
//!
//! Which fold a row is in is decided in [`crate::deal`]. Cost: one pass over the points.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::deal::deal;
use crate::linalg::{Mat, triangle};
use crate::points::Points;
use crate::reduce::{JUDGED, Samples, Training};
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, StatisticsError,
};
use crate::transform::{Features, transform_rows_offset};

use super::{Labeled, Plan};

/// Class statistics may take the memory of the samples, divided by this number.
pub(super) const SHARE: usize = 4;

/// Points in parts, with the class sums of every part.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    data: Labeled<'a>,
    /// The part of every row.
    of_row: Arc<Vec<u16>>,
    /// Whether every number is known to be finite.
    finite: bool,
    /// The sums of every part, and last of the rows in none, if they are kept and were asked for.
    sums: OnceLock<Arc<Vec<ClassAccumulator>>>,
    /// Whether sums are kept; otherwise they are computed whenever they are asked for.
    keeps: bool,
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
    pub fn new(data: Labeled<'a>, plan: Plan, seed: u64) -> Result<Self, StatisticsError> {
        data.check()?;
        Self::of(data, Self::dealt(data, plan, seed), plan.held)
    }

    /// The same of points of which every number is known to be finite; where sums are not kept they are made whenever they are
    /// asked for, some classes at a time.
    pub(crate) fn of_finite(
        data: Labeled<'a>,
        plan: Plan,
        seed: u64,
        keeps: bool,
    ) -> Result<Self, StatisticsError> {
        data.check()?;
        let parts = Self::without_sums(data, Self::dealt(data, plan, seed), plan.held);
        Ok(Self { finite: true, keeps, ..parts })
    }

    fn without_sums(data: Labeled<'a>, of_row: Arc<Vec<u16>>, count: usize) -> Self {
        Self {
            data,
            of_row,
            finite: false,
            sums: OnceLock::new(),
            keeps: false,
            count,
            active: (0..count).collect(),
            spared: None,
            robust: Arc::default(),
        }
    }

    /// Returns the sums of every part, if they are kept.
    fn kept(&self) -> Result<Option<&Arc<Vec<ClassAccumulator>>>, StatisticsError> {
        if self.keeps && self.sums.get().is_none() {
            let all = 0..self.data.labels.classes().len();
            let sums = (0..=self.count).map(|part| self.made(part, &all));
            let sums = Arc::new(sums.collect::<Result<_, _>>()?);
            return Ok(Some(self.sums.get_or_init(|| sums)));
        }
        Ok(self.sums.get())
    }

    /// The same with the sums of every part.
    fn summed(mut self) -> Result<Self, StatisticsError> {
        self.keeps = true;
        self.kept()?;
        Ok(self)
    }

    /// The sums of some classes in one part; all other classes are empty.
    fn made(
        &self,
        part: usize,
        classes: &Range<usize>,
    ) -> Result<ClassAccumulator, StatisticsError> {
        let Labeled { points, labels, weights, .. } = self.data;
        let own = |row: &usize| {
            usize::from(self.of_row[*row]).min(self.count) == part
                && classes.contains(&(labels.codes()[*row] as usize))
                && self.data.weight(*row) > 0
        };
        let rows = (0..self.of_row.len()).filter(own);
        let mut sums = ClassAccumulator::new(labels.classes().clone(), points.columns());
        match self.finite {
            true => sums.update_finite(points, labels, weights, rows)?,
            false => self.data.add(&mut sums, rows)?,
        }
        Ok(sums)
    }

    /// The part of every row, without any sums.
    pub(crate) fn dealt(data: Labeled<'_>, plan: Plan, seed: u64) -> Arc<Vec<u16>> {
        let Labeled { points, labels, hold_out, .. } = data;
        let weight = |row: usize| data.weight(row);
        Arc::new(deal(points, labels, &weight, hold_out, (plan.parts, plan.held), seed))
    }

    /// Sums parts that were dealt before: the part of every row, of which those from `count` on are always learned from.
    pub fn of(
        data: Labeled<'a>,
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
        self = self.summed()?;
        if let Some(last) = self.sums.get_mut().and_then(|sums| Arc::make_mut(sums).last_mut()) {
            last.merge(forgotten)?;
        }
        Ok(self)
    }

    /// Returns how much memory the samples take.
    pub(crate) fn bytes(&self) -> usize {
        self.data.points.bytes()
    }

    /// The points.
    pub fn data(&self) -> &Labeled<'a> {
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

    /// Returns what a method learns from: each row as often as it counts, with a spared part for the selection of settings.
    /// `points` are all rows, raw or in the coordinates of the fit; `preprocessor` leads from them to the coordinates of the
    /// statistics.
    pub(crate) fn training<'t>(
        &'t self,
        points: Points<'t>,
        statistics: &'t ClassStatistics,
        preprocessor: Option<&'t Preprocessor>,
        estimator: Estimator,
    ) -> Training<'t> {
        let labels = self.data.labels;
        let training = Training::new(statistics, Samples { points, labels, preprocessor })
            .with_estimator(estimator)
            .holding_out(self.data.hold_out);
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
        self.merged(None, &(0..self.data.labels.classes().len()))
    }

    /// The sums of everything that takes part but one fold.
    pub fn without(&self, fold: usize) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(Some(fold), &(0..self.data.labels.classes().len()))
    }

    /// Returns the statistics of all parts that are learned from, except for one fold, by an estimator that does not shrink.
    pub(crate) fn statistics(
        &self,
        without: Option<usize>,
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        if estimator.needs_points() {
            return self.robust(without, estimator);
        }
        let Some(sums) = self.kept()? else {
            let Labeled { points, labels, .. } = self.data;
            let (classes, columns) = (labels.classes(), points.columns());
            let double = matches!(points, Points::F64(_));
            let mut make = |some: Range<usize>| self.merged(without, &some);
            return ClassAccumulator::finish_made(classes, columns, double, &mut make, estimator);
        };
        let parts: Vec<_> = self.taking_part(without).map(|part| &sums[part]).collect();
        ClassAccumulator::finish_together(&parts, estimator)
    }

    /// Returns the same with covariances that keep the samples instead of their entries.
    pub(crate) fn as_samples(&self) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, .. } = self.data;
        let rows = self.data.repeated(self.learning());
        ClassStatistics::from_factor_rows(points, labels, &rows, Estimator::Empirical)
    }

    /// The statistics of everything that takes part with one covariance for all classes, of which only the variances are made.
    pub(crate) fn pooled_variances(&self) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, weights, .. } = self.data;
        ClassStatistics::pooled_variances(points, labels, weights, self.learning())
    }

    /// Whether the class statistics take so much memory compared with the samples that they are not made before they are needed.
    pub(crate) fn spares_room(&self, estimator: Estimator) -> bool {
        let Labeled { points, labels, .. } = self.data;
        let n = points.columns();
        let sums = labels.classes().len() * triangle(n) * size_of::<f64>();
        let made = !self.keeps && self.finite && self.spared.is_none();
        made && estimator == Estimator::Empirical && SHARE * sums > points.bytes()
    }

    /// Returns the class statistics of the features of some filters, from the samples that are learned from.
    pub(crate) fn features(
        &self,
        filters: &Mat<f64>,
        offset: Option<&[f64]>,
    ) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, weights, .. } = self.data;
        let mut sums = ClassAccumulator::new(labels.classes().clone(), filters.ncols());
        for rows in self.learned().chunks(JUDGED) {
            // In double precision, so that rounding does not look like variance of filters that depend on each other.
            let own = transform_rows_offset(points, rows, filters.as_ref(), offset).into_f64();
            let own = Features::F64(own);
            let (own, labels) = (own.as_points(filters.ncols()), labels.select(rows));
            match weights {
                Some(all) => {
                    let weights: Vec<u64> = rows.iter().map(|&row| all[row]).collect();
                    sums.update_weighted(own, &labels, &weights)?;
                }
                None => sums.update(own, &labels)?,
            }
        }
        sums.finish(Estimator::Empirical)
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
        let Labeled { points, labels, weights, .. } = self.data;
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
    ) -> Result<ClassAccumulator, StatisticsError> {
        let kept = self.kept()?;
        let one = |part: usize| match kept {
            Some(kept) => Ok(Cow::Borrowed(&kept[part])),
            None => self.made(part, classes).map(Cow::Owned),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;
    use crate::points::Table;

    #[test]
    fn a_spared_part_chooses_and_is_not_learned_from() {
        let values: Vec<f64> = (0..12).map(|row| f64::from(row * row)).collect();
        let labels = Labels::from_integers(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        let points = Points::F64(Table::row_major(&values, 12, 1).unwrap());
        let data = Labeled::new(points, &labels);
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
