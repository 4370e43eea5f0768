//! Matrix operations on row-major slices that the generators need.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Returns a random number generator that depends only on the seed and a stream number.
pub fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// Returns a standard normal number.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Returns the 2 × 2 matrix diag(a, b) rotated by an angle in degrees, as [xx, xy, yx, yy].
pub(super) fn rotated(a: f64, b: f64, degrees: f64) -> [f64; 4] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let cross = (a - b) * sin * cos;
    [a * cos * cos + b * sin * sin, cross, cross, a * sin * sin + b * cos * cos]
}

/// Copies a square block to the diagonal of an n × n matrix, starting at index `at`.
pub(super) fn put_block(matrix: &mut [f64], n: usize, at: usize, block: &[f64], size: usize) {
    for row in 0..size {
        for column in 0..size {
            matrix[(at + row) * n + at + column] = block[row * size + column];
        }
    }
}

/// Returns the lower Cholesky factor of a positive definite n × n matrix.
pub fn cholesky(matrix: &[f64], n: usize) -> Vec<f64> {
    let mut lower = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..=row {
            let mut sum = matrix[row * n + column];
            for k in 0..column {
                sum -= lower[row * n + k] * lower[column * n + k];
            }
            lower[row * n + column] =
                if row == column { sum.max(0.0).sqrt() } else { sum / lower[column * n + column] };
        }
    }
    lower
}

/// Appends a sample of N(mean, L Lᵀ) to `points`.
pub(super) fn sample_gaussian(
    mean: &[f64],
    lower: &[f64],
    rng: &mut ChaCha8Rng,
    points: &mut Vec<f64>,
) {
    let n = mean.len();
    let white: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
    points.extend(
        (0..n).map(|row| mean[row] + (0..=row).map(|k| lower[row * n + k] * white[k]).sum::<f64>()),
    );
}
