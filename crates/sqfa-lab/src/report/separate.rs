//! The section about pairs of classes, with the directions of input space in which they differ.

use maud::{Markup, html};
use sqfa::Gaussians;
use sqfa::distance::{Separation, separation};

use super::filters::picture;
use super::page::section as framed_section;
use super::style::short;
use super::view::View;

/// The number of pairs of classes that are shown, starting with the most confused ones.
const PAIRS: usize = 6;
/// The number of directions per pair.
const DIRECTIONS: usize = 3;

/// Returns the section. It is empty if a class has a singular covariance.
pub(super) fn section(view: &View) -> Markup {
    let Some(gaussians) = view.gaussians() else { return html! {} };
    let names = view.facts.class_names();
    let pairs: Vec<(usize, usize, Vec<Separation>)> = view
        .confused_pairs()
        .into_iter()
        .take(PAIRS)
        .filter_map(|(i, j, _)| Some((i, j, separation(gaussians.get(i), gaussians.get(j))?)))
        .collect();
    if pairs.is_empty() {
        return html! {};
    }
    let lead = "For the pairs that are confused most: the combinations of filters along which the two classes differ \
                independently, with their share of the Bhattacharyya distance and what each looks at in the input.";
    let body = html! {
        div.block #separate {
            p.controls { label { "classes "
                select #separate-pair {
                    @for (index, (i, j, _)) in pairs.iter().enumerate() {
                        option value=(index) { (names[*i]) " and " (names[*j]) }
                    }
                }
            } }
            @for (index, (i, j, found)) in pairs.iter().enumerate() {
                div.choice data-choice=(index) {
                    h3 { (names[*i]) " and " (names[*j]) }
                    (directions(view, &gaussians, (&names[*i], &names[*j]), found))
                }
            }
        }
    };
    framed_section("separate", "What separates two classes", lead, body)
}

fn directions(
    view: &View,
    gaussians: &Gaussians,
    names: (&str, &str),
    found: &[Separation],
) -> Markup {
    let total: f64 = found.iter().map(Separation::total).sum();
    let share = |part: f64| if total > 0.0 { 100.0 * part / total } else { 0.0 };
    html! {
        div.directions {
            @for one in found.iter().take(DIRECTIONS) {
                figure {
                    (picture(&view.facts, &lifted(view, gaussians, one), &format!("Direction that separates {} from {}", names.0, names.1)))
                    figcaption {
                        strong { (format!("{:.0} %", share(one.total()))) } " of the distance: "
                        (format!("{:.0} %", share(one.by_mean))) " by the means (shift " (short(one.shift)) "), "
                        (format!("{:.0} %", share(one.by_covariance))) " by the spread ("
                        @if one.variance_ratio >= 1.0 {
                            (names.0) " varies " (short(one.variance_ratio.sqrt())) " times as much"
                        } @else {
                            (names.1) " varies " (short(1.0 / one.variance_ratio.sqrt())) " times as much"
                        }
                        ")"
                    }
                }
            }
        }
    }
}

/// Returns the direction as a filter of the input, F v.
fn lifted(view: &View, gaussians: &Gaussians, one: &Separation) -> Vec<f64> {
    let m = gaussians.order();
    view.detail
        .weights
        .0
        .chunks_exact(m)
        .map(|row| row.iter().zip(&one.direction).map(|(&w, v)| f64::from(w) * v).sum())
        .collect()
}
