//! Labeled data and given statistics, owned, as they come out of files and generators.

mod archive;
mod batches;
mod column;
mod join;
mod kinds;
mod load;
mod means;
mod missing;
mod points;
mod select;
mod sentinels;
mod statistics;
mod sums;
mod suspects;
mod tables;

use sqfa::Labels;
use sqfa::labels::LabelError;
use sqfa::statistics::StatisticsError;
use thiserror::Error;

use crate::formats::{FormatError, Remedy};

pub use archive::needs_labels;
pub use batches::{Batch, BatchReader, Summed, Summing, sum_batches};
pub use column::{read_column, read_ids};
pub use kinds::{
    FILE_KINDS, FileKind, Holds, decoded_bytes, file_kind, file_kinds_help, open_batches,
};
pub use load::{
    LoadOptions, Loaded, Opened, PointsPart, files_read, load, open_data, open_points, open_several,
};
pub use means::ColumnMeans;
pub use missing::{column_name, first_not_finite};
pub use points::OwnedPoints;
pub use statistics::{GivenMoments, GivenStatistics};
pub use sums::{
    TableSums, is_sums, read_named_sums, read_sums, read_table_sums, write_named_sums, write_sums,
    write_table_sums,
};

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
    /// Files whose columns have other names.
    #[error(
        "the columns of {place} are not those of {other}: {difference}; class sums cannot be put in \
         another order, so sum the points up again with columns of one order"
    )]
    FileColumns {
        /// The file that differs.
        place: String,
        /// The file before.
        other: String,
        /// The first difference.
        difference: String,
    },
    /// Points without labels.
    #[error("{place}: an npy file holds no labels: name a second npy file (labels)")]
    NoLabels {
        /// The file.
        place: String,
    },
    /// Arrays of points or labels that are not found.
    #[error("{place}: {problem}")]
    NoArrays {
        /// The file.
        place: String,
        /// What is missing, and what is there instead.
        problem: String,
        /// The arrays that are likely to be points and labels.
        pair: Option<(String, String)>,
    },
    /// An archive with points and without labels.
    #[error("{place} has no labels for its points '{points}': name them; it has: {names}")]
    NoLabelArray {
        /// The file.
        place: String,
        /// The array of points.
        points: String,
        /// The arrays that are there.
        names: String,
    },
    /// Labels that name points, not classes.
    #[error(
        "{place}: all {count} labels are different: this looks like a column of ids; name the column \
         of labels"
    )]
    AllDifferent {
        /// The file.
        place: String,
        /// How many labels.
        count: usize,
    },
    /// Labels that mostly name points, not classes.
    #[error(
        "{place}: {classes} different labels of {count} points: this looks like a column of ids; name the \
         column of labels"
    )]
    Ids {
        /// The file.
        place: String,
        /// How many labels.
        count: usize,
        /// How many different ones.
        classes: usize,
    },
    /// Means to fill in, of a file that can be read only once.
    #[error(
        "{place} cannot be read twice: filling in means takes one reading for the means and one with them; save \
         it to a file, or leave incomplete rows out"
    )]
    ReadOnce {
        /// The file.
        place: String,
    },
    /// Class sums that do not fit into memory.
    #[error(
        "{place}: sums of {classes} classes in {columns} columns take {:.1} GB, and {:.1} GB are at hand: \
         choose fewer columns, keep sketches (form sketch), or make sure that the labels are classes",
        *needed as f64 / 1e9,
        *memory as f64 / 1e9
    )]
    SumsTooLarge {
        /// The file.
        place: String,
        /// Classes so far.
        classes: usize,
        /// Columns.
        columns: usize,
        /// Bytes needed.
        needed: u128,
        /// Bytes at hand.
        memory: u64,
    },
    /// A value that is infinite.
    #[error("{place}: row {row}, column {column} is {value}: correct or remove it")]
    Infinite {
        /// The file.
        place: String,
        /// The row, counted from 0.
        row: usize,
        /// The column, by name or counted from 0.
        column: String,
        /// What stands there.
        value: f64,
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
    /// What a user can do about it, where a setting of the reader helps.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Format(error) => error.remedy(),
            Self::NoLabels { .. } => Some(Remedy::Labels),
            Self::NoArrays { pair, .. } => Some(Remedy::Arrays(pair.clone())),
            Self::NoLabelArray { .. } => Some(Remedy::LabelArray),
            Self::AllDifferent { .. } | Self::Ids { .. } => Some(Remedy::Label(Vec::new())),
            Self::ReadOnce { .. } => Some(Remedy::DropMissing),
            Self::SumsTooLarge { .. } => Some(Remedy::FewerColumns),
            _ => None,
        }
    }

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
    /// The points to evaluate on; their labels are expressed in the training classes.
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
        let mut data = Self { name, train, test: None, image_shape };
        if let Some(test) = test {
            data.set_test(test, place)?;
        }
        Ok(data)
    }

    /// Puts another test part beside the training part, its labels in the training classes.
    pub fn set_test(&mut self, test: Part, place: &str) -> Result<(), DataError> {
        let train = &self.train;
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
        self.test = Some(Part { points: test.points, labels });
        Ok(())
    }
}
