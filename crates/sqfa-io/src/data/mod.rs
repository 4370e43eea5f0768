//! Labelled data and given statistics, owned, as they come out of files and generators.

mod batches;
mod load;
mod points;
mod select;
mod statistics;
mod tables;

use sqfa::Labels;
use sqfa::labels::LabelError;
use sqfa::statistics::StatisticsError;
use thiserror::Error;

use crate::formats::FormatError;

pub use batches::{Batch, BatchReader, Summed, Summing, open_batches, sum_batches};
pub use load::{LoadOptions, Loaded, is_sums, load, read_sums, write_sums};
pub use points::OwnedPoints;
pub use statistics::{GivenStatistics, Moments};

/// Data that could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file could not be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Labels could not be understood.
    #[error("the labels of {place}: {source}")]
    Labels {
        /// The file or array.
        place: String,
        /// What is wrong with them.
        source: LabelError,
    },
    /// A test label that no training point has.
    #[error("the test labels of {place}: {source}; remove those rows or add the class to training")]
    TestLabels {
        /// The file or array.
        place: String,
        /// Which label, and where.
        source: LabelError,
    },
    /// Points and labels of different lengths.
    #[error("{place} has {points} points and {labels} labels: give one label per point")]
    Lengths {
        /// The file.
        place: String,
        /// The number of points.
        points: usize,
        /// The number of labels.
        labels: usize,
    },
    /// Training and test points of different dimensions.
    #[error("{place} has {train} dimensions in training and {test} in the test part")]
    Dimensions {
        /// The file.
        place: String,
        /// Dimensions of the training points.
        train: usize,
        /// Dimensions of the test points.
        test: usize,
    },
    /// Class sums that cannot be read, or points that cannot join them.
    #[error("{place}: {source}")]
    Sums {
        /// The file.
        place: String,
        /// What is wrong.
        source: StatisticsError,
    },
    /// Labels of two types.
    #[error(
        "the labels of {place} are {found} (such as '{example}'), those of {other} are {expected}: \
         write them the same way in all files"
    )]
    LabelTypes {
        /// The file that differs.
        place: String,
        /// What its labels are.
        found: &'static str,
        /// One of them.
        example: String,
        /// The file before.
        other: String,
        /// What its labels are.
        expected: &'static str,
    },
    /// Files of different dimensions.
    #[error(
        "{place} has {found} dimensions where {other} has {expected}: files must have the same columns"
    )]
    FileDimensions {
        /// The file that differs.
        place: String,
        /// Its dimensions.
        found: usize,
        /// The file before.
        other: String,
        /// The dimensions of that.
        expected: usize,
    },
    /// Something that is not there or not understood.
    #[error("{place}: {problem}")]
    Content {
        /// The file.
        place: String,
        /// What is missing, and what to do.
        problem: String,
    },
}

impl DataError {
    pub(crate) fn content(place: &str, problem: impl Into<String>) -> Self {
        Self::Content { place: place.to_owned(), problem: problem.into() }
    }
}

/// Points with their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// One point a row.
    pub points: OwnedPoints,
    /// One label a point.
    pub labels: Labels,
}

impl Part {
    /// Joins points and labels; an error when their numbers differ.
    pub fn new(points: OwnedPoints, labels: Labels, place: &str) -> Result<Self, DataError> {
        if points.rows() != labels.len() {
            return Err(DataError::Lengths {
                place: place.to_owned(),
                points: points.rows(),
                labels: labels.len(),
            });
        }
        Ok(Self { points, labels })
    }
}

/// A data set: a training part and perhaps a test part, in the same classes.
#[derive(Debug, Clone, PartialEq)]
pub struct LabeledData {
    /// What to call it.
    pub name: String,
    /// The points to learn from.
    pub train: Part,
    /// The points to judge by; their labels are expressed in the training classes.
    pub test: Option<Part>,
    /// Height and width, when every point is an image.
    pub image_shape: Option<(usize, usize)>,
}

impl LabeledData {
    /// Joins two parts, expressing the test labels in the training classes.
    pub fn new(
        name: String,
        train: Part,
        test: Option<Part>,
        image_shape: Option<(usize, usize)>,
        place: &str,
    ) -> Result<Self, DataError> {
        let test = match test {
            None => None,
            Some(test) => {
                if test.points.columns() != train.points.columns() {
                    return Err(DataError::Dimensions {
                        place: place.to_owned(),
                        train: train.points.columns(),
                        test: test.points.columns(),
                    });
                }
                let labels = test
                    .labels
                    .recode(train.labels.classes())
                    .map_err(|source| DataError::TestLabels { place: place.to_owned(), source })?;
                Some(Part { points: test.points, labels })
            }
        };
        Ok(Self { name, train, test, image_shape })
    }
}
