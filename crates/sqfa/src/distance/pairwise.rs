//! Full matrices of distances between Gaussians, within one set or between two.

use super::pairs::{Batch, Buffers, PairPlan, diagnose, same};
use super::{Distance, PairError};
use crate::features::Gaussians;
use crate::linalg::{LANES, Lanes, Mat};
use crate::parallel;

/// The distance from every Gaussian of a set to every one of the same set; the diagonal is 0.
pub fn pairwise(distance: &Distance, gaussians: &Gaussians) -> Result<Mat<f64>, PairError> {
    pairwise_between(distance, gaussians, gaussians)
}

/// The distance from every Gaussian of the first set (rows) to every one of the second (columns).
///
/// Both sets must have the same dimension.
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

/// The mean distance over all pairs of a set, with its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanPairDistance {
    /// The mean over unordered pairs.
    pub value: f64,
    /// Its derivatives with respect to the means, one Gaussian after the other.
    pub mean_slopes: Vec<f64>,
    /// Its derivatives with respect to the covariances, row-major, one Gaussian after the other.
    pub cov_slopes: Vec<f64>,
}

/// The mean distance over all pairs of a set of at least two Gaussians, and its gradient.
pub fn mean_distance(
    distance: &Distance,
    gaussians: &Gaussians,
) -> Result<MeanPairDistance, PairError> {
    mean_over(PairPlan::new(gaussians.len(), None), distance, gaussians)
}

/// The same with the weights of a symmetric matrix, of which only the ratios count; see [`sound_weights`].
pub fn weighted_mean_distance(
    distance: &Distance,
    gaussians: &Gaussians,
    weights: &[f64],
) -> Result<MeanPairDistance, PairError> {
    assert!(sound_weights(weights, gaussians.len()), "weights must be sound");
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

/// Whether weights are a symmetric matrix (row-major) of finite, non-negative numbers, not all 0 off the diagonal.
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
