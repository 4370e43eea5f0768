//! `sqfa paper`: the paper's tables and figures by name, ours beside what is printed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use sqfa::{ClassStatistics, Control, Estimator};
use sqfa_lab::compare::{
    Classifier, Event, Experiment, Manifest, MethodEntry, Outcome, Protocol, Store,
};
use sqfa_lab::figure::{Figure, Place};
use sqfa_lab::paper::{
    DataFolder, Evidence, ITEMS, Item, Kind, Needs, Sheet, accuracy, calvo_oller_scatter, figure,
    fisher_rao_means, training_time, variability,
};

use super::tables::write_text;
use crate::args::PaperArgs;
use crate::failure::{Paused, Usage, usage};
use crate::interrupt::{self, Guard, asked};
use crate::output;
use crate::progress::Line;

/// Says that a folder is ours.
const MARK: &str = "sqfa-paper.txt";
/// The methods whose fits the Fisher–Rao table needs.
const DISTANCE_METHODS: [&str; 7] = ["sqfa", "sqfa-h", "sqfa-b", "sqfa-w", "sqfa-j", "pca", "lda"];
/// The family over whose starts results vary.
const FAMILY: [&str; 6] = ["sqfa", "smsqfa", "sqfa-h", "sqfa-b", "sqfa-w", "sqfa-j"];
/// Filters of the training times and of the scatter.
const EIGHT: usize = 8;

/// What to make.
pub(crate) struct Paper {
    items: Vec<Item>,
    args: PaperArgs,
}

impl TryFrom<PaperArgs> for Paper {
    type Error = anyhow::Error;

    fn try_from(args: PaperArgs) -> Result<Self> {
        let mut items: Vec<Item> = Vec::new();
        for name in &args.names {
            let named = Item::named(name).map_err(|error| Usage(error.to_string()))?;
            items.extend(named);
        }
        let mut seen: Vec<&str> = Vec::new();
        items.retain(|item| {
            let new = !seen.contains(&item.name);
            seen.push(item.name);
            new
        });
        for method in args.methods.iter().flatten() {
            MethodEntry::named(method).map_err(|error| Usage(error.to_string()))?;
        }
        if !items.is_empty() && args.out.is_none() {
            return usage("name a folder for what is made: --out FOLDER");
        }
        Ok(Self { items, args })
    }
}

