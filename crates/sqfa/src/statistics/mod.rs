//! Class statistics: counts, means and covariances of classes, computed from samples, from streams, or from the
//! caller's matrices.

mod accumulator;
mod class_sum;
mod components;
mod constant;
mod consumed;
mod covariance;
mod entries;
mod error;
mod estimator;
mod forms;
mod given;
mod isotropic;
mod pooled;
mod portable;
mod preprocess;
mod projection;
mod reduce;
mod robust;
mod shrinkage;
mod sketch;
mod span;
mod waiting;
mod weighted;

use std::sync::Arc;

use crate::labels::{Classes, Labels};
use crate::linalg::Mat;
use crate::points::Points;

pub use crate::linalg::Lower;
pub use accumulator::ClassAccumulator;
pub(crate) use components::{leading_directions, total_times, total_variance};
pub use constant::constant_columns;
pub use covariance::{Covariance, Dense, Entries};
pub use error::{StatisticsError, check_classes, check_several};
pub use estimator::{ESTIMATORS, Estimator};
pub use forms::{
    Csr, Factor, Form, LowRank, Precision, Sketched, Spanning, SparseFactor, SparseVectors,
};
pub use given::GivenMatrices;
pub(crate) use preprocess::preprocessed_rows;
pub use preprocess::{Preprocessor, SCALINGS, Scaling};
pub use projection::project;
pub(crate) use projection::{pass, pass_in_groups};
pub use robust::RobustNote;
pub(crate) use shrinkage::{add_fourth_moments, fourth_moments};
pub use sketch::{LARGEST_SKETCH, SKETCH_SIZE};
pub use span::Span;

/// The kind of matrices that class statistics store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moments {
    /// Covariances, in addition to means.
    Central,
    /// Second moments about 0; the means are 0.
    Second,
}

/// Class statistics: the classes, their means and covariances, and optionally the number of samples of each.
///
/// This is all that the optimizer needs to know about the data.
///
/// ```
/// use sqfa::{ClassStatistics, Estimator, Labels, Table};
///
/// let rows = [0.0, 1.0, 2.0, 3.0, 4.0, 2.0, 6.0, 8.0];
/// let samples = Table::row_major(&rows, 4, 2).expect("4 rows of 2 numbers");
/// let labels = Labels::from_texts(&["cat", "cat", "dog", "dog"]);
/// let statistics = ClassStatistics::from_points(samples.into(), &labels, Estimator::Empirical)?;
/// assert_eq!(statistics.classes().label(1).to_string(), "dog");
/// assert_eq!(statistics.covariances()[1].diagonal(), [2.0, 18.0]); // divisor N − 1
/// # Ok::<(), sqfa::statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClassStatistics {
    classes: Classes,
    counts: Option<Vec<u64>>,
    /// The class means, n × c, one per column.
    means: Mat<f64>,
    /// The class covariances. Copies of the statistics share them until one copy is changed.
    covariances: Vec<Arc<dyn Covariance>>,
    moments: Moments,
    /// Whether every covariance was shrunk to full rank.
    shrunk: bool,
    /// Details of a robust estimate, if the estimator was robust.
    robust: Option<Arc<RobustNote>>,
}

impl ClassStatistics {
    /// Computes class statistics of labeled samples, one sample per row.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbers of samples and labels differ, a value is not finite, there are fewer than two
    /// classes, a class has fewer than two samples, or the estimator's parameter is invalid.
    pub fn from_points(
        points: Points<'_>,
        labels: &Labels,
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        if points.rows() == 0 || points.columns() == 0 {
            return Err(StatisticsError::Empty {
                points: points.rows(),
                dimension: points.columns(),
            });
        }
        check_classes(labels)?;
        Self::from_weighted_points(points, labels, None, estimator)
    }

    /// Creates class statistics from covariances in any form, one per class.
    ///
    /// `means` is n × c, one class per column. Nothing is checked.
    pub fn from_parts(
        classes: Classes,
        counts: Option<Vec<u64>>,
        means: Mat<f64>,
        covariances: Vec<Box<dyn Covariance>>,
        moments: Moments,
    ) -> Self {
        debug_assert_eq!(classes.len(), covariances.len());
        debug_assert_eq!(classes.len(), means.ncols());
        let covariances = covariances.into_iter().map(Arc::from).collect();
        Self { classes, counts, means, covariances, moments, shrunk: false, robust: None }
    }

    /// Returns the number n of columns of the data.
    pub fn dimension(&self) -> usize {
        self.means.nrows()
    }

