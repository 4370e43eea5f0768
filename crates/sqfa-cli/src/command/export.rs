//! `sqfa export`: a model's numbers for other programs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sqfa::{Gaussians, MatRef};
use sqfa_io::formats::NpzWriter;
use sqfa_io::model_file::Model;

use super::tables::{class_values, write_text};
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
    Csv(Option<PathBuf>),
}

impl TryFrom<ExportArgs> for Export {
    type Error = anyhow::Error;

    fn try_from(args: ExportArgs) -> Result<Self> {
        let target = match (args.format, args.out) {
            (ExportFormat::Npz, None) => return usage("--format npz needs --out FILE.npz"),
            (ExportFormat::Npz, Some(out)) if ending(&out) != "npz" => {
                return usage(format!("--out {}: name a file that ends in .npz", out.display()));
            }
            (ExportFormat::Npz, Some(out)) => Target::Npz(out),
            (ExportFormat::Csv, out) => Target::Csv(out),
        };
        Ok(Self { model: args.model, target })
    }
}

impl Export {
    /// Reads the model and writes its numbers.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let outputs: Vec<&Path> = match &self.target {
            Target::Npz(out) | Target::Csv(Some(out)) => vec![out],
            Target::Csv(None) => Vec::new(),
        };
        let _ready = files::check(&[&self.model], &outputs)?;
        let model = read_model(&self.model)?;
        let _guard = Guard::new();
        match self.target {
            Target::Npz(out) => npz(&model, &out),
            Target::Csv(Some(out)) => write_text(&out, &csv(model.filters())),
            Target::Csv(None) => output::say_data(&csv(model.filters())),
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
    npz.add("noise", &[1], &vec![model.description().noise])?;
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

fn csv(filters: MatRef<'_, f64>) -> String {
    let m = filters.ncols();
    let mut text = (1..=m).map(|j| format!("filter_{j}")).collect::<Vec<_>>().join(",") + "\n";
    for row in rows(filters).chunks(m) {
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}
