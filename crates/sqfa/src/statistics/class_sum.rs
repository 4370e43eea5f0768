//! What is summed of one class: every entry of its scatter, or a sketch of it.

use super::entries::EntrySum;
use super::sketch::SketchSum;
use super::{Covariance, Estimator, StatisticsError};
use crate::points::Points;

/// A running sum of the points of one class.
#[derive(Debug, Clone)]
pub(super) enum ClassSum {
    Entries(EntrySum),
    Sketch(SketchSum),
}

/// What a class's sum becomes.
pub(super) struct Finished {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Box<dyn Covariance>,
    /// The share of shrinkage.
    pub(super) share: f64,
}

impl ClassSum {
    /// A sum of nothing; a sketch where its size is given.
    pub(super) fn empty(n: usize, sketch: Option<usize>) -> Self {
        match sketch {
            None => Self::Entries(EntrySum::empty(n)),
            Some(size) => Self::Sketch(SketchSum::empty(n, size)),
        }
    }

    /// The same with room for the scatter of a first point, where it keeps all entries.
    pub(super) fn with_room(&mut self) -> &mut Self {
        if let Self::Entries(sum) = self {
            sum.make_room();
        }
        self
    }

    /// The number of points.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Entries(sum) => sum.count,
            Self::Sketch(sum) => sum.count(),
        }
    }

    /// Adds some rows of one class, each as often as its weight says.
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

    /// Mean and covariance of at least two points.
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
