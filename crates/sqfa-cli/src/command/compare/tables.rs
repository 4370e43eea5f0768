//! The results of a comparison as text, Markdown, csv and JSON.

use serde_json::{Map, Value, json};
use sqfa::pipeline::quantities;
use sqfa_lab::compare::{
    Manifest, MethodEntry, Outcome, Parts, Record, Spec, Summary, at_most, recommend,
};

use super::recommendation::recommendation;
use crate::command::tables::cell;
use crate::output;

/// How the paper writes a method.
pub(super) fn title(method: &str) -> String {
    MethodEntry::title(method)
}

/// The median accuracy in per cent; the best of its row is marked `**`, the second `*`.
fn marked(row: &[Option<f64>], at: usize) -> (String, &'static str) {
    let Some(value) = row[at] else { return (String::new(), "") };
    let tenths = |value: f64| (1000.0 * value).round() as i64;
    let mut ranks: Vec<i64> = row.iter().flatten().map(|&value| tenths(value)).collect();
    ranks.sort_unstable_by_key(|&value| -value);
    ranks.dedup();
    let mark = match ranks.iter().position(|&rank| rank == tenths(value)) {
        Some(0) => "**",
        Some(1) => "*",
        _ => "",
    };
    (format!("{:.1}", 100.0 * value), mark)
}

/// One table a classifier: a row for each number of filters, a column for each method.
fn tables(spec: &Spec, summaries: &[Summary], markdown: bool) -> Vec<(String, Vec<Vec<String>>)> {
    let mut tables = Vec::new();
    for (index, classifier) in spec.classifiers.iter().enumerate() {
        let mut rows = vec![vec!["filters".to_owned()]];
        rows[0].extend(spec.methods.iter().map(|method| title(method)));
        for &filters in &spec.filters {
            let own: Vec<&Summary> = summaries.iter().filter(|s| s.filters == filters).collect();
            let medians: Vec<Option<f64>> = own
                .iter()
                .map(|summary| summary.accuracies[index].map(|spread| spread.median))
                .collect();
            let mut row = vec![filters.to_string()];
            for (at, summary) in own.iter().enumerate() {
                let (text, mark) = marked(&medians, at);
                let most = at_most(summaries, summary).and_then(|most| most.accuracies[index]);
                if let Some(most) = most {
                    let text = format!("({:.1})", 100.0 * most.median);
                    row.push(if markdown { text } else { format!("{text} ") });
                    continue;
                }
                row.push(match (text.is_empty(), markdown) {
                    // Marks stand in two columns of their own, so that digits align.
                    (true, true) if summary.not_applicable => "n/a".to_owned(),
                    (true, false) if summary.not_applicable => "n/a  ".to_owned(),
                    (true, true) => "–".to_owned(),
                    (true, false) => "–  ".to_owned(),
                    (_, true) => format!("{mark}{text}{mark}"),
                    (_, false) => format!("{text}{mark:<2}"),
                });
            }
            rows.push(row);
        }
        let name = classifier.to_uppercase();
        tables.push((format!("{name} accuracy (%), median of {}", runs(spec)), rows));
    }
    tables
}

fn runs(spec: &Spec) -> String {
    counted(spec.seeds as usize, "seed")
}

/// So many of something, one or more.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Numbers of filters in words.
pub(super) fn filters(counts: &[usize]) -> String {
    match counts {
        [count] => counted(*count, "filter"),
        counts => {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            format!("{} filters", counts.join(", "))
        }
    }
}

/// What is compared on what, in one line.
fn heading(manifest: &Manifest) -> String {
    let (spec, facts) = (&manifest.spec, &manifest.facts);
    let points: u64 = facts.train_counts.iter().sum();
    let points = match (&facts.test_counts, spec.parts) {
        (Some(counts), _) => {
            format!("{points} training and {} test points", counts.iter().sum::<u64>())
        }
        (None, Parts::Folds(folds)) => {
            format!("{points} samples, each held out once in {folds} folds")
        }
        (None, Parts::Fraction(share)) => {
            format!("{points} samples, {:.0} % of every class held out", 100.0 * share)
        }
        (None, Parts::Splits(splits)) => {
            format!("{points} samples, {} of 80 % for training", counted(splits, "split"))
        }
        (None, Parts::Given) => format!("{points} samples"),
    };
    let points = match facts.sessions.len() {
        0 => points,
        sessions => format!("{}, {points}", counted(sessions, "session")),
    };
    format!(
        "{}: {points}, {}, {} classes\n",
        output::printable(&facts.name),
        facts.dimensions_text(),
        facts.train_counts.len(),
    )
}

