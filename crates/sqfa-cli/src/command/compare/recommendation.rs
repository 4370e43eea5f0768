//! The recommendation of a comparison in words: a winner only where there is one.

use sqfa_lab::compare::{Candidate, Contender, Recommendation};

use super::tables::{filters, title};
use crate::output::percent;

/// Rivals that are named.
const LISTED: usize = 5;

/// What to use and how sure that is.
pub(super) fn recommendation(found: &Recommendation) -> String {
    let choice = &found.choice;
    let (what, accuracy) = (named(choice), percent(choice.accuracy));
    if found.is_clear() {
        let ahead = found.next.as_ref().map(ahead).unwrap_or_default();
        return format!("Recommended: {what}, {accuracy}{ahead}.\n");
    }
    let mut rivals: Vec<String> = found
        .leading
        .iter()
        .take(LISTED)
        .map(|one| format!("{} ({})", named(&one.candidate), percent(one.candidate.accuracy)))
        .collect();
    if found.leading.len() > LISTED {
        rivals.push(format!("{} more", found.leading.len() - LISTED));
    }
    let last = rivals.pop().unwrap_or_default();
    let rivals = match rivals.is_empty() {
        true => last,
        false => format!("{} and {last}", rivals.join(", ")),
    };
    format!(
        "On {} test samples, {what} ({accuracy}) does not differ significantly from {rivals}.\n\
         Recommended: {what}, the simplest of them (fewest filters, then least work).\n",
        choice.hits.len(),
    )
}

fn named(candidate: &Candidate) -> String {
    format!("{} with {}", title(&candidate.method), filters(&[candidate.filters]))
}

/// By how much the recommendation leads.
fn ahead(next: &Contender) -> String {
    let Some(behind) = next.behind else { return String::new() };
    // A lead of many test points may be clear and still less than a tenth of a point.
    let digits = if behind.difference < 0.001 { 2 } else { 1 };
    let points = |share: f64| format!("{:.digits$}", 100.0 * share);
    format!(
        ", {} points ahead of {} (95 % interval {} to {})",
        points(behind.difference),
        named(&next.candidate),
        points(behind.low),
        points(behind.high),
    )
}

#[cfg(test)]
mod tests {
    use sqfa_lab::compare::paired_difference;

    use super::*;

    fn candidate(method: &str, filters: usize, right: usize) -> Candidate {
        let hits: Vec<bool> = (0..100).map(|point| point < right).collect();
        let accuracy = right as f64 / 100.0;
        Candidate { method: method.to_owned(), filters, accuracy, seed: 0, hits, iterations: 0 }
    }

    fn contender(choice: &Candidate, candidate: Candidate) -> Contender {
        let behind = paired_difference(&choice.hits, &candidate.hits);
        Contender { candidate, behind }
    }

    #[test]
    fn a_clear_lead_is_told_in_points() {
        let choice = candidate("sqfa-h", 1, 90);
        let next = Some(contender(&choice, candidate("pca", 2, 60)));
        let found = Recommendation { choice, leading: Vec::new(), next };
        // 30 points of 100 more and none less: (30 ± 1.96·√(31 − 900/102))/102 after half a point each.
        let reach = 1.959_963_984_540_054 * (31.0 - 900.0 / 102.0_f64).sqrt();
        let (low, high) = (100.0 * (30.0 - reach) / 102.0, 100.0 * (30.0 + reach) / 102.0);
        let told = format!(
            "Recommended: SQFA-H with 1 filter, 90.0 %, 30.0 points ahead of PCA with 2 filters \
             (95 % interval {low:.1} to {high:.1}).\n"
        );
        assert_eq!(recommendation(&found), told);
    }

    #[test]
    fn where_nothing_leads_no_lead_is_told() {
        let choice = candidate("lda", 2, 90);
        let rivals = [("sqfa", 91), ("sqfa-h", 90), ("pca", 89)];
        let leading: Vec<Contender> = rivals
            .iter()
            .map(|(method, right)| contender(&choice, candidate(method, 2, *right)))
            .collect();
        let told = recommendation(&Recommendation { choice, leading, next: None });
        assert!(told.starts_with("On 100 test samples, LDA"));
        assert!(
            told.contains("SQFA with 2 filters (91.0 %), SQFA-H with 2 filters (90.0 %) and PCA")
        );
        assert!(told.contains("Recommended: LDA with 2 filters, the simplest of them"));
        assert!(!told.contains("points ahead"), "{told}");
    }
}
