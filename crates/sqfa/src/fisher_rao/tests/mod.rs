//! Tests of the module, one file per subject, and the random Gaussians they share.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod bad_input;
mod bounds;
mod closed_forms;
mod curvature;
mod geodesics;
mod gradients;
mod invariances;
mod oracle;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::geodesic::GaussianPoint;
use super::solve::{FisherRao, FisherRaoOptions, fisher_rao};

fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// Returns a square matrix of independent normal numbers.
fn square(rng: &mut ChaCha8Rng, order: usize) -> Vec<f64> {
    (0..order * order).map(|_| normal(rng)).collect()
}

/// Returns a random rotation, by Gram–Schmidt orthogonalization of normal rows.
fn rotation(rng: &mut ChaCha8Rng, order: usize) -> Vec<f64> {
    let mut rows = square(rng, order);
    for i in 0..order {
        for _ in 0..2 {
            for j in 0..i {
                let share: f64 =
                    (0..order).map(|k| rows[i * order + k] * rows[j * order + k]).sum();
                for k in 0..order {
                    rows[i * order + k] -= share * rows[j * order + k];
                }
            }
        }
        let size = (0..order).map(|k| rows[i * order + k].powi(2)).sum::<f64>().sqrt();
        for k in 0..order {
            rows[i * order + k] /= size;
        }
    }
    rows
}

/// Returns a random Gaussian whose covariance has the given condition number and whose mean is
/// about `shift` standard deviations from 0.
fn gaussian(rng: &mut ChaCha8Rng, order: usize, shift: f64, condition: f64) -> GaussianPoint {
    let axes = rotation(rng, order);
    let logs: Vec<f64> = (0..order)
        .map(|i| match i {
            0 => -0.5,
            1 => 0.5,
            _ => rng.random_range(-0.5..0.5),
        })
        .map(|share: f64| share * condition.ln())
        .collect();
    let mut covariance = vec![0.0; order * order];
    for k in 0..order {
        for i in 0..order {
            for j in 0..order {
                covariance[i * order + j] +=
                    logs[k].exp() * axes[k * order + i] * axes[k * order + j];
            }
        }
    }
    GaussianPoint { mean: (0..order).map(|_| shift * normal(rng)).collect(), covariance }
}

fn solve(p: &GaussianPoint, q: &GaussianPoint) -> FisherRao {
    fisher_rao(p.view(), q.view(), &FisherRaoOptions::default()).unwrap()
}

/// Returns the distribution of b + Az if z has the distribution `p`.
fn transformed(p: &GaussianPoint, matrix: &[f64], shift: &[f64]) -> GaussianPoint {
    let n = p.mean.len();
    let mut mean = shift.to_vec();
    let mut half = vec![0.0; n * n];
    let mut covariance = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            mean[i] += matrix[i * n + j] * p.mean[j];
            half[i * n + j] = (0..n).map(|k| matrix[i * n + k] * p.covariance[k * n + j]).sum();
        }
    }
    for i in 0..n {
        for j in 0..=i {
            let value = (0..n).map(|k| half[i * n + k] * matrix[j * n + k]).sum();
            covariance[i * n + j] = value;
            covariance[j * n + i] = value;
        }
    }
    GaussianPoint { mean, covariance }
}

#[track_caller]
fn assert_close(value: f64, expected: f64, relative: f64) {
    let error = (value - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(error <= relative, "{value} is not {expected}: relative error {error:e}");
}
