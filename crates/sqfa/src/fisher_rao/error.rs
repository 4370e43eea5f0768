//! Errors about pairs of Gaussians, and the checks that find them.
//!
//! Cost: the Cholesky factorizations that the distance needs anyway.

use std::fmt;

use thiserror::Error;

use crate::features::Gaussian;
use crate::linalg::Real;

/// One of the two Gaussians of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first Gaussian, where geodesics start.
    First,
    /// The second Gaussian, where geodesics end.
    Second,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// An error in the computation of a Fisher–Rao distance, a geodesic or an exponential map.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FisherRaoError {
    /// The two Gaussians differ in dimension.
    #[error(
        "the first Gaussian has dimension {first}, the second {second}: project both with the same filters"
    )]
    Dimensions {
        /// The dimension of the first Gaussian.
        first: usize,
        /// The dimension of the second Gaussian.
        second: usize,
    },
    /// The lengths of the arrays do not match the dimension.
    #[error(
        "the {side} Gaussian has dimension {order}, but {mean} mean values and {covariance} covariance values"
    )]
    Shape {
        /// The Gaussian with the wrong arrays.
        side: Side,
        /// The dimension of the Gaussian.
        order: usize,
        /// The number of mean values.
        mean: usize,
        /// The number of covariance values.
        covariance: usize,
    },
    /// A mean or covariance has a value that is not finite.
    #[error("the {side} Gaussian contains {value}: remove or replace values that are not finite")]
    NotFinite {
        /// The Gaussian with the value.
        side: Side,
        /// The value: NaN or infinite.
        value: f64,
    },
    /// A covariance is not symmetric.
    #[error(
        "the covariance of the {side} Gaussian is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ by {gap:e}"
    )]
    NotSymmetric {
        /// The Gaussian with the covariance.
        side: Side,
        /// The row of the first entry that differs.
        row: usize,
        /// The column of the first entry that differs.
        column: usize,
        /// The absolute difference from the transposed entry.
        gap: f64,
    },
    /// A covariance has an eigenvalue that is not positive up to round-off.
    #[error(
        "the covariance of the {side} Gaussian is not positive definite (smallest eigenvalue {eigenvalue:e}): add a positive noise to its diagonal"
    )]
    NotPositive {
        /// The Gaussian with the covariance.
        side: Side,
        /// The smallest eigenvalue of the covariance.
        eigenvalue: f64,
    },
    /// A warm start or a velocity has the wrong number of entries.
    #[error("{name} must have {expected} entries, but has {found}")]
    Length {
        /// A description of the argument.
        name: &'static str,
        /// The expected number of entries.
        expected: usize,
        /// The actual number of entries.
        found: usize,
    },
    /// A warm start or a velocity has a value that is not finite.
    #[error("{name} contains {value}: remove or replace values that are not finite")]
    BadNumber {
        /// A description of the argument.
        name: &'static str,
        /// The value: NaN or infinite.
        value: f64,
    },
    /// One pair of a set of Gaussians failed.
    #[error("Gaussians {first} and {second}: {source}")]
    InPair {
        /// The index of the first Gaussian.
        first: usize,
        /// The index of the second Gaussian.
        second: usize,
        /// The error for this pair.
        source: Box<FisherRaoError>,
    },
    /// The two Gaussians are too far apart for double precision.
    #[error(
        "the two Gaussians are too far apart for double precision (½‖log G‖ = {value}): rescale or regularize them"
    )]
    Range {
        /// The length that was computed: NaN, infinite or too large.
        value: f64,
    },
}

/// Largest relative asymmetry of a covariance that is attributed to round-off.
const ASYMMETRY: f64 = 1e-6;
/// Smallest fraction of its variance, per dimension, that a feature must keep given the preceding
/// features. Below it, round-off decides the sign of an eigenvalue.
const SINGULAR: f64 = 4.0 * f64::EPSILON;

/// Checks the values of one Gaussian and returns its symmetrized covariance and Cholesky factor.
pub(super) fn checked(
    gaussian: Gaussian<'_>,
    side: Side,
) -> Result<(Vec<f64>, Vec<f64>), FisherRaoError> {
    let n = gaussian.order;
    let (mean, covariance) = (gaussian.mean, gaussian.covariance);
    if n == 0 || mean.len() != n || covariance.len() != n * n {
        return Err(FisherRaoError::Shape {
            side,
            order: n,
            mean: mean.len(),
            covariance: covariance.len(),
        });
    }
    if let Some(&value) = mean.iter().chain(covariance).find(|value| !value.is_finite()) {
        return Err(FisherRaoError::NotFinite { side, value });
    }
    let symmetric = symmetrized(covariance, n, side)?;
    let mut lower = symmetric.clone();
    f64::cholesky(&mut lower, n);
    let limit = SINGULAR * n as f64;
    let positive = (0..n).all(|i| {
        let root = lower[i * n + i];
        root > 0.0 && root * root > limit * symmetric[i * n + i]
    });
    if !positive {
        return Err(FisherRaoError::NotPositive { side, eigenvalue: smallest(&symmetric, n) });
    }
    Ok((symmetric, lower))
}

/// Checks that an array has the expected length and only finite values.
pub(super) fn check_argument(
    name: &'static str,
    values: &[f64],
    expected: usize,
) -> Result<(), FisherRaoError> {
    if values.len() != expected {
        return Err(FisherRaoError::Length { name, expected, found: values.len() });
    }
    match values.iter().copied().find(|value| !value.is_finite()) {
        Some(value) => Err(FisherRaoError::BadNumber { name, value }),
        None => Ok(()),
    }
}

/// Returns the mean of a matrix and its transpose if the two agree up to round-off.
pub(super) fn symmetrized(
    matrix: &[f64],
    order: usize,
    side: Side,
) -> Result<Vec<f64>, FisherRaoError> {
    let mut symmetric = matrix.to_vec();
    for row in 0..order {
        for column in 0..row {
            let (lower, upper) = (matrix[row * order + column], matrix[column * order + row]);
            // The difference is compared with the diagonal entries of the same row and column, so
            // that the check does not depend on the scales of the features.
            let scale = (matrix[row * order + row] * matrix[column * order + column]).abs().sqrt();
            let gap = (lower - upper).abs();
            if gap > ASYMMETRY * scale.max(lower.abs()).max(upper.abs()) {
                return Err(FisherRaoError::NotSymmetric { side, row, column, gap });
            }
            let mean = 0.5 * (lower + upper);
            symmetric[row * order + column] = mean;
            symmetric[column * order + row] = mean;
        }
    }
    Ok(symmetric)
}

fn smallest(symmetric: &[f64], order: usize) -> f64 {
    let mut values = symmetric.to_vec();
    let mut vectors = vec![0.0; order * order];
    f64::eigen(&mut values, &mut vectors, order);
    (0..order).map(|i| values[i * order + i]).fold(f64::INFINITY, f64::min)
}
