//! Which objective gives the largest mean Fisher–Rao distance, and how far the exact one goes beyond.

use sqfa::fisher_rao::{FisherRaoOptions, fisher_rao_pairwise};
use sqfa::model::Restarts;
use sqfa::reduce::{Choice, Limit, reducer_entry};
use sqfa::statistics::project;

use sqfa::optimize::Observer;

use super::{Claim, Problem};
use crate::PaperError;

/// The paper's columns, the Calvo–Oller bound first.
const METHODS: [&str; 7] = ["sqfa", "sqfa-h", "sqfa-b", "sqfa-w", "sqfa-j", "pca", "lda"];
/// What the paper does not have: the exact distance as objective.
const EXACT: &str = "sqfa-fr";
/// LDA's shrinkage, the middle one of the paper's grid.
const SHRINKAGE: f64 = 0.2;
/// What the paper's two decimals can tell apart.
const PRINTED: f64 = 0.005;

/// Maximizing the Calvo–Oller bound gives the largest distances of the paper's objectives.
pub(super) fn largest(
    problem: &Problem<'_>,
    starts: u64,
    observer: &mut Observer<'_>,
) -> Result<Claim, PaperError> {
    let classes = problem.statistics.classes().len();
    let mut measured = Vec::new();
    for method in METHODS.into_iter().chain([EXACT]) {
        let limited = reducer_entry(method).is_ok_and(|e| e.limit == Limit::ClassesLessOne);
        if limited && problem.filters >= classes {
            continue;
        }
        let mut settings = problem.settings(0);
        settings.restarts = Restarts::Count(starts.max(1) as usize);
        settings.shrinkage = Choice::Value(SHRINKAGE);
        settings.shrinks_total = true;
        let fitted =
            problem.fit_on(&problem.statistics, method, &settings, problem.filters, observer)?;
        let own = project(&problem.statistics, fitted.filters.as_ref(), problem.noise);
        let pairs = fisher_rao_pairwise(&own, &FisherRaoOptions::default(), &[])
            .map_err(|error| problem.fail(error))?;
        let mean = pairs.iter().map(|pair| pair.distance).sum::<f64>() / pairs.len().max(1) as f64;
        measured.push((method.to_owned(), mean));
    }
    let of =
        |name: &str| measured.iter().find(|(known, _)| known == name).map_or(f64::NAN, |m| m.1);
    let (bound, exact) = (of("sqfa"), of(EXACT));
    let others = measured.iter().filter(|(name, _)| name != "sqfa" && name != EXACT);
    let best = others.map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    measured.push((format!("{EXACT} beyond sqfa (%)"), 100.0 * (exact / bound - 1.0)));
    Ok(Claim {
        name: "largest-fisher-rao".into(),
        place: problem.title.into(),
        statement: "Maximizing the Calvo–Oller bound leads to the largest mean Fisher–Rao distance among the objectives.".into(),
        measured,
        rule: format!("sqfa's mean distance above every other of the paper, or within {PRINTED}"),
        holds: bound >= best - PRINTED,
    })
}
