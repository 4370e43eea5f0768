//! The section about filters, which are shown as images if samples are images and as lines
//! otherwise.

use maud::{Markup, PreEscaped, html};

use super::page::section as framed_section;
use super::style::{filters, title_of};
use super::view::{View, fits};
use crate::compare::{Facts, Manifest, Recommendation, Record};
use crate::figure::{
    Axis, Bar, Bitmap, Color, Dash, Figure, Line, Mark, Marker, Panel, Place, Rule, Style,
};

/// The largest number of filters of one method that are shown.
const SHOWN: usize = 64;
/// The largest number of coefficients for which each coefficient has a marker.
const MARKED: usize = 40;

/// Returns the filters of one model.
pub(super) fn section(view: &View) -> Markup {
    let lead = match view.facts.image_shape {
        Some((height, width)) => format!(
            "Each filter weighs the {width} × {height} values of a sample: red adds, blue subtracts, pale leaves out."
        ),
        None => {
            "Each filter weighs the scaled columns of a sample; the larger a weight, the more the column counts."
                .to_owned()
        }
    };
    let body = html! {
        (grid(&view.facts, &(0..view.filters).map(|k| view.weights(k)).collect::<Vec<_>>(), &view.title))
    };
    framed_section("filters", &format!("Filters: {}", view.title), &lead, body)
}

/// Returns the filters of every method for the recommended number of filters.
pub(super) fn gallery(
    manifest: &Manifest,
    records: &[Record],
    found: Option<&Recommendation>,
) -> Markup {
    let Some(found) = found else { return html! {} };
    let m = found.choice.filters;
    let shows = |record: &Record| {
        let detail = record.evaluated().and_then(|evaluated| evaluated.detail.as_deref());
        detail.is_some_and(|detail| fits(&manifest.facts, m, detail))
    };
    let of_method = |method: &String| {
        let own = records.iter().find(|r| r.method == *method && r.filters == m && shows(r))?;
        let detail = own.evaluated()?.detail.as_deref()?;
        let column = |k: usize| {
            let all = detail.weights.0.iter().skip(k).step_by(m);
            all.map(|&weight| f64::from(weight)).collect::<Vec<f64>>()
        };
        Some((title_of(method), (0..m).map(column).collect::<Vec<_>>()))
    };
    let all: Vec<(String, Vec<Vec<f64>>)> =
        manifest.spec.methods.iter().filter_map(of_method).collect();
    if all.len() < 2 {
        return html! {};
    }
    let body = html! {
        @for (title, found) in &all {
            details open[all.len() <= 13] {
                summary { (title) }
                (grid(&manifest.facts, found, title))
            }
        }
    };
    let lead = format!("What every method finds with {}, first seed.", filters(m));
    framed_section("gallery", "Filters of all methods", &lead, body)
}

fn grid(facts: &Facts, filters: &[Vec<f64>], title: &str) -> Markup {
    html! {
        div.filters {
            @for (index, weights) in filters.iter().take(SHOWN).enumerate() {
                @let named = facts.image_shape.is_none() && has_names(weights, &facts.features);
                figure class=[named.then_some("named")] { (picture(facts, weights, &format!("Filter {} of {title}", index + 1))) figcaption { (index + 1) } }
            }
        }
        @if filters.len() > SHOWN { p.note { "The first " (SHOWN) " of " (filters.len()) " filters." } }
    }
}

/// Returns an image of a direction in input space.
pub(super) fn picture(facts: &Facts, weights: &[f64], alt: &str) -> Markup {
    let bitmap =
        facts.image_shape.and_then(|(height, width)| Bitmap::signed(weights, height, width));
    match bitmap {
        Some(bitmap) => html! {
            img.pixels src=(bitmap.address()) alt=(alt) width=(bitmap.width()) height=(bitmap.height());
        },
        None => {
            let names: Vec<String> =
                (0..facts.features.len()).map(|at| facts.feature_name(at)).collect();
            html! {
                (PreEscaped(line(weights, &names, alt).svg(Place::Page)))
                @if weights.len() > MARKED && names.len() == weights.len() {
                    p.note { "Largest weights: " (largest(weights, &names)) }
                }
            }
        }
    }
}

/// Returns the names of the columns with the largest coefficients.
fn largest(weights: &[f64], names: &[String]) -> String {
    const NAMED: usize = 6;
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()));
    let shown = order.iter().take(NAMED).map(|&at| format!("{} ({:.3})", names[at], weights[at]));
    shown.collect::<Vec<_>>().join(", ")
}

/// Whether coefficients are shown with the names of their columns.
fn has_names(weights: &[f64], names: &[String]) -> bool {
    names.len() == weights.len() && weights.len() <= MARKED
}

/// Returns a figure of the coefficients with the names of their columns, from top to bottom.
fn named(weights: &[f64], names: &[String], alt: &str) -> Figure {
    const ROW: f64 = 18.0;
    let panel = Panel::new("", Axis::linear("weight"), Axis::names("", names.to_vec()));
    let mut panel = Panel { downwards: true, ..panel }.with(Mark::Rule(Rule::Vertical(0.0)));
    for (at, (name, &weight)) in names.iter().zip(weights).enumerate() {
        panel = panel.with(Mark::Bar(Bar {
            name: String::new(),
            color: Color::Series(0),
            at: at as f64,
            span: (weight.min(0.0), weight.max(0.0)),
            tip: format!("{name}: {weight:.3}"),
        }));
    }
    Figure::single(alt, 380.0, 60.0 + ROW * weights.len() as f64, panel)
}

fn line(weights: &[f64], names: &[String], alt: &str) -> Figure {
    if has_names(weights, names) {
        return named(weights, names, alt);
    }
    let style = Style { color: Color::Series(0), marker: Marker::Circle, dash: Dash::Solid };
    let few = weights.len() <= MARKED;
    let points = weights.iter().enumerate().map(|(at, &weight)| (at as f64, weight)).collect();
    let tips = match few {
        true => weights.iter().enumerate().map(|(at, w)| format!("feature {at}: {w:.3}")).collect(),
        false => Vec::new(),
    };
    let mut line = Line::new("", style, points).tips(tips);
    line.markers = few;
    line.width = 1.2;
    let panel = Panel::new("", Axis::linear(""), Axis::linear(""))
        .with(Mark::Rule(Rule::Horizontal(0.0)))
        .with(Mark::Line(line));
    Figure::single(alt, 260.0, 150.0, panel)
}
