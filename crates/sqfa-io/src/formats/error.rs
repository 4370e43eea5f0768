//! What can be wrong with a file, where, by how much, and what to do about it.

use std::io;

use thiserror::Error;

/// A file that could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The operating system or a decompressor refused.
    #[error("cannot {action} {place}: {source}")]
    Io {
        /// The file or archive member.
        place: String,
        /// What was attempted.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The first bytes are not those of the expected format.
    #[error("{place} is not {format}: {remedy}")]
    Magic {
        /// The file or archive member.
        place: String,
        /// The expected format.
        format: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A header that cannot be understood.
    #[error("{place} has an unreadable header: {problem}; write the file again")]
    Header {
        /// The file or archive member.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// An element type outside the supported ones.
    #[error("{place} holds elements of type '{dtype}': {remedy}")]
    Dtype {
        /// The file or archive member.
        place: String,
        /// The type as the file spells it.
        dtype: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The header and the bytes there disagree.
    #[error(
        "{place} declares {declared} bytes of data but {available} are there: \
         the file is truncated or its header is wrong; fetch or write it again"
    )]
    Size {
        /// The file or archive member.
        place: String,
        /// What the header claims.
        declared: u128,
        /// What can be there at most.
        available: u64,
    },
    /// More memory needed than allowed.
    #[error("{place} needs {needed} bytes in memory, above the limit of {limit}: raise the limit")]
    Limit {
        /// The file or archive member.
        place: String,
        /// What it needs.
        needed: u128,
        /// What is allowed.
        limit: u64,
    },
    /// The system has no such amount of memory.
    #[error(
        "{place} needs {bytes} bytes in memory and the system refused them: use a smaller file"
    )]
    Memory {
        /// The file or archive member.
        place: String,
        /// What it needs.
        bytes: u128,
    },
    /// An element that does not fit the type it is read as.
    #[error("element {index} of {place} is {problem}: save it with a plain numeric or text dtype")]
    Element {
        /// The file or archive member.
        place: String,
        /// Its position in the file.
        index: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A damaged zip archive.
    #[error("{place} is not a readable zip archive ({source}): write it again with numpy.savez")]
    Zip {
        /// The archive.
        place: String,
        /// What the zip reader said.
        source: zip::result::ZipError,
    },
    /// A name that is not in the file.
    #[error("{place} has no {what} '{name}'; it has: {names}")]
    Missing {
        /// The file.
        place: String,
        /// What kind of thing was looked for.
        what: &'static str,
        /// What it is called.
        name: String,
        /// What is there instead.
        names: String,
    },
    /// An array or table of the wrong shape.
    #[error("{place} has shape {found:?}; expected {expected}")]
    Shape {
        /// The file or archive member.
        place: String,
        /// The shape it has.
        found: Vec<usize>,
        /// What would do.
        expected: String,
    },
    /// A table cell that is not a finite number.
    #[error(
        "{place}, line {line}, column '{column}': '{text}' is not a finite number; \
         fill or remove it, or name the label column"
    )]
    Cell {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or number, counted from 1.
        column: String,
        /// The beginning of what stands there.
        text: String,
    },
    /// A table row with more or fewer cells than the first.
    #[error("{place}, line {line}: {found} cells where the first row has {expected}")]
    Ragged {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The cells of the first row.
        expected: usize,
        /// The cells found.
        found: usize,
    },
    /// Anything else wrong with a table.
    #[error("{place} is not a readable table: {problem}")]
    Table {
        /// The table.
        place: String,
        /// What is wrong, and what to do.
        problem: String,
    },
}

impl FormatError {
    pub(crate) fn read(place: &str, source: io::Error) -> Self {
        Self::Io { place: place.to_owned(), action: "read", source }
    }

    pub(crate) fn write(place: &str, source: io::Error) -> Self {
        Self::Io { place: place.to_owned(), action: "write", source }
    }

    pub(crate) fn header(place: &str, problem: impl Into<String>) -> Self {
        Self::Header { place: place.to_owned(), problem: problem.into() }
    }

    pub(crate) fn shape(place: &str, found: &[usize], expected: impl Into<String>) -> Self {
        Self::Shape { place: place.to_owned(), found: found.to_vec(), expected: expected.into() }
    }
}
