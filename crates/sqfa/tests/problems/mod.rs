//! What the tests of statistics and fits share: labeled points, given statistics, comparisons of filters,
//! and an eigensolver written apart from the library's.

#![allow(dead_code)] // each test binary uses the part it needs

use sqfa::distance::mean_distance;
use sqfa::optimize::Stopping;
use sqfa::statistics::{GivenMatrices, project};
use sqfa::{ClassStatistics, Classes, Distance, Labels, Mat, MatRef, Points, Sqfa, Table};

use crate::common::{Normal, diagonal, norm, normals, stream, transposed};

/// Labeled points in double precision, one a row.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
    pub(crate) labels: Labels,
}

impl Sample {
    /// Points of Gaussian classes whose means and covariances differ; classes take turns.
    pub(crate) fn draw(counts: &[usize], columns: usize, seed: u64) -> Self {
        let mut rng = stream(seed);
        let classes: Vec<(Vec<f64>, Vec<f64>)> = counts
            .iter()
            .map(|_| (normals(columns, &mut rng), normals(columns * columns, &mut rng)))
            .collect();
        let mut left = counts.to_vec();
        let (mut values, mut names) = (Vec::new(), Vec::new());
        while left.iter().any(|&count| count > 0) {
            for (class, (mean, root)) in classes.iter().enumerate() {
                if left[class] == 0 {
                    continue;
                }
                left[class] -= 1;
                names.push(class as i64);
                let point = normals(columns, &mut rng);
                values.extend((0..columns).map(|i| {
                    let row = &root[i * columns..][..columns];
                    let mixed: f64 = row.iter().zip(&point).map(|(a, b)| a * b).sum();
                    2.0 * mean[i] + mixed / (columns as f64).sqrt() + 0.3 * point[i]
                }));
            }
        }
        Self { columns, values, labels: Labels::from_integers(&names) }
    }

    pub(crate) fn rows(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub(crate) fn points(&self) -> Points<'_> {
        Table::row_major(&self.values, self.rows(), self.columns).unwrap().into()
    }

    pub(crate) fn statistics(&self) -> ClassStatistics {
        ClassStatistics::from_points(self.points(), &self.labels, Default::default()).unwrap()
    }

    /// The same labels on other values.
    pub(crate) fn mapped(&self, columns: usize, map: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let values = (0..self.rows()).flat_map(|row| map(self.row(row))).collect();
        Self { columns, values, labels: self.labels.clone() }
    }

    /// Rounded to single precision, and back for comparisons.
    pub(crate) fn singles(&self) -> (Vec<f32>, Self) {
        let singles: Vec<f32> = self.values.iter().map(|&value| value as f32).collect();
        let back = self
            .mapped(self.columns, |row| row.iter().map(|&value| f64::from(value as f32)).collect());
        (singles, back)
    }

    /// Scaled to bytes about 110, and back for comparisons.
    pub(crate) fn bytes(&self) -> (Vec<u8>, Self) {
        let byte = |value: &f64| (110.0 + 30.0 * value).clamp(0.0, 255.0).round() as u8;
        let bytes: Vec<u8> = self.values.iter().map(byte).collect();
        let back = self
            .mapped(self.columns, |row| row.iter().map(|value| f64::from(byte(value))).collect());
        (bytes, back)
    }

    /// Count, mean and covariance (divisor N − 1) of every class, by the definition in two passes.
    pub(crate) fn naive(&self) -> Vec<(u64, Vec<f64>, Vec<f64>)> {
        (0..self.labels.classes().len())
            .map(|class| {
                let rows: Vec<&[f64]> = (0..self.rows())
                    .filter(|&row| self.labels.codes()[row] as usize == class)
                    .map(|row| self.row(row))
                    .collect();
                let (mean, covariance) = naive_moments(&rows, self.columns);
                (rows.len() as u64, mean, covariance)
            })
            .collect()
    }

    /// Mean and covariance of all points together.
    pub(crate) fn naive_total(&self) -> (Vec<f64>, Vec<f64>) {
        let rows: Vec<&[f64]> = (0..self.rows()).map(|row| self.row(row)).collect();
        naive_moments(&rows, self.columns)
    }
}

fn naive_moments(rows: &[&[f64]], n: usize) -> (Vec<f64>, Vec<f64>) {
    let count = rows.len() as f64;
    let mean: Vec<f64> =
        (0..n).map(|i| rows.iter().map(|row| row[i]).sum::<f64>() / count).collect();
    let mut covariance = vec![0.0; n * n];
    for row in rows {
        for i in 0..n {
            for j in 0..n {
                covariance[i * n + j] += (row[i] - mean[i]) * (row[j] - mean[j]) / (count - 1.0);
            }
        }
    }
    (mean, covariance)
}

/// The entries of a class covariance in double precision.
pub(crate) fn entries(statistics: &ClassStatistics, class: usize) -> Vec<f64> {
    statistics.covariances()[class].entries().unwrap().to_full()
}

pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// The largest difference of two lists.
#[track_caller]
pub(crate) fn worst(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    largest(x.iter().zip(y).map(|(x, y)| x - y))
}

/// Statistics of known Gaussians, in double precision and without counts.
pub(crate) fn given(classes: &[Normal]) -> ClassStatistics {
    let means: Vec<f64> = classes.iter().flat_map(|class| class.mean.clone()).collect();
    let matrices = classes.iter().map(|class| class.covariance.clone()).collect();
    let names = Classes::numbered(classes.len());
    ClassStatistics::from_moments(names, None, &means, GivenMatrices::F64(matrices)).unwrap()
}

