//! Why a map of points could not be learned or applied.

use thiserror::Error;

use crate::names::Unknown;

/// Why a lift was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LiftError {
    /// The map is unknown.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// A map without the number of its features.
    #[error("lift '{given}': say how many features, as in nystroem:1000 or fourier:1000")]
    Count {
        /// What was given.
        given: String,
    },
    /// A number where none belongs.
    #[error("lift '{given}': quadratic takes no number")]
    NoCount {
        /// What was given.
        given: String,
    },
    /// A width that is no width.
    #[error(
        "the bandwidth is {bandwidth}: give a finite number above 0, or leave it out for the median distance"
    )]
    Bandwidth {
        /// The width given.
        bandwidth: f64,
    },
    /// More kept points than there are.
    #[error(
        "lift nystroem:{count} keeps {count} points, and there are {points}: ask for at most {points}"
    )]
    FewPoints {
        /// Points to keep.
        count: usize,
        /// Points there are.
        points: usize,
    },
    /// A kernel matrix too large for its eigenproblem.
    #[error(
        "lift nystroem:{count} solves an eigenproblem of order {count}, more than {limit}: ask for fewer, or use fourier:{count}"
    )]
    TooLarge {
        /// Points to keep.
        count: usize,
        /// The most there may be.
        limit: usize,
    },
    /// Points that do not differ.
    #[error(
        "all {points} points looked at are the same: there is no distance to take the bandwidth from"
    )]
    NoSpread {
        /// Points looked at.
        points: usize,
    },
    /// A value that is not finite.
    #[error("row {row}, column {column} is {value}: lifts need finite numbers")]
    NotFinite {
        /// Which row.
        row: usize,
        /// Which column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The eigenvalue iteration failed.
    #[error(
        "the eigenvalue iteration of lift nystroem did not converge: check the data for extreme values"
    )]
    Eigen,
    /// Points of another number of columns.
    #[error("points have {found} columns, and the lift was learned on {expected}")]
    Columns {
        /// The lift's.
        expected: usize,
        /// The points'.
        found: usize,
    },
    /// Parts that do not fit together.
    #[error("the parts of lift '{kind}' do not fit together: {problem}")]
    Parts {
        /// Which map.
        kind: String,
        /// What is wrong.
        problem: String,
    },
}
