//! The class covariance as used by the optimizer: an operator that multiplies a block of vectors.

use std::fmt::Debug;

use super::forms::Spanning;
use crate::linalg::{
    Element, Float, Lower, MatMut, MatRef, is_lower, lower_rows, symmetric_times_block,
};
use crate::robust::squared_norm;

/// A symmetric positive semi-definite n × n matrix in any representation.
pub trait Covariance: Debug + Send + Sync {
    /// Returns the number n of rows and columns.
    fn dimension(&self) -> usize;
    /// Computes `product = Φ · block`.
    ///
    /// Each group of `group` columns belongs to one initialization. The result for an initialization must not depend on
    /// the other columns of the block.
    fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize);
    /// Returns the diagonal, that is, the variance of each column of the data.
    fn diagonal(&self) -> Vec<f64>;
    /// Returns the entries of the matrix, or `None` if this form does not store them.
    fn entries(&self) -> Option<Entries<'_>> {
        None
    }
    /// Whether products are rounded to single precision.
    fn is_single(&self) -> bool {
        false
    }
    /// Returns the same matrix in double precision, or `None` if it already is.
    fn to_double(&self) -> Option<Box<dyn Covariance>> {
        None
    }
    /// Returns a copy.
    fn clone_boxed(&self) -> Box<dyn Covariance>;
    /// Multiplies entry (i, j) by factors\[i\]·factors\[j\], which corresponds to multiplying column i of the data by
    /// factors\[i\].
    fn rescale(&mut self, factors: &[f64]);
    /// Returns the memory that the matrix occupies, in bytes.
    fn bytes(&self) -> usize;
    /// Returns the number of flops per column of a product. The optimizer uses it to decide how much a line search may
    /// cost.
    fn flops(&self) -> f64 {
        2.0 * (self.dimension() as f64).powi(2)
    }
    /// Returns (1 − fraction)·Φ + level·I, or `None` if this form cannot represent it.
    fn shrunk(&self, _fraction: f64, _level: f64) -> Option<Box<dyn Covariance>> {
        None
    }
    /// Returns an upper bound on the spectral norm of the difference from the exact covariance, or `None` if this
    /// matrix is exact.
    fn bound(&self) -> Option<f64> {
        None
    }
    /// Returns the vectors that span the matrix, or `None` if this form does not store them.
    fn spanning(&self) -> Option<&dyn Spanning> {
        None
    }
}

/// The borrowed entries of a dense covariance.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// Entries in single precision.
    F32(Lower<'a, f32>),
    /// Entries in double precision.
    F64(Lower<'a, f64>),
}

impl Entries<'_> {
    /// Returns entry (i, j), on either side of the diagonal.
    pub fn at(self, i: usize, j: usize) -> f64 {
        match self {
            Self::F32(entries) => f64::from(entries.at(i, j)),
            Self::F64(entries) => entries.at(i, j),
        }
    }

    /// Returns all n² entries, row-major.
    pub fn to_full(self) -> Vec<f64> {
        match self {
            Self::F32(entries) => entries.full(f64::from),
            Self::F64(entries) => entries.full(|value| value),
        }
    }

    /// Returns the sum of all squared entries.
    pub(crate) fn squared_norm(self) -> f64 {
        match self {
            Self::F32(entries) => squared_norm(entries),
            Self::F64(entries) => squared_norm(entries),
        }
    }

    /// Adds weight times row i of Φ, up to its diagonal, to `row`.
    pub(crate) fn add_row_to(self, weight: f64, i: usize, row: &mut [f64]) {
        match self {
            Self::F32(entries) => add_row(entries.row(i), weight, row),
            Self::F64(entries) => add_row(entries.row(i), weight, row),
        }
    }

    /// Adds weight·Φ to the lower triangle of a matrix, packed or full.
    pub(crate) fn add_lower_to<T: Element>(self, weight: f64, total: &mut [T]) {
        match self {
            Self::F32(entries) => add_lower(entries, weight, total),
            Self::F64(entries) => add_lower(entries, weight, total),
        }
    }
}

fn add_lower<S: Element, T: Element>(entries: Lower<'_, S>, weight: f64, total: &mut [T]) {
    lower_rows(total, entries.order(), |i, total| add_row(entries.row(i), weight, total));
}

fn add_row<S: Element, T: Element>(entries: &[S], weight: f64, total: &mut [T]) {
    for (total, &entry) in total.iter_mut().zip(entries) {
        *total = T::from_f64(Float::to_f64(*total) + weight * Float::to_f64(entry));
    }
}

/// A dense covariance, of which the entries on and below the diagonal are stored.
#[derive(Debug)]
pub struct Dense<T> {
    /// The lower triangle, row by row: packed, or within the full matrix that was passed in.
    entries: Vec<T>,
    dimension: usize,
}

impl<T: Copy> Dense<T> {
    /// Creates a covariance from n² row-major entries, of which those above the diagonal are ignored, or from n(n+1)/2
    /// packed entries of the lower triangle. Returns `None` for any other number of entries.
    pub fn new(entries: Vec<T>, dimension: usize) -> Option<Self> {
        is_lower(entries.len(), dimension).then_some(Self { entries, dimension })
    }

    /// Returns the lower triangle.
    pub fn lower(&self) -> Lower<'_, T> {
        Lower::new(&self.entries, self.dimension)
    }
}

/// Copies only the lower triangle, even if the original stores a full matrix.
impl<T: Copy> Clone for Dense<T> {
    fn clone(&self) -> Self {
        Self { entries: self.lower().packed(|value| value), dimension: self.dimension }
    }
}

macro_rules! dense {
    ($type:ty, $variant:ident, $single:literal, $double:expr) => {
        impl Covariance for Dense<$type> {
            fn dimension(&self) -> usize {
                self.dimension
            }
            fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize) {
                symmetric_times_block(self.lower(), block, product, group);
            }
            fn diagonal(&self) -> Vec<f64> {
                self.lower().diagonal().map(Float::to_f64).collect()
            }
            fn entries(&self) -> Option<Entries<'_>> {
                Some(Entries::$variant(self.lower()))
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
                rescale(&mut self.entries, self.dimension, factors);
            }
            fn bytes(&self) -> usize {
                size_of_val(self.entries.as_slice())
            }
            fn shrunk(&self, fraction: f64, level: f64) -> Option<Box<dyn Covariance>> {
                let mut own = self.clone();
                lower_rows(&mut own.entries, self.dimension, |i, row| {
                    for entry in row.iter_mut() {
                        *entry = <$type>::from_f64((1.0 - fraction) * Float::to_f64(*entry));
                    }
                    row[i] = <$type>::from_f64(Float::to_f64(row[i]) + level);
                });
                Some(Box::new(own))
            }
        }
    };
}
dense!(f32, F32, true, |dense| Some(Box::new(Dense {
    entries: dense.lower().packed(f64::from),
    dimension: dense.dimension,
})));
dense!(f64, F64, false, |_| None);

fn rescale<T: Element>(entries: &mut [T], n: usize, factors: &[f64]) {
    lower_rows(entries, n, |i, row| {
        for (entry, factor) in row.iter_mut().zip(factors) {
            *entry = T::from_f64(Float::to_f64(*entry) * factors[i] * factor);
        }
    });
}
