//! Labeled samples and class statistics that own their data, as read from files or generated.

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

/// An error in data that could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file that could not be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Labels that cannot be used.
    #[error("the labels of {place}: {source}")]
    Labels {
        /// The file or array.
        place: String,
        /// The reason why they cannot be used.
        source: LabelError,
    },
    /// A test label that does not occur in the training samples.
    #[error("the test labels of {place}: {source}; remove those rows or add the class to training")]
    TestLabels {
        /// The file or array.
        place: String,
        /// The label and its position.
        source: LabelError,
    },
    /// Different numbers of samples and labels.
    #[error("{place} has {points} samples and {labels} labels: specify one label per sample")]
    Lengths {
        /// The file.
        place: String,
        /// The number of samples.
        points: usize,
        /// The number of labels.
        labels: usize,
    },
    /// Different numbers of features in training and test samples.
    #[error("{place} has {train} dimensions in training and {test} in the test part")]
    Dimensions {
        /// The file.
        place: String,
        /// The number of features of the training samples.
        train: usize,
        /// The number of features of the test samples.
        test: usize,
    },
    /// Accumulated class statistics that cannot be read or merged.
    #[error("{place}: {source}")]
    Sums {
        /// The file.
        place: String,
        /// The error.
        source: StatisticsError,
    },
    /// Labels of different types in two files.
    #[error(
        "the labels of {place} are {found} (such as '{example}'), those of {other} are {expected}: \
         write them the same way in all files"
    )]
    LabelTypes {
        /// The second file.
        place: String,
        /// The type of its labels.
        found: &'static str,
        /// One of its labels.
        example: String,
        /// The first file.
        other: String,
        /// The type of the labels of the first file.
        expected: &'static str,
    },
    /// Different numbers of features in two files.
    #[error(
        "{place} has {found} dimensions where {other} has {expected}: files must have the same columns"
    )]
    FileDimensions {
        /// The second file.
        place: String,
        /// The number of features of the second file.
        found: usize,
        /// The first file.
        other: String,
        /// The number of features of the first file.
        expected: usize,
    },
    /// Different column names in two files.
    #[error(
        "the columns of {place} are not those of {other}: {difference}; class sums cannot be put in \
         another order, so sum the points up again with columns of one order"
    )]
    FileColumns {
        /// The second file.
        place: String,
        /// The first file.
        other: String,
        /// The first difference between the names.
        difference: String,
    },
    /// Samples without labels.
    #[error("{place}: an npy file holds no labels: name a second npy file (labels)")]
    NoLabels {
        /// The file.
        place: String,
    },
    /// Missing arrays of samples or labels.
    #[error("{place}: {problem}")]
    NoArrays {
        /// The file.
        place: String,
        /// The missing array, and the existing ones.
        problem: String,
        /// The names of arrays that are likely to be samples and labels.
        pair: Option<(String, String)>,
    },
    /// An archive of samples without labels.
    #[error("{place} has no labels for its samples '{points}': name them; it has: {names}")]
    NoLabelArray {
        /// The file.
        place: String,
        /// The name of the array of samples.
        points: String,
        /// The names of all arrays.
        names: String,
    },
    /// Labels that are all different, so they identify samples instead of classes.
    #[error(
        "{place}: all {count} labels are different: this looks like a column of ids; name the column \
         of labels"
    )]
    AllDifferent {
        /// The file.
        place: String,
        /// The number of labels.
        count: usize,
    },
    /// Labels that are mostly different, so they identify samples instead of classes.
    #[error(
        "{place}: {classes} different labels of {count} points: this looks like a column of ids; name the \
         column of labels"
    )]
    Ids {
        /// The file.
        place: String,
        /// The number of labels.
        count: usize,
        /// The number of different labels.
        classes: usize,
    },
    /// Missing values that should be replaced by means, in a file that can be read only once.
    #[error(
        "{place} cannot be read twice: filling in means takes one reading for the means and one with them; save \
         it to a file, or leave incomplete rows out"
    )]
    ReadOnce {
        /// The file.
        place: String,
    },
    /// Class statistics that need more memory than available.
    #[error(
        "{place}: sums of {classes} classes in {columns} columns take {:.1} GB, and {:.1} GB are at hand: \
         choose fewer columns, keep sketches (form sketch), or make sure that the labels are classes",
        *needed as f64 / 1e9,
        *memory as f64 / 1e9
    )]
    SumsTooLarge {
        /// The file.
        place: String,
        /// The number of classes so far.
        classes: usize,
        /// The number of columns.
        columns: usize,
        /// The number of bytes that are needed.
        needed: u128,
        /// The number of bytes that are available.
        memory: u64,
    },
    /// An infinite value.
    #[error("{place}: row {row}, column {column} is {value}: correct or remove it")]
    Infinite {
        /// The file.
        place: String,
        /// The row, counted from 0.
        row: usize,
        /// The column, by name or counted from 0.
        column: String,
        /// The value.
        value: f64,
    },
    /// Any other missing or invalid content.
    #[error("{place}: {problem}")]
    Content {
        /// The file.
        place: String,
        /// The problem and its remedy.
        problem: String,
    },
}

impl DataError {
    /// Returns the setting of the reader that avoids the error, if there is one.
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

/// Samples with their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The samples, one per row.
    pub points: OwnedPoints,
    /// The labels, one per sample.
    pub labels: Labels,
}

impl Part {
    /// Combines samples and labels.
    ///
    /// # Errors
    ///
    /// If the number of samples and labels differs.
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

/// A data set with a training part and an optional test part, which have the same classes.
#[derive(Debug, Clone, PartialEq)]
pub struct LabeledData {
    /// The name of the data set.
    pub name: String,
    /// The training samples.
    pub train: Part,
    /// The test samples. Their labels refer to the training classes.
    pub test: Option<Part>,
    /// The height and width of every sample, if samples are images.
    pub image_shape: Option<(usize, usize)>,
}

impl LabeledData {
    /// Combines a training part and an optional test part, whose labels are converted to the
    /// training classes.
    ///
    /// # Errors
    ///
    /// If the number of features differs, or a test label does not occur in the training part.
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

    /// Replaces the test part. Its labels are converted to the training classes.
    ///
    /// # Errors
    ///
    /// If the number of features differs, or a test label does not occur in the training part.
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
