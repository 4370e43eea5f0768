//! `sqfa fit`: from data to a model file.

mod choices;
mod explain;
mod given;
mod learn;
mod lift;
mod page;
mod report;
mod unspecified;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use sqfa::lift::LiftRecipe;
use sqfa::model::{FitError, Restarts, Start, Warning};
use sqfa::pipeline::{Filters, Pipeline};
use sqfa::reduce::{Method, ReducerSettings, Setting};
use sqfa::statistics::{ClassAccumulator, Scaling};
use sqfa::{Estimator, Labels, Noise};
use sqfa_io::data::{LabeledData, Loaded, Opened, Part};

use crate::args::{DataFlags, FiltersArg, FitArgs, PrecisionArg, StartArg};
use crate::failure::usage;
use crate::interrupt::{self, Guard};
use crate::points::{Precision, check_size, in_precision};
use crate::progress::StatusLine;
use crate::{data, files, output, warnings};

pub(crate) use choices::{distinct_words, headline, noise_words};
use learn::Prepared;
pub(crate) use report::json_names;

/// The largest number of filters that `--filters auto` selects unless specified.
const MOST_FILTERS: usize = 16;

/// A fit as meant.
pub(crate) struct Fit {
    data: Vec<String>,
    /// Rows of sketches to keep instead of covariances.
    sketch: Option<usize>,
    flags: DataFlags,
    group: Option<String>,
    classes: Option<Vec<String>>,
    out: PathBuf,
    method: Method,
    settings: ReducerSettings,
    filters: Filters,
    /// Whether the number of filters is the default, which depends on the data.
    default_filters: bool,
    start: StartArg,
    fixed: Option<PathBuf>,
    scaling: Option<Scaling>,
    pca_dims: Option<usize>,
    estimator: Option<Estimator>,
    lift: Option<LiftRecipe>,
    precision: Option<Precision>,
    report: Option<PathBuf>,
    json: bool,
}

impl TryFrom<FitArgs> for Fit {
    type Error = anyhow::Error;

    fn try_from(args: FitArgs) -> Result<Self> {
        if let Some(reason) = args.settings.unused_by(&args.method) {
            return usage(reason);
        }
        let settings = ReducerSettings { seed: args.seed, ..args.settings.typed()? };
        if let Some(Err(FitError::NotOfSecondMoments { method, distance, accepted, any })) =
            settings.distance.as_ref().map(|own| args.method.check_distance(own))
        {
            return usage(format!(
                "`--method {method}` compares second moments, and `--distance {distance}` does not depend on them alone: use \
                 `--distance {}`, or `--method {any}`",
                accepted.join("`, `--distance ")
            ));
        }
        let default_filters = args.filters.is_none() && args.max_filters.is_none();
        let filters = match (args.filters.unwrap_or(FiltersArg::Count(1)), args.max_filters) {
            (FiltersArg::Count(count), None) => Filters::Count(count),
            (FiltersArg::Count(_), Some(_)) => {
                return usage("`--max-filters` needs `--filters auto`");
            }
            (FiltersArg::Auto, max) => Filters::Auto { max: max.unwrap_or(MOST_FILTERS) },
        };
        if let (Some(dims), Filters::Count(filters)) = (settings.dimensions, filters)
            && dims < filters
        {
            return usage(format!(
                "--pca-dims {dims} allows at most {dims} filters, but --filters is {filters}"
            ));
        }
        let start = args.settings.start();
        if let (StartArg::File(path), Restarts::Count(2..)) = (&start, settings.restarts) {
            let path = path.display();
            output::hint(&format!("note: the first start is {path}, the others are random"));
        }
        check_sketch(&args)?;
        check_fixed(&args)?;
        let out = match args.out {
            Some(out) => out,
            None => unspecified::model_file(&args.data, args.force)?,
        };
        Ok(Self {
            data: args.data,
            sketch: args.form,
            flags: args.flags,
            group: args.group,
            classes: args.classes,
            out,
            method: Method::named(args.method.name, args.refine)?,
            filters,
            default_filters,
            start,
            fixed: args.fixed,
            scaling: args.scaling.flatten(),
            pca_dims: settings.dimensions,
            settings,
            estimator: args.covariance_estimator,
            lift: args.lift.map(|kind| LiftRecipe {
                kind,
                bandwidth: args.bandwidth,
                seed: args.seed,
            }),
            precision: args.precision.map(|precision| match precision {
                PrecisionArg::F32 => Precision::F32,
                PrecisionArg::F64 => Precision::F64,
            }),
            report: args.report,
            json: args.json,
        })
    }
}

