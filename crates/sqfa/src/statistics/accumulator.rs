//! Streaming class statistics: a count, a mean and a scatter matrix about the mean per class, which can be updated and
//! merged.
//!
//! A batch is split by class, and each part is added to the sum of its class, either entry by entry (`entries`) or as a
//! sketch (`sketch`). The data are read once. For N samples of n columns in c classes, entries cost N·n² flops in the
//! data's precision and memory for c·n²/2 numbers.

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

/// Number of columns above which classes are finished one at a time, if their sums are computed on demand.
const WIDE: usize = 512;

/// A running sum of labeled samples, from which [`ClassStatistics`] are computed.
///
/// Use it for data that do not fit into memory: add batches with [`update`](Self::update), combine accumulators of
/// several processes with [`merge`](Self::merge), and call [`finish`](Self::finish) at the end.
///
/// ```
/// use sqfa::statistics::ClassAccumulator;
/// use sqfa::{Classes, Estimator, Labels, Table};
///
/// // Classes 0 and 1, two columns.
/// let mut sums = ClassAccumulator::new(Classes::numbered(2), 2);
/// for batch in [[0.0, 1.0, 4.0, 2.0], [2.0, 3.0, 6.0, 8.0]] {
///     let rows = Table::row_major(&batch, 2, 2).expect("2 rows of 2 numbers");
///     sums.update(rows.into(), &Labels::from_integers(&[0, 1]))?;
/// }
/// let statistics = sums.finish(Estimator::Empirical)?;
/// assert_eq!(statistics.counts(), Some(&[2, 2][..]));
/// assert_eq!(statistics.means()[(0, 1)], 5.0); // first column, class 1
/// # Ok::<(), sqfa::statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClassAccumulator {
    pub(super) classes: Classes,
    pub(super) dimension: usize,
    pub(super) sums: Vec<ClassSum>,
    /// Whether any batch came in double precision. The covariances are then in double precision as well.
    pub(super) double: bool,
    /// Number of rows per sketch, or `None` if all entries of the scatter are stored.
    pub(super) sketch: Option<usize>,
}

impl ClassAccumulator {
    /// Creates an empty accumulator for data with `dimension` columns.
    pub fn new(classes: Classes, dimension: usize) -> Self {
        Self::of_form(classes, dimension, None)
    }

    /// Creates an empty accumulator that stores a sketch of at most `size` rows per class instead of n²/2 entries.
    ///
    /// The covariances are then approximate, and [`Covariance::bound`](super::Covariance::bound) bounds their error.
    ///
    /// # Errors
    ///
    /// Returns an error if `size` is 0 or larger than [`LARGEST_SKETCH`].
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

    /// Creates an empty accumulator of the same form (all entries, or sketches of the same size) for other classes.
    pub fn alike(&self, classes: Classes) -> Self {
        Self::of_form(classes, self.dimension, self.sketch)
    }

    fn of_form(classes: Classes, dimension: usize, sketch: Option<usize>) -> Self {
        let sums = (0..classes.len()).map(|_| ClassSum::empty(dimension, sketch)).collect();
        Self { classes, dimension, sums, double: false, sketch }
    }

    /// Returns the number of rows per sketch, or `None` if all entries are stored.
    pub fn sketch(&self) -> Option<usize> {
        self.sketch
    }

    /// Returns the classes in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the number of samples per class so far.
    pub fn counts(&self) -> Vec<u64> {
        self.sums.iter().map(ClassSum::count).collect()
    }

    /// Adds a batch of labeled samples, one sample per row. If it returns an error, nothing has been added.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of columns or labels do not fit, a label is not a known class, or a value is not
    /// finite.
    pub fn update(&mut self, points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
        self.update_some(points, labels, 0..points.rows())
    }

    /// Adds the rows of a batch whose indices are in `selected`. If it returns an error, nothing has been added.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of columns or labels do not fit, a label is not a known class, or a selected
    /// value is not finite.
    ///
    /// # Panics
    ///
    /// Panics if an index is not less than the number of rows.
    pub fn update_rows(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: &[usize],
    ) -> Result<(), StatisticsError> {
        self.update_some(points, labels, selected.iter().copied())
    }

