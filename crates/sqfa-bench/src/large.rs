//! Data of any size: streams larger than memory, many dimensions, few samples, many filters.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use sqfa::model::Restarts;
use sqfa::optimize::{Control, Optimizer, Stopping};
use sqfa::statistics::{ClassAccumulator, project};
use sqfa::{ClassStatistics, Classes, Distance, Estimator, Labels, Sqfa, Table};
use sqfa_io::data::{LoadOptions, open_batches, sum_batches};
use sqfa_io::datasets::scaling::{ScalingForm, SyntheticFamily};
use sqfa_io::formats::write_npy;
use sqfa_paper::{Climb, DRAWN, scaling_row};

use crate::machine::peak_memory;
use crate::sampling::Normals;

/// Dimensions of the streamed points: those of MNIST.
pub(crate) const STREAMED: usize = 784;

/// Streams a temporary file of single-precision points and compares with statistics in memory and with plain reading.
pub(crate) fn stream(gigabytes: f64, folder: &Path, format: &str) -> Result<Value> {
    let rows = (gigabytes * 1e9 / (4.0 * STREAMED as f64)) as usize;
    let (points, labels) = (folder.join(format!("stream-x.{format}")), folder.join("stream-y.npy"));
    let classes: Vec<i64> = (0..rows as i64).map(|row| row % 10).collect();
    write_npy(&labels, &[rows], &classes)?;
    drop(classes);
    match format {
        "npy" => write_points(&points, rows)?,
        "parquet" => write_parquet(&points, rows)?,
        other => anyhow::bail!("format '{other}': give npy or parquet"),
    }
    let result = streamed(&points, &labels, rows);
    std::fs::remove_file(&points)?;
    std::fs::remove_file(&labels)?;
    result
}

#[cfg(feature = "parquet")]
use crate::parquet_file::write as write_parquet;

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Path, _: usize) -> Result<()> {
    anyhow::bail!("build the benchmarks with --features parquet")
}

fn streamed(points: &Path, labels: &Path, rows: usize) -> Result<Value> {
    let before = peak_memory();
    let options = LoadOptions { labels: Some(labels.to_owned()), ..LoadOptions::default() };
    let began = Instant::now();
    let sums = sum_batches(open_batches(points, &options, None)?, &mut |_| true)?;
    let stream_seconds = began.elapsed().as_secs_f64();
    let peak = peak_memory();
    let sums = sums.context("the stream was stopped")?;
    let sums_bytes = 10 * STREAMED * STREAMED * 8;

    let began = Instant::now();
    let mut file = BufReader::with_capacity(1 << 20, std::fs::File::open(points)?);
    let (mut buffer, mut bytes) = (vec![0u8; 1 << 20], 0u64);
    loop {
        let taken = file.read(&mut buffer)?;
        if taken == 0 {
            break;
        }
        bytes += taken as u64;
    }
    let read_seconds = began.elapsed().as_secs_f64();

    // As many points as fit anywhere, from memory.
    let few = rows.min(200_000);
    let mut values = vec![0.0_f32; few * STREAMED];
    fill(&mut values, 0);
    let codes = (0..few as i64).map(|row| row % 10).collect::<Vec<_>>();
    let codes = Labels::from_integers(&codes);
    let table = Table::row_major(&values, few, STREAMED).context("points of another size")?;
    let began = Instant::now();
    let mut memory = ClassAccumulator::new(Classes::numbered(10), STREAMED);
    memory.update(table.into(), &codes)?;
    let memory_seconds = began.elapsed().as_secs_f64();
    let rate = rows as f64 / stream_seconds;
    let memory_rate = few as f64 / memory_seconds;
    Ok(json!({
        "rows": rows, "bytes": bytes, "counts": sums.counts(),
        "stream_seconds": stream_seconds, "stream_rows_per_second": rate,
        "memory_rows_per_second": memory_rate, "rate_against_memory": rate / memory_rate,
        "read_seconds": read_seconds, "read_rows_per_second": rows as f64 / read_seconds,
        "rate_against_reading": read_seconds / stream_seconds,
        "sums_bytes": sums_bytes, "peak_bytes_before": before, "peak_bytes": peak,
        "peak_above_sums": peak.map(|peak| peak as i64 - sums_bytes as i64),
    }))
}

pub(crate) fn fill(values: &mut [f32], first: usize) {
    for (at, value) in values.iter_mut().enumerate() {
        let mixed = ((first + at) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        *value = (mixed >> 40) as f32 / (1 << 24) as f32;
    }
}

fn write_points(path: &Path, rows: usize) -> Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {STREAMED}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    let mut values = vec![0.0_f32; 1000 * STREAMED];
    for first in (0..rows).step_by(1000) {
        let now = 1000.min(rows - first) * STREAMED;
        fill(&mut values[..now], first * STREAMED);
        let bytes: Vec<u8> = values[..now].iter().flat_map(|value| value.to_le_bytes()).collect();
        file.write_all(&bytes)?;
    }
    Ok(file.flush()?)
}