/// The names of a table.
struct Names {
    /// The group of each sample, if there are groups.
    groups: Option<Labels>,
    /// The names of the columns; empty if they have none.
    columns: Vec<String>,
    /// The label column, by name or by position where there are no names.
    label: Option<String>,
}

/// Where the time went, in seconds.
struct Times {
    read: f64,
    statistics: f64,
    /// From prepared data to filters, choices included.
    learning: f64,
    total: f64,
}

impl Fit {
    /// Reads, fits, writes the model and reports.
    pub(crate) fn run(mut self, began: Instant) -> Result<()> {
        interrupt::listen();
        let _ready = self.check_files()?;
        let line = StatusLine::new(&format!("reading {}", self.data.join(" ")));
        let reading = Instant::now();
        let (loaded, names) = self.load(&line)?;
        let (loaded, lifted) = lift::apply(self.lift, loaded, &line)?;
        if self.default_filters {
            self.filters = unspecified::filters(self.method.entry, &loaded, self.pca_dims);
        }
        let recipe = self.with_filters()?;
        let read = reading.elapsed().as_secs_f64();

        line.tell("class statistics");
        let counting = Instant::now();
        let mut prepared = Prepared::new(&self, loaded, names, lifted)?;
        let statistics = counting.elapsed().as_secs_f64();
        for warning in &prepared.warnings {
            output::warn(warning);
        }

        let guard = Guard::new();
        let name = format!("{} on {}", self.method, prepared.name);
        let learning = Instant::now();
        let learned = prepared.fit(&self, &recipe, &mut |progress| line.observe(&name, progress));
        let learning = learning.elapsed().as_secs_f64();
        guard.check()?;
        let fitted = learned?;
        let model = prepared.model(&self, &fitted)?;
        model.write(&self.out)?;
        if let Some(path) = &self.report {
            line.tell("report");
            page::write(path, &self, &prepared, &model, &fitted)?;
        }
        drop(guard);
        drop(line);
        let told = fitted.record.run.warnings.iter().map(|warning| match warning {
            Warning::DependentRows { .. } => format!("{warning} (--group COLUMN)"),
            _ => warning.to_string(),
        });
        for warning in told.chain(warnings::about_filters(model.filters(), &self.against_copies()))
        {
            output::warn(&warning);
        }
        let times = Times { read, statistics, learning, total: began.elapsed().as_secs_f64() };
        report::tell(&self, &prepared, &fitted, &times)
    }

    /// An output that cannot be written is worth knowing before the work, not after it.
    fn check_files(&self) -> Result<files::Ready> {
        let data = data::expand(&self.data)?;
        let named = data.iter().map(Path::new);
        let mut inputs: Vec<&Path> = named.chain(self.flags.labels.as_deref()).collect();
        inputs.extend(self.fixed.as_deref());
        if let StartArg::File(path) = &self.start {
            inputs.push(path);
        }
        let mut outputs = vec![self.out.as_path()];
        outputs.extend(self.report.as_deref());
        files::check(&inputs, &outputs)
    }

    fn load(&self, line: &StatusLine) -> Result<(Loaded, Names)> {
        let flags = data::without_keys(&self.data, &self.flags, self.group.iter().cloned());
        let Opened { mut loaded, columns, label, .. } =
            data::open_all(&self.data, &flags, self.sketch, line)?;
        let groups = self.groups(&loaded, &columns)?;
        if let Some(names) = &self.classes {
            loaded = data::restrict(loaded, names)?;
        }
        let loaded = match (loaded, self.precision) {
            (Loaded::Data(data), Some(precision)) => {
                let Part { points, labels } = data.train;
                let train = Part { points: in_precision(points, precision)?, labels };
                Loaded::Data(LabeledData { train, ..data })
            }
            (Loaded::Sums(name, sums), Some(precision)) => {
                Loaded::Sums(name, sums.in_precision(precision == Precision::F64))
            }
            (loaded, _) => loaded,
        };
        if let Loaded::Data(data) = &loaded {
            check_size(&data.train.points, &columns, true)?;
            data::check_counts(&data.train.labels)?;
        }
        Ok((self.sketched(loaded)?, Names { groups, columns, label }))
    }

    /// Returns the group of each sample, if there are groups.
    fn groups(&self, loaded: &Loaded, columns: &[String]) -> Result<Option<Labels>> {
        let Some(key) = &self.group else { return Ok(None) };
        let Loaded::Data(data) = loaded else {
            return usage(format!(
                "--group {key} says which samples are held out together, and there are only class statistics: leave it out"
            ));
        };
        let (files, points) = (data::expand(&self.data)?, data.train.labels.len());
        if files.iter().any(|file| file == "-") {
            return usage(
                "--group reads DATA twice, which standard input does not allow: use a file",
            );
        }
        data::key_values(&self.flags, &files, key, points, columns).map(Some)
    }

