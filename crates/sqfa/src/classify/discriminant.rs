//! Discriminants: a sample z is assigned to the class with the largest ln π_k − ½ ln|S_k| − g(|L_k⁻¹(z−μ_k)|²).
//!
//! g(u) = u/2 for Gaussians, and ((ν+m)/2) ln(1 + u/ν) for t distributions. QDA has one S_k per class, LDA one for all.
//! The cost is one Cholesky factorization of order m per covariance, and then c·m² flops per sample.

use std::ops::Range;

use super::{ClassifierError, POINTS_A_TASK, check_dimension, share_right};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::{LANES, Lanes, MatRef, Real, dispatch};
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::statistics::{ClassStatistics, project};
use crate::with_table;

/// Smallest squared pivot, relative to the largest variance, for which a covariance counts as having full rank.
pub(super) const RANK: f64 = 1e-13;

/// Implements the public methods of a classifier that wraps a [`Discriminant`].
macro_rules! answers {
    ($classifier:ty) => {
        impl $classifier {
            /// Returns the classes in their fixed order.
            pub fn classes(&self) -> &$crate::Classes {
                &self.0.classes
            }

            /// Returns the number of features of a sample.
            pub fn dimension(&self) -> usize {
                self.0.width
            }

            /// Returns the classifier for samples with `features` features, of which it uses only the first ones.
            pub fn reading(mut self, features: usize) -> Self {
                self.0.width = features.max(self.0.order);
                self
            }

            /// The discriminant functions of the classifier.
            pub(super) fn discriminant(&self) -> &$crate::classify::discriminant::Discriminant {
                &self.0
            }

            /// Returns, for each sample (row), the index of its most probable class. The first class wins ties.
            ///
            /// # Errors
            ///
            /// Returns an error if the samples have a different number of features than the classifier, or if a sample
            /// is so far from every class that its distances overflow.
            pub fn predict(
                &self,
                features: $crate::points::Points<'_>,
            ) -> Result<Vec<u32>, $crate::classify::ClassifierError> {
                self.0.predict(features)
            }

            /// Returns the logarithm of the posterior, ln p(class | z), for every sample (row) and class (column),
            /// row-major.
            ///
            /// # Errors
            ///
            /// Returns an error if the samples have a different number of features than the classifier, or if a sample
            /// is so far from every class that its distances overflow.
            pub fn log_posteriors(
                &self,
                features: $crate::points::Points<'_>,
            ) -> Result<Vec<f64>, $crate::classify::ClassifierError> {
                self.0.log_posteriors(features)
            }

            /// Returns the fraction of samples that are classified correctly. `codes` has the class index of each
            /// sample.
            ///
            /// # Errors
            ///
            /// Returns an error if the samples have a different number of features than the classifier, the number of
            /// codes differs from the number of samples, or a sample is so far from every class that its distances
            /// overflow.
            pub fn accuracy(
                &self,
                features: $crate::points::Points<'_>,
                codes: &[u32],
            ) -> Result<f64, $crate::classify::ClassifierError> {
                self.0.accuracy(features, codes)
            }
        }
    };
}
pub(super) use answers;

/// Class means, inverse Cholesky factors and constants: everything that classifies a sample.
#[derive(Debug, Clone)]
pub(super) struct Discriminant {
    pub(super) classes: Classes,
    pub(super) order: usize,
    /// Number of features of a sample, of which only the first `order` are used.
    pub(super) width: usize,
    pub(super) means: Vec<f64>,
    /// Inverse Cholesky factors, row-major: one per class, or one for all classes.
    pub(super) whitening: Vec<f64>,
    /// The constants ln π − ½ ln|S|, one per class.
    pub(super) constants: Vec<f64>,
    /// Degrees of freedom ν of t distributions; `None` for Gaussians.
    pub(super) degrees: Option<f64>,
}

/// The inverse Cholesky factor and the log-determinant of a covariance.
pub(super) struct Whitened {
    pub(super) whitening: Vec<f64>,
    pub(super) log_det: f64,
}

/// The smallest pivot and the largest variance of a covariance without full rank.
pub(super) struct Deficient {
    pub(super) pivot: f64,
    pub(super) largest: f64,
}

