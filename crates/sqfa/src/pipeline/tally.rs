//! Scores of many candidates on the same samples as integer sums. They are exact, so parts can be
//! added in any order.
//!
//! For every sample there is a vector (1, s₁, …, s_K) of bounded log posteriors in steps of 1/4096,
//! and a vector (1, h₁, …, h_K) with 1 for correct predictions. The sums of their outer products
//! are stored. The paired difference of two candidates has the mean (Σsᵢ − Σsⱼ)/N and the sum of
//! squares Σsᵢ² + Σsⱼ² − 2Σsᵢsⱼ − (Σsᵢ − Σsⱼ)²/N. A score is below 2¹⁴ steps, so the sums of 2³⁵
//! samples do not overflow.

use crate::classify::ClassifierError;
use crate::labels::Labels;
use crate::points::Points;

use super::score::{Compared, Difference};
use super::{Labeled, Scorer};

/// The number of steps per unit of ln p.
const STEPS: f64 = 4096.0;

/// The accumulated scores of candidates on held-out samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    order: usize,
    scores: Vec<i64>,
    hits: Vec<i64>,
}

impl Tally {
    /// Returns an empty tally of candidates.
    pub fn new(candidates: usize) -> Self {
        let order = candidates + 1;
        Self { order, scores: vec![0; order * order], hits: vec![0; order * order] }
    }

    /// Returns a tally with the given sums (see [`Tally::sums`]), or `None` if their number does
    /// not match the number of candidates.
    pub fn from_sums(candidates: usize, sums: &[i64]) -> Option<Self> {
        let order = candidates + 1;
        let (scores, hits) = sums.split_at_checked(order * order)?;
        (hits.len() == order * order).then(|| Self {
            order,
            scores: scores.to_vec(),
            hits: hits.to_vec(),
        })
    }

    /// Returns the sums of scores followed by the sums of correct predictions, both in row-major
    /// order.
    pub fn sums(&self) -> Vec<i64> {
        [self.scores.as_slice(), self.hits.as_slice()].concat()
    }

    /// Adds the scores of some rows, each counted as often as its weight.
    ///
    /// # Errors
    ///
    /// If samples cannot be classified.
    pub fn add(
        &mut self,
        scorers: &[Scorer],
        points: Points<'_>,
        labels: &Labels,
        rows: &[usize],
        weights: Option<&[u64]>,
    ) -> Result<(), ClassifierError> {
        let data = Labeled { weights, ..Labeled::new(points, labels) };
        let scored = scorers
            .iter()
            .map(|scorer| scorer.scores(&data, rows.iter().copied()))
            .collect::<Result<Vec<_>, _>>()?;
        let (mut score, mut hit) = (vec![1_i64; self.order], vec![1_i64; self.order]);
        for (at, &row) in rows.iter().enumerate() {
            let weight = weights.map_or(1, |weights| weights[row] as i64);
            for (scorer, scores) in scored.iter().enumerate() {
                score[scorer + 1] = (f64::from(scores.values[at]) * STEPS).round() as i64;
                hit[scorer + 1] = i64::from(scores.hits.at(at));
            }
            add_outer(&mut self.scores, &score, weight);
            add_outer(&mut self.hits, &hit, weight);
        }
        Ok(())
    }

    fn total(&self) -> i64 {
        self.scores[0]
    }

    fn difference(&self, sums: &[i64], one: usize, other: usize, unit: f64) -> Difference {
        let get = |i: usize, j: usize| i128::from(sums[i * self.order + j]);
        let (one, other) = (one + 1, other + 1);
        let total = i128::from(self.total()).max(1);
        let sum = get(0, one) - get(0, other);
        let squares = get(one, one) + get(other, other) - 2 * get(one, other);
        // N Σd² − (Σd)² is an integer, so it has no round-off.
        let spread = (total * squares - sum * sum) as f64;
        let points = total as f64;
        Difference {
            mean: sum as f64 / points / unit,
            error: spread.sqrt() / points / (points - 1.0).max(1.0).sqrt() / unit,
        }
    }
}

impl Compared for Tally {
    fn met(&self, at: usize) -> usize {
        Compared::points(self, at)
    }

    fn points(&self, _: usize) -> usize {
        usize::try_from(self.total()).unwrap_or(0)
    }

    fn mean(&self, at: usize) -> f64 {
        self.scores[at + 1] as f64 / STEPS / self.total() as f64
    }

    fn accuracy(&self, at: usize) -> f64 {
        self.hits[at + 1] as f64 / self.total() as f64
    }

    fn ahead(&self, one: usize, other: usize) -> Difference {
        self.difference(&self.scores, one, other, STEPS)
    }

    fn more_accurate(&self, one: usize, other: usize) -> Difference {
        self.difference(&self.hits, one, other, 1.0)
    }
}

fn add_outer(sums: &mut [i64], values: &[i64], weight: i64) {
    for (row, &a) in sums.chunks_exact_mut(values.len()).zip(values) {
        for (sum, &b) in row.iter_mut().zip(values) {
            *sum += weight * a * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::Scores;
    use super::*;

    /// Returns the tally of given scores.
    fn tally(all: &[&Scores]) -> Tally {
        let mut tally = Tally::new(all.len());
        for at in 0..all[0].values.len() {
            let scores = all.iter().map(|one| (f64::from(one.values[at]) * STEPS).round() as i64);
            let hits = all.iter().map(|one| i64::from(one.hits.at(at)));
            let weight = all[0].weights[at] as i64;
            add_outer(
                &mut tally.scores,
                &[1].into_iter().chain(scores).collect::<Vec<_>>(),
                weight,
            );
            add_outer(&mut tally.hits, &[1].into_iter().chain(hits).collect::<Vec<_>>(), weight);
        }
        tally
    }

    #[test]
    fn differences_are_those_of_the_scores() {
        // The scores are whole steps, so nothing is rounded.
        let weights = vec![1.0, 3.0, 2.0, 1.0];
        let a = Scores::of(
            vec![-0.25, -1.5, -0.125, -2.0],
            vec![true, false, true, false],
            weights.clone(),
        );
        let b = Scores::of(vec![-0.5, -0.75, -0.125, -2.5], vec![true, true, true, false], weights);
        let (sums, scores) = (tally(&[&a, &b]), vec![&a, &b]);
        assert_eq!(sums.met(0), 7);
        for at in 0..2 {
            assert!((sums.mean(at) - scores.mean(at)).abs() < 1e-14);
            assert!((sums.accuracy(at) - scores.accuracy(at)).abs() < 1e-14);
        }
        for (exact, paired) in [
            (sums.ahead(0, 1), scores.ahead(0, 1)),
            (sums.more_accurate(1, 0), scores.more_accurate(1, 0)),
        ] {
            assert!((exact.mean - paired.mean).abs() < 1e-14);
            assert!((exact.error - paired.error).abs() < 1e-14);
        }
        assert_eq!(Tally::from_sums(2, &sums.sums()), Some(sums));
        assert_eq!(Tally::from_sums(2, &[0; 17]), None);
    }
}
