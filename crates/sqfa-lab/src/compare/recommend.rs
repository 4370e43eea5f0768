//! Recommendation of a method and a number of filters, with confidence intervals.
//!
//! The candidate with the highest median accuracy is found first. Other candidates lead as well if
//! their difference from it is not significant, that is, if the 95 % interval of the paired
//! difference contains zero. The simplest of all leading candidates is recommended: the one with
//! the fewest filters and then the least work. Work is compared by kind and not by time, so that
//! the same records lead to the same recommendation: class statistics are less work than samples,
//! and an eigendecomposition is less work than an iterative optimization. The remaining ties are
//! decided by accuracy.

use std::cmp::Reverse;

use sqfa::reduce::Method;

use super::summary::by_seed;
use super::{Interval, Record, Spec, Summary, paired_difference};

/// A method with a number of filters, represented by the run with the median accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The name of the method.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// The median accuracy with the first classifier.
    pub accuracy: f64,
    /// The seed with the (lower) median accuracy.
    pub seed: u64,
    /// Whether each test sample was classified correctly in this run, in the order of the folds.
    pub hits: Vec<bool>,
    /// The number of iterations of this run over all folds. It is 0 without iterative optimization.
    pub iterations: usize,
}

/// A candidate that is not recommended, with the difference in accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The candidate.
    pub candidate: Candidate,
    /// The accuracy of the recommended candidate minus that of this one.
    pub behind: Option<Interval>,
}

/// A recommended method and number of filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The recommended candidate.
    pub choice: Candidate,
    /// The other candidates that are not significantly worse than the most accurate one, best
    /// first. Empty if the recommended one is significantly better than all others.
    pub leading: Vec<Contender>,
    /// The most accurate of the candidates that do not lead.
    pub next: Option<Contender>,
}

impl Recommendation {
    /// Whether the recommended candidate is significantly better than all others, or the only one.
    pub fn is_clear(&self) -> bool {
        self.leading.is_empty()
    }
}

/// Returns the recommendation from records, or `None` if no cell has a result.
pub fn recommend(spec: &Spec, summaries: &[Summary], records: &[Record]) -> Option<Recommendation> {
    let classifier = spec.classifiers.first()?;
    let mut candidates: Vec<Candidate> =
        summaries.iter().filter_map(|summary| candidate(summary, classifier, records)).collect();
    // The sort is stable: ties are resolved in favor of fewer filters and then by the order of the
    // specification.
    candidates.sort_by(|a, b| b.accuracy.total_cmp(&a.accuracy));
    let best = candidates.first()?;
    let leads = |candidate: &Candidate| {
        candidate == best
            || paired_difference(&best.hits, &candidate.hits).is_some_and(|it| it.holds_zero())
    };
    let (leading, others): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|candidate| leads(candidate));
    let choice = leading.iter().copied().min_by_key(|candidate| candidate.simplicity())?;
    let contender = |candidate: &Candidate| Contender {
        candidate: candidate.clone(),
        behind: paired_difference(&choice.hits, &candidate.hits),
    };
    Some(Recommendation {
        choice: choice.clone(),
        leading: leading.iter().filter(|one| **one != choice).map(|one| contender(one)).collect(),
        next: others.first().map(|one| contender(one)),
    })
}

impl Candidate {
    /// Returns a sort key: fewest filters, least work, highest accuracy.
    fn simplicity(&self) -> (usize, bool, bool, Reverse<u64>) {
        let method = self.method.parse::<Method>();
        let points = method.is_ok_and(|own| own.refined || own.entry.needs_points());
        // Accuracies are not negative, so the order of their bits is that of the numbers.
        (self.filters, points, self.iterations > 0, Reverse(self.accuracy.to_bits()))
    }
}

