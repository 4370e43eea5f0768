//! `sqfa transform`: points through a model's filters.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use sqfa::Labels;
use sqfa::transform::Features;
use sqfa_io::formats::{NpzWriter, Values, write_npy};

use super::tables::{cell, label_values, write_text};
use super::units::check_units;
use super::{ending, read_model};
use crate::args::TransformArgs;
use crate::data::{NamedPart, incomplete, parts};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;

/// A transformation as meant.
pub(crate) struct Transform {
    args: TransformArgs,
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Npy,
    Npz,
    Csv,
}

#[derive(Serialize)]
struct Report {
    n_points: usize,
    filters: usize,
    file: String,
}

impl TryFrom<TransformArgs> for Transform {
    type Error = anyhow::Error;

    fn try_from(args: TransformArgs) -> Result<Self> {
        let format = match ending(&args.out).as_str() {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" => Format::Csv,
            _ => {
                let out = args.out.display();
                return usage(format!("--out {out}: name a file that ends in .npy, .npz or .csv"));
            }
        };
        Ok(Self { args, format })
    }
}

/// Features of one part.
struct Transformed {
    name: Option<&'static str>,
    features: Features,
    labels: Option<Labels>,
    rows: usize,
}

impl Transform {
    /// Reads, transforms and writes.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Self { args, format } = self;
        let mut inputs: Vec<&Path> = vec![&args.model, args.data.as_ref()];
        inputs.extend(args.flags.labels.as_deref());
        let _ready = files::check(&inputs, &[&args.out])?;
        let model = read_model(&args.model)?;
        let parts = parts(&args.data, &args.flags, args.part, &model)?;
        if parts.len() > 1 && format != Format::Npz {
            return usage(format!(
                "'{}' has a training and a test part: name one with --part, or write .npz",
                args.data
            ));
        }
        let m = model.filters().ncols();
        let transformed = parts
            .into_iter()
            .map(|part| {
                let NamedPart { name, points, labels } = complete(part, &args)?;
                let features = model.transform(points.view())?;
                check_units(&args.data, &model, &features);
                Ok(Transformed { name, features, labels, rows: points.rows() })
            })
            .collect::<Result<Vec<_>>>()?;
        let guard = Guard::new();
        match (format, transformed.first()) {
            (Format::Npz, _) => write_npz(&args.out, &transformed, m)?,
            (Format::Npy, Some(part)) => {
                write_npy(&args.out, &[part.rows, m], values(&part.features).as_ref())?;
            }
            (Format::Csv, Some(part)) => write_text(&args.out, &csv(part, m))?,
            (_, None) => anyhow::bail!("'{}' holds no points", args.data),
        }
        drop(guard);
        let n_points = transformed.iter().map(|part| part.rows).sum();
        let file = args.out.display().to_string();
        if args.json {
            return output::say_json(&Report { n_points, filters: m, file });
        }
        let parts: Vec<String> = transformed
            .iter()
            .filter_map(|part| Some(format!("{} {}", part.rows, part.name?)))
            .collect();
        let parts =
            if parts.is_empty() { parts.concat() } else { format!(" ({})", parts.join(", ")) };
        output::say(&format!("{n_points} points{parts} × {m} features → {file}\n"))
    }
}

/// The points without those that lack a value, where --missing says so.
fn complete(part: NamedPart, args: &TransformArgs) -> Result<NamedPart> {
    let gaps = incomplete(&part, &args.flags)?;
    if gaps.is_empty() {
        return Ok(part);
    }
    let count = part.points.rows();
    output::complain(
        "note",
        &format!("{} of {count} rows lack a value and are left out", gaps.len()),
    );
    let kept: Vec<usize> = (0..count).filter(|row| gaps.binary_search(row).is_err()).collect();
    let labels = part.labels.map(|labels| labels.select(&kept));
    Ok(NamedPart { name: part.name, points: part.points.select(&kept), labels })
}

fn values(features: &Features) -> Values {
    match features {
        Features::F32(values) => Values::F32(values.clone()),
        Features::F64(values) => Values::F64(values.clone()),
    }
}

fn write_npz(path: &Path, parts: &[Transformed], m: usize) -> Result<()> {
    let mut npz = NpzWriter::create(path, false)?;
    for part in parts {
        let ending = part.name.map(|name| format!("_{name}")).unwrap_or_default();
        npz.add(&format!("X{ending}"), &[part.rows, m], values(&part.features).as_ref())?;
        if let Some(labels) = &part.labels {
            npz.add(&format!("y{ending}"), &[part.rows], label_values(labels).as_ref())?;
        }
    }
    Ok(npz.finish()?)
}

fn csv(part: &Transformed, m: usize) -> String {
    let mut names: Vec<String> = (1..=m).map(|j| format!("feature_{j}")).collect();
    if part.labels.is_some() {
        names.push("label".to_owned());
    }
    let mut text = names.join(",") + "\n";
    for row in 0..part.rows {
        let mut cells: Vec<String> = (row * m..(row + 1) * m)
            .map(|at| match &part.features {
                Features::F32(values) => values[at].to_string(),
                Features::F64(values) => values[at].to_string(),
            })
            .collect();
        if let Some(labels) = &part.labels {
            let label = labels.classes().label(labels.codes()[row] as usize);
            cells.push(cell(&label.to_string()));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}
