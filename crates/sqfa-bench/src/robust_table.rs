//! The table and the figure of robust fits, made from a record.

use std::fmt::Write;

use serde_json::Value;
use sqfa_lab::figure::{Axis, Figure, Line, Mark, Panel, Place, Style};

use crate::robust::COLUMNS;

/// The page of a result of `sqfa-bench robust`.
pub(crate) fn page(result: &Value, command: &str, date: &str) -> String {
    let mut text = "# Outliers in the training points\n\n".to_owned();
    let noise =
        if result["search"] == true { "chosen on held-out points" } else { "the closed form" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Accuracy in per cent on clean test points, {} filters, median of {} seeds, every fit under the quadratic\n\
         classifier of its own statistics (t densities where these are t:5). Noise and units are {noise}. In brackets: what is\n\
         lost against the same column without outliers. Made by\n`{command}` ({date}). Do not edit: the command writes this page.\n",
        result["filters"], result["seeds"]
    );
    let names: Vec<&str> =
        COLUMNS.iter().map(|one| one.0).filter(|name| has(result, name)).collect();
    let _ = writeln!(text, "| set | outliers | share | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(names.len()));
    for row in rows(result) {
        let clean = rows(result).find(|one| one["set"] == row["set"] && one["kind"] == "clean");
        let cell = |name: &&str| {
            let Some(value) = row["median"][*name].as_f64() else { return "–".to_owned() };
            match clean.and_then(|clean| clean["median"][*name].as_f64()) {
                Some(before) if row["kind"] != "clean" => {
                    format!("{value:.1} ({:+.1})", value - before)
                }
                _ => format!("{value:.1}"),
            }
        };
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} % | {} |",
            row["set"].as_str().unwrap_or_default(),
            row["kind"].as_str().unwrap_or_default(),
            100.0 * row["share"].as_f64().unwrap_or(0.0),
            names.iter().map(cell).collect::<Vec<_>>().join(" | ")
        );
    }
    let failures: Vec<String> = rows(result)
        .flat_map(|row| {
            row["failures"].as_object().into_iter().flatten().map(move |one| (row, one))
        })
        .map(|(row, (name, why))| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!("- {}, {}, {name}: {}", text(&row["set"]), text(&row["kind"]), text(why))
        })
        .collect();
    if !failures.is_empty() {
        let _ = writeln!(text, "\nNot fitted:\n\n{}", failures.join("\n"));
    }
    text
}

/// Accuracy against the share of outliers on the first set, one panel a kind.
pub(crate) fn figure(result: &Value) -> String {
    let set = rows(result).next().map(|row| row["set"].clone()).unwrap_or_default();
    let own = || rows(result).filter(|row| row["set"] == set);
    let mut kinds: Vec<&str> = own().filter_map(|row| row["kind"].as_str()).collect();
    kinds.dedup();
    let panels = kinds.iter().filter(|kind| **kind != "clean").enumerate().map(|(index, kind)| {
        let y = Axis::linear("accuracy (%)").spanning(0.0, 100.0);
        let mut panel = Panel::new(*kind, Axis::linear("outliers (%)"), y);
        for (at, (name, ..)) in COLUMNS.iter().enumerate().filter(|one| has(result, one.1.0)) {
            let points = own()
                .filter(|row| row["kind"] == "clean" || row["kind"] == *kind)
                .filter_map(|row| {
                    Some((100.0 * row["share"].as_f64()?, row["median"][*name].as_f64()?))
                })
                .collect();
            panel = panel.with(Mark::Line(Line::new(*name, Style::series(at), points)));
        }
        if index + 1 == kinds.len() - 1 { panel.with_legend() } else { panel }
    });
    let panels: Vec<Panel> = panels.collect();
    let about = format!(
        "Accuracy on {} against the share of outliers in the training points, for plain and robust fits",
        set.as_str().unwrap_or_default()
    );
    Figure::grid(about, panels.len(), 300.0, 260.0, panels).svg(Place::File)
}

fn rows(result: &Value) -> impl Iterator<Item = &Value> {
    result["rows"].as_array().into_iter().flatten()
}

fn has(result: &Value, name: &str) -> bool {
    rows(result).any(|row| row["median"][name].is_number())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn losses_are_against_the_same_column_on_clean_points() {
        let result = json!({ "filters": 4, "seeds": 2, "search": false, "rows": [
            { "set": "d", "kind": "clean", "share": 0.0, "median": { "sqfa": 90.0, "sqfa-t": 88.0 } },
            { "set": "d", "kind": "gross noise", "share": 0.2, "median": { "sqfa": 40.0, "sqfa-t": 87.5 } },
        ]});
        let page = page(&result, "command", "date");
        assert!(page.contains("| d | clean | 0 % | 90.0 | 88.0 |"), "{page}");
        assert!(page.contains("| d | gross noise | 20 % | 40.0 (-50.0) | 87.5 (-0.5) |"), "{page}");
        let figure = figure(&result);
        assert!(figure.starts_with("<svg") && figure.contains("gross noise"));
    }
}
