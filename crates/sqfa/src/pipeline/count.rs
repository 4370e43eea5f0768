//! Selection of the number of filters: the smallest one whose held-out accuracy is within one
//! standard error of the best.

use serde::{Deserialize, Serialize};

use crate::linalg::Mat;
use crate::model::{Noise, Start};
use crate::optimize::Observer;
use crate::reduce::{ReduceError, ReducerSettings, Training};
use crate::statistics::Scaling;

use super::in_memory::{Arm, InMemory};
use super::rule::EVERY_COUNT;
use super::score::{Compared, Scores};
use super::search::{Asked, Folds};
use super::selection::Candidate;
use super::space::Space;
use super::{Filters, NoChoice, Pipeline, PipelineError};

/// The score of one number of filters on held-out samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The number of filters.
    pub filters: usize,
    /// The mean ln p(true class) over held-out samples, each at least ln 0.05.
    pub log_posterior: f64,
    /// The held-out accuracy.
    pub accuracy: f64,
    /// The difference to the highest accuracy of all numbers, or `None` in files of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<f64>,
    /// The standard error of this difference, paired sample by sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// The numbers of filters that were tried, with the selected one.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The selected number of filters.
    pub filters: usize,
    /// The scores of all numbers that were tried, in ascending order of the number.
    pub points: Vec<CurvePoint>,
}

