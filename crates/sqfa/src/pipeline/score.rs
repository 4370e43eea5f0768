//! Held-out scores: ln p(true class | features) of every point, floored, and whether it was classified rightly.
//!
//! The floor of ln 0.05 keeps the score smooth where accuracy is a count, and bounded where a quadratic classifier is
//! sure and wrong: a single outlier must not outvote a hundred points. Differences are paired, point by point.

use crate::classify::{ClassifierError, QDA_SHRINKAGE, Qda};
use crate::points::Points;
use crate::statistics::ClassStatistics;

use crate::linalg::MatRef;

/// ln 0.05: a true class less probable than this counts as lost.
const FLOOR: f64 = -2.995_732_273_553_991;

/// Scores of held-out points, in a fixed order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f64>,
    pub(crate) hits: Vec<bool>,
    /// None where every point counts once: every candidate keeps its scores, and there are dozens.
    pub(crate) weights: Vec<f64>,
}

/// How candidates, by number, did on held-out points.
pub(crate) trait Compared {
    /// Points that a candidate was tried on.
    fn met(&self, at: usize) -> usize;
    /// Its mean floored ln p(true class).
    fn mean(&self, at: usize) -> f64;
    /// The share of points it classified rightly.
    fn accuracy(&self, at: usize) -> f64;
    /// By how much one is better than another, over the points both have.
    fn ahead(&self, one: usize, other: usize) -> Difference;
    /// The same in accuracy.
    fn more_accurate(&self, one: usize, other: usize) -> Difference;
}

impl Compared for Vec<&Scores> {
    fn met(&self, at: usize) -> usize {
        self[at].len()
    }

    fn mean(&self, at: usize) -> f64 {
        self[at].mean()
    }

    fn accuracy(&self, at: usize) -> f64 {
        self[at].accuracy()
    }

    fn ahead(&self, one: usize, other: usize) -> Difference {
        self[one].ahead_of(self[other])
    }

    fn more_accurate(&self, one: usize, other: usize) -> Difference {
        self[one].more_accurate_than(self[other])
    }
}

/// A paired difference of means and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

impl Scores {
    /// What a quadratic classifier on the features of some filters says of held-out features; filters are of the statistics.
    ///
    /// A classifier that cannot be built loses every point.
    pub(crate) fn new(
        statistics: &ClassStatistics,
        filters: MatRef<'_, f64>,
        features: Points<'_>,
        codes: &[u32],
        weights: Vec<f64>,
    ) -> Result<Self, ClassifierError> {
        let qda = Qda::from_statistics(statistics, filters, QDA_SHRINKAGE).ok();
        Self::by(qda.as_ref(), features, codes, weights)
    }

    /// The same by a classifier that is there already, if it could be built.
    pub(crate) fn by(
        qda: Option<&Qda>,
        features: Points<'_>,
        codes: &[u32],
        weights: Vec<f64>,
    ) -> Result<Self, ClassifierError> {
        let Some(qda) = qda else {
            let count = codes.len();
            return Ok(Self { values: vec![FLOOR; count], hits: vec![false; count], weights });
        };
        let classes = qda.classes().len();
        let posteriors = qda.posteriors(features)?;
        let mut scores = Self { weights, ..Self::default() };
        for (row, &code) in posteriors.chunks(classes).zip(codes) {
            let own = row[code as usize];
            scores.values.push(if own.is_nan() { FLOOR } else { own.max(FLOOR) });
            let first = row.iter().position(|&other| other >= own);
            // Ties go to the first class, as when predicting.
            let right = first == Some(code as usize) && row.iter().all(|&other| other <= own);
            scores.hits.push(right);
        }
        Ok(scores)
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
        self.hits.extend(other.hits);
        self.weights.extend(other.weights);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Points scored, repetitions counted.
    pub(crate) fn points(&self) -> usize {
        if self.weights.is_empty() {
            return self.len();
        }
        self.weights[..self.len()].iter().sum::<f64>() as usize
    }

    pub(crate) fn mean(&self) -> f64 {
        weighted_mean(&self.values, &self.weights)
    }

    pub(crate) fn accuracy(&self) -> f64 {
        weighted_mean(&self.right(), &self.weights)
    }

    fn right(&self) -> Vec<f64> {
        self.hits.iter().map(|&hit| f64::from(u8::from(hit))).collect()
    }

    /// By how much this is better than another, over the points both have.
    pub(crate) fn ahead_of(&self, other: &Self) -> Difference {
        difference(&self.values, &other.values, &self.weights)
    }

    /// The same in accuracy.
    pub(crate) fn more_accurate_than(&self, other: &Self) -> Difference {
        difference(&self.right(), &other.right(), &self.weights)
    }
}

/// The weight of every point.
fn each(weights: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let once = if weights.is_empty() { usize::MAX } else { 0 };
    weights.iter().copied().chain(std::iter::repeat_n(1.0, once))
}

fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = each(weights).take(values.len()).sum();
    values.iter().zip(each(weights)).map(|(value, weight)| value * weight).sum::<f64>() / total
}

fn difference(first: &[f64], second: &[f64], weights: &[f64]) -> Difference {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let mean = weighted_mean(&differences, weights);
    let total: f64 = each(weights).take(differences.len()).sum();
    let squares: f64 =
        differences.iter().zip(each(weights)).map(|(d, weight)| weight * (d - mean).powi(2)).sum();
    Difference { mean, error: (squares / total).sqrt() / (total - 1.0).max(1.0).sqrt() }
}
