//! What the integration tests share: seeded Gaussians, every distance there is, and plain linear
//! algebra written apart from the library's.

#![allow(dead_code)] // each test binary uses the part it needs

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::distance::{Claims, PairGradient, registry};
use sqfa::features::Gaussian;
use sqfa::{Distance, Gaussians};

/// Added to the diagonal of random covariances, so that their condition number stays below about 20.
const RIDGE: f64 = 0.4;

/// One way to spell a distance of the registry, with what it promises in this form.
pub(crate) struct Case {
    pub(crate) distance: Distance,
    pub(crate) claims: Claims,
}

impl Case {
    pub(crate) fn name(&self) -> &str {
        self.distance.name()
    }
}

/// Distances found by a search: they have a contract of their own (`distances/searched.rs`).
pub(crate) fn searched() -> Vec<&'static str> {
    registry().iter().filter(|entry| entry.claims.searched).map(|entry| entry.name).collect()
}

/// Every distance of the registry that is a formula, in every form it takes.
pub(crate) fn every_distance() -> Vec<Case> {
    let formulas = registry().iter().filter(|entry| !entry.claims.searched);
    formulas
        .flat_map(|entry| entry.forms())
        .map(|form| {
            let distance = Distance::named(&form).unwrap();
            let claims = distance.claims().unwrap();
            Case { distance, claims }
        })
        .collect()
}

/// A distance by name, between two Gaussians.
pub(crate) fn between(name: &str, p: &Normal, q: &Normal) -> f64 {
    Distance::named(name).unwrap().evaluate(p.view(), q.view(), None)
}

/// A random stream whose seed is written where it is used.
pub(crate) fn stream(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Independent standard normal numbers.
pub(crate) fn normals(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(rng)).collect()
}

/// A Gaussian that owns its numbers; the covariance is row-major.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Normal {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Vec<f64>,
}

impl Normal {
    pub(crate) fn order(&self) -> usize {
        self.mean.len()
    }

    pub(crate) fn view(&self) -> Gaussian<'_> {
        Gaussian { order: self.order(), mean: &self.mean, covariance: &self.covariance }
    }

    /// A Gaussian on the line.
    pub(crate) fn scalar(mean: f64, variance: f64) -> Self {
        Self { mean: vec![mean], covariance: vec![variance] }
    }

    /// A Gaussian with independent coordinates.
    pub(crate) fn diagonal(mean: &[f64], variances: &[f64]) -> Self {
        Self { mean: mean.to_vec(), covariance: diagonal(variances) }
    }

    /// A Gaussian whose numbers are drawn, with a condition number below about 20.
    pub(crate) fn random(order: usize, rng: &mut ChaCha8Rng) -> Self {
        let root = normals(order * order, rng);
        let mut covariance = product(&root, &transposed(&root, order), order);
        for i in 0..order {
            for j in 0..order {
                covariance[i * order + j] /= order as f64;
            }
            covariance[i * order + i] += RIDGE;
        }
        Self { mean: normals(order, rng), covariance }
    }

    /// The image under x ↦ map·x + shift.
    pub(crate) fn mapped(&self, map: &[f64], shift: &[f64]) -> Self {
        let order = self.order();
        let mean = times(map, &self.mean);
        let half = product(map, &self.covariance, order);
        Self {
            mean: mean.iter().zip(shift).map(|(mean, shift)| mean + shift).collect(),
            covariance: symmetric(product(&half, &transposed(map, order), order), order),
        }
    }

    /// The Gaussian a step away: mean + h·v, covariance + h·V.
    pub(crate) fn moved(&self, step: f64, mean: &[f64], covariance: &[f64]) -> Self {
        let add = |from: &[f64], by: &[f64]| {
            from.iter().zip(by).map(|(from, by)| from + step * by).collect()
        };
        Self { mean: add(&self.mean, mean), covariance: add(&self.covariance, covariance) }
    }
}

/// A set of Gaussians.
pub(crate) fn set(normals: &[Normal]) -> Gaussians {
    Gaussians::new(
        normals[0].order(),
        normals.iter().flat_map(|normal| normal.mean.clone()).collect(),
        normals.iter().flat_map(|normal| normal.covariance.clone()).collect(),
    )
    .unwrap()
}

