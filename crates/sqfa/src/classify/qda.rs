//! Quadratic discriminant analysis: one Gaussian or t distribution per class, the largest posterior wins.
//!
//! Covariances are maximum-likelihood (divisor N), shrunk to (1−s)S + s(tr S/m)I; the score of class k is
//! −½(|L_k⁻¹(z−μ_k)|² + ln|S_k|) + ln π_k. A class without full rank is an error, never a wrong prediction.
//! Cost: one Cholesky of order m a class, then c·m² flops a point.

use super::ClassifierError;
use super::discriminant::{Discriminant, answers, check_parameters, maximum_likelihood, whiten};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::MatRef;
use crate::points::Points;
use crate::statistics::ClassStatistics;
use crate::statistics::project;

/// A quadratic classifier on features.
#[derive(Debug, Clone)]
pub struct Qda(Discriminant);

impl Qda {
    /// ln p(class | z) for every point and class, NaN for points that are too far from all classes.
    pub(crate) fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        self.0.posteriors(features)
    }

    /// A classifier from class Gaussians with maximum-likelihood covariances.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let priors = check_parameters(priors, count, shrinkage)?;
        let mut means = Vec::with_capacity(count * order);
        let mut whitening = Vec::with_capacity(count * order * order);
        let mut constants = Vec::with_capacity(count);
        for class in 0..count {
            let covariance = gaussians.covariance(class).to_vec();
            let whitened = whiten(covariance, order, shrinkage).map_err(|deficient| {
                ClassifierError::Singular {
                    class: classes.label(class).to_string(),
                    pivot: deficient.pivot,
                    largest: deficient.largest,
                }
            })?;
            whitening.extend(whitened.whitening);
            constants.push(priors[class].ln() - 0.5 * whitened.log_det);
            means.extend_from_slice(gaussians.mean(class));
        }
        Ok(Self(Discriminant {
            classes: classes.clone(),
            order,
            means,
            whitening,
            constants,
            degrees: None,
        }))
    }

    /// The same with t densities of so many degrees of freedom; what were covariances are scatters.
    pub fn heavy_tailed(mut self, degrees: f64) -> Result<Self, ClassifierError> {
        if !(degrees.is_finite() && degrees > 0.0) {
            return Err(ClassifierError::Degrees { degrees });
        }
        self.0.degrees = Some(degrees);
        Ok(self)
    }

    /// ν of its t densities; none for Gaussians.
    pub fn degrees(&self) -> Option<f64> {
        self.0.degrees
    }

    /// A classifier on the features of some filters, from the statistics of the training points.
    ///
    /// Priors are the class frequencies; covariances are turned from divisor N − 1 to N. Scatters of t distributions
    /// are classified by t densities.
    pub fn from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let features = project(statistics, filters, 0.0);
        // Robust scatters have no divisor N − 1.
        let counts = statistics.counts().filter(|_| statistics.robust().is_none());
        let qda = Self::new(
            statistics.classes(),
            &maximum_likelihood(&features, counts),
            &statistics.shares(),
            shrinkage,
        )?;
        match statistics.degrees() {
            Some(degrees) => qda.heavy_tailed(degrees),
            None => Ok(qda),
        }
    }
}

answers!(Qda);
