//! Linear discriminant analysis as a classifier: class means, one pooled covariance, the largest posterior wins.
//!
//! The pooled covariance Σ π_k S_k of maximum-likelihood covariances (divisor N) is shrunk to (1−s)S + s(tr S/m)I;
//! the score of class k is ln π_k − ½|L⁻¹(z−μ_k)|². Cost: one Cholesky of order m, then c·m² flops a point.

use super::ClassifierError;
use super::discriminant::{Discriminant, check_parameters, maximum_likelihood, whiten};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::MatRef;
use crate::points::Points;
use crate::statistics::ClassStatistics;
use crate::statistics::project;

/// A linear classifier on features.
#[derive(Debug, Clone)]
pub struct LdaClassifier(Discriminant);

impl LdaClassifier {
    /// A classifier from class Gaussians with maximum-likelihood covariances, which are pooled by the priors.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let priors = check_parameters(priors, count, shrinkage)?;
        let mut means = Vec::with_capacity(count * order);
        let mut pooled = vec![0.0; order * order];
        for (class, prior) in priors.iter().enumerate() {
            for (sum, entry) in pooled.iter_mut().zip(gaussians.covariance(class)) {
                *sum += prior * entry;
            }
            means.extend_from_slice(gaussians.mean(class));
        }
        let whitened = whiten(pooled, order, shrinkage).map_err(|deficient| {
            ClassifierError::PooledSingular { pivot: deficient.pivot, largest: deficient.largest }
        })?;
        let constants = priors.iter().map(|prior| prior.ln() - 0.5 * whitened.log_det).collect();
        let whitening = whitened.whitening;
        Ok(Self(Discriminant {
            classes: classes.clone(),
            order,
            means,
            whitening,
            constants,
            degrees: None,
        }))
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
        &self.0.classes
    }

    /// The dimension of the features it classifies.
    pub fn dimension(&self) -> usize {
        self.0.order
    }

    /// For every point, the position of its most probable class; ties go to the first.
    pub fn predict(&self, features: Points<'_>) -> Result<Vec<u32>, ClassifierError> {
        self.0.predict(features)
    }

    /// ln p(class | z) for every point (rows) and class (columns), row-major.
    pub fn log_posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        self.0.log_posteriors(features)
    }

    /// The share of points whose predicted class is their own.
    pub fn accuracy(&self, features: Points<'_>, codes: &[u32]) -> Result<f64, ClassifierError> {
        self.0.accuracy(features, codes)
    }
}
