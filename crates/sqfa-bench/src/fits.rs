//! Whole fits: passes, seconds, objectives.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use sqfa::model::{Restarts, Variant};
use sqfa::optimize::Optimizer;
use sqfa::statistics::GivenMatrices;
use sqfa::{ClassStatistics, Noise, Sqfa};
use sqfa_io::datasets::scaling::{CLASSES, SyntheticFamily};

use crate::data::prepare;
use crate::machine::{median, peak_memory};

/// One start per seed with either optimizer, in turn, so that both meet the same machine.
pub(crate) fn seeds(recipe: &Sqfa, statistics: &ClassStatistics, count: u64) -> Result<Value> {
    let mut rows = [Vec::new(), Vec::new()];
    for seed in 0..count {
        for (optimizer, rows) in [Optimizer::Auto, Optimizer::Lbfgs].into_iter().zip(&mut rows) {
            let fitted = recipe.clone().optimizer(optimizer).seed(seed).fit(statistics)?;
            rows.push(json!({
                "seed": seed, "optimizer": fitted.optimizer().name(),
                "objective": fitted.objective(), "passes": fitted.passes(),
                "evaluations": fitted.evaluations(), "seconds": fitted.seconds(),
                "termination": fitted.termination().name(),
            }));
        }
    }
    let [auto, lines] = rows.map(|rows| {
        let column =
            |key: &str| -> Vec<f64> { rows.iter().filter_map(|row| row[key].as_f64()).collect() };
        json!({
            "median_passes": median(&column("passes")),
            "median_seconds": median(&column("seconds")),
            "median_objective": median(&column("objective")),
            "median_evaluations": median(&column("evaluations")),
            "rows": rows,
        })
    });
    let seconds = |value: &Value| value["median_seconds"].as_f64().unwrap_or(f64::NAN);
    let ratio = seconds(&auto) / seconds(&lines);
    Ok(json!({ "auto": auto, "lbfgs": lines, "seconds_ratio": ratio }))
}

/// One start of a method.
pub(crate) fn recipe(name: &str, filters: usize, noise: f64) -> Result<Sqfa> {
    let method = Variant::named(name).map_err(|message| anyhow!(message))?;
    let recipe = Sqfa::for_variant(&method, filters)?;
    Ok(recipe.noise(Noise::Value(noise)).restarts(Restarts::Count(1)))
}

pub(crate) fn run(folder: &Path, count: u64) -> Result<Value> {
    let mut results = Vec::new();
    for (set, cases) in [
        ("mnist", [("sqfa", 5.0), ("sqfa-h", 1.0), ("smsqfa", 5.0), ("sqfa-b", 1.0)]),
        ("svhn", [("sqfa", 1.0), ("sqfa-h", 1.0), ("smsqfa", 1.0), ("sqfa-b", 1.0)]),
    ] {
        let prepared = prepare(folder, set)?;
        for (name, noise) in cases {
            let recipe = recipe(name, 8, noise)?;
            results.push(json!({
                "set": set, "statistics_seconds": prepared.statistics_seconds,
                "method": name, "filters": 8, "noise": noise,
                "fit": seeds(&recipe, &prepared.statistics, count)?,
            }));
        }
    }
    Ok(Value::Array(results))
}

/// One fit of the scaling problem from dense f32 covariances.
pub(crate) fn scaling(dimension: usize, filters: usize, count: u64) -> Result<Value> {
    let problem = if dimension == 5000 && filters != 8 {
        SyntheticFamily::filter_count(filters)
    } else {
        SyntheticFamily::ambient(dimension)
    }
    .generate()?;
    let means = problem.ambient_means();
    let covariances = (0..CLASSES).map(|class| problem.ambient_covariance_f32(class)).collect();
    let names = sqfa::Classes::numbered(CLASSES);
    let began = Instant::now();
    let given = GivenMatrices::F32(covariances);
    let statistics = ClassStatistics::from_moments(names, None, &means, given)?;
    let checking = began.elapsed().as_secs_f64();
    let before = peak_memory();
    let began = Instant::now();
    let recipe = Sqfa::new(filters)?.noise(Noise::Value(0.001)).restarts(Restarts::Count(1));
    let fitted = recipe.clone().seed(filters as u64).fit(&statistics)?;
    let seconds = began.elapsed().as_secs_f64();
    let bytes = statistics.bytes();
    let peak = peak_memory();
    let compared = if count > 0 { seeds(&recipe, &statistics, count)? } else { Value::Null };
    Ok(json!({
        "dimension": dimension, "filters": filters, "checking_seconds": checking, "seconds": seconds,
        "passes": fitted.passes(), "evaluations": fitted.evaluations(),
        "objective": fitted.objective(), "termination": fitted.termination().name(),
        "preconditioned": fitted.preconditioned(),
        "covariance_bytes": bytes, "peak_bytes_before": before, "peak_bytes": peak,
        "peak_ratio": peak.map(|peak| peak as f64 / bytes as f64), "seeds": compared,
    }))
}
