//! A class covariance as the optimizer sees it: something that multiplies a block of vectors.

use std::fmt::Debug;

use super::forms::Spanning;
use crate::linalg::{
    Element, Float, Lower, MatMut, MatRef, is_lower, lower_rows, symmetric_times_block,
};
use crate::robust::squared_norm;

/// A symmetric positive semi-definite n × n matrix in whatever form it is kept.
pub trait Covariance: Debug + Send + Sync {
    /// n.
    fn dimension(&self) -> usize;
    /// `product = Φ · block`; `group` columns belong to one start, and a start's result must not
    /// depend on what stands beside it.
    fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize);
    /// The variances.
    fn diagonal(&self) -> Vec<f64>;
    /// Its entries, when this form keeps them.
    fn entries(&self) -> Option<Entries<'_>> {
        None
    }
    /// Whether products are rounded to single precision.
    fn is_single(&self) -> bool {
        false
    }
    /// The same matrix in double precision, for products whose digits matter; `None` when it already is.
    fn to_double(&self) -> Option<Box<dyn Covariance>> {
        None
    }
    /// A copy.
    fn clone_boxed(&self) -> Box<dyn Covariance>;
    /// Multiplies entry (i, j) by factors\[i\]·factors\[j\], as rescaling the dimensions does.
    fn rescale(&mut self, factors: &[f64]);
    /// Memory it occupies.
    fn bytes(&self) -> usize;
    /// Flops of one column of a product; decides how much a line search may cost.
    fn flops(&self) -> f64 {
        2.0 * (self.dimension() as f64).powi(2)
    }
    /// (1 − fraction)·Φ + level·I; `None` if this form cannot represent it.
    fn shrunk(&self, _fraction: f64, _level: f64) -> Option<Box<dyn Covariance>> {
        None
    }
    /// How far it may be from the covariance it stands for, in spectral norm; `None` where it is that covariance.
    fn bound(&self) -> Option<f64> {
        None
    }
    /// The vectors that span it, when this form keeps them.
    fn spanning(&self) -> Option<&dyn Spanning> {
        None
    }
}

/// The entries of a dense covariance, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// Single precision.
    F32(Lower<'a, f32>),
    /// Double precision.
    F64(Lower<'a, f64>),
}

impl Entries<'_> {
    /// One of them.
    pub fn at(self, i: usize, j: usize) -> f64 {
        match self {
            Self::F32(entries) => f64::from(entries.at(i, j)),
            Self::F64(entries) => entries.at(i, j),
        }
    }

    /// All n² of them, row by row.
    pub fn to_full(self) -> Vec<f64> {
        match self {
            Self::F32(entries) => entries.full(f64::from),
            Self::F64(entries) => entries.full(|value| value),
        }
    }

    /// The sum of all squared entries.
    pub(crate) fn squared_norm(self) -> f64 {
        match self {
            Self::F32(entries) => squared_norm(entries),
            Self::F64(entries) => squared_norm(entries),
        }
    }

    /// Adds weight times a row of Φ up to its diagonal.
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

/// Every entry on and below the diagonal.
#[derive(Debug)]
pub struct Dense<T> {
    /// The lower triangle row by row, packed or as it came within a full matrix.
    entries: Vec<T>,
    dimension: usize,
}

impl<T: Copy> Dense<T> {
    /// A covariance from its n² entries, row by row, of which those above the diagonal are passed over, or from the n(n+1)/2 on
    /// and below it; `None` when there are others.
    pub fn new(entries: Vec<T>, dimension: usize) -> Option<Self> {
        is_lower(entries.len(), dimension).then_some(Self { entries, dimension })
    }

    /// The entries on and below the diagonal.
    pub fn lower(&self) -> Lower<'_, T> {
        Lower::new(&self.entries, self.dimension)
    }
}

/// A copy keeps one triangle.
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
