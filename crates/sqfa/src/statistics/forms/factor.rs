//! A class covariance stored as its centered samples: Φ = Xᵀ X/(N−1), without any n × n matrix.
//!
//! A pass over w columns reads the samples twice and costs 4Nnw flops.

use std::fmt::Debug;
use std::ops::Range;

use super::Spanning;
use super::diagonal::Diagonal;
use crate::linalg::{Element, Float, Mat, MatMut, MatRef, add_table_transpose_times, table_times};
use crate::parallel;
use crate::points::Scalar;
use crate::statistics::{Covariance, Entries, StatisticsError};

/// Number of samples that are converted to double precision at a time.
const TOGETHER: usize = 64;

/// A covariance stored as centered samples, one per row, plus optionally a multiple of the identity.
#[derive(Debug, Clone)]
pub struct Factor<T> {
    rows: Vec<T>,
    dimension: usize,
    weight: f64,
    diagonal: Diagonal,
}

impl<T: Copy> Factor<T> {
    /// Returns the centered samples, row-major.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }
}

/// Number types in which samples can be stored: `f32` and `f64`.
pub trait Precision: Scalar + Debug {
    /// Rounds a number to this precision.
    fn rounded(value: f64) -> Self;
    /// Centers row-major samples in place and returns them as a covariance, together with their mean.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples are not whole rows, a value is not finite, or there are fewer than two samples.
    fn centered(
        rows: Vec<Self>,
        dimension: usize,
    ) -> Result<(Factor<Self>, Vec<f64>), StatisticsError>;
}

impl<T: Precision> Factor<T> {
    /// Creates the covariance (divisor N − 1) of row-major samples, which it centers in place, and returns it with
    /// their mean.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples are not whole rows, a value is not finite, or there are fewer than two samples.
    pub fn new(rows: Vec<T>, dimension: usize) -> Result<(Self, Vec<f64>), StatisticsError> {
        T::centered(rows, dimension)
    }
}

macro_rules! factor {
    ($type:ty, $single:literal, $double:expr) => {
        impl Precision for $type {
            fn rounded(value: f64) -> Self {
                value as $type
            }
            fn centered(
                rows: Vec<Self>,
                dimension: usize,
            ) -> Result<(Factor<Self>, Vec<f64>), StatisticsError> {
                centered(rows, dimension)
            }
        }

        impl Covariance for Factor<$type> {
            fn dimension(&self) -> usize {
                self.dimension
            }
            fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, _: usize) {
                self.product(block, product);
            }
            fn diagonal(&self) -> Vec<f64> {
                self.variances()
            }
            fn entries(&self) -> Option<Entries<'_>> {
                None
            }
            fn is_single(&self) -> bool {
                $single
            }
            fn to_double(&self) -> Option<Box<dyn Covariance>> {
                let double: fn(&Self) -> Option<Box<dyn Covariance>> = $double;
                double(self)
            }
            fn clone_boxed(&self) -> Box<dyn Covariance> {
                Box::new(self.clone())
            }
            fn rescale(&mut self, factors: &[f64]) {
                self.rescale_rows(factors);
            }
            fn bytes(&self) -> usize {
                size_of_val(self.rows.as_slice()) + self.diagonal.bytes()
            }
            fn flops(&self) -> f64 {
                4.0 * self.rows.len() as f64
            }
            fn shrunk(&self, fraction: f64, level: f64) -> Option<Box<dyn Covariance>> {
                self.diagonal.multiple()?;
                Some(Box::new(self.clone().shrunk(fraction, level)))
            }
            fn spanning(&self) -> Option<&dyn Spanning> {
                Some(self)
            }
        }
    };
}
factor!(f32, true, |factor| Some(Box::new(factor.in_precision::<f64>())));
factor!(f64, false, |_| None);

fn centered<T: Element>(
    mut rows: Vec<T>,
    dimension: usize,
) -> Result<(Factor<T>, Vec<f64>), StatisticsError> {
    let points = rows.len().checked_div(dimension).unwrap_or(0);
    if points == 0 || rows.len() != points * dimension {
        return Err(StatisticsError::Empty { points, dimension });
    }
    if points < 2 {
        let count = points as u64;
        return Err(StatisticsError::TooFewSamples { class: "(unnamed)".to_owned(), count });
    }
    let places = parallel::map(rows.chunks(dimension).enumerate(), |(row, values)| {
        let column = values.iter().position(|&value| !Float::to_f64(value).is_finite())?;
        Some((row, column, Float::to_f64(values[column])))
    });
    if let Some((row, column, value)) = places.into_iter().flatten().next() {
        return Err(StatisticsError::NotFinite { row, column, value });
    }
    let mut mean = vec![0.0; dimension];
    for row in rows.chunks(dimension) {
        mean.iter_mut().zip(row).for_each(|(sum, &value)| *sum += Float::to_f64(value));
    }
    mean.iter_mut().for_each(|sum| *sum /= points as f64);
    parallel::rows(&mut rows, dimension, |_, row| {
        for (value, mean) in row.iter_mut().zip(&mean) {
            *value = T::from_f64(Float::to_f64(*value) - mean);
        }
    });
    let weight = 1.0 / (points - 1) as f64;
    Ok((Factor { rows, dimension, weight, diagonal: Diagonal::Multiple(0.0) }, mean))
}

