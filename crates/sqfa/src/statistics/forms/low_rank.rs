//! A covariance of low rank plus a multiple of the identity: Φ = U diag(d) Uᵀ + s·I.
//!
//! A pass over w columns costs 4nkw flops for k columns of U.

use super::diagonal::Diagonal;
use crate::linalg::{Mat, MatMut, MatRef, add_products, transpose_times};
use crate::statistics::{Covariance, StatisticsError};

/// The matrix U diag(d) Uᵀ + s·I.
#[derive(Debug, Clone)]
pub struct LowRank {
    /// The matrix U, n × k.
    basis: Mat<f64>,
    weights: Vec<f64>,
    diagonal: Diagonal,
}

impl LowRank {
    /// Creates a diagonal covariance.
    pub(crate) fn of_variances(variances: Vec<f64>) -> Self {
        let basis = Mat::zeros(variances.len(), 0);
        Self { basis, weights: Vec::new(), diagonal: Diagonal::Each(variances) }
    }

    /// Creates a covariance from U (n × k), d (k numbers) and s.
    ///
    /// A weight may be negative if the class varies less than s in some direction. The sum must be positive
    /// semi-definite.
    ///
    /// # Errors
    ///
    /// Returns an error if U has no rows, `weights` does not have k numbers, a number is not finite, or a variance is
    /// negative.
    pub fn new(basis: Mat<f64>, weights: Vec<f64>, identity: f64) -> Result<Self, StatisticsError> {
        let (n, k) = (basis.nrows(), basis.ncols());
        if n == 0 {
            return Err(StatisticsError::Empty { points: k, dimension: n });
        }
        if weights.len() != k {
            return Err(StatisticsError::GivenShape {
                what: "weights of a low-rank covariance",
                found: weights.len(),
                expected: k,
                classes: 1,
                dimension: n,
            });
        }
        let columns = (0..k).flat_map(|j| basis.col(j).iter().copied());
        let all = columns.chain(weights.iter().copied()).chain([identity]);
        if let Some(value) = all.into_iter().find(|value| !value.is_finite()) {
            let class = "(unnamed)".to_owned();
            return Err(StatisticsError::GivenNotFinite { what: "covariance", class, value });
        }
        let form = Self { basis, weights, diagonal: Diagonal::Multiple(identity) };
        let variances = form.diagonal();
        // Round-off of the sum may make a zero variance slightly negative.
        let tolerance = 1e-9 * variances.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        match variances.iter().position(|&variance| variance < -tolerance) {
            Some(dimension) => Err(StatisticsError::NegativeVariance {
                class: "(unnamed)".to_owned(),
                dimension,
                value: variances[dimension],
            }),
            None => Ok(form),
        }
    }
}

impl Covariance for LowRank {
    fn dimension(&self) -> usize {
        self.basis.nrows()
    }

    fn multiply(&self, block: MatRef<'_, f64>, mut product: MatMut<'_, f64>, group: usize) {
        product.fill(0.0);
        // One initialization at a time, so that its bits do not depend on the others.
        let group = group.max(1);
        for first in (0..block.ncols()).step_by(group) {
            let width = group.min(block.ncols() - first);
            let columns = block.subcols(first, width);
            let mut inner = transpose_times(self.basis.as_ref(), columns);
            for j in 0..width {
                for (value, weight) in inner.as_mut().col_mut(j).iter_mut().zip(&self.weights) {
                    *value *= weight;
                }
            }
            let target = product.as_mut().subcols_mut(first, width);
            add_products(target, &[(self.basis.as_ref(), inner.as_ref())]);
        }
        self.diagonal.add_product(block, product);
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = (0..self.dimension()).map(|i| self.diagonal.at(i)).collect();
        for (j, weight) in self.weights.iter().enumerate() {
            for (sum, value) in sums.iter_mut().zip(self.basis.col(j).iter()) {
                *sum += weight * value * value;
            }
        }
        sums
    }

    fn clone_boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn rescale(&mut self, factors: &[f64]) {
        for j in 0..self.basis.ncols() {
            for (value, factor) in self.basis.as_mut().col_mut(j).iter_mut().zip(factors) {
                *value *= factor;
            }
        }
        self.diagonal.rescale(factors);
    }

    fn bytes(&self) -> usize {
        8 * (self.basis.nrows() * self.basis.ncols() + self.weights.len()) + self.diagonal.bytes()
    }

    fn flops(&self) -> f64 {
        4.0 * (self.basis.nrows() * self.basis.ncols()) as f64
    }
}
