//! `sqfa dataset`: a built-in data set as a file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use sqfa::Points;
use sqfa_io::data::{GivenMoments, GivenStatistics, LabeledData, Loaded, OwnedPoints, Part};
use sqfa_io::datasets::neural::Neural;
use sqfa_io::datasets::scaling::{ScalingForm, SyntheticFamily};
use sqfa_io::datasets::speed::{GrayImage, Speed, read_images};
use sqfa_io::formats::{Limits, NpzWriter, Stack, Values};

use super::ending;
use super::tables::{class_values, label_values};
use crate::args::DatasetArgs;
use crate::data::{Builtin, check_made};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;
use crate::progress::StatusLine;
use crate::suggest;

/// Dimensions of the filter-count experiment unless asked for others.
const FILTER_COUNT_DIMENSIONS: usize = 5000;

/// A data set as meant.
pub(crate) struct Dataset {
    args: DatasetArgs,
}

#[derive(Serialize)]
struct Report {
    name: String,
    #[serde(rename = "n_classes")]
    classes: usize,
    dimensions: usize,
    n_train: Option<usize>,
    n_test: Option<usize>,
    file: String,
}

impl TryFrom<DatasetArgs> for Dataset {
    type Error = anyhow::Error;

    fn try_from(args: DatasetArgs) -> Result<Self> {
        let name = args.name.name();
        if ending(&args.out) != "npz" {
            return usage(format!("--out {}: data sets are written as .npz", args.out.display()));
        }
        let refuse = |flag: &str, given: bool, fits: bool| match given && !fits {
            true => usage(format!("{flag} does not go with '{name}'")),
            false => Ok(()),
        };
        let scaling = args.name == Builtin::Scaling;
        refuse("--images", args.images.is_some(), args.name == Builtin::Speed)?;
        refuse("--dimensions", args.dimensions.is_some(), scaling)?;
        refuse("--informative", args.informative.is_some(), scaling)?;
        refuse("--train", args.train.is_some(), !scaling)?;
        let neural = args.name == Builtin::Neural;
        refuse("--test", args.test.is_some(), !scaling && !neural)?;
        refuse("--session", args.session.is_some(), neural)?;
        if matches!(args.name, Builtin::Toy(_)) && args.train.is_none() {
            for (flag, given) in [("--test", args.test.is_some()), ("--seed", args.seed.is_some())]
            {
                if given {
                    return usage(format!("{flag} needs --train: {name} is written as statistics"));
                }
            }
        }
        Ok(Self { args })
    }
}

impl Dataset {
    /// Makes the data set and writes it.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let inputs = self.args.images.as_deref().map(image_files).transpose()?.unwrap_or_default();
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let _ready = files::check(&inputs, &[&self.args.out])?;
        let line = StatusLine::new(&format!("making {}", self.args.name.name()));
        self.check_size()?;
        let made = self.make()?;
        line.tell("writing");
        let guard = Guard::new();
        let report = match &made {
            Loaded::Data(data) => write_points(&self.args.out, data)?,
            Loaded::Statistics(given) => write_statistics(&self.args.out, given)?,
            Loaded::Sums(..) => anyhow::bail!("no built-in data set is made of class sums"),
        };
        drop(guard);
        drop(line);
        if self.args.json {
            return output::say_json(&report);
        }
        let Report { name, classes, dimensions, n_train, n_test, file } = report;
        let points = match (n_train, n_test) {
            (Some(train), Some(test)) => format!("{train} training and {test} test points"),
            (Some(train), None) => format!("{train} samples"),
            (None, _) => "exact means and covariances".to_owned(),
        };
        let next = suggest::command(["fit", &file, "--filters", "2", "--out", "model.sqfa"]);
        output::summarize(&format!(
            "{name}: {points}, {classes} classes, {dimensions} dimensions → {file}\n  next  {next}\n"
        ))
    }

    /// Rejects numbers of samples and dimensions that do not fit into memory.
    fn check_size(&self) -> Result<()> {
        let args = &self.args;
        let (classes, dimensions, train, test) = match args.name {
            Builtin::Scaling => {
                let n = args.dimensions.unwrap_or(0);
                let (flag, k) = (format!("--dimensions {n}"), args.informative.unwrap_or(8));
                // Covariances are copied once on the way into the file.
                let bytes = ScalingForm::Dense.bytes(n, k) + ScalingForm::LowRank.bytes(n, k);
                return check_made(&flag, 2.0 * bytes);
            }
            Builtin::Toy(toy) => {
                let statistics = toy.statistics();
                (statistics.classes.len(), statistics.dimensions, 0, 0)
            }
            Builtin::Neural => {
                let usual = Neural::default();
                let neurons = usual.neurons.iter().copied().max().unwrap_or(0);
                (usual.orientations, neurons, usual.trials, 0)
            }
            Builtin::Speed => {
                let usual = Speed::default();
                let (train, test) = (usual.train_per_class, usual.test_per_class);
                (usual.tenths.len(), Speed::DIMENSIONS, train, test)
            }
        };
        let (train, test) = (args.train.unwrap_or(train), args.test.unwrap_or(test));
        let flag = match train >= test {
            true => format!("--train {train}"),
            false => format!("--test {test}"),
        };
        // Samples are copied once on the way into the file.
        let samples = classes as f64 * (train as f64 + test as f64);
        check_made(&flag, 2.0 * 8.0 * samples * dimensions as f64)
    }

    fn make(&self) -> Result<Loaded> {
        let args = &self.args;
        Ok(match args.name {
            Builtin::Toy(toy) => match args.train {
                None => Loaded::Statistics(toy.statistics()),
                Some(train) => {
                    let (test, seed) = (args.test.unwrap_or(0), args.seed.unwrap_or(0));
                    Loaded::Data(toy.sample(train, test, seed))
                }
            },
            Builtin::Scaling => {
                let mut scaling = match args.informative {
                    None => SyntheticFamily::ambient(crate::data::SCALING_DIMENSIONS),
                    Some(informative) => SyntheticFamily {
                        dimensions: FILTER_COUNT_DIMENSIONS,
                        ..SyntheticFamily::filter_count(informative)
                    },
                };
                scaling.dimensions = args.dimensions.unwrap_or(scaling.dimensions);
                scaling.seed = args.seed.unwrap_or(scaling.seed);
                Loaded::Statistics(scaling.generate()?.statistics(true))
            }
            Builtin::Neural => {
                let usual = Neural::default();
                let recipe = Neural {
                    trials: args.train.unwrap_or(usual.trials),
                    seed: args.seed.unwrap_or(usual.seed),
                    ..usual
                };
                let (session, sessions) = (args.session.unwrap_or(1), recipe.neurons.len());
                if session > sessions {
                    return usage(format!(
                        "--session {session}: there are sessions 1 to {sessions}"
                    ));
                }
                Loaded::Data(recipe.session(session - 1)?)
            }
            Builtin::Speed => {
                let usual = Speed::default();
                let speed = Speed {
                    train_per_class: args.train.unwrap_or(usual.train_per_class),
                    test_per_class: args.test.unwrap_or(usual.test_per_class),
                    seed: args.seed.unwrap_or(usual.seed),
                    ..usual
                };
                Loaded::Data(match &args.images {
                    None => speed.generate()?,
                    Some(path) => speed.generate_from(&images(path)?)?,
                })
            }
        })
    }
}

