//! `sqfa compare`: many methods on one data set, as a table, as records and as a report.

mod recommendation;
mod sessions;
mod tables;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use sqfa::model::Restarts;
use sqfa::optimize::Control;
use sqfa::reduce::Setting;
use sqfa::statistics::Scaling;
use sqfa_lab::compare::{
    CompareError, Event, Experiment, Manifest, Outcome, Parts, Record, Spec, Store, summarize,
};
use sqfa_lab::report::compare_report_on;

use super::tables::write_text;
use super::typed;
use crate::args::CompareArgs;
use crate::data::expand;
use crate::failure::{Paused, usage};
use crate::interrupt::{self, Guard};
use crate::output::{self, seconds};
use crate::progress::StatusLine;
use crate::{files, interrupt::asked};

/// Bytes in a GB.
const GIGA: f64 = 1e9;

/// A comparison as meant.
pub(crate) struct Compare {
    spec: Spec,
    args: CompareArgs,
}

impl TryFrom<CompareArgs> for Compare {
    type Error = anyhow::Error;

    fn try_from(args: CompareArgs) -> Result<Self> {
        let spec = match &args.spec {
            Some(path) => Spec::read(path)?,
            None => Spec::default(),
        };
        Self::with_spec(spec, args)
    }
}

impl Compare {
    /// A comparison of a spec, in which flags go before it.
    pub(crate) fn with_spec(mut spec: Spec, mut args: CompareArgs) -> Result<Self> {
        // A shell that expands --test part-*.csv leaves all files but the first to DATA, where they would be trained on.
        if let ([first, second, ..], [_, ..]) = (&args.data[..], &args.test[..]) {
            return usage(format!(
                "--test goes with one DATA, and {first} and {second} are two: name several files by a pattern in quotes"
            ));
        }
        args.data = expand(&args.data)?;
        args.test = expand(&args.test)?;
        fn replace<T: Clone>(place: &mut T, flag: &Option<T>) {
            if let Some(value) = flag {
                place.clone_from(value);
            }
        }
        replace(&mut spec.filters, &args.filters);
        replace(&mut spec.methods, &args.methods);
        replace(&mut spec.classifiers, &args.classifiers);
        replace(&mut spec.seeds, &args.seeds.map(|seeds| seeds as u64));
        replace(&mut spec.first_seed, &args.seed);
        replace(&mut spec.neighbors, &args.neighbors);
        replace(&mut spec.time_limit, &args.time_limit);
        let scale = args.scaling.map(|own| own.map_or("auto", Scaling::name).to_owned());
        replace(&mut spec.scaling, &scale);
        replace(
            &mut spec.covariance_estimator,
            &args.covariance_estimator.map(|estimator| estimator.to_string()),
        );
        let settings = args.settings.typed()?;
        if args.settings.has(Setting::Noise) {
            spec.noise = settings.noise;
        }
        if args.settings.has(Setting::Restarts) {
            spec.n_init = Some(match settings.restarts {
                Restarts::Auto => 0,
                Restarts::Count(count) => count,
            });
        }
        match (args.test_fraction, args.cv, args.splits) {
            (Some(share), ..) => spec.parts = Parts::Fraction(share),
            (_, Some(folds), _) => spec.parts = Parts::Folds(folds),
            (.., Some(splits)) => spec.parts = Parts::Splits(splits),
            _ => {}
        }
        Ok(Self { spec, args })
    }

