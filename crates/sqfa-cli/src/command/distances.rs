//! `sqfa distances`: how far classes are from each other, in data or in a model's features.

mod bounds;

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sqfa::distance::{PairError, pairwise};
use sqfa::statistics::{Form, Preprocessor, Scaling, check_several};
use sqfa::{ClassStatistics, Classes, Distance, Estimator, Gaussians, Mat, Noise};
use sqfa_io::data::{LabeledData, Loaded, Part};
use sqfa_io::formats::write_npy;
use sqfa_io::model_file::ClassNames;

use super::tables::{cell, write_text};
use super::{ending, read_model};
use crate::args::DistancesArgs;
use crate::failure::usage;
use crate::files;
use crate::output::{self, measured, number};
use crate::progress::StatusLine;
use crate::{data, interrupt};

/// Beyond this dimension full-space distances would take minutes.
const MOST_DIMENSIONS: usize = 1024;
/// The exact Fisher–Rao distance searches over d(d−1)/2 unknowns a pair.
const MOST_EXACT_DIMENSIONS: usize = 64;
/// Up to this many classes the whole matrix is printed.
const FEW_CLASSES: usize = 12;
/// How many near and far pairs are listed otherwise.
const LISTED: usize = 5;

/// What to measure.
pub(crate) struct Distances {
    args: DistancesArgs,
    files: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    distance: String,
    noise: f64,
    /// How data were scaled; nothing for models, which have a scaling of their own.
    scaling: Option<&'static str>,
    dimensions: usize,
    classes: ClassNames,
    mean: f64,
    distances: Vec<Vec<f64>>,
}

impl TryFrom<DistancesArgs> for Distances {
    type Error = anyhow::Error;

    fn try_from(args: DistancesArgs) -> Result<Self> {
        if let Some(out) = &args.out
            && !["npy", "csv"].contains(&ending(out).as_str())
        {
            return usage(format!("--out {}: name a .npy or .csv file", out.display()));
        }
        let exact = args.distance.as_ref().is_some_and(|distance| distance.name() == "fisher-rao");
        if args.bounds && !exact {
            return usage("--bounds are those of the exact distance: add --distance fisher-rao");
        }
        if args.bounds && args.out.is_some() {
            return usage("--bounds are printed: leave out --out, or take --json for a file");
        }
        let files = data::expand(&args.source)?;
        Ok(Self { files, args })
    }
}

/// Class Gaussians with noise, and what is known of them.
struct Measured {
    distance: Distance,
    noise: f64,
    scaling: Option<Scaling>,
    classes: Classes,
    gaussians: Gaussians,
}

