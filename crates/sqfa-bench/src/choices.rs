//! What fits select when nothing but the method is specified, and the accuracy of the result on test samples.
//!
//! A record holds one cell per data set, seed, number of filters and method. `benchmarks/choices.py` compares two
//! records cell by cell. The seed changes the training samples as well as the folds of a fit, and two records with
//! the same seeds have the same training and test samples.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sqfa::Noise;
use sqfa::optimize::Control;
use sqfa::pipeline::{Labeled, Pipeline, Selection};
use sqfa::points::Scalar;
use sqfa::reduce::Method;
use sqfa::split::stratified_split;
use sqfa::{Labels, with_table};
use sqfa_io::data::{LoadOptions, Loaded, OwnedPoints, Part, load};

use crate::machine::{cpu_seconds, tell};
use crate::sampling::Normals;

/// Methods, each without and with refinement.
const METHODS: [&str; 4] = ["sqfa", "sqfa+refine", "sqfa-h", "sqfa-h+refine"];
/// The fraction of a table that is held out as test samples.
const HELD_OUT: f64 = 0.3;
/// The maximum number of training samples of a table, so that a record is made in minutes.
const TRAINING: usize = 4000;
/// The maximum number of test images.
const TEST_IMAGES: usize = 5000;
/// Test samples of a generated table.
const TEST_ROWS: usize = 2000;
/// Training images: the name of the set, its file below the data folder, and the number of images per seed.
const IMAGES: [(&str, &str, usize); 3] = [
    ("mnist-1000", "mnist", 1000),
    ("mnist-3000", "mnist", 3000),
    ("svhn-3000", "svhn/svhn_gray.npz", 3000),
];
/// With more columns than the first number, refined fits are run for the first seed only. With more than the second, all
/// fits are, and refined ones are left out. They would take most of the time.
const EXPENSIVE: (usize, usize) = (500, 2000);
/// Names of the generated tables.
const GENERATED: [&str; 3] = ["one-column-900x400", "sparse-500x3000", "low-rank-300x400"];

/// Options of `sqfa-bench choices`.
#[derive(Debug, clap::Args)]
pub(crate) struct ChoicesArgs {
    /// Sets: names of tables without their ending, mnist-1000, mnist-3000, svhn-3000, one-column-900x400,
    /// sparse-500x3000, low-rank-300x400; all of them unless specified.
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Number of seeds.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Numbers of filters.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8")]
    filters: Vec<usize>,
    /// Methods, with "+refine" for refined filters; all of them unless specified.
    #[arg(long, value_delimiter = ',', default_values = METHODS)]
    methods: Vec<String>,
    /// Run the refined fits and seeds of wide sets that are left out otherwise.
    #[arg(long)]
    all: bool,
}

/// Where the samples of a set come from.
enum Source {
    /// All samples of a table, split by the seed.
    Table(Part),
    /// Training images, from which each seed uses the next ones, and test images.
    Images { train: Part, test: Part, count: usize },
    /// A generated table.
    Generated(&'static str),
}

pub(crate) fn run(folder: &Path, args: &ChoicesArgs) -> Result<Value> {
    let names = set_names(folder, &args.sets)?;
    let mut cells = Vec::new();
    for name in names {
        let source = source(folder, &name)?;
        for seed in 0..args.seeds {
            let (train, test) = source.parts(seed)?;
            let columns = train.points.columns();
            for &filters in args.filters.iter().filter(|&&filters| filters <= columns) {
                let is_run = |method: &&String| args.all || is_affordable(method, seed, columns);
                for method in args.methods.iter().filter(is_run) {
                    let mut cell = cell(method, filters, seed, &train, &test);
                    tell(&format!("{name} seed {seed} m {filters} {method}: {}", line(&cell)));
                    cell["set"] = json!(name);
                    cell["shape"] = json!([train.points.rows(), columns]);
                    cells.push(cell);
                }
            }
        }
    }
    Ok(json!({ "summary": summary(&cells, &args.methods), "cells": cells }))
}

/// Whether a fit is run by default.
fn is_affordable(method: &str, seed: u64, columns: usize) -> bool {
    let refined = method.parse::<Method>().is_ok_and(|own| own.refined);
    match columns {
        columns if columns > EXPENSIVE.1 => seed == 0 && !refined,
        columns if columns > EXPENSIVE.0 => seed == 0 || !refined,
        _ => true,
    }
}

/// Returns the names of the selected sets, in the order in which they are run.
fn set_names(folder: &Path, wanted: &[String]) -> Result<Vec<String>> {
    let tables = folder.join("tables");
    let mut names: Vec<String> = std::fs::read_dir(&tables)
        .with_context(|| format!("cannot read {}", tables.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "npz"))
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names.extend(IMAGES.iter().map(|(name, ..)| *name).chain(GENERATED).map(str::to_owned));
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(name)) {
        bail!("unknown set '{unknown}': choose from {}", names.join(", "));
    }
    names.retain(|name| wanted.is_empty() || wanted.contains(name));
    Ok(names)
}