impl Paper {
    /// Makes what was named, or lists the names.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Some(out) = self.args.out.clone().filter(|_| !self.items.is_empty()) else {
            return list(self.args.json);
        };
        claim(&out)?;
        let mut known: HashMap<&'static str, Evidence> = HashMap::new();
        for item in &self.items {
            let sets: Vec<&'static str> = match item.needs {
                Needs::Nothing => Vec::new(),
                Needs::Fits(set) => vec![set],
                Needs::AllFits => Protocol::ALL.iter().map(|protocol| protocol.set).collect(),
            };
            let mut all = Vec::new();
            for set in sets {
                let earlier = known.remove(set);
                let evidence = self.evidence(item, set, &out, earlier)?;
                all.push(evidence.clone());
                known.insert(set, evidence);
            }
            match item.kind {
                Kind::Table => self.keep_table(&out, &table(item, &all)?)?,
                Kind::Figure => {
                    let drawn = match figure(item.name) {
                        Some(drawn) => drawn?,
                        None => calvo_oller_scatter(&all)?,
                    };
                    self.keep_figure(&out, item, &drawn)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the fits of a data set that an item needs and nobody has run yet.
    fn evidence(
        &self,
        item: &Item,
        set: &'static str,
        out: &Path,
        earlier: Option<Evidence>,
    ) -> Result<Evidence> {
        let protocol = Protocol::named(set).context("an unknown data set")?;
        let (methods, filters, seeds) = self.cells(item, &protocol);
        let line = Line::new(&format!("reading {set}"));
        let data = DataFolder(self.args.data.clone()).open(set)?;
        let experiment = Experiment::new(protocol.spec(), &data, None)?;
        let manifest = Manifest {
            spec: experiment.spec.clone(),
            facts: experiment.facts.clone(),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: format!("sqfa paper {}", item.name),
        };
        let (mut store, records, broken) = Store::open(&out.join("cells").join(set), &manifest)?;
        for remark in broken {
            output::warn(&remark);
        }
        let experiment = experiment.only(&methods, &filters, seeds);
        let guard = Guard::new();
        let records = experiment.run(records, &mut |event| {
            match event {
                Event::Fitting { job, progress, done, cells } => {
                    let what = format!(
                        "{}: {done}/{cells} cells · {} · seed {}",
                        item.name, job.method, job.seed
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
                    store.keep(record)?;
                    if let Outcome::Failed { error } = &record.outcome {
                        let (method, m) = (&record.method, record.filters);
                        output::warn(&format!("{set}, {method} with {m} filters: {error}"));
                    }
                }
            }
            Ok(if asked() { Control::Cancel } else { Control::Continue })
        })?;
        drop(line);
        if guard.check().is_err() {
            let place = out.display();
            let message =
                format!("interrupted; what is known is in {place}: the same command resumes");
            return Err(Paused(message).into());
        }
        let statistics_seconds = match earlier {
            Some(earlier) => earlier.statistics_seconds,
            None if item.name == "training-time" => {
                let began = Instant::now();
                let (points, labels) = (data.train.points.view(), &data.train.labels);
                ClassStatistics::from_points(points, labels, Estimator::Empirical)?;
                began.elapsed().as_secs_f64()
            }
            None => 0.0,
        };
        Ok(Evidence { protocol, facts: manifest.facts, records, statistics_seconds })
    }

    /// The methods, numbers of filters and seeds that an item needs, less what flags leave out.
    fn cells(&self, item: &Item, protocol: &Protocol) -> (Vec<String>, Vec<usize>, u64) {
        let spec = protocol.spec();
        let mut methods: Vec<String> = match item.name {
            "fr-distance" => DISTANCE_METHODS.map(str::to_owned).to_vec(),
            "variability" => FAMILY.map(str::to_owned).to_vec(),
            "co-vs-fr" => vec!["sqfa".to_owned()],
            _ => spec.methods.iter().filter(|method| *method != "sqfa-fr").cloned().collect(),
        };
        if let Some(named) = &self.args.methods {
            // SQFA on the exact distance joins tables that have it; the noise of others is SQFA's.
            let more = item.name == "fr-distance" && named.iter().any(|name| name == "sqfa-fr");
            methods.extend(more.then(|| "sqfa-fr".to_owned()));
            methods.retain(|method| named.contains(method));
        }
        let mut filters = spec.filters;
        match item.name {
            "training-time" | "co-vs-fr" => filters.retain(|&m| m == EIGHT),
            _ => {}
        }
        if let Some(named) = &self.args.filters {
            filters.retain(|count| named.contains(count));
        }
        let first = matches!(item.name, "fr-distance" | "co-vs-fr");
        let seeds = self.args.seeds.map_or(spec.seeds, |seeds| seeds as u64).min(spec.seeds);
        (methods, filters, if first { 1 } else { seeds })
    }

    fn keep_table(&self, out: &Path, sheet: &Sheet) -> Result<()> {
        let path = |ending: &str| out.join(format!("{}.{ending}", sheet.name));
        let _guard = Guard::new();
        write_text(&path("md"), &sheet.markdown())?;
        write_text(&path("csv"), &sheet.csv())?;
        write_text(&path("json"), &(serde_json::to_string_pretty(&sheet.json())? + "\n"))?;
        if self.args.json {
            return output::say_json(&sheet.json());
        }
        output::say(&format!("{}\n", sheet.text()))
    }

    fn keep_figure(&self, out: &Path, item: &Item, drawn: &Figure) -> Result<()> {
        let svg = drawn.svg(Place::File);
        let _guard = Guard::new();
        let path = out.join(format!("{}.svg", item.name));
        write_text(&path, &svg)?;
        let mut files = vec![path.display().to_string()];
        files.extend(keep_png(out, item, &svg)?.map(|path| path.display().to_string()));
        if self.args.json {
            return output::say_json(&json!({ "name": item.name, "files": files }));
        }
        output::say(&format!("{}: {}\n", item.title, files.join(", ")))
    }
}

/// Writes the figure as PNG where the command can.
#[cfg(feature = "png")]
fn keep_png(out: &Path, item: &Item, svg: &str) -> Result<Option<PathBuf>> {
    use std::io::Write;
    /// Pixels a unit: sharp on paper and on dense screens.
    const SCALE: f64 = 2.0;
    let path = out.join(format!("{}.png", item.name));
    let mut file = sqfa_lab::formats::AtomicFile::create(&path)?;
    file.write_all(&sqfa_lab::figure::png(svg, SCALE)?)?;
    file.commit()?;
    Ok(Some(path))
}

/// Without the feature there is no PNG.
#[cfg(not(feature = "png"))]
fn keep_png(_: &Path, _: &Item, _: &str) -> Result<Option<PathBuf>> {
    Ok(None)
}

fn table(item: &Item, all: &[Evidence]) -> Result<Sheet> {
    let [first, ..] = all else { bail!("{} needs a data set", item.name) };
    Ok(match item.name {
        "variability" => variability(all)?,
        "training-time" => training_time(all)?,
        "fr-distance" => fisher_rao_means(all)?,
        name if name.starts_with("knn") => accuracy(first, Classifier::Knn)?,
        _ => accuracy(first, Classifier::Qda)?,
    })
}

/// Makes a folder ours, unless it holds something else.
fn claim(folder: &Path) -> Result<()> {
    let action = || format!("cannot use {}", folder.display());
    fs::create_dir_all(folder).with_context(action)?;
    let mark = folder.join(MARK);
    if mark.exists() {
        return Ok(());
    }
    if fs::read_dir(folder).with_context(action)?.next().is_some() {
        bail!(
            "{} exists and was not made by sqfa paper: name a new folder, or one that it has made",
            folder.display()
        );
    }
    write_text(&mark, "Made by sqfa paper; cells/ holds the fits, one folder a data set.\n")
}

fn list(as_json: bool) -> Result<()> {
    if as_json {
        let items: Vec<_> =
            ITEMS.iter().map(|item| json!({ "name": item.name, "title": item.title })).collect();
        return output::say_json(&items);
    }
    let rows: Vec<Vec<String>> = ITEMS
        .iter()
        .map(|item| {
            let needs = match item.needs {
                Needs::Nothing => "no data".to_owned(),
                Needs::Fits("speed") => "built-in videos".to_owned(),
                Needs::Fits(set) => set.to_owned(),
                Needs::AllFits => "svhn, mnist, speed".to_owned(),
            };
            let kind = if item.kind == Kind::Table { "table" } else { "figure" };
            vec![item.name.to_owned(), kind.to_owned(), item.title.to_owned(), needs]
        })
        .collect();
    output::say(&output::table(&rows, &[1, 2, 3]))
}
