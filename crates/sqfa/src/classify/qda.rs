//! Quadratic discriminant analysis: one Gaussian per class, the largest posterior wins.
//!
//! Covariances are maximum-likelihood (divisor N), shrunk to (1−s)S + s(tr S/m)I; the score of class k is
//! −½(|L_k⁻¹(z−μ_k)|² + ln|S_k|) + ln π_k. A class without full rank is an error, never a wrong prediction.
//! Cost: one Cholesky of order m a class, then c·m² flops a point.

use rayon::prelude::*;

use super::ClassifierError;
use crate::features::{Gaussians, project};
use crate::labels::Classes;
use crate::linalg::{MatRef, Real};
use crate::points::{Points, Scalar, Table};
use crate::statistics::ClassStatistics;
use crate::with_table;

/// A squared pivot smaller than this share of the largest variance means the class has no full rank.
const RANK: f64 = 1e-13;

/// A quadratic classifier on features.
#[derive(Debug, Clone)]
pub struct Qda {
    classes: Classes,
    order: usize,
    means: Vec<f64>,
    /// Inverse Cholesky factors, row-major.
    whitening: Vec<f64>,
    /// ln π − ½ ln|S|.
    constants: Vec<f64>,
}

impl Qda {
    /// A classifier from class Gaussians with maximum-likelihood covariances.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let (m, count) = (gaussians.order(), gaussians.len());
        let total: f64 = priors.iter().sum();
        let sound = priors.iter().all(|prior| prior.is_finite() && *prior >= 0.0);
        if priors.len() != count || !sound || total.is_nan() || total <= 0.0 {
            return Err(ClassifierError::Priors { classes: count });
        }
        if !(0.0..=1.0).contains(&shrinkage) {
            return Err(ClassifierError::Shrinkage { shrinkage });
        }
        let mut means = Vec::with_capacity(count * m);
        let mut whitening = vec![0.0; count * m * m];
        let mut constants = Vec::with_capacity(count);
        for class in 0..count {
            let mut lower = gaussians.covariance(class).to_vec();
            let mean_variance = (0..m).map(|i| lower[i * m + i]).sum::<f64>() / m as f64;
            let largest = (0..m).fold(0.0_f64, |largest, i| largest.max(lower[i * m + i]));
            lower.iter_mut().for_each(|value| *value *= 1.0 - shrinkage);
            (0..m).for_each(|i| lower[i * m + i] += shrinkage * mean_variance);
            f64::cholesky(&mut lower, m);
            let pivots = (0..m).map(|i| lower[i * m + i].powi(2));
            // A failed factorisation leaves NaN, which `min` would pass over.
            let pivot =
                pivots.fold(
                    f64::INFINITY,
                    |least, pivot| {
                        if pivot.is_nan() { 0.0 } else { least.min(pivot) }
                    },
                );
            if pivot <= RANK * largest {
                let class = classes.label(class).to_string();
                return Err(ClassifierError::Singular { class, pivot, largest });
            }
            let log_det: f64 = (0..m).map(|i| 2.0 * lower[i * m + i].ln()).sum();
            f64::invert_lower(&lower, &mut whitening[class * m * m..][..m * m], m);
            constants.push((priors[class] / total).ln() - 0.5 * log_det);
            means.extend_from_slice(gaussians.mean(class));
        }
        Ok(Self { classes: classes.clone(), order: m, means, whitening, constants })
    }

    /// A classifier on the features of some filters, from the statistics of the training points.
    ///
    /// Priors are the class frequencies; covariances are turned from divisor N − 1 to N.
    pub fn from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let features = project(statistics, filters, 0.0);
        Self::new(
            statistics.classes(),
            &maximum_likelihood(&features, statistics.counts()),
            &statistics.shares(),
            shrinkage,
        )
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// For every point, the position of its most probable class; ties go to the first.
    pub fn predict(&self, features: Points<'_>) -> Vec<u32> {
        with_table!(features, table => {
            (0..table.rows())
                .into_par_iter()
                .map_init(
                    || Scratch::new(self.order, self.constants.len()),
                    |scratch, row| {
                        self.scores(&table, row, scratch);
                        let mut best = 0;
                        for (class, score) in scratch.scores.iter().enumerate() {
                            if *score > scratch.scores[best] {
                                best = class;
                            }
                        }
                        best as u32
                    },
                )
                .collect()
        })
    }

    /// ln p(class | z) for every point (rows) and class (columns), row-major.
    pub fn log_posteriors(&self, features: Points<'_>) -> Vec<f64> {
        let count = self.constants.len();
        let rows: Vec<Vec<f64>> = with_table!(features, table => {
            (0..table.rows())
                .into_par_iter()
                .map_init(
                    || Scratch::new(self.order, count),
                    |scratch, row| {
                        self.scores(&table, row, scratch);
                        let largest =
                            scratch.scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                        let sum: f64 =
                            scratch.scores.iter().map(|score| (score - largest).exp()).sum();
                        let log = largest + sum.ln();
                        scratch.scores.iter().map(|score| score - log).collect()
                    },
                )
                .collect()
        });
        rows.concat()
    }

    /// The share of points whose predicted class is their own.
    pub fn accuracy(&self, features: Points<'_>, codes: &[u32]) -> f64 {
        let predicted = self.predict(features);
        let hits = predicted.iter().zip(codes).filter(|(a, b)| a == b).count();
        hits as f64 / codes.len().max(1) as f64
    }

    fn scores<S: Scalar>(&self, table: &Table<'_, S>, row: usize, scratch: &mut Scratch) {
        let m = self.order;
        for (j, value) in scratch.point.iter_mut().enumerate() {
            *value = table.get(row, j).to_f64();
        }
        for (class, score) in scratch.scores.iter_mut().enumerate() {
            let mean = &self.means[class * m..][..m];
            for j in 0..m {
                scratch.centred[j] = scratch.point[j] - mean[j];
            }
            let whitening = &self.whitening[class * m * m..][..m * m];
            let mut square = 0.0;
            for i in 0..m {
                let mut sum = 0.0;
                for j in 0..=i {
                    sum += whitening[i * m + j] * scratch.centred[j];
                }
                square += sum * sum;
            }
            *score = self.constants[class] - 0.5 * square;
        }
    }
}

/// Gaussians whose covariances have divisor N, from ones with divisor N − 1.
pub(crate) fn maximum_likelihood(gaussians: &Gaussians, counts: Option<&[u64]>) -> Gaussians {
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

struct Scratch {
    point: Vec<f64>,
    centred: Vec<f64>,
    scores: Vec<f64>,
}

impl Scratch {
    fn new(order: usize, classes: usize) -> Self {
        Self { point: vec![0.0; order], centred: vec![0.0; order], scores: vec![0.0; classes] }
    }
}
