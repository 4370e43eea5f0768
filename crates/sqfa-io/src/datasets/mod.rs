//! Data sets made from a formula and a seed: toy problems, the scaling family, moving textures, simulated neurons.

pub mod matrix;
pub mod neural;
pub mod outliers;
pub mod scaling;
pub mod speed;
pub mod toy;

use thiserror::Error;

use crate::formats::FormatError;

/// A data set that could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A parameter outside what the generator allows.
    #[error("{parameter} is {value}; expected {expected}")]
    Parameter {
        /// Which parameter.
        parameter: &'static str,
        /// What it is.
        value: String,
        /// What would do.
        expected: &'static str,
    },
    /// Class statistics that cannot be built.
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
        /// What is wrong, and what to do.
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