impl Distances {
    /// Reads, measures and reports.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let outputs: Vec<&Path> = self.args.out.as_deref().into_iter().collect();
        let mut inputs: Vec<&Path> = self.files.iter().map(Path::new).collect();
        inputs.extend(self.args.flags.labels.as_deref());
        let _ready = files::check(&inputs, &outputs)?;
        let measured = match &self.files[..] {
            [one] if is_model(Path::new(one)) => self.in_model(Path::new(one))?,
            files => {
                if let Some(model) = files.iter().find(|file| is_model(Path::new(file))) {
                    return usage(format!(
                        "{model} is a model: distances in a model need no other file"
                    ));
                }
                self.in_data()?
            }
        };
        let Measured { distance, noise, scaling, classes, gaussians } = measured;
        if distance.name() == "fisher-rao" && gaussians.order() > MOST_EXACT_DIMENSIONS {
            bail!(
                "the exact Fisher–Rao distance in {} dimensions would take very long (at most \
                 {MOST_EXACT_DIMENSIONS}): fit filters first and measure in the model, or use \
                 --pca-dims or --distance calvo-oller, its lower bound",
                gaussians.order()
            );
        }
        if self.args.bounds {
            return bounds::tell(&gaussians, &classes, noise, self.args.json);
        }
        let matrix = pairwise(&distance, &gaussians).map_err(|error| explain(&error, &classes))?;
        let count = classes.len();
        let off_diagonal = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let sum: f64 = off_diagonal.filter(|(i, j)| i != j).map(|pair| matrix[pair]).sum();
        let report = Report {
            distance: distance.name().to_owned(),
            noise,
            scaling: scaling.map(Scaling::name),
            dimensions: gaussians.order(),
            classes: (&classes).into(),
            mean: sum / (count * (count - 1)) as f64,
            distances: (0..count).map(|i| (0..count).map(|j| matrix[(i, j)]).collect()).collect(),
        };
        if let Some(out) = &self.args.out {
            let _guard = interrupt::Guard::new();
            match ending(out).as_str() {
                "npy" => write_npy(out, &[count, count], &report.distances.concat())?,
                _ => write_text(out, &csv(&report, &classes))?,
            }
        }
        if self.args.json {
            return output::say_json(&report);
        }
        output::say(&text(&report, &classes, &matrix))
    }

    fn in_model(&self, path: &Path) -> Result<Measured> {
        let DistancesArgs { flags, classes, pca_dims, scaling, .. } = &self.args;
        if flags.table.given().is_some()
            || flags.labels.is_some()
            || classes.is_some()
            || pca_dims.is_some()
            || scaling.is_some()
        {
            return usage(
                "--label, --labels, --classes, --scaling and --pca-dims go with data, not a model",
            );
        }
        let model = read_model(path)?;
        let distance = match &self.args.distance {
            Some(distance) => distance.clone(),
            // A model of a method that maximizes none is measured like the default method's.
            None => Distance::named(
                model.record().specified.distance.as_deref().unwrap_or("calvo-oller"),
            )
            .context("the model's own distance is not known here: name one with --distance")?,
        };
        let noise = match self.args.noise {
            Some(Noise::Value(noise)) => noise,
            _ => model.noise().unwrap_or(0.0),
        };
        let gaussians = model.noisy_gaussians(noise)?;
        let classes = model.classes().clone();
        Ok(Measured { distance, noise, scaling: None, classes, gaussians })
    }

    fn in_data(&self) -> Result<Measured> {
        let line = StatusLine::new(&format!("reading {}", self.files.join(" ")));
        let mut loaded = data::open_all(&self.files, &self.args.flags, None, &line)?.loaded;
        drop(line);
        if let Some(names) = &self.args.classes {
            loaded = data::restrict(loaded, names)?;
        }
        let mut statistics = match loaded {
            Loaded::Data(LabeledData { train: Part { points, labels }, .. }) => {
                let (n, classes) = (points.columns(), labels.classes().len());
                self.check_dimension(n)?;
                // Components of few samples need no covariance with n² entries.
                let (rows, width) = (points.rows() as u64, points.view().width());
                let form = match self.args.pca_dims {
                    Some(_) => Form::decide(rows, n, classes, width),
                    None => Form::Dense,
                };
                match form {
                    Form::Dense => {
                        data::check_sums(classes, n, "")?;
                        ClassStatistics::from_points(points.view(), &labels, Estimator::Empirical)?
                    }
                    Form::Factor => {
                        ClassStatistics::from_factors(points.view(), &labels, Estimator::Empirical)?
                    }
                }
            }
            Loaded::Statistics(given) => data::class_statistics(given, None)?,
            Loaded::Sums(_, sums) => sums.finish(Estimator::Empirical)?,
        };
        check_several(statistics.classes())?;
        // The noise is the same for all columns, and so are principal components: both depend on units.
        let scaling = self.args.scaling.unwrap_or(Scaling::PerFeature);
        if let Some(preprocessor) = Preprocessor::new(&statistics, scaling, false) {
            preprocessor.apply(&mut statistics);
        }
        let n = statistics.dimension();
        let statistics = match self.args.pca_dims {
            Some(dims) if dims > n => bail!("--pca-dims {dims}: the data have {n} dimensions"),
            Some(dims) => {
                let (basis, _) = statistics.principal_components(dims).with_context(|| {
                    format!("--pca-dims: {n} dimensions are too many for a dense eigenproblem")
                })?;
                statistics.reduced(basis.as_ref())
            }
            None => {
                self.check_dimension(n)?;
                statistics
            }
        };
        let noise = match self.args.noise {
            Some(Noise::Value(noise)) => noise,
            _ => statistics.noise_scale(),
        };
        let n = statistics.dimension();
        let identity = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
        let distance = match &self.args.distance {
            Some(distance) => distance.clone(),
            None => Distance::named("calvo-oller")?,
        };
        let gaussians = sqfa::statistics::project(&statistics, identity.as_ref(), noise);
        let classes = statistics.classes().clone();
        Ok(Measured { distance, noise, scaling: Some(scaling), classes, gaussians })
    }
}

