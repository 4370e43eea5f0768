//! Hold-out accuracy of what a user gets without flags, against flags chosen by hand, LDA and PCA.
//!
//! QDA on the test part of every table and number of filters. Differences between columns are
//! paired point by point; a cell counts as met when the difference is within one standard error.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sqfa::Noise;
use sqfa::optimize::Control;
use sqfa::pipeline::{Fitted, Labeled, Pipeline};
use sqfa::statistics::Scaling;
use sqfa_io::data::{LabeledData, LoadOptions, Loaded, Part, load};

/// The columns of the table: a name, the method, and how its flags are set.
const COLUMNS: [(&str, &str, Flags); 12] = [
    ("sqfa", "sqfa", Flags::Default),
    ("sqfa-h", "sqfa-h", Flags::Default),
    ("sqfa-h+refine", "sqfa-h+refine", Flags::Default),
    ("sqfa fixed", "sqfa", Flags::Fixed),
    ("sqfa-h fixed", "sqfa-h", Flags::Fixed),
    ("sqfa unscaled", "sqfa", Flags::Scaled(Scaling::None)),
    ("sqfa per-feature", "sqfa", Flags::Scaled(Scaling::PerFeature)),
    ("sqfa-h unscaled", "sqfa-h", Flags::Scaled(Scaling::None)),
    ("sqfa-h per-feature", "sqfa-h", Flags::Scaled(Scaling::PerFeature)),
    ("sqfa-h+refine per-feature", "sqfa-h+refine", Flags::Refined),
    ("lda", "lda", Flags::Default),
    ("pca", "pca", Flags::Default),
];

#[derive(Debug, Clone, Copy)]
enum Flags {
    /// None.
    Default,
    /// The default for statistics alone: within-class scaling and a noise of 0.3x.
    Fixed,
    /// This scaling; the noise is selected.
    Scaled(Scaling),
    /// Per-feature scaling and a noise of 1x.
    Refined,
}

/// One column of one cell: which test points were classified rightly.
struct Cell {
    column: &'static str,
    hits: Vec<bool>,
    seconds: f64,
    chosen: Value,
}

pub(crate) fn run(
    folder: &Path,
    filters: &[usize],
    columns: &[String],
    sets: &[String],
) -> Result<Value> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "npz"))
        .collect();
    files.sort();
    if files.is_empty() {
        bail!("{} holds no .npz file", folder.display());
    }
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for path in files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if !sets.is_empty() && !sets.contains(&name) {
            continue;
        }
        let Loaded::Data(data) = load(&path, &LoadOptions::default())? else {
            bail!("{} holds statistics, not points", path.display());
        };
        for &m in filters.iter().filter(|m| **m <= data.train.points.columns()) {
            let row = row(&data, m, columns);
            eprintln_row(&name, m, &row);
            rows.push(json!({
                "set": name, "filters": m,
                "accuracy": row.iter().map(|cell| (cell.column.to_owned(), json!(accuracy(cell)))).collect::<serde_json::Map<_, _>>(),
                "seconds": row.iter().map(|cell| (cell.column.to_owned(), json!(cell.seconds))).collect::<serde_json::Map<_, _>>(),
                "chosen": row.iter().map(|cell| (cell.column.to_owned(), cell.chosen.clone())).collect::<serde_json::Map<_, _>>(),
            }));
            cells.push(row);
        }
    }
    Ok(json!({ "rows": rows, "summary": summary(&cells) }))
}

#[allow(clippy::print_stderr)] // progress of a long table
fn eprintln_row(name: &str, m: usize, row: &[Cell]) {
    let cells: Vec<String> = row
        .iter()
        .map(|cell| format!("{} {:.2} ({:.1} s)", cell.column, accuracy(cell), cell.seconds))
        .collect();
    eprintln!("{name} {m}: {}", cells.join(", "));
}

fn accuracy(cell: &Cell) -> f64 {
    100.0 * cell.hits.iter().filter(|hit| **hit).count() as f64 / cell.hits.len() as f64
}

fn row(data: &LabeledData, m: usize, columns: &[String]) -> Vec<Cell> {
    let wanted = COLUMNS
        .iter()
        .filter(|(name, ..)| columns.is_empty() || columns.iter().any(|column| column == name));
    wanted
        .filter_map(|&(column, method, flags)| {
            let began = Instant::now();
            // A method that has no such filters, as LDA beyond c − 1, leaves its cell empty.
            let (hits, chosen) = evaluated(data, method, m, flags).ok()?;
            Some(Cell { column, hits, seconds: began.elapsed().as_secs_f64(), chosen })
        })
        .collect()
}

