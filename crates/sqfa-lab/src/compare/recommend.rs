//! Which method and how many filters to use, and how sure that is.
//!
//! The candidate with the best median accuracy is found first. Then the fewest filters are taken whose best
//! method the test points cannot tell from it (95 % interval of the paired difference holds zero).

use super::summary::by_seed;
use super::{Interval, Record, Spec, Summary, paired_difference};

/// One method with one number of filters, represented by its run of median accuracy.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The method by name.
    pub method: String,
    /// The number of filters.
    pub filters: usize,
    /// The median accuracy by the first classifier.
    pub accuracy: f64,
    /// The seed whose accuracy is the (lower) median.
    pub seed: u64,
    /// Whether each test point was put into its own class by that run, folds one after the other.
    pub hits: Vec<bool>,
}

/// A candidate that was not taken, and by how much it is worse.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The candidate.
    pub candidate: Candidate,
    /// Accuracy of the recommended one less its own.
    pub behind: Option<Interval>,
}

/// What to use.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The recommended candidate.
    pub choice: Candidate,
    /// The candidate with the best accuracy, when it is another one, and its lead.
    pub best: Option<Contender>,
    /// The next best method with the same number of filters.
    pub next: Option<Contender>,
    /// The best method with fewer filters, and what it would cost.
    pub smaller: Option<Contender>,
}

/// The recommendation from records; none when no cell has a result.
pub fn recommend(spec: &Spec, summaries: &[Summary], records: &[Record]) -> Option<Recommendation> {
    let classifier = spec.classifiers.first()?;
    let candidates: Vec<Candidate> =
        summaries.iter().filter_map(|summary| candidate(summary, classifier, records)).collect();
    let best = top(candidates.iter())?;
    let as_good = |candidate: &&Candidate| {
        paired_difference(&best.hits, &candidate.hits).is_some_and(|interval| interval.holds_zero())
    };
    let at = |filters: usize| candidates.iter().filter(move |c| c.filters == filters);
    let choice = spec
        .filters
        .iter()
        .filter_map(|&filters| top(at(filters)))
        .find(|candidate| *candidate == best || as_good(candidate))?;
    let contender = |candidate: &Candidate| Contender {
        candidate: candidate.clone(),
        behind: paired_difference(&choice.hits, &candidate.hits),
    };
    let fewer = candidates.iter().filter(|candidate| candidate.filters < choice.filters);
    Some(Recommendation {
        choice: choice.clone(),
        best: (choice != best).then(|| contender(best)),
        next: top(at(choice.filters).filter(|other| other.method != choice.method)).map(contender),
        smaller: top(fewer).map(contender),
    })
}

/// The most accurate; ties go to fewer filters, then to the order of the spec.
fn top<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<&'a Candidate> {
    candidates.fold(None, |best: Option<&Candidate>, candidate| match best {
        Some(best) if best.accuracy >= candidate.accuracy => Some(best),
        _ => Some(candidate),
    })
}

fn candidate(summary: &Summary, classifier: &str, records: &[Record]) -> Option<Candidate> {
    let accuracy = summary.accuracies.first().copied().flatten()?.median;
    let own: Vec<&Record> = records
        .iter()
        .filter(|r| r.method == summary.method && r.filters == summary.filters)
        .collect();
    let mut seeds = by_seed(&own, classifier);
    seeds.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let (seed, _) = seeds[(seeds.len() - 1) / 2];
    let mut folds: Vec<&&Record> = own.iter().filter(|record| record.seed == seed).collect();
    folds.sort_by_key(|record| record.fold);
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
            scores: vec![score],
            warnings: Vec::new(),
            climbs: Vec::new(),
            detail: None,
        };
        let outcome = Outcome::Done(Box::new(evaluated));
        Record { method: method.to_owned(), filters, seed, fold: 0, outcome }
    }

    fn spec() -> Spec {
        Spec {
            methods: vec!["sqfa".to_owned(), "pca".to_owned()],
            filters: vec![2, 4, 8],
            ..Spec::default()
        }
    }

    #[test]
    fn fewer_filters_win_when_test_points_cannot_tell() {
        let records = [
            record("sqfa", 2, 0, |k| k % 10 < 6),
            record("sqfa", 4, 0, |k| k % 10 != 0),
            // Three points more, one less: nothing a thousand points could tell.
            record("sqfa", 8, 0, |k| (k % 10 != 0 || k < 30) && k != 500),
            record("pca", 4, 0, |k| k % 10 < 8),
        ];
        let summaries = summarize(&spec(), &records);
        let found = recommend(&spec(), &summaries, &records).unwrap();
        assert_eq!((found.choice.method.as_str(), found.choice.filters), ("sqfa", 4));
        let best = found.best.unwrap();
        assert_eq!(best.candidate.filters, 8);
        assert!(best.behind.unwrap().holds_zero());
        assert!(!found.next.as_ref().unwrap().behind.unwrap().holds_zero());
        assert_eq!(found.next.unwrap().candidate.method, "pca");
        assert_eq!(found.smaller.unwrap().candidate.filters, 2);
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
    }
}
