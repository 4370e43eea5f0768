//! Data of any size: streams larger than memory, many dimensions, few samples, many filters.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use sqfa::{
    ClassAccumulator, ClassStatistics, Classes, Covariance, Dense, Distance, Estimator, Labels,
    LowRank, Mat, MatRef, Moments, Noise, Qda, Restarts, Sqfa, Stopping, Table, project,
};
use sqfa_lab::data::{LoadOptions, open_batches, sum_batches};
use sqfa_lab::datasets::scaling::{CLASSES, Scaling, ScalingProblem};
use sqfa_lab::formats::write_npy;

use crate::machine::peak_memory;
use crate::sampling::Normals;

/// Dimensions of the streamed points: those of MNIST.
pub(crate) const STREAMED: usize = 784;
/// Points of one class drawn to train and to test QDA, as the paper does.
const DRAWN: usize = 20_000;

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

/// The scaling problem with covariances entry by entry in single precision.
fn dense(problem: &ScalingProblem) -> Result<Vec<Box<dyn Covariance>>> {
    let n = problem.parameters.dimensions;
    (0..CLASSES)
        .map(|class| {
            let dense = Dense::new(problem.ambient_covariance_f32(class), n);
            dense.map(|dense| Box::new(dense) as _).ok_or_else(|| anyhow!("not n² entries"))
        })
        .collect()
}

/// The same as Q(C − I)Qᵀ + I, with the eigenvectors of C − I folded into Q.
fn low_rank(problem: &ScalingProblem) -> Result<Vec<Box<dyn Covariance>>> {
    let (n, k) = (problem.parameters.dimensions, problem.parameters.informative);
    let basis = MatRef::from_column_major_slice(&problem.basis, n, k);
    (0..CLASSES)
        .map(|class| {
            let shifted = Mat::from_fn(k, k, |i, j| {
                problem.covariances[class][i * k + j] - if i == j { 1.0 } else { 0.0 }
            });
            let eigen = shifted
                .self_adjoint_eigen(faer::Side::Lower)
                .map_err(|error| anyhow!("no eigenvectors: {error:?}"))?;
            let weights: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
            // Directions that do not vary from the identity need not be kept.
            let kept: Vec<usize> = (0..k).filter(|&j| weights[j].abs() > 1e-12).collect();
            let vectors = Mat::from_fn(k, kept.len(), |i, j| eigen.U()[(i, kept[j])]);
            let weights = kept.iter().map(|&j| weights[j]).collect();
            Ok(Box::new(LowRank::new(basis * vectors, weights, 1.0)?) as _)
        })
        .collect()
}

fn statistics(problem: &ScalingProblem, covariances: Vec<Box<dyn Covariance>>) -> ClassStatistics {
    let n = problem.parameters.dimensions;
    let means = problem.ambient_means();
    let means = Mat::from_fn(n, CLASSES, |i, class| means[class * n + i]);
    ClassStatistics::from_parts(
        Classes::numbered(CLASSES),
        None,
        means,
        covariances,
        Moments::Central,
    )
}

/// One fit as the protocol has it, its accuracy and that of the true subspace on the same points.
fn fitted(problem: &ScalingProblem, statistics: &ClassStatistics, tolerance: f64) -> Result<Value> {
    let filters = problem.parameters.informative;
    let began = Instant::now();
    let fitted = Sqfa::new(filters)?
        .noise(Noise::Value(0.001))
        .restarts(Restarts::Count(1))
        .seed(filters as u64)
        .stopping(Stopping { tolerance, ..Stopping::default() })
        .fit(statistics)?;
    let seconds = began.elapsed().as_secs_f64();
    let peak = peak_memory();
    let n = problem.parameters.dimensions;
    let truth = MatRef::from_column_major_slice(&problem.basis, n, filters);
    let found = fitted.filters().qr().compute_thin_Q();
    let both = Both::score(statistics, found.as_ref(), truth, filters as u64)?;
    let gaussians = project(statistics, truth, fitted.noise());
    let distance = Distance::named(fitted.distance())?;
    Ok(json!({
        "filters": filters, "tolerance": tolerance, "seconds": seconds, "passes": fitted.passes(),
        "evaluations": fitted.evaluations(), "objective": fitted.objective(),
        "objective_of_true_subspace": sqfa::mean_distance(&distance, &gaussians)?.value,
        "termination": fitted.termination().name(), "preconditioned": fitted.preconditioned(),
        "covariance_bytes": statistics.bytes(), "peak_bytes": peak,
        "accuracy": both.found, "accuracy_of_true_subspace": both.truth,
        "gap_points": 100.0 * (both.truth - both.found),
        "gap_standard_error_points": 100.0 * both.standard_error,
    }))
}

/// QDA accuracies of two subspaces on the same points, parameters estimated from as many others.
struct Both {
    found: f64,
    truth: f64,
    /// Of their difference, over the test points.
    standard_error: f64,
}

