//! Generated data sets: toy problems, the scaling family, moving textures, and simulated neurons.
//!
//! Every data set is determined by its parameters and a seed.

pub mod matrix;
pub mod neural;
pub mod outliers;
pub mod scaling;
pub mod speed;
pub mod toy;

use thiserror::Error;

use crate::formats::FormatError;

/// An error in data that could not be generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A parameter outside of its allowed range.
    #[error("{parameter} is {value}; expected {expected}")]
    Parameter {
        /// The name of the parameter.
        parameter: &'static str,
        /// The value of the parameter.
        value: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// Class statistics that cannot be computed.
    #[error(transparent)]
    Statistics(#[from] sqfa::statistics::StatisticsError),
    /// Images that could not be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Images that cannot be used.
    #[error("{place}: {problem}")]
    Images {
        /// The file or array.
        place: String,
        /// The problem and its remedy.
        problem: String,
    },
}

impl DatasetError {
    pub(crate) fn parameter(
        parameter: &'static str,
        value: impl ToString,
        expected: &'static str,
    ) -> Self {
        Self::Parameter { parameter, value: value.to_string(), expected }
    }
}
