//! Held-out scores: ln p(true class | features) of every point, floored, and whether it was classified rightly.
//!
//! The floor of ln 0.05 keeps the score smooth where accuracy is a count, and bounded where a quadratic classifier is
//! sure and wrong: a single outlier must not outvote a hundred points. Differences are paired, point by point.

use crate::classify::{ClassifierError, Qda};
use crate::points::Points;

use super::rule::FLOOR;

/// Answers in a word.
const WORD: usize = 64;
/// Scores of held-out points, in a fixed order.
///
/// Every candidate keeps its own, and there may be a dozen: single precision, whose steps are far below any standard error.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f32>,
    /// Who was classified rightly.
    pub(crate) hits: Hits,
    /// How many were, each as often as it counts.
    right: f64,
    /// None where every point counts once.
    pub(crate) weights: Vec<f64>,
}

/// Right and wrong answers, a bit each.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Hits {
    words: Vec<u64>,
    count: usize,
}

impl Hits {
    /// Whether an answer was right.
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

/// How candidates, by number, did on held-out points.
pub(crate) trait Compared {
    /// The number of samples that a candidate was scored on.
    fn met(&self, at: usize) -> usize;
    /// The same with repetitions counted.
    fn points(&self, at: usize) -> usize;
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

/// A paired difference of means and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

impl Scores {
    /// What a quadratic classifier says of held-out features; one that could not be built loses every point.
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
            // Ties go to the first class, as when predicting.
            hits.push(first == Some(code as usize) && row.iter().all(|&other| other <= own));
        }
        Ok(Self::of(values, hits, weights))
    }

    /// Scores and right answers, one a point.
    pub(crate) fn of(values: Vec<f32>, hits: Vec<bool>, weights: Vec<f64>) -> Self {
        let right =
            hits.iter().zip(each(&weights)).map(|(hit, weight)| number(*hit) * weight).sum();
        let mut kept = Hits::default();
        kept.extend(hits);
        Self { values, hits: kept, right, weights }
    }

    /// Room for so many points.
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

    /// Points scored, repetitions counted.
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

    /// How often the sample at a place counts.
    pub(crate) fn weight(&self, place: usize) -> f64 {
        self.weights.get(place).copied().unwrap_or(1.0)
    }

    /// The mean score over some places.
    pub(crate) fn mean_at(&self, places: impl Iterator<Item = usize> + Clone) -> f64 {
        self.paired(places, |place| f64::from(self.values[place])).mean
    }

    /// The accuracy over some places.
    pub(crate) fn accuracy_at(&self, places: impl Iterator<Item = usize> + Clone) -> f64 {
        self.paired(places, |place| number(self.hits.at(place))).mean
    }

    /// By how much this is better than another over some places that both have.
    pub(crate) fn ahead_at(
        &self,
        other: &Self,
        places: impl Iterator<Item = usize> + Clone,
    ) -> Difference {
        let value = |scores: &Self, place: usize| f64::from(scores.values[place]);
        self.paired(places, |place| value(self, place) - value(other, place))
    }

    /// By how much this is more accurate than another over some places that both have.
    pub(crate) fn more_accurate_at(
        &self,
        other: &Self,
        places: impl Iterator<Item = usize> + Clone,
    ) -> Difference {
        self.paired(places, |place| number(self.hits.at(place)) - number(other.hits.at(place)))
    }

    /// The weighted mean of a quantity over some places, and its standard error.
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

    /// The sum of all weights.
    fn total(&self) -> f64 {
        each(&self.weights).take(self.len()).sum()
    }

    /// By how much this is better than another, over the points both have.
    pub(crate) fn ahead_of(&self, other: &Self) -> Difference {
        let pairs = self.values.iter().zip(&other.values);
        difference(pairs.map(|(&a, &b)| f64::from(a) - f64::from(b)), &self.weights)
    }

    /// The same in accuracy.
    pub(crate) fn more_accurate_than(&self, other: &Self) -> Difference {
        let pairs = self.hits.iter().zip(other.hits.iter());
        difference(pairs.map(|(a, b)| number(a) - number(b)), &self.weights)
    }
}

fn number(hit: bool) -> f64 {
    f64::from(u8::from(hit))
}

/// The weight of every point.
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
