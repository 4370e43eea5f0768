//! Reports: functions that convert records to a single HTML page, which needs no network.
//!
//! Figures are inline SVG, filters are inline PNG, and styles and scripts are inline as well. The
//! template engine escapes all text from data. The script only hides, sorts and shows tooltips.

mod about;
mod classes;
mod convergence;
mod counts;
mod filters;
mod overview;
mod page;
mod recommendation;
mod separate;
mod sessions;
mod space;
mod style;
mod tuning;
mod view;

use maud::html;

use crate::compare::{Manifest, Record, recommend, summarize};

pub use view::View;

/// Returns the report on a comparison.
pub fn compare_report(manifest: &Manifest, records: &[Record]) -> String {
    compare_report_on(manifest, records, None)
}

/// Returns the report on a comparison whose labels are periodic, if `circular` is a period.
pub fn compare_report_on(manifest: &Manifest, records: &[Record], circular: Option<f64>) -> String {
    let spec = &manifest.spec;
    let summaries = summarize(spec, records);
    let found = recommend(spec, &summaries, records);
    let view = found.as_ref().and_then(|found| View::of_cell(manifest, records, &found.choice));
    let view = view.map(|view| View { circular, ..view });
    let title = format!("Comparison on {}", manifest.facts.name);
    page::page(
        &title,
        html! {
            (recommendation::section(manifest, &summaries, records, found.as_ref()))
            (overview::section(manifest, &summaries))
            (sessions::section(manifest, &summaries, found.as_ref()))
            @if let Some(view) = &view {
                (closer_look(view))
            }
            (filters::gallery(manifest, records, found.as_ref()))
            (about::section(manifest, records))
        },
    )
}

/// Returns the report on one model.
pub fn model_report(view: &View, about: &[(String, String)]) -> String {
    page::page(
        &view.title,
        html! {
            (about::model(view, about))
            (counts::section(view))
            (closer_look(view))
        },
    )
}

/// Returns the sections with details about one model.
fn closer_look(view: &View) -> maud::Markup {
    html! {
        (filters::section(view))
        (tuning::section(view))
        (space::section(view))
        (classes::section(view))
        (separate::section(view))
        (convergence::section(view))
    }
}
