//! An independent implementation for comparison: shooting with the geodesic equations μ″ = Σ′Σ⁻¹μ′
//! and Σ″ = Σ′Σ⁻¹Σ′ − μ′μ′ᵀ.
//!
//! It integrates from the first Gaussian with a fourth-order Runge–Kutta method and solves for the
//! initial velocity by Newton steps with finite differences. The target moves from the first
//! Gaussian to the second in stages, so that the search follows the right branch.

use super::{assert_close, gaussian, generator, solve};
use crate::fisher_rao::geodesic::GaussianPoint;

const STEPS: usize = 100;

/// Solves AX = B for X by elimination with pivoting, where B has `columns` columns.
fn eliminate(matrix: &[f64], right: &[f64], order: usize, columns: usize) -> Vec<f64> {
    let (mut a, mut b) = (matrix.to_vec(), right.to_vec());
    for k in 0..order {
        let pivot = (k..order)
            .max_by(|&i, &j| a[i * order + k].abs().total_cmp(&a[j * order + k].abs()))
            .unwrap();
        for j in 0..order {
            a.swap(k * order + j, pivot * order + j);
        }
        for j in 0..columns {
            b.swap(k * columns + j, pivot * columns + j);
        }
        for i in 0..order {
            if i == k {
                continue;
            }
            let ratio = a[i * order + k] / a[k * order + k];
            for j in k..order {
                a[i * order + j] -= ratio * a[k * order + j];
            }
            for j in 0..columns {
                b[i * columns + j] -= ratio * b[k * columns + j];
            }
        }
    }
    for i in 0..order {
        for j in 0..columns {
            b[i * columns + j] /= a[i * order + i];
        }
    }
    b
}

/// Returns the derivative of the state (μ, Σ, μ′, Σ′).
fn flow(state: &[f64], n: usize) -> Vec<f64> {
    let size = n + n * n;
    let (sigma, speed, bend) = (&state[n..size], &state[size..size + n], &state[size + n..]);
    let mut columns = vec![0.0; n * (n + 1)];
    for i in 0..n {
        columns[i * (n + 1)..][..n].copy_from_slice(&bend[i * n..][..n]);
        columns[i * (n + 1) + n] = speed[i];
    }
    // Σ⁻¹[Σ′, μ′]
    let solved = eliminate(sigma, &columns, n, n + 1);
    let mut result = state[size..].to_vec();
    for i in 0..n {
        result.push((0..n).map(|k| bend[i * n + k] * solved[k * (n + 1) + n]).sum());
    }
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..n).map(|k| bend[i * n + k] * solved[k * (n + 1) + j]).sum();
            result.push(product - speed[i] * speed[j]);
        }
    }
    result
}

fn shoot(p: &GaussianPoint, velocity: &[f64]) -> Vec<f64> {
    let n = p.mean.len();
    let mut state: Vec<f64> = p.mean.iter().chain(&p.covariance).copied().collect();
    state.extend(&velocity[..n]);
    for i in 0..n {
        for j in 0..n {
            state.push(velocity[n + packed(i, j)]);
        }
    }
    let step = 1.0 / STEPS as f64;
    let moved = |state: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
        state.iter().zip(slope).map(|(x, v)| x + by * v).collect()
    };
    for _ in 0..STEPS {
        let a = flow(&state, n);
        let b = flow(&moved(&state, &a, 0.5 * step), n);
        let c = flow(&moved(&state, &b, 0.5 * step), n);
        let d = flow(&moved(&state, &c, step), n);
        for i in 0..state.len() {
            state[i] += step / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
        }
    }
    free(&state[..n], &state[n..n + n * n])
}

fn packed(i: usize, j: usize) -> usize {
    let (low, high) = (i.min(j), i.max(j));
    high * (high + 1) / 2 + low
}

/// Returns the mean and the lower triangle of the covariance in one vector.
fn free(mean: &[f64], covariance: &[f64]) -> Vec<f64> {
    let n = mean.len();
    let mut values = mean.to_vec();
    for i in 0..n {
        for j in 0..=i {
            values.push(covariance[i * n + j]);
        }
    }
    values
}

/// Returns the length of the geodesic from `p` to `q`, or `None` if the shooting does not converge.
fn oracle(p: &GaussianPoint, q: &GaussianPoint) -> Option<f64> {
    let n = p.mean.len();
    let (from, to) = (free(&p.mean, &p.covariance), free(&q.mean, &q.covariance));
    let size = from.len();
    let mut velocity = vec![0.0; size];
    let stages = 6;
    for stage in 1..=stages {
        let share = stage as f64 / stages as f64;
        let target: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + share * (b - a)).collect();
        let mut gap = f64::INFINITY;
        // Intermediate targets only have to keep Newton's method in its basin of convergence.
        let goal = if stage == stages { 1e-10 } else { 1e-3 };
        for _ in 0..30 {
            let end = shoot(p, &velocity);
            let rest: Vec<f64> = target.iter().zip(&end).map(|(a, b)| a - b).collect();
            gap = rest.iter().fold(0.0, |worst: f64, value| worst.max(value.abs()));
            if gap <= goal {
                break;
            }
            let mut jacobian = vec![0.0; size * size];
            for column in 0..size {
                let mut nudged = velocity.clone();
                nudged[column] += 1e-6;
                for (row, value) in shoot(p, &nudged).iter().enumerate() {
                    jacobian[row * size + column] = (value - end[row]) / 1e-6;
                }
            }
            let step = eliminate(&jacobian, &rest, size, 1);
            velocity.iter_mut().zip(&step).for_each(|(v, s)| *v += s);
        }
        if gap > goal || gap.is_nan() {
            return None;
        }
    }
    let bend: Vec<f64> = (0..n * n).map(|at| velocity[n + packed(at / n, at % n)]).collect();
    let x = eliminate(&p.covariance, &velocity[..n], n, 1);
    let y = eliminate(&p.covariance, &bend, n, n);
    let mut square: f64 = (0..n).map(|i| x[i] * velocity[i]).sum();
    for i in 0..n {
        for j in 0..n {
            square += 0.5 * y[i * n + j] * y[j * n + i];
        }
    }
    Some(square.sqrt())
}

#[test]
fn random_pairs_agree_with_shooting() {
    let mut rng = generator(20);
    for order in 1..=6 {
        let wanted = if order < 5 { 8 } else { 3 };
        let mut agreed = 0;
        for _ in 0..2 * wanted {
            let p = gaussian(&mut rng, order, 0.7, 6.0);
            let q = gaussian(&mut rng, order, 0.7, 6.0);
            let Some(expected) = oracle(&p, &q) else { continue };
            let found = solve(&p, &q);
            assert!(found.converged);
            assert_close(found.distance, expected, 1e-7);
            agreed += 1;
            if agreed == wanted {
                break;
            }
        }
        assert_eq!(agreed, wanted, "the oracle failed too often at order {order}");
    }
}
