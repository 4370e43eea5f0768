//! Errors of learning or applying a nonlinear feature map.

use thiserror::Error;

use crate::names::Unknown;

/// An error of learning or applying a nonlinear feature map.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LiftError {
    /// An unknown kind of map.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A map that lacks its number of features.
    #[error("lift '{given}': specify the number of features, as in nystroem:1000 or fourier:1000")]
    Count {
        /// The specified map.
        given: String,
    },
    /// A number for a map that has none.
    #[error("lift '{given}': quadratic does not use a number of features; write quadratic")]
    NoCount {
        /// The specified map.
        given: String,
    },
    /// A bandwidth that is not positive and finite.
    #[error(
        "the bandwidth is {bandwidth}: specify a finite number above 0, or omit it to use the median distance"
    )]
    Bandwidth {
        /// The specified bandwidth.
        bandwidth: f64,
    },
    /// More features than samples for a Nyström map.
    #[error(
        "lift nystroem:{count} needs {count} samples, but there are only {points}: use at most nystroem:{points}"
    )]
    FewPoints {
        /// Specified number of features.
        count: usize,
        /// Number of samples.
        points: usize,
    },
    /// A kernel matrix that is too large for its eigenproblem.
    #[error(
        "lift nystroem:{count} needs an eigenproblem of order {count}, but {limit} is the largest supported: use fewer features, or fourier:{count}"
    )]
    TooLarge {
        /// Specified number of features.
        count: usize,
        /// Largest supported number.
        limit: usize,
    },
    /// Samples that are all equal, so that they have no median distance.
    #[error(
        "all {points} samples that were examined are equal, so the median distance cannot be used as bandwidth: specify a bandwidth"
    )]
    NoSpread {
        /// Number of examined samples.
        points: usize,
    },
    /// A value that is NaN or infinite.
    #[error(
        "the value in row {row}, column {column} (counted from 0) is {value}: remove or replace non-finite values"
    )]
    NotFinite {
        /// Row index of the sample.
        row: usize,
        /// Column index.
        column: usize,
        /// The value.
        value: f64,
    },
    /// An eigenvalue iteration that did not converge.
    #[error(
        "the eigenvalue iteration of lift nystroem did not converge: check the data for extreme values"
    )]
    Eigen,
    /// Samples with a different number of columns than the training samples.
    #[error(
        "the samples have {found} columns, but the lift was fitted to {expected}: pass the same columns"
    )]
    Columns {
        /// Number of columns of the training samples.
        expected: usize,
        /// Number of columns of the samples.
        found: usize,
    },
    /// Parts that are inconsistent with each other.
    #[error("the parts of lift '{kind}' are inconsistent: {problem}")]
    Parts {
        /// Kind of the map.
        kind: String,
        /// The inconsistency.
        problem: String,
    },
}