/// One fit as the paper's tables have it, its accuracy and that of the true subspace.
fn fitted(
    parameters: &SyntheticFamily,
    form: &str,
    tolerance: f64,
    optimizer: Optimizer,
) -> Result<Value> {
    let form: ScalingForm = form.parse().map_err(|problem: String| anyhow!(problem))?;
    let climb = Climb { optimizer, stopping: Stopping { tolerance, ..Stopping::default() } };
    // Of the fit: drawing points to test it comes after.
    let mut peak = None;
    let row = scaling_row(parameters, form, climb, DRAWN, &mut |_| {
        peak = peak_memory();
        Control::Continue
    })?;
    Ok(json!({
        "filters": row.filters, "tolerance": tolerance, "seconds": row.seconds, "passes": row.passes,
        "evaluations": row.evaluations, "objective": row.objective,
        "termination": row.termination, "preconditioned": row.preconditioned,
        "covariance_bytes": row.covariance_bytes, "peak_bytes": peak,
        "accuracy": row.accuracy, "accuracy_of_true_subspace": row.most,
        "gap_points": 100.0 * (row.most - row.accuracy),
        "gap_standard_error_points": 100.0 * row.standard_error,
        "objective_of_true_subspace": row.objective_of_truth,
    }))
}

/// n dimensions, 8 informative ones: entry by entry, and low rank.
pub(crate) fn large(dimension: usize, form: &str, tolerance: f64) -> Result<Value> {
    let fit = fitted(&SyntheticFamily::ambient(dimension), form, tolerance, Optimizer::Auto)?;
    Ok(json!({ "dimension": dimension, "form": form, "fit": fit }))
}

/// n = 5000 and as many filters as informative dimensions; an optimizer that is not chosen keeps to the whole space.
pub(crate) fn filters(
    counts: &[usize],
    form: &str,
    tolerance: f64,
    optimizer: Optimizer,
) -> Result<Value> {
    let rows: Result<Vec<Value>> = counts
        .iter()
        .map(|&count| fitted(&SyntheticFamily::filter_count(count), form, tolerance, optimizer))
        .collect();
    Ok(json!({ "dimension": 5000, "form": form, "optimizer": optimizer.name(), "fits": rows? }))
}

/// Few samples in many dimensions: a fit in their span, checked by a pass over the samples.
pub(crate) fn factor(dimension: usize, samples: usize) -> Result<Value> {
    let classes = 5;
    let labels: Vec<i64> = (0..samples as i64).map(|row| row % classes).collect();
    let labels = Labels::from_integers(&labels);
    let mut normals = Normals::new(1);
    // Each class has its own mean and its own loud directions.
    let loud: Vec<f32> =
        (0..classes as usize * 8 * dimension).map(|_| normals.next() as f32).collect();
    let mut values = vec![0.0_f32; samples * dimension];
    for (row, point) in values.chunks_mut(dimension).enumerate() {
        let class = row % classes as usize;
        for value in point.iter_mut() {
            *value = normals.next() as f32;
        }
        for k in 0..8 {
            let direction = &loud[(class * 8 + k) * dimension..][..dimension];
            let weight = if k == 0 { 0.05 } else { 0.1 * normals.next() as f32 };
            point.iter_mut().zip(direction).for_each(|(value, other)| *value += weight * other);
        }
    }
    drop(loud);
    let began = Instant::now();
    let table = Table::row_major(&values, samples, dimension).context("points of another size")?;
    let statistics = ClassStatistics::from_factors(table.into(), &labels, Estimator::Empirical)?;
    let making = began.elapsed().as_secs_f64();
    drop(values);
    let began = Instant::now();
    let fitted = Sqfa::new(8)?.restarts(Restarts::Count(1)).fit(&statistics)?;
    let seconds = began.elapsed().as_secs_f64();
    let peak = peak_memory();
    // The same objective from the samples themselves, one pass over them in the whole space.
    let began = Instant::now();
    let gaussians = project(&statistics, fitted.filters().as_ref(), fitted.noise());
    let pass_seconds = began.elapsed().as_secs_f64();
    let distance = Distance::named(fitted.distance())?;
    let whole = sqfa::distance::mean_distance(&distance, &gaussians)?.value;
    Ok(json!({
        "dimension": dimension, "samples": samples, "covariance_bytes": statistics.bytes(),
        "making_seconds": making, "seconds": seconds, "passes_in_the_span": fitted.passes(),
        "objective": fitted.objective(), "termination": fitted.termination().name(),
        "noise": fitted.noise(), "peak_bytes": peak,
        "pass_over_samples_seconds": pass_seconds, "objective_from_samples": whole,
        "relative_gap": (whole - fitted.objective()).abs() / whole,
    }))
}
