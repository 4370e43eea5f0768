//! `sqfa export`: a model's numbers for other programs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sqfa::{Gaussians, MatRef};
use sqfa_io::formats::NpzWriter;
use sqfa_io::model_file::Model;

use super::tables::{cell, class_values, write_text};
use super::{ending, read_model};
use crate::args::{ExportArgs, ExportFormat};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;

/// An export as meant.
pub(crate) struct Export {
    model: PathBuf,
    target: Target,
}

enum Target {
    Npz(PathBuf),
    /// A table of filters, scaled or raw.
    Csv {
        out: Option<PathBuf>,
        scaled: bool,
    },
}

impl TryFrom<ExportArgs> for Export {
    type Error = anyhow::Error;

    fn try_from(args: ExportArgs) -> Result<Self> {
        if args.scaled && args.format == ExportFormat::Npz {
            return usage(
                "--scaled goes with --format csv: the npz has both (filters and raw_filters)",
            );
        }
        let target = match (args.format, args.out) {
            (ExportFormat::Npz, None) => return usage("--format npz needs --out FILE.npz"),
            (ExportFormat::Npz, Some(out)) if ending(&out) != "npz" => {
                return usage(format!("--out {}: name a file that ends in .npz", out.display()));
            }
            (ExportFormat::Npz, Some(out)) => Target::Npz(out),
            (ExportFormat::Csv, out) => Target::Csv { out, scaled: args.scaled },
        };
        Ok(Self { model: args.model, target })
    }
}

impl Export {
    /// Reads the model and writes its numbers.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let outputs: Vec<&Path> = match &self.target {
            Target::Npz(out) | Target::Csv { out: Some(out), .. } => vec![out],
            Target::Csv { out: None, .. } => Vec::new(),
        };
        let _ready = files::check(&[&self.model], &outputs)?;
        let model = read_model(&self.model)?;
        let _guard = Guard::new();
        match self.target {
            Target::Npz(out) => npz(&model, &out),
            Target::Csv { out: Some(out), scaled } => write_text(&out, &csv(&model, scaled)),
            Target::Csv { out: None, scaled } => output::say_data(&csv(&model, scaled)),
        }
    }
}

fn npz(model: &Model, path: &Path) -> Result<()> {
    let (n, m, c) = (model.filters().nrows(), model.filters().ncols(), model.classes().len());
    let each = |part: fn(&Gaussians, usize) -> &[f64]| -> Vec<f64> {
        (0..c).flat_map(|class| part(model.features(), class).iter().copied()).collect()
    };
    let (raw_filters, raw_offset) = model.raw_filters();
    let mut npz = NpzWriter::create(path, false)?;
    npz.add("filters", &[n, m], &rows(model.filters()))?;
    npz.add("raw_filters", &[n, m], &rows(raw_filters.as_ref()))?;
    npz.add("raw_offset", &[m], &raw_offset.unwrap_or_else(|| vec![0.0; m]))?;
    npz.add("feature_means", &[c, m], &each(Gaussians::mean))?;
    npz.add("feature_covariances", &[c, m, m], &each(Gaussians::covariance))?;
    npz.add("classes", &[c], class_values(model.classes()).as_ref())?;
    npz.add("noise", &[1], &vec![model.noise().unwrap_or(0.0)])?;
    if let Some(counts) = model.counts() {
        let counts: Vec<i64> = counts.iter().map(|&count| count as i64).collect();
        npz.add("counts", &[c], &counts)?;
    }
    if let Some(preprocessor) = model.preprocessing() {
        npz.add("offset", &[n], &preprocessor.offset)?;
        npz.add("factors", &[n], &preprocessor.factors)?;
    }
    Ok(npz.finish()?)
}

fn rows(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let (n, m) = (matrix.nrows(), matrix.ncols());
    (0..n).flat_map(|i| (0..m).map(move |j| matrix[(i, j)])).collect()
}

/// One row per column with its weight in every filter and, for raw samples, the offset as the last row.
fn csv(model: &Model, scaled: bool) -> String {
    let (raw, offset) = model.raw_filters();
    let m = raw.ncols();
    let filters = if scaled { model.filters() } else { raw.as_ref() };
    let offset = (!scaled).then(|| offset.unwrap_or_else(|| vec![0.0; m]));
    // A nonlinear feature map has features of its own.
    let names = model.feature_names().filter(|_| model.lift().is_none()).unwrap_or_default();
    let name = |column: usize| names.get(column).cloned().unwrap_or_else(|| column.to_string());
    let head = (1..=m).map(|j| format!(",filter_{j}")).collect::<String>();
    let mut text = format!("column{head}\n");
    let mut add = |name: &str, weights: &[f64]| {
        let cells: Vec<String> = weights.iter().map(ToString::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{}", cell(name), cells.join(","));
    };
    for (column, weights) in rows(filters).chunks(m).enumerate() {
        add(&name(column), weights);
    }
    if let Some(offset) = offset {
        add("(offset)", &offset);
    }
    text
}
