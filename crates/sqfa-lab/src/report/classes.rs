//! The section about classes: their accuracies, confusions and distances.

use maud::{Markup, html};
use sqfa::Distance;
use sqfa::distance::pairwise;

use super::page::section as framed_section;
use super::style::{framed, percent, short};
use super::view::View;
use crate::figure::{Axis, Bar, Color, Figure, HeatMap, Map, Mark, Panel, Range};

/// The largest number of classes for which the cells of a heat map contain text.
const WORDED: usize = 15;
/// The number of pairs of classes that are listed.
const LISTED: usize = 10;
/// The distance of the heat map, a lower bound of the Fisher–Rao distance.
const DISTANCE: &str = "calvo-oller";

/// Returns the section.
pub(super) fn section(view: &View) -> Markup {
    let names = view.facts.class_names();
    let tested = !view.detail.confusion.is_empty();
    let lead = match tested {
        true => format!("{} evaluated by {} on {}.", view.title, view.classifier, view.tested_on),
        false => "Only class statistics were given, so there are no samples to evaluate it on."
            .to_owned(),
    };
    let body = html! {
        @if tested { div.pair {
            div {
                h3 { "Confusion" }
                p.note { "Fraction of the samples of a class (rows) that are predicted as each class (columns)." }
                (framed(&confusion(view, &names)))
            }
            div {
                h3 { "Accuracy of each class" }
                (framed(&accuracies(view, &names)))
            }
        }
        (pairs(view, &names)) }
        @if let Some(figure) = distances(view, &names) {
            h3 { "Distances between classes" }
            p.note {
                "Calvo–Oller distance between the classes' Gaussians in feature space, a lower bound of the Fisher–Rao "
                "distance: dark pairs are easy to tell apart."
            }
            (framed(&figure))
        }
    };
    framed_section("classes", "Classes", &lead, body)
}

/// Returns the side length of a square heat map in pixels.
fn side(classes: usize) -> f64 {
    if classes > WORDED { 620.0 } else { 460.0 }
}

fn square(names: &[String], heat: HeatMap, axes: (&str, &str), description: &str) -> Figure {
    let (x, y) = (Axis::names(axes.0, names.to_vec()), Axis::names(axes.1, names.to_vec()));
    let panel = Panel { downwards: true, ..Panel::new("", x, y) }.with(Mark::HeatMap(heat));
    let side = side(names.len());
    Figure::single(description, side, side - 20.0, panel)
}

fn confusion(view: &View, names: &[String]) -> Figure {
    let classes = names.len();
    let share = |i: usize, j: usize| view.confused(i, j) as f64 / view.tested(i).max(1) as f64;
    let cells = || (0..classes).flat_map(|i| (0..classes).map(move |j| (i, j)));
    let texts = match classes <= WORDED {
        true => cells()
            .map(|(i, j)| match view.confused(i, j) {
                0 => String::new(),
                _ => format!("{:.0}", 100.0 * share(i, j)),
            })
            .collect(),
        false => Vec::new(),
    };
    let tips = cells().map(|(i, j)| {
        format!(
            "{} put into {}: {} of {} ({})",
            names[i],
            names[j],
            view.confused(i, j),
            view.tested(i),
            percent(share(i, j))
        )
    });
    let heat = HeatMap {
        values: cells().map(|(i, j)| share(i, j)).collect(),
        columns: classes,
        range: Range { low: 0.0, high: 1.0 },
        map: Map::Sequential,
        texts,
        tips: tips.collect(),
    };
    square(
        names,
        heat,
        ("predicted class", "true class"),
        "Confusion matrix in per cent of each true class",
    )
}

fn accuracies(view: &View, names: &[String]) -> Figure {
    let classes = names.len();
    let axis = Axis::linear("accuracy (%)").spanning(0.0, 100.0);
    let mut panel =
        Panel { downwards: true, ..Panel::new("", axis, Axis::names("", names.to_vec())) };
    for (class, name) in names.iter().enumerate() {
        let (hits, all) = (view.confused(class, class), view.tested(class));
        if all == 0 {
            continue;
        }
        let share = hits as f64 / all as f64;
        panel = panel.with(Mark::Bar(Bar {
            name: String::new(),
            color: Color::Series(0),
            at: class as f64,
            span: (0.0, 100.0 * share),
            tip: format!("{name}: {hits} of {all} ({})", percent(share)),
        }));
    }
    let height = (classes as f64 * 20.0 + 60.0).clamp(180.0, side(classes) - 20.0);
    Figure::single("Accuracy of each class", 420.0, height, panel)
}

fn pairs(view: &View, names: &[String]) -> Markup {
    let pairs: Vec<_> =
        view.confused_pairs().into_iter().filter(|&(_, _, count)| count > 0).take(LISTED).collect();
    html! {
        @if pairs.is_empty() {
            p { "No two classes are ever taken for each other." }
        } @else {
            h3 { "Most confused pairs" }
            div.scroll { table.sortable {
                thead { tr {
                    th scope="col" { "class" } th scope="col" { "and class" }
                    th scope="col" { "confused" } th scope="col" { "of their samples" }
                } }
                tbody {
                    @for (i, j, count) in pairs {
                        @let share = count as f64 / (view.tested(i) + view.tested(j)).max(1) as f64;
                        tr {
                            td data-value=(names[i]) { (names[i]) }
                            td data-value=(names[j]) { (names[j]) }
                            td data-value=(count) { (count) }
                            td data-value=(share) { (percent(share)) }
                        }
                    }
                }
            } }
        }
    }
}

fn distances(view: &View, names: &[String]) -> Option<Figure> {
    let gaussians = view.gaussians()?;
    let found = pairwise(&Distance::named(DISTANCE).ok()?, &gaussians).ok()?;
    let classes = names.len();
    let cells = || (0..classes).flat_map(|i| (0..classes).map(move |j| (i, j)));
    let values: Vec<f64> = cells().map(|at| found[at]).collect();
    let high = values.iter().fold(0.0_f64, |high, &value| high.max(value));
    let texts = match classes <= WORDED {
        true => cells()
            .map(|(i, j)| if i == j { String::new() } else { short(found[(i, j)]) })
            .collect(),
        false => Vec::new(),
    };
    let tips =
        cells().map(|(i, j)| format!("{} and {}: {}", names[i], names[j], short(found[(i, j)])));
    let heat = HeatMap {
        tips: tips.collect(),
        values,
        columns: classes,
        range: Range { low: 0.0, high },
        map: Map::Sequential,
        texts,
    };
    Some(square(names, heat, ("", ""), "Distances between classes in feature space"))
}
