//! `sqfa fit`: from data to a model file.

mod choices;
mod direct;
mod explain;
mod given;
mod learn;
mod lift;
mod page;
mod report;
mod sums;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use sqfa::constraint::Constraint;
use sqfa::lift::LiftRecipe;
use sqfa::model::{Learning, Restarts, Start};
use sqfa::pipeline::{Filters, NoiseRule, Pipeline};
use sqfa::reduce::{REFINED, ReducerEntry, ReducerSettings, Setting};
use sqfa::statistics::{ClassAccumulator, Form, Scaling};
use sqfa::{ClassStatistics, Estimator, Mat, Noise};
use sqfa_io::data::{LabeledData, Loaded, Opened, Part};

use crate::args::{DataFlags, FiltersArg, FitArgs, PrecisionArg, StartArg};
use crate::failure::usage;
use crate::interrupt::{self, Guard};
use crate::points::{Precision, check_size, in_precision};
use crate::progress::StatusLine;
use crate::{data, files, output, warnings};

use given::GivenFilters;
use learn::Prepared;

/// The largest number of filters that `--filters auto` selects unless specified.
const MOST_FILTERS: usize = 16;

/// A fit as meant.
pub(crate) struct Fit {
    data: Vec<String>,
    form: Form,
    flags: DataFlags,
    classes: Option<Vec<String>>,
    out: PathBuf,
    method: ReducerEntry,
    refine: bool,
    settings: ReducerSettings,
    /// The specified settings by name, as text, for the model file.
    specified: BTreeMap<String, String>,
    /// The noise as asked for; otherwise the pipeline's to find.
    noise: Option<Noise>,
    filters: Filters,
    start: StartArg,
    fixed: Option<PathBuf>,
    sequential: Option<usize>,
    scale: Option<Scaling>,
    center: bool,
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
        let mut settings = ReducerSettings { seed: args.seed, ..args.settings.typed()? };
        let specified = args.settings.written(&settings);
        let noise = args.settings.has(Setting::Noise).then(|| std::mem::take(&mut settings.noise));
        // For methods that maximize a distance auto is the default, whatever the data are.
        let noise = noise.filter(|own| args.method.distance.is_none() || *own != Noise::Auto);
        let filters = match (args.filters, args.max_filters) {
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
                "--pca-dims {dims} leaves room for {dims} filters, and --filters is {filters}"
            ));
        }
        let start = args.settings.start();
        if let (StartArg::File(path), Restarts::Count(2..)) = (&start, settings.restarts) {
            let path = path.display();
            output::hint(&format!("note: the first start is {path}, the others are random"));
        }
        check_sketch(&args, noise)?;
        check_fixed(&args, noise)?;
        Ok(Self {
            data: args.data,
            form: args.form,
            flags: args.flags,
            classes: args.classes,
            out: args.out,
            method: args.method,
            refine: args.refine,
            noise,
            filters,
            start,
            fixed: args.fixed,
            sequential: match settings.learning {
                Some(Learning::Sequential(size)) => Some(size),
                Some(Learning::Joint) | None => None,
            },
            scale: args.scale,
            center: args.center,
            pca_dims: settings.dimensions,
            settings,
            specified,
            estimator: args.covariance,
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
    /// Those of the columns; empty where they have none.
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
    pub(crate) fn run(self, began: Instant) -> Result<()> {
        interrupt::listen();
        let _ready = self.check_files()?;
        let line = StatusLine::new(&format!("reading {}", self.data.join(" ")));
        let reading = Instant::now();
        let (loaded, names) = self.load(&line)?;
        let (loaded, lifted) = lift::apply(self.lift, loaded, &line)?;
        let given = self.read_filters()?;
        let read = reading.elapsed().as_secs_f64();

        line.tell("class statistics");
        let counting = Instant::now();
        let mut prepared = Prepared::new(&self, loaded, names, lifted)?;
        let statistics = counting.elapsed().as_secs_f64();
        for warning in &prepared.warnings {
            output::warn(warning);
        }

        let guard = Guard::new();
        let name = format!("{} on {}", self.method_name(), prepared.name);
        let learning = Instant::now();
        let learned = prepared.fit(&self, given, &mut |progress| line.observe(&name, progress));
        let learning = learning.elapsed().as_secs_f64();
        guard.check()?;
        let learned = learned?;
        let model = prepared.model(&self, &learned)?;
        model.write(&self.out)?;
        if let Some(path) = &self.report {
            line.tell("report");
            page::write(path, &self, &prepared, &model, &learned)?;
        }
        drop(guard);
        drop(line);
        let told = learned.reduction.warnings.iter().map(ToString::to_string);
        for warning in told.chain(warnings::about_filters(model.filters(), &self.against_copies()))
        {
            output::warn(&warning);
        }
        let times = Times { read, statistics, learning, total: began.elapsed().as_secs_f64() };
        report::tell(&self, &prepared, &learned, &times)
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
        let sketch = match self.form {
            Form::Sketch(size) => Some(size),
            _ => None,
        };
        let Opened { mut loaded, columns, label, .. } =
            data::open_all(&self.data, &self.flags, sketch, line)?;
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
        Ok((self.sketched(loaded, sketch)?, Names { columns, label }))
    }

    /// Points as sketches of so many rows, where these are wanted.
    fn sketched(&self, loaded: Loaded, sketch: Option<usize>) -> Result<Loaded> {
        Ok(match (loaded, sketch) {
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

    /// Filters that files give.
    fn read_filters(&self) -> Result<GivenFilters> {
        let start = match &self.start {
            StartArg::File(path) => Some(given::read("--start", path)?),
            StartArg::Named(_) => None,
        };
        let fixed = self.fixed.as_deref().map(|path| given::read("--fixed", path)).transpose()?;
        Ok(GivenFilters { start, fixed })
    }
}

/// Refuses what needs points where only sketches of them are kept.
fn check_sketch(args: &FitArgs, noise: Option<Noise>) -> Result<()> {
    if !matches!(args.form, Form::Sketch(_)) {
        return Ok(());
    }
    let needs = [
        ("--noise auto", noise == Some(Noise::Auto)),
        ("--filters auto", matches!(args.filters, FiltersArg::Auto)),
        ("--refine", args.refine),
        ("--lift", args.lift.is_some()),
    ];
    match needs.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            usage(format!("{flag} looks at points, and --form sketch keeps none: leave one out"))
        }
        None => Ok(()),
    }
}

/// Refuses fixed filters where nothing could keep them.
fn check_fixed(args: &FitArgs, noise: Option<Noise>) -> Result<()> {
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
    if matches!(noise, None | Some(Noise::Auto)) {
        return usage("--fixed goes with a given noise: add --noise scale or --noise NUMBER");
    }
    Ok(())
}

/// The statistics of points, with the estimator's remedy said in flags.
fn statistics_of(part: &Part, fit: &Fit) -> Result<ClassStatistics> {
    let (points, labels) = (part.points.view(), &part.labels);
    let form = if fit.needs_dense() { Form::Dense } else { fit.form };
    let (classes, columns) = (labels.classes().len(), points.columns());
    if form.decide(points.rows() as u64, columns, classes, points.width()) == Form::Dense {
        data::check_sums(classes, columns, learn::KEEP_POINTS)?;
    }
    let estimator = if fit.is_robust_inside() { Estimator::Empirical } else { fit.estimator() };
    ClassStatistics::from_points_as(form, points, labels, estimator).context("DATA cannot be used")
}

impl Fit {
    /// What helps against filters that coincide, as far as it was not tried.
    fn against_copies(&self) -> Vec<&'static str> {
        let mut helps = Vec::new();
        if self.method.takes(Setting::Noise) {
            helps.push("lower --noise");
            if matches!(self.noise, Some(Noise::Scale | Noise::Value(_))) {
                helps.push("try --noise auto");
            }
        }
        if self.method.takes(Setting::Constraint) {
            helps.push("use --constraint orthonormal");
        }
        helps.push("ask for fewer --filters");
        helps
    }

    /// The method with its refinement, as the registry names it.
    fn method_name(&self) -> String {
        format!("{}{}", self.method.name, if self.refine { REFINED } else { "" })
    }

    /// Whether covariances must have entries, because parts of the points are summed.
    fn needs_dense(&self) -> bool {
        self.noise == Some(Noise::Auto) || self.refine
    }

    /// The noise of a method that finds its own settings, where none was asked for.
    fn given_noise(&self, part: Option<&Part>) -> Noise {
        let usual = if part.is_some() && self.method.distance.is_some() {
            Noise::Auto
        } else {
            Noise::Scale
        };
        self.noise.unwrap_or(usual)
    }

    /// The number of filters; an error where it is to be chosen and nothing can be held out.
    fn count(&self) -> Result<usize> {
        match self.filters {
            Filters::Count(count) => Ok(count),
            Filters::Auto { .. } => anyhow::bail!(
                "--filters auto is chosen with the noise: leave out --noise, --pca-dims and a --start file, or give a number"
            ),
        }
    }

    /// The recipe of everything that was not given.
    fn pipeline(&self) -> Pipeline {
        let start = self.start_kind(None);
        Pipeline {
            method: self.method_name(),
            settings: ReducerSettings { start, ..self.settings.clone() },
            filters: self.filters,
            noise: NoiseRule::Auto,
            scaling: self.scale,
            center: self.center.then_some(true),
            estimator: self.estimator,
        }
    }

    /// How class covariances are estimated from points.
    fn estimator(&self) -> Estimator {
        self.estimator.unwrap_or_else(|| self.method.estimator(self.settings.degrees))
    }

    fn starts_from_file(&self) -> bool {
        matches!(self.start, StartArg::File(_))
    }

    /// The distance the method maximises, where it maximises one.
    fn distance_name(&self) -> Option<String> {
        let family = self.method.distance_with(self.settings.degrees)?;
        let own = self.settings.distance.as_ref().map(|distance| distance.name().to_owned());
        Some(own.unwrap_or(family))
    }

    /// The constraint on the filters, where there is one.
    fn constraint(&self) -> Option<Constraint> {
        let given = self.settings.constraint.filter(|_| self.method.takes(Setting::Constraint));
        given.or(self.method.constraint)
    }

    fn start_name(&self) -> String {
        match &self.start {
            StartArg::Named(name) => (*name).to_owned(),
            StartArg::File(path) => path.display().to_string(),
        }
    }

    fn start_kind(&self, given: Option<Mat<f64>>) -> Start {
        match (&self.start, given) {
            (_, Some(filters)) => Start::Given(filters),
            (StartArg::Named(name), None) => Start::named(name).unwrap_or_default(),
            (StartArg::File(_), None) => Start::Auto,
        }
    }
}