/// A distance and its derivatives.
pub(crate) fn gradient(distance: &Distance, p: &Normal, q: &Normal) -> (f64, PairGradient) {
    let mut slopes = PairGradient::zeros(p.order());
    let value = distance.evaluate(p.view(), q.view(), Some(&mut slopes));
    (value, slopes)
}

/// All the numbers of a derivative, one after the other.
pub(crate) fn flat(slopes: &PairGradient) -> Vec<f64> {
    [&slopes.mean_a, &slopes.cov_a, &slopes.mean_b, &slopes.cov_b]
        .into_iter()
        .flatten()
        .copied()
        .collect()
}

pub(crate) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// |x − y| relative to the larger of the two; 0 when both are 0.
pub(crate) fn gap(x: f64, y: f64) -> f64 {
    if x == y { 0.0 } else { (x - y).abs() / x.abs().max(y.abs()) }
}

#[track_caller]
pub(crate) fn assert_close(x: f64, y: f64, tolerance: f64, what: &str) {
    assert!(gap(x, y) <= tolerance, "{what}: {x:e} and {y:e} differ by {:e}", gap(x, y));
}

pub(crate) fn diagonal(values: &[f64]) -> Vec<f64> {
    let order = values.len();
    let mut matrix = vec![0.0; order * order];
    for (i, value) in values.iter().enumerate() {
        matrix[i * order + i] = *value;
    }
    matrix
}

pub(crate) fn transposed(matrix: &[f64], order: usize) -> Vec<f64> {
    (0..order * order).map(|at| matrix[at % order * order + at / order]).collect()
}

pub(crate) fn product(left: &[f64], right: &[f64], order: usize) -> Vec<f64> {
    let entry = |at: usize| {
        (0..order).map(|k| left[at / order * order + k] * right[k * order + at % order]).sum()
    };
    (0..order * order).map(entry).collect()
}

pub(crate) fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix
        .chunks(vector.len())
        .map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
        .collect()
}

pub(crate) fn symmetric(matrix: Vec<f64>, order: usize) -> Vec<f64> {
    let other = transposed(&matrix, order);
    matrix.iter().zip(other).map(|(a, b)| 0.5 * (a + b)).collect()
}

/// The inverse by Gauss–Jordan elimination with row pivoting.
pub(crate) fn inverse(matrix: &[f64], order: usize) -> Vec<f64> {
    let mut left = matrix.to_vec();
    let mut right = diagonal(&vec![1.0; order]);
    for column in 0..order {
        let size = |row: &usize| left[row * order + column].abs();
        let pivot = (column..order).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
        for matrix in [&mut left, &mut right] {
            for k in 0..order {
                matrix.swap(column * order + k, pivot * order + k);
            }
        }
        let scale = left[column * order + column];
        for matrix in [&mut left, &mut right] {
            matrix[column * order..][..order].iter_mut().for_each(|value| *value /= scale);
        }
        for row in (0..order).filter(|&row| row != column) {
            let factor = left[row * order + column];
            for matrix in [&mut left, &mut right] {
                for k in 0..order {
                    matrix[row * order + k] -= factor * matrix[column * order + k];
                }
            }
        }
    }
    right
}

/// A random orthogonal matrix: normal columns made orthonormal one after the other, twice.
pub(crate) fn rotation(order: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < order {
        let mut row = normals(order, rng);
        for _ in 0..2 {
            for done in &rows {
                let along: f64 = row.iter().zip(done).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(done).for_each(|(value, done)| *value -= along * done);
            }
            let length = norm(&row);
            row.iter_mut().for_each(|value| *value /= length);
        }
        rows.push(row);
    }
    rows.concat()
}

/// A random invertible matrix whose singular values lie between ½ and 2.
pub(crate) fn invertible(order: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let stretch: Vec<f64> =
        normals(order, rng).into_iter().map(|value| 2.0_f64.powf(value.sin())).collect();
    let turned = product(&rotation(order, rng), &diagonal(&stretch), order);
    product(&turned, &rotation(order, rng), order)
}
