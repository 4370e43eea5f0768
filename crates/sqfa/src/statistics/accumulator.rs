//! Class statistics that stream and merge: per class a count, a mean and a scatter about the mean.
//!
//! A batch is cut into blocks of one class, which the sum of the class takes in: entry by entry (`entries`) or into a
//! sketch (`sketch`).
//! Cost: one read of the data; for entries N·n² flops in the data's precision and c·n²/2 numbers of memory.

use std::ops::Range;

use super::class_sum::{ClassSum, Finished};
use super::error::StatisticsError;
use super::estimator::Estimator;
use super::sketch::LARGEST_SKETCH;
use super::{ClassStatistics, Moments};
use crate::finite::first_not_finite;
use crate::labels::{Classes, Labels};
use crate::linalg::Mat;
use crate::parallel;
use crate::points::Points;

/// Columns from which one class at a time is summed where sums are not kept.
const WIDE: usize = 512;

/// A running sum of labeled points.
#[derive(Debug, Clone)]
pub struct ClassAccumulator {
    pub(super) classes: Classes,
    pub(super) dimension: usize,
    pub(super) sums: Vec<ClassSum>,
    /// Whether any batch came in double precision; the covariances then are, too.
    pub(super) double: bool,
    /// Rows of a sketch, where the sums are sketches.
    pub(super) sketch: Option<usize>,
}

impl ClassAccumulator {
    /// An empty accumulator.
    pub fn new(classes: Classes, dimension: usize) -> Self {
        Self::of_form(classes, dimension, None)
    }

    /// An empty accumulator that keeps at most so many rows of every class instead of n² entries: a sketch, whose
    /// covariances know how far they are from the exact ones ([`super::Covariance::bound`]).
    pub fn sketched(
        classes: Classes,
        dimension: usize,
        size: usize,
    ) -> Result<Self, StatisticsError> {
        if !(1..=LARGEST_SKETCH).contains(&size) {
            return Err(StatisticsError::SketchSize { size, largest: LARGEST_SKETCH });
        }
        Ok(Self::of_form(classes, dimension, Some(size)))
    }

    /// An empty accumulator of the same form for other classes.
    pub fn alike(&self, classes: Classes) -> Self {
        Self::of_form(classes, self.dimension, self.sketch)
    }

    fn of_form(classes: Classes, dimension: usize, sketch: Option<usize>) -> Self {
        let sums = (0..classes.len()).map(|_| ClassSum::empty(dimension, sketch)).collect();
        Self { classes, dimension, sums, double: false, sketch }
    }