#[allow(private_bounds)] // its methods are not public either
impl<T: Element> Factor<T> {
    /// Creates the covariance weight·Σ vvᵀ + D from rows v that are already centered.
    pub(super) fn of_rows(rows: Vec<T>, dimension: usize, weight: f64, diagonal: Diagonal) -> Self {
        Self { rows, dimension, weight, diagonal }
    }

    /// Returns the covariance with its rows in another precision.
    pub(super) fn in_precision<S: Element>(&self) -> Factor<S> {
        let rows = self.rows.iter().map(|&value| S::from_f64(Float::to_f64(value))).collect();
        Factor::of_rows(rows, self.dimension, self.weight, self.diagonal.clone())
    }

    /// Returns (1 − share)·Φ + level·I. The columns must not have been rescaled.
    pub(super) fn shrunk(mut self, share: f64, level: f64) -> Self {
        self.weight *= 1.0 - share;
        self.diagonal = Diagonal::Multiple((1.0 - share) * self.diagonal.at(0) + level);
        self
    }

    fn product(&self, block: MatRef<'_, f64>, mut product: MatMut<'_, f64>) {
        let features = table_times(&self.rows, self.dimension, block);
        product.fill(0.0);
        add_table_transpose_times(
            &self.rows,
            self.dimension,
            features.as_ref(),
            self.weight,
            product.as_mut(),
        );
        self.diagonal.add_product(block, product);
    }

    fn variances(&self) -> Vec<f64> {
        let n = self.dimension;
        let mut sums = vec![0.0; n];
        parallel::for_each(sums.chunks_mut(1024).enumerate(), |(chunk, sums)| {
            let first = chunk * 1024;
            for row in self.rows.chunks_exact(n) {
                for (sum, &value) in sums.iter_mut().zip(&row[first..]) {
                    *sum += Float::to_f64(value).powi(2);
                }
            }
        });
        sums.iter().enumerate().map(|(i, sum)| self.weight * sum + self.diagonal.at(i)).collect()
    }

    fn rescale_rows(&mut self, factors: &[f64]) {
        parallel::rows(&mut self.rows, self.dimension, |_, row| {
            for (value, factor) in row.iter_mut().zip(factors) {
                *value = T::from_f64(Float::to_f64(*value) * factor);
            }
        });
        self.diagonal.rescale(factors);
    }
}

impl<T: Element> Spanning for Factor<T> {
    fn vectors(&self) -> usize {
        self.rows.len() / self.dimension
    }
    fn weight(&self) -> f64 {
        self.weight
    }
    fn ridge(&self) -> Option<f64> {
        self.diagonal.multiple()
    }
    fn copy_columns(&self, columns: Range<usize>, block: &mut [f64], stride: usize) {
        for (vector, row) in self.rows.chunks_exact(self.dimension).enumerate() {
            for (j, &value) in row[columns.clone()].iter().enumerate() {
                block[j * stride + vector] = Float::to_f64(value);
            }
        }
    }
    fn times(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut product = Mat::zeros(self.vectors(), block.ncols());
        for (first, rows) in self.rows.chunks(TOGETHER * self.dimension).enumerate() {
            let part = table_times(&doubled(rows), self.dimension, block);
            product.as_mut().subrows_mut(TOGETHER * first, part.nrows()).copy_from(part);
        }
        product
    }
    fn add_combination(&self, weights: MatRef<'_, f64>, target: MatMut<'_, f64>) {
        let mut target = target;
        for (first, rows) in self.rows.chunks(TOGETHER * self.dimension).enumerate() {
            let weights = weights.subrows(TOGETHER * first, rows.len() / self.dimension);
            let rows = doubled(rows);
            add_table_transpose_times(&rows, self.dimension, weights, 1.0, target.as_mut());
        }
    }
}

/// Converts samples to double precision, because bases and filters are computed from them.
fn doubled<T: Element>(rows: &[T]) -> Vec<f64> {
    rows.iter().map(|&value| Float::to_f64(value)).collect()
}
