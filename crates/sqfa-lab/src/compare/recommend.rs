//! Which method and how many filters to use, and how sure that is.
//!
//! The candidate with the best median accuracy is found first. Those that the test points cannot tell from it (the 95 %
//! interval of the paired difference holds zero: about two standard errors) lead with it. Of all that lead the simplest is
//! taken: the fewest filters, then the least work. Work is told by kind, not timed, so that the same records recommend the
//! same: class statistics before points, a closed form before a climb; what is left is decided by accuracy.

use std::cmp::Reverse;

use sqfa::reduce::Method;

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
    /// Iterations of that run over all folds; 0 for a closed form.
    pub iterations: usize,
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
    /// The others that test points cannot tell from the most accurate one, best first; none when the choice is clearly ahead.
    pub leading: Vec<Contender>,
    /// The most accurate of those that do not lead.
    pub next: Option<Contender>,
}

impl Recommendation {
    /// Whether the choice is clearly ahead of all others; also when there are none.
    pub fn is_clear(&self) -> bool {
        self.leading.is_empty()
    }
}

/// The recommendation from records; none when no cell has a result.
pub fn recommend(spec: &Spec, summaries: &[Summary], records: &[Record]) -> Option<Recommendation> {
    let classifier = spec.classifiers.first()?;
    let mut candidates: Vec<Candidate> =
        summaries.iter().filter_map(|summary| candidate(summary, classifier, records)).collect();
    // A stable sort: ties go to fewer filters, then to the order of the spec.
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
    /// The simplest comes first: fewest filters, least work, then the most accurate.
    fn simplicity(&self) -> (usize, bool, bool, Reverse<u64>) {
        let method = self.method.parse::<Method>();
        let points = method.is_ok_and(|own| own.refined || own.entry.needs_points());
        // Shares of points are positive, so that their bits are in their order.
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
    // Records come from files, where any number may stand.
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
            // Three points more, one less: nothing a thousand points could tell.
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
        // The same hits: a closed form is simpler than a climb, and statistics are less work than points.
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
        // Climbs on statistics are of one kind, however many their iterations: the order of the spec decides.
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
        // Iterations that cannot be are no reason to stop.
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
