//! The three hot kernels against what the machine can do at best.

use serde_json::{Value, json};
use sqfa::distance::mean_distance;
use sqfa::statistics::{Covariance, Dense};
use sqfa::{ClassStatistics, Classes, Distance, Estimator, Gaussians, Labels, Mat, Points, Table};

use crate::machine::{best_of, half_gram_seconds, read_seconds};

pub(crate) fn run() -> Value {
    json!({ "pass": pass(), "pairs": pairs(), "statistics": statistics() })
}

/// One pass over dense f32 covariances, n = 5000, c = 5, m = 8, against reading those bytes once.
fn pass() -> Value {
    let (n, classes, m) = (5000, 5, 8);
    let entries: Vec<Vec<f32>> = (0..classes)
        .map(|class| (0..n * n).map(|at| ((at * 31 + class) % 97) as f32 / 97.0).collect())
        .collect();
    let (read, reads) = read_seconds(&entries);
    let covariances: Vec<Dense<f32>> =
        entries.into_iter().filter_map(|entries| Dense::new(entries, n)).collect();
    let block = Mat::from_fn(n, m, |i, j| ((i * 7 + j * 3) % 11) as f64 - 5.0);
    let (seconds, raw) = best_of(9, || {
        for covariance in &covariances {
            let mut product = Mat::zeros(n, m);
            covariance.multiply(block.as_ref(), product.as_mut(), m);
            std::hint::black_box(product[(0, 0)]);
        }
    });
    json!({
        "what": "n=5000 c=5 m=8 dense f32",
        "seconds": seconds, "seconds_raw": raw,
        "read_once_seconds": read, "read_raw": reads,
        "ratio": seconds / read, "target_ratio": 1.6,
    })
}

/// Value and gradient for the 820 pairs of 41 classes at m = 8.
fn pairs() -> Value {
    let (classes, m) = (41, 8);
    let mut state = 1_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    let mut means = Vec::new();
    let mut covariances = Vec::new();
    for _ in 0..classes {
        means.extend((0..m).map(|_| random()));
        let root: Vec<f64> = (0..m * m).map(|_| random()).collect();
        for i in 0..m {
            for j in 0..m {
                let sum: f64 = (0..m).map(|k| root[i * m + k] * root[j * m + k]).sum();
                covariances.push(sum + if i == j { 0.1 } else { 0.0 });
            }
        }
    }
    let gaussians = match Gaussians::new(m, means, covariances) {
        Ok(gaussians) => gaussians,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    let rows: Vec<Value> =
        ["calvo-oller", "affine-invariant", "hellinger", "jeffreys", "wasserstein"]
            .iter()
            .map(|name| {
                let distance = match Distance::named(name) {
                    Ok(distance) => distance,
                    Err(error) => return json!({ "error": error.to_string() }),
                };
                let (seconds, raw) = best_of(50, || {
                    let _ = std::hint::black_box(mean_distance(&distance, &gaussians));
                });
                json!({ "distance": name, "milliseconds": 1e3 * seconds, "seconds_raw": raw })
            })
            .collect();
    json!({ "what": "820 pairs, m=8, value and gradient", "target_milliseconds": 4.0, "rows": rows })
}

/// Class statistics of MNIST's size from bytes against the backend's half XᵀX of that size.
fn statistics() -> Value {
    let (points, n) = (60_000, 784);
    let pixels: Vec<u8> =
        (0..points * n).map(|at| ((at * 2_654_435_761) >> 7 & 255) as u8).collect();
    let codes: Vec<u32> = (0..points).map(|row| ((row * 7919) % 10) as u32).collect();
    let labels = Labels::from_codes(Classes::numbered(10), codes);
    let (Some(table), Some(labels)) = (Table::row_major(&pixels, points, n), labels) else {
        return Value::Null;
    };
    let (seconds, raw) = best_of(5, || {
        let statistics =
            ClassStatistics::from_points(Points::U8(table), &labels, Estimator::Empirical);
        let _ = std::hint::black_box(statistics);
    });
    let floats: Vec<f32> = pixels.iter().map(|&value| f32::from(value) / 255.0).collect();
    let single = Table::row_major(&floats, points, n).map(|table| {
        best_of(3, || {
            let statistics =
                ClassStatistics::from_points(Points::F32(table), &labels, Estimator::Empirical);
            let _ = std::hint::black_box(statistics);
        })
    });
    let (gram, _) = half_gram_seconds();
    json!({
        "what": "60000 x 784 bytes, 10 classes",
        "seconds": seconds, "seconds_raw": raw,
        "f32_seconds": single.map(|(seconds, _)| seconds),
        "half_gram_seconds": gram,
        "ratio": seconds / gram, "target_ratio": 1.6,
    })
}
