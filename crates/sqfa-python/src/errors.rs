//! Conversion of errors of the core to Python exceptions.
//!
//! Invalid values are a `ValueError`, and files that cannot be read or written are an `OSError`.
//! The message is that of the core.

use std::io;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sqfa::classify::ClassifierError;
use sqfa::distance::{DistanceError, PairError};
use sqfa::features::GaussianError;
use sqfa::fisher_rao::FisherRaoError;
use sqfa::labels::LabelError;
use sqfa::lift::LiftError;
use sqfa::model::FitError;
use sqfa::pipeline::PipelineError;
use sqfa::reduce::ReduceError;
use sqfa::robust::RobustError;
use sqfa::statistics::StatisticsError;
use sqfa_io::datasets::DatasetError;
use sqfa_io::formats::FormatError;
use sqfa_io::model_file::ModelError;
use sqfa_lab::compare::CompareError;

/// An error of the core that is raised as a Python exception.
pub(crate) struct Failure(pub(crate) PyErr);

/// The return type of functions that Python calls.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

macro_rules! value_errors {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                invalid(error.to_string())
            }
        }
    )*};
}
value_errors!(
    ClassifierError,
    DistanceError,
    FisherRaoError,
    FitError,
    GaussianError,
    LabelError,
    LiftError,
    PairError,
    PipelineError,
    ReduceError,
    RobustError,
    StatisticsError,
    serde_json::Error,
    String
);

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        match &error {
            FormatError::Io { source, .. } => Self(system(source, error.to_string())),
            _ => invalid(error.to_string()),
        }
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Format(error) => error.into(),
            error => invalid(error.to_string()),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match &error {
            CompareError::Io { source, .. } => Self(system(source, error.to_string())),
            _ => invalid(error.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::File(error) => error.into(),
            error => invalid(error.to_string()),
        }
    }
}

/// Returns a `ValueError`.
pub(crate) fn invalid(message: impl Into<String>) -> Failure {
    Failure(PyValueError::new_err(message.into()))
}

/// Converts a panic of the core to an exception, so that Python is never aborted.
pub(crate) fn internal(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Failure(PyRuntimeError::new_err(format!("an internal check of sqfa failed: {text}")))
}

/// Returns an `OSError`. Its subclass, such as `FileNotFoundError`, follows from the system's error
/// number.
fn system(source: &io::Error, message: String) -> PyErr {
    match source.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message)),
        None => PyOSError::new_err(message),
    }
}
