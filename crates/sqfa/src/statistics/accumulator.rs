//! Class statistics that stream and merge: per class a count, a mean and a scatter about the mean.
//!
//! A batch is cut into blocks of one class, which the sum of the class takes in: entry by entry (`entries`) or into a
//! sketch (`sketch`).
//! Cost: one read of the data; for entries N·n² flops in the data's precision and c·n² numbers of memory.

use super::class_sum::{ClassSum, Finished};
use super::error::StatisticsError;
use super::estimator::Estimator;
use super::sketch::LARGEST_SKETCH;
use super::{ClassStatistics, Moments};
use crate::labels::{Classes, Labels};
use crate::linalg::Mat;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Points that are worth handing to another thread.
const ROWS_A_TASK: usize = 64;

/// A running sum of labelled points.
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

    /// Adds labelled points; nothing is added when anything is wrong with them.
    pub fn update(&mut self, points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
        let all: Vec<usize> = (0..points.rows()).collect();
        self.update_rows(points, labels, &all)
    }

    /// Adds some of the labelled points.
    pub fn update_rows(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: &[usize],
    ) -> Result<(), StatisticsError> {
        let rows = self.rows_by_class(points, labels, selected)?;
        self.double |= matches!(points, Points::F64(_));
        let classes = self.sums.iter_mut().zip(&rows).filter(|(_, rows)| !rows.is_empty());
        parallel::for_each(classes, |(sum, rows)| sum.add(points, rows, None));
        Ok(())
    }

    /// Checks a batch and sorts the selected rows by class.
    pub(super) fn rows_by_class(
        &self,
        points: Points<'_>,
        labels: &Labels,
        selected: &[usize],
    ) -> Result<Vec<Vec<usize>>, StatisticsError> {
        check(points, labels, self.dimension)?;
        let labels = labels.recode(&self.classes)?;
        let mut rows = vec![Vec::new(); self.classes.len()];
        for &row in selected {
            rows[labels.codes()[row] as usize].push(row);
        }
        Ok(rows)
    }

    /// Adds what another accumulator has seen.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatisticsError> {
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
        self.double |= other.double;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            sum.merge(other);
        }
        Ok(())
    }

    /// The class statistics; needs at least two classes with at least two points each.
    pub fn finish(self, estimator: Estimator) -> Result<ClassStatistics, StatisticsError> {
        estimator.check()?;
        if estimator.needs_points() {
            return Err(StatisticsError::NeedsPoints { estimator: estimator.to_string() });
        }
        if self.classes.len() < 2 {
            return Err(StatisticsError::TooFewClasses { count: self.classes.len() });
        }
        for (class, sum) in self.sums.iter().enumerate() {
            if sum.count() < 2 {
                return Err(StatisticsError::TooFewSamples {
                    class: self.classes.label(class).to_string(),
                    count: sum.count(),
                });
            }
        }
        let n = self.dimension;
        let counts = self.counts();
        let mut means = Mat::zeros(n, self.classes.len());
        let mut covariances: Vec<Box<dyn super::Covariance>> = Vec::new();
        let mut shrunk = true;
        for (class, sum) in self.sums.into_iter().enumerate() {
            let Finished { mean, covariance, share } = sum.finish(estimator, self.double)?;
            means.col_mut(class).iter_mut().zip(mean).for_each(|(target, mean)| *target = mean);
            shrunk &= share > 0.0;
            covariances.push(covariance);
        }
        let mut statistics = ClassStatistics::from_parts(
            self.classes,
            Some(counts),
            means,
            covariances,
            Moments::Central,
        );
        statistics.shrunk = shrunk;
        Ok(statistics)
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

/// Refuses a batch that does not fit or holds a value that is not finite.
pub(super) fn check(
    points: Points<'_>,
    labels: &Labels,
    dimension: usize,
) -> Result<(), StatisticsError> {
    if points.columns() != dimension {
        return Err(StatisticsError::Dimension { expected: dimension, found: points.columns() });
    }
    if points.rows() != labels.len() {
        return Err(StatisticsError::LabelCount { labels: labels.len(), points: points.rows() });
    }
    if dimension == 0 {
        return Err(StatisticsError::Empty { points: points.rows(), dimension });
    }
    with_table!(points, table => finite(&table))
}

/// The first value that is not finite is an error.
fn finite<S: Scalar>(table: &Table<'_, S>) -> Result<(), StatisticsError> {
    if size_of::<S>() == 1 {
        return Ok(());
    }
    let is_bad = |row: usize| match table.row(row) {
        // The sum of zeros is zero exactly when every value is finite.
        Some(values) => values.iter().map(|value| value.to_f64() * 0.0).sum::<f64>() != 0.0,
        None => (0..table.columns()).any(|column| !table.get(row, column).to_f64().is_finite()),
    };
    let parts = parallel::map((0..table.rows()).step_by(ROWS_A_TASK), |first| {
        (first..(first + ROWS_A_TASK).min(table.rows())).find(|&row| is_bad(row))
    });
    let Some(row) = parts.into_iter().flatten().next() else { return Ok(()) };
    let column = (0..table.columns())
        .find(|&column| !table.get(row, column).to_f64().is_finite())
        .unwrap_or(0);
    Err(StatisticsError::NotFinite { row, column, value: table.get(row, column).to_f64() })
}
