//! What can be wrong with two Gaussians, and the checks that find it.
//!
//! Cost: the Cholesky factorisation that the distance needs anyway.

use std::fmt;

use thiserror::Error;

use crate::features::Gaussian;
use crate::linalg::Real;

/// Which of the two Gaussians is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one given first, where geodesics start.
    First,
    /// The one given second, where geodesics end.
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

/// Why there is no Fisher–Rao distance, geodesic or exponential.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FisherRaoError {
    /// The Gaussians live in different spaces.
    #[error("the first Gaussian has dimension {first}, the second {second}: project both alike")]
    Dimensions {
        /// Dimension of the first.
        first: usize,
        /// Dimension of the second.
        second: usize,
    },
    /// The arrays do not fit the dimension.
    #[error(
        "the {side} Gaussian has dimension {order} but {mean} mean and {covariance} covariance values"
    )]
    Shape {
        /// Which Gaussian.
        side: Side,
        /// Its dimension.
        order: usize,
        /// Mean values given.
        mean: usize,
        /// Covariance values given.
        covariance: usize,
    },
    /// A number that is not finite.
    #[error("the {side} Gaussian holds {value}: remove or replace non-finite values")]
    NotFinite {
        /// Which Gaussian.
        side: Side,
        /// The value.
        value: f64,
    },
    /// A covariance that differs from its transpose.
    #[error(
        "the covariance of the {side} Gaussian is not symmetric: entries ({row}, {column}) differ by {gap:e}"
    )]
    NotSymmetric {
        /// Which Gaussian.
        side: Side,
        /// Row of the worst entry.
        row: usize,
        /// Column of the worst entry.
        column: usize,
        /// How much it differs.
        gap: f64,
    },
    /// A covariance with an eigenvalue that is not positive within round-off.
    #[error(
        "the covariance of the {side} Gaussian is not positive definite (smallest eigenvalue {eigenvalue:e}): add noise to its diagonal"
    )]
    NotPositive {
        /// Which Gaussian.
        side: Side,
        /// Its smallest eigenvalue.
        eigenvalue: f64,
    },
    /// A warm start or velocity of the wrong size.
    #[error("{name} should have {expected} entries, not {found}")]
    Length {
        /// What it is.
        name: &'static str,
        /// Entries expected.
        expected: usize,
        /// Entries found.
        found: usize,
    },
    /// A warm start or velocity with a number that is not finite.
    #[error("{name} holds {value}: remove or replace non-finite values")]
    BadNumber {
        /// What it is.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// One pair of a set failed.
    #[error("Gaussians {first} and {second}: {source}")]
    InPair {
        /// Index of the first.
        first: usize,
        /// Index of the second.
        second: usize,
        /// What is wrong with them.
        source: Box<FisherRaoError>,
    },
    /// Numbers too far apart for double precision.
    #[error(
        "the two Gaussians are too far apart for double precision (½‖log G‖ = {value}): rescale or regularize them"
    )]
    Range {
        /// What came out.
        value: f64,
    },
}

/// Relative asymmetry of a covariance that is taken for round-off.
const ASYMMETRY: f64 = 1e-6;
/// Share of its variance, times the dimension, that a feature must keep given the features before it: below, round-off decides the sign.
const SINGULAR: f64 = 4.0 * f64::EPSILON;

/// Checks the numbers of one Gaussian and returns its symmetrised covariance and Cholesky factor.
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

/// Checks that an array has the given length and only finite numbers.
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

/// The mean of a matrix and its transpose, if they agree up to round-off.
pub(super) fn symmetrized(
    matrix: &[f64],
    order: usize,
    side: Side,
) -> Result<Vec<f64>, FisherRaoError> {
    let mut symmetric = matrix.to_vec();
    for row in 0..order {
        for column in 0..row {
            let (lower, upper) = (matrix[row * order + column], matrix[column * order + row]);
            // Compared with the entry's own row and column, so that units of features do not matter.
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
