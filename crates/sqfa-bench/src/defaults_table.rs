//! The hold-out table of the defaults as a page of Markdown, made from a record.

use std::fmt::Write;

use serde_json::Value;

/// A group of columns under one heading.
const GROUPS: [(&str, &[(&str, &str)]); 3] = [
    ("no flags", &[("sqfa", "SQFA"), ("sqfa-h", "SQFA-H"), ("sqfa-h+refine", "SQFA-H refined")]),
    (
        "earlier flags",
        &[
            ("sqfa unscaled", "SQFA noise"),
            ("sqfa per-feature", "SQFA noise, scaled"),
            ("sqfa-h unscaled", "SQFA-H noise"),
            ("sqfa-h per-feature", "SQFA-H noise, scaled"),
            ("sqfa-h+refine per-feature", "refined, scaled"),
        ],
    ),
    ("others", &[("lda", "LDA"), ("pca", "PCA")]),
];

/// The page of a result of `sqfa-bench defaults`.
pub(crate) fn page(result: &Value, command: &str, date: &str) -> String {
    let columns: Vec<(&str, &str)> =
        GROUPS.iter().flat_map(|(_, columns)| columns.iter().copied()).collect();
    let mut text = "# Hold-out results without flags\n\n".to_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "QDA accuracy in per cent on the test part of every table, made by\n`{command}` ({date}). \
         Do not edit: the command writes this page.\n\n\
         *No flags* is what `sqfa fit` does when nothing but the method is given. *Earlier flags* are `--noise auto` of one\n\
         held-out part, as given or with `--scaling per-feature`; refined: `--refine --scaling per-feature` with `--noise scale`.\n\
         LDA has at most one filter fewer than there are classes; means are over the cells that a column has.\n"
    );
    let titles: Vec<&str> = columns.iter().map(|(_, title)| *title).collect();
    let _ = writeln!(text, "| table | m | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(columns.len()));
    for row in result["rows"].as_array().into_iter().flatten() {
        let cells = columns.iter().map(|(name, _)| number(&row["accuracy"][name]));
        let (set, filters) = (row["set"].as_str().unwrap_or_default(), &row["filters"]);
        let _ = writeln!(text, "| {set} | {filters} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    let means = &result["summary"]["means"];
    let cells: Vec<String> =
        columns.iter().map(|(name, _)| format!("**{}**", number(&means[name]["mean"]))).collect();
    let _ = writeln!(text, "| **mean** | | {} |", cells.join(" | "));
    text.push_str(
        "\nA cell is met when the first is not behind the second by more than the allowance and one standard error of the paired\n\
         difference.\n\n| first | second | cells | mean lead | worst | allowance | cells met |\n|---|---|---|---|---|---|---|\n",
    );
    for pair in result["summary"]["pairs"].as_array().into_iter().flatten() {
        if pair["cells"] == 0 {
            continue;
        }
        let name = |key: &str| pair[key].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.0} % |",
            name("first"),
            name("second"),
            pair["cells"],
            number(&pair["mean_ahead"]),
            number(&pair["worst"]),
            pair["allowance"],
            100.0 * pair["met"].as_f64().unwrap_or(0.0),
        );
    }
    text
}

/// One decimal, or a dash where there is no number.
fn number(value: &Value) -> String {
    value.as_f64().map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_keep_their_columns_and_missing_cells_are_dashes() {
        let result = json!({
            "rows": [{ "set": "iris", "filters": 4, "accuracy": { "sqfa": 97.25, "pca": 90.0 } }],
            "summary": {
                "means": { "sqfa": { "mean": 97.25 } },
                "pairs": [
                    { "first": "sqfa", "second": "pca", "cells": 1, "mean_ahead": 7.25, "worst": 7.25, "allowance": 0.0, "met": 1.0 },
                    { "first": "sqfa", "second": "lda", "cells": 0, "mean_ahead": 0, "worst": null, "allowance": 0.0, "met": 0.0 },
                ],
            },
        });
        let page = page(&result, "sqfa-bench defaults --data DIR", "2026-01-02");
        assert!(
            page.contains("| iris | 4 | 97.2 | – | – | – | – | – | – | – | – | 90.0 |"),
            "{page}"
        );
        assert!(page.contains("| sqfa | pca | 1 | 7.2 | 7.2 | 0.0 | 100 % |"), "{page}");
        assert!(!page.contains("| sqfa | lda |"), "{page}");
        let widths: Vec<usize> = page
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count())
            .collect();
        assert_eq!(widths, [13, 13, 13, 13, 8, 8, 8]);
    }
}
