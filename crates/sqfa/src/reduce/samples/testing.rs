//! Helpers of the tests of these methods: seeded classes and plain linear algebra.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::labels::Labels;
use crate::linalg::{Mat, MatRef, orthonormalize};
use crate::points::{Points, Table};

/// Labeled samples of Gaussian classes with different means and covariances, in alternating order.
pub(super) struct Drawn {
    pub(super) values: Vec<f64>,
    pub(super) columns: usize,
    pub(super) labels: Labels,
}

impl Drawn {
    pub(super) fn new(counts: &[usize], columns: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let classes: Vec<(Vec<f64>, Vec<f64>)> = counts
            .iter()
            .map(|_| {
                let mean = (0..columns).map(|_| normal()).collect();
                (mean, (0..columns).map(|_| normal().exp()).collect())
            })
            .collect();
        let (mut values, mut names) = (Vec::new(), Vec::new());
        for turn in 0..counts.iter().copied().max().unwrap_or(0) {
            for (class, (mean, scale)) in classes.iter().enumerate() {
                if turn < counts[class] {
                    names.push(class as i64);
                    values.extend((0..columns).map(|j| mean[j] + scale[j] * normal()));
                }
            }
        }
        Self { values, columns, labels: Labels::from_integers(&names) }
    }

    pub(super) fn rows(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub(super) fn points(&self) -> Points<'_> {
        Points::F64(Table::row_major(&self.values, self.rows(), self.columns).unwrap())
    }

    /// Returns samples with the same labels, after a map of every row.
    pub(super) fn mapped(&self, map: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let values: Vec<f64> = (0..self.rows()).flat_map(|row| map(self.row(row))).collect();
        Self { columns: values.len() / self.rows(), values, labels: self.labels.clone() }
    }

    pub(super) fn code(&self, row: usize) -> u32 {
        self.labels.codes()[row]
    }

    pub(super) fn square(&self, a: usize, b: usize) -> f64 {
        self.row(a).iter().zip(self.row(b)).map(|(x, y)| (x - y).powi(2)).sum()
    }
}

/// Returns a matrix of independent normal numbers.
pub(super) fn normals(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut rng))
}

/// Returns how far the first subspace is from being contained in the second: 0 if it is, 1 for an
/// orthogonal direction.
pub(super) fn subspace_gap(inside: MatRef<'_, f64>, of: MatRef<'_, f64>) -> f64 {
    let (inside, of) = (orthonormalize(inside).unwrap(), orthonormalize(of).unwrap());
    let rest = &inside - &of * (of.transpose() * &inside);
    rest.norm_l2()
}