    /// The rows of its sketches, where it sums into sketches.
    pub fn sketch(&self) -> Option<usize> {
        self.sketch
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The number of points seen of every class.
    pub fn counts(&self) -> Vec<u64> {
        self.sums.iter().map(ClassSum::count).collect()
    }

    /// Adds labeled points; nothing is added when anything is wrong with them.
    pub fn update(&mut self, points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
        self.update_some(points, labels, 0..points.rows())
    }

    /// Adds some of the labeled points.
    pub fn update_rows(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: &[usize],
    ) -> Result<(), StatisticsError> {
        self.update_some(points, labels, selected.iter().copied())
    }

    /// The same for rows that are told one by one, and never kept in a list.
    pub(crate) fn update_some(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let rows = self.rows_by_class(points, labels, selected)?;
        refuse_rows(points, &rows)?;
        self.add(points, &rows, None);
        Ok(())
    }

    /// The same for points of which every number is known to be finite, each as often as its weight says.
    pub(crate) fn update_finite(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let mut rows = self.rows_by_class(points, labels, selected)?;
        if let Some(weights) = weights {
            self.check_weights(weights, points.rows(), &mut rows)?;
        }
        self.add(points, &rows, weights);
        Ok(())
    }

    /// Adds rows that were checked and sorted by class.
    pub(super) fn add(&mut self, points: Points<'_>, rows: &[Vec<u32>], weights: Option<&[u64]>) {
        self.double |= matches!(points, Points::F64(_));
        let classes = self.sums.iter_mut().zip(rows).filter(|(_, rows)| !rows.is_empty());
        // Room is made here: what other threads allocate comes back to them late.
        let classes = classes.map(|(sum, rows)| (sum.with_room(), rows));
        parallel::for_each(classes, |(sum, rows)| sum.add(points, rows, weights));
    }

    /// Checks the shape of a batch and sorts the selected rows by class: four bytes a row, since tables of few columns are mostly rows.
    pub(super) fn rows_by_class(
        &self,
        points: Points<'_>,
        labels: &Labels,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<Vec<Vec<u32>>, StatisticsError> {
        check(points, labels, self.dimension)?;
        if u32::try_from(points.rows()).is_err() {
            return Err(StatisticsError::BatchSize { points: points.rows() });
        }
        let recoded = if *labels.classes() == self.classes {
            None
        } else {
            Some(labels.recode(&self.classes)?)
        };
        let codes = recoded.as_ref().unwrap_or(labels).codes();
        let mut counts = vec![0_usize; self.classes.len()];
        selected.clone().for_each(|row| counts[codes[row] as usize] += 1);
        let mut rows: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
        selected.for_each(|row| rows[codes[row] as usize].push(row as u32));
        Ok(rows)
    }

    /// Refuses an accumulator of other columns or classes.
    fn check_kind(&self, other: &Self) -> Result<(), StatisticsError> {
        if self.dimension != other.dimension {
            return Err(StatisticsError::Dimension {
                expected: self.dimension,
                found: other.dimension,
            });
        }
        if self.classes != other.classes {
            return Err(StatisticsError::Classes);
        }
        if self.sketch != other.sketch {
            let (expected, found) = (self.form_in_words(), other.form_in_words());
            return Err(StatisticsError::Forms { expected, found });
        }
        Ok(())
    }

    /// Adds what another accumulator has seen.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatisticsError> {
        self.check_kind(other)?;
        self.double |= other.double;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            sum.merge(other);
        }
        Ok(())
    }

    /// Returns the class statistics.
    ///
    /// # Errors
    ///
    /// If there is no class, or if a class has fewer than two samples.
    pub fn finish(self, estimator: Estimator) -> Result<ClassStatistics, StatisticsError> {
        let Self { classes, dimension, sums, double, .. } = self;
        finish(classes, dimension, sums.into_iter().map(Ok), double, estimator)
    }

    /// The class statistics of all that several accumulators have seen, as if merged in their order: class by class, so that
    /// never more than one class is copied.
    pub(crate) fn finish_together(
        parts: &[&Self],
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        let Some((first, others)) = parts.split_first() else {
            return Err(StatisticsError::TooFewClasses { count: 0 });
        };
        others.iter().try_for_each(|other| first.check_kind(other))?;
        let sums = (0..first.sums.len()).map(|class| {
            let mut sum = first.sums[class].clone();
            others.iter().for_each(|other| sum.merge(&other.sums[class]));
            Ok(sum)
        });
        let double = parts.iter().any(|part| part.double);
        finish(first.classes.clone(), first.dimension, sums, double, estimator)
    }

