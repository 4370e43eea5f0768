//! Few sparse samples in very many dimensions, never made dense.

use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use sqfa::model::Restarts;
use sqfa::statistics::{Csr, project};
use sqfa::{ClassStatistics, Distance, Estimator, Labels, Sqfa};

use crate::machine::peak_memory;
use crate::sampling::Normals;

const CLASSES: usize = 5;
/// Columns that are loud in one class each.
const LOUD: usize = 40;

/// A fit to samples of which a share of all numbers is not zero, checked by one pass over them.
pub(crate) fn run(dimension: usize, samples: usize, density: f64) -> Result<Value> {
    let (table, labels) = made(dimension, samples, density)?;
    let entries = table.entries();
    let began = Instant::now();
    let statistics = ClassStatistics::from_sparse(&table, &labels, Estimator::Empirical)?;
    let making = began.elapsed().as_secs_f64();
    drop(table);
    let began = Instant::now();
    let fitted = Sqfa::new(8)?.restarts(Restarts::Count(1)).fit(&statistics)?;
    let seconds = began.elapsed().as_secs_f64();
    let peak = peak_memory();
    let gaussians = project(&statistics, fitted.filters().as_ref(), fitted.noise());
    let distance = Distance::named(fitted.distance())?;
    let whole = sqfa::distance::mean_distance(&distance, &gaussians)?.value;
    Ok(json!({
        "dimension": dimension, "samples": samples, "density": density, "entries": entries,
        "covariance_bytes": statistics.bytes(), "making_seconds": making, "seconds": seconds,
        "passes_in_the_span": fitted.passes(), "objective": fitted.objective(),
        "optimizer": fitted.optimizer().name(),
        "termination": fitted.termination().name(), "noise": fitted.noise(), "peak_bytes": peak,
        "objective_from_samples": whole,
        "relative_gap": (whole - fitted.objective()).abs() / whole,
    }))
}

/// Samples whose classes differ in which columns are loud.
fn made(dimension: usize, samples: usize, density: f64) -> Result<(Csr<f32>, Labels)> {
    let mut normals = Normals::new(3);
    let step = (1.0 / density).round().max(1.0) as usize;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..samples {
        let class = row % CLASSES;
        // One column out of every `step`, another one for every sample.
        for first in (0..dimension).step_by(step) {
            let column = first + (row * 7919 + first * 31) % step;
            if column < dimension {
                let loud = column / step % CLASSES == class && column / step < LOUD * CLASSES;
                indices.push(column as u32);
                values.push(normals.next() as f32 * if loud { 5.0 } else { 1.0 });
            }
        }
        starts.push(values.len());
    }
    let labels: Vec<i64> = (0..samples).map(|row| (row % CLASSES) as i64).collect();
    Ok((Csr::new(dimension, starts, indices, values)?, Labels::from_integers(&labels)))
}
