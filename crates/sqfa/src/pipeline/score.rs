//! Held-out scores: the log posterior ln p(true class | features) of every sample, at least ln
//! 0.05, and whether the sample was classified correctly.
//!
//! Unlike accuracy, which is a count, the log posterior is a smooth measure. The bound prevents a
//! single outlier that is misclassified with certainty from outweighing a hundred samples.
//! Differences between candidates are paired sample by sample.

use crate::classify::{ClassifierError, Qda};
use crate::points::Points;

use super::rule::FLOOR;

/// The number of bits per word of [`Hits`].
const WORD: usize = 64;
/// The scores of held-out samples, in a fixed order.
///
/// Every candidate has its own, and there may be a dozen candidates. Single precision is
/// sufficient, because its rounding errors are far below any standard error.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f32>,
    /// Whether each sample was classified correctly.
    pub(crate) hits: Hits,
    /// The sum of the weights of correctly classified samples.
    right: f64,
    /// The weight of each sample, or empty if every sample counts once.
    pub(crate) weights: Vec<f64>,
}

/// Correct and wrong predictions, with one bit per sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Hits {
    words: Vec<u64>,
    count: usize,
}

impl Hits {
    /// Whether a sample was classified correctly.
    pub(crate) fn at(&self, at: usize) -> bool {
        self.words[at / WORD] >> (at % WORD) & 1 == 1
    }

    fn iter(&self) -> impl Iterator<Item = bool> + Clone + '_ {
        (0..self.count).map(|at| self.at(at))
    }
}

impl Extend<bool> for Hits {
    fn extend<I: IntoIterator<Item = bool>>(&mut self, more: I) {
        for hit in more {
            if self.count.is_multiple_of(WORD) {
                self.words.push(0);
            }
            if let Some(last) = self.words.last_mut() {
                *last |= u64::from(hit) << (self.count % WORD);
            }
            self.count += 1;
        }
    }
}

/// Scores of candidates, which are specified by index.
pub(crate) trait Compared {
    /// Returns the number of samples on which a candidate was scored.
    fn met(&self, at: usize) -> usize;
    /// Returns the sum of the weights of the samples on which a candidate was scored.
    fn points(&self, at: usize) -> usize;
    /// Returns the mean of ln p(true class), each at least ln 0.05.
    fn mean(&self, at: usize) -> f64;
    /// Returns the fraction of samples that a candidate classified correctly.
    fn accuracy(&self, at: usize) -> f64;
    /// Returns the difference between the mean scores of two candidates, over the samples that both
    /// have.
    fn ahead(&self, one: usize, other: usize) -> Difference;
    /// Returns the difference between the accuracies of two candidates, over the samples that both
    /// have.
    fn more_accurate(&self, one: usize, other: usize) -> Difference;
}

impl Compared for Vec<&Scores> {
    fn met(&self, at: usize) -> usize {
        self[at].len()
    }