fn source(folder: &Path, name: &str) -> Result<Source> {
    if let Some(name) = GENERATED.into_iter().find(|own| *own == name) {
        return Ok(Source::Generated(name));
    }
    if let Some((_, path, count)) = IMAGES.into_iter().find(|(own, ..)| *own == name) {
        let (train, test) = loaded(&folder.join(path))?;
        let rows: Vec<usize> = (0..test.labels.len().min(TEST_IMAGES)).collect();
        return Ok(Source::Images { train, test: picked(&test, &rows), count });
    }
    let (train, test) = loaded(&folder.join("tables").join(format!("{name}.npz")))?;
    Ok(Source::Table(joined(&train, &test)?))
}

impl Source {
    /// Returns the training and test samples of a seed.
    fn parts(&self, seed: u64) -> Result<(Part, Part)> {
        match self {
            Self::Table(all) => {
                let split = stratified_split(&all.labels, HELD_OUT, seed)?;
                let (train, test) = (picked(all, &split.learn), picked(all, &split.held));
                let fraction = TRAINING as f64 / train.labels.len() as f64;
                if fraction >= 1.0 {
                    return Ok((train, test));
                }
                let few = stratified_split(&train.labels, fraction, seed)?;
                Ok((picked(&train, &few.held), test))
            }
            Self::Images { train, test, count } => {
                let first = seed as usize * count;
                let rows: Vec<usize> = (first..first + count).collect();
                if first + count > train.labels.len() {
                    bail!("seed {seed} needs {count} more images than there are");
                }
                Ok((picked(train, &rows), test.clone()))
            }
            Self::Generated(name) => generated(name, seed),
        }
    }
}

fn loaded(path: &Path) -> Result<(Part, Part)> {
    let Loaded::Data(data) = load(path, &LoadOptions::default())? else {
        bail!("{} holds statistics, not samples", path.display());
    };
    let test = data.test.with_context(|| format!("{} has no test part", path.display()))?;
    Ok((data.train, test))
}

fn picked(part: &Part, rows: &[usize]) -> Part {
    Part { points: part.points.select(rows), labels: part.labels.select(rows) }
}

/// Returns both parts of a table as one, in double precision.
fn joined(train: &Part, test: &Part) -> Result<Part> {
    let columns = train.points.columns();
    let mut values = Vec::with_capacity((train.labels.len() + test.labels.len()) * columns);
    for part in [train, test] {
        with_table!(part.points.view(), table => for row in 0..table.rows() {
            values.extend((0..columns).map(|column| table.get(row, column).to_f64()));
        });
    }
    let codes = [train.labels.codes(), test.labels.codes()].concat();
    let rows = codes.len();
    Ok(Part {
        points: OwnedPoints::from_f64(values, rows, columns).context("tables of equal width")?,
        labels: Labels::from_codes(train.labels.classes().clone(), codes)
            .context("equal classes")?,
    })
}

