//! Quadratic discriminant analysis: one Gaussian or t distribution per class, the largest posterior wins.
//!
//! Covariances are maximum-likelihood (divisor N), shrunk to (1−s)S + s(tr S/m)I; the score of class k is
//! −½(|L_k⁻¹(z−μ_k)|² + ln|S_k|) + ln π_k. A class without full rank is an error, never a wrong prediction.
//!
//! Where filters depend on each other, features have directions in which nothing varies. Shrinkage would fill them with s(tr S/m),
//! more in wide classes than in narrow ones, and every such direction would speak for the narrow ones by ½ln of the ratio. So
//! directions in which all points together vary by less than a hundredth of what shrinkage adds count alike in all classes.
//! Cost: one Cholesky of order m a class, then c·m² flops a point.

use super::ClassifierError;
use super::discriminant::{Discriminant, answers, check_parameters, maximum_likelihood, whiten};
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::{Mat, MatRef, Real, symmetric_eigen};
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
        let shares = check_parameters(priors, gaussians.len(), shrinkage)?;
        let empty = empty_directions(gaussians, &shares, shrinkage);
        Self::with_added(classes, gaussians, priors, shrinkage, empty.as_deref())
    }

    /// The same where every direction counts as shrinkage leaves it, as in scikit-learn and so in the paper.
    pub fn plain(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        Self::with_added(classes, gaussians, priors, shrinkage, None)
    }

    /// The same with something added to every shrunk covariance.
    fn with_added(
        classes: &Classes,
        gaussians: &Gaussians,
        priors: &[f64],
        shrinkage: f64,
        added: Option<&[f64]>,
    ) -> Result<Self, ClassifierError> {
        let (order, count) = (gaussians.order(), gaussians.len());
        let priors = check_parameters(priors, count, shrinkage)?;
        let mut means = Vec::with_capacity(count * order);
        let mut whitening = Vec::with_capacity(count * order * order);
        let mut constants = Vec::with_capacity(count);
        for class in 0..count {
            let covariance = gaussians.covariance(class).to_vec();
            let whitened = whiten(covariance, order, shrinkage, added).map_err(|deficient| {
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
        Self::of_statistics(statistics, filters, shrinkage, Self::new)
    }

    /// The same where every direction counts as shrinkage leaves it.
    pub fn plain_from_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
    ) -> Result<Self, ClassifierError> {
        Self::of_statistics(statistics, filters, shrinkage, Self::plain)
    }

    fn of_statistics(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
        build: fn(&Classes, &Gaussians, &[f64], f64) -> Result<Self, ClassifierError>,
    ) -> Result<Self, ClassifierError> {
        let features = project(statistics, filters, 0.0);
        // Robust scatters have no divisor N − 1.
        let counts = statistics.counts().filter(|_| statistics.robust().is_none());
        let likely = maximum_likelihood(&features, counts);
        let qda = build(statistics.classes(), &likely, &statistics.shares(), shrinkage)?;
        match statistics.degrees() {
            Some(degrees) => qda.heavy_tailed(degrees),
            None => Ok(qda),
        }
    }
}

/// What all points together vary by in a direction that counts as empty, relative to what shrinkage adds.
const EMPTY: f64 = 0.01;

/// The mean variance in all directions in which nothing varies, where there are such: an m × m matrix.
fn empty_directions(gaussians: &Gaussians, shares: &[f64], shrinkage: f64) -> Option<Vec<f64>> {
    let m = gaussians.order();
    let mean = |i: usize| -> f64 {
        shares.iter().enumerate().map(|(class, share)| share * gaussians.mean(class)[i]).sum()
    };
    let centre: Vec<f64> = (0..m).map(mean).collect();
    let total = Mat::from_fn(m, m, |i, j| {
        let parts = shares.iter().enumerate().map(|(class, share)| {
            let mean = gaussians.mean(class);
            let between = (mean[i] - centre[i]) * (mean[j] - centre[j]);
            share * (gaussians.covariance(class)[i * m + j] + between)
        });
        parts.sum::<f64>()
    });
    let level = (0..m).map(|i| total[(i, i)]).sum::<f64>() / m as f64;
    let least = EMPTY * shrinkage * level;
    let mut beyond: Vec<f64> = (0..m * m).map(|at| total[(at / m, at % m)]).collect();
    (0..m).for_each(|i| beyond[i * m + i] -= least);
    f64::cholesky(&mut beyond, m);
    let full = (0..m).all(|i| beyond[i * m + i] > 0.0);
    if full || least.is_nan() || least <= 0.0 {
        return None;
    }
    let (variances, vectors) = symmetric_eigen(total.as_ref())?;
    let empty = variances.partition_point(|&variance| variance < least);
    let along =
        |i: usize, j: usize| -> f64 { (0..empty).map(|k| vectors[(i, k)] * vectors[(j, k)]).sum() };
    Some((0..m * m).map(|at| level * along(at / m, at % m)).collect())
}

answers!(Qda);
