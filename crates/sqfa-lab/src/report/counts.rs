//! The section about the number of filters, with held-out accuracies if the number was selected.

use maud::{Markup, PreEscaped, html};

use super::page::section as framed_section;
use super::view::View;
use crate::figure::{Axis, Color, Dash, Figure, Line, Mark, Marker, Panel, Place, Rule, Style};

/// Returns the section. It is empty if the number of filters was specified.
pub(super) fn section(view: &View) -> Markup {
    if view.tried.is_empty() {
        return html! {};
    }
    let lead = format!(
        "Held-out accuracy for every number of filters that was tried. The smallest within one standard error of the best is \
         taken: {}.",
        view.filters
    );
    let body = html! { (PreEscaped(figure(&view.tried, view.filters).svg(Place::Page))) };
    framed_section("counts", "Number of filters", &lead, body)
}

fn figure(tried: &[(usize, f64)], taken: usize) -> Figure {
    let style = Style { color: Color::Series(0), marker: Marker::Circle, dash: Dash::Solid };
    let points = tried.iter().map(|&(filters, accuracy)| (filters as f64, 100.0 * accuracy));
    let tips = tried.iter().map(|(filters, accuracy)| {
        let plural = if *filters == 1 { "" } else { "s" };
        format!("{filters} filter{plural}: {:.1} %", 100.0 * accuracy)
    });
    let line = Line::new("", style, points.collect()).tips(tips.collect());
    let panel = Panel::new("", Axis::linear("filters"), Axis::linear("held-out accuracy, %"))
        .with(Mark::Rule(Rule::Vertical(taken as f64)))
        .with(Mark::Line(line));
    let description = format!("Held-out accuracy against the number of filters; {taken} are taken");
    Figure::single(description, 420.0, 240.0, panel)
}
