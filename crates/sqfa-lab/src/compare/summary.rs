//! Summaries of records: one row per method and number of filters, with medians and quantiles over
//! seeds.

use serde::{Deserialize, Serialize};

use super::{Outcome, Parts, Record, Spec};
use crate::evaluation::quantile;

/// The median with the 10 % and 90 % quantiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 10 % quantile.
    pub low: f64,
    /// The 90 % quantile.
    pub high: f64,
}

/// The summary of one method with one number of filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The name of the method.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// The number of seeds with a result. All folds of a seed count as one.
    pub runs: usize,
    /// The accuracy with each classifier, in the order of the specification, or `None` without a
    /// result.
    pub accuracies: Vec<Option<Spread>>,
    /// The accuracy with the first classifier over sessions and splits, if there are several.
    pub sessions: Option<SessionSpread>,
    /// The time of a fit in seconds.
    pub seconds: Option<Spread>,
    /// The number of fits that did not converge.
    pub unconverged: usize,
    /// The reason why some or all results are missing.
    pub remark: Option<String>,
    /// Whether the method does not support this number of filters or these data.
    pub not_applicable: bool,
}

/// Accuracies over sessions, and over the splits of each session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionSpread {
    /// The mean over sessions of their mean accuracies.
    pub mean: f64,
    /// The standard deviation of the means of sessions (divisor S − 1), or `None` with a single
    /// session.
    pub between: Option<f64>,
    /// The pooled standard deviation of splits about the mean of their session, or `None` without
    /// repeated splits.
    pub within: Option<f64>,
    /// The mean accuracy of every session, or `None` for sessions without results.
    pub means: Vec<Option<f64>>,
}

impl SessionSpread {
    /// Returns the spread of accuracies, with one list of splits per session. Returns `None`
    /// without accuracies.
    pub fn of(sessions: &[Vec<f64>]) -> Option<Self> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares = |values: &[f64], mean: f64| -> f64 {
            values.iter().map(|value| (value - mean).powi(2)).sum()
        };
        let means: Vec<Option<f64>> =
            sessions.iter().map(|splits| (!splits.is_empty()).then(|| mean(splits))).collect();
        let known: Vec<f64> = means.iter().copied().flatten().collect();
        if known.is_empty() {
            return None;
        }
        let all = mean(&known);
        let between =
            (known.len() > 1).then(|| (squares(&known, all) / (known.len() - 1) as f64).sqrt());
        let full = || sessions.iter().filter(|splits| !splits.is_empty());
        let freedom: usize = full().map(|splits| splits.len() - 1).sum();
        let around: f64 = full().map(|splits| squares(splits, mean(splits))).sum();
        let within = (freedom > 0).then(|| (around / freedom as f64).sqrt());
        Some(Self { mean: all, between, within, means })
    }
}

impl Spread {
    /// Returns the spread of numbers in any order, or `None` without numbers.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        Some(Self {
            median: quantile(&values, 0.5),
            low: quantile(&values, 0.1),
            high: quantile(&values, 0.9),
        })
    }
}

/// Returns the summary for the largest number of filters that a method supports, if it was
/// compared. Reports show it for larger numbers.
pub fn at_most<'a>(summaries: &'a [Summary], beyond: &Summary) -> Option<&'a Summary> {
    let own = summaries.iter().filter(|one| one.method == beyond.method && one.runs > 0);
    let fewer = own.filter(|one| beyond.not_applicable && one.filters < beyond.filters);
    fewer.max_by_key(|one| one.filters)
}

/// Returns one summary per number of filters and method, in the order of the specification.
pub fn summarize(spec: &Spec, records: &[Record]) -> Vec<Summary> {
    let pairs = spec.filters.iter().flat_map(|&m| spec.methods.iter().map(move |name| (m, name)));
    pairs
        .map(|(filters, method)| {
            let own: Vec<&Record> = records
                .iter()
                .filter(|record| record.filters == filters && record.method == *method)
                .collect();
            summary(spec, method, filters, &own)
        })
        .collect()
}

