//! `sqfa clean`: trials and neurons of a recording that can be relied on.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, bail};
use serde::Serialize;
use sqfa::points::Scalar;
use sqfa::robust::{Cleaned, Cleaning, McdOptions, Removed, clean};
use sqfa::{Labels, with_table};
use sqfa_io::data::Loaded;
use sqfa_io::formats::{NpzWriter, Values};

use super::ending;
use super::tables::{cell, label_values, write_text};
use crate::args::CleanArgs;
use crate::data;
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output::{self, number, pairs};

/// A cleaning as meant.
pub(crate) struct Clean {
    args: CleanArgs,
    files: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    trials: usize,
    trials_kept: usize,
    neurons: usize,
    neurons_kept: usize,
    distance_limit: f64,
    quiet_neurons: Vec<Gone>,
    outlying_trials: Vec<Gone>,
    unstable_neurons: Vec<Gone>,
    classes: Vec<ClassReport>,
    file: String,
}

#[derive(Serialize)]
struct Gone {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    value: f64,
}

#[derive(Serialize)]
struct ClassReport {
    class: String,
    trials: usize,
    kept: usize,
}

impl TryFrom<CleanArgs> for Clean {
    type Error = anyhow::Error;

    fn try_from(args: CleanArgs) -> Result<Self> {
        match ending(&args.out).as_str() {
            "npz" | "csv" => Ok(Self { files: data::expand(&args.data)?, args }),
            _ => {
                let out = args.out.display();
                usage(format!("--out {out}: name a file that ends in .npz or .csv"))
            }
        }
    }
}

impl Clean {
    /// Reads, cleans, writes and tells.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let args = &self.args;
        let named = data::named(&self.files);
        let mut inputs: Vec<&Path> = self.files.iter().map(Path::new).collect();
        inputs.extend(args.flags.labels.as_deref());
        let _ready = files::check(&inputs, &[&args.out])?;
        let opened = data::open_samples(&self.files, &args.flags)?;
        let Loaded::Data(data) = opened.loaded else {
            bail!("'{named}' holds class statistics: cleaning needs trials");
        };
        if data.test.is_some() {
            bail!("'{named}' has a training and a test part: clean a recording before it is split");
        }
        let (points, labels) = (data.train.points, data.train.labels);
        let names: Vec<String> = labels.classes().iter().map(|label| label.to_string()).collect();
        let cleaning = Cleaning {
            window: args.window_seconds,
            rate: args.min_rate,
            components: args.components,
            mcd: McdOptions { support: args.support, seed: args.seed, ..McdOptions::default() },
            deviations: args.max_deviations,
            outlying: args.outlying_z,
            unstable: args.max_outlying_trials,
        };
        let found = clean(points.view(), labels.codes(), &names, &cleaning)?;
        let whole = with_table!(points.view(), table => {
            let mut places = (0..table.rows()).flat_map(|i| (0..table.columns()).map(move |j| (i, j)));
            places.all(|(i, j)| table.get(i, j).to_f64().fract() == 0.0)
        });
        if args.window_seconds.is_none() && !found.quiet.is_empty() && whole {
            output::warn(&format!(
                "{} holds whole numbers, which were taken for rates, and {} of {} neurons are below {} Hz; if they are counts, say \
                 in how many seconds (--window-seconds)",
                named,
                found.quiet.len(),
                points.columns(),
                number(args.min_rate),
            ));
        }
        let mut kept = Vec::with_capacity(found.trials.len() * found.neurons.len());
        with_table!(points.view(), table => for &row in &found.trials {
            kept.extend(found.neurons.iter().map(|&column| table.get(row, column).to_f64()));
        });
        let kept_labels = labels.select(&found.trials);
        let guard = Guard::new();
        if ending(&args.out) == "npz" {
            write_npz(&self.args, &found, &kept, &kept_labels)?;
        } else {
            write_text(&args.out, &csv(&found, &kept, &kept_labels, &opened.columns))?;
        }
        drop(guard);
        let report = self.report(&found, &names, points.rows(), points.columns(), &opened.columns);
        if args.json { output::say_json(&report) } else { output::summarize(&text(&report)) }
    }

    fn report(
        &self,
        found: &Cleaned,
        names: &[String],
        trials: usize,
        neurons: usize,
        columns: &[String],
    ) -> Report {
        let neuron = |one: &Removed| Gone {
            index: one.index,
            name: columns.get(one.index).cloned(),
            value: one.value,
        };
        let classes = names.iter().zip(&found.counts).map(|(class, &(trials, kept))| ClassReport {
            class: class.clone(),
            trials,
            kept,
        });
        let trial = |one: &Removed| Gone { index: one.index, name: None, value: one.value };
        Report {
            trials,
            trials_kept: found.trials.len(),
            neurons,
            neurons_kept: found.neurons.len(),
            distance_limit: found.limit,
            quiet_neurons: found.quiet.iter().map(neuron).collect(),
            outlying_trials: found.outlying.iter().map(trial).collect(),
            unstable_neurons: found.unstable.iter().map(neuron).collect(),
            classes: classes.collect(),
            file: self.args.out.display().to_string(),
        }
    }
}

