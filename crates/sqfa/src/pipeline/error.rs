//! Why a pipeline could not be fitted, with numbers and remedies.

use thiserror::Error;

use crate::classify::ClassifierError;
use crate::model::FitError;
use crate::reduce::ReduceError;
use crate::statistics::StatisticsError;

/// Why a pipeline could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PipelineError {
    /// The method refused.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// No column varies.
    #[error(
        "all {columns} columns are constant, over all samples or within every class: use columns that vary"
    )]
    AllConstant {
        /// Columns there are.
        columns: usize,
    },
    /// A restriction to more principal components than there are columns.
    #[error(
        "the data have {columns} columns that vary, but {dimensions} principal components were requested"
    )]
    Restriction {
        /// Principal components that were requested.
        dimensions: usize,
        /// Columns that vary.
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
    /// Numbers whose squares overflow.
    #[error(
        "column {column} reaches {value:e}: sums of squares would overflow; use double precision or larger units"
    )]
    Overflow {
        /// The column.
        column: usize,
        /// The largest number.
        value: f64,
    },
    /// Differences whose squares are zero.
    #[error(
        "column {column} spans {spread:e}: squares would vanish; use double precision or smaller units"
    )]
    Vanish {
        /// The column.
        column: usize,
        /// From its lowest number to its highest.
        spread: f64,
    },
    /// Labels that are all different.
    #[error(
        "the labels of all {points} points are different: this looks like an id column; name the column of classes instead"
    )]
    LooksLikeIds {
        /// Points there are.
        points: usize,
    },
    /// Groups of which none can be held out.
    #[error(
        "every class has samples of one group only, so that no class would have samples outside a held-out group: give every class at least two groups"
    )]
    OneGroup,
    /// Predefined folds that hold nothing out.
    #[error("the predefined folds hold out no sample")]
    EmptyFolds,
    /// A predefined fold that leaves too few samples of a class to learn from.
    #[error(
        "predefined fold {fold} leaves {left} sample(s) of class '{class}' to learn from: at least 2 are needed; use stratified folds or fewer of them"
    )]
    FoldTakesClass {
        /// The fold.
        fold: usize,
        /// The class.
        class: String,
        /// Samples of the class that are not held out.
        left: u64,
    },
    /// A number of filters to be chosen, and nothing to choose it on.
    #[error(
        "the number of filters is chosen on held-out points, and {why}: give a number of filters"
    )]
    Count {
        /// What is missing.
        why: NoChoice,
    },
}

/// Why nothing could be chosen on held-out points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoChoice {
    /// Statistics without points.
    #[error("only class statistics were given")]
    NoPoints,
    /// No class has three distinct points.
    #[error("no class has three distinct points")]
    TooFewPoints,
    /// The method looks at points itself.
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
