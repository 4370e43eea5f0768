//! The scaling family: five classes whose differences lie in k of n dimensions.
//!
//! The ambient covariance of class i is Q Cᵢ Qᵀ + (I − Q Qᵀ) with Q (n × k) orthonormal, and the
//! ambient mean Q μᵢ. Four informative dimensions carry means, the rest rotated 2 × 2 blocks.

mod forms;

use rayon::prelude::*;
use sqfa::Classes;

use super::DatasetError;
use super::matrix::{normal, put_block, rotated, stream};
use crate::data::{GivenMoments, GivenStatistics};
use crate::formats::Stack;

pub use forms::ScalingForm;

/// The number of classes.
pub const CLASSES: usize = 5;
/// Informative dimensions that carry the means.
const MEAN_DIMENSIONS: usize = 4;
/// How strongly each of them does.
const MEAN_SCALES: [f64; MEAN_DIMENSIONS] = [1.0, 0.85, 0.70, 0.55];
/// Angle between the blocks of neighboring classes, in degrees.
const CLASS_ANGLE: f64 = 36.0;
/// Angle between neighboring blocks of one class, in degrees.
const BLOCK_ANGLE: f64 = 11.0;

/// Rows of a dense covariance computed together.
const ROWS: usize = 8;
/// Side of the squares in which a matrix is transposed, so that both sides stay in the cache.
const TILE: usize = 64;

/// What defines one member of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyntheticFamily {
    /// Ambient dimensions n.
    pub dimensions: usize,
    /// Informative dimensions k: at least 4, even, at most n.
    pub informative: usize,
    /// Spread of the means s.
    pub spread: f64,
    /// Variance along each block's first axis.
    pub a: f64,
    /// Variance along each block's second axis.
    pub b: f64,
    /// Seed of the basis.
    pub seed: u64,
}

impl SyntheticFamily {
    /// The filter-count experiment: n = 5000, a = 1 + 6/√k, b = 1, s = 1.5, seed k.
    pub fn filter_count(informative: usize) -> Self {
        Self {
            dimensions: 5000,
            informative,
            spread: 1.5,
            a: 1.0 + 6.0 / (informative as f64).sqrt(),
            b: 1.0,
            seed: informative as u64,
        }
    }

    /// The ambient-dimension experiment: k = 8, s = 3.8, a = 2.2, b = 0.35.
    pub fn ambient(dimensions: usize) -> Self {
        Self { dimensions, informative: 8, spread: 3.8, a: 2.2, b: 0.35, seed: 8 }
    }

    /// Draws the basis and works out the informative statistics; costs 4 n k² operations.
    pub fn generate(&self) -> Result<ScalingProblem, DatasetError> {
        let (n, k) = (self.dimensions, self.informative);
        if k < MEAN_DIMENSIONS || k % 2 != 0 || k > n {
            let expected = "an even number from 4 to the number of dimensions";
            return Err(DatasetError::parameter("informative", k, expected));
        }
        for (parameter, value) in [("a", self.a), ("b", self.b)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(DatasetError::parameter(parameter, value, "a positive variance"));
            }
        }
        if !self.spread.is_finite() {
            return Err(DatasetError::parameter("spread", self.spread, "a finite number"));
        }
        let means = (0..CLASSES)
            .map(|class| {
                let position = -self.spread + self.spread * class as f64 / 2.0;
                let mut mean = vec![0.0; k];
                for (value, scale) in mean.iter_mut().zip(MEAN_SCALES) {
                    *value = position * scale;
                }
                mean
            })
            .collect();
        let covariances = (0..CLASSES)
            .map(|class| {
                let mut covariance = vec![0.0; k * k];
                for i in 0..MEAN_DIMENSIONS {
                    covariance[i * k + i] = 1.0;
                }
                for block in 0..(k - MEAN_DIMENSIONS) / 2 {
                    let degrees = CLASS_ANGLE * class as f64 + BLOCK_ANGLE * block as f64;
                    let at = MEAN_DIMENSIONS + 2 * block;
                    put_block(&mut covariance, k, at, &rotated(self.a, self.b, degrees), 2);
                }
                covariance
            })
            .collect();
        Ok(ScalingProblem { parameters: *self, basis: basis(n, k, self.seed), means, covariances })
    }
}

/// One problem of the family, in low-rank form.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingProblem {
    /// What defines it.
    pub parameters: SyntheticFamily,
    /// Q: k orthonormal columns of n numbers, column after column.
    pub basis: Vec<f64>,
    /// μ: for every class, k numbers.
    pub means: Vec<Vec<f64>>,
    /// C: for every class, k × k numbers.
    pub covariances: Vec<Vec<f64>>,
}

impl ScalingProblem {
    /// The ambient means Q μ, class after class.
    pub fn ambient_means(&self) -> Vec<f64> {
        let n = self.parameters.dimensions;
        let mut means = vec![0.0; CLASSES * n];
        for (mean, ambient) in self.means.iter().zip(means.chunks_exact_mut(n)) {
            for (&weight, column) in mean.iter().zip(self.basis.chunks_exact(n)) {
                add_scaled(ambient, weight, column);
            }
        }
        means
    }

    /// One class's ambient covariance, n × n, computed row by row; costs 2 n² k operations.
    pub fn ambient_covariance(&self, class: usize) -> Vec<f64> {
        self.dense(class, |value| value)
    }

    /// The same in single precision, without a double-precision copy.
    pub fn ambient_covariance_f32(&self, class: usize) -> Vec<f32> {
        self.dense(class, |value| value as f32)
    }

