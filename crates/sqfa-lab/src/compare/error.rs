//! Why a comparison could not be set up or kept, with numbers and remedies.

use std::io;
use std::path::PathBuf;

use sqfa::names::Unknown;
use sqfa::pipeline::PipelineError;
use sqfa::split::SplitError;
use sqfa::statistics::StatisticsError;
use thiserror::Error;

use super::DealError;
use sqfa_io::formats::FormatError;

/// Why a comparison could not be set up or kept. What happens inside one cell is a record, not an error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A method, classifier or setting that does not exist.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A setting outside its range.
    #[error("{name} is {value}: {remedy}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        remedy: String,
    },
    /// A spec file that cannot be understood.
    #[error("the spec {place} cannot be understood: {problem}")]
    Spec {
        /// The file.
        place: String,
        /// Where and what.
        problem: String,
    },
    /// Points that cannot be split.
    #[error("the data cannot be split: {0}")]
    Split(#[from] SplitError),
    /// The training points are unsound.
    #[error("the training points cannot be used: {0}")]
    Statistics(#[from] StatisticsError),
    /// The training points are unsound.
    #[error("the training points cannot be used: {0}")]
    Pipeline(#[from] PipelineError),
    /// Rows that cannot be dealt out.
    #[error("the data cannot be split: {0}")]
    Deal(#[from] DealError),
    /// Nothing to compare on.
    #[error("there is no session: give at least one data set")]
    NoSession,
    /// Sessions of different classes.
    #[error(
        "session '{session}' has {classes} classes and '{first}' has {expected}, or others: sessions must have the same classes"
    )]
    SessionClasses {
        /// The session that differs.
        session: String,
        /// Its classes.
        classes: usize,
        /// The first session.
        first: String,
        /// Its classes.
        expected: usize,
    },
    /// Groups that are not one a point.
    #[error("session '{session}' has {points} points and {groups} groups: give one group a point")]
    Groups {
        /// The session.
        session: String,
        /// Groups that were given.
        groups: usize,
        /// Points there are.
        points: usize,
    },
    /// A class that the test part lacks.
    #[error(
        "the test part has no point of {count} of {classes} classes ({listed}): accuracy would not speak \
         for them; add such points, or leave those classes out of training"
    )]
    MissingClasses {
        /// Classes that are missing.
        count: usize,
        /// Classes in all.
        classes: usize,
        /// Some of them by name.
        listed: String,
    },
    /// More filters than dimensions.
    #[error("{filters} filters were asked for, and the data have {dimensions} dimensions")]
    Dimensions {
        /// Filters asked for.
        filters: usize,
        /// Dimensions of the data.
        dimensions: usize,
    },
    /// Not enough memory.
    #[error(
        "about {needed:.1} GB are needed ({what}) and {available:.1} GB are available: use fewer columns, classes \
         or methods, or raise the limit"
    )]
    Memory {
        /// GB needed.
        needed: f64,
        /// GB available.
        available: f64,
        /// What takes most of it.
        what: String,
    },
    /// An output folder that holds another comparison.
    #[error(
        "{} holds another comparison ({difference}): name another folder, or repeat that one to resume it",
        .folder.display()
    )]
    OtherSpec {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A folder that another process writes to.
    #[error(
        "{} is in use by process {holder}: wait until it ends, or name another folder",
        .folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The number of the process.
        holder: String,
    },
    /// An output folder that holds something else.
    #[error(
        "{} exists and is no comparison: name a new folder, or one that a comparison has made",
        .folder.display()
    )]
    OtherFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file could not be written or read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}
