//! Linear discriminant analysis as a classifier: class means, one pooled covariance, the largest posterior wins.
//!
//! The pooled covariance S = Σ π_k S_k of maximum-likelihood covariances (divisor N) is shrunk towards its diagonal, by
//! default only if it has not full rank (see `shrunk`); the score of class k is ln π_k − ½|L⁻¹(z−μ_k)|².
//! Cost: one Cholesky of order m, then c·m² flops per sample.

use super::ClassifierError;
use super::discriminant::{Discriminant, answers, check_parameters, maximum_likelihood};
use super::shrunk::{FULL_RANK, Pooled};
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
    ///
    /// `shrinkage` is the fraction of the pooled covariance that is replaced by its diagonal. Without it, the covariance is
    /// shrunk only if it has not full rank.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let priors = check_parameters(priors, count, shrinkage)?;
        let mut means = Vec::with_capacity(count * order);
        (0..count).for_each(|class| means.extend_from_slice(gaussians.mean(class)));
        let pooled = Pooled::new(gaussians, &priors, FULL_RANK).pooled(shrinkage);
        let whitened = pooled.map_err(|deficient| ClassifierError::PooledSingular {
            pivot: deficient.pivot,
            largest: deficient.largest,
        })?;
        let constants = priors.iter().map(|prior| prior.ln() - 0.5 * whitened.log_det).collect();
        let whitening = whitened.whitening;
        Ok(Self(Discriminant {
            classes: classes.clone(),
            order,
            width: order,
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
        shrinkage: Option<f64>,
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
