//! Bounds on the Fisher–Rao distance that need no search.
//!
//! The lower bound is the Calvo–Oller distance √(½ Σ ln²λ), where λ are the eigenvalues of Ω =
//! [Σ+μμᵀ, μ; μᵀ, 1]. They are computed as the squared singular values of [Σ^½, μ; 0, 1] or, for
//! close pairs, from the eigenvalues of Ω − I, so that small distances keep their digits. The upper
//! bound is √J, where J = ½ Σ(λ + 1/λ − 2) + ½ μᵀ(I + Σ⁻¹)μ is the Jeffreys divergence.
//!
//! Cost: one Jacobi decomposition of order d + 1. Reference: Calvo & Oller, *J. Multivariate
//! Analysis* 35, 1990.

use super::frame::FramedPair;
use super::rotations::{norm, orthogonalize};
use crate::linalg::Real;

/// Frobenius norm of Ω − I below which the eigenvalues of Ω − I are used.
const CLOSE: f64 = 0.5;

/// Returns the Calvo–Oller distance of a pair.
pub(super) fn calvo_oller(pair: &FramedPair) -> f64 {
    let n = pair.order();
    let size = n + 1;
    let (mean, half_logs) = (&pair.mean, &pair.half_logs);
    let mut excess = vec![0.0; size * size];
    for i in 0..n {
        for j in 0..n {
            excess[i * size + j] = mean[i] * mean[j];
        }
        excess[i * size + i] += (2.0 * half_logs[i]).exp_m1();
        excess[i * size + n] = mean[i];
        excess[n * size + i] = mean[i];
    }
    let sum: f64 = if norm(&excess) < CLOSE {
        let mut vectors = vec![0.0; size * size];
        f64::eigen(&mut excess, &mut vectors, size);
        (0..size).map(|i| excess[i * size + i].ln_1p().powi(2)).sum()
    } else {
        let mut rows = vec![0.0; size * size];
        for i in 0..n {
            rows[i * size + i] = half_logs[i].exp();
            rows[i * size + n] = mean[i];
        }
        rows[n * size + n] = 1.0;
        orthogonalize(&mut rows, size, &mut [], 0, size);
        rows.chunks_exact(size).map(|row| 4.0 * norm(row).ln().powi(2)).sum()
    };
    (0.5 * sum).sqrt()
}

/// Returns the square root of the Jeffreys divergence of a pair.
pub(super) fn root_jeffreys(pair: &FramedPair) -> f64 {
    let terms = pair.mean.iter().zip(&pair.half_logs).map(|(mean, half_log)| {
        2.0 * half_log.sinh().powi(2) + 0.5 * mean * mean * (1.0 + (-2.0 * half_log).exp())
    });
    terms.sum::<f64>().sqrt()
}
