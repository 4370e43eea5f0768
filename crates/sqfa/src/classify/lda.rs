//! Linear discriminant analysis as a classifier: class means, one pooled covariance, the largest posterior wins.
//!
//! The pooled covariance Σ π_k S_k of maximum-likelihood covariances (divisor N) is shrunk to (1−s)S + s(tr S/m)I;
//! the score of class k is ln π_k − ½|L⁻¹(z−μ_k)|². Cost: one Cholesky of order m, then c·m² flops a point.

use super::ClassifierError;
use super::discriminant::{Discriminant, answers, check_parameters, maximum_likelihood, whiten};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::MatRef;
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
        let whitened = whiten(pooled, order, shrinkage, None).map_err(|deficient| {
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
}

answers!(LdaClassifier);