fn summary(spec: &Spec, method: &str, filters: usize, own: &[&Record]) -> Summary {
    let accuracies: Vec<Option<Spread>> = spec
        .classifiers
        .iter()
        .map(|classifier| {
            Spread::of(by_seed(own, classifier).into_iter().map(|(_, a)| a).collect())
        })
        .collect();
    let evaluated: Vec<_> = own.iter().filter_map(|record| record.evaluated()).collect();
    let mut seeds: Vec<u64> =
        own.iter().filter(|r| r.evaluated().is_some()).map(|record| record.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let remark = own.iter().find_map(|record| match &record.outcome {
        Outcome::Done(evaluated) => evaluated.scores.iter().find_map(|score| {
            score.error.as_ref().map(|error| format!("{}: {error}", score.classifier))
        }),
        Outcome::NotApplicable { reason } => Some(reason.clone()),
        Outcome::Failed { error } => Some(error.clone()),
        Outcome::OverLimit { seconds, limit } => {
            Some(format!("stopped after {seconds:.1} s; the limit is {limit} s"))
        }
    });
    let not_applicable = !own.is_empty()
        && own.iter().all(|record| matches!(record.outcome, Outcome::NotApplicable { .. }));
    Summary {
        method: method.to_owned(),
        filters,
        runs: seeds.len(),
        accuracies,
        sessions: sessions(spec, own),
        seconds: Spread::of(evaluated.iter().map(|evaluated| evaluated.fit_seconds).collect()),
        unconverged: evaluated.iter().filter(|evaluated| !evaluated.converged).count(),
        remark,
        not_applicable,
    }
}

/// Returns accuracies by session and split, averaged over seeds. Returns `None` for a single
/// session without repeated splits.
fn sessions(spec: &Spec, own: &[&Record]) -> Option<SessionSpread> {
    let classifier = spec.classifiers.first()?;
    let count = own.iter().map(|record| record.session + 1).max()?;
    let splits = match spec.parts {
        Parts::Splits(splits) => splits,
        Parts::Folds(folds) if count > 1 => folds,
        Parts::Given | Parts::Fraction(_) if count > 1 => 1,
        _ => return None,
    };
    let cell = |session: usize, fold: usize| -> Option<f64> {
        let of_cell = own.iter().filter(|r| (r.session, r.fold) == (session, fold));
        let found: Vec<f64> =
            of_cell.filter_map(|record| record.evaluated()?.accuracy(classifier)).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    };
    let all: Vec<Vec<f64>> = (0..count)
        .map(|session| (0..splits).filter_map(|fold| cell(session, fold)).collect())
        .collect();
    SessionSpread::of(&all)
}

/// Returns the accuracy of every seed with one classifier. Folds of a session are pooled sample by
/// sample, and sessions have equal weights.
pub(super) fn by_seed(own: &[&Record], classifier: &str) -> Vec<(u64, f64)> {
    let mut pooled: Vec<((u64, usize), usize, usize)> = Vec::new();
    for record in own {
        let score = record.evaluated().and_then(|evaluated| evaluated.score(classifier));
        let Some(score) = score.filter(|score| score.accuracy.is_some()) else { continue };
        let hits = score.hits.0.iter().filter(|&&hit| hit).count();
        let key = (record.seed, record.session);
        match pooled.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, sum, count)) => {
                *sum += hits;
                *count += score.hits.0.len();
            }
            None => pooled.push((key, hits, score.hits.0.len())),
        }
    }
    let mut by_seed: Vec<(u64, f64, usize)> = Vec::new();
    for ((seed, _), hits, count) in pooled {
        let accuracy = hits as f64 / count.max(1) as f64;
        match by_seed.iter_mut().find(|(known, ..)| *known == seed) {
            Some((_, sum, sessions)) => {
                *sum += accuracy;
                *sessions += 1;
            }
            None => by_seed.push((seed, accuracy, 1)),
        }
    }
    by_seed.into_iter().map(|(seed, sum, sessions)| (seed, sum / sessions as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_between_sessions_are_told_from_those_within() {
        // The means are 0.6, 0.8 and 0.7, and the deviations of splits are ±0.1, ±0.2 and 0.
        let found = SessionSpread::of(&[vec![0.5, 0.7], vec![0.6, 1.0], vec![0.7, 0.7]]).unwrap();
        assert!((found.mean - 0.7).abs() < 1e-12);
        // The expected values are √((0.01 + 0.01 + 0)/2) and √((2·0.01 + 2·0.04)/3).
        assert!((found.between.unwrap() - 0.1).abs() < 1e-12);
        assert!((found.within.unwrap() - (0.1_f64 / 3.0).sqrt()).abs() < 1e-12);
        // A shift of one session changes the deviation between sessions but not the one within
        // sessions.
        let moved = SessionSpread::of(&[vec![0.5, 0.7], vec![0.1, 0.5], vec![0.7, 0.7]]).unwrap();
        assert!((moved.within.unwrap() - found.within.unwrap()).abs() < 1e-12);
        // The means are 0.6, 0.3 and 0.7, which leads to √((0.0667² + 0.2333² + 0.1667²)/2).
        assert!((moved.between.unwrap() - (0.13_f64 / 3.0).sqrt()).abs() < 1e-12);
        let one = SessionSpread::of(&[vec![0.5, 0.7], Vec::new()]).unwrap();
        assert_eq!((one.between, one.means[1]), (None, None));
        assert_eq!(SessionSpread::of(&[vec![0.5]]).unwrap().within, None);
        assert_eq!(SessionSpread::of(&[]), None);
    }

    #[test]
    fn quantiles_interpolate() {
        let spread = Spread::of((0..=10).rev().map(f64::from).collect()).unwrap();
        assert_eq!(spread, Spread { median: 5.0, low: 1.0, high: 9.0 });
        assert_eq!(Spread::of(vec![2.0, 4.0]).unwrap().median, 3.0);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
