//! Data → class statistics: counts, means and covariances, streamed, merged or given.

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

/// Which matrices the statistics hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moments {
    /// Covariances, with means beside them.
    Central,
    /// Second moments alone; the means are taken as 0.
    Second,
}

/// Everything the optimizer needs to know about the data.
#[derive(Debug, Clone)]
pub struct ClassStatistics {
    classes: Classes,
    counts: Option<Vec<u64>>,
    /// n × c.
    means: Mat<f64>,
    /// Shared by copies until one of them is changed.
    covariances: Vec<Arc<dyn Covariance>>,
    moments: Moments,
    /// Whether every covariance was shrunk to full rank.
    shrunk: bool,
    /// How they were found where outliers count less.
    robust: Option<Arc<RobustNote>>,
}

impl ClassStatistics {
    /// The statistics of labeled points.
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

    /// Statistics from covariances in any form, one a class; `means` is n × c.
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

    /// n.
    pub fn dimension(&self) -> usize {
        self.means.nrows()
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The number of points of every class, where known.
    pub fn counts(&self) -> Option<&[u64]> {
        self.counts.as_deref()
    }

    /// The class means, one a column.
    pub fn means(&self) -> &Mat<f64> {
        &self.means
    }

    /// The class covariances (or second moments).
    pub fn covariances(&self) -> &[Arc<dyn Covariance>] {
        &self.covariances
    }

    /// Which matrices these are.
    pub fn moments(&self) -> Moments {
        self.moments
    }

    /// The share of every class: its frequency where counts are known, else equal.
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

    /// The trace of the pooled within-class covariance divided by n: the natural unit of feature noise.
    pub fn noise_scale(&self) -> f64 {
        let n = self.dimension() as f64;
        self.shares()
            .iter()
            .zip(&self.covariances)
            .map(|(share, covariance)| share * covariance.diagonal().iter().sum::<f64>() / n)
            .sum()
    }

    /// The same statistics with every covariance in double precision.
    pub fn in_double_precision(&self) -> Self {
        let covariances = self
            .covariances
            .iter()
            .map(|covariance| covariance.to_double().map_or_else(|| covariance.clone(), Arc::from))
            .collect();
        Self { covariances, ..self.clone() }
    }

    /// The covariances, those that classes one after the other share once, each with the sum of its classes' weights.
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

    /// Multiplies entry (i, j) of every covariance by factors\[i\]·factors\[j\]; what copies share stays what it is, and what classes
    /// share they share again.
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

    /// How outliers were kept from counting, where they were.
    pub fn robust(&self) -> Option<&RobustNote> {
        self.robust.as_deref()
    }

    /// ν, where the covariances are scatters of t distributions.
    pub fn degrees(&self) -> Option<f64> {
        self.robust.as_ref().and_then(|note| note.degrees)
    }

    /// How far every covariance may be from the one it stands for, in spectral norm, where sketches stand for any.
    pub fn bounds(&self) -> Option<Vec<f64>> {
        let bounds: Vec<Option<f64>> = self.covariances.iter().map(|one| one.bound()).collect();
        let any = bounds.iter().any(Option::is_some);
        any.then(|| bounds.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Whether the estimator gave every covariance full rank, however few the points.
    pub(crate) fn is_shrunk(&self) -> bool {
        self.shrunk
    }

    /// Memory the covariances occupy.
    pub fn bytes(&self) -> usize {
        self.covariances.iter().map(|covariance| covariance.bytes()).sum()
    }
}
