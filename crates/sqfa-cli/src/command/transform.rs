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
use crate::data::{self, LabelUse, NamedPart, Samples, expand, gaps};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;

/// A transformation as meant.
pub(crate) struct Transform {
    args: TransformArgs,
    files: Vec<String>,
    /// What messages call the files.
    data: String,
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
        if args.out == Path::new("-") && args.json {
            return usage("--json and --out - both print to standard output: name a file");
        }
        let format = match ending(&args.out).as_str() {
            _ if args.out == Path::new("-") => Format::Csv,
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" => Format::Csv,
            _ => {
                let out = args.out.display();
                return usage(format!(
                    "--out {out}: name a file that ends in .npy, .npz or .csv, or - for csv on standard output"
                ));
            }
        };
        if args.id.is_some() {
            if format == Format::Npy {
                return usage("--id: an .npy file holds the features alone; write .csv or .npz");
            }
            if args.data.iter().any(|file| file == "-") {
                return usage(
                    "--id reads the table twice, and standard input cannot be: save it to a file",
                );
            }
        }
        let files = expand(&args.data)?;
        Ok(Self { data: data::named(&files), files, args, format })
    }
}

/// Features of one part.
struct Transformed {
    name: Option<&'static str>,
    features: Features,
    labels: Option<Labels>,
    /// What identifies every row, where that was asked for.
    ids: Option<Vec<String>>,
    rows: usize,
}

impl Transform {
    /// Reads, transforms and writes.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Self { args, files, data, format } = self;
        let to_file = args.out != Path::new("-");
        let outputs: Vec<&Path> = if to_file { vec![&args.out] } else { Vec::new() };
        let mut inputs: Vec<&Path> = vec![&args.model];
        inputs.extend(files.iter().map(Path::new));
        inputs.extend(args.flags.labels.as_deref());
        let _ready = files::check(&inputs, &outputs)?;
        let model = read_model(&args.model)?;
        let samples = Samples {
            files: &files,
            flags: &args.flags,
            part: args.part,
            labels: LabelUse::AllOrNone,
        };
        let parts = samples.open_parts(&model)?;
        let ids = args.id.as_ref().map(|id| data::ids(&files, id, &args.flags, &model));
        let mut ids = ids.transpose()?;
        if parts.len() > 1 && format != Format::Npz {
            return usage(format!(
                "'{data}' has a training and a test part: name one with --part, or write .npz"
            ));
        }
        let m = model.filters().ncols();
        let transformed = parts
            .into_iter()
            .map(|part| {
                let Complete { part, kept, gaps } = complete(part, &args)?;
                let NamedPart { name, points, labels } = part;
                let mut features = model.transform(points.view())?;
                if gaps.is_empty() {
                    check_units(&data, &model, &features);
                }
                leave_open(&mut features, &gaps, m);
                let ids = ids.take().map(|all| match &kept {
                    Some(kept) => kept.iter().map(|&row| all[row].clone()).collect(),
                    None => all,
                });
                let rows = points.rows();
                if ids.as_ref().is_some_and(|ids| ids.len() != rows) {
                    anyhow::bail!("'{data}' changed while it was read");
                }
                Ok(Transformed { name, features, labels, ids, rows })
            })
            .collect::<Result<Vec<_>>>()?;
        let guard = Guard::new();
        match (format, transformed.first()) {
            (Format::Npz, _) => write_npz(&args.out, &transformed, m, args.id.as_deref())?,
            (Format::Npy, Some(part)) => {
                write_npy(&args.out, &[part.rows, m], values(&part.features).as_ref())?;
            }
            (Format::Csv, Some(part)) => {
                let text = csv(part, m, args.id.as_deref());
                if !to_file {
                    return output::say_data(&text);
                }
                write_text(&args.out, &text)?;
            }
            (_, None) => anyhow::bail!("'{data}' contains no samples"),
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
        output::summarize(&format!("{n_points} samples{parts} × {m} features → {file}\n"))
    }
}

