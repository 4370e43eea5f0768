//! What outliers in the training points cost: plain and robust fits under their own quadratic classifiers, on clean test points.
//!
//! Noise and units are the closed form of every fit's own statistics unless the search is asked for, so that all columns differ
//! in their statistics and distance alone. Medians over seeds; losses are against the same column on clean points.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use sqfa::Noise;
use sqfa::optimize::Control;
use sqfa::pipeline::{Labeled, Pipeline};
use sqfa::points::Scalar;
use sqfa::split::stratified_split;
use sqfa::statistics::Scaling;
use sqfa::with_table;
use sqfa_io::data::{LoadOptions, Loaded, OwnedPoints, Part, load};
use sqfa_io::datasets::outliers::Outliers;
use sqfa_io::datasets::speed::Speed;

/// The columns: a name, the method and the estimator, where it is not the method's own.
pub(crate) const COLUMNS: [(&str, &str, Option<&str>); 6] = [
    ("sqfa", "sqfa", None),
    ("sqfa-h", "sqfa-h", None),
    ("sqfa-t", "sqfa-t", None),
    ("sqfa, t:5", "sqfa", Some("t:5")),
    ("sqfa-h, t:5", "sqfa-h", Some("t:5")),
    ("sqfa, tyler", "sqfa", Some("tyler")),
];
/// Shares of training points that are replaced.
const SHARES: [f64; 2] = [0.05, 0.2];
/// The share of digits that is held out.
const HELD_OUT: f64 = 0.3;
/// Points of MNIST that are learned from, and side of the squares that its pixels are averaged over.
const MNIST_TRAIN: usize = 12_000;
const POOLED: usize = 2;
/// Speeds and videos of each.
const SPEEDS: usize = 8;
const VIDEOS: (usize, usize) = (600, 100);

/// What is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct RobustArgs {
    /// Sets: digits, optdigits, mnist, speed.
    #[arg(long, value_delimiter = ',', default_value = "digits,optdigits,mnist,speed")]
    pub(crate) sets: Vec<String>,
    /// Seeds of outliers, splits and fits.
    #[arg(long, default_value_t = 10)]
    pub(crate) seeds: u64,
    #[arg(long, short = 'm', default_value_t = 4)]
    filters: usize,
    /// Columns; all of them unless given.
    #[arg(long, value_delimiter = ';')]
    columns: Vec<String>,
    /// Choose units and noise on held-out points, as sqfa fit does.
    #[arg(long)]
    search: bool,
    /// Page of Markdown that receives the table.
    #[arg(long)]
    pub(crate) table: Option<std::path::PathBuf>,
    /// Figure to write.
    #[arg(long)]
    pub(crate) figure: Option<std::path::PathBuf>,
}

pub(crate) fn run(folder: &Path, args: &RobustArgs) -> Result<Value> {
    let mut rows = Vec::new();
    for set in &args.sets {
        let conditions = [None].into_iter().chain(
            Outliers::ALL.into_iter().flat_map(|kind| SHARES.map(|share| Some((kind, share)))),
        );
        for condition in conditions {
            rows.push(row(folder, set, condition, args)?);
        }
    }
    Ok(json!({ "rows": rows, "seeds": args.seeds, "filters": args.filters, "search": args.search }))
}

/// One set under one condition: the accuracies of every column, seed by seed.
fn row(
    folder: &Path,
    set: &str,
    condition: Option<(Outliers, f64)>,
    args: &RobustArgs,
) -> Result<Value> {
    let wanted = |name: &str| args.columns.is_empty() || args.columns.iter().any(|one| one == name);
    let columns: Vec<_> = COLUMNS.iter().filter(|one| wanted(one.0)).collect();
    let began = Instant::now();
    let mut accuracies: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
    let mut failures = Map::new();
    for seed in 0..args.seeds {
        let (mut train, test) = parts(folder, set, seed)?;
        if let Some((kind, share)) = condition {
            train = kind.replace(&train, share, seed)?;
        }
        for (&&(name, method, estimator), own) in columns.iter().zip(&mut accuracies) {
            match accuracy(&train, &test, method, estimator, seed, args) {
                Ok(accuracy) => own.push(accuracy),
                Err(error) => {
                    failures.insert(name.to_owned(), json!(error.to_string()));
                }
            }
        }
    }
    let (kind, share) = condition.map_or(("clean", 0.0), |(kind, share)| (kind.name(), share));
    let median: Map<String, Value> = columns
        .iter()
        .zip(&accuracies)
        .filter(|(_, own)| !own.is_empty())
        .map(|(column, own)| (column.0.to_owned(), json!(median(own))))
        .collect();
    tell(set, kind, share, &median, began.elapsed().as_secs_f64());
    let all: Map<String, Value> =
        columns.iter().zip(&accuracies).map(|(one, own)| (one.0.to_owned(), json!(own))).collect();
    Ok(json!({
        "set": set, "kind": kind, "share": share, "median": median, "accuracies": all, "failures": failures,
    }))
}

