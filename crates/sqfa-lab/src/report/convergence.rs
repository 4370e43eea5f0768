//! The section about the fit: the optimization of every initialization, and the trials for a
//! setting.

use maud::{Markup, html};

use super::page::section as framed_section;
use super::style::{framed, percent, short};
use super::view::View;
use crate::figure::{Axis, Color, Dash, Figure, Line, Mark, Marker, Panel, Rule, Style};

/// Returns the section. It is empty for methods without iterative optimization and without
/// settings.
pub(super) fn section(view: &View) -> Markup {
    let climbs = view.climbs.iter().any(|(_, climb)| climb.length > 1);
    let tried = view.trials().iter().any(|trial| trial.accuracy.is_some());
    if !climbs && !tried {
        return html! {};
    }
    let body = html! {
        div.pair {
            @if climbs {
                div {
                    h3 { "Convergence" }
                    p.note { "The objective of every start over its iterations; the highest is kept." }
                    (framed(&convergence(view)))
                }
            }
            @if tried { @if let Some((setting, value)) = &view.chosen {
                div {
                    h3 { "Choosing the " (setting.name()) }
                    p.note { "QDA accuracy on held-out training samples; the dashed line is the value used, " (short(*value)) "." }
                    (framed(&choosing(view, setting.name(), *value)))
                }
            } }
        }
    };
    framed_section("convergence", "How it was found", "", body)
}

fn convergence(view: &View) -> Figure {
    let mut panel = Panel::new("", Axis::linear("iteration"), Axis::linear("objective"));
    for (index, (name, climb)) in view.climbs.iter().enumerate() {
        let points = climb.points();
        let mut tips = vec![String::new(); points.len()];
        if let (Some(tip), Some((iteration, end))) = (tips.last_mut(), points.last()) {
            *tip = format!("{name}: {} after {iteration} iterations", short(*end));
        }
        let mut line = Line::new("", Style::series(index), points).plain().tips(tips);
        line.width = 1.3;
        panel = panel.with(Mark::Line(line));
    }
    let description = format!("Objective over the iterations of {} starts", view.climbs.len());
    Figure::single(description, 480.0, 320.0, panel)
}

fn choosing(view: &View, name: &str, chosen: f64) -> Figure {
    let style = Style { color: Color::Series(0), marker: Marker::Circle, dash: Dash::Solid };
    let mut trials: Vec<(f64, f64)> = view
        .trials()
        .iter()
        .filter_map(|trial| Some((trial.value, 100.0 * trial.accuracy?)))
        .collect();
    trials.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tips = trials
        .iter()
        .map(|&(value, accuracy)| format!("{name} {}: {}", short(value), percent(accuracy / 100.0)))
        .collect();
    let log = trials.iter().all(|&(value, _)| value > 0.0);
    let x = if log { Axis::log(name) } else { Axis::linear(name) };
    let panel = Panel::new("", x, Axis::linear("held-out accuracy (%)"))
        .with(Mark::Rule(Rule::Vertical(chosen)))
        .with(Mark::Line(Line::new("", style, trials).tips(tips)));
    Figure::single(format!("Held-out accuracy against {name}"), 480.0, 320.0, panel)
}