    /// Points as sketches of so many rows, where these are wanted.
    fn sketched(&self, loaded: Loaded) -> Result<Loaded> {
        Ok(match (loaded, self.sketch) {
            (Loaded::Data(data), Some(size)) if self.lift.is_none() => {
                let Part { points, labels } = &data.train;
                let (classes, n) = (labels.classes().clone(), points.columns());
                let mut sums = ClassAccumulator::sketched(classes, n, size)?;
                sums.update(points.view(), labels).context("DATA cannot be used")?;
                Loaded::Sums(data.name, sums)
            }
            (Loaded::Sums(name, sums), Some(size)) if sums.sketch() != Some(size) => {
                let kept = match sums.sketch() {
                    Some(rows) => format!("sketches of {rows} rows"),
                    None => "all entries".to_owned(),
                };
                return usage(format!("--form sketch:{size}: {name} holds {kept}; leave it out"));
            }
            (loaded, _) => loaded,
        })
    }

    /// Returns the recipe with the initial and fixed filters that files hold.
    fn with_filters(&self) -> Result<Pipeline> {
        let mut recipe = self.pipeline();
        if let StartArg::File(path) = &self.start {
            recipe.settings.start = Start::Given(given::read("--init", path)?);
        }
        let fixed = self.fixed.as_deref().map(|path| given::read("--fixed", path));
        recipe.settings.fixed = fixed.transpose()?;
        Ok(recipe)
    }
}

/// Refuses what needs points where only sketches of them are kept.
fn check_sketch(args: &FitArgs) -> Result<()> {
    if args.form.is_none() {
        return Ok(());
    }
    let needs = [
        ("--filters auto", matches!(args.filters, Some(FiltersArg::Auto))),
        ("--refine", args.refine),
        ("--lift", args.lift.is_some()),
    ];
    match needs.iter().find(|(_, given)| *given) {
        Some((flag, _)) => usage(format!(
            "{flag} needs samples, and --form sketch keeps none: leave out one of them"
        )),
        None => Ok(()),
    }
}

/// Refuses fixed filters where nothing could keep them.
fn check_fixed(args: &FitArgs) -> Result<()> {
    if args.fixed.is_none() {
        return Ok(());
    }
    let name = args.method.name;
    if !args.method.takes(Setting::Start) {
        return usage(format!("`--method {name}` does not use `--fixed`"));
    }
    if args.refine {
        return usage("--refine moves all filters: leave it out, or --fixed");
    }
    if args.settings.has(Setting::Dimensions) {
        return usage("--pca-dims may leave out what --fixed filters see: give one of them");
    }
    Ok(())
}

impl Fit {
    /// What helps against filters that coincide, as far as it was not tried.
    fn against_copies(&self) -> Vec<&'static str> {
        let mut helps = Vec::new();
        if self.method.entry.takes(Setting::Noise) {
            helps.push("lower --noise");
            if self.settings.noise != Noise::Auto {
                helps.push("try --noise auto");
            }
        }
        if self.method.entry.takes(Setting::Constraint) {
            helps.push("use --constraint orthonormal");
        }
        helps.push("ask for fewer --filters");
        helps
    }

    /// The recipe without filters from files.
    fn pipeline(&self) -> Pipeline {
        let start = match &self.start {
            StartArg::Named(name) => Start::named(name).unwrap_or_default(),
            StartArg::File(_) => Start::Auto,
        };
        Pipeline {
            settings: ReducerSettings { start, ..self.settings.clone() },
            filters: self.filters,
            scaling: self.scaling,
            estimator: self.estimator,
            ..Pipeline::new(self.method, 0)
        }
    }

    /// The smallest number of filters that may be fitted.
    fn least_filters(&self) -> usize {
        match self.filters {
            Filters::Count(filters) => filters,
            Filters::Auto { .. } => 1,
        }
    }

    /// The estimator of class covariances from samples.
    fn estimator(&self) -> Estimator {
        self.estimator.unwrap_or_else(|| self.method.entry.estimator(self.settings.degrees))
    }

    /// The distance that the method maximizes, if it maximizes one.
    fn distance_name(&self) -> Option<String> {
        let family = self.method.entry.distance_with(self.settings.degrees)?;
        let own = self.settings.distance.as_ref().map(|distance| distance.name().to_owned());
        Some(own.unwrap_or(family))
    }

    fn start_name(&self) -> String {
        match &self.start {
            StartArg::Named(name) => (*name).to_owned(),
            StartArg::File(path) => path.display().to_string(),
        }
    }
}
