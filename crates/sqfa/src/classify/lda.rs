//! Linear discriminant analysis as a classifier: class means and one pooled covariance; the class with the largest
//! posterior wins.
//!
//! The pooled covariance S = Σ π_k S_k of maximum-likelihood covariances (divisor N) is shrunk towards its diagonal, by
//! default only if it does not have full rank (see `shrunk`). The score of class k is ln π_k − ½|L⁻¹(z−μ_k)|². The cost
//! is one Cholesky factorization of order m, and then c·m² flops per sample.

use super::ClassifierError;
use super::discriminant::{Discriminant, answers, check_parameters, maximum_likelihood};
use super::shrunk::{FULL_RANK, Pooled};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::MatRef;
use crate::statistics::ClassStatistics;
use crate::statistics::project;

/// A linear classifier on features: Gaussian classes with one pooled covariance.
///
/// ```
/// use sqfa::classify::LdaClassifier;
/// use sqfa::{ClassStatistics, Estimator, Labels, Mat, Table};
///
/// let rows = [0.0, 1.0, 2.0, 0.0, 6.0, 1.0, 8.0, 0.0];
/// let samples = Table::row_major(&rows, 4, 2).expect("4 rows of 2 numbers");
/// let labels = Labels::from_integers(&[0, 0, 1, 1]);
/// let statistics = ClassStatistics::from_points(samples.into(), &labels, Estimator::Empirical)?;
///
/// // One filter, the first column.
/// let filters = Mat::from_fn(2, 1, |i, _| if i == 0 { 1.0 } else { 0.0 });
/// let lda = LdaClassifier::from_statistics(&statistics, filters.as_ref(), None)?;
/// let features = sqfa::transform(samples.into(), filters.as_ref(), None);
/// assert_eq!(lda.predict(features.as_points(1))?, [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LdaClassifier(Discriminant);

impl LdaClassifier {
    /// Creates a classifier from class Gaussians with maximum-likelihood covariances, which are pooled with the priors
    /// as weights.
    ///
    /// `shrinkage` is the fraction of the pooled covariance that is replaced by its diagonal. With `None`, the
    /// covariance is shrunk only if it does not have full rank.
    ///
    /// # Errors
    ///
    /// Returns an error if the priors are not probabilities, the shrinkage is not between 0 and 1, or the pooled
    /// covariance is singular.
    pub fn new(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        let priors = check_parameters(priors, gaussians.len(), shrinkage)?;
        Self::pooled(classes, gaussians, &priors, &priors, shrinkage)
    }

    /// A classifier on features of learned filters, from class Gaussians with maximum-likelihood covariances.
    ///
    /// The pooled covariance is that of all training samples around their class means, whatever the priors, which enter the
    /// scores alone. Without counts, classes have equal weights.
    /// For the shrinkage, see [`LdaClassifier::new`].
    ///
    /// # Errors
    ///
    /// If the priors are no probabilities, if the shrinkage is not between 0 and 1, or if it leaves the pooled covariance
    /// without full rank.
    pub fn of_features(
        classes: &Classes,
        gaussians: &Gaussians,
        counts: Option<&[u64]>,
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        let count = gaussians.len();
        let priors = check_parameters(priors, count, shrinkage)?;
        let total: f64 = counts.into_iter().flatten().map(|&own| own as f64).sum();
        let weights: Vec<f64> = match counts {
            Some(counts) => counts.iter().map(|&own| own as f64 / total).collect(),
            None => vec![1.0 / count as f64; count],
        };
        Self::pooled(classes, gaussians, &weights, &priors, shrinkage)
    }

    /// The factor A of the inverse pooled covariance S⁻¹ = AᵀA, row-major.
    pub fn whitening(&self) -> &[f64] {
        &self.0.whitening
    }

    /// A classifier with covariances pooled by weights of sum 1, and priors of sum 1.
    fn pooled(
        classes: &Classes,
        gaussians: &Gaussians,
        weights: &[f64],
        priors: &[f64],
        shrinkage: Option<f64>,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let mut means = Vec::with_capacity(count * order);
        (0..count).for_each(|class| means.extend_from_slice(gaussians.mean(class)));
        let pooled = Pooled::new(gaussians, weights, FULL_RANK).pooled(shrinkage);
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

    /// Creates a classifier on the features of filters (n × m, one filter per column) from the statistics of the
    /// training samples.
    ///
    /// The priors are the class frequencies, and covariances are converted from divisor N − 1 to N.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`LdaClassifier::new`].
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