/// Generates a wide table from a seed: training samples and [`TEST_ROWS`] test samples of the same distribution.
///
/// - `one-column-900x400`: standard normal noise, 3 classes. The means of the classes differ only in column 0, by 1.5 from
///   one class to the next. Column 1 is noise with standard deviation 10⁶.
/// - `sparse-500x3000`: standard normal noise, 4 classes. Each class has 5 columns with mean 1.5, and 5 others with
///   standard deviation 3.
/// - `low-rank-300x400`: 10 latent variables, mapped to the columns by normal weights, plus noise with standard deviation
///   0.1; 3 classes. The means of the classes have standard deviation 1 in each latent variable, and class `k` has standard
///   deviation 2 in every third one from variable `k` on.
fn generated(name: &str, seed: u64) -> Result<(Part, Part)> {
    const LATENT: usize = 10;
    let (rows, columns, classes) = match name {
        "one-column-900x400" => (900, 400, 3),
        "sparse-500x3000" => (500, 3000, 4),
        _ => (300, 400, 3),
    };
    let mut normals = Normals::new(1000 + seed);
    let mut drawn = |count: usize| (0..count).map(|_| normals.next()).collect::<Vec<f64>>();
    let (weights, means) = (drawn(LATENT * columns), drawn(classes * LATENT));
    let row_of = |class: usize, noise: Vec<f64>, latent: &[f64]| -> Vec<f64> {
        let value = |(column, noise): (usize, f64)| match name {
            "one-column-900x400" => match column {
                0 => noise + 1.5 * class as f64,
                1 => 1e6 * noise,
                _ => noise,
            },
            "sparse-500x3000" => match column.checked_sub(10 * class) {
                Some(0..5) => noise + 1.5,
                Some(5..10) => 3.0 * noise,
                _ => noise,
            },
            _ => {
                let weights = &weights[column * LATENT..(column + 1) * LATENT];
                0.1 * noise + weights.iter().zip(latent).map(|(w, z)| w * z).sum::<f64>()
            }
        };
        noise.into_iter().enumerate().map(value).collect()
    };
    let mut part = |rows: usize| -> Result<Part> {
        let codes: Vec<u32> = (0..rows).map(|row| (row % classes) as u32).collect();
        let mut values = Vec::with_capacity(rows * columns);
        for &code in &codes {
            let class = code as usize;
            let mut latent = drawn(LATENT);
            for (at, z) in latent.iter_mut().enumerate() {
                *z = *z * if at % 3 == class { 2.0 } else { 1.0 } + means[class * LATENT + at];
            }
            values.extend(row_of(class, drawn(columns), &latent));
        }
        let labels: Vec<i64> = codes.into_iter().map(i64::from).collect();
        Ok(Part {
            points: OwnedPoints::from_f64(values, rows, columns).context("whole rows")?,
            labels: Labels::from_integers(&labels),
        })
    };
    Ok((part(rows)?, part(TEST_ROWS)?))
}

/// Fits one method and describes the result; a fit that is rejected is described by its error.
fn cell(method: &str, filters: usize, seed: u64, train: &Part, test: &Part) -> Value {
    let mut cell = match fitted(method, filters, seed, train, test) {
        Ok(cell) => cell,
        Err(error) => json!({ "error": format!("{error:#}") }),
    };
    cell["seed"] = json!(seed);
    cell["filters"] = json!(filters);
    cell["method"] = json!(method);
    cell
}

/// The selected noise as a fraction of the mean within-class variance.
fn fraction(selection: &Selection) -> Option<f64> {
    match selection.candidate.noise {
        Noise::Fraction(fraction) => Some(fraction),
        Noise::Auto | Noise::Value(_) => None,
    }
}