/// An archive, or all archives in a folder, by name.
fn image_files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path)
        .with_context(|| format!("cannot open the folder {}", path.display()))?;
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|file| ending(file) == "npz");
    files.sort();
    if files.is_empty() {
        bail!("--images {}: the folder holds no .npz file", path.display());
    }
    Ok(files)
}

/// The images of an archive, or of all archives in a folder, by name.
fn images(path: &Path) -> Result<Vec<GrayImage>> {
    let mut images = Vec::new();
    for file in image_files(path)? {
        images.extend(read_images(&file, Limits::default())?);
    }
    Ok(images)
}

fn write_points(path: &Path, data: &LabeledData) -> Result<Report> {
    let mut npz = NpzWriter::create(path, false)?;
    let mut add = |name: &str, part: &Part| -> Result<()> {
        let shape = match data.image_shape {
            Some((height, width)) => vec![part.points.rows(), height, width],
            None => vec![part.points.rows(), part.points.columns()],
        };
        npz.add(&format!("X_{name}"), &shape, values(&part.points).as_ref())?;
        let labels = label_values(&part.labels);
        Ok(npz.add(&format!("y_{name}"), &[labels.len()], labels.as_ref())?)
    };
    add("train", &data.train)?;
    if let Some(test) = &data.test {
        add("test", test)?;
    }
    npz.finish()?;
    Ok(Report {
        name: data.name.clone(),
        classes: data.train.labels.classes().len(),
        dimensions: data.train.points.columns(),
        n_train: Some(data.train.points.rows()),
        n_test: data.test.as_ref().map(|test| test.points.rows()),
        file: path.display().to_string(),
    })
}

/// The numbers of points, row after row.
fn values(points: &OwnedPoints) -> Values {
    fn rows<T: Copy>(table: sqfa::Table<'_, T>) -> Vec<T> {
        let columns = table.columns();
        (0..table.rows() * columns).map(|at| table.get(at / columns, at % columns)).collect()
    }
    match points.view() {
        Points::U8(table) => Values::U8(rows(table)),
        Points::F32(table) => Values::F32(rows(table)),
        Points::F64(table) => Values::F64(rows(table)),
    }
}

fn write_statistics(path: &Path, given: &GivenStatistics) -> Result<Report> {
    let (classes, n) = (given.classes.len(), given.dimensions);
    let mut npz = NpzWriter::create(path, false)?;
    let (name, stack) = match &given.moments {
        GivenMoments::Central { means, covariances } => {
            npz.add("means", &[classes, n], means)?;
            ("covariances", covariances)
        }
        GivenMoments::Second(stack) => ("second_moments", stack),
    };
    match stack {
        Stack::F32(parts) => npz.add(name, &[classes, n, n], &parts.concat())?,
        Stack::F64(parts) => npz.add(name, &[classes, n, n], &parts.concat())?,
    }
    npz.add("classes", &[classes], class_values(&given.classes).as_ref())?;
    npz.finish()?;
    Ok(Report {
        name: given.name.clone(),
        classes,
        dimensions: n,
        n_train: None,
        n_test: None,
        file: path.display().to_string(),
    })
}
