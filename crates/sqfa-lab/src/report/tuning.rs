//! The section about tuning: the mean output of every filter ± one standard deviation for every
//! label, and the features that contribute to it.
//!
//! The contribution of a feature is (wᵢsᵢ)²/Σⱼ(wⱼsⱼ)², where wᵢ is its coefficient and sᵢ the
//! standard deviation of the preprocessed feature. For periodic labels with period P, the preferred
//! label is the direction of Σₖ mₖ e^{2πi·labelₖ/P} (first harmonic).

use std::f64::consts::TAU;

use maud::{Markup, PreEscaped, html};

use super::page::section as framed_section;
use super::style::short;
use super::view::View;
use crate::figure::{
    Axis, Band, Color, Dash, Figure, Line, Mark, Marker, Panel, Place, Rule, Style,
};

/// The largest number of filters that are shown.
const SHOWN: usize = 24;
/// The number of features that are listed for every filter.
const NAMED: usize = 8;

/// The order of labels on an axis.
struct Order {
    /// The classes in the order of their labels.
    classes: Vec<usize>,
    /// The position of each class in this order. Labels that are not numbers have consecutive
    /// positions.
    places: Vec<f64>,
    numbers: bool,
}

impl Order {
    fn of(names: &[String]) -> Self {
        let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
        let mut classes: Vec<usize> = (0..names.len()).collect();
        match numbers.filter(|all| all.iter().all(|value| value.is_finite())) {
            Some(values) => {
                classes.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
                let places = classes.iter().map(|&class| values[class]).collect();
                Self { classes, places, numbers: true }
            }
            None => {
                let places = (0..names.len()).map(|place| place as f64).collect();
                Self { classes, places, numbers: false }
            }
        }
    }
}

/// Returns the section. It is empty if there is at most one class or the features are unknown.
pub(super) fn section(view: &View) -> Markup {
    let names = view.facts.class_names();
    let (m, classes) = (view.filters, names.len());
    let (means, covariances) = (view.detail.means.to_f64(), view.detail.covariances.to_f64());
    if classes < 2 || means.len() != classes * m || covariances.len() != classes * m * m {
        return html! {};
    }
    let order = Order::of(&names);
    let period = view.circular.filter(|period| order.numbers && *period > 0.0);
    let of_filter = |filter: usize| -> Vec<(f64, f64, f64)> {
        let points = order.classes.iter().zip(&order.places);
        points
            .map(|(&class, &place)| {
                let variance = covariances[class * m * m + filter * (m + 1)];
                (place, means[class * m + filter], variance.max(0.0).sqrt())
            })
            .collect()
    };
    let body = html! {
        div.filters {
            @for filter in 0..m.min(SHOWN) {
                @let curve = of_filter(filter);
                figure {
                    (PreEscaped(figure(&curve, &names, &order, period, filter).svg(Place::Page)))
                    figcaption { "filter " (filter + 1) (preference(&curve, &names, &order, period)) }
                    (carriers(view, filter))
                }
            }
        }
        @if m > SHOWN { p.note { "The first " (SHOWN) " of " (m) " filters." } }
    };
    let lead = match period {
        Some(period) => format!(
            "Mean output of every filter ± one standard deviation, training samples of each label; labels repeat after {}.",
            short(period)
        ),
        None => {
            "Mean output of every filter ± one standard deviation, training samples of each label."
                .to_owned()
        }
    };
    framed_section("tuning", "Tuning", &lead, body)
}

fn figure(
    curve: &[(f64, f64, f64)],
    names: &[String],
    order: &Order,
    period: Option<f64>,
    filter: usize,
) -> Figure {
    let mut curve = curve.to_vec();
    if let (Some(period), Some(&(place, mean, deviation))) = (period, curve.first()) {
        // The first label is repeated after one period to close the curve.
        curve.push((place + period, mean, deviation));
    }
    let style = Style { color: Color::Series(0), marker: Marker::Circle, dash: Dash::Solid };
    let edges = curve.iter().map(|&(at, mean, deviation)| (at, mean - deviation, mean + deviation));
    let band = Band { name: String::new(), color: style.color, edges: edges.collect() };
    let tips = curve.iter().enumerate().map(|(at, (_, mean, deviation))| {
        let name = &names[order.classes[at % order.classes.len()]];
        format!("{name}: {} ± {}", short(*mean), short(*deviation))
    });
    let line = Line::new("", style, curve.iter().map(|&(at, mean, _)| (at, mean)).collect())
        .tips(tips.collect());
    let x = match order.numbers {
        true => Axis::linear("label"),
        false => Axis::names("label", names.to_vec()),
    };
    let panel = Panel::new("", x, Axis::linear("output"))
        .with(Mark::Rule(Rule::Horizontal(0.0)))
        .with(Mark::Band(band))
        .with(Mark::Line(line));
    let description = format!("Mean output of filter {} for every label", filter + 1);
    Figure::single(description, 300.0, 200.0, panel)
}

