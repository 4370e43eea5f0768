//! The running sum of one class: all entries of its scatter matrix, or a sketch of it.

use super::entries::EntrySum;
use super::sketch::SketchSum;
use super::{Covariance, Estimator, StatisticsError};
use crate::points::Points;

/// A running sum of the samples of one class.
#[derive(Debug, Clone)]
pub(super) enum ClassSum {
    Entries(EntrySum),
    Sketch(SketchSum),
}

/// Mean and covariance of one class, computed from its running sum.
pub(super) struct Finished {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Box<dyn Covariance>,
    /// Fraction of shrinkage that the estimator applied.
    pub(super) share: f64,
}

impl ClassSum {
    /// Returns an empty sum for n columns, or a sketch if its number of rows is specified.
    pub(super) fn empty(n: usize, sketch: Option<usize>) -> Self {
        match sketch {
            None => Self::Entries(EntrySum::empty(n)),
            Some(size) => Self::Sketch(SketchSum::empty(n, size)),
        }
    }

    /// Allocates the scatter matrix if all entries are stored, so that the first sample can be added.
    pub(super) fn with_room(&mut self) -> &mut Self {
        if let Self::Entries(sum) = self {
            sum.make_room();
        }
        self
    }

    /// Returns the number of samples.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Entries(sum) => sum.count,
            Self::Sketch(sum) => sum.count(),
        }
    }

    /// Adds rows of one class. Each row counts as often as its weight specifies.
    pub(super) fn add(&mut self, points: Points<'_>, rows: &[u32], weights: Option<&[u64]>) {
        match self {
            Self::Entries(sum) => sum.add(points, rows, weights),
            Self::Sketch(sum) => sum.add(points, rows, weights),
        }
    }

    /// Adds another sum of the same form.
    pub(super) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Entries(sum), Self::Entries(other)) => sum.merge(other),
            (Self::Sketch(sum), Self::Sketch(other)) => sum.merge(other),
            _ => unreachable!("an accumulator merges only its own form"),
        }
    }

    /// Computes mean and covariance of at least two samples.
    pub(super) fn finish(
        self,
        estimator: Estimator,
        double: bool,
    ) -> Result<Finished, StatisticsError> {
        match self {
            Self::Entries(sum) => sum.finish(estimator, double),
            Self::Sketch(sum) => sum.finish(estimator, double),
        }
    }
}