    /// All ambient statistics as dense arrays: 5 n² numbers.
    pub fn statistics(&self, single_precision: bool) -> GivenStatistics {
        let covariances = if single_precision {
            Stack::F32((0..CLASSES).map(|class| self.ambient_covariance_f32(class)).collect())
        } else {
            Stack::F64((0..CLASSES).map(|class| self.ambient_covariance(class)).collect())
        };
        GivenStatistics {
            name: format!(
                "scaling-n{}-k{}",
                self.parameters.dimensions, self.parameters.informative
            ),
            classes: Classes::numbered(CLASSES),
            dimensions: self.parameters.dimensions,
            counts: None,
            moments: GivenMoments::Central { means: self.ambient_means(), covariances },
        }
    }

    /// Q (C − I) Qᵀ + I, rounded as told: the upper half computed, the lower one copied.
    fn dense<T: Send + Default + Copy>(
        &self,
        class: usize,
        round: impl Fn(f64) -> T + Sync,
    ) -> Vec<T> {
        let n = self.parameters.dimensions;
        let weighted = self.weighted_basis(class);
        let mut matrix = vec![T::default(); n * n];
        // A few rows at a time, so that every column of Q is read from memory once for all of them.
        matrix.par_chunks_mut(ROWS * n).enumerate().for_each(|(tile, targets)| {
            let first = tile * ROWS;
            let width = n - first;
            let mut sums = vec![0.0; targets.len() / n * width];
            for (column, weights) in self.basis.chunks_exact(n).zip(weighted.chunks_exact(n)) {
                for (row, sums) in sums.chunks_exact_mut(width).enumerate() {
                    add_scaled(sums, weights[first + row], &column[first..]);
                }
            }
            let rows = targets.chunks_exact_mut(n).zip(sums.chunks_exact_mut(width));
            for (row, (target, sums)) in rows.enumerate() {
                sums[row] += 1.0;
                for (target, &value) in target[first..].iter_mut().zip(sums.iter()) {
                    *target = round(value);
                }
            }
        });
        mirror(&mut matrix, n);
        matrix
    }

    /// Q (C − I), column after column.
    fn weighted_basis(&self, class: usize) -> Vec<f64> {
        let (n, k) = (self.parameters.dimensions, self.parameters.informative);
        let covariance = &self.covariances[class];
        let mut weighted = vec![0.0; n * k];
        weighted.par_chunks_exact_mut(n).enumerate().for_each(|(j, target)| {
            for i in 0..k {
                let weight = covariance[i * k + j] - if i == j { 1.0 } else { 0.0 };
                if weight != 0.0 {
                    add_scaled(target, weight, &self.basis[i * n..(i + 1) * n]);
                }
            }
        });
        weighted
    }
}

/// Copies the upper half of a square matrix to its lower half, tile by tile.
fn mirror<T: Copy>(matrix: &mut [T], n: usize) {
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for row in top..(top + TILE).min(n) {
                for column in left..(left + TILE).min(row) {
                    matrix[row * n + column] = matrix[column * n + row];
                }
            }
        }
    }
}

/// k orthonormal columns of n numbers: Gram–Schmidt, twice, of standard normal columns.
fn basis(n: usize, k: usize, seed: u64) -> Vec<f64> {
    let mut columns: Vec<f64> = Vec::with_capacity(n * k);
    let mut rng = stream(seed, 0);
    for _ in 0..k {
        let mut column: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        for _ in 0..2 {
            let weights: Vec<f64> = columns
                .par_chunks_exact(n)
                .map(|other| other.iter().zip(&column).map(|(a, b)| a * b).sum())
                .collect();
            for (other, weight) in columns.chunks_exact(n).zip(weights) {
                add_scaled(&mut column, -weight, other);
            }
        }
        let norm = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        columns.extend(column.iter().map(|value| value / norm));
    }
    columns
}

fn add_scaled(target: &mut [f64], weight: f64, other: &[f64]) {
    for (target, other) in target.iter_mut().zip(other) {
        *target += weight * other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_orthonormal_and_the_covariance_acts_as_defined() {
        let problem =
            SyntheticFamily { dimensions: 40, ..SyntheticFamily::ambient(40) }.generate().unwrap();
        let (n, k) = (40, 8);
        let column = |j: usize| &problem.basis[j * n..(j + 1) * n];
        for i in 0..k {
            for j in 0..k {
                let dot: f64 = column(i).iter().zip(column(j)).map(|(a, b)| a * b).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        for class in 0..CLASSES {
            let dense = problem.ambient_covariance(class);
            let trace: f64 = (0..n).map(|i| dense[i * n + i]).sum();
            assert!((trace - (n as f64 - 4.0 + 2.0 * (2.2 + 0.35))).abs() < 1e-12);
            for i in 0..k {
                for j in 0..k {
                    let mut value = 0.0;
                    for r in 0..n {
                        for c in 0..n {
                            value += column(i)[r] * dense[r * n + c] * column(j)[c];
                        }
                    }
                    assert!((value - problem.covariances[class][i * k + j]).abs() < 1e-13);
                }
            }
        }
        let means = problem.ambient_means();
        let first: f64 = column(0).iter().zip(&means[..n]).map(|(a, b)| a * b).sum();
        assert!((first + 3.8).abs() < 1e-13);
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (n, k) in [(100, 3), (100, 5), (4, 6)] {
            let parameters =
                SyntheticFamily { dimensions: n, informative: k, ..SyntheticFamily::ambient(n) };
            assert!(parameters.generate().is_err());
        }
        assert!(SyntheticFamily { b: 0.0, ..SyntheticFamily::ambient(50) }.generate().is_err());
    }
}