    /// Reads, runs what is missing, prints and writes.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let _ready = self.check_files()?;
        // Names are worth checking before a large file is read.
        self.spec.clone().resolved(&self.args.data[0]).map_err(as_usage)?;
        let line = StatusLine::new(&format!("reading {}", self.args.data.join(", ")));
        let loaded = sessions::load(&self.args)?;
        let sessions = loaded.iter().map(sessions::Loaded::session).collect();
        let memory = self.args.memory.map(|limit| limit * GIGA);
        let experiment =
            Experiment::of_sessions(self.spec.clone(), sessions, memory).map_err(in_flags)?;
        for warning in &experiment.facts.warnings {
            output::warn(warning);
        }
        if let (Parts::Given, Parts::Folds(folds)) = (self.spec.parts, experiment.spec.parts) {
            output::hint(&format!(
                "DATA has no test points, and a fifth of it would be too few to tell methods apart: every point is held out \
                 once, in {folds} folds (--test-fraction or --cv to do otherwise)"
            ));
        }
        let manifest = Manifest {
            spec: experiment.spec.clone(),
            facts: experiment.facts.clone(),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: typed(),
        };
        let mut store = None;
        let mut earlier = Vec::new();
        if let Some(folder) = &self.args.out {
            let (opened, known, broken) = Store::open(folder, &manifest)?;
            for remark in broken {
                output::warn(&remark);
            }
            if !known.is_empty() {
                let (known, cells) = (known.len(), experiment.cells());
                output::hint(&format!("resuming: {known} of {cells} cells are known"));
            }
            store = Some(opened);
            earlier = known;
        }
        let guard = Guard::new();
        let clock = Clock::new();
        let records = experiment.run(earlier, &mut |event| {
            match event {
                Event::Fitting { job, progress, done, cells } => {
                    let what = format!(
                        "{}/{cells} cells{} · {} · {} · seed {}",
                        done,
                        clock.remaining(cells - done),
                        job.method,
                        tables::filters(&job.filters),
                        job.seed,
                    );
                    match progress {
                        Some(progress) => line.observe(&what, progress),
                        None => {
                            line.tell(&what);
                            Control::Continue
                        }
                    };
                }
                Event::Finished { record } => {
                    clock.tick();
                    if let Some(store) = &mut store {
                        store.keep(record)?;
                    }
                    self.remark(record);
                }
            }
            Ok(if asked() { Control::Cancel } else { Control::Continue })
        })?;
        drop(line);
        if guard.check().is_err() {
            return Err(self.paused(records.len(), experiment.cells()).into());
        }
        self.tell(&manifest, &records)
    }

    /// An output that cannot be written is worth knowing before the work, not after it.
    fn check_files(&self) -> Result<files::Ready> {
        let args = &self.args;
        let mut inputs: Vec<&Path> = args.data.iter().map(Path::new).collect();
        inputs.extend(args.test.iter().map(Path::new));
        inputs.extend(args.flags.labels.as_deref());
        inputs.extend(args.spec.as_deref());
        // The records of an earlier run are read as well, so a report must not replace them.
        let kept = args.out.as_deref().map(Store::files);
        inputs.extend(kept.iter().flatten().map(PathBuf::as_path));
        let outputs: Vec<&Path> = args.report.as_deref().into_iter().collect();
        files::check(&inputs, &outputs)
    }

    /// Says at once what went wrong in a cell.
    fn remark(&self, record: &Record) {
        let Record { method, filters, seed, outcome, .. } = record;
        let remark = match outcome {
            Outcome::Failed { error } => error.clone(),
            Outcome::OverLimit { limit, .. } => {
                format!("stopped at the limit of {}", seconds(*limit))
            }
            Outcome::Done(_) | Outcome::NotApplicable { .. } => return,
        };
        let filters = tables::filters(&[*filters]);
        output::warn(&format!("{method} with {filters}, seed {seed}: {remark}"));
    }

    fn tell(&self, manifest: &Manifest, records: &[Record]) -> Result<()> {
        let summaries = summarize(&manifest.spec, records);
        // The report comes first: whoever reads the table may have seen enough of it.
        if let Some(path) = &self.args.report {
            let page = compare_report_on(manifest, records, self.args.circular);
            write_text(path, &page).with_context(|| format!("the report {}", path.display()))?;
        }
        if self.args.json {
            return output::say_json(&tables::json(manifest, records, &summaries));
        }
        if self.args.csv {
            return output::say_data(&tables::csv(manifest, records));
        }
        if self.args.markdown {
            return output::say(&tables::markdown(manifest, &summaries));
        }
        output::say(&tables::text(manifest, records, &summaries))?;
        match &self.args.report {
            Some(path) => output::say(&format!("Report: {}\n", absolute(path).display())),
            None => Ok(()),
        }
    }

    fn paused(&self, known: usize, cells: usize) -> Paused {
        Paused(match &self.args.out {
            Some(folder) => format!(
                "interrupted; {known} of {cells} cells are in {}: the same command resumes",
                folder.display()
            ),
            None => {
                "interrupted; nothing was written (--out FOLDER keeps what is known)".to_owned()
            }
        })
    }
}

/// How long cells take.
struct Clock {
    began: Instant,
    cells: std::cell::Cell<usize>,
}

impl Clock {
    fn new() -> Self {
        Self { began: Instant::now(), cells: 0.into() }
    }

    fn tick(&self) {
        self.cells.set(self.cells.get() + 1);
    }

    /// The time that so many cells more will take, in words, once one is done.
    fn remaining(&self, cells: usize) -> String {
        match self.cells.get() {
            0 => String::new(),
            done => {
                let each = self.began.elapsed().as_secs_f64() / done as f64;
                format!(" · about {} left", seconds(each * cells as f64))
            }
        }
    }
}

/// An error with the flag that helps.
fn in_flags(error: CompareError) -> anyhow::Error {
    match &error {
        CompareError::Memory { needed, .. } => {
            anyhow::anyhow!("{error} (--memory {} to try it anyway)", needed.ceil())
        }
        CompareError::Dimensions { dimensions, .. } => {
            anyhow::anyhow!("{error}: name at most {dimensions} (--filters)")
        }
        _ => error.into(),
    }
}

fn as_usage(error: CompareError) -> anyhow::Error {
    crate::failure::Usage(error.to_string()).into()
}

fn absolute(path: &std::path::Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
