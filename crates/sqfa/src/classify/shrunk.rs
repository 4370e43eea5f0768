//! Class covariances that a discriminant can invert, whatever the units of the features.
//!
//! Every feature is first divided by its total standard deviation, so multiplying a feature by a number changes no
//! prediction. In these units:
//!
//! - Directions in which all samples together do not vary (linearly dependent filters) get variance 1 in every class.
//!   They then favor no class, and the other directions are classified as if these did not exist.
//! - The pooled covariance is the average of the class covariances, weighted by the priors. If it does not have full
//!   rank, it is shrunk towards its diagonal.
//! - A class without full rank is shrunk towards the pooled covariance.
//!
//! A covariance of rank r in m dimensions comes from r + 1 samples (or from data that do not vary more than these). It
//! is shrunk by m/(r + 1 + m), as if m samples of the target were added to its own samples.

use std::cell::OnceCell;

use super::QDA_SHRINKAGE;
use super::discriminant::{Deficient, RANK, Whitened, smallest_pivot};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef, Real, symmetric_eigen};

/// Smallest fraction of its variance that every feature must have left, given the features before it, for a covariance
/// to have full rank. For linearly dependent features in single precision, rounding leaves less than this.
pub(super) const FULL_RANK: f64 = 1e-10;
/// Smallest such fraction for the total covariance of features of learned filters. Filters that converge to the same
/// direction differ only by where the optimization stopped, which contains no information about the classes.
pub(super) const DISTINCT: f64 = 1e-5;

/// Quantities that all classes share: the scale of each feature, the pooled covariance and the empty directions.
pub(super) struct Pooled {
    order: usize,
    /// Total standard deviation of each feature; infinite for a constant feature, so that it has no influence.
    scale: Vec<f64>,
    /// Pooled covariance of the scaled features.
    within: Vec<f64>,
    /// Projection onto the directions without variance, and the number of these directions.
    empty: Option<(Vec<f64>, usize)>,
    /// Pooled covariance with full rank, computed when a class needs it.
    target: OnceCell<Vec<f64>>,
}

impl Pooled {
    /// Pools class Gaussians with the priors, which add up to 1, as weights. Directions in which all samples vary by at
    /// most a fraction `least` of the total variance are empty.
    pub(super) fn new(gaussians: &Gaussians, priors: &[f64], least: f64) -> Self {
        let m = gaussians.order();
        let average = |of: &dyn Fn(usize) -> f64| -> f64 {
            priors.iter().enumerate().map(|(class, prior)| prior * of(class)).sum()
        };
        let center: Vec<f64> = (0..m).map(|i| average(&|class| gaussians.mean(class)[i])).collect();
        let mut within = vec![0.0; m * m];
        let mut total = vec![0.0; m * m];
        for at in 0..m * m {
            let (i, j) = (at / m, at % m);
            within[at] = average(&|class| gaussians.covariance(class)[at]);
            let between = average(&|class| {
                let mean = gaussians.mean(class);
                (mean[i] - center[i]) * (mean[j] - center[j])
            });
            total[at] = within[at] + between;
        }
        let largest = total.iter().step_by(m + 1).copied().fold(0.0, f64::max);
        // Features of filters without variance, such as principal components beyond the rank of the data, are rounding
        // errors.
        let rounding = 4.0 * m as f64 * f64::EPSILON * largest;
        let deviation =
            |variance: f64| if variance > rounding { variance.sqrt() } else { f64::INFINITY };
        let scale: Vec<f64> = (0..m).map(|i| deviation(total[i * m + i])).collect();
        let total = divided(&total, &scale);
        let within = divided(&within, &scale);
        let empty = empty_directions(&total, m, least);
        Self { order: m, scale, within, empty, target: OnceCell::new() }
    }