impl Both {
    /// Draws points in the span of both subspaces, so that what tells their accuracies apart is not the draw.
    fn score(
        statistics: &ClassStatistics,
        found: MatRef<'_, f64>,
        truth: MatRef<'_, f64>,
        seed: u64,
    ) -> Result<Self> {
        let m = truth.ncols();
        let joint = faer::concat![[truth, found]].qr().compute_thin_Q();
        let width = joint.ncols();
        let gaussians = project(statistics, joint.as_ref(), 0.0);
        let maps = [found, truth].map(|basis| basis.transpose() * &joint);
        let mut normals = Normals::new(seed);
        let mut sums = [0, 1].map(|_| ClassAccumulator::new(Classes::numbered(CLASSES), m));
        let mut tests = Vec::new();
        for class in 0..CLASSES {
            let covariance = Mat::from_fn(width, width, |i, j| {
                gaussians.covariance(class)[i * width + j] + if i == j { 1e-6 } else { 0.0 }
            });
            let root = covariance.llt(faer::Side::Lower).map_err(|error| anyhow!("{error:?}"))?;
            let mean = gaussians.mean(class);
            let mut draw = || {
                let noise = Mat::from_fn(width, DRAWN, |_, _| normals.next());
                let mut points = root.L() * noise;
                for j in 0..DRAWN {
                    points.col_mut(j).iter_mut().zip(mean).for_each(|(value, mean)| *value += mean);
                }
                [0, 1].map(|side| {
                    let features = &maps[side] * &points;
                    (0..DRAWN * m).map(|at| features[(at % m, at / m)]).collect::<Vec<f64>>()
                })
            };
            let labels = Labels::from_codes(Classes::numbered(CLASSES), vec![class as u32; DRAWN]);
            let labels = labels.context("a class beyond the last")?;
            for (sums, train) in sums.iter_mut().zip(draw()) {
                let table = Table::row_major(&train, DRAWN, m).context("points of another size")?;
                sums.update(table.into(), &labels)?;
            }
            tests.push(draw());
        }
        let identity = Mat::<f64>::identity(m, m);
        let mut side = 0;
        let hits = sums.map(|sums| -> Result<Vec<bool>> {
            let own = side;
            side += 1;
            let statistics = sums.finish(Estimator::Empirical)?;
            let qda = Qda::from_statistics(&statistics, identity.as_ref(), 0.0)?;
            let mut hits = Vec::new();
            for (class, test) in tests.iter().enumerate() {
                let table = Table::row_major(&test[own], DRAWN, m).context("another size")?;
                hits.extend(qda.predict(table.into())?.iter().map(|&code| code == class as u32));
            }
            Ok(hits)
        });
        let [found, truth] = hits;
        let (found, truth) = (found?, truth?);
        let count = found.len() as f64;
        let share = |hits: &[bool]| hits.iter().filter(|hit| **hit).count() as f64 / count;
        let (found_share, truth_share) = (share(&found), share(&truth));
        let differing = found.iter().zip(&truth).filter(|(a, b)| a != b).count() as f64 / count;
        let variance = differing - (truth_share - found_share).powi(2);
        let standard_error = (variance / count).sqrt();
        Ok(Self { found: found_share, truth: truth_share, standard_error })
    }
}

/// n dimensions, 8 informative ones: entry by entry, and low rank.
pub(crate) fn large(dimension: usize, form: &str, tolerance: f64) -> Result<Value> {
    let problem = Scaling::ambient(dimension).generate()?;
    let covariances = match form {
        "dense" => dense(&problem)?,
        "low-rank" => low_rank(&problem)?,
        other => anyhow::bail!("form '{other}': give dense or low-rank"),
    };
    let statistics = statistics(&problem, covariances);
    Ok(
        json!({ "dimension": dimension, "form": form, "fit": fitted(&problem, &statistics, tolerance)? }),
    )
}

/// n = 5000 and as many filters as informative dimensions.
pub(crate) fn filters(counts: &[usize], form: &str, tolerance: f64) -> Result<Value> {
    let mut rows = Vec::new();
    for &count in counts {
        let problem = Scaling::filter_count(count).generate()?;
        let covariances = if form == "dense" { dense(&problem)? } else { low_rank(&problem)? };
        let statistics = statistics(&problem, covariances);
        rows.push(fitted(&problem, &statistics, tolerance)?);
    }
    Ok(json!({ "dimension": 5000, "form": form, "fits": rows }))
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
    let whole = sqfa::mean_distance(&distance, &gaussians)?.value;
    Ok(json!({
        "dimension": dimension, "samples": samples, "covariance_bytes": statistics.bytes(),
        "making_seconds": making, "seconds": seconds, "passes_in_the_span": fitted.passes(),
        "objective": fitted.objective(), "termination": fitted.termination().name(),
        "noise": fitted.noise(), "peak_bytes": peak,
        "pass_over_samples_seconds": pass_seconds, "objective_from_samples": whole,
        "relative_gap": (whole - fitted.objective()).abs() / whole,
    }))
}
