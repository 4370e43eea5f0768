//! Folds of labeled samples with the class statistics of each part.
//!
//! Statistics of a training set are merged from those of its parts, so no sample is accumulated
//! twice. [`crate::deal`] assigns rows to parts. The cost is one pass over the samples.

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

/// The fraction of the sample memory that class statistics may use, as a divisor.
pub(super) const SHARE: usize = 4;

/// Labeled samples divided into parts, with the class statistics of each part.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    data: Labeled<'a>,
    /// The part of every row. Rows whose part is not less than `count` are always used for
    /// training.
    of_row: Arc<Vec<u16>>,
    /// Whether all values are known to be finite.
    finite: bool,
    /// The class statistics of every part, followed by those of the rows that are never held out.
    /// Empty until they are first needed.
    sums: OnceLock<Arc<Vec<ClassAccumulator>>>,
    /// Whether class statistics are stored. Otherwise they are computed each time they are needed.
    keeps: bool,
    /// The number of parts that can be held out.
    count: usize,
    /// The parts in use, without those that [`Parts::leave_out`] removed.
    active: Vec<usize>,
    /// The validation part: settings are selected on it, and it is never used for training.
    spared: Option<usize>,
    /// A cache of robust statistics, which take longer to compute than a merge.
    robust: Arc<Mutex<Vec<Robust>>>,
}

/// Robust statistics of all training samples except for one fold.
#[derive(Debug)]
struct Robust {
    without: Option<usize>,
    estimator: Estimator,
    statistics: ClassStatistics,
}

impl<'a> Parts<'a> {
    /// Assigns samples to parts by a seed and computes the class statistics of each part.
    ///
    /// # Errors
    ///
    /// If labels, weights or groups do not match the samples, or if the samples cannot be
    /// accumulated.
    pub fn new(data: Labeled<'a>, plan: Plan, seed: u64) -> Result<Self, StatisticsError> {
        data.check()?;
        Self::of(data, Self::dealt(data, plan, seed), plan.held)
    }

    /// Assigns samples with finite values to parts by a seed. If `keeps` is false, class statistics
    /// are not stored but computed each time they are needed, a few classes at a time.
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

    /// Returns the class statistics of every part if they are stored, and computes them first if
    /// needed.
    fn kept(&self) -> Result<Option<&Arc<Vec<ClassAccumulator>>>, StatisticsError> {
        if self.keeps && self.sums.get().is_none() {
            let all = 0..self.data.labels.classes().len();
            let sums = (0..=self.count).map(|part| self.made(part, &all));
            let sums = Arc::new(sums.collect::<Result<_, _>>()?);
            return Ok(Some(self.sums.get_or_init(|| sums)));
        }
        Ok(self.sums.get())
    }

    /// Computes and stores the class statistics of every part.
    fn summed(mut self) -> Result<Self, StatisticsError> {
        self.keeps = true;
        self.kept()?;
        Ok(self)
    }

    /// Computes the class statistics of one part for a range of classes. All other classes are
    /// empty.
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

    /// Returns the part of every row, without computing class statistics.
    pub(crate) fn dealt(data: Labeled<'_>, plan: Plan, seed: u64) -> Arc<Vec<u16>> {
        let Labeled { points, labels, hold_out, .. } = data;
        let weight = |row: usize| data.weight(row);
        Arc::new(deal(points, labels, &weight, hold_out, (plan.parts, plan.held), seed))
    }

    /// Computes the class statistics of parts that were assigned before. `of_row` is the part of
    /// every row; rows whose part is not less than `count` are always used for training.
    ///
    /// # Errors
    ///
    /// If the samples cannot be accumulated.
    pub fn of(
        data: Labeled<'a>,
        of_row: Arc<Vec<u16>>,
        count: usize,
    ) -> Result<Self, StatisticsError> {
        Self::without_sums(data, of_row, count).summed()
    }

    /// Adds class statistics of training samples that are not in memory.
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