    /// The class statistics of sums that `make` makes of some classes at a time, so that never more than these are there.
    pub(crate) fn finish_made(
        classes: &Classes,
        dimension: usize,
        double: bool,
        make: &mut dyn FnMut(Range<usize>) -> Result<Self, StatisticsError>,
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        // Wide classes keep all threads busy one by one, and need room for one.
        let at_once = if dimension > WIDE { 1 } else { parallel::threads() };
        let count = classes.len();
        let sums = (0..count).step_by(at_once).flat_map(|first| {
            let some = first..(first + at_once).min(count);
            match make(some.clone()) {
                Ok(made) => made.sums.into_iter().skip(first).take(some.len()).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        });
        finish(classes.clone(), dimension, sums, double, estimator)
    }

    /// The same sums with no point left that waits to join a sketch.
    pub fn settled(mut self) -> Self {
        for sum in &mut self.sums {
            if let ClassSum::Sketch(sketch) = sum {
                sketch.settle();
            }
        }
        self
    }

    /// The most variance that a direction of every class has lost to its sketch, given back or not; `None` for exact sums.
    pub fn shed(&self) -> Option<Vec<f64>> {
        let shed = self.sums.iter().map(|sum| match sum {
            ClassSum::Sketch(sketch) => {
                Some(sketch.shed / sketch.count.saturating_sub(1).max(1) as f64)
            }
            ClassSum::Entries(_) => None,
        });
        self.sketch.and_then(|_| shed.collect())
    }

    fn form_in_words(&self) -> String {
        match self.sketch {
            None => "sums of all entries".to_owned(),
            Some(size) => format!("sketches of {size} rows"),
        }
    }
}

/// The statistics of classes whose sums come one after the other.
fn finish(
    classes: Classes,
    n: usize,
    sums: impl Iterator<Item = Result<ClassSum, StatisticsError>>,
    double: bool,
    estimator: Estimator,
) -> Result<ClassStatistics, StatisticsError> {
    estimator.check()?;
    if estimator.needs_points() {
        return Err(StatisticsError::NeedsPoints { estimator: estimator.to_string() });
    }
    if classes.is_empty() {
        return Err(StatisticsError::TooFewClasses { count: 0 });
    }
    let mut means = Mat::zeros(n, classes.len());
    let mut covariances: Vec<Box<dyn super::Covariance>> = Vec::new();
    let mut counts = Vec::new();
    let mut shrunk = true;
    for (class, sum) in sums.enumerate() {
        let sum = sum?;
        let count = sum.count();
        if count < 2 {
            let class = classes.label(class).to_string();
            return Err(StatisticsError::TooFewSamples { class, count });
        }
        let Finished { mean, covariance, share } = sum.finish(estimator, double)?;
        means.col_mut(class).iter_mut().zip(mean).for_each(|(target, mean)| *target = mean);
        shrunk &= share > 0.0;
        covariances.push(covariance);
        counts.push(count);
    }
    let mut statistics =
        ClassStatistics::from_parts(classes, Some(counts), means, covariances, Moments::Central);
    statistics.shrunk = shrunk;
    Ok(statistics)
}

/// Refuses a batch that does not fit.
fn check(points: Points<'_>, labels: &Labels, dimension: usize) -> Result<(), StatisticsError> {
    if points.columns() != dimension {
        return Err(StatisticsError::Dimension { expected: dimension, found: points.columns() });
    }
    if points.rows() != labels.len() {
        return Err(StatisticsError::LabelCount { labels: labels.len(), points: points.rows() });
    }
    if dimension == 0 {
        return Err(StatisticsError::Empty { points: points.rows(), dimension });
    }
    Ok(())
}

/// Refuses a value that is not finite.
fn refuse(found: Option<(usize, usize, f64)>) -> Result<(), StatisticsError> {
    match found {
        Some((row, column, value)) => Err(StatisticsError::NotFinite { row, column, value }),
        None => Ok(()),
    }
}

/// Refuses rows, sorted by class, with a value that is not finite.
pub(super) fn refuse_rows(points: Points<'_>, rows: &[Vec<u32>]) -> Result<(), StatisticsError> {
    if rows.iter().map(Vec::len).sum::<usize>() >= points.rows() {
        // All of them, in the order in which they lie.
        return refuse(first_not_finite(points, None));
    }
    let found = rows.iter().filter_map(|rows| first_not_finite(points, Some(rows)));
    refuse(found.min_by_key(|&(row, column, _)| (row, column)))
}

/// Refuses points that do not fit, or that hold a value that is not finite.
pub(super) fn check_all(points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
    check(points, labels, points.columns())?;
    refuse(first_not_finite(points, None))
}
