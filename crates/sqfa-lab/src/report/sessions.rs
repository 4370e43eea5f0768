//! The section that compares sessions. It separates differences between sessions from those between
//! splits.

use maud::{Markup, html};

use super::page::section as framed_section;
use super::style::{filters, framed, title_of};
use crate::compare::{Manifest, Recommendation, SessionSpread, Summary};
use crate::figure::{Axis, Figure, Line, Mark, Panel, Style};

/// Returns the section. It is empty for a single session without repeated splits.
pub(super) fn section(
    manifest: &Manifest,
    summaries: &[Summary],
    found: Option<&Recommendation>,
) -> Markup {
    let known: Vec<(&Summary, &SessionSpread)> = summaries
        .iter()
        .filter_map(|summary| Some((summary, summary.sessions.as_ref()?)))
        .collect();
    if known.is_empty() {
        return html! {};
    }
    let names: Vec<&str> = manifest.facts.sessions.iter().map(|one| one.name.as_str()).collect();
    let body = html! {
        @if let Some(found) = found.filter(|_| names.len() > 1) {
            h3 { "Every session with " (filters(found.choice.filters)) }
            (framed(&by_session(manifest, &known, &names, found.choice.filters)))
        }
        (table(&known, &names))
    };
    let lead = "Means over splits. A session has filters of its own; the spread between sessions is of their means, the \
                spread within is of splits around the mean of their session.";
    framed_section("sessions", "Sessions", lead, body)
}

/// Returns a figure over methods with one line per session.
fn by_session(
    manifest: &Manifest,
    known: &[(&Summary, &SessionSpread)],
    names: &[&str],
    filters: usize,
) -> Figure {
    let own: Vec<&(&Summary, &SessionSpread)> =
        known.iter().filter(|(summary, _)| summary.filters == filters).collect();
    let methods: Vec<String> = own.iter().map(|(summary, _)| title_of(&summary.method)).collect();
    let classifier = manifest.spec.classifiers.first().map(|name| name.to_uppercase());
    let y = Axis::linear(format!("{} accuracy (%)", classifier.unwrap_or_default()));
    let mut panel = Panel::new("", Axis::names("method", methods.clone()), y).with_legend();
    for (at, name) in names.iter().enumerate() {
        let values = own.iter().enumerate().filter_map(|(place, (_, spread))| {
            Some((place, 100.0 * spread.means.get(at).copied().flatten()?))
        });
        let values: Vec<(usize, f64)> = values.collect();
        let tips = values
            .iter()
            .map(|(place, value)| format!("{name}, {}: {value:.1} %", methods[*place]))
            .collect();
        let points = values.iter().map(|&(place, value)| (place as f64, value)).collect();
        panel = panel.with(Mark::Line(Line::new(*name, Style::series(at), points).tips(tips)));
    }
    let description = format!("Accuracy of every method in {} sessions", names.len());
    Figure::single(description, 760.0, 380.0, panel)
}

fn table(known: &[(&Summary, &SessionSpread)], names: &[&str]) -> Markup {
    let number = |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{:.1}", 100.0 * value))
    };
    let sort = |value: Option<f64>| value.unwrap_or(-1.0).to_string();
    html! {
        div.scroll {
            table.sortable {
                caption { "Accuracy (%): the mean over sessions and splits, standard deviations between sessions and within them, and the mean of every session." }
                thead { tr {
                    th scope="col" { "method" } th scope="col" { "filters" } th scope="col" { "mean" }
                    th scope="col" { "between" } th scope="col" { "within" }
                    @for name in names { th scope="col" { (name) } }
                } }
                tbody {
                    @for (summary, spread) in known {
                        tr {
                            th scope="row" data-value=(title_of(&summary.method)) { (title_of(&summary.method)) }
                            td data-value=(summary.filters) { (summary.filters) }
                            @for value in [Some(spread.mean), spread.between, spread.within] {
                                td data-value=(sort(value)) { (number(value)) }
                            }
                            @if names.len() > 1 {
                                @for value in &spread.means { td data-value=(sort(*value)) { (number(*value)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
