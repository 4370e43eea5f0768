//! Why a table or figure could not be made, with remedies.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use sqfa::names::Unknown;
use sqfa_io::data::DataError;
use sqfa_io::datasets::DatasetError;
use sqfa_io::formats::FormatError;
use sqfa_lab::compare::CompareError;

/// Why a table or figure could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No table or figure has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The paper has no such data set.
    #[error("unknown data set '{0}': choose among svhn, mnist, speed, neural")]
    UnknownSet(String),
    /// A data set that is not where it should be.
    #[error("{set} is not in {}: put {files} there, or name its folder with --data", .folder.display())]
    Missing {
        /// The data set.
        set: &'static str,
        /// Where it was looked for.
        folder: PathBuf,
        /// The files that would do.
        files: &'static str,
    },
    /// A data set is needed and no folder was named.
    #[error("{set} is needed: name with --data a folder that holds {files}")]
    NoFolder {
        /// The data set.
        set: &'static str,
        /// The files that would do.
        files: &'static str,
    },
    /// A file without labeled points.
    #[error("{} holds no labeled points", .0.display())]
    NoPoints(PathBuf),
    /// A file that cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Videos that cannot be made.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// Fits that cannot be set up or kept.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A folder for results that holds something else.
    #[error(
        "{} exists and was not made by sqfa-paper: name a new folder, or one that it has made",
        .0.display()
    )]
    OtherFolder(PathBuf),
    /// Somebody asked to stop.
    #[error("interrupted; what is known is in {}: the same command resumes", .0.display())]
    Stopped(PathBuf),
    /// A file that could not be written.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Numbers that could not be computed.
    #[error("{what}: {problem}")]
    Numbers {
        /// What was computed.
        what: String,
        /// What went wrong.
        problem: String,
    },
}

impl PaperError {
    pub(super) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }

    pub(super) fn numbers(what: impl Into<String>, problem: impl ToString) -> Self {
        Self::Numbers { what: what.into(), problem: problem.to_string() }
    }
}
