//! The training data of a fit, wherever they are.

use crate::labels::Labels;
use crate::points::{Points, ShrinkingPoints};
use crate::statistics::{ClassAccumulator, ClassStatistics, StatisticsError};

use super::Summed;

/// Training data.
pub enum Data<'a> {
    /// Labeled samples.
    Samples(Labeled<'a>),
    /// Labeled samples that may be freed as soon as their class statistics exist.
    Owned(Box<dyn ShrinkingPoints + 'a>, &'a Labels),
    /// Labeled samples that several fits share, with the class statistics of their folds.
    Shared(&'a Summed<'a>),
    /// Class statistics alone. Nothing can be held out, so the defaults are used for whatever was not specified.
    Statistics(ClassStatistics),
}

impl<'a> From<Labeled<'a>> for Data<'a> {
    fn from(samples: Labeled<'a>) -> Self {
        Self::Samples(samples)
    }
}

impl<'a> From<&'a Summed<'a>> for Data<'a> {
    fn from(sums: &'a Summed<'a>) -> Self {
        Self::Shared(sums)
    }
}

impl From<ClassStatistics> for Data<'_> {
    fn from(statistics: ClassStatistics) -> Self {
        Self::Statistics(statistics)
    }
}

/// Labeled samples, each of which counts as often as its weight says.
#[derive(Debug, Clone, Copy)]
pub struct Labeled<'a> {
    /// The samples, one per row.
    pub points: Points<'a>,
    /// The label of each sample.
    pub labels: &'a Labels,
    /// How often each sample counts; `None` if all count once.
    pub weights: Option<&'a [u64]>,
}

impl<'a> Labeled<'a> {
    /// Returns samples that all count once.
    pub fn new(points: Points<'a>, labels: &'a Labels) -> Self {
        Self { points, labels, weights: None }
    }

    /// Returns how often a sample counts.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.map_or(1, |weights| weights[row])
    }

    /// Returns the sum of all weights.
    pub fn total(&self) -> u64 {
        self.weights.map_or(self.labels.len() as u64, |weights| weights.iter().sum())
    }

    /// Returns some rows, each as often as it counts.
    pub(crate) fn repeated(&self, rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.flat_map(|row| std::iter::repeat_n(row, self.weight(row) as usize)).collect()
    }

    /// Rejects labels or weights whose number is not that of the samples.
    pub(crate) fn check(&self) -> Result<(), StatisticsError> {
        let (points, labels) = (self.points.rows(), self.labels.len());
        if points != labels {
            return Err(StatisticsError::LabelCount { labels, points });
        }
        match self.weights.map(<[u64]>::len) {
            Some(weights) if weights != points => {
                Err(StatisticsError::WeightCount { weights, points })
            }
            _ => Ok(()),
        }
    }

    /// Adds some rows to class sums.
    pub(crate) fn add(
        &self,
        sums: &mut ClassAccumulator,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let Some(weights) = self.weights else {
            return sums.update_some(self.points, self.labels, rows);
        };
        let mut own = vec![0; weights.len()];
        rows.for_each(|row| own[row] = weights[row]);
        sums.update_weighted(self.points, self.labels, &own)
    }
}