    /// Returns the classes in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the number of samples per class, if it is known.
    pub fn counts(&self) -> Option<&[u64]> {
        self.counts.as_deref()
    }

    /// Returns the class means, n × c, one class per column.
    pub fn means(&self) -> &Mat<f64> {
        &self.means
    }

    /// Returns the class covariances, or the second moments if [`Self::moments`] is [`Moments::Second`].
    pub fn covariances(&self) -> &[Arc<dyn Covariance>] {
        &self.covariances
    }

    /// Returns the kind of matrices.
    pub fn moments(&self) -> Moments {
        self.moments
    }

    /// Returns the prior of each class: its frequency if counts are known, otherwise equal numbers. They add up to 1.
    pub fn shares(&self) -> Vec<f64> {
        let classes = self.classes.len();
        match &self.counts {
            Some(counts) => {
                let total: u64 = counts.iter().sum();
                counts.iter().map(|&count| count as f64 / total as f64).collect()
            }
            None => vec![1.0 / classes as f64; classes],
        }
    }

    /// Returns the mean within-class variance of a column: the trace of the pooled within-class covariance divided by
    /// n.
    ///
    /// Regularization noise is measured in this unit.
    pub fn noise_scale(&self) -> f64 {
        let n = self.dimension() as f64;
        self.shares()
            .iter()
            .zip(&self.covariances)
            .map(|(share, covariance)| share * covariance.diagonal().iter().sum::<f64>() / n)
            .sum()
    }

    /// Returns the same statistics with every covariance in double precision.
    pub fn in_double_precision(&self) -> Self {
        let covariances = self
            .covariances
            .iter()
            .map(|covariance| covariance.to_double().map_or_else(|| covariance.clone(), Arc::from))
            .collect();
        Self { covariances, ..self.clone() }
    }

    /// Returns the distinct covariances, each with the sum of the weights of its classes. Consecutive classes that
    /// share a covariance are combined.
    pub(crate) fn distinct_covariances(&self, weights: &[f64]) -> Vec<(f64, &Arc<dyn Covariance>)> {
        let mut distinct: Vec<(f64, &Arc<dyn Covariance>)> = Vec::new();
        for (weight, covariance) in weights.iter().zip(&self.covariances) {
            match distinct.last_mut() {
                Some((sum, last)) if Arc::ptr_eq(last, covariance) => *sum += weight,
                _ => distinct.push((*weight, covariance)),
            }
        }
        distinct
    }

    /// Whether all classes share one covariance.
    pub(crate) fn is_pooled(&self) -> bool {
        self.covariances.windows(2).all(|two| Arc::ptr_eq(&two[0], &two[1]))
    }

    /// Multiplies entry (i, j) of every covariance by factors\[i\]·factors\[j\]. Other copies of the statistics do not
    /// change, and classes that shared a covariance share it afterwards.
    fn rescale(&mut self, factors: &[f64]) {
        let mut all = std::mem::take(&mut self.covariances).into_iter().peekable();
        while let Some(mut covariance) = all.next() {
            let mut classes = 1;
            while all.next_if(|other| Arc::ptr_eq(other, &covariance)).is_some() {
                classes += 1;
            }
            match Arc::get_mut(&mut covariance) {
                Some(own) => own.rescale(factors),
                None => {
                    let mut own = covariance.clone_boxed();
                    own.rescale(factors);
                    covariance = own.into();
                }
            }
            self.covariances.extend(std::iter::repeat_n(covariance, classes));
        }
    }

    /// Returns details of the robust estimate, or `None` if the estimator was not robust.
    pub fn robust(&self) -> Option<&RobustNote> {
        self.robust.as_deref()
    }

    /// Returns the degrees of freedom ν if the covariances are scatter matrices of t distributions.
    pub fn degrees(&self) -> Option<f64> {
        self.robust.as_ref().and_then(|note| note.degrees)
    }

    /// Returns an upper bound on the error of each covariance in spectral norm, or `None` if no covariance comes from a
    /// sketch.
    pub fn bounds(&self) -> Option<Vec<f64>> {
        let bounds: Vec<Option<f64>> = self.covariances.iter().map(|one| one.bound()).collect();
        let any = bounds.iter().any(Option::is_some);
        any.then(|| bounds.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Whether the estimator gives every covariance full rank, even for few samples.
    pub(crate) fn is_shrunk(&self) -> bool {
        self.shrunk
    }

    /// Returns the memory that the covariances occupy, in bytes.
    pub fn bytes(&self) -> usize {
        self.covariances.iter().map(|covariance| covariance.bytes()).sum()
    }
}