/// The median time of a fit in one unit: a row for each number of filters, a column for each method.
fn times(spec: &Spec, summaries: &[Summary]) -> Option<(&'static str, Vec<Vec<String>>)> {
    let longest = summaries.iter().filter_map(|one| Some(one.seconds?.median)).reduce(f64::max)?;
    let (unit, factor, digits) = if longest < 1.0 { ("ms", 1e3, 1) } else { ("s", 1.0, 3) };
    let mut rows = vec![vec!["filters".to_owned()]];
    rows[0].extend(spec.methods.iter().map(|method| title(method)));
    for &filters in &spec.filters {
        let own = summaries.iter().filter(|summary| summary.filters == filters);
        let cells = own.map(|summary| match summary.seconds {
            Some(spread) => format!("{:.digits$}", factor * spread.median),
            None if summary.not_applicable && at_most(summaries, summary).is_none() => {
                "n/a".to_owned()
            }
            None => "–".to_owned(),
        });
        rows.push(std::iter::once(filters.to_string()).chain(cells).collect());
    }
    Some((unit, rows))
}

/// A row for each method and number of filters, and a heading: what sessions and splits have in common, and each session.
fn sessions(
    manifest: &Manifest,
    summaries: &[Summary],
) -> Option<(&'static str, Vec<Vec<String>>)> {
    let names = manifest.facts.sessions.iter().map(|session| output::printable(&session.name));
    let names: Vec<String> = names.collect();
    let several = !names.is_empty();
    let (heading, columns): (_, &[&str]) = match several {
        true => (
            "Mean over sessions and splits (%), sd between sessions, sd within, and every session",
            &["method", "filters", "mean", "between", "within"],
        ),
        false => ("Mean over splits (%) and their sd", &["method", "filters", "mean", "sd"]),
    };
    let head = columns.iter().map(|column| (*column).to_owned());
    let mut rows = vec![head.chain(names).collect::<Vec<String>>()];
    let number = |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{:.1}", 100.0 * value))
    };
    for summary in summaries {
        let Some(spread) = &summary.sessions else { continue };
        let mut row = vec![title(&summary.method), summary.filters.to_string()];
        row.push(number(Some(spread.mean)));
        row.extend(several.then(|| number(spread.between)));
        row.push(number(spread.within));
        row.extend(spread.means.iter().filter(|_| several).map(|mean| number(*mean)));
        rows.push(row);
    }
    (rows.len() > 1).then_some((heading, rows))
}

/// Tables and a recommendation for people.
pub(super) fn text(manifest: &Manifest, records: &[Record], summaries: &[Summary]) -> String {
    let spec = &manifest.spec;
    let mut text = heading(manifest);
    for (heading, rows) in tables(spec, summaries, false) {
        text.push_str(&format!("\n{heading}; ** best, * second of its row\n"));
        text.push_str(&output::table(&rows, &[]));
    }
    if summaries.iter().any(|one| at_most(summaries, one).is_some()) {
        text.push_str("(…): with the most filters that this method can have, not ranked\n");
    }
    if let Some((heading, rows)) = sessions(manifest, summaries) {
        text.push_str(&format!("\n{heading}\n"));
        text.push_str(&output::table(&rows, &[]));
    }
    if let Some((unit, rows)) = times(spec, summaries) {
        text.push_str(&format!("\nTime of a fit ({unit}), median; searches not counted\n"));
        text.push_str(&output::table(&rows, &[]));
    }
    text.push('\n');
    let missing = records
        .iter()
        .filter(|r| !matches!(r.outcome, Outcome::Done(_) | Outcome::NotApplicable { .. }));
    match missing.count() {
        0 => {}
        1 => text.push_str("1 cell has no result (see the warnings above).\n"),
        count => {
            text.push_str(&format!("{count} cells have no result (see the warnings above).\n"))
        }
    }
    if let Some(found) = recommend(spec, summaries, records) {
        text.push_str(&recommendation(&found));
    }
    text
}

/// The tables as Markdown.
pub(super) fn markdown(manifest: &Manifest, summaries: &[Summary]) -> String {
    let mut text = String::new();
    for (heading, rows) in tables(&manifest.spec, summaries, true) {
        let name = output::printable(&manifest.facts.name).replace('|', "\\|");
        text.push_str(&format!("{name}, {heading} (**best**, *second*)\n\n"));
        for (at, row) in rows.iter().enumerate() {
            text.push_str(&format!("| {} |\n", row.join(" | ")));
            if at == 0 {
                text.push_str(&format!("|{}\n", "---|".repeat(row.len())));
            }
        }
        text.push('\n');
    }
    text
}