#[allow(clippy::print_stderr)] // progress of a long table
fn tell(set: &str, kind: &str, share: f64, median: &Map<String, Value>, seconds: f64) {
    let cells: Vec<String> = median
        .iter()
        .map(|(name, value)| format!("{name} {:.1}", value.as_f64().unwrap_or(f64::NAN)))
        .collect();
    eprintln!("{set}, {kind} {share}: {} ({seconds:.0} s)", cells.join(", "));
}

/// Accuracy in per cent on clean test points, by the classifier of the fit's own statistics.
fn accuracy(
    train: &Part,
    test: &Part,
    method: &str,
    estimator: Option<&str>,
    seed: u64,
    args: &RobustArgs,
) -> Result<f64> {
    let mut pipeline = Pipeline::named(method, args.filters)?;
    pipeline.settings.seed = seed;
    if !args.search {
        pipeline.scaling = Some(Scaling::WithinClass);
        pipeline.settings.noise = Noise::Fraction(0.3);
    }
    if let Some(name) = estimator {
        pipeline.estimator =
            Some(name.parse().map_err(|message: String| anyhow::anyhow!(message))?);
    }
    let data = Labeled::new(train.points.view(), &train.labels);
    let fitted = pipeline.fit(data, &mut |_| Control::Continue)?;
    let features = fitted.features_of(test.points.view());
    let points = features.as_points(args.filters);
    Ok(100.0 * fitted.qda()?.accuracy(points, test.labels.codes())?)
}

/// Training and test points of a seed.
fn parts(folder: &Path, set: &str, seed: u64) -> Result<(Part, Part)> {
    match set {
        "digits" => {
            // scikit-learn's digits are the test part of this file.
            let (_, digits) = given(&folder.join("tables").join("optdigits.npz"))?;
            let split = stratified_split(&digits.labels, HELD_OUT, seed)?;
            Ok((picked(&digits, &split.learn), picked(&digits, &split.held)))
        }
        "optdigits" => given(&folder.join("tables").join("optdigits.npz")),
        "mnist" => {
            let (train, test) = given(&folder.join("mnist"))?;
            let share = MNIST_TRAIN as f64 / train.labels.len() as f64;
            let split = stratified_split(&train.labels, share, seed)?;
            Ok((pooled(&picked(&train, &split.held))?, pooled(&test)?))
        }
        "speed" => {
            let usual = Speed::default();
            let step = usual.tenths.len() / SPEEDS;
            let tenths = usual.tenths.iter().copied().step_by(step).take(SPEEDS).collect();
            let (train_per_class, test_per_class) = VIDEOS;
            let videos = Speed { tenths, train_per_class, test_per_class, seed, ..usual };
            let data = videos.generate()?;
            Ok((data.train, data.test.context("speed has no test part")?))
        }
        other => bail!("unknown set '{other}': choose digits, optdigits, mnist or speed"),
    }
}

fn given(path: &Path) -> Result<(Part, Part)> {
    let Loaded::Data(data) = load(path, &LoadOptions::default())? else {
        bail!("{} holds statistics, not points", path.display());
    };
    let test = data.test.with_context(|| format!("{} has no test part", path.display()))?;
    Ok((data.train, test))
}

fn picked(part: &Part, rows: &[usize]) -> Part {
    Part { points: part.points.select(rows), labels: part.labels.select(rows) }
}

/// Square images averaged over small squares.
fn pooled(part: &Part) -> Result<Part> {
    let side = (part.points.columns() as f64).sqrt() as usize;
    let (small, rows) = (side / POOLED, part.points.rows());
    let mut values = vec![0.0_f32; rows * small * small];
    with_table!(part.points.view(), table => for row in 0..rows {
        for at in 0..small * POOLED * small * POOLED {
            let (y, x) = (at / (small * POOLED), at % (small * POOLED));
            let value = table.get(row, y * side + x).to_f64() / (POOLED * POOLED) as f64;
            values[row * small * small + (y / POOLED) * small + x / POOLED] += value as f32;
        }
    });
    let points = OwnedPoints::from_f32(values, rows, small * small).context("whole images")?;
    Ok(Part { points, labels: part.labels.clone() })
}

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[half],
        _ => 0.5 * (sorted[half - 1] + sorted[half]),
    }
}
