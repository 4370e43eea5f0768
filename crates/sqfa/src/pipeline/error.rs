//! Errors of a fit, with values and remedies.

use thiserror::Error;

use crate::classify::ClassifierError;
use crate::model::FitError;
use crate::reduce::ReduceError;
use crate::statistics::StatisticsError;

/// The reason why data could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PipelineError {
    /// An error of the method.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// A data set without a varying column.
    #[error(
        "all {columns} columns are constant, over all samples or within every class: use columns that vary"
    )]
    AllConstant {
        /// The number of columns.
        columns: usize,
    },
    /// A restriction to more principal components than there are varying columns.
    #[error(
        "the data have {columns} columns that vary, but {dimensions} principal components were requested"
    )]
    Restriction {
        /// The number of requested principal components.
        dimensions: usize,
        /// The number of varying columns.
        columns: usize,
    },
    /// A refinement without held-out samples.
    #[error(
        "a refinement is tested on samples held out, but the largest class has only {largest} samples: use more samples, or do not refine"
    )]
    NothingToRefineOn {
        /// The number of samples of the largest class.
        largest: u64,
    },
    /// Values whose squares overflow.
    #[error(
        "column {column} reaches {value:e}: sums of squares would overflow; use double precision or larger units"
    )]
    Overflow {
        /// The index of the column.
        column: usize,
        /// The largest value of the column.
        value: f64,
    },
    /// Differences whose squares are rounded to zero.
    #[error(
        "column {column} spans only {spread:e}, and the squares of its values would underflow to zero: use double precision or smaller units"
    )]
    Vanish {
        /// The index of the column.
        column: usize,
        /// The difference between the largest and the smallest value of the column.
        spread: f64,
    },
    /// Labels that are all different.
    #[error(
        "the labels of all {points} samples are different: this looks like an id column; name the column of classes instead"
    )]
    LooksLikeIds {
        /// The number of samples.
        points: usize,
    },
    /// Groups that cannot be held out, because every class has only one.
    #[error(
        "each class has samples of one group only, so holding out a group would leave its classes without training samples: at least two groups per class are needed"
    )]
    OneGroup,
    /// Predefined folds that do not hold out any sample.
    #[error("the predefined folds hold out no sample")]
    EmptyFolds,
    /// A predefined fold that leaves too few samples of a class for training.
    #[error(
        "predefined fold {fold} leaves {left} sample(s) of class '{class}' to learn from: at least 2 are needed; use stratified folds or fewer of them"
    )]
    FoldTakesClass {
        /// The number of the fold.
        fold: usize,
        /// The label of the class.
        class: String,
        /// The number of samples of the class that are not held out.
        left: u64,
    },
    /// A number of filters that cannot be selected.
    #[error(
        "the number of filters is selected on held-out samples, and {why}: give a number of filters"
    )]
    Count {
        /// The reason why it cannot be selected.
        why: NoChoice,
    },
}

/// The reason why a number of filters could not be selected on held-out samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoChoice {
    /// Class statistics without samples.
    #[error("only class statistics were given")]
    NoPoints,
    /// Classes that all have fewer than three distinct samples.
    #[error("no class has three different samples")]
    TooFewPoints,
    /// A method that needs the samples of every fit.
    #[error("this method does not learn from class statistics alone")]
    Method,
}

impl From<StatisticsError> for PipelineError {
    fn from(error: StatisticsError) -> Self {
        Self::Reduce(error.into())
    }
}

impl From<FitError> for PipelineError {
    fn from(error: FitError) -> Self {
        Self::Reduce(error.into())
    }
}

impl From<ClassifierError> for PipelineError {
    fn from(error: ClassifierError) -> Self {
        Self::Reduce(error.into())
    }
}
