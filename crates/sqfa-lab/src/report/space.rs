//! The section about feature space: test samples and class ellipses for two filters at a time.

use maud::{Markup, html};
use serde_json::json;

use super::page::{data, section as framed_section};
use super::style::{framed, keys};
use super::view::View;
use crate::figure::{Axis, Ellipse, Figure, Mark, Panel, Points, Style};

/// The number of steps per side of the panel to which coordinates are rounded.
const STEPS: f64 = 1000.0;
/// The fraction of samples at each end that may be outside of the range of the panel.
const OUTSIDE: f64 = 0.002;
/// The radius of ellipses in standard deviations.
const RADIUS: f64 = 1.5;
/// The number of classes above which ellipses are not filled, because they would cover each other.
const MANY: usize = 12;

/// Returns the section. It is empty if there is only one filter.
pub(super) fn section(view: &View) -> Markup {
    let m = view.filters;
    if m < 2 || view.detail.sample.truth.is_empty() {
        return html! {};
    }
    let maps: Vec<Unit> = (0..m).map(|filter| Unit::of(view, filter)).collect();
    let names = view.facts.class_names();
    let named: Vec<(String, Style)> = names.iter().cloned().zip(view.styles()).collect();
    let choice = |id: &str, label: &str, chosen: usize| {
        html! {
            label { (label) " "
                select id=(id) { @for k in 0..m { option value=(k) selected[k == chosen] { "filter " (k + 1) } } }
            }
        }
    };
    let lead = format!(
        "A sample of {} {} (a hollow mark: not recognized) and ellipses of {RADIUS} standard deviations of the training \
         classes. Every filter has its own scale.",
        view.detail.sample.truth.len(),
        view.tested_on
    );
    let body = html! {
        div.block #space {
            p.controls { (choice("space-x", "across", 0)) " " (choice("space-y", "up", 1)) }
            (keys(&named))
            (framed(&figure(view, &maps, &names)))
            (data("space-data", &numbers(view, &maps)))
        }
    };
    framed_section("space", "Feature space", &lead, body)
}

/// The affine map from one feature to steps of the panel.
struct Unit {
    low: f64,
    scale: f64,
}

impl Unit {
    fn of(view: &View, filter: usize) -> Self {
        let features = &view.detail.sample.features.0;
        let mut values: Vec<f64> = features
            .iter()
            .skip(filter)
            .step_by(view.filters)
            .map(|&value| f64::from(value))
            .filter(|value| value.is_finite())
            .collect();
        values.sort_by(f64::total_cmp);
        let last = values.len().saturating_sub(1);
        let skip = (OUTSIDE * last as f64).floor() as usize;
        let (low, high) = match values.len() {
            0 => (0.0, 1.0),
            _ => (values[skip], values[last - skip]),
        };
        let width = if high > low { high - low } else { 1.0 };
        let (low, width) = (low - 0.04 * width, 1.08 * width);
        Self { low, scale: STEPS / width }
    }

    fn place(&self, value: f64) -> f64 {
        (self.scale * (value - self.low)).clamp(0.0, STEPS)
    }
}

fn figure(view: &View, maps: &[Unit], names: &[String]) -> Figure {
    let m = view.filters;
    let axis = |label: &str| Axis::linear(label).spanning(0.0, STEPS).ticks_at(Vec::new());
    let mut panel = Panel::new("", axis("filter 1"), axis("filter 2"));
    let sample = &view.detail.sample;
    let at = |row: usize, filter: usize| {
        maps[filter].place(f64::from(sample.features.0[row * m + filter]))
    };
    let styles = view.styles();
    for (class, (name, style)) in names.iter().zip(&styles).enumerate() {
        let rows: Vec<usize> =
            (0..sample.truth.len()).filter(|&row| sample.truth[row] as usize == class).collect();
        let tips = rows.iter().map(|&row| match sample.guess[row] as usize {
            guess if guess == class => name.clone(),
            guess => format!("{name}, taken for {}", names.get(guess).map_or("?", String::as_str)),
        });
        panel = panel.with(Mark::Points(Points {
            name: name.clone(),
            style: *style,
            points: rows.iter().map(|&row| (at(row, 0), at(row, 1))).collect(),
            tips: tips.collect(),
            hollow: rows.iter().map(|&row| sample.guess[row] as usize != class).collect(),
            radius: 2.6,
            opacity: 0.75,
        }));
    }
    let (means, covariances) = (&view.detail.means.0, &view.detail.covariances.0);
    for (class, (name, style)) in names.iter().zip(&styles).enumerate() {
        let mean = |filter: usize| {
            maps[filter].scale * (f64::from(means[class * m + filter]) - maps[filter].low)
        };
        let entry = |i: usize, j: usize| {
            maps[i].scale * maps[j].scale * f64::from(covariances[class * m * m + i * m + j])
        };
        panel = panel.with(Mark::Ellipse(Ellipse {
            name: name.clone(),
            color: style.color,
            dash: style.dash,
            center: (mean(0), mean(1)),
            covariance: (entry(0, 0), entry(0, 1), entry(1, 1)),
            radius: RADIUS,
            filled: names.len() <= MANY,
            tip: format!("class {name}"),
        }));
    }
    Figure::single(
        format!("Test samples and class ellipses in feature space, {} classes", names.len()),
        760.0,
        560.0,
        panel,
    )
}

/// Returns the data with which the script shows other filters, in steps of the panel. Samples are
/// ordered by class, as in the figure.
fn numbers(view: &View, maps: &[Unit]) -> serde_json::Value {
    let m = view.filters;
    let (sample, classes) = (&view.detail.sample, view.classes());
    let rows = (0..classes).flat_map(|class| {
        (0..sample.truth.len()).filter(move |&row| sample.truth[row] as usize == class)
    });
    let points: Vec<i64> = rows
        .flat_map(|row| (0..m).map(move |k| (row, k)))
        .map(|(row, k)| maps[k].place(f64::from(sample.features.0[row * m + k])).round() as i64)
        .collect();
    let round = |value: f64| (10.0 * value).round() / 10.0;
    let means: Vec<f64> = (0..classes * m)
        .map(|at| {
            round(maps[at % m].scale * (f64::from(view.detail.means.0[at]) - maps[at % m].low))
        })
        .collect();
    let covariances: Vec<f64> = (0..classes * m * m)
        .map(|at| {
            let (i, j) = (at / m % m, at % m);
            round(maps[i].scale * maps[j].scale * f64::from(view.detail.covariances.0[at]))
        })
        .collect();
    json!({ "m": m, "points": points, "means": means, "covariances": covariances, "radius": RADIUS })
}