fn evaluated(
    data: &LabeledData,
    method: &str,
    m: usize,
    flags: Flags,
) -> Result<(Vec<bool>, Value)> {
    let Some(test) = &data.test else { bail!("{} has no test part", data.name) };
    let train = Labeled::new(data.train.points.view(), &data.train.labels);
    let mut pipeline = Pipeline::named(method, m)?;
    let (scaling, noise) = match flags {
        Flags::Default => (None, Noise::Auto),
        Flags::Fixed => (Some(Scaling::WithinClass), Noise::Fraction(0.3)),
        Flags::Scaled(scaling) => (Some(scaling), Noise::Auto),
        Flags::Refined => (Some(Scaling::PerFeature), Noise::Fraction(1.0)),
    };
    pipeline.scaling = scaling;
    pipeline.settings.noise = noise;
    let fitted = pipeline.fit(train, &mut |_| Control::Continue)?;
    let features = fitted.features_of(test.points.view());
    let guess = fitted.qda()?.predict(features.as_points(m))?;
    Ok((right(&guess, test), chosen(&fitted)))
}

fn right(guess: &[u32], test: &Part) -> Vec<bool> {
    guess.iter().zip(test.labels.codes()).map(|(guess, code)| guess == code).collect()
}

fn chosen(fitted: &Fitted) -> Value {
    let selection = fitted.record.selection.as_ref().map(|selection| {
        json!({
            "scaling": selection.candidate.scaling.name(), "noise": selection.candidate.noise.to_string(),
            "reason": format!("{:?}", selection.reason), "folds": selection.folds,
            "tried": selection.tried.len(),
        })
    });
    let refinement = fitted.record.refinement.as_ref().map(|choice| {
        json!({ "steps": choice.steps, "noise": choice.noise, "gain": choice.gain.map(|gain| gain.mean), "error": choice.gain.map(|gain| gain.error) })
    });
    json!({ "dropped": fitted.record.dropped.len(), "distinct": fitted.distinct(), "held_out_accuracy": fitted.record.selection.as_ref().and_then(|selection| selection.accuracy), "selection": selection, "refinement": refinement })
}

/// Means over cells that both columns have, and how often one is at least as good as the other.
fn summary(cells: &[Vec<Cell>]) -> Value {
    let mean = |column: &str| {
        let own: Vec<f64> =
            cells.iter().filter_map(|row| find(row, column)).map(accuracy).collect();
        json!({ "cells": own.len(), "mean": own.iter().sum::<f64>() / own.len().max(1) as f64 })
    };
    let means: serde_json::Map<_, _> =
        COLUMNS.iter().map(|(name, ..)| ((*name).to_owned(), mean(name))).collect();
    let against = [
        ("sqfa-h", "sqfa-h unscaled", 0.0),
        ("sqfa-h", "sqfa-h per-feature", 0.0),
        ("sqfa", "sqfa unscaled", 0.0),
        ("sqfa", "sqfa per-feature", 0.0),
        ("sqfa-h", "lda", 1.0),
        ("sqfa-h", "pca", 0.0),
        ("sqfa-h+refine", "sqfa-h", 0.0),
        ("sqfa-h+refine", "sqfa-h+refine per-feature", 0.0),
    ];
    let pairs: Vec<Value> = against.iter().map(|pair| compared(cells, *pair)).collect();
    json!({ "means": means, "pairs": pairs })
}

fn find<'a>(row: &'a [Cell], column: &str) -> Option<&'a Cell> {
    row.iter().find(|cell| cell.column == column)
}

/// How one column does against another, with an allowance in points.
fn compared(cells: &[Vec<Cell>], (first, second, allowance): (&str, &str, f64)) -> Value {
    let (mut count, mut met, mut total, mut worst) = (0, 0, 0.0, f64::INFINITY);
    for row in cells {
        let (Some(a), Some(b)) = (find(row, first), find(row, second)) else { continue };
        let differences: Vec<f64> =
            a.hits.iter().zip(&b.hits).map(|(a, b)| f64::from(*a as i8 - *b as i8)).collect();
        let points = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / points;
        let square = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>();
        let error = 100.0 * (square / points / (points - 1.0)).sqrt();
        let ahead = 100.0 * mean;
        count += 1;
        met += usize::from(ahead + allowance + error >= 0.0);
        total += ahead;
        worst = worst.min(ahead);
    }
    let share = met as f64 / f64::from(count.max(1));
    json!({
        "first": first, "second": second, "cells": count, "mean_ahead": total / f64::from(count.max(1)),
        "worst": worst, "met": share, "allowance": allowance,
    })
}