fn write_npz(args: &CleanArgs, found: &Cleaned, kept: &[f64], labels: &Labels) -> Result<()> {
    let positions = |list: &[usize]| Values::I64(list.iter().map(|&one| one as i64).collect());
    let (trials, neurons) = (found.trials.len(), found.neurons.len());
    let mut npz = NpzWriter::create(&args.out, false)?;
    npz.add("X", &[trials, neurons], Values::F64(kept.to_vec()).as_ref())?;
    npz.add("y", &[trials], label_values(labels).as_ref())?;
    npz.add("trials", &[trials], positions(&found.trials).as_ref())?;
    npz.add("neurons", &[neurons], positions(&found.neurons).as_ref())?;
    Ok(npz.finish()?)
}

fn csv(found: &Cleaned, kept: &[f64], labels: &Labels, columns: &[String]) -> String {
    let name = |neuron: usize| match columns.get(neuron) {
        Some(name) => cell(name),
        None => format!("neuron_{neuron}"),
    };
    let names: Vec<String> = found.neurons.iter().map(|&neuron| name(neuron)).collect();
    let mut text = format!("{},label\n", names.join(","));
    for (row, values) in kept.chunks(found.neurons.len()).enumerate() {
        let cells: Vec<String> = values.iter().map(f64::to_string).collect();
        let label = labels.classes().label(labels.codes()[row] as usize).to_string();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{}", cells.join(","), cell(&label));
    }
    text
}

fn text(report: &Report) -> String {
    let gone = |list: &[Gone], what: &dyn Fn(f64) -> String| match list.len() {
        0 => "none".to_owned(),
        count => {
            let shown: Vec<String> = list
                .iter()
                .take(SHOWN)
                .map(|one| {
                    let name = one.name.clone().unwrap_or_else(|| one.index.to_string());
                    format!("{name} ({})", what(one.value))
                })
                .collect();
            let more = if count > SHOWN { ", …" } else { "" };
            format!("{count}: {}{more}", shown.join(", "))
        }
    };
    let limit = number(report.distance_limit);
    let mut lines = vec![
        ("trials", format!("{} of {} stay", report.trials_kept, report.trials)),
        ("neurons", format!("{} of {} stay", report.neurons_kept, report.neurons)),
        ("quiet neurons", gone(&report.quiet_neurons, &|rate| format!("{} Hz", number(rate)))),
        (
            "outlying trials",
            gone(&report.outlying_trials, &|d| format!("squared distance {} > {limit}", number(d))),
        ),
        (
            "unstable neurons",
            gone(&report.unstable_neurons, &|count| format!("{count} outlying trials")),
        ),
    ];
    for class in report.classes.iter().filter(|class| class.kept < class.trials) {
        let words = format!("{}: {} of {} trials stay", class.class, class.kept, class.trials);
        lines.push(("class", words));
    }
    lines.push(("written", report.file.clone()));
    pairs(&lines)
}

/// Removed things named in the text; `--json` names all.
const SHOWN: usize = 6;