/// Points that all have numbers.
struct Complete {
    part: NamedPart,
    /// The rows that are left, where some are left out.
    kept: Option<Vec<usize>>,
    /// Rows that lack a value, ascending: their features are left open.
    gaps: Vec<usize>,
}

/// Leaves out the points that lack a value where --missing says so, and otherwise notes them.
fn complete(part: NamedPart, args: &TransformArgs) -> Result<Complete> {
    let gaps = gaps(&part);
    let count = part.points.rows();
    if gaps.is_empty() {
        return Ok(Complete { part, kept: None, gaps });
    }
    if gaps.len() == count {
        return usage("every row lacks a value: nothing is left");
    }
    let lacking = format!("{} of {count} rows lack a value", gaps.len());
    if args.flags.table.missing.is_none() {
        output::complain(
            "note",
            &format!(
                "{lacking}: their features are empty (use --missing drop or --missing mean otherwise)"
            ),
        );
        // Any number does: the features of these rows are left open afterwards.
        let means = vec![0.0; part.points.columns()];
        let part = NamedPart { points: part.points.filled(&means), ..part };
        return Ok(Complete { part, kept: None, gaps });
    }
    output::complain("note", &format!("{lacking} and are left out"));
    let kept: Vec<usize> = (0..count).filter(|row| gaps.binary_search(row).is_err()).collect();
    let labels = part.labels.map(|labels| labels.select(&kept));
    let part = NamedPart { name: part.name, points: part.points.select(&kept), labels };
    Ok(Complete { part, kept: Some(kept), gaps: Vec::new() })
}

/// Makes the features of some rows NaN.
fn leave_open(features: &mut Features, rows: &[usize], m: usize) {
    for &row in rows {
        match features {
            Features::F32(values) => values[row * m..(row + 1) * m].fill(f32::NAN),
            Features::F64(values) => values[row * m..(row + 1) * m].fill(f64::NAN),
        }
    }
}

fn values(features: &Features) -> Values {
    match features {
        Features::F32(values) => Values::F32(values.clone()),
        Features::F64(values) => Values::F64(values.clone()),
    }
}

fn write_npz(path: &Path, parts: &[Transformed], m: usize, id: Option<&str>) -> Result<()> {
    let mut npz = NpzWriter::create(path, false)?;
    for part in parts {
        let ending = part.name.map(|name| format!("_{name}")).unwrap_or_default();
        npz.add(&format!("X{ending}"), &[part.rows, m], values(&part.features).as_ref())?;
        if let (Some(ids), Some(id)) = (&part.ids, id) {
            npz.add(id, &[part.rows], Values::Text(ids.clone()).as_ref())?;
        }
        if let Some(labels) = &part.labels {
            npz.add(&format!("y{ending}"), &[part.rows], label_values(labels).as_ref())?;
        }
    }
    Ok(npz.finish()?)
}

fn csv(part: &Transformed, m: usize, id: Option<&str>) -> String {
    let features = (1..=m).map(|j| format!("feature_{j}"));
    let mut names: Vec<String> = id.map(cell).into_iter().chain(features).collect();
    if part.labels.is_some() {
        names.push("label".to_owned());
    }
    let mut text = names.join(",") + "\n";
    for row in 0..part.rows {
        let own = part.ids.iter().map(|ids| cell(&ids[row]));
        let numbers = (row * m..(row + 1) * m).map(|at| match &part.features {
            Features::F32(values) if values[at].is_nan() => String::new(),
            Features::F64(values) if values[at].is_nan() => String::new(),
            Features::F32(values) => values[at].to_string(),
            Features::F64(values) => values[at].to_string(),
        });
        let mut cells: Vec<String> = own.chain(numbers).collect();
        if let Some(labels) = &part.labels {
            let label = labels.classes().label(labels.codes()[row] as usize);
            cells.push(cell(&label.to_string()));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}
