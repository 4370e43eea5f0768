//! Matrices of distances between Gaussians, within one set or between two sets.

use super::pairs::{Batch, Buffers, PairPlan, diagnose, same};
use super::{Distance, PairError};
use crate::features::Gaussians;
use crate::linalg::{LANES, Lanes, Mat};
use crate::parallel;

/// Returns the distances between all Gaussians of a set.
///
/// Row i and column j of the result hold the distance from Gaussian i to Gaussian j. The diagonal
/// is 0.
///
/// # Errors
///
/// Returns [`PairError::NotPositiveDefinite`] if a covariance is not positive definite, and
/// [`PairError::NotFinite`] if a distance between two valid Gaussians overflows.
///
/// # Examples
///
/// ```
/// use sqfa::distance::pairwise;
/// use sqfa::{Distance, Gaussians};
///
/// // Three Gaussians in one dimension: first all means, then all variances.
/// let gaussians = Gaussians::new(1, vec![0.0, 1.0, 3.0], vec![1.0, 1.0, 1.0])?;
/// let distances = pairwise(&Distance::named("mahalanobis")?, &gaussians)?;
/// assert!((distances[(0, 2)] - 3.0).abs() < 1e-12);
/// assert_eq!(distances[(1, 1)], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairwise(distance: &Distance, gaussians: &Gaussians) -> Result<Mat<f64>, PairError> {
    pairwise_between(distance, gaussians, gaussians)
}

/// Returns the distance from every Gaussian of the first set (rows) to every Gaussian of the second
/// set (columns).
///
/// # Errors
///
/// Returns [`PairError::NotPositiveDefinite`] if a covariance is not positive definite, and
/// [`PairError::NotFinite`] if a distance between two valid Gaussians overflows.
///
/// # Panics
///
/// Panics if the two sets differ in dimension.
pub fn pairwise_between(
    distance: &Distance,
    first: &Gaussians,
    second: &Gaussians,
) -> Result<Mat<f64>, PairError> {
    assert_eq!(first.order(), second.order(), "both sets must have the same dimension");
    let rows: Vec<Result<Vec<f64>, PairError>> = parallel::map(0..first.len(), |i| {
        if distance.kernel.shares_lanes(first.order()) {
            row::<Lanes>(distance, first, second, i)
        } else {
            row::<f64>(distance, first, second, i)
        }
    });
    let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(Mat::from_fn(first.len(), second.len(), |i, j| rows[i][j]))
}

/// The mean distance over all pairs of a set of Gaussians, with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanPairDistance {
    /// The mean over all unordered pairs.
    pub value: f64,
    /// The derivatives with respect to the means: one row per Gaussian.
    pub mean_slopes: Vec<f64>,
    /// The derivatives with respect to the covariances: one row-major matrix per Gaussian.
    pub cov_slopes: Vec<f64>,
}

/// Returns the mean distance over all unordered pairs of a set, with its gradient.
///
/// The set must contain at least two Gaussians; otherwise, the value is 0.
///
/// # Errors
///
/// Returns [`PairError::NotPositiveDefinite`] if a covariance is not positive definite, and
/// [`PairError::NotFinite`] if a distance or derivative of two valid Gaussians overflows.
pub fn mean_distance(
    distance: &Distance,
    gaussians: &Gaussians,
) -> Result<MeanPairDistance, PairError> {
    mean_over(PairPlan::new(gaussians.len(), None), distance, gaussians)
}

/// Returns the weighted mean distance over all unordered pairs of a set, with its gradient.
///
/// `weights` is a symmetric c × c matrix, row-major. It is scaled so that the weights of all pairs
/// sum to 1, so only the ratios matter.
///
/// # Errors
///
/// Returns [`PairError::NotPositiveDefinite`] if a covariance is not positive definite, and
/// [`PairError::NotFinite`] if a distance or derivative of two valid Gaussians overflows.
///
/// # Panics
///
/// Panics if the weights are not valid; [`sound_weights`] checks them.
pub fn weighted_mean_distance(
    distance: &Distance,
    gaussians: &Gaussians,
    weights: &[f64],
) -> Result<MeanPairDistance, PairError> {
    assert!(
        sound_weights(weights, gaussians.len()),
        "weights must be symmetric, finite, non-negative and not all zero"
    );
    mean_over(PairPlan::new(gaussians.len(), Some(weights)), distance, gaussians)
}

fn mean_over(
    plan: PairPlan,
    distance: &Distance,
    gaussians: &Gaussians,
) -> Result<MeanPairDistance, PairError> {
    let sums = plan.evaluate(distance, gaussians, &[])?;
    Ok(MeanPairDistance {
        value: sums.value,
        mean_slopes: sums.mean_slopes,
        cov_slopes: sums.cov_slopes,
    })
}

/// Returns whether `weights` is a valid matrix of pair weights for this number of classes.
///
/// The matrix (c × c, row-major) must be symmetric, with finite and non-negative entries of which
/// at least one off the diagonal is positive.
pub fn sound_weights(weights: &[f64], classes: usize) -> bool {
    weights.len() == classes * classes
        && weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0)
        && (0..classes)
            .all(|i| (0..i).all(|j| weights[i * classes + j] == weights[j * classes + i]))
        && (0..classes).any(|i| (0..i).any(|j| weights[i * classes + j] > 0.0))
}

fn row<R: Batch>(
    distance: &Distance,
    first: &Gaussians,
    second: &Gaussians,
    i: usize,
) -> Result<Vec<f64>, PairError> {
    debug_assert!(R::WIDTH <= LANES);
    let pairs: Vec<(u32, u32)> = (0..second.len()).map(|j| (i as u32, j as u32)).collect();
    let mut buffers = Buffers::<R>::new(first.order());
    let mut distances = Vec::with_capacity(second.len());
    for batch in pairs.chunks(R::WIDTH) {
        buffers.load(first, second, batch);
        let values = buffers.evaluate(distance, None, None);
        for (lane, &(_, j)) in batch.iter().enumerate() {
            let j = j as usize;
            let value = values.lane(lane);
            if same(first, i, second, j) {
                distances.push(0.0);
            } else if value.is_finite() {
                distances.push(value);
            } else {
                return Err(diagnose(distance, (first, i), (second, j), value));
            }
        }
    }
    Ok(distances)
}