    fn points(&self, at: usize) -> usize {
        self[at].points()
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

/// A paired difference of means with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

impl Scores {
    /// Returns the scores of a quadratic classifier on held-out features. If the classifier could
    /// not be built, every sample has the lowest score.
    pub(crate) fn by(
        qda: Option<&Qda>,
        features: Points<'_>,
        codes: &[u32],
        weights: Vec<f64>,
    ) -> Result<Self, ClassifierError> {
        let Some(qda) = qda else {
            let count = codes.len();
            return Ok(Self::of(vec![FLOOR as f32; count], vec![false; count], weights));
        };
        let classes = qda.classes().len();
        let posteriors = qda.posteriors(features)?;
        let (mut values, mut hits) =
            (Vec::with_capacity(codes.len()), Vec::with_capacity(codes.len()));
        for (row, &code) in posteriors.chunks(classes).zip(codes) {
            let own = row[code as usize];
            values.push(if own.is_nan() { FLOOR } else { own.max(FLOOR) } as f32);
            let first = row.iter().position(|&other| other >= own);
            // Ties count as the first class, as in prediction.
            hits.push(first == Some(code as usize) && row.iter().all(|&other| other <= own));
        }
        Ok(Self::of(values, hits, weights))
    }

    /// Returns scores from one value and one prediction per sample.
    pub(crate) fn of(values: Vec<f32>, hits: Vec<bool>, weights: Vec<f64>) -> Self {
        let right =
            hits.iter().zip(each(&weights)).map(|(hit, weight)| number(*hit) * weight).sum();
        let mut kept = Hits::default();
        kept.extend(hits);
        Self { values, hits: kept, right, weights }
    }

    /// Returns empty scores with the capacity for a number of samples.
    pub(crate) fn with_room(points: usize) -> Self {
        let words = Vec::with_capacity(points.div_ceil(WORD));
        let hits = Hits { words, count: 0 };
        Self { values: Vec::with_capacity(points), hits, ..Self::default() }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
        self.hits.extend(other.hits.iter());
        self.right += other.right;
        self.weights.extend(other.weights);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the sum of the weights of the scored samples.
    pub(crate) fn points(&self) -> usize {
        if self.weights.is_empty() {
            return self.len();
        }
        self.weights[..self.len()].iter().sum::<f64>() as usize
    }

    pub(crate) fn mean(&self) -> f64 {
        let values = self.values.iter().map(|&value| f64::from(value));
        weighted(values, &self.weights) / self.total()
    }

    pub(crate) fn accuracy(&self) -> f64 {
        self.right / self.total()
    }

    /// Returns the weight of the sample at an index.
    pub(crate) fn weight(&self, place: usize) -> f64 {
        self.weights.get(place).copied().unwrap_or(1.0)
    }

    /// Returns the mean score over some indices.
    pub(crate) fn mean_at(&self, places: impl Iterator<Item = usize> + Clone) -> f64 {
        self.paired(places, |place| f64::from(self.values[place])).mean
    }

    /// Returns the accuracy over some indices.
    pub(crate) fn accuracy_at(&self, places: impl Iterator<Item = usize> + Clone) -> f64 {
        self.paired(places, |place| number(self.hits.at(place))).mean
    }

    /// Returns the difference between this mean score and another one, over indices that both have.
    pub(crate) fn ahead_at(
        &self,
        other: &Self,
        places: impl Iterator<Item = usize> + Clone,
    ) -> Difference {
        let value = |scores: &Self, place: usize| f64::from(scores.values[place]);
        self.paired(places, |place| value(self, place) - value(other, place))
    }

    /// Returns the difference between this accuracy and another one, over indices that both have.
    pub(crate) fn more_accurate_at(
        &self,
        other: &Self,
        places: impl Iterator<Item = usize> + Clone,
    ) -> Difference {
        self.paired(places, |place| number(self.hits.at(place)) - number(other.hits.at(place)))
    }

    /// Returns the weighted mean of a quantity over some indices, with its standard error.
    fn paired(
        &self,
        places: impl Iterator<Item = usize> + Clone,
        quantity: impl Fn(usize) -> f64 + Clone,
    ) -> Difference {
        let weights: Vec<f64> = match self.weights.is_empty() {
            true => Vec::new(),
            false => places.clone().map(|place| self.weights[place]).collect(),
        };
        difference(places.map(quantity), &weights)
    }

    /// Returns the sum of all weights.
    fn total(&self) -> f64 {
        each(&self.weights).take(self.len()).sum()
    }

    /// Returns the difference between this mean score and another one, over the samples that both
    /// have.
    pub(crate) fn ahead_of(&self, other: &Self) -> Difference {
        let pairs = self.values.iter().zip(&other.values);
        difference(pairs.map(|(&a, &b)| f64::from(a) - f64::from(b)), &self.weights)
    }

    /// Returns the difference between this accuracy and another one, over the samples that both
    /// have.
    pub(crate) fn more_accurate_than(&self, other: &Self) -> Difference {
        let pairs = self.hits.iter().zip(other.hits.iter());
        difference(pairs.map(|(a, b)| number(a) - number(b)), &self.weights)
    }
}

fn number(hit: bool) -> f64 {
    f64::from(u8::from(hit))
}

/// Returns the weight of every sample, which is 1 without weights.
fn each(weights: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let once = if weights.is_empty() { usize::MAX } else { 0 };
    weights.iter().copied().chain(std::iter::repeat_n(1.0, once))
}

fn weighted(values: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    values.zip(each(weights)).map(|(value, weight)| value * weight).sum()
}

fn difference(differences: impl Iterator<Item = f64> + Clone, weights: &[f64]) -> Difference {
    let total = weighted(differences.clone().map(|_| 1.0), weights);
    let mean = weighted(differences.clone(), weights) / total;
    let squares = weighted(differences.map(|d| (d - mean).powi(2)), weights);
    Difference { mean, error: (squares / total).sqrt() / (total - 1.0).max(1.0).sqrt() }
}