    /// Returns the memory of the samples in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.data.points.bytes()
    }

    /// Returns the labeled samples.
    pub fn data(&self) -> &Labeled<'a> {
        &self.data
    }

    /// Returns the parts that can be held out in turn.
    pub fn folds(&self) -> &[usize] {
        &self.active
    }

    /// Whether at least one part can be held out while samples are left for training.
    pub fn can_choose(&self) -> bool {
        self.active.len() > 1 || self.spared.is_some()
    }

    /// Returns the training data of a method, with every row repeated by its weight. A validation
    /// part is used to select the settings of the method. `points` are all rows, either raw or in
    /// the coordinates of the fit; `preprocessor` maps them to the coordinates of the statistics.
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

    /// Returns the validation part, which is never used for training.
    pub(crate) fn spared(&self) -> Option<usize> {
        self.spared
    }

    /// Returns the rows of one part.
    pub fn rows(&self, part: usize) -> Vec<usize> {
        self.within(part).collect()
    }

    /// Returns an iterator over the rows of one part.
    pub(crate) fn within(&self, part: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let own =
            move |row: &usize| usize::from(self.of_row[*row]) == part && self.data.weight(*row) > 0;
        (0..self.of_row.len()).filter(own)
    }

    /// Returns the training rows.
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

    /// Returns the training rows, each repeated by its weight, or `None` if these are all rows,
    /// once each.
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

    /// Returns the class statistics of all training samples.
    ///
    /// # Errors
    ///
    /// If the samples cannot be accumulated.
    pub fn total(&self) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(None, &(0..self.data.labels.classes().len()))
    }

    /// Returns the class statistics of all training samples except for those of one fold.
    ///
    /// # Errors
    ///
    /// If the samples cannot be accumulated.
    pub fn without(&self, fold: usize) -> Result<ClassAccumulator, StatisticsError> {
        self.merged(Some(fold), &(0..self.data.labels.classes().len()))
    }

    /// Returns the class statistics of the training samples, without one fold if specified. The
    /// estimator must not shrink.
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

    /// Returns the class statistics of the training samples in a form that stores the samples
    /// instead of covariance entries.
    pub(crate) fn as_samples(&self) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, .. } = self.data;
        let rows = self.data.repeated(self.learning());
        ClassStatistics::from_factor_rows(points, labels, &rows, Estimator::Empirical)
    }

    /// Returns the variances of the training samples, pooled over classes. No other covariance
    /// entries are computed.
    pub(crate) fn pooled_variances(&self) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, weights, .. } = self.data;
        ClassStatistics::pooled_variances(points, labels, weights, self.learning())
    }

    /// Whether class statistics need so much memory, compared with the samples, that they are
    /// computed only when needed.
    pub(crate) fn spares_room(&self, estimator: Estimator) -> bool {
        let Labeled { points, labels, .. } = self.data;
        let n = points.columns();
        let sums = labels.classes().len() * triangle(n) * size_of::<f64>();
        let made = !self.keeps && self.finite && self.spared.is_none();
        made && estimator == Estimator::Empirical && SHARE * sums > points.bytes()
    }

    /// Returns the class statistics of the features of filters, computed from the training samples.
    pub(crate) fn features(
        &self,
        filters: &Mat<f64>,
        offset: Option<&[f64]>,
    ) -> Result<ClassStatistics, StatisticsError> {
        let Labeled { points, labels, weights, .. } = self.data;
        let mut sums = ClassAccumulator::new(labels.classes().clone(), filters.ncols());
        for rows in self.learned().chunks(JUDGED) {
            // Double precision, so that rounding does not look like variance if filters are
            // linearly dependent.
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

    /// Returns the parts without one of them. Settings are selected on the result inside an outer
    /// fold, without accumulating samples again.
    pub fn leave_out(&self, fold: usize) -> Self {
        let mut left = self.clone();
        left.active.retain(|&part| part != fold);
        left.robust = Arc::default();
        left
    }

    /// Returns the parts with one of them as the validation part, which is never used for training.
    pub fn spare(mut self, part: usize) -> Self {
        self.spared = Some(part);
        self.robust = Arc::default();
        self
    }

    /// Merges the class statistics of the training parts for a range of classes.
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

    /// Returns the training parts, preceded by the index of the rows that are never held out.
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
        // Rows 0 to 3 are the validation part, rows 4 and 5 are left out, the others are training
        // rows.
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
