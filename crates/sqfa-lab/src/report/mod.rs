//! Reports: pure functions from records to one HTML page that needs no network.
//!
//! Figures are inline SVG, filters are inline PNG, style and script are our own and inline; everything that
//! comes from data is escaped by the template engine. The script only shows and hides, sorts and points.

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

/// The page of a comparison.
pub fn compare_report(manifest: &Manifest, records: &[Record]) -> String {
    compare_report_on(manifest, records, None)
}

/// The same with labels that repeat after a period.
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

/// The page of one model.
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

/// Everything about one model.
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