    /// Adds the selected rows of a batch. The iterator is run twice instead of collecting the indices in a list.
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

    /// Adds the selected rows of a batch, each with its weight, without checking that values are finite.
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

    /// Adds rows that have been checked and sorted by class.
    pub(super) fn add(&mut self, points: Points<'_>, rows: &[Vec<u32>], weights: Option<&[u64]>) {
        self.double |= matches!(points, Points::F64(_));
        let classes = self.sums.iter_mut().zip(rows).filter(|(_, rows)| !rows.is_empty());
        // Scatter matrices are allocated on this thread, because the allocator reuses memory late if it was allocated
        // on another one.
        let classes = classes.map(|(sum, rows)| (sum.with_room(), rows));
        parallel::for_each(classes, |(sum, rows)| sum.add(points, rows, weights));
    }

    /// Checks the shape of a batch and sorts the indices of the selected rows by class. Indices are 32-bit, because for
    /// tables of a few columns they are a considerable part of the memory.
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

    /// Returns an error if the other accumulator has different columns, classes or form.
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

    /// Adds everything that another accumulator has seen.
    ///
    /// # Errors
    ///
    /// Returns an error if the other accumulator has a different number of columns, different classes or a different
    /// form.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatisticsError> {
        self.check_kind(other)?;
        self.double |= other.double;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            sum.merge(other);
        }
        Ok(())
    }

    /// Computes the class statistics.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no class, a class has fewer than two samples, or the estimator needs the samples.
    pub fn finish(self, estimator: Estimator) -> Result<ClassStatistics, StatisticsError> {
        let Self { classes, dimension, sums, double, .. } = self;
        finish(classes, dimension, sums.into_iter().map(Ok), double, estimator)
    }

    /// Computes the class statistics of several accumulators as if they had been merged in order. It merges one class
    /// at a time, so only the sum of one class is copied.
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

    /// Computes class statistics from sums that `make` computes for a range of classes at a time, so that only these
    /// sums are in memory.
    pub(crate) fn finish_made(
        classes: &Classes,
        dimension: usize,
        double: bool,
        make: &mut dyn FnMut(Range<usize>) -> Result<Self, StatisticsError>,
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        // A single wide class keeps all threads busy, so wide classes are processed one by one to save memory.
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

    /// Returns the accumulator after adding all waiting samples to the sketches.
    pub fn settled(mut self) -> Self {
        for sum in &mut self.sums {
            if let ClassSum::Sketch(sketch) = sum {
                sketch.settle();
            }
        }
        self
    }

    /// Returns, for each class, an upper bound on the variance that its sketch has lost in any direction, before the
    /// correction in [`finish`](Self::finish). `None` for exact sums.
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

/// Computes class statistics from the sums of the classes, which the iterator returns in order.
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

/// Returns an error if a batch does not fit the accumulator.
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

/// Returns an error for a value that is not finite.
fn refuse(found: Option<(usize, usize, f64)>) -> Result<(), StatisticsError> {
    match found {
        Some((row, column, value)) => Err(StatisticsError::NotFinite { row, column, value }),
        None => Ok(()),
    }
}

/// Returns an error if a row, in lists sorted by class, has a value that is not finite.
pub(super) fn refuse_rows(points: Points<'_>, rows: &[Vec<u32>]) -> Result<(), StatisticsError> {
    if rows.iter().map(Vec::len).sum::<usize>() >= points.rows() {
        // All rows are selected, so they can be read in memory order.
        return refuse(first_not_finite(points, None));
    }
    let found = rows.iter().filter_map(|rows| first_not_finite(points, Some(rows)));
    refuse(found.min_by_key(|&(row, column, _)| (row, column)))
}

/// Returns an error if the labels do not fit the samples, or a value is not finite.
pub(super) fn check_all(points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
    check(points, labels, points.columns())?;
    refuse(first_not_finite(points, None))
}
