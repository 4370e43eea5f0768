//! Errors of data and of class statistics. Each message says what is wrong, where and by how much, and what to do.

use thiserror::Error;

use crate::labels::{Classes, LabelError, Labels};
use crate::robust::RobustError;

/// Checks that labels are classes and not ids of samples.
///
/// Call it before anything is allocated per class, because a column of ids would need one covariance per sample.
///
/// # Errors
///
/// Returns [`StatisticsError::LooksLikeIds`] if there are more than half as many different labels as samples.
pub fn check_classes(labels: &Labels) -> Result<(), StatisticsError> {
    match labels.ids() {
        Some(classes) => Err(StatisticsError::LooksLikeIds { classes, points: labels.len() }),
        None => Ok(()),
    }
}

/// Checks that there are classes to tell apart, which every fit needs; statistics may describe a single class.
///
/// # Errors
///
/// If there are fewer than two classes.
pub fn check_several(classes: &Classes) -> Result<(), StatisticsError> {
    match classes.len() {
        count @ (0 | 1) => Err(StatisticsError::TooFewClasses { count }),
        _ => Ok(()),
    }
}

/// An error of computing, merging or reading class statistics.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatisticsError {
    /// Data without samples or without columns.
    #[error("the data have {points} samples and {dimension} columns: both must be at least 1")]
    Empty {
        /// Number of samples.
        points: usize,
        /// Number of columns.
        dimension: usize,
    },
    /// A number of labels that differs from the number of samples.
    #[error("{labels} labels for {points} samples: pass one label per sample")]
    LabelCount {
        /// Number of labels.
        labels: usize,
        /// Number of samples.
        points: usize,
    },
    /// A batch of more samples than row indices can address.
    #[error("{points} samples in one batch: add at most 4294967295 at a time")]
    BatchSize {
        /// Number of samples in the batch.
        points: usize,
    },
    /// A number of weights that differs from the number of samples.
    #[error("{weights} weights for {points} samples: pass one weight per sample")]
    WeightCount {
        /// Number of weights.
        weights: usize,
        /// Number of samples.
        points: usize,
    },
    /// Samples and groups or predefined folds that do not match.
    #[error("{values} {what} for {points} samples: give one value per sample")]
    HoldOutCount {
        /// Groups or folds.
        what: &'static str,
        /// Values given.
        values: usize,
        /// Samples given.
        points: usize,
    },
    /// Weights whose sum is too large to be counted exactly.
    #[error("the weights of class '{class}' add up to more than 2⁵³: use smaller weights")]
    WeightSum {
        /// Name of the class.
        class: String,
    },
    /// A fraction of shrinkage outside [0, 1].
    #[error("the shrinkage is {share}: specify a number from 0 to 1")]
    Shrinkage {
        /// The specified fraction.
        share: f64,
    },
    /// An estimator that needs the samples, for class statistics.
    #[error(
        "the covariance estimator '{estimator}' needs the samples, but only class statistics are available: pass the \
         samples in one table that fits into memory, or use empirical, oas or a fraction such as 0.1"
    )]
    NeedsPoints {
        /// Name of the estimator.
        estimator: String,
    },
    /// An estimator that needs dense samples, for a sparse table.
    #[error(
        "the covariance estimator '{estimator}' does not support sparse tables: reduce the dimension first, or use \
         empirical, oas or ledoit-wolf"
    )]
    NeedsDense {
        /// Name of the estimator.
        estimator: String,
    },
    /// A robust estimator with a parameter outside its range.
    #[error(transparent)]
    Robust(RobustError),
    /// A class for which a robust estimator fails.
    #[error("class '{class}': {source}")]
    RobustClass {
        /// Name of the class.
        class: String,
        /// The reason.
        source: RobustError,
    },
    /// Ledoit–Wolf shrinkage of class statistics, which do not store the required fourth moments.
    #[error(
        "ledoit-wolf needs the samples, but only class statistics are available: use oas or a fraction such as 0.1, or \
         fit the samples"
    )]
    NoFourthMoments,
    /// An estimator that cannot be computed from a sketch.
    #[error(
        "the covariance estimator '{estimator}' cannot be computed from sketches: use empirical, or a shrinkage between 0 \
         and 1"
    )]
    SketchEstimator {
        /// Name of the estimator.
        estimator: String,
    },
    /// A sketch of an unsupported size.
    #[error("a sketch of {size} rows is not supported: specify 1 to {largest} rows")]
    SketchSize {
        /// The specified number of rows.
        size: usize,
        /// Largest supported number of rows.
        largest: usize,
    },
    /// Values whose squares overflow.
    #[error("the squares of some values overflow: divide the data by a large number")]
    SketchOverflow,
    /// Class statistics of different forms, which cannot be merged.
    #[error(
        "{found} cannot be merged with {expected}: compute both in the same form, with sketches of the same size"
    )]
    Forms {
        /// Form of the existing statistics.
        expected: String,
        /// Form of the statistics to be merged.
        found: String,
    },
    /// More principal components than columns.
    #[error("{count} principal components of {dimension} columns: use at most {dimension}")]
    ComponentCount {
        /// Requested number of components.
        count: usize,
        /// Number of columns.
        dimension: usize,
    },
    /// Principal components that did not converge.
    #[error(
        "the leading {count} principal components did not converge in {rounds} iterations (their variance still changed by \
         a fraction of {change:e}): use fewer components, or a number after which the variances drop"
    )]
    Components {
        /// Requested number of components.
        count: usize,
        /// Number of iterations.
        rounds: usize,
        /// Relative change of the explained variance in the last iteration.
        change: f64,
    },
    /// Class statistics that cannot be expressed in the span of their samples.
    #[error("the class statistics cannot be reduced to the span of the samples: {problem}")]
    NoSpan {
        /// The reason and the remedy.
        problem: String,
    },
    /// A sparse table whose arrays are inconsistent.
    #[error("the sparse table is inconsistent: {problem}")]
    Sparse {
        /// The inconsistency.
        problem: String,
    },
    /// Bytes that do not encode an accumulator.
    #[error("these bytes are not class statistics that this version can read: {problem}")]
    Bytes {
        /// The reason.
        problem: String,
    },
    /// A label that is not a known class.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A batch or an accumulator with a different number of columns.
    #[error(
        "data with {found} columns cannot be added to class statistics with {expected} columns: use the same columns in \
         the same order"
    )]
    Dimension {
        /// Number of columns so far.
        expected: usize,
        /// Number of columns of the new data.
        found: usize,
    },
    /// Accumulators with different classes.
    #[error(
        "class statistics with different sets of classes cannot be merged: create both with all classes"
    )]
    Classes,
    /// A value that is NaN or infinite.
    #[error(
        "the value in row {row}, column {column} (counted from 0) is {value}: remove or replace non-finite values before fitting"
    )]
    NotFinite {
        /// Row index of the sample.
        row: usize,
        /// Column index.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Fewer than two classes.
    #[error("{count} class in the data: at least 2 classes are required")]
    TooFewClasses {
        /// Number of classes.
        count: usize,
    },
    /// Labels that look like ids of samples.
    #[error(
        "{classes} different labels for {points} samples: this looks like a column of ids; use class labels instead"
    )]
    LooksLikeIds {
        /// Number of different labels.
        classes: usize,
        /// Number of samples.
        points: usize,
    },
    /// A class with too few samples for a covariance.
    #[error(
        "class '{class}' has {count} sample(s): a covariance needs at least 2; drop the class or add samples"
    )]
    TooFewSamples {
        /// Name of the class.
        class: String,
        /// Number of its samples.
        count: u64,
    },
    /// An array whose length does not match the number of classes or columns.
    #[error(
        "{what}: {found} values, but {classes} classes and {dimension} columns require {expected}"
    )]
    GivenShape {
        /// Name of the array.
        what: &'static str,
        /// Number of values in the array.
        found: usize,
        /// Required number of values.
        expected: usize,
        /// Number of classes.
        classes: usize,
        /// Number of columns.
        dimension: usize,
    },
    /// A mean or covariance with a value that is NaN or infinite.
    #[error("the {what} of class '{class}' contains {value}: remove or replace non-finite values")]
    GivenNotFinite {
        /// Kind of the array: mean, covariance or second moment.
        what: &'static str,
        /// Name of the class.
        class: String,
        /// The value.
        value: f64,
    },
    /// A covariance that differs from its transpose.
    #[error(
        "the covariance of class '{class}' is not symmetric: entries ({row}, {column}) and ({column}, {row}) are {first} and {second}; average the matrix with its transpose if the difference is round-off"
    )]
    NotSymmetric {
        /// Name of the class.
        class: String,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Value of entry (row, column).
        first: f64,
        /// Value of entry (column, row).
        second: f64,
    },
    /// A covariance with a variance below zero.
    #[error(
        "the covariance of class '{class}' has a negative variance {value} in column {dimension} (counted from 0): pass a positive semi-definite matrix"
    )]
    NegativeVariance {
        /// Name of the class.
        class: String,
        /// Index of the column.
        dimension: usize,
        /// The variance.
        value: f64,
    },
    /// A covariance with an entry that is larger than the variances allow.
    #[error(
        "the covariance of class '{class}' is impossible: entry ({row}, {column}) is {value}, beyond √(variance · variance) = {bound}; pass a positive semi-definite matrix"
    )]
    ImpossibleCovariance {
        /// Name of the class.
        class: String,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Value of the entry.
        value: f64,
        /// Largest absolute value that the variances allow.
        bound: f64,
    },
    /// A covariance with negative eigenvalues.
    #[error(
        "the covariance of class '{class}' is indefinite (its Cholesky factorization fails even after adding {shift:e} to the diagonal): pass a positive semi-definite matrix"
    )]
    Indefinite {
        /// Name of the class.
        class: String,
        /// Number that was added to the diagonal before the factorization.
        shift: f64,
    },
}
