//! Why a table or figure could not be made, with remedies.

use std::path::PathBuf;

use thiserror::Error;

use sqfa::names::Unknown;
use sqfa_io::data::DataError;
use sqfa_io::datasets::DatasetError;
use sqfa_lab::compare::CompareError;

/// Why a table or figure could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No table or figure has this name.
    #[error(transparent)]
    Unknown(#[from] Unknown),
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
    /// A file without labelled points.
    #[error("{} holds no labelled points", .0.display())]
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
    pub(super) fn numbers(what: impl Into<String>, problem: impl ToString) -> Self {
        Self::Numbers { what: what.into(), problem: problem.to_string() }
    }
}