/// The same in single precision.
pub(crate) fn given_single(classes: &[Normal]) -> ClassStatistics {
    let means: Vec<f64> = classes.iter().flat_map(|class| class.mean.clone()).collect();
    let single = |class: &Normal| class.covariance.iter().map(|&entry| entry as f32).collect();
    let matrices = classes.iter().map(single).collect();
    let names = Classes::numbered(classes.len());
    ClassStatistics::from_moments(names, None, &means, GivenMatrices::F32(matrices)).unwrap()
}

/// Random classes with covariances of condition number below about 20.
pub(crate) fn random_classes(order: usize, count: usize, seed: u64) -> Vec<Normal> {
    let mut rng = stream(seed);
    (0..count).map(|_| Normal::random(order, &mut rng)).collect()
}

/// Zero-mean classes with these covariances, for second moments alone.
pub(crate) fn centered(classes: &[Normal]) -> Vec<Normal> {
    let center = |class: &Normal| Normal { mean: vec![0.0; class.order()], ..class.clone() };
    classes.iter().map(center).collect()
}

/// Stops only when the objective has stopped to its last digits.
pub(crate) const TIGHT: Stopping = Stopping { max_iterations: 20_000, tolerance: 1e-13 };

/// A recipe with a distance of the registry.
pub(crate) fn recipe(filters: usize, distance: &str) -> Sqfa {
    Sqfa::new(filters).unwrap().distance(Distance::named(distance).unwrap())
}

/// The mean distance of the classes behind given filters.
pub(crate) fn objective(
    statistics: &ClassStatistics,
    distance: &str,
    filters: MatRef<'_, f64>,
    noise: f64,
) -> f64 {
    let gaussians = project(statistics, filters, noise);
    mean_distance(&Distance::named(distance).unwrap(), &gaussians).unwrap().value
}

/// The columns of a matrix.
pub(crate) fn columns(matrix: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    (0..matrix.ncols()).map(|j| matrix.col(j).iter().copied().collect()).collect()
}

/// A matrix from its columns.
pub(crate) fn matrix(columns: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i])
}

/// The coordinate directions at these positions.
pub(crate) fn axes(order: usize, which: &[usize]) -> Mat<f64> {
    Mat::from_fn(order, which.len(), |i, j| f64::from(u8::from(i == which[j])))
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Columns made orthonormal one after the other, twice.
pub(crate) fn orthonormal(matrix: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    let mut done: Vec<Vec<f64>> = Vec::new();
    for mut column in columns(matrix) {
        for _ in 0..2 {
            for other in &done {
                let along = dot(&column, other);
                column.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
            }
            let length = norm(&column);
            column.iter_mut().for_each(|value| *value /= length);
        }
        done.push(column);
    }
    done
}

/// How far one subspace is from lying in another: 0 within, 1 for a direction at a right angle.
pub(crate) fn subspace_gap(inside: MatRef<'_, f64>, of: MatRef<'_, f64>) -> f64 {
    let basis = orthonormal(of);
    let outside = |mut column: Vec<f64>| {
        for other in &basis {
            let along = dot(&column, other);
            column.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
        }
        norm(&column).powi(2)
    };
    orthonormal(inside).into_iter().map(outside).sum::<f64>().sqrt()
}

/// The exact bits of a matrix.
pub(crate) fn bits(matrix: &Mat<f64>) -> Vec<u64> {
    columns(matrix.as_ref()).concat().into_iter().map(f64::to_bits).collect()
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix by Jacobi's rotations.
pub(crate) fn eigen(matrix: &[f64], order: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut a = matrix.to_vec();
    let mut vectors = diagonal(&vec![1.0; order]);
    for _ in 0..60 {
        for p in 0..order {
            for q in p + 1..order {
                let angle =
                    0.5 * (2.0 * a[p * order + q]).atan2(a[q * order + q] - a[p * order + p]);
                let (sine, cosine) = angle.sin_cos();
                for matrix in [&mut a, &mut vectors] {
                    for k in 0..order {
                        let (x, y) = (matrix[k * order + p], matrix[k * order + q]);
                        matrix[k * order + p] = cosine * x - sine * y;
                        matrix[k * order + q] = sine * x + cosine * y;
                    }
                }
                for k in 0..order {
                    let (x, y) = (a[p * order + k], a[q * order + k]);
                    a[p * order + k] = cosine * x - sine * y;
                    a[q * order + k] = sine * x + cosine * y;
                }
            }
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> = transposed(&vectors, order)
        .chunks(order)
        .enumerate()
        .map(|(i, vector)| (a[i * order + i], vector.to_vec()))
        .collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    pairs.into_iter().unzip()
}

/// Eigenvalues λ and vectors v of second·v = λ·first·v.
pub(crate) fn pencil(first: &[f64], second: &[f64], order: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (values, vectors) = eigen(first, order);
    // Rows of the whitening map: v_k / √λ_k.
    let white: Vec<f64> = values
        .iter()
        .zip(&vectors)
        .flat_map(|(value, vector)| vector.iter().map(|x| x / value.sqrt()).collect::<Vec<_>>())
        .collect();
    let back = transposed(&white, order);
    let inner =
        crate::common::product(&crate::common::product(&white, second, order), &back, order);
    let (values, vectors) = eigen(&crate::common::symmetric(inner, order), order);
    (values, vectors.iter().map(|vector| crate::common::times(&back, vector)).collect())
}

/// The largest difference of two matrices of the same shape.
#[track_caller]
pub(crate) fn norm_gap(x: &Mat<f64>, y: &Mat<f64>) -> f64 {
    worst(&columns(x.as_ref()).concat(), &columns(y.as_ref()).concat())
}
