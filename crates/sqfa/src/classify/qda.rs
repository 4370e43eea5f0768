//! Quadratic discriminant analysis: one Gaussian or t distribution per class, the largest posterior wins.
//!
//! Covariances are maximum-likelihood (divisor N); the score of class k is −½(|L_k⁻¹(z−μ_k)|² + ln|S_k|) + ln π_k.
//! If all classes have full rank, nothing is shrunk. Otherwise classes without full rank are shrunk towards the pooled
//! covariance, and directions in which nothing varies count alike in all classes (see `shrunk`). Both are judged on
//! correlations, so units do not matter.
//! Cost: one Cholesky of order m per class, then c·m² flops per sample.

use super::ClassifierError;
use super::discriminant::{
    Deficient, Densities, Discriminant, Whitened, answers, check_parameters, whiten,
};
use super::shrunk::{DISTINCT, FULL_RANK, Pooled};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::MatRef;
use crate::points::Points;
use crate::statistics::ClassStatistics;

/// A quadratic classifier on features.
#[derive(Debug, Clone)]
pub struct Qda(Discriminant);

impl Qda {
    /// ln p(class | z) for every point and class, NaN for points that are too far from all classes.
    pub(crate) fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        self.0.posteriors(features)
    }

    /// A classifier from class Gaussians with maximum-likelihood covariances.
    ///
    /// `shrinkage` is the fraction of every class covariance that is replaced by the pooled covariance. Without it, only
    /// classes without full rank are shrunk.
    ///
    /// # Errors
    ///
    /// If the priors are no probabilities, if the shrinkage is not between 0 and 1, or if it leaves a class without full
    /// rank.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        Self::shrunk(classes, gaussians, priors, shrinkage, FULL_RANK)
    }

    /// [`Qda::new`] on features of learned filters. Directions in which filters are nearly identical count alike in all
    /// classes.
    ///
    /// # Errors
    ///
    /// Those of [`Qda::new`].
    pub fn of_features(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        Self::shrunk(classes, gaussians, priors, shrinkage, DISTINCT)
    }

    fn shrunk(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
        least: f64,
    ) -> Result<Self, ClassifierError> {
        let priors = check_parameters(priors, gaussians.len(), shrinkage)?;
        let pooled = Pooled::new(gaussians, &priors, least);
        Self::of(classes, gaussians, &priors, |own| pooled.class(own, shrinkage))
    }

    /// The classifier of the paper's experiments, which depends on units: every class covariance S of order m is replaced by
    /// (1−s)S + s(tr S/m)I, as in scikit-learn.
    ///
    /// # Errors
    ///
    /// If the priors are no probabilities, if the shrinkage is not between 0 and 1, or if it leaves a class without full
    /// rank.
    pub fn plain(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        let priors = check_parameters(priors, gaussians.len(), Some(shrinkage))?;
        let order = gaussians.order();
        Self::of(classes, gaussians, &priors, |own| whiten(own.to_vec(), order, shrinkage))
    }

    /// A classifier with priors of sum 1, given how a class covariance is factored.
    fn of(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        factored: impl Fn(&[f64]) -> Result<Whitened, Deficient>,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let mut means = Vec::with_capacity(count * order);
        let mut whitening = Vec::with_capacity(count * order * order);
        let mut constants = Vec::with_capacity(count);
        for class in 0..count {
            let whitened = factored(gaussians.covariance(class)).map_err(|deficient| {
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
            width: order,
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
    /// are classified by t densities. For the shrinkage, see [`Qda::of_features`].
    ///
    /// # Errors
    ///
    /// Those of [`Qda::new`].
    pub fn from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        Self::of_statistics(statistics, filters, |classes, gaussians, priors| {
            Self::of_features(classes, gaussians, priors, shrinkage)
        })
    }

    /// [`Qda::plain`] on the features of some filters, from the statistics of the training points.
    ///
    /// # Errors
    ///
    /// Those of [`Qda::plain`].
    pub fn plain_from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        Self::of_statistics(statistics, filters, |classes, gaussians, priors| {
            Self::plain(classes, gaussians, priors, shrinkage)
        })
    }

    fn of_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        build: impl Fn(&Classes, &Gaussians, &[f64]) -> Result<Self, ClassifierError>,
    ) -> Result<Self, ClassifierError> {
        let Densities { features, priors, degrees } = Densities::new(statistics, filters);
        build(statistics.classes(), &features, &priors)?.with_degrees(degrees)
    }

    /// Returns the same with t densities if degrees of freedom are given.
    pub(crate) fn with_degrees(self, degrees: Option<f64>) -> Result<Self, ClassifierError> {
        match degrees {
            Some(degrees) => self.heavy_tailed(degrees),
            None => Ok(self),
        }
    }
}

answers!(Qda);
