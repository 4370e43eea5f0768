//! `sqfa stats`: class sums of points of any size, and sums of sums.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use sqfa::statistics::ClassAccumulator;
use sqfa_io::data::{
    LoadOptions, Summed, TableSums, needs_labels, open_batches, read_table_sums, write_table_sums,
};
use sqfa_io::formats::Column;
use sqfa_io::model_file::ClassNames;

use crate::args::{ArrayFlags, MergeArgs, StatsArgs, StatsCommand, TableFlags};
use crate::data::{
    alike, available_memory, check_exists, check_flags, column, expand, in_flags, means_of,
    options, tell,
};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output::{self, number, pairs, seconds};
use crate::progress::{Rate, StatusLine};

/// How many classes are listed.
const LISTED: usize = 12;

/// What to sum up.
pub(crate) enum Stats {
    /// Points.
    Points(Box<Points>),
    /// Sums of other runs.
    Merge(MergeArgs),
}

/// Files of points.
pub(crate) struct Points {
    files: Vec<String>,
    labels: Vec<PathBuf>,
    /// The files that these are the labels of.
    unlabeled: HashSet<String>,
    arrays: ArrayFlags,
    table: TableFlags,
    weights: Option<Column>,
    sketch: Option<usize>,
    out: PathBuf,
    json: bool,
}

#[derive(Serialize)]
struct Report {
    files: usize,
    points: u64,
    dimensions: usize,
    classes: ClassNames,
    counts: Vec<u64>,
    precision: &'static str,
    sketch: Option<SketchReport>,
    seconds: f64,
    points_per_second: f64,
    out: String,
}

/// What sketches keep and have lost.
#[derive(Serialize)]
struct SketchReport {
    rows: usize,
    /// The most variance that a direction of every class has lost.
    shed: Vec<f64>,
}

impl TryFrom<StatsArgs> for Stats {
    type Error = anyhow::Error;

    fn try_from(args: StatsArgs) -> Result<Self> {
        if let Some(StatsCommand::Merge(merge)) = args.command {
            return Ok(Self::Merge(merge));
        }
        let Some(out) = args.out else { return usage("--out STATS is missing") };
        let files = expand(&args.data)?;
        let given = options(&args.arrays, &args.table);
        let unlabeled = |file: &&String| needs_labels(Path::new(file), &given);
        let unlabeled: HashSet<String> = files.iter().filter(unlabeled).cloned().collect();
        if unlabeled.len() != args.labels.len() {
            return usage(format!(
                "{} files of samples without labels and {} of labels: give --labels once per .npy file (and per .npz \
                 file without labels), in the same order",
                unlabeled.len(),
                args.labels.len()
            ));
        }
        for file in &files {
            check_exists(file)?;
            check_flags(file, false, &args.arrays, &args.table)?;
        }
        Ok(Self::Points(Box::new(Points {
            files,
            labels: args.labels,
            unlabeled,
            arrays: args.arrays,
            table: args.table,
            weights: args.weights.as_deref().map(column),
            sketch: args.form,
            out,
            json: args.json,
        })))
    }
}

impl Stats {
    /// Reads, sums, writes and reports.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        match self {
            Self::Points(points) => points.run(),
            Self::Merge(args) => merge(&args),
        }
    }
}

impl Points {
    fn run(self) -> Result<()> {
        let labels = self.labels.iter().map(PathBuf::as_path);
        let inputs: Vec<&Path> = self.files.iter().map(Path::new).chain(labels).collect();
        let _ready = files::check(&inputs, &[&self.out])?;
        let began = Instant::now();
        let line = StatusLine::new("opening");
        let given = |labels: &mut std::slice::Iter<'_, PathBuf>, file: &str| LoadOptions {
            labels: if self.unlabeled.contains(file) { labels.next().cloned() } else { None },
            ..options(&self.arrays, &self.table)
        };
        let mut labels = self.labels.iter();
        let fill = means_of(&self.files, self.weights.as_ref(), |file| given(&mut labels, file))?;
        let mut labels = self.labels.iter();
        let mut summed = Summed::within(available_memory()?).sketched(self.sketch);
        for (at, file) in self.files.iter().enumerate() {
            let options = LoadOptions {
                expected: Some(summed.columns().to_vec()).filter(|names| !names.is_empty()),
                fill: fill.clone(),
                ..given(&mut labels, file)
            };
            let reader =
                open_batches(Path::new(file), &options, self.weights.as_ref()).map_err(in_flags)?;
            let mut rate = Rate::new(file, at, self.files.len());
            let added = summed.add(reader, &mut |now| {
                rate.tell(&line, now);
                true
            });
            added.map_err(in_flags)?;
            tell(file, &summed.take_notes());
        }
        let (columns, label) = (summed.columns().to_vec(), summed.label().map(str::to_owned));
        let sums = summed.finish().map_err(in_flags)?.settled();
        tell(&self.files[0], &alike(sums.classes()));
        line.tell("writing");
        write(&self.out, &sums, &columns, label.as_deref())?;
        drop(line);
        report(&sums, self.files.len(), &self.out, began, self.json)
    }
}