/// One row a cell.
fn row(spec: &Spec, record: &Record) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("method".to_owned(), json!(record.method));
    row.insert("filters".to_owned(), json!(record.filters));
    row.insert("seed".to_owned(), json!(record.seed));
    row.insert("fold".to_owned(), json!(record.fold));
    let (status, remark) = match &record.outcome {
        Outcome::Done(_) => ("done", None),
        Outcome::NotApplicable { reason } => ("not-applicable", Some(reason.clone())),
        Outcome::Failed { error } => ("failed", Some(error.clone())),
        Outcome::OverLimit { limit, .. } => ("over-limit", Some(format!("limit {limit} s"))),
    };
    row.insert("status".to_owned(), json!(status));
    let evaluated = record.evaluated();
    for classifier in &spec.classifiers {
        let accuracy = evaluated.and_then(|evaluated| evaluated.accuracy(classifier));
        row.insert(classifier.clone(), json!(accuracy));
    }
    let seconds = match &record.outcome {
        Outcome::OverLimit { seconds, .. } => Some(*seconds),
        _ => evaluated.map(|evaluated| evaluated.fit_seconds),
    };
    row.insert("fit_seconds".to_owned(), json!(seconds));
    row.insert(
        "search_seconds".to_owned(),
        json!(evaluated.map(|evaluated| evaluated.search_seconds)),
    );
    row.insert("objective".to_owned(), json!(evaluated.and_then(|evaluated| evaluated.objective)));
    row.insert(
        "noise".to_owned(),
        json!(evaluated.and_then(|evaluated| evaluated.setting(sqfa::reduce::Setting::Noise))),
    );
    row.insert("converged".to_owned(), json!(evaluated.map(|evaluated| evaluated.converged)));
    row.insert("iterations".to_owned(), json!(evaluated.map(|evaluated| evaluated.iterations)));
    row.insert("remark".to_owned(), json!(remark));
    row.insert("session".to_owned(), json!(record.session));
    row
}

/// All cells and all summaries as one object.
pub(super) fn json(manifest: &Manifest, records: &[Record], summaries: &[Summary]) -> Value {
    let spec = &manifest.spec;
    let rows: Vec<Value> = records
        .iter()
        .map(|record| {
            let mut row = row(spec, record);
            let settings = record.evaluated().map(|evaluated| {
                quantities(&evaluated.settings, evaluated.refinement.as_ref())
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), json!(value)))
                    .collect::<Map<_, _>>()
            });
            row.insert("settings".to_owned(), json!(settings));
            let chosen = record.evaluated().and_then(|evaluated| evaluated.selection.as_ref());
            row.insert(
                "selection".to_owned(),
                json!(chosen.map(|chosen| json!({
                    "scaling": chosen.candidate.scaling,
                    "noise": chosen.candidate.noise,
                    "reason": chosen.reason,
                    "folds": chosen.folds,
                }))),
            );
            Value::Object(row)
        })
        .collect();
    let summary: Vec<Value> = summaries
        .iter()
        .map(|summary| {
            let mut object = Map::new();
            object.insert("method".to_owned(), json!(summary.method));
            object.insert("filters".to_owned(), json!(summary.filters));
            object.insert("runs".to_owned(), json!(summary.runs));
            for (classifier, spread) in spec.classifiers.iter().zip(&summary.accuracies) {
                object.insert(format!("{classifier}_median"), json!(spread.map(|s| s.median)));
                object.insert(format!("{classifier}_low"), json!(spread.map(|s| s.low)));
                object.insert(format!("{classifier}_high"), json!(spread.map(|s| s.high)));
            }
            object
                .insert("fit_seconds_median".to_owned(), json!(summary.seconds.map(|s| s.median)));
            object.insert("not_applicable".to_owned(), json!(summary.not_applicable));
            object.insert("sessions".to_owned(), json!(summary.sessions));
            object.insert("remark".to_owned(), json!(summary.remark));
            Value::Object(object)
        })
        .collect();
    let found = recommend(spec, summaries, records).map(|found| {
        json!({
            "method": found.choice.method,
            "filters": found.choice.filters,
            "accuracy": found.choice.accuracy,
            "clear": found.is_clear(),
            "leading": found.leading.iter().map(|one| json!({
                "method": one.candidate.method,
                "filters": one.candidate.filters,
                "accuracy": one.candidate.accuracy,
            })).collect::<Vec<_>>(),
            "next": found.next.as_ref().map(|next| next.candidate.method.clone()),
            "ahead": found.next.as_ref().and_then(|n| n.behind).map(|b| [b.difference, b.low, b.high]),
        })
    });
    json!({
        "dataset": manifest.facts.name,
        "n_classes": manifest.facts.train_counts.len(),
        "classes": manifest.facts.classes,
        "dimensions": manifest.facts.dimensions,
        "rows": rows,
        "summary": summary,
        "recommendation": found,
    })
}

/// One line a cell.
pub(super) fn csv(manifest: &Manifest, records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        let row = row(&manifest.spec, record);
        if text.is_empty() {
            text.push_str(&row.keys().map(|key| cell(key)).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        let cells = row.values().map(|value| match value {
            Value::Null => String::new(),
            Value::String(text) => cell(text),
            other => other.to_string(),
        });
        text.push_str(&cells.collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}
