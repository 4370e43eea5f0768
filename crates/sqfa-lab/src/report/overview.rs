//! The overview of all methods: accuracy against the number of filters and against time, with a
//! table.

use maud::{Markup, html};

use super::page::section as framed_section;
use super::style::{filters, framed, keys, percent, seconds, title_of};
use crate::compare::{Manifest, Spec, Summary, at_most};
use crate::figure::{Axis, Band, Figure, Line, Mark, Panel, Range, Rule, Style};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 380.0;

/// Returns the section with figures and table.
pub(super) fn section(manifest: &Manifest, summaries: &[Summary]) -> Markup {
    let spec = &manifest.spec;
    let names: Vec<(String, Style)> = spec
        .methods
        .iter()
        .enumerate()
        .map(|(at, method)| (title_of(method), Style::series(at)))
        .collect();
    let chance = chance(manifest);
    let spread = if spec.seeds > 1 { "; bands hold the middle 80 % of seeds" } else { "" };
    let over = match spec.seeds {
        1 => "One seed".to_owned(),
        seeds => format!("Medians over {seeds} seeds"),
    };
    let lead =
        format!("{over}{spread}. The dashed line is what naming the largest class would achieve.");
    let body = html! {
        div.block {
            (keys(&names))
            @for (index, classifier) in spec.classifiers.iter().enumerate() {
                h3 { (classifier.to_uppercase()) " accuracy against number of filters" }
                (framed(&by_filters(spec, summaries, index, chance)))
            }
            h3 { "Accuracy against time of a fit" }
            p.note { "Each line follows one method from few filters to many. Searches for settings are not counted." }
            (framed(&by_time(spec, summaries, chance)))
        }
        h3 { "All numbers" }
        (table(spec, summaries))
    };
    framed_section("methods", "Methods", &lead, body)
}

/// Returns the fraction of the largest class among the test samples.
fn chance(manifest: &Manifest) -> f64 {
    let counts = manifest.facts.test_counts.as_ref().unwrap_or(&manifest.facts.train_counts);
    let total = counts.iter().copied().fold(0, u64::saturating_add);
    counts.iter().max().map_or(0.0, |&largest| largest as f64 / total.max(1) as f64)
}

/// Returns the accuracies of one method by number of filters.
fn of_method<'a>(
    summaries: &'a [Summary],
    method: &'a str,
) -> impl Iterator<Item = &'a Summary> + 'a {
    summaries.iter().filter(move |summary| summary.method == method)
}

/// Returns the vertical axis in percent, which starts at 0 unless all accuracies are high.
fn accuracy_axis(label: String, values: impl Iterator<Item = f64>, chance: f64) -> Axis {
    let range = Range::of(values.chain([100.0 * chance]));
    let low = (range.low - 0.08 * (range.high - range.low)).max(0.0);
    let high = (range.high + 0.06 * (range.high - range.low)).min(100.5);
    Axis::linear(label).spanning(if low < 30.0 { 0.0 } else { low }, high)
}

fn by_filters(spec: &Spec, summaries: &[Summary], index: usize, chance: f64) -> Figure {
    let classifier = spec.classifiers[index].to_uppercase();
    let values = summaries
        .iter()
        .filter_map(|summary| summary.accuracies[index])
        .flat_map(|spread| [100.0 * spread.low, 100.0 * spread.high]);
    let counts: Vec<f64> = spec.filters.iter().map(|&m| m as f64).collect();
    let mut x = if counts.len() > 1 { Axis::log("filters") } else { Axis::linear("filters") };
    x = x.ticks_at(counts);
    let y = accuracy_axis(format!("{classifier} accuracy (%)"), values, chance);
    let mut panel = Panel::new("", x, y).with(Mark::Rule(Rule::Horizontal(100.0 * chance)));
    for (at, method) in spec.methods.iter().enumerate() {
        let (style, name) = (Style::series(at), title_of(method));
        let own: Vec<_> = of_method(summaries, method)
            .filter_map(|summary| Some((summary, summary.accuracies[index]?)))
            .collect();
        let edges = own
            .iter()
            .map(|(s, spread)| (s.filters as f64, 100.0 * spread.low, 100.0 * spread.high));
        if own.iter().any(|(_, spread)| spread.high > spread.low) {
            panel = panel.with(Mark::Band(Band {
                name: name.clone(),
                color: style.color,
                edges: edges.collect(),
            }));
        }
        let points = own.iter().map(|(s, spread)| (s.filters as f64, 100.0 * spread.median));
        let tips = own.iter().map(|(s, spread)| {
            let range = match s.runs {
                1 => String::new(),
                runs => format!(
                    ", {} to {} over {runs} seeds",
                    percent(spread.low),
                    percent(spread.high)
                ),
            };
            format!("{name}, {}: {}{range}", filters(s.filters), percent(spread.median))
        });
        let line = Line::new(name.clone(), style, points.collect()).tips(tips.collect());
        panel = panel.with(Mark::Line(line));
    }
    let description = format!(
        "{classifier} accuracy of {} methods against the number of filters",
        spec.methods.len()
    );
    Figure::single(description, WIDTH, HEIGHT, panel)
}

