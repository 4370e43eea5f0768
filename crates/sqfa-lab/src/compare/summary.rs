//! Records to one row per method and number of filters: medians and spreads over seeds.

use serde::{Deserialize, Serialize};

use super::{Outcome, Record, Spec};
use crate::evaluation::quantile;

/// The median of some numbers and the range that leaves out a tenth at each end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 10 % quantile.
    pub low: f64,
    /// The 90 % quantile.
    pub high: f64,
}

/// All that is known of one method with one number of filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The method by name.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// Seeds with a result; folds of a seed count as one.
    pub runs: usize,
    /// Accuracies by classifier, in the spec's order; none where there is no result.
    pub accuracies: Vec<Option<Spread>>,
    /// Seconds of a fit.
    pub seconds: Option<Spread>,
    /// Fits that did not reach their optimum.
    pub unconverged: usize,
    /// Why there is no result, or why some are missing.
    pub remark: Option<String>,
    /// Whether the method cannot do this by its nature.
    pub not_applicable: bool,
}

impl Spread {
    /// Of numbers in any order; none when there are none.
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

/// One summary per number of filters and method, in the spec's order.
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
        seconds: Spread::of(evaluated.iter().map(|evaluated| evaluated.fit_seconds).collect()),
        unconverged: evaluated.iter().filter(|evaluated| !evaluated.converged).count(),
        remark,
        not_applicable,
    }
}

/// The accuracy of every seed by one classifier; folds are pooled point by point.
pub(super) fn by_seed(own: &[&Record], classifier: &str) -> Vec<(u64, f64)> {
    let mut pooled: Vec<(u64, usize, usize)> = Vec::new();
    for record in own {
        let score = record.evaluated().and_then(|evaluated| evaluated.score(classifier));
        let Some(score) = score.filter(|score| score.accuracy.is_some()) else { continue };
        let hits = score.hits.0.iter().filter(|&&hit| hit).count();
        match pooled.iter_mut().find(|(seed, ..)| *seed == record.seed) {
            Some((_, sum, count)) => {
                *sum += hits;
                *count += score.hits.0.len();
            }
            None => pooled.push((record.seed, hits, score.hits.0.len())),
        }
    }
    pooled
        .into_iter()
        .map(|(seed, hits, count)| (seed, hits as f64 / count.max(1) as f64))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let spread = Spread::of((0..=10).rev().map(f64::from).collect()).unwrap();
        assert_eq!(spread, Spread { median: 5.0, low: 1.0, high: 9.0 });
        assert_eq!(Spread::of(vec![2.0, 4.0]).unwrap().median, 3.0);
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
