//! The section about the origin of the results: data, settings, versions, seeds and the command.

use maud::{Markup, html};

use super::page::section as framed_section;
use super::style::short;
use super::view::View;
use sqfa::Noise;

use crate::compare::{Facts, Manifest, Parts, Record, Spec};

/// The largest number of classes that are listed.
const LISTED: usize = 60;

/// Returns the last section of the report on a comparison.
pub(super) fn section(manifest: &Manifest, records: &[Record]) -> Markup {
    let Manifest { spec, facts, software, command } = manifest;
    let parts = match spec.parts {
        Parts::Given => "the data's own test part".to_owned(),
        Parts::Fraction(share) => format!("{} % of every class held out", short(100.0 * share)),
        Parts::Folds(folds) => format!("{folds} stratified folds"),
        Parts::Splits(splits) => format!(
            "{splits} stratified split{}: 10 % to test, 10 % to choose settings on, 80 % to learn from",
            if splits == 1 { "" } else { "s" }
        ),
    };
    let noise = match spec.noise {
        Noise::Auto if spec.chooses() => {
            "a fraction of the mean within-class variance, selected with the scaling on held-out training samples".to_owned()
        }
        Noise::Auto => {
            "selected on 15 % of the training samples, once per method and number of filters"
                .to_owned()
        }
        Noise::Fraction(fraction) => {
            format!("{} × the mean within-class variance", short(fraction))
        }
        Noise::Value(value) => short(value),
    };
    let last = spec.first_seed.saturating_add(spec.seeds.saturating_sub(1));
    let mut rows = vec![
        ("Test samples", parts),
        (
            "Seeds",
            if spec.seeds == 1 {
                spec.first_seed.to_string()
            } else {
                format!("{} to {last}", spec.first_seed)
            },
        ),
        (
            "Starts of a fit",
            match spec.n_init {
                Some(count) if count > 0 => count.to_string(),
                None if !spec.chooses() => "1".to_owned(),
                _ => "as many as the method takes".to_owned(),
            },
        ),
        ("Feature noise", noise),
        ("Scaling", scaling(spec)),
        ("QDA shrinkage", spec.shrinkage.map_or("auto".to_owned(), |given| given.to_string())),
    ];
    if spec.classifiers.iter().any(|name| name == "knn") {
        rows.push(("Neighbors of kNN", spec.neighbors.to_string()));
    }
    if spec.time_limit > 0.0 {
        rows.push(("Time limit of a fit", format!("{} s", short(spec.time_limit))));
    }
    rows.push(("Fits on record", records.len().to_string()));
    rows.push(("Software", software.clone()));
    rows.push(("Fingerprint of the data", facts.fingerprint.clone()));
    let body = html! {
        (data(facts))
        h3 { "Settings" }
        (list(rows.iter().map(|(name, value)| (*name, value.as_str()))))
        h3 { "Command" }
        pre { code { (command) } }
    };
    framed_section("about", "Data and settings", "", body)
}

fn scaling(spec: &Spec) -> String {
    let scaling = match spec.scaling() {
        Some(scaling) => scaling.name(),
        None if spec.chooses() => "selected with the noise",
        None => "none",
    };
    let center = if spec.center || spec.chooses() { ", centered" } else { "" };
    format!("{scaling}{center}")
}

/// Returns the first section of the report on a single model.
pub(super) fn model(view: &View, about: &[(String, String)]) -> Markup {
    let body = html! {
        @if !view.headline.is_empty() { p.headline { strong { (view.headline) } } }
        (list(about.iter().map(|(name, value)| (name.as_str(), value.as_str()))))
        @if !view.facts.warnings.is_empty() {
            div.warnings role="note" { h3 { "To know" } ul { @for warning in &view.facts.warnings { li { (warning) } } } }
        }
        (data(&view.facts))
    };
    framed_section("about", "Model and data", "", body)
}

fn list<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Markup {
    html! { dl { @for (name, value) in rows { div { dt { (name) } dd { (value) } } } } }
}

fn data(facts: &Facts) -> Markup {
    // A file may contain fewer counts than classes.
    let of = |counts: &[u64], class: usize| counts.get(class).copied().unwrap_or(0);
    let sum = |counts: &[u64]| counts.iter().copied().fold(0, u64::saturating_add);
    let shape = facts.image_shape.map(|(h, w)| format!(" ({w} × {h})")).unwrap_or_default();
    let names = facts.class_names();
    html! {
        h3 { "Data" }
        p {
            strong { (facts.name) } ": " (sum(&facts.train_counts)) " training samples"
            @if let Some(counts) = &facts.test_counts { ", " (sum(counts)) " test points" }
            ", " (facts.dimensions_text()) (shape) ", " (names.len()) " classes."
        }
        details {
            summary { "Points of every class" }
            div.scroll { table.sortable {
                thead { tr {
                    th scope="col" { "class" } th scope="col" { "training" }
                    @if facts.test_counts.is_some() { th scope="col" { "test" } }
                } }
                tbody {
                    @for (class, name) in names.iter().take(LISTED).enumerate() {
                        tr {
                            td data-value=(name) { (name) }
                            td data-value=(of(&facts.train_counts, class)) { (of(&facts.train_counts, class)) }
                            @if let Some(counts) = &facts.test_counts { td data-value=(of(counts, class)) { (of(counts, class)) } }
                        }
                    }
                }
            } }
        }
    }
}