fn by_time(spec: &Spec, summaries: &[Summary], chance: f64) -> Figure {
    let first = |summary: &Summary| summary.accuracies.first().copied().flatten();
    let values = summaries.iter().filter_map(first).map(|spread| 100.0 * spread.median);
    let name = spec.classifiers.first().map(|name| name.to_uppercase()).unwrap_or_default();
    let y = accuracy_axis(format!("{name} accuracy (%)"), values, chance);
    let mut panel = Panel::new("", Axis::log("seconds of a fit"), y);
    for (at, method) in spec.methods.iter().enumerate() {
        let name = title_of(method);
        let own: Vec<_> = of_method(summaries, method)
            .filter_map(|s| Some((s, first(s)?.median, s.seconds?.median.max(1e-6))))
            .collect();
        let tips = own.iter().map(|(s, accuracy, time)| {
            format!("{name}, {}: {} in {}", filters(s.filters), percent(*accuracy), seconds(*time))
        });
        let points = own.iter().map(|&(_, accuracy, time)| (time, 100.0 * accuracy)).collect();
        let mut line = Line::new(name.clone(), Style::series(at), points).tips(tips.collect());
        line.width = 1.0;
        panel = panel.with(Mark::Line(line));
    }
    let description =
        format!("Accuracy of {} methods against the time of a fit", spec.methods.len());
    Figure::single(description, WIDTH, HEIGHT, panel)
}

fn table(spec: &Spec, summaries: &[Summary]) -> Markup {
    let best = |filters: usize, index: usize| -> Vec<f64> {
        let mut medians: Vec<f64> = summaries
            .iter()
            .filter(|summary| summary.filters == filters)
            .filter_map(|summary| Some(summary.accuracies[index]?.median))
            .collect();
        medians.sort_by(|a, b| b.total_cmp(a));
        medians.dedup();
        medians
    };
    let rank = |summary: &Summary, index: usize| {
        let median = summary.accuracies[index]?.median;
        best(summary.filters, index).iter().position(|&value| value == median)
    };
    // All times in the column have the same unit.
    let longest = summaries.iter().filter_map(|one| Some(one.seconds?.median)).fold(0.0, f64::max);
    let (unit, factor, digits) = if longest < 1.0 { ("ms", 1e3, 1) } else { ("s", 1.0, 3) };
    html! {
        div.scroll {
            table.sortable {
                caption { "Medians over seeds with the range of the middle 80 %. ① and ② mark the two best methods of each number of filters. A number in parentheses is that of the most filters a method can have." }
                thead { tr {
                    th scope="col" { "method" }
                    th scope="col" { "filters" }
                    @for classifier in &spec.classifiers { th scope="col" { (classifier.to_uppercase()) " (%)" } }
                    th scope="col" { "time (" (unit) ")" }
                    th scope="col" { "seeds" }
                    th.remark scope="col" { "remark" }
                } }
                tbody {
                    @for summary in summaries {
                        tr {
                            th scope="row" data-value=(title_of(&summary.method)) { (title_of(&summary.method)) }
                            td data-value=(summary.filters) { (summary.filters) }
                            @for (index, spread) in summary.accuracies.iter().enumerate() {
                                @match spread {
                                    Some(spread) => {
                                        td data-value=(spread.median) class=[rank(summary, index).filter(|&rank| rank < 2).map(|rank| ["best", "second"][rank])] {
                                            (format!("{:.1}", 100.0 * spread.median))
                                            @match rank(summary, index) { Some(0) => " ①", Some(1) => " ②", _ => "" }
                                            @if spread.high > spread.low {
                                                span.range { " " (format!("{:.1}–{:.1}", 100.0 * spread.low, 100.0 * spread.high)) }
                                            }
                                        }
                                    }
                                    None => {
                                        @match at_most(summaries, summary).and_then(|most| most.accuracies[index].map(|spread| (most.filters, spread.median))) {
                                            Some((most, median)) => td data-value=(median) title=(format!("with {most}, the most this method can have")) { "(" (format!("{:.1}", 100.0 * median)) ")" },
                                            None => td data-value="-1" { @if summary.not_applicable { "n/a" } @else { "–" } },
                                        }
                                    }
                                }
                            }
                            @match summary.seconds {
                                Some(time) => { td data-value=(time.median) { (format!("{:.digits$}", factor * time.median)) } }
                                None => { td data-value="-1" { "–" } }
                            }
                            td data-value=(summary.runs) { (summary.runs) }
                            td.remark data-value=(summary.remark.clone().unwrap_or_default()) {
                                @if summary.unconverged > 0 { (summary.unconverged) " not converged. " }
                                (summary.remark.clone().unwrap_or_default())
                            }
                        }
                    }
                }
            }
        }
    }
}
