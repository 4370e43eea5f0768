//! What can be wrong with a model and with the file it is kept in.

use thiserror::Error;

use crate::formats::FormatError;

/// A model that could not be built, read, written or applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FormatError),
    /// The bytes are not a model file, or a damaged one.
    #[error(
        "{place} is not a readable model file: {problem}; use a file that sqfa fit has written"
    )]
    Damaged {
        /// The file.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// A model of a format this program does not know.
    #[error("{place} is a model of format version {found}; this program reads version {known}")]
    Version {
        /// The file.
        place: String,
        /// The version in the file.
        found: u64,
        /// The version this program writes.
        known: u64,
    },
    /// Parts that do not fit together.
    #[error("the model is inconsistent: {problem}")]
    Inconsistent {
        /// Which parts, and how.
        problem: String,
    },
    /// Points of another dimension.
    #[error("points have {found} dimensions, but the model was fitted on {expected}")]
    Dimension {
        /// The model's.
        expected: usize,
        /// The points'.
        found: usize,
    },
    /// Points that are not finite.
    #[error(
        "row {row}, column {column} is {value}: a point that is not finite has no features \
         ({count} such rows in all)"
    )]
    NotFinite {
        /// The first such row, counted from 0.
        row: usize,
        /// The column, by name or counted from 0.
        column: String,
        /// What stands there.
        value: f64,
        /// How many rows have such values.
        count: usize,
    },
    /// Points too large for their precision.
    #[error(
        "row {row} is too large for its precision: its features overflow ({count} such rows in \
         all); give it in double precision, or in larger units"
    )]
    Overflow {
        /// The first such row, counted from 0.
        row: usize,
        /// How many rows overflow.
        count: usize,
    },
    /// Metadata that cannot be put into text.
    #[error("the model's metadata cannot be written: {problem}")]
    Metadata {
        /// Why.
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