/// Until here Ctrl-C ends the command at once; a file under way is finished or given up in order.
fn write(
    out: &Path,
    sums: &ClassAccumulator,
    columns: &[String],
    label: Option<&str>,
) -> Result<()> {
    let guard = Guard::new();
    guard.check()?;
    Ok(write_table_sums(out, sums, columns, label)?)
}

fn merge(args: &MergeArgs) -> Result<()> {
    let began = Instant::now();
    let files = expand(&args.files)?;
    let inputs: Vec<&Path> = files.iter().map(Path::new).collect();
    let _ready = files::check(&inputs, &[&args.out])?;
    let mut summed = Summed::default();
    for file in &files {
        let TableSums { sums, columns, label } = read_table_sums(Path::new(file))?;
        summed.join_named(sums, &columns, file)?;
        summed.know_label(label);
    }
    let (columns, label) = (summed.columns().to_vec(), summed.label().map(str::to_owned));
    let sums = summed.finish()?;
    write(&args.out, &sums, &columns, label.as_deref())?;
    report(&sums, files.len(), &args.out, began, args.json)
}

fn report(
    sums: &ClassAccumulator,
    files: usize,
    out: &Path,
    began: Instant,
    json: bool,
) -> Result<()> {
    let counts = sums.counts();
    let points: u64 = counts.iter().sum();
    let elapsed = began.elapsed().as_secs_f64();
    if json {
        return output::say_json(&Report {
            files,
            points,
            dimensions: sums.dimension(),
            classes: sums.classes().into(),
            counts,
            precision: precision(sums),
            sketch: sketch(sums),
            seconds: elapsed,
            points_per_second: points as f64 / elapsed.max(1e-9),
            out: out.display().to_string(),
        });
    }
    let plural = if files == 1 { "" } else { "s" };
    let mut lines = describe(sums);
    lines.push((
        "written",
        format!("{} from {files} file{plural} in {}", out.display(), seconds(elapsed)),
    ));
    output::summarize(&pairs(&lines))
}

/// What class sums hold, for people.
pub(super) fn describe(sums: &ClassAccumulator) -> Vec<(&'static str, String)> {
    let counts = sums.counts();
    let listed = sums.classes().iter().zip(&counts).take(LISTED);
    let mut classes: Vec<String> =
        listed.map(|(label, count)| format!("{label} ({count})")).collect();
    if counts.len() > LISTED {
        classes.push("…".to_owned());
    }
    let mut lines = vec![
        ("points", format!("{} of {} dimensions", counts.iter().sum::<u64>(), sums.dimension())),
        ("classes", format!("{}: {}", counts.len(), classes.join(", "))),
        ("precision", format!("{} covariances", precision(sums))),
    ];
    if let Some(SketchReport { rows, shed }) = sketch(sums) {
        let most = shed.iter().fold(0.0_f64, |most, &one| most.max(one));
        let lost = match most {
            0.0 => "nothing lost".to_owned(),
            most => format!("at most {} of variance lost in any direction", number(most)),
        };
        lines.push(("sketch", format!("{rows} rows per class, {lost}")));
    }
    lines
}

fn sketch(sums: &ClassAccumulator) -> Option<SketchReport> {
    sums.sketch().zip(sums.shed()).map(|(rows, shed)| SketchReport { rows, shed })
}

/// What class sums hold, for programs.
pub(super) fn describe_json(sums: &ClassAccumulator) -> Result<serde_json::Value> {
    Ok(serde_json::json!({
        "kind": "class sums",
        "points": sums.counts().iter().sum::<u64>(),
        "dimensions": sums.dimension(),
        "classes": serde_json::to_value(ClassNames::from(sums.classes()))?,
        "counts": sums.counts(),
        "precision": precision(sums),
        "sketch": serde_json::to_value(sketch(sums))?,
    }))
}

fn precision(sums: &ClassAccumulator) -> &'static str {
    if sums.is_double() { "f64" } else { "f32" }
}