impl Distances {
    /// Rejects distances in so many dimensions that they would take minutes.
    fn check_dimension(&self, n: usize) -> Result<()> {
        if self.args.pca_dims.is_none() && n > MOST_DIMENSIONS {
            bail!(
                "distances in {n} dimensions would take very long: measure in the leading principal components \
                 (--pca-dims 10), or in a model's features"
            );
        }
        Ok(())
    }
}

/// Whether a file is a model, by its ending or its bytes: safetensors begin with the length of a JSON object and its brace.
fn is_model(path: &Path) -> bool {
    use std::io::Read;
    if ["sqfa", "safetensors"].contains(&ending(path).as_str()) {
        return true;
    }
    let mut start = [0u8; 9];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start[8] == b'{'
        && start[6..8] == [0, 0]
}

fn explain(error: &PairError, classes: &Classes) -> anyhow::Error {
    let name = |class: usize| classes.label(class).to_string();
    match error {
        PairError::NotPositiveDefinite { class, pivot } => anyhow::anyhow!(
            "the covariance of class '{}' is not positive definite (pivot {pivot:e}): increase --noise, \
             or measure in fewer dimensions with --pca-dims",
            name(*class)
        ),
        PairError::NotFinite { distance, first, second, value } => anyhow::anyhow!(
            "distance '{distance}' between classes '{}' and '{}' is {value}: increase --noise",
            name(*first),
            name(*second)
        ),
    }
}

fn csv(report: &Report, classes: &Classes) -> String {
    let names: Vec<String> = classes.iter().map(|label| cell(&label.to_string())).collect();
    let mut text = format!("class,{}\n", names.join(","));
    for (name, row) in names.iter().zip(&report.distances) {
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name},{}", cells.join(","));
    }
    text
}

fn text(report: &Report, classes: &Classes, matrix: &Mat<f64>) -> String {
    let name = |class: usize| output::printable(&classes.label(class).to_string());
    let count = classes.len();
    let mut text = format!(
        "{} between {count} classes in {} dimensions{}, noise {}: mean {}\n",
        report.distance,
        report.dimensions,
        report.scaling.map(|own| format!(" (scaling {own})")).unwrap_or_default(),
        number(report.noise),
        measured(report.mean),
    );
    if count <= FEW_CLASSES {
        let mut rows = vec![std::iter::once(String::new()).chain((0..count).map(name)).collect()];
        for i in 0..count {
            let cells = (0..count).map(|j| format!("{:.4}", matrix[(i, j)]));
            rows.push(std::iter::once(name(i)).chain(cells).collect());
        }
        return text + &output::table(&rows, &[]);
    }
    let mut pairs: Vec<(usize, usize)> =
        (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).collect();
    pairs.sort_by(|&a, &b| matrix[a].total_cmp(&matrix[b]));
    let show = |pairs: &mut dyn Iterator<Item = &(usize, usize)>| {
        let shown = pairs
            .take(LISTED)
            .map(|&(i, j)| format!("{} and {}: {}", name(i), name(j), measured(matrix[(i, j)])));
        shown.collect::<Vec<_>>().join(", ")
    };
    text.push_str(&format!("  nearest   {}\n", show(&mut pairs.iter())));
    text.push_str(&format!("  farthest  {}\n", show(&mut pairs.iter().rev())));
    text.push_str("  the whole matrix: --json, or --out FILE.csv or FILE.npy\n");
    text
}