    /// Factors the covariance of a class, shrunk towards the pooled covariance by the specified fraction. With `None`,
    /// it is shrunk only if it does not have full rank.
    pub(super) fn class(
        &self,
        covariance: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Whitened, Deficient> {
        let own = divided(covariance, &self.scale);
        match shrinkage {
            Some(0.0) => self.factored(own),
            Some(fraction) => self.factored(mixed(self.filled(own), self.target(), fraction)),
            None => {
                let own = self.filled(own);
                match self.needed(&own) {
                    0.0 => self.factored(own),
                    fraction => self
                        .factored(mixed(own, self.target(), fraction))
                        .or_else(|_| self.pooled(None)),
                }
            }
        }
    }

    /// Factors the pooled covariance, shrunk towards its diagonal by the specified fraction. With `None`, it is shrunk
    /// only if it does not have full rank.
    pub(super) fn pooled(&self, shrinkage: Option<f64>) -> Result<Whitened, Deficient> {
        match shrinkage {
            Some(0.0) => self.factored(self.within.clone()),
            Some(fraction) => {
                let own = self.filled(self.within.clone());
                let target = self.diagonal(&own);
                self.factored(mixed(own, &target, fraction))
            }
            // If entries are rounding errors, the matrix need not be positive definite, and the diagonal alone is used.
            None => self
                .factored(self.target().to_vec())
                .or_else(|_| self.factored(self.diagonal(self.target()))),
        }
    }

    /// Returns the pooled covariance with full rank.
    fn target(&self) -> &[f64] {
        self.target.get_or_init(|| {
            let own = self.filled(self.within.clone());
            let (target, fraction) = (self.diagonal(&own), self.needed(&own));
            mixed(own, &target, fraction)
        })
    }

    /// Returns the diagonal of a covariance. Features that vary only between classes keep a small fraction of their
    /// total variance.
    fn diagonal(&self, covariance: &[f64]) -> Vec<f64> {
        let m = self.order;
        let entry =
            |at: usize| if at / m == at % m { covariance[at].max(QDA_SHRINKAGE) } else { 0.0 };
        (0..m * m).map(entry).collect()
    }

    /// Adds variance 1 along the empty directions.
    fn filled(&self, mut covariance: Vec<f64>) -> Vec<f64> {
        for (value, more) in covariance.iter_mut().zip(self.empty.iter().flat_map(|(all, _)| all)) {
            *value += more;
        }
        covariance
    }

    /// Returns the fraction by which a covariance has to be shrunk; 0 if it has full rank.
    fn needed(&self, covariance: &[f64]) -> f64 {
        let m = self.order;
        let rank = match correlation(covariance, m) {
            Some(correlation) if is_full(&correlation, m, FULL_RANK) => return 0.0,
            _ => rank(covariance, m),
        };
        let empty = self.empty.as_ref().map_or(0, |(_, count)| *count);
        let (rank, order) = (rank.saturating_sub(empty) as f64, (m - empty) as f64);
        order / (rank + 1.0 + order)
    }

    /// Factors a covariance of scaled features and converts the factor to unscaled features.
    fn factored(&self, covariance: Vec<f64>) -> Result<Whitened, Deficient> {
        let m = self.order;
        let variances: Vec<f64> = (0..m).map(|i| covariance[i * m + i]).collect();
        let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
        let mut lower =
            correlation(&covariance, m).ok_or(Deficient { pivot: least, largest: 1.0 })?;
        f64::cholesky(&mut lower, m);
        let pivot = smallest_pivot(&lower, m);
        if pivot <= FULL_RANK {
            return Err(Deficient { pivot, largest: 1.0 });
        }
        let scale: Vec<f64> = variances
            .iter()
            .zip(&self.scale)
            .map(|(variance, scale)| variance.sqrt() * scale)
            .collect();
        let known = |scale: f64| if scale.is_finite() { scale.ln() } else { 0.0 };
        let log_det = (0..m).map(|i| 2.0 * (lower[i * m + i].ln() + known(scale[i]))).sum();
        let mut whitening = vec![0.0; m * m];
        f64::invert_lower(&lower, &mut whitening, m);
        whitening.chunks_mut(m).for_each(|row| {
            row.iter_mut().zip(&scale).for_each(|(value, scale)| *value /= scale);
        });
        Ok(Whitened { whitening, log_det })
    }
}

/// Returns (1 − fraction) A + fraction B.
fn mixed(mut a: Vec<f64>, b: &[f64], fraction: f64) -> Vec<f64> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = (1.0 - fraction) * *a + fraction * b);
    a
}

/// Returns the covariance of features that are each divided by a number.
fn divided(covariance: &[f64], scale: &[f64]) -> Vec<f64> {
    let m = scale.len();
    (0..m * m).map(|at| covariance[at] / scale[at / m] / scale[at % m]).collect()
}

/// Returns the correlation matrix of a covariance of scaled features, or `None` if a feature does not vary.
fn correlation(covariance: &[f64], m: usize) -> Option<Vec<f64>> {
    let deviations: Vec<f64> = (0..m).map(|i| covariance[i * m + i].sqrt()).collect();
    let all_vary = (0..m).all(|i| covariance[i * m + i] > RANK);
    all_vary.then(|| divided(covariance, &deviations))
}

fn is_full(correlation: &[f64], m: usize, least: f64) -> bool {
    let mut lower = correlation.to_vec();
    f64::cholesky(&mut lower, m);
    smallest_pivot(&lower, m) > least
}

/// Returns the rank of a covariance of scaled features: the number of positive eigenvalues of the correlations between
/// features that vary.
fn rank(covariance: &[f64], m: usize) -> usize {
    let varying: Vec<usize> = (0..m).filter(|i| covariance[i * m + i] > RANK).collect();
    let own = Mat::from_fn(varying.len(), varying.len(), |i, j| {
        let (i, j) = (varying[i], varying[j]);
        covariance[i * m + j] / (covariance[i * m + i] * covariance[j * m + j]).sqrt()
    });
    if varying.is_empty() {
        return 0;
    }
    let values = symmetric_eigen(own.as_ref()).map(|(values, _)| values).unwrap_or_default();
    values.iter().filter(|value| **value > FULL_RANK).count().min(m - 1)
}

/// Returns the projection onto the directions in which a total covariance of scaled features has no variance, and the
/// number of these directions.
fn empty_directions(total: &[f64], m: usize, least: f64) -> Option<(Vec<f64>, usize)> {
    if is_full(total, m, least) {
        return None;
    }
    let (variances, vectors) = symmetric_eigen(MatRef::from_row_major_slice(total, m, m))?;
    let empty = variances.partition_point(|&variance| variance <= least);
    let along =
        |i: usize, j: usize| -> f64 { (0..empty).map(|k| vectors[(i, k)] * vectors[(j, k)]).sum() };
    Some(((0..m * m).map(|at| along(at / m, at % m)).collect(), empty))
}
