//! The little matrix arithmetic the generators need, on row-major slices.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A random stream that depends on the seed and a number only.
pub fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// One standard normal number.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The 2 × 2 matrix diag(a, b) rotated by an angle in degrees: [xx, xy, yx, yy].
pub(super) fn rotated(a: f64, b: f64, degrees: f64) -> [f64; 4] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let cross = (a - b) * sin * cos;
    [a * cos * cos + b * sin * sin, cross, cross, a * sin * sin + b * cos * cos]
}

/// Puts a square block on the diagonal of an n × n matrix, beginning at `at`.
pub(super) fn put_block(matrix: &mut [f64], n: usize, at: usize, block: &[f64], size: usize) {
    for row in 0..size {
        for column in 0..size {
            matrix[(at + row) * n + at + column] = block[row * size + column];
        }
    }
}

/// The lower Cholesky factor of a positive definite n × n matrix.
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

/// Adds a sample of N(mean, L Lᵀ) to the end of `points`.
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