/// Factors (1−s)S + s(tr S/m)I.
pub(super) fn whiten(mut lower: Vec<f64>, m: usize, shrinkage: f64) -> Result<Whitened, Deficient> {
    let mean_variance = (0..m).map(|i| lower[i * m + i]).sum::<f64>() / m as f64;
    let largest = (0..m).fold(0.0_f64, |largest, i| largest.max(lower[i * m + i]));
    lower.iter_mut().for_each(|value| *value *= 1.0 - shrinkage);
    (0..m).for_each(|i| lower[i * m + i] += shrinkage * mean_variance);
    f64::cholesky(&mut lower, m);
    let pivot = smallest_pivot(&lower, m);
    if pivot <= RANK * largest {
        return Err(Deficient { pivot, largest });
    }
    let log_det = (0..m).map(|i| 2.0 * lower[i * m + i].ln()).sum();
    let mut whitening = vec![0.0; m * m];
    f64::invert_lower(&lower, &mut whitening, m);
    Ok(Whitened { whitening, log_det })
}

/// Returns the smallest squared pivot of a Cholesky factor; 0 if the factorization failed, which leaves NaN.
pub(super) fn smallest_pivot(lower: &[f64], m: usize) -> f64 {
    let pivots = (0..m).map(|i| lower[i * m + i].powi(2));
    pivots.fold(f64::INFINITY, |least, pivot| if pivot.is_nan() { 0.0 } else { least.min(pivot) })
}

/// Checks the priors and the shrinkage, and returns the priors scaled to sum 1.
pub(super) fn check_parameters(
    priors: &[f64],
    classes: usize,
    shrinkage: Option<f64>,
) -> Result<Vec<f64>, ClassifierError> {
    let total: f64 = priors.iter().sum();
    let sound = priors.iter().all(|prior| prior.is_finite() && *prior >= 0.0);
    if priors.len() != classes || !sound || total.is_nan() || total <= 0.0 {
        return Err(ClassifierError::Priors { classes });
    }
    if let Some(shrinkage) = shrinkage.filter(|given| !(0.0..=1.0).contains(given)) {
        return Err(ClassifierError::Shrinkage { shrinkage });
    }
    Ok(priors.iter().map(|prior| prior / total).collect())
}

/// Converts covariances with divisor N − 1 to divisor N.
pub(super) fn maximum_likelihood(gaussians: &Gaussians, counts: Option<&[u64]>) -> Gaussians {
    let m = gaussians.order();
    let mut means = Vec::new();
    let mut covariances = Vec::new();
    for class in 0..gaussians.len() {
        let factor = counts.map_or(1.0, |counts| {
            let count = counts[class] as f64;
            (count - 1.0) / count
        });
        means.extend_from_slice(gaussians.mean(class));
        covariances.extend(gaussians.covariance(class).iter().map(|value| value * factor));
    }
    Gaussians::trusted(m, means, covariances)
}

/// The densities of the classes in feature space, as a quadratic classifier uses them.
pub(crate) struct Densities {
    /// Class Gaussians with covariances of divisor N, or with scatter matrices of t distributions.
    pub(crate) features: Gaussians,
    /// The priors of the classes.
    pub(crate) priors: Vec<f64>,
    /// The degrees of freedom of t distributions; `None` for Gaussians.
    pub(crate) degrees: Option<f64>,
}

impl Densities {
    /// Projects class statistics through filters (n × m) and converts the covariances to divisor N.
    pub(crate) fn new(statistics: &ClassStatistics, filters: MatRef<'_, f64>) -> Self {
        let features = project(statistics, filters, 0.0);
        // Robust scatter matrices do not have divisor N − 1, so they are not converted.
        let counts = statistics.counts().filter(|_| statistics.robust().is_none());
        let features = maximum_likelihood(&features, counts);
        Self { features, priors: statistics.shares(), degrees: statistics.degrees() }
    }
}

impl Discriminant {
    /// Returns the index of the most probable class of each sample, or an error for a sample that is too far from all
    /// classes.
    pub(super) fn predict(&self, features: Points<'_>) -> Result<Vec<u32>, ClassifierError> {
        check_dimension(features, self.width)?;
        let best = |scores: &[f64]| {
            let mut best = 0;
            for (class, score) in scores.iter().enumerate() {
                if *score > scores[best] {
                    best = class;
                }
            }
            tells(scores).then_some(best as u32)
        };
        let predicted: Vec<Vec<Option<u32>>> = with_table!(features, table => {
            parallel::map((0..table.rows()).step_by(POINTS_A_TASK), |first| {
                let rows = first..(first + POINTS_A_TASK).min(table.rows());
                self.scores(&table, rows).chunks(self.constants.len()).map(best).collect()
            })
        });
        let predicted = predicted.concat();
        let far = |row: usize| ClassifierError::TooFar { row };
        predicted
            .into_iter()
            .enumerate()
            .map(|(row, class)| class.ok_or_else(|| far(row)))
            .collect()
    }

