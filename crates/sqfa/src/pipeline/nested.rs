//! The held-out accuracy of a selection as a whole.
//!
//! The accuracy of the selected candidate is too high. Of many equally good candidates, the rule
//! tends to select one that was lucky on the samples with which it is scored. Therefore the rule
//! selects a candidate for each fold by the scores of the other folds, and this candidate is scored
//! on the fold. No further fits are needed. A sample that several repeats hold out is excluded from
//! all of them at once. The remaining bias is small: the filters with which the other folds are
//! scored were trained on this fold. On pure noise (1500 draws of 60 × 5) the selected candidate
//! has an accuracy of 52.8 % and this estimate is 51.5 ± 0.2 %, where chance is 50 %.

use std::collections::HashSet;

use super::score::{Compared, Difference, Scores};

/// The samples of each fold, in the order of all [`Scores`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Held {
    /// The identifier of the sample at each index of the scores. Repeats contain the same samples
    /// again.
    samples: Vec<u64>,
    /// The index after the last sample of each fold.
    ends: Vec<usize>,
}

impl Held {
    /// Appends the samples of one fold.
    pub(crate) fn push(&mut self, samples: impl Iterator<Item = u64>) {
        self.samples.extend(samples);
        self.ends.push(self.samples.len());
    }

    /// Returns the accuracy of the candidates that `select` returns for the scores of the other
    /// folds. All candidates must be scored on every fold. Returns `None` with fewer than two folds
    /// or if `select` returns `None`.
    pub(crate) fn accuracy(
        &self,
        scores: &[&Scores],
        select: impl Fn(&dyn Compared) -> Option<usize>,
    ) -> Option<f64> {
        if self.ends.len() < 2 {
            return None;
        }
        let (mut right, mut total, mut start) = (0.0, 0.0, 0);
        for &end in &self.ends {
            let own: HashSet<u64> = self.samples[start..end].iter().copied().collect();
            let others = (0..self.samples.len()).filter(|&at| !own.contains(&self.samples[at]));
            let others = Places { scores, places: others.collect() };
            let taken = select(&others)?;
            let own = Places { scores, places: (start..end).collect() };
            // A search that was cancelled has no scores for its last folds.
            let weight = own.weight(taken);
            if weight > 0.0 {
                right += own.accuracy(taken) * weight;
                total += weight;
            }
            start = end;
        }
        (total > 0.0).then(|| right / total)
    }
}

/// The scores of candidates on some of the samples.
struct Places<'a> {
    scores: &'a [&'a Scores],
    places: Vec<usize>,
}

impl Places<'_> {
    /// Returns the indices on which a candidate was scored.
    fn of(&self, at: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let scored = self.scores[at].len();
        self.places.iter().copied().filter(move |&place| place < scored)
    }

    fn weight(&self, at: usize) -> f64 {
        self.of(at).map(|place| self.scores[at].weight(place)).sum()
    }
}

impl Compared for Places<'_> {
    fn met(&self, at: usize) -> usize {
        self.of(at).count()
    }

    fn points(&self, at: usize) -> usize {
        self.weight(at) as usize
    }

    fn mean(&self, at: usize) -> f64 {
        self.scores[at].mean_at(self.of(at))
    }

    fn accuracy(&self, at: usize) -> f64 {
        self.scores[at].accuracy_at(self.of(at))
    }

    fn ahead(&self, one: usize, other: usize) -> Difference {
        let scored = self.scores[other].len();
        let places = self.of(one).filter(move |&place| place < scored);
        self.scores[one].ahead_at(self.scores[other], places)
    }

    fn more_accurate(&self, one: usize, other: usize) -> Difference {
        let scored = self.scores[other].len();
        let places = self.of(one).filter(move |&place| place < scored);
        self.scores[one].more_accurate_at(self.scores[other], places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(hits: &[bool]) -> Scores {
        let values = hits.iter().map(|&hit| if hit { -0.1 } else { -2.0 }).collect();
        Scores::of(values, hits.to_vec(), Vec::new())
    }

    fn best(scores: &dyn Compared) -> Option<usize> {
        (0..2).reduce(|best, at| if scores.mean(at) > scores.mean(best) { at } else { best })
    }

    /// Each candidate is correct on one fold only, so the candidate selected by one fold is wrong
    /// on the other.
    #[test]
    fn luck_on_the_samples_that_score_it_does_not_count() {
        let (first, second) = (scores(&[true, true, false]), scores(&[false, false, true]));
        let mut held = Held::default();
        held.push([0, 1].into_iter());
        held.push([2].into_iter());
        assert_eq!(held.accuracy(&[&first, &second], best), Some(0.0));
        // A second repeat of the same samples must not change the result, because its scores are
        // excluded with them.
        let (first, second) = (
            scores(&[true, true, false, true, true, false]),
            scores(&[false, false, true, false, false, true]),
        );
        held.push([0, 1].into_iter());
        held.push([2].into_iter());
        assert_eq!(held.accuracy(&[&first, &second], best), Some(0.0));
    }

    #[test]
    fn one_fold_says_nothing_about_a_selection() {
        let mut held = Held::default();
        held.push(0..3);
        assert_eq!(held.accuracy(&[&scores(&[true; 3])], |_| Some(0)), None);
    }
}
