//! What the machine can do: the yardsticks every figure is compared with.

use std::time::Instant;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;
use serde_json::{Value, json};

/// Seconds of the fastest of several runs, and all of them.
pub(crate) fn best_of(runs: usize, mut work: impl FnMut()) -> (f64, Vec<f64>) {
    let seconds: Vec<f64> = (0..runs)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed().as_secs_f64()
        })
        .collect();
    (seconds.iter().copied().fold(f64::INFINITY, f64::min), seconds)
}

/// The middle value.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

/// Seconds to read a buffer once with all threads.
pub(crate) fn read_seconds(values: &[Vec<f32>]) -> (f64, Vec<f64>) {
    best_of(7, || {
        let sum: f32 = values
            .par_iter()
            .flat_map(|buffer| buffer.par_chunks(1 << 18))
            .map(|chunk| {
                let mut sums = [0.0_f32; 64];
                for part in chunk.chunks_exact(64) {
                    for (sum, value) in sums.iter_mut().zip(part) {
                        *sum += value;
                    }
                }
                sums.iter().sum::<f32>()
            })
            .sum();
        std::hint::black_box(sum);
    })
}

/// Seconds of the backend's half XᵀX of 60000 × 784 single-precision numbers on all threads.
pub(crate) fn half_gram_seconds() -> (f64, Vec<f64>) {
    let (points, n) = (60_000, 784);
    let x: Vec<f32> = (0..points * n).map(|at| ((at * 2_654_435_761) >> 7 & 255) as f32).collect();
    let x = MatRef::from_row_major_slice(&x, points, n);
    let mut product = Mat::<f32>::zeros(n, n);
    best_of(5, || {
        triangular::matmul(
            product.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            x.transpose(),
            BlockStructure::Rectangular,
            x,
            BlockStructure::Rectangular,
            1.0,
            Par::rayon(0),
        );
        std::hint::black_box(product[(0, 0)]);
    })
}

/// The machine's yardsticks for a record.
pub(crate) fn describe() -> Value {
    let buffers: Vec<Vec<f32>> = (0..4).map(|k| vec![k as f32; 32 << 20]).collect();
    let (read, reads) = read_seconds(&buffers);
    let bytes: usize = buffers.iter().map(|buffer| size_of_val(buffer.as_slice())).sum();
    drop(buffers);
    let (gram, grams) = half_gram_seconds();
    json!({
        "threads": rayon::current_num_threads(),
        "read_gb_per_second": bytes as f64 / read / 1e9,
        "read_seconds_raw": reads,
        "half_gram_60000x784_f32_seconds": gram,
        "half_gram_seconds_raw": grams,
    })
}

/// The largest memory this process has held, in bytes, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The seconds that all threads of this process have computed so far, if the system reports them.
///
/// On a machine that others use at the same time it varies less than elapsed time. Threads that ended do not count.
pub(crate) fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0_u64;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(nanoseconds as f64 / 1e9)
}

/// A line for whoever waits.
#[allow(clippy::print_stderr)] // progress belongs there
pub(crate) fn tell(line: &str) {
    eprintln!("{line}");
}
