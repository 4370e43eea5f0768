//! Series in one run: seconds against the number of classes, of points and of threads.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sqfa::distance::Pairs;
use sqfa::model::Restarts;
use sqfa::statistics::{Covariance, Dense, Moments};
use sqfa::{ClassStatistics, Classes, Estimator, Labels, Mat, Noise, Points, Sqfa, Table};

use crate::machine::{best_of, median};
use crate::sampling::Normals;

/// Columns of all problems here, and filters of all fits.
const DIMENSION: usize = 100;
const FILTERS: usize = 8;
/// Runs whose median counts.
const RUNS: usize = 3;

pub(crate) fn run(classes: &[usize], points: &[usize]) -> Result<Value> {
    Ok(json!({
        "dimension": DIMENSION, "filters": FILTERS,
        "classes": classes.iter().map(|&count| of_classes(count)).collect::<Result<Vec<_>>>()?,
        "points": points.iter().map(|&count| of_points(count)).collect::<Result<Vec<_>>>()?,
        "threads": (0..=threads().ilog2()).map(|power| of_threads(1 << power)).collect::<Result<Vec<_>>>()?,
    }))
}

fn threads() -> usize {
    rayon::current_num_threads()
}

/// A fit to so many classes, looking at the pairs it chooses to and at all of them.
fn of_classes(count: usize) -> Result<Value> {
    let statistics = classes(count)?;
    let recipe = Sqfa::new(FILTERS)?.noise(Noise::Value(0.1)).restarts(Restarts::Count(1));
    let fit = |pairs: Pairs, runs: usize| -> Result<Value> {
        let mut seconds = Vec::new();
        let mut fitted = recipe.clone().pairs(pairs).fit(&statistics)?;
        for _ in 0..runs {
            let began = Instant::now();
            fitted = recipe.clone().pairs(pairs).fit(&statistics)?;
            seconds.push(began.elapsed().as_secs_f64());
        }
        Ok(json!({
            "seconds": median(&seconds), "seconds_raw": seconds, "passes": fitted.passes(),
            "evaluations": fitted.evaluations(), "optimizer": fitted.optimizer().name(),
            "objective": fitted.objective(), "termination": fitted.termination().name(),
        }))
    };
    // All pairs of very many classes take most of a minute: once is enough.
    let (auto, all) =
        (fit(Pairs::Auto, RUNS)?, fit(Pairs::All, if count > 200 { 1 } else { RUNS })?);
    let objective = |fit: &Value| fit["objective"].as_f64().unwrap_or(f64::NAN);
    let below = 1.0 - objective(&auto) / objective(&all);
    Ok(
        json!({ "classes": count, "auto": auto, "all_pairs": all, "relative_below_all_pairs": below }),
    )
}

/// Class sums of so many points.
fn of_points(count: usize) -> Result<Value> {
    let (values, labels) = points(count);
    let table = Table::row_major(&values, count, DIMENSION).context("points of another size")?;
    let (seconds, raw) = best_of(RUNS, || {
        let sums = ClassStatistics::from_points(Points::F32(table), &labels, Estimator::Empirical);
        let _ = std::hint::black_box(sums);
    });
    let rate = (count * DIMENSION * size_of::<f32>()) as f64 / seconds / 1e9;
    Ok(
        json!({ "points": count, "seconds": seconds, "seconds_raw": raw, "gigabytes_per_second": rate }),
    )
}

/// Class sums and a fit on so many threads.
fn of_threads(count: usize) -> Result<Value> {
    let (values, labels) = points(100_000);
    let statistics = classes(41)?;
    let recipe = Sqfa::new(FILTERS)?.noise(Noise::Value(0.1)).restarts(Restarts::Count(1));
    let table = Table::row_major(&values, 100_000, DIMENSION).context("points of another size")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
    let (sums, sums_raw) = pool.install(|| {
        best_of(RUNS, || {
            let sums =
                ClassStatistics::from_points(Points::F32(table), &labels, Estimator::Empirical);
            let _ = std::hint::black_box(sums);
        })
    });
    let (fit, fit_raw) = pool.install(|| {
        best_of(RUNS, || {
            let _ = std::hint::black_box(recipe.fit(&statistics));
        })
    });
    Ok(json!({
        "threads": count, "sums_seconds": sums, "sums_raw": sums_raw, "fit_seconds": fit, "fit_raw": fit_raw,
    }))
}

/// Classes with means and variances of their own: four loud directions each above a common floor.
fn classes(count: usize) -> Result<ClassStatistics> {
    let n = DIMENSION;
    let mut normals = Normals::new(count as u64);
    let means = Mat::from_fn(n, count, |_, _| 0.3 * normals.next());
    let mut covariances: Vec<Box<dyn Covariance>> = Vec::new();
    for _ in 0..count {
        let loud: Vec<f64> = (0..4 * n).map(|_| 0.3 * normals.next()).collect();
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            let sum: f64 = (0..4).map(|k| loud[k * n + i] * loud[k * n + j]).sum();
            (sum + if i == j { 1.0 } else { 0.0 }) as f32
        };
        let entries = (0..n * n).map(entry).collect();
        covariances.push(Box::new(Dense::new(entries, n).context("n² entries")?));
    }
    let names = Classes::numbered(count);
    Ok(ClassStatistics::from_parts(names, None, means, covariances, Moments::Central))
}

/// Points of ten classes in single precision.
fn points(count: usize) -> (Vec<f32>, Labels) {
    let mut normals = Normals::new(7);
    let values = (0..count * DIMENSION).map(|_| normals.next() as f32).collect();
    let labels: Vec<i64> = (0..count as i64).map(|row| row * 7919 % 10).collect();
    (values, Labels::from_integers(&labels))
}
