//! Errors of models and model files.

use thiserror::Error;

use crate::formats::FormatError;

/// An error of a model that could not be created, read, written or applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file that could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FormatError),
    /// A file that is not a model file, or a damaged one.
    #[error(
        "{place} is not a readable model file: {problem}; use a file that sqfa fit has written"
    )]
    Damaged {
        /// The file.
        place: String,
        /// The problem.
        problem: String,
    },
    /// A model file with an unknown format version.
    #[error("{place} is a model of format version {found}; this program reads version {known}")]
    Version {
        /// The file.
        place: String,
        /// The version of the file.
        found: u64,
        /// The version that this program reads.
        known: u64,
    },
    /// Parts of a model that do not match.
    #[error("the model is inconsistent: {problem}")]
    Inconsistent {
        /// The parts and the problem.
        problem: String,
    },
    /// Samples with another number of features than the training samples.
    #[error("the samples have {found} columns, but the model was fitted on {expected}")]
    Dimension {
        /// The number of features of the training samples.
        expected: usize,
        /// The number of features of the samples.
        found: usize,
    },
    /// Samples that are not finite.
    #[error(
        "row {row}, column {column} is {value}: a point that is not finite has no features \
         ({count} such rows in all)"
    )]
    NotFinite {
        /// The first such row, counted from 0.
        row: usize,
        /// The column, by name or counted from 0.
        column: String,
        /// The value.
        value: f64,
        /// The number of such rows.
        count: usize,
    },
    /// Samples that are too large for their precision.
    #[error(
        "row {row} is too large for its precision: its features overflow ({count} such rows in \
         all); give it in double precision, or in larger units"
    )]
    Overflow {
        /// The first such row, counted from 0.
        row: usize,
        /// The number of such rows.
        count: usize,
    },
    /// Metadata that cannot be written.
    #[error("the model's metadata cannot be written: {problem}")]
    Metadata {
        /// The reason.
        problem: String,
    },
}

impl ModelError {
    pub(super) fn damaged(place: &str, problem: impl Into<String>) -> Self {
        Self::Damaged { place: place.to_owned(), problem: problem.into() }
    }

    pub(super) fn inconsistent(problem: impl Into<String>) -> Self {
        Self::Inconsistent { problem: problem.into() }
    }
}
