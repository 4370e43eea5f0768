//! Application of a nonlinear feature map to samples, block by block in the samples' own precision.

use super::{Lift, LiftError, LiftKind, LiftParts};
use crate::linalg::{Element, Float, dispatch, exponential, rows_times_rows};
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::transform::Features;

/// Number of samples per block.
const BLOCK: usize = 256;

impl Lift {
    /// Maps samples to features, row-major with one sample per row. Bytes and single-precision samples give single
    /// precision.
    ///
    /// # Errors
    ///
    /// Returns [`LiftError::Columns`] if the samples have a different number of columns than the training samples.
    pub fn apply(&self, points: Points<'_>) -> Result<Features, LiftError> {
        let (expected, found) = (self.columns(), points.columns());
        if expected != found {
            return Err(LiftError::Columns { expected, found });
        }
        Ok(match points {
            Points::U8(table) => Features::F32(self.mapped(&table)),
            Points::F32(table) => Features::F32(self.mapped(&table)),
            Points::F64(table) => Features::F64(self.mapped(&table)),
        })
    }

    fn mapped<S: Scalar, T: Element + Float>(&self, table: &Table<'_, S>) -> Vec<T> {
        let dimension = self.dimension();
        let prepared = Prepared::<T>::new(&self.parts);
        let mut target = vec![T::ZERO; table.rows() * dimension];
        parallel::for_each(target.chunks_mut(BLOCK * dimension).enumerate(), |(block, target)| {
            prepared.block(table, block * BLOCK, target, dimension);
        });
        target
    }
}

/// The numbers of a map in the precision of the features.
struct Prepared<'a, T> {
    parts: &'a LiftParts,
    anchors: Vec<T>,
    /// Squared lengths of the kept samples.
    squares: Vec<f64>,
    whitening: Vec<T>,
}

fn converted<T: Float>(values: &[f64]) -> Vec<T> {
    values.iter().map(|&value| T::from_f64(value)).collect()
}

impl<'a, T: Element + Float> Prepared<'a, T> {
    fn new(parts: &'a LiftParts) -> Self {
        let n = parts.offset.len();
        let anchors: Vec<T> = converted(&parts.anchors);
        let square = |row: &[T]| row.iter().map(|value| value.to_f64().powi(2)).sum();
        let squares = match parts.kind {
            LiftKind::Nystroem(_) => anchors.chunks(n).map(square).collect(),
            _ => Vec::new(),
        };
        Self { parts, anchors, squares, whitening: converted(&parts.whitening) }
    }

    /// Writes the features of a block of samples that begins at row `first`.
    fn block<S: Scalar>(
        &self,
        table: &Table<'_, S>,
        first: usize,
        target: &mut [T],
        dimension: usize,
    ) {
        let (height, n) = (target.len() / dimension, table.columns());
        let LiftParts { offset, factors, .. } = self.parts;
        let mut scaled = Vec::with_capacity(height * n);
        for row in first..first + height {
            scaled.extend(
                (0..n).map(|j| T::from_f64((table.get(row, j).to_f64() - offset[j]) * factors[j])),
            );
        }
        match self.parts.kind {
            LiftKind::Quadratic => {
                for (row, target) in scaled.chunks(n).zip(target.chunks_mut(dimension)) {
                    let (plain, products) = target.split_at_mut(n);
                    plain.copy_from_slice(row);
                    let pairs = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
                    for (target, (i, j)) in products.iter_mut().zip(pairs) {
                        *target = T::from_f64(row[i].to_f64() * row[j].to_f64());
                    }
                }
            }
            LiftKind::Fourier(count) => {
                rows_times_rows(&scaled, height, &self.anchors, count, n, target);
                let size = (2.0 / count as f64).sqrt();
                for row in target.chunks_mut(count) {
                    for (value, phase) in row.iter_mut().zip(&self.parts.phases) {
                        *value = T::from_f64(size * (value.to_f64() + phase).cos());
                    }
                }
            }
            LiftKind::Nystroem(count) => {
                let mut kernel = vec![T::ZERO; height * count];
                rows_times_rows(&scaled, height, &self.anchors, count, n, &mut kernel);
                for (row, values) in scaled.chunks(n).zip(kernel.chunks_mut(count)) {
                    let own: f64 = row.iter().map(|value| value.to_f64().powi(2)).sum();
                    let squares = &self.squares;
                    dispatch(
                        #[inline(always)]
                        || {
                            for (value, square) in values.iter_mut().zip(squares) {
                                let apart = own + square - 2.0 * value.to_f64();
                                *value = T::from_f64(exponential(-0.5 * apart.max(0.0)));
                            }
                        },
                    );
                }
                rows_times_rows(&kernel, height, &self.whitening, dimension, count, target);
            }
        }
    }
}