impl Pipeline {
    /// Returns the number of filters, and the scores if it was selected.
    pub(crate) fn count(
        &self,
        arms: &[Arm<'_>],
        dimension: usize,
        observer: &mut Observer<'_>,
    ) -> Result<(usize, Option<Curve>), PipelineError> {
        let counts = match self.filters {
            Filters::Count(count) => return Ok((count, None)),
            Filters::Auto { max } => self.counts(max.min(dimension))?,
        };
        let folds = InMemory::new(arms);
        let scalings: Vec<Scaling> = arms.iter().map(|arm| arm.scaling).collect();
        let (counts, asked) = self.ask_counts(counts, &scalings, &folds, observer)?;
        let mut scores = vec![Scores::default(); counts.len()];
        folds.score(&asked, &mut scores)?;
        let curve = curve(&counts, &scores.iter().collect::<Vec<_>>())?;
        Ok((curve.filters, Some(curve)))
    }

    /// Fits every number of filters on every fold. Returns the numbers that the method supports on
    /// all of them, with their scorers.
    pub(crate) fn ask_counts(
        &self,
        mut counts: Vec<usize>,
        scalings: &[Scaling],
        folds: &dyn Folds,
        observer: &mut Observer<'_>,
    ) -> Result<(Vec<usize>, Asked), PipelineError> {
        let (scaling, usual) = self.counted_in(scalings);
        let mut asked = Asked::default();
        for fold in 0..folds.count() {
            let Some(side) = folds.side(scaling, fold)? else { continue };
            let noise = usual.noise.value(side.unit);
            let fitted = self.fit_counts(&side.space, &counts, noise, observer)?;
            counts.truncate(fitted.len());
            asked.folds.push((fold, fitted.iter().map(|own| side.scorer(own)).collect()));
        }
        asked.folds.iter_mut().for_each(|(_, scorers)| scorers.truncate(counts.len()));
        asked.candidates = (0..counts.len()).map(|at| (at, scaling)).collect();
        Ok((counts, asked))
    }

    /// Returns the numbers of filters to try, up to `max`.
    ///
    /// # Errors
    ///
    /// If the method needs samples, or if `max` is 0.
    pub(crate) fn counts(&self, max: usize) -> Result<Vec<usize>, PipelineError> {
        let entry = self.method.entry;
        // A method that maximizes a distance uses class statistics, even if these are computed from
        // samples.
        if entry.needs_points() && entry.distance.is_none() {
            return Err(PipelineError::Count { why: NoChoice::Method });
        }
        if max == 0 {
            return Err(ReduceError::NoFilters { filters: 0 }.into());
        }
        Ok(counts(max))
    }

    /// Returns the scaling and the noise with which the number of filters is selected. Both are
    /// less important than the number.
    fn counted_in(&self, scalings: &[Scaling]) -> (Scaling, Candidate) {
        let first = self.scalings().first().copied().unwrap_or(Scaling::Common);
        let usual = match self.settings.noise {
            Noise::Auto => Candidate::usual(first),
            noise => Candidate { scaling: first, noise },
        };
        let scaled = self.method.entry.usual_scaling(&self.settings);
        let wanted = |own: &Scaling| {
            if self.has_noise() { *own == first } else { own.of_columns() == scaled }
        };
        let scaling = scalings.iter().copied().find(wanted).or(scalings.last().copied());
        (scaling.unwrap_or(first), usual)
    }

    /// Fits filters for each number that the method supports. The result is shorter than `counts`
    /// if the largest numbers are not possible.
    pub(crate) fn fit_counts(
        &self,
        space: &Space,
        counts: &[usize],
        noise: f64,
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Mat<f64>>, PipelineError> {
        let training = Training::from_statistics(&space.statistics);
        let noise = Noise::Value(noise);
        let own = ReducerSettings { start: Start::Auto, ..self.settings.clone() };
        let settings = ReducerSettings { noise, ..space.settings(&own) };
        let method = self.method.entry.reducer(&settings);
        let mut possible = counts.to_vec();
        loop {
            match method.fit(&training, &possible, observer) {
                Ok(fitted) => return Ok(fitted.into_iter().map(|one| one.filters).collect()),
                Err(ReduceError::TooMany { limit, .. }) if possible[0] <= limit => {
                    possible.retain(|&count| count <= limit);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns 1, 2, 3 and 4, then numbers half an octave apart, and finally `max`.
fn counts(max: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = (1..=max.min(EVERY_COUNT)).collect();
    let mut next = EVERY_COUNT;
    while next < max {
        // 4, 6, 8, 12, 16, …
        next = if next.is_power_of_two() { next + next / 2 } else { next / 3 * 4 };
        counts.push(next.min(max));
    }
    counts
}

/// Returns the smallest number of filters whose accuracy is within one standard error of the best.
///
/// # Errors
///
/// If nothing was held out.
pub(crate) fn curve(counts: &[usize], scores: &dyn Compared) -> Result<Curve, PipelineError> {
    let none = PipelineError::Count { why: NoChoice::TooFewPoints };
    smallest(counts, scores).ok_or(none)
}

fn smallest(counts: &[usize], scores: &dyn Compared) -> Option<Curve> {
    let scored = (0..counts.len()).filter(|&at| scores.met(at) > 0);
    let best =
        scored.reduce(
            |best, other| {
                if scores.accuracy(other) > scores.accuracy(best) { other } else { best }
            },
        )?;
    let points: Vec<CurvePoint> = counts
        .iter()
        .enumerate()
        .map(|(at, &filters)| {
            let behind = scores.more_accurate(best, at);
            CurvePoint {
                filters,
                log_posterior: scores.mean(at),
                accuracy: scores.accuracy(at),
                behind: Some(behind.mean),
                error: Some(behind.error),
            }
        })
        .collect();
    let filters = points.iter().find(|point| point.behind <= point.error)?.filters;
    Some(Curve { filters, points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_with_the_most() {
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(5), [1, 2, 3, 4, 5]);
        assert_eq!(counts(16), [1, 2, 3, 4, 6, 8, 12, 16]);
        assert_eq!(counts(20), [1, 2, 3, 4, 6, 8, 12, 16, 20]);
    }

    #[test]
    fn the_fewest_filters_within_one_standard_error_are_taken() {
        let scores = |right: usize| {
            let hits = (0..100).map(|at| at < right).collect();
            Scores::of(vec![-0.1; 100], hits, vec![1.0; 100])
        };
        // Accuracies 0.90 and 0.80 differ by 0.10 with standard error 0.3/√99 = 0.03. Accuracies
        // 0.90 and 0.89 differ by 0.01 with standard error 0.01.
        let (few, some, most) = (scores(80), scores(89), scores(90));
        let curve = curve(&[1, 2, 4], &vec![&few, &some, &most]).unwrap();
        assert_eq!(curve.filters, 2);
        assert!((curve.points[0].behind.unwrap() - 0.1).abs() < 1e-12);
        assert!((curve.points[0].error.unwrap() - 0.3 / 99_f64.sqrt()).abs() < 1e-12);
    }
}
