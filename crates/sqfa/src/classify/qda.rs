//! Quadratic discriminant analysis: one Gaussian or t distribution per class; the class with the largest posterior
//! wins.
//!
//! Covariances are maximum-likelihood estimates (divisor N). The score of class k is −½(|L_k⁻¹(z−μ_k)|² + ln|S_k|) + ln
//! π_k. If all classes have full rank, nothing is shrunk. Otherwise classes without full rank are shrunk towards the
//! pooled covariance, and directions in which nothing varies contribute equally to all classes (see `shrunk`). Both are
//! decided from correlations, so they do not depend on units. The cost is one Cholesky factorization of order m per
//! class, and then c·m² flops per sample.

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

/// A quadratic classifier on features: one Gaussian or t distribution per class.
///
/// ```
/// use sqfa::{ClassStatistics, Estimator, Labels, Mat, Qda, Table};
///
/// // One column with equal means: class 0 is narrow, class 1 is wide.
/// let rows = [-0.5, 0.5, 0.1, -0.1, -4.0, 4.0, 3.0, -3.0];
/// let samples = Table::row_major(&rows, 8, 1).expect("8 rows of 1 number");
/// let labels = Labels::from_integers(&[0, 0, 0, 0, 1, 1, 1, 1]);
/// let statistics = ClassStatistics::from_points(samples.into(), &labels, Estimator::Empirical)?;
///
/// let filters = Mat::from_fn(1, 1, |_, _| 1.0);
/// let qda = Qda::from_statistics(&statistics, filters.as_ref(), None)?;
/// assert_eq!(qda.predict(samples.into())?, [0, 0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Qda(Discriminant);

impl Qda {
    /// Returns ln p(class | z) for every sample and class, with NaN for samples that are too far from all classes.
    pub(crate) fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        self.0.posteriors(features)
    }

    /// Creates a classifier from class Gaussians with maximum-likelihood covariances.
    ///
    /// `shrinkage` is the fraction of every class covariance that is replaced by the pooled covariance. With `None`,
    /// only classes without full rank are shrunk.
    ///
    /// # Errors
    ///
    /// Returns an error if the priors are not probabilities, the shrinkage is not between 0 and 1, or a class does not
    /// have full rank after shrinkage.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        Self::shrunk(classes, gaussians, priors, shrinkage, FULL_RANK)
    }

    /// Creates a classifier on features of learned filters.
    ///
    /// It differs from [`Qda::new`] if filters are nearly identical: the directions in which these filters differ
    /// contribute equally to all classes, because they only show where the optimization stopped.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Qda::new`].
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

    /// Creates the classifier of the paper's experiments, which depends on units.
    ///
    /// Every class covariance S of order m is replaced by (1−s)S + s(tr S/m)I with s the `shrinkage`, as in
    /// scikit-learn.
    ///
    /// # Errors
    ///
    /// Returns an error if the priors are not probabilities, the shrinkage is not between 0 and 1, or a class does not
    /// have full rank after shrinkage.
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

    /// Creates a classifier with priors of sum 1. `factored` factors the covariance of a class.
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

    /// Returns the classifier with t densities of the specified degrees of freedom. Its covariances are then used as
    /// scatter matrices.
    ///
    /// # Errors
    ///
    /// Returns [`ClassifierError::Degrees`] if `degrees` is not positive and finite.
    pub fn heavy_tailed(mut self, degrees: f64) -> Result<Self, ClassifierError> {
        if !(degrees.is_finite() && degrees > 0.0) {
            return Err(ClassifierError::Degrees { degrees });
        }
        self.0.degrees = Some(degrees);
        Ok(self)
    }

    /// Returns the degrees of freedom ν of the t densities, or `None` for Gaussians.
    pub fn degrees(&self) -> Option<f64> {
        self.0.degrees
    }

    /// Creates a classifier on the features of filters (n × m, one filter per column) from the statistics of the
    /// training samples.
    ///
    /// The priors are the class frequencies, and covariances are converted from divisor N − 1 to N. If the statistics
    /// are scatter matrices of t distributions, the classes have t densities. For the shrinkage, see
    /// [`Qda::of_features`].
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Qda::new`].
    pub fn from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        Self::of_statistics(statistics, filters, |classes, gaussians, priors| {
            Self::of_features(classes, gaussians, priors, shrinkage)
        })
    }

    /// Creates a [`Qda::plain`] classifier on the features of filters (n × m, one filter per column) from the
    /// statistics of the training samples.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Qda::plain`].
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

    /// Returns the classifier with t densities if degrees of freedom are specified, otherwise unchanged.
    pub(crate) fn with_degrees(self, degrees: Option<f64>) -> Result<Self, ClassifierError> {
        match degrees {
            Some(degrees) => self.heavy_tailed(degrees),
            None => Ok(self),
        }
    }
}

answers!(Qda);