/// Fits by the pipeline and reports what it selected. No other function of this benchmark depends on the pipeline.
fn fitted(method: &str, filters: usize, seed: u64, train: &Part, test: &Part) -> Result<Value> {
    let mut pipeline = Pipeline::named(method, filters)?;
    pipeline.settings.seed = seed;
    let data = Labeled::new(train.points.view(), &train.labels);
    let (began, computed) = (Instant::now(), cpu_seconds());
    let fitted = pipeline.fit(data, &mut |_| Control::Continue)?;
    let computed = cpu_seconds().zip(computed).map(|(after, before)| after - before);
    let seconds = began.elapsed().as_secs_f64();
    let features = fitted.features_of(test.points.view());
    let predicted = fitted.qda()?.predict(features.as_points(filters))?;
    let hits: Vec<bool> =
        predicted.iter().zip(test.labels.codes()).map(|(one, other)| one == other).collect();
    let selection = fitted.record.selection.as_ref();
    let refinement = fitted.record.refinement.as_ref();
    let held_out = fitted.record.held_out();
    Ok(json!({
        "scaling": selection.map(|selection| selection.candidate.scaling.name()),
        "noise_fraction": selection.and_then(fraction),
        "reason": selection.map(|selection| format!("{:?}", selection.reason)),
        "candidates": selection.map(|selection| selection.tried.len()),
        "folds": selection.map(|selection| selection.folds),
        "refinement_steps": refinement.map(|refinement| refinement.steps),
        "refinement_noise": refinement.map(|refinement| refinement.noise),
        "dropped": fitted.record.dropped.len(),
        "distinct": fitted.distinct(),
        "held_out_accuracy": held_out.map(|accuracy| 100.0 * accuracy),
        "accuracy": 100.0 * hits.iter().filter(|hit| **hit).count() as f64 / hits.len() as f64,
        "seconds": seconds,
        "cpu_seconds": computed,
        "hits": hexadecimal(&hits),
    }))
}

/// Returns one digit for four samples, the first one in its highest bit; missing ones at the end count as wrong.
fn hexadecimal(hits: &[bool]) -> String {
    let digit = |four: &[bool]| {
        let bits = (0..4).map(|at| u32::from(four.get(at) == Some(&true)) << (3 - at)).sum();
        char::from_digit(bits, 16).unwrap_or('0')
    };
    hits.chunks(4).map(digit).collect()
}

/// A line of progress.
fn line(cell: &Value) -> String {
    if let Some(error) = cell["error"].as_str() {
        return error.to_owned();
    }
    let number = |name: &str| cell[name].as_f64().unwrap_or(f64::NAN);
    format!(
        "{:.2} % (held-out {:.2} %), {} {}, {:.2} s",
        number("accuracy"),
        number("held_out_accuracy"),
        cell["scaling"].as_str().unwrap_or("-"),
        number("noise_fraction"),
        number("seconds"),
    )
}

/// Means of every method over all its cells.
fn summary(cells: &[Value], methods: &[String]) -> Value {
    let of_method = |method: &String| {
        let own: Vec<&Value> = cells.iter().filter(|cell| cell["method"] == **method).collect();
        let mean = |name: &str| {
            let values: Vec<f64> = own.iter().filter_map(|cell| cell[name].as_f64()).collect();
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let failed = own.iter().filter(|cell| !cell["error"].is_null()).count();
        json!({
            "method": method, "cells": own.len(), "failed": failed, "accuracy": mean("accuracy"),
            "held_out_accuracy": mean("held_out_accuracy"), "seconds": mean("seconds"),
            "cpu_seconds": mean("cpu_seconds"),
        })
    };
    methods.iter().map(of_method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_packed_four_to_a_digit() {
        assert_eq!(hexadecimal(&[true, false, true, false, true]), "a8");
        assert_eq!(hexadecimal(&[]), "");
    }

    #[test]
    fn generated_tables_depend_on_the_seed_and_differ_between_parts() {
        for name in GENERATED {
            let (train, test) = generated(name, 0).unwrap();
            let shape = format!("{}x{}", train.points.rows(), train.points.columns());
            assert!(name.ends_with(&shape), "{name}: {shape}");
            assert_eq!(test.labels.len(), TEST_ROWS);
            assert_eq!(generated(name, 0).unwrap().0, train);
            assert_ne!(generated(name, 1).unwrap().0, train);
            let rows: Vec<usize> = (0..4).collect();
            assert_ne!(picked(&test, &rows), picked(&train, &rows));
        }
    }
}
