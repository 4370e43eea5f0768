//! A class covariance as the optimiser sees it: something that multiplies a block of vectors.

use std::fmt::Debug;

use crate::linalg::{Element, Float, MatMut, MatRef, symmetric_times_block};

/// A symmetric positive semi-definite n × n matrix in whatever form it is kept.
pub trait Covariance: Debug + Send + Sync {
    /// n.
    fn dimension(&self) -> usize;
    /// `product = Φ · block`; `group` columns belong to one start, and a start's result must not
    /// depend on what stands beside it.
    fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize);
    /// The variances.
    fn diagonal(&self) -> Vec<f64>;
    /// Adds weight·Φ to the lower triangle of a row-major matrix; `false` when this form has no entries to add.
    fn add_to(&self, weight: f64, total: &mut [f32]) -> bool;
    /// Whether products are rounded to single precision.
    fn is_single(&self) -> bool;
    /// The same matrix in double precision, for products whose digits matter; `None` when it already is.
    fn to_double(&self) -> Option<Box<dyn Covariance>>;
    /// A copy.
    fn clone_boxed(&self) -> Box<dyn Covariance>;
    /// Multiplies entry (i, j) by factors\[i\]·factors\[j\], as rescaling the dimensions does.
    fn rescale(&mut self, factors: &[f64]);
    /// Memory it occupies.
    fn bytes(&self) -> usize;
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
    ($type:ty, $single:literal, $double:expr) => {
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
            fn add_to(&self, weight: f64, total: &mut [f32]) -> bool {
                add_lower(&self.entries, self.dimension, weight, total);
                true
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
dense!(f32, true, |dense| Some(Box::new(Dense {
    entries: dense.entries.iter().map(|&value| f64::from(value)).collect(),
    dimension: dense.dimension,
})));
dense!(f64, false, |_| None);

fn diagonal<T: Element>(entries: &[T], n: usize) -> Vec<f64> {
    (0..n).map(|i| Float::to_f64(entries[i * n + i])).collect()
}

fn add_lower<T: Element>(entries: &[T], n: usize, weight: f64, total: &mut [f32]) {
    use rayon::prelude::*;
    total.par_chunks_mut(n).zip(entries.par_chunks(n)).enumerate().for_each(
        |(i, (total, entries))| {
            for (total, &entry) in total[..=i].iter_mut().zip(entries) {
                *total += (weight * Float::to_f64(entry)) as f32;
            }
        },
    );
}

fn rescale<T: Element>(entries: &mut [T], n: usize, factors: &[f64]) {
    use rayon::prelude::*;
    entries.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for (entry, factor) in row.iter_mut().zip(factors) {
            *entry = T::from_f64(Float::to_f64(*entry) * factors[i] * factor);
        }
    });
}
