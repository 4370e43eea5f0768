//! Errors of a comparison, with values and remedies.

use std::io;
use std::path::PathBuf;

use sqfa::names::Unknown;
use sqfa::pipeline::PipelineError;
use sqfa::split::SplitError;
use sqfa::statistics::StatisticsError;
use thiserror::Error;

use super::DealError;
use sqfa_io::formats::FormatError;

/// An error in a comparison that could not be started or stored. A failure in a single cell is a
/// record and not an error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A method, classifier or setting that does not exist.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A setting outside of its range.
    #[error("{name} is {value}: {remedy}")]
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// The value of the setting.
        value: String,
        /// The allowed values.
        remedy: String,
    },
    /// An invalid specification file.
    #[error("the spec {place} cannot be understood: {problem}")]
    Spec {
        /// The file.
        place: String,
        /// The position and the problem.
        problem: String,
    },
    /// Samples that cannot be split.
    #[error("the data cannot be split: {0}")]
    Split(#[from] SplitError),
    /// Training samples whose statistics cannot be computed.
    #[error("the training samples cannot be used: {0}")]
    Statistics(#[from] StatisticsError),
    /// Training samples that cannot be fitted.
    #[error("the training samples cannot be used: {0}")]
    Pipeline(#[from] PipelineError),
    /// Rows that cannot be assigned to parts.
    #[error("the data cannot be split: {0}")]
    Deal(#[from] DealError),
    /// A comparison without data.
    #[error("there is no session: give at least one data set")]
    NoSession,
    /// Sessions with different classes.
    #[error(
        "session '{session}' has {classes} classes and '{first}' has {expected}, or others: sessions must have the same classes"
    )]
    SessionClasses {
        /// The session with other classes.
        session: String,
        /// The number of its classes.
        classes: usize,
        /// The first session.
        first: String,
        /// The number of classes of the first session.
        expected: usize,
    },
    /// Groups whose number differs from that of the samples.
    #[error(
        "session '{session}' has {points} samples and {groups} groups: specify one group per sample"
    )]
    Groups {
        /// The session.
        session: String,
        /// The number of groups.
        groups: usize,
        /// The number of samples.
        points: usize,
    },
    /// Classes without test samples.
    #[error(
        "the test part has no point of {count} of {classes} classes ({listed}): accuracy would not speak \
         for them; add such points, or leave those classes out of training"
    )]
    MissingClasses {
        /// The number of these classes.
        count: usize,
        /// The number of all classes.
        classes: usize,
        /// The names of some of these classes.
        listed: String,
    },
    /// A number of filters above the number of columns.
    #[error("{filters} filters were asked for, and the data have {dimensions} dimensions")]
    Dimensions {
        /// The requested number of filters.
        filters: usize,
        /// The number of columns.
        dimensions: usize,
    },
    /// A comparison that needs more memory than available.
    #[error(
        "about {needed:.1} GB are needed ({what}) and {available:.1} GB are available: use fewer columns, classes \
         or methods, or raise the limit"
    )]
    Memory {
        /// The required memory in GB.
        needed: f64,
        /// The available memory in GB.
        available: f64,
        /// The largest part of the required memory.
        what: String,
    },
    /// An output folder with another comparison.
    #[error(
        "{} contains another comparison ({difference}): specify another folder, or run that comparison again to resume it",
        .folder.display()
    )]
    OtherSpec {
        /// The folder.
        folder: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// A folder in use by another process.
    #[error(
        "{} is in use by process {holder}: wait until it ends, or name another folder",
        .folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The id of the process.
        holder: String,
    },
    /// An output folder with other content.
    #[error(
        "{} exists and is no comparison: name a new folder, or one that a comparison has made",
        .folder.display()
    )]
    OtherFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that could not be written or read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// An error of the operating system.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operation that was attempted.
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
}