    /// Returns the log-posteriors, or an error for a sample that is too far from all classes.
    pub(super) fn log_posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        let all = self.posteriors(features)?;
        let count = self.constants.len().max(1);
        match all.iter().position(|value| value.is_nan()) {
            Some(at) => Err(ClassifierError::TooFar { row: at / count }),
            None => Ok(all),
        }
    }

    /// Returns log-posteriors, with NaN for samples that are too far from all classes.
    pub(super) fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        check_dimension(features, self.width)?;
        let count = self.constants.len();
        let parts: Vec<Vec<f64>> = with_table!(features, table => {
            parallel::map((0..table.rows()).step_by(POINTS_A_TASK), |first| {
                let rows = first..(first + POINTS_A_TASK).min(table.rows());
                let mut part = self.scores(&table, rows);
                for scores in part.chunks_mut(count) {
                    let largest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                    let sum: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
                    let log = largest + sum.ln();
                    scores.iter_mut().for_each(|score| *score -= log);
                }
                part
            })
        });
        Ok(parts.concat())
    }

    /// Returns the fraction of samples that are classified correctly.
    pub(super) fn accuracy(
        &self,
        features: Points<'_>,
        codes: &[u32],
    ) -> Result<f64, ClassifierError> {
        share_right(&self.predict(features)?, codes)
    }

    /// Returns ln π_k p(z|k), up to a constant, with one row per sample and one number per class.
    fn scores<S: Scalar>(&self, table: &Table<'_, S>, rows: Range<usize>) -> Vec<f64> {
        let (m, count) = (self.order, self.constants.len());
        let mut all = vec![0.0; rows.len() * count];
        let mut points = vec![Lanes::splat(0.0); m];
        let mut centered = points.clone();
        for (first, target) in rows.step_by(LANES).zip(all.chunks_mut(LANES * count)) {
            let held = target.len() / count;
            for (j, value) in points.iter_mut().enumerate() {
                for lane in 0..held {
                    value.set_lane(lane, table.get(first + lane, j).to_f64());
                }
            }
            for class in 0..count {
                let square = dispatch(
                    #[inline(always)]
                    || self.square(class, &points, &mut centered),
                );
                for lane in 0..held {
                    let square = square.lane(lane);
                    let tail = match self.degrees {
                        None => 0.5 * square,
                        Some(degrees) => 0.5 * (degrees + m as f64) * (square / degrees).ln_1p(),
                    };
                    target[lane * count + class] = self.constants[class] - tail;
                }
            }
        }
        all
    }

    /// Returns |L_k⁻¹(z − μ_k)|² for eight samples.
    #[inline(always)]
    fn square(&self, class: usize, points: &[Lanes], centered: &mut [Lanes]) -> Lanes {
        let m = self.order;
        // The stride is 0 if all classes share one factor.
        let stride = if self.whitening.len() == m * m { 0 } else { m * m };
        let (mean, whitening) =
            (&self.means[class * m..][..m], &self.whitening[class * stride..][..m * m]);
        for (centered, (&point, &mean)) in centered.iter_mut().zip(points.iter().zip(mean)) {
            *centered = point - Lanes::splat(mean);
        }
        let mut square = Lanes::splat(0.0);
        // Several rows at a time, so that consecutive additions do not wait for each other.
        for first in (0..m).step_by(ROWS) {
            let count = ROWS.min(m - first);
            let mut sums = [Lanes::splat(0.0); ROWS];
            // Row i ends with column i. Rows beyond the last one repeat it, and their sums are not used.
            let rows: [&[f64]; ROWS] =
                std::array::from_fn(|i| &whitening[(first + i.min(count - 1)) * m..][..m]);
            for (j, &value) in centered[..first].iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum = *sum + Lanes::splat(row[j]) * value;
                }
            }
            for (j, &value) in centered.iter().enumerate().take(first + count).skip(first) {
                for i in j - first..count {
                    sums[i] = sums[i] + Lanes::splat(rows[i][j]) * value;
                }
            }
            for &sum in &sums[..count] {
                square = square + sum * sum;
            }
        }
        square
    }
}

/// Number of rows of a factor whose sums are computed together.
const ROWS: usize = 4;

/// Whether the scores distinguish classes. They do not if all squared distances overflowed.
fn tells(scores: &[f64]) -> bool {
    scores.iter().all(|score| !score.is_nan())
        && scores.iter().any(|&score| score > f64::NEG_INFINITY)
}
