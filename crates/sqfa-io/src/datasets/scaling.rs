//! The scaling family: problems with five classes that differ in k of n dimensions.
//!
//! The covariance of class i is Q Cᵢ Qᵀ + (I − Q Qᵀ) and its mean is Q μᵢ, where Q (n × k) is
//! orthonormal. Means differ in four of the informative dimensions, and the others consist of
//! rotated 2 × 2 blocks.

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
/// The number of informative dimensions in which means differ.
const MEAN_DIMENSIONS: usize = 4;
/// The scale of the means in each of these dimensions.
const MEAN_SCALES: [f64; MEAN_DIMENSIONS] = [1.0, 0.85, 0.70, 0.55];
/// The angle between the blocks of neighboring classes, in degrees.
const CLASS_ANGLE: f64 = 36.0;
/// The angle between neighboring blocks of one class, in degrees.
const BLOCK_ANGLE: f64 = 11.0;

/// The number of rows of a dense covariance that are computed together.
const ROWS: usize = 8;
/// The side length of the tiles in which a matrix is transposed, so that both tiles stay in the
/// cache.
const TILE: usize = 64;

/// The parameters of a problem of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyntheticFamily {
    /// The number of dimensions n.
    pub dimensions: usize,
    /// The number of informative dimensions k, which is even and between 4 and n.
    pub informative: usize,
    /// The spread s of the means.
    pub spread: f64,
    /// The variance along the first axis of each block.
    pub a: f64,
    /// The variance along the second axis of each block.
    pub b: f64,
    /// The seed of the basis.
    pub seed: u64,
}

impl SyntheticFamily {
    /// Returns the parameters of the experiment on the number of filters: n = 5000, a = 1 + 6/√k, b
    /// = 1, s = 1.5, seed k.
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

    /// Returns the parameters of the experiment on the number of dimensions: k = 8, s = 3.8, a =
    /// 2.2, b = 0.35.
    pub fn ambient(dimensions: usize) -> Self {
        Self { dimensions, informative: 8, spread: 3.8, a: 2.2, b: 0.35, seed: 8 }
    }

    /// Generates the basis and the statistics of the informative dimensions. The cost is 4nk²
    /// operations.
    ///
    /// # Errors
    ///
    /// If a parameter is outside of its allowed range.
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

/// A problem of the family in low-rank form.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingProblem {
    /// The parameters of the problem.
    pub parameters: SyntheticFamily,
    /// The basis Q: k orthonormal columns of n numbers, in column-major order.
    pub basis: Vec<f64>,
    /// The means μ, with k numbers per class.
    pub means: Vec<Vec<f64>>,
    /// The covariances C, with k × k numbers per class.
    pub covariances: Vec<Vec<f64>>,
}

impl ScalingProblem {
    /// Returns the means Q μ in n dimensions, class by class.
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

    /// Returns the n × n covariance of one class. The cost is 2n²k operations.
    pub fn ambient_covariance(&self, class: usize) -> Vec<f64> {
        self.dense(class, |value| value)
    }

    /// Returns the n × n covariance of one class in single precision, without a copy in double
    /// precision.
    pub fn ambient_covariance_f32(&self, class: usize) -> Vec<f32> {
        self.dense(class, |value| value as f32)
    }

    /// Returns all statistics as dense arrays of 5n² numbers.
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

    /// Returns Q (C − I) Qᵀ + I in a given precision. Only the upper triangle is computed and then
    /// copied.
    fn dense<T: Send + Default + Copy>(
        &self,
        class: usize,
        round: impl Fn(f64) -> T + Sync,
    ) -> Vec<T> {
        let n = self.parameters.dimensions;
        let weighted = self.weighted_basis(class);
        let mut matrix = vec![T::default(); n * n];
        // A few rows are computed at once, so that each column of Q is read from memory once for
        // all of them.
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

    /// Returns Q (C − I) in column-major order.
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

/// Copies the upper triangle of a square matrix to its lower triangle, tile by tile.
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

/// Returns k orthonormal columns of n numbers: standard normal columns after two rounds of
/// Gram–Schmidt.
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
