//! Shrinkage of class covariances towards a multiple of the identity, in the coordinates of the statistics.
//!
//! The identity depends on the coordinates, so a fit applies shrinkage after it has scaled the columns. The cost per
//! class is one copy of the covariance, and for estimators that select the fraction themselves tr S², or a Gram matrix
//! if only samples are stored.

use std::sync::Arc;

use super::estimator::ScatterMoments;
use super::forms::gram;
use super::{
    ClassStatistics, Covariance, Estimator, Preprocessor, StatisticsError, preprocessed_rows,
};
use crate::labels::Labels;
use crate::linalg::MatRef;
use crate::points::Points;

/// Number of samples that are converted at a time.
const BLOCK: usize = 4096;

impl ClassStatistics {
    /// Returns Σ|y|⁴ of each class over some samples, where y is a sample minus its class mean.
    ///
    /// Ledoit–Wolf shrinkage needs these sums in addition to class statistics. The sums of several batches can be
    /// added.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples, labels, weights and statistics do not fit together.
    pub fn fourth_moments(
        &self,
        points: Points<'_>,
        labels: &Labels,
        weights: Option<&[u64]>,
    ) -> Result<Vec<f64>, StatisticsError> {
        if points.columns() != self.dimension() {
            let (expected, found) = (self.dimension(), points.columns());
            return Err(StatisticsError::Dimension { expected, found });
        }
        if labels.len() != points.rows() {
            let (labels, points) = (labels.len(), points.rows());
            return Err(StatisticsError::LabelCount { labels, points });
        }
        if labels.classes() != self.classes() {
            return Err(StatisticsError::Classes);
        }
        if let Some(weights) = weights.filter(|weights| weights.len() != points.rows()) {
            let (weights, points) = (weights.len(), points.rows());
            return Err(StatisticsError::WeightCount { weights, points });
        }
        let all: Vec<usize> = (0..points.rows()).collect();
        Ok(fourth_moments(points, labels, &all, weights, None, self))
    }

    /// Returns the statistics with every covariance shrunk by the Ledoit–Wolf fraction.
    ///
    /// `fourth` is the sum of [`ClassStatistics::fourth_moments`] over all samples, one number per class.
    ///
    /// # Errors
    ///
    /// Returns an error if `fourth` does not have one sum per class, or if the statistics are sketches or have no
    /// counts.
    pub fn ledoit_wolf(&self, fourth: &[f64]) -> Result<Self, StatisticsError> {
        if fourth.len() != self.classes().len() {
            return Err(StatisticsError::Classes);
        }
        self.shrunk_by(Estimator::LedoitWolf, Some(fourth))
    }

    /// Returns the statistics with every covariance shrunk.
    ///
    /// `fourth` has Σ|y|⁴ of the centered samples of each class, which Ledoit–Wolf shrinkage of dense covariances
    /// needs.
    ///
    /// # Errors
    ///
    /// Returns an error if the estimator needs samples, counts or fourth moments that are not available.
    pub(crate) fn shrunk_by(
        &self,
        estimator: Estimator,
        fourth: Option<&[f64]>,
    ) -> Result<Self, StatisticsError> {
        estimator.check()?;
        let unavailable = || StatisticsError::NeedsPoints { estimator: estimator.to_string() };
        let counts = match self.counts() {
            Some(counts) => counts.to_vec(),
            // A fixed fraction does not depend on the number of samples.
            None if !estimator.needs_square() => vec![0; self.covariances.len()],
            None => return Err(unavailable()),
        };
        let mut covariances: Vec<Arc<dyn Covariance>> = Vec::new();
        let mut shrunk = true;
        for (class, covariance) in self.covariances.iter().enumerate() {
            let fourth = fourth.map(|sums| sums[class]);
            let (fraction, level) = shrinkage(&**covariance, estimator, counts[class], fourth)?;
            shrunk &= fraction > 0.0;
            let own = covariance.shrunk(fraction, level).ok_or_else(|| {
                StatisticsError::SketchEstimator { estimator: estimator.to_string() }
            })?;
            covariances.push(own.into());
        }
        Ok(Self { covariances, shrunk, ..self.clone() })
    }
}

/// Adds |y|⁴ of some samples to the sums of their classes, where y is a sample minus its class mean.
pub(crate) fn add_fourth_moments(
    sums: &mut [f64],
    values: &[f64],
    codes: &[u32],
    weight: impl Fn(usize) -> f64,
    statistics: &ClassStatistics,
) {
    for (at, (own, &class)) in values.chunks_exact(statistics.dimension()).zip(codes).enumerate() {
        let mean = statistics.means().col(class as usize);
        let square: f64 = own.iter().zip(mean.iter()).map(|(x, m)| (x - m).powi(2)).sum();
        sums[class as usize] += weight(at) * square * square;
    }
}

/// Returns Σ|y|⁴ of each class over some rows, where y is a preprocessed sample minus its class mean.
pub(crate) fn fourth_moments(
    points: Points<'_>,
    labels: &Labels,
    rows: &[usize],
    weights: Option<&[u64]>,
    map: Option<&Preprocessor>,
    statistics: &ClassStatistics,
) -> Vec<f64> {
    let mut sums = vec![0.0; statistics.classes().len()];
    for rows in rows.chunks(BLOCK) {
        let values = preprocessed_rows(points, rows, map);
        let codes: Vec<u32> = rows.iter().map(|&row| labels.codes()[row]).collect();
        let weight = |at: usize| weights.map_or(1.0, |weights| weights[rows[at]] as f64);
        add_fourth_moments(&mut sums, &values, &codes, weight, statistics);
    }
    sums
}

/// Returns the fraction s of shrinkage and the level s·tr S/n of the identity.
pub(super) fn shrinkage(
    covariance: &dyn Covariance,
    estimator: Estimator,
    count: u64,
    fourth: Option<f64>,
) -> Result<(f64, f64), StatisticsError> {
    if estimator == Estimator::Empirical {
        return Ok((0.0, 0.0));
    }
    let dimension = covariance.dimension() as f64;
    let trace = covariance.diagonal().iter().sum::<f64>();
    let (mut square, mut quartic) = (0.0, fourth);
    if estimator.needs_square() {
        if let Some(entries) = covariance.entries() {
            square = entries.squared_norm();
        } else if let (Some(form), None) = (covariance.spanning(), covariance.bound()) {
            // tr S² and Σ|y|⁴ follow from the Gram matrix of the samples.
            let points = form.vectors();
            let gram = gram(&[form], MatRef::from_row_major_slice(&[], covariance.dimension(), 0));
            let row = |i: usize| &gram[i * points..][..=i];
            let rows = (0..points).map(|i| {
                let (last, before) = row(i).split_last().unwrap_or((&0.0, &[]));
                last * last + 2.0 * before.iter().map(|x| x * x).sum::<f64>()
            });
            square = form.weight().powi(2) * rows.sum::<f64>();
            quartic = Some((0..points).map(|i| gram[i * points + i].powi(2)).sum());
        } else {
            return Err(StatisticsError::SketchEstimator { estimator: estimator.to_string() });
        }
    }
    let moments = ScatterMoments { count: count as f64, dimension, trace, square, quartic };
    let fraction = estimator.intensity(moments).ok_or(StatisticsError::NoFourthMoments)?;
    Ok((fraction, fraction * trace / dimension))
}