fn candidate(summary: &Summary, classifier: &str, records: &[Record]) -> Option<Candidate> {
    let accuracy = summary.accuracies.first().copied().flatten()?.median;
    let own: Vec<&Record> = records
        .iter()
        .filter(|r| r.method == summary.method && r.filters == summary.filters)
        .collect();
    let mut seeds = by_seed(&own, classifier);
    seeds.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let (seed, _) = *seeds.get(seeds.len().checked_sub(1)? / 2)?;
    let mut folds: Vec<&&Record> = own.iter().filter(|record| record.seed == seed).collect();
    folds.sort_by_key(|record| (record.session, record.fold));
    // Records are read from files, so iterations may be any number.
    let iterations = folds.iter().filter_map(|record| Some(record.evaluated()?.iterations));
    let iterations = iterations.fold(0, usize::saturating_add);
    let hits = folds
        .iter()
        .filter_map(|record| record.evaluated()?.score(classifier))
        .flat_map(|score| score.hits.0.clone())
        .collect();
    Some(Candidate {
        method: summary.method.clone(),
        filters: summary.filters,
        accuracy,
        seed,
        hits,
        iterations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Bits, Evaluated, Outcome, Score, summarize};

    fn record(method: &str, filters: usize, seed: u64, hits: impl Fn(usize) -> bool) -> Record {
        let hits: Vec<bool> = (0..1000).map(hits).collect();
        let accuracy = hits.iter().filter(|&&hit| hit).count() as f64 / 1000.0;
        let score = Score {
            classifier: "qda".to_owned(),
            accuracy: Some(accuracy),
            error: None,
            hits: Bits(hits),
        };
        let evaluated = Evaluated {
            fit_seconds: 1.0,
            statistics_seconds: None,
            search_seconds: 0.0,
            objective: None,
            converged: true,
            iterations: 0,
            settings: Vec::new(),
            refinement: None,
            selection: None,
            scores: vec![score],
            warnings: Vec::new(),
            climbs: Vec::new(),
            detail: None,
        };
        let outcome = Outcome::Done(Box::new(evaluated));
        Record { method: method.to_owned(), filters, seed, fold: 0, session: 0, outcome }
    }

    fn spec() -> Spec {
        Spec {
            methods: vec!["sqfa".to_owned(), "pca".to_owned()],
            filters: vec![2, 4, 8],
            ..Spec::default()
        }
    }

    #[test]
    fn the_simplest_of_what_test_points_cannot_tell_apart_is_taken() {
        let records = [
            record("sqfa", 2, 0, |k| k % 10 < 6),
            record("sqfa", 4, 0, |k| k % 10 != 0),
            // Three more correct and one less: not significant with a thousand samples.
            record("sqfa", 8, 0, |k| (k % 10 != 0 || k < 30) && k != 500),
            record("pca", 4, 0, |k| k % 10 < 8),
        ];
        let summaries = summarize(&spec(), &records);
        let found = recommend(&spec(), &summaries, &records).unwrap();
        assert_eq!((found.choice.method.as_str(), found.choice.filters), ("sqfa", 4));
        assert!(!found.is_clear());
        let [best] = found.leading.as_slice() else { panic!("{:?}", found.leading) };
        assert_eq!(best.candidate.filters, 8);
        assert!(best.behind.unwrap().holds_zero());
        let next = found.next.unwrap();
        assert_eq!((next.candidate.method.as_str(), next.candidate.filters), ("pca", 4));
        assert!(!next.behind.unwrap().holds_zero());
    }

    #[test]
    fn a_clear_lead_has_no_rivals_and_a_tie_goes_to_the_least_work() {
        let clear = [record("sqfa", 2, 0, |k| k % 10 != 0), record("pca", 2, 0, |k| k % 10 < 6)];
        let found = recommend(&spec(), &summarize(&spec(), &clear), &clear).unwrap();
        assert!(found.is_clear() && found.choice.method == "sqfa");
        assert_eq!(found.next.unwrap().candidate.method, "pca");
        // With equal predictions, an eigendecomposition is simpler than an iterative optimization,
        // and class statistics are less work than samples.
        let same = |method: &str, iterations: usize| {
            let mut record = record(method, 2, 0, |k| k % 10 != 0);
            if let Outcome::Done(evaluated) = &mut record.outcome {
                evaluated.iterations = iterations;
            }
            record
        };
        let methods = ["sqfa+refine", "lfda", "sqfa-h", "sqfa", "pca"];
        let spec = Spec { methods: methods.map(str::to_owned).to_vec(), ..spec() };
        let mut equal = vec![
            same("sqfa+refine", 3),
            same("lfda", 0),
            same("sqfa-h", 9),
            same("sqfa", 7),
            same("pca", 0),
        ];
        let mut order = Vec::new();
        while !equal.is_empty() {
            let found = recommend(&spec, &summarize(&spec, &equal), &equal).unwrap();
            assert_eq!(found.leading.len() + 1, equal.len());
            equal.retain(|record| record.method != found.choice.method);
            order.push(found.choice.method);
        }
        // All iterative optimizations of statistics count as equal work, so the order of the
        // specification decides.
        assert_eq!(order, ["pca", "sqfa-h", "sqfa", "lfda", "sqfa+refine"]);
    }

    #[test]
    fn a_candidate_is_its_median_run() {
        let records: Vec<Record> = [5, 9, 7]
            .iter()
            .enumerate()
            .map(|(seed, &good)| record("sqfa", 2, seed as u64, move |k| k % 10 < good))
            .collect();
        let summaries = summarize(&spec(), &records);
        let found = recommend(&spec(), &summaries, &records).unwrap();
        assert_eq!((found.choice.seed, found.choice.accuracy), (2, 0.7));
        assert!(recommend(&spec(), &summarize(&spec(), &[]), &[]).is_none());
        // Invalid numbers of iterations are not an error.
        let mut folds = [0, 1].map(|fold| Record { fold, ..record("sqfa", 2, 0, |k| k % 2 == 0) });
        for fold in &mut folds {
            if let Outcome::Done(evaluated) = &mut fold.outcome {
                evaluated.iterations = usize::MAX;
            }
        }
        let found = recommend(&spec(), &summarize(&spec(), &folds), &folds).unwrap();
        assert_eq!(found.choice.iterations, usize::MAX);
    }
}
