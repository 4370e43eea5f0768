//! A class covariance as the optimiser sees it: something that multiplies a block of vectors.

use std::fmt::Debug;

use super::forms::Spanning;
use crate::linalg::{Element, Float, MatMut, MatRef, symmetric_times_block};
use crate::parallel;

/// A symmetric positive semi-definite n × n matrix in whatever form it is kept.
pub trait Covariance: Debug + Send + Sync {
    /// n.
    fn dimension(&self) -> usize;
    /// `product = Φ · block`; `group` columns belong to one start, and a start's result must not
    /// depend on what stands beside it.
    fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize);
    /// The variances.
    fn diagonal(&self) -> Vec<f64>;
    /// All n² entries, row by row, when this form keeps them.
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
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

impl Entries<'_> {
    /// One of them.
    pub(crate) fn at(self, index: usize) -> f64 {
        match self {
            Self::F32(entries) => f64::from(entries[index]),
            Self::F64(entries) => entries[index],
        }
    }

    /// Adds weight·Φ to the lower triangle of a row-major matrix.
    pub(crate) fn add_lower_to<T: Element>(self, n: usize, weight: f64, total: &mut [T]) {
        match self {
            Self::F32(entries) => add_lower(entries, n, weight, total),
            Self::F64(entries) => add_lower(entries, n, weight, total),
        }
    }
}

fn add_lower<S: Element, T: Element>(entries: &[S], n: usize, weight: f64, total: &mut [T]) {
    parallel::rows(total, n, |i, total| {
        for (total, &entry) in total[..=i].iter_mut().zip(&entries[i * n..]) {
            *total = T::from_f64(Float::to_f64(*total) + weight * Float::to_f64(entry));
        }
    });
}

/// All n² entries, row-major.
#[derive(Debug, Clone)]
pub struct Dense<T> {
    entries: Vec<T>,
    dimension: usize,
}

impl<T: Copy> Dense<T> {
    /// A covariance from its entries, row by row; `None` when there are not n².
    pub fn new(entries: Vec<T>, dimension: usize) -> Option<Self> {
        (dimension.checked_mul(dimension) == Some(entries.len()))
            .then_some(Self { entries, dimension })
    }

    /// The entries, row by row.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }
}

macro_rules! dense {
    ($type:ty, $variant:ident, $single:literal, $double:expr) => {
        impl Covariance for Dense<$type> {
            fn dimension(&self) -> usize {
                self.dimension
            }
            fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize) {
                symmetric_times_block(&self.entries, self.dimension, block, product, group);
            }
            fn diagonal(&self) -> Vec<f64> {
                diagonal(&self.entries, self.dimension)
            }
            fn entries(&self) -> Option<Entries<'_>> {
                Some(Entries::$variant(&self.entries))
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
        }
    };
}
dense!(f32, F32, true, |dense| Some(Box::new(Dense {
    entries: dense.entries.iter().map(|&value| f64::from(value)).collect(),
    dimension: dense.dimension,
})));
dense!(f64, F64, false, |_| None);

fn diagonal<T: Element>(entries: &[T], n: usize) -> Vec<f64> {
    (0..n).map(|i| Float::to_f64(entries[i * n + i])).collect()
}

fn rescale<T: Element>(entries: &mut [T], n: usize, factors: &[f64]) {
    parallel::rows(entries, n, |i, row| {
        for (entry, factor) in row.iter_mut().zip(factors) {
            *entry = T::from_f64(Float::to_f64(*entry) * factors[i] * factor);
        }
    });
}
