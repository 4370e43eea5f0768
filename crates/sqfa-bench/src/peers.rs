//! The same problems given to the authors' Python package and to us: one statistics file, one start a seed.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use sqfa::constraint::Constraint;
use sqfa::model::Variant;
use sqfa::statistics::{GivenMatrices, project};
use sqfa::{ClassStatistics, Distance, Mat};
use sqfa_io::data::{GivenMoments, GivenStatistics, LoadOptions, Loaded, load};
use sqfa_io::datasets::scaling::SyntheticFamily;
use sqfa_io::formats::{Limits, NpzWriter, Stack, Values, read_npy};

use crate::data::prepare;
use crate::fits::{recipe, seeds as fit_seeds};
use crate::machine::median;

/// Set, method, noise: the comparisons made, all with eight filters.
const CASES: [(&str, &str, f64); 4] = [
    ("mnist", "sqfa", 5.0),
    ("mnist", "smsqfa", 5.0),
    ("svhn", "sqfa", 1.0),
    ("synthetic", "sqfa", 0.001),
];
const FILTERS: usize = 8;

pub(crate) fn write_statistics(folder: &Path, to: &Path) -> Result<Value> {
    std::fs::create_dir_all(to)?;
    for set in ["mnist", "svhn"] {
        let prepared = prepare(folder, set)?;
        let statistics = &prepared.statistics;
        let (n, classes) = (statistics.dimension(), statistics.classes().len());
        let means: Vec<f32> =
            (0..classes * n).map(|at| statistics.means()[(at % n, at / n)] as f32).collect();
        let mut covariances = Vec::with_capacity(classes * n * n);
        for covariance in statistics.covariances() {
            match covariance.entries() {
                Some(sqfa::statistics::Entries::F32(entries)) => {
                    covariances.extend(entries.full(|entry| entry));
                }
                _ => bail!("expected dense single-precision covariances"),
            }
        }
        write(&to.join(format!("{set}.npz")), &means, &covariances, classes, n)?;
    }
    let problem = SyntheticFamily::ambient(2000).generate()?;
    let means: Vec<f32> = problem.ambient_means().iter().map(|&value| value as f32).collect();
    let covariances: Vec<f32> =
        (0..5).flat_map(|class| problem.ambient_covariance_f32(class)).collect();
    write(&to.join("synthetic.npz"), &means, &covariances, 5, 2000)?;
    Ok(json!({ "written": to.display().to_string() }))
}

fn write(path: &Path, means: &[f32], covariances: &[f32], classes: usize, n: usize) -> Result<()> {
    let mut writer = NpzWriter::create(path, false)?;
    writer.add("means", &[classes, n], means)?;
    writer.add("covariances", &[classes, n, n], covariances)?;
    writer.finish()?;
    Ok(())
}

pub(crate) fn run(from: &Path, seeds: u64) -> Result<Value> {
    let mut rows = Vec::new();
    for (set, method, noise) in CASES {
        let Loaded::Statistics(given) =
            load(&from.join(format!("{set}.npz")), &LoadOptions::default())?
        else {
            bail!("{set}.npz holds no statistics");
        };
        let statistics = statistics_of(given)?;
        let recipe = recipe(method, FILTERS, noise)?;
        let ours = fit_seeds(&recipe, &statistics, seeds)?;
        let peer = peer_runs(from, set, method, noise, &statistics)?;
        let speedup = peer["median_seconds"]
            .as_f64()
            .zip(ours["auto"]["median_seconds"].as_f64())
            .map(|(peer, ours)| peer / ours);
        rows.push(json!({
            "set": set, "method": method, "noise": noise, "speedup": speedup,
            "ours": ours, "peer": peer,
        }));
    }
    Ok(Value::Array(rows))
}

/// What the peer recorded, with our objective of its filters.
fn peer_runs(
    from: &Path,
    set: &str,
    method: &str,
    noise: f64,
    statistics: &ClassStatistics,
) -> Result<Value> {
    let path = from.join(format!("peer-{set}-{method}.json"));
    let text = std::fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let mut record: Value = serde_json::from_str(&text)?;
    let distance = Variant::named(method).map_err(|message| anyhow!(message))?.distance;
    let distance = Distance::named(distance)?;
    debug_assert_eq!(Constraint::default(), Constraint::Sphere);
    let mut objectives = Vec::new();
    let mut seconds = Vec::new();
    let runs = record["runs"].as_array().cloned().unwrap_or_default();
    for run in &runs {
        let name = run["filters"].as_str().context("a run names its filters")?;
        let array = read_npy(&from.join(name), Limits::default())?;
        let shape = array.shape().to_vec();
        let at: Box<dyn Fn(usize) -> f64> = match array.values().clone() {
            Values::F32(values) => Box::new(move |i| f64::from(values[i])),
            Values::F64(values) => Box::new(move |i| values[i]),
            _ => bail!("{name} does not hold floating-point filters"),
        };
        let filters = Mat::from_fn(shape[1], shape[0], |i, j| at(j * shape[1] + i));
        let features = project(statistics, filters.as_ref(), noise);
        objectives.push(sqfa::distance::mean_distance(&distance, &features)?.value);
        seconds.extend(run["seconds"].as_f64());
    }
    record["median_seconds"] = json!(median(&seconds));
    record["median_objective"] = json!(median(&objectives));
    record["objectives"] = json!(objectives);
    Ok(record)
}

fn statistics_of(given: GivenStatistics) -> Result<ClassStatistics> {
    let GivenMoments::Central { means, covariances } = given.moments else {
        bail!("expected means and covariances");
    };
    let covariances = match covariances {
        Stack::F32(matrices) => GivenMatrices::F32(matrices),
        Stack::F64(matrices) => GivenMatrices::F64(matrices),
    };
    Ok(ClassStatistics::from_moments(given.classes, given.counts, &means, covariances)?)
}
