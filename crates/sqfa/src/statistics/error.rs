//! What can be wrong with data and with statistics given from outside, said with numbers and remedies.

use thiserror::Error;

use crate::labels::{Classes, LabelError, Labels};
use crate::robust::RobustError;

/// Refuses labels that are ids of points, before anything is kept for every one of them.
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

/// Why class statistics could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatisticsError {
    /// No points, or points of no dimension.
    #[error("the data are {points} points of {dimension} dimensions: both must be at least 1")]
    Empty {
        /// Points given.
        points: usize,
        /// Their dimension.
        dimension: usize,
    },
    /// Points and labels that do not match.
    #[error("{labels} labels for {points} points: give one label per point")]
    LabelCount {
        /// Labels given.
        labels: usize,
        /// Points given.
        points: usize,
    },
    /// More points at once than rows are numbered.
    #[error("{points} points at once: add at most 4294967295 at a time")]
    BatchSize {
        /// Points given.
        points: usize,
    },
    /// Points and weights that do not match.
    #[error("{weights} weights for {points} points: give one weight per point")]
    WeightCount {
        /// Weights given.
        weights: usize,
        /// Points given.
        points: usize,
    },
    /// Weights whose sum is no 64-bit count.
    #[error("the weights of class '{class}' add up to more than 2⁵³: scale them down")]
    WeightSum {
        /// The class.
        class: String,
    },
    /// A share of shrinkage that is none.
    #[error("a shrinkage of {share}: give a number from 0 to 1")]
    Shrinkage {
        /// The share.
        share: f64,
    },
    /// Sums where an estimator looks at single points.
    #[error(
        "the covariance estimator '{estimator}' looks at single points several times, and only their sums are at hand: give \
         the points themselves in one table that fits memory, or use empirical, oas or a fraction such as 0.1"
    )]
    NeedsPoints {
        /// The estimator.
        estimator: String,
    },
    /// A sparse table where an estimator looks at all entries of points.
    #[error(
        "the covariance estimator '{estimator}' takes points with all their entries, not a sparse table: reduce the \
         dimension first, or use empirical, oas or ledoit-wolf"
    )]
    NeedsDense {
        /// The estimator.
        estimator: String,
    },
    /// A robust estimator with a number outside its range.
    #[error(transparent)]
    Robust(RobustError),
    /// A class whose robust statistics cannot be had.
    #[error("class '{class}': {source}")]
    RobustClass {
        /// The class.
        class: String,
        /// Why.
        source: RobustError,
    },
    /// Ledoit–Wolf shrinkage of class statistics, which do not keep what it needs.
    #[error(
        "ledoit-wolf needs the samples, and only class statistics are there: use oas or a fraction such as 0.1, or fit \
         the samples"
    )]
    NoFourthMoments,
    /// A shrinkage that a sketch does not know.
    #[error(
        "the covariance estimator '{estimator}' needs sums that a sketch does not keep: use empirical, or a share of shrinkage \
         between 0 and 1"
    )]
    SketchEstimator {
        /// The estimator.
        estimator: String,
    },
    /// A size that no sketch has.
    #[error("a sketch of {size} rows: give 1 to {largest}")]
    SketchSize {
        /// The size.
        size: usize,
        /// The largest there is.
        largest: usize,
    },
    /// Values whose squares are no numbers.
    #[error("the squares of the values overflow: scale the data down")]
    SketchOverflow,
    /// Sums of different forms.
    #[error(
        "{found} cannot join {expected}: make both in the same form, with sketches of the same size"
    )]
    Forms {
        /// What there was.
        expected: String,
        /// What was to join.
        found: String,
    },
    /// More principal components than dimensions.
    #[error("{count} principal components of {dimension} dimensions: ask for at most {dimension}")]
    ComponentCount {
        /// Components asked for.
        count: usize,
        /// Dimensions there are.
        dimension: usize,
    },
    /// Principal components that could not be told apart.
    #[error(
        "the leading {count} principal components did not settle in {rounds} rounds (the variance they hold \
         still changed by {change:e} of itself): ask for fewer, or for a number after which the variances drop"
    )]
    Components {
        /// Components asked for.
        count: usize,
        /// Rounds of iteration.
        rounds: usize,
        /// Relative change of the last round.
        change: f64,
    },
    /// Statistics that cannot be confined to the span of their samples.
    #[error("the statistics cannot be reduced to the span of the data: {problem}")]
    NoSpan {
        /// Why not, and what to do.
        problem: String,
    },
    /// A sparse table whose parts do not fit together.
    #[error("the sparse table cannot be used: {problem}")]
    Sparse {
        /// What does not fit.
        problem: String,
    },
    /// Bytes that are no accumulator.
    #[error("these bytes are no class statistics of this version: {problem}")]
    Bytes {
        /// What is wrong with them.
        problem: String,
    },
    /// A label that is not known or not a class.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A batch, or another accumulator, of another dimension.
    #[error("points of {found} dimensions cannot join statistics of {expected} dimensions")]
    Dimension {
        /// The dimension so far.
        expected: usize,
        /// The dimension now.
        found: usize,
    },
    /// Accumulators of different classes.
    #[error("statistics of different sets of classes cannot be merged")]
    Classes,
    /// A number that is not finite.
    #[error(
        "{value} at point {row}, dimension {column}: remove or replace non-finite values before fitting"
    )]
    NotFinite {
        /// Which point.
        row: usize,
        /// Which dimension.
        column: usize,
        /// The value.
        value: f64,
    },
    /// Fewer than two classes.
    #[error("{count} class in the data: at least 2 are needed to tell classes apart")]
    TooFewClasses {
        /// Classes found.
        count: usize,
    },
    /// Labels that name points, not classes.
    #[error(
        "{classes} different labels of {points} points: this looks like a column of ids; give the classes instead"
    )]
    LooksLikeIds {
        /// Different labels.
        classes: usize,
        /// Points.
        points: usize,
    },
    /// A class without a covariance.
    #[error(
        "class '{class}' has {count} sample(s): a covariance needs at least 2; drop the class or add samples"
    )]
    TooFewSamples {
        /// The class.
        class: String,
        /// Its points.
        count: u64,
    },
    /// Given arrays whose shapes do not fit together.
    #[error(
        "{what} has {found} values where {expected} are needed ({classes} classes, {dimension} dimensions)"
    )]
    GivenShape {
        /// Which array.
        what: &'static str,
        /// Values given.
        found: usize,
        /// Values needed.
        expected: usize,
        /// Classes.
        classes: usize,
        /// Dimensions.
        dimension: usize,
    },
    /// A given number that is not finite.
    #[error("the {what} of class '{class}' holds {value}: remove or replace non-finite values")]
    GivenNotFinite {
        /// Mean, covariance or second moment.
        what: &'static str,
        /// The class.
        class: String,
        /// The value.
        value: f64,
    },
    /// A given matrix that differs from its transpose.
    #[error(
        "the covariance of class '{class}' is not symmetric: entries ({row}, {column}) and ({column}, {row}) are {first} and {second}; average the matrix with its transpose if the difference is round-off"
    )]
    NotSymmetric {
        /// The class.
        class: String,
        /// Row of the entry.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        first: f64,
        /// Its mirror image.
        second: f64,
    },
    /// A given variance below zero.
    #[error(
        "the covariance of class '{class}' has a negative variance {value} in dimension {dimension}: pass a positive semi-definite matrix"
    )]
    NegativeVariance {
        /// The class.
        class: String,
        /// Which dimension.
        dimension: usize,
        /// The variance.
        value: f64,
    },
    /// A given covariance larger than the variances allow.
    #[error(
        "the covariance of class '{class}' is impossible: entry ({row}, {column}) is {value}, beyond √(variance · variance) = {bound}; pass a positive semi-definite matrix"
    )]
    ImpossibleCovariance {
        /// The class.
        class: String,
        /// Row of the entry.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        value: f64,
        /// What it may be at most.
        bound: f64,
    },
    /// A given matrix with negative eigenvalues.
    #[error(
        "the covariance of class '{class}' is indefinite (a pivot fails even after adding {shift:e} to its diagonal): pass a positive semi-definite matrix"
    )]
    Indefinite {
        /// The class.
        class: String,
        /// What was added to the diagonal before the test.
        shift: f64,
    },
}
