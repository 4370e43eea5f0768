//! The section with the recommended method and number of filters, and its confidence intervals.

use maud::{Markup, html};

use super::page::section as framed_section;
use super::style::{filters, percent, points, title_of};
use crate::compare::{Contender, Manifest, Outcome, Parts, Recommendation, Record, Summary};

/// The largest number of equivalent candidates that are listed.
const LISTED: usize = 6;

/// Returns the section at the beginning of the report.
pub(super) fn section(
    manifest: &Manifest,
    summaries: &[Summary],
    records: &[Record],
    found: Option<&Recommendation>,
) -> Markup {
    let body = html! {
        @match found {
            Some(found) => (recommendation(manifest, found)),
            None => p { "No cell has a result, so there is nothing to recommend." },
        }
        (troubles(manifest, summaries, records))
    };
    framed_section("recommendation", "Recommendation", "", body)
}

fn recommendation(manifest: &Manifest, found: &Recommendation) -> Markup {
    let choice = &found.choice;
    let classifier = manifest.spec.classifiers.first().map(|name| name.to_uppercase());
    let classifier = classifier.unwrap_or_default();
    let on = match manifest.spec.parts {
        Parts::Given => "test points".to_owned(),
        Parts::Fraction(share) => {
            format!("held-out samples ({:.0} % of every class)", 100.0 * share)
        }
        Parts::Folds(folds) => format!("samples, each held out once in {folds} folds,"),
        Parts::Splits(_) => "test points of all splits".to_owned(),
    };
    html! {
        div.recommendation {
            p.big {
                strong { (title_of(&choice.method)) } " with "
                strong { (filters(choice.filters)) }
            }
            p {
                "Of the " (choice.hits.len()) " " (on) " " (classifier) " puts "
                strong { (percent(choice.accuracy)) } " into their own class"
                @if manifest.spec.seeds > 1 { " (median over seeds)" }
                "."
            }
            ul {
                @if found.is_clear() {
                    li { "Clearly ahead of every other combination of method and number of filters." }
                } @else {
                    li { (no_winner(found)) }
                    @for one in found.leading.iter().take(LISTED) { li { (named(one)) (rival(one)) } }
                    @if found.leading.len() > LISTED { li { "and " (found.leading.len() - LISTED) " more" } }
                }
                @if let Some(next) = &found.next { li { (lead(next)) } }
            }
            p.note {
                "Intervals are 95 % intervals of the paired difference over the same " (choice.hits.len())
                " points (Agresti–Min), for the runs of median accuracy. The choice itself was made on these points, so "
                "small leads are optimistic."
            }
        }
    }
}

fn interval(contender: &Contender, sign: f64) -> Markup {
    html! {
        @if let Some(behind) = contender.behind {
            @let (a, b) = (sign * behind.low, sign * behind.high);
            strong { (points(sign * behind.difference)) } " points, interval "
            (points(a.min(b))) " to " (points(a.max(b)))
        }
    }
}

fn named(contender: &Contender) -> Markup {
    let candidate = &contender.candidate;
    html! {
        (title_of(&candidate.method)) " with " (filters(candidate.filters))
        " (" (percent(candidate.accuracy)) ")"
    }
}

fn no_winner(found: &Recommendation) -> Markup {
    let count = found.leading.len();
    html! {
        "No candidate is significantly better. Of " (count + 1)
        " candidates without a significant difference, this is the simplest (fewest filters, then least work):"
    }
}

/// Returns the difference between a candidate and the recommended one, if there is any.
fn rival(one: &Contender) -> Markup {
    let equal = one.behind.is_none_or(|behind| behind.difference == 0.0);
    html! { @if equal { ": equally accurate" } @else { ": " (interval(one, -1.0)) } }
}

fn lead(next: &Contender) -> Markup {
    html! { "The best of the others is " (named(next)) ": " (interval(next, -1.0)) "." }
}

/// Returns the cells without a result and the warnings about the data.
fn troubles(manifest: &Manifest, summaries: &[Summary], records: &[Record]) -> Markup {
    let failed: Vec<&Summary> = summaries
        .iter()
        .filter(|summary| summary.remark.is_some() && !summary.not_applicable)
        .collect();
    let bad = |record: &&Record| {
        matches!(record.outcome, Outcome::Failed { .. } | Outcome::OverLimit { .. })
    };
    let count = records.iter().filter(bad).count();
    let warnings = &manifest.facts.warnings;
    html! {
        @if count > 0 || !failed.is_empty() || !warnings.is_empty() {
            div.warnings role="note" {
                h3 { "To know" }
                ul {
                    @for warning in warnings { li { (warning) } }
                    @if count > 0 {
                        li { (count) @if count == 1 { " fit has" } @else { " fits have" } " no result." }
                    }
                    @for summary in failed {
                        li {
                            (title_of(&summary.method)) ", " (filters(summary.filters)) ": "
                            (summary.remark.clone().unwrap_or_default())
                        }
                    }
                }
            }
        }
    }
}