/// Returns the preferred label of a filter.
fn preference(
    curve: &[(f64, f64, f64)],
    names: &[String],
    order: &Order,
    period: Option<f64>,
) -> Markup {
    if let Some(period) = period {
        let points: Vec<(f64, f64)> = curve.iter().map(|&(at, mean, _)| (at, mean)).collect();
        return html! { @if let Some(at) = preferred(&points, period) { ", prefers " (short(at)) } };
    }
    let best = (0..curve.len()).max_by(|&a, &b| curve[a].1.total_cmp(&curve[b].1));
    html! { @if let Some(at) = best { ", largest for " (names[order.classes[at]]) } }
}

/// Returns the direction of the first harmonic of means over labels, between 0 and the period.
/// Returns `None` if the harmonic is zero.
fn preferred(points: &[(f64, f64)], period: f64) -> Option<f64> {
    let mean = points.iter().map(|(_, value)| value).sum::<f64>() / points.len().max(1) as f64;
    let sum = |wave: fn(f64) -> f64| -> f64 {
        points.iter().map(|(at, value)| (value - mean) * wave(TAU * at / period)).sum()
    };
    let (cosine, sine) = (sum(f64::cos), sum(f64::sin));
    let size: f64 = points.iter().map(|(_, value)| (value - mean).abs()).sum();
    if cosine.hypot(sine) <= 1e-12 * size || size == 0.0 {
        return None;
    }
    Some((sine.atan2(cosine) / TAU * period).rem_euclid(period))
}

/// Returns the features with the largest contributions to a filter, in descending order. Empty if
/// the standard deviations are unknown.
fn carriers(view: &View, filter: usize) -> Markup {
    let shares = shares(&view.weights(filter), &view.detail.deviations.to_f64());
    if view.facts.image_shape.is_some() || shares.is_empty() {
        return html! {};
    }
    let weights = view.weights(filter);
    html! {
        table.carriers {
            thead { tr { th scope="col" { "carried by" } th scope="col" { "weight" } th scope="col" { "share (%)" } } }
            tbody {
                @for &(feature, share) in shares.iter().take(NAMED) {
                    tr {
                        td { (view.facts.feature_name(feature)) }
                        td { (short(weights[feature])) }
                        td { (format!("{:.1}", 100.0 * share)) }
                    }
                }
            }
        }
    }
}

/// Returns the contribution (wᵢsᵢ)²/Σⱼ(wⱼsⱼ)² of every feature in descending order. Empty if
/// nothing varies.
fn shares(weights: &[f64], deviations: &[f64]) -> Vec<(usize, f64)> {
    if weights.len() != deviations.len() {
        return Vec::new();
    }
    let squares: Vec<f64> = weights.iter().zip(deviations).map(|(w, s)| (w * s).powi(2)).collect();
    let total: f64 = squares.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut shares: Vec<(usize, f64)> =
        squares.iter().map(|square| square / total).enumerate().collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_prefers_its_phase() {
        for phase in [0.0, 20.0, 90.0, 170.0] {
            let curve: Vec<(f64, f64)> = (0..8)
                .map(|k| 22.5 * f64::from(k))
                .map(|at| (at, 5.0 + 2.0 * (TAU * (at - phase) / 180.0).cos()))
                .collect();
            let found = preferred(&curve, 180.0).unwrap();
            let apart = (found - phase).abs();
            assert!(apart.min(180.0 - apart) < 1e-9, "{found} for {phase}");
        }
        assert_eq!(preferred(&[(0.0, 3.0), (90.0, 3.0)], 180.0), None);
    }

    #[test]
    fn shares_do_not_depend_on_units_and_sum_to_one() {
        let found = shares(&[3.0, 0.0, -4.0], &[1.0, 7.0, 1.0]);
        assert_eq!(found[0].0, 2);
        assert!((found[0].1 - 0.64).abs() < 1e-12 && (found[1].1 - 0.36).abs() < 1e-12);
        // In other units, a feature has another coefficient and another standard deviation.
        assert_eq!(shares(&[0.003, 0.0, -4.0], &[1000.0, 7.0, 1.0])[1].0, 0);
        assert!((shares(&[0.003, 0.0, -4.0], &[1000.0, 7.0, 1.0])[1].1 - 0.36).abs() < 1e-12);
        assert!(shares(&[0.0], &[1.0]).is_empty() && shares(&[1.0], &[]).is_empty());
    }

    #[test]
    fn labels_are_put_in_order_as_numbers() {
        let names = ["90", "0", "22.5"].map(str::to_owned);
        let order = Order::of(&names);
        assert_eq!((order.classes, order.places), (vec![1, 2, 0], vec![0.0, 22.5, 90.0]));
        let words = Order::of(&["b", "a"].map(str::to_owned));
        assert!(!words.numbers && words.classes == [0, 1]);
    }
}
