//! The covariance of a sketch: few rows and a diagonal, and how far it may be from the covariance it stands for.

use super::diagonal::Diagonal;
use super::{Factor, Spanning};
use crate::linalg::{MatMut, MatRef};
use crate::statistics::Covariance;

/// Φ ≈ weight·Σ vvᵀ + D, within a known distance.
#[derive(Debug)]
pub struct Sketched {
    factor: Rows,
    bound: f64,
}

#[derive(Debug, Clone)]
enum Rows {
    Single(Factor<f32>),
    Double(Factor<f64>),
}

impl Rows {
    fn form(&self) -> &dyn Covariance {
        match self {
            Self::Single(factor) => factor,
            Self::Double(factor) => factor,
        }
    }
}

impl Sketched {
    /// weight·Σ vvᵀ + D for some rows v of n numbers, and its largest distance from the truth in spectral norm.
    pub(in crate::statistics) fn new(
        rows: Vec<f64>,
        dimension: usize,
        weight: f64,
        diagonal: Option<Vec<f64>>,
        bound: f64,
    ) -> Self {
        let diagonal = diagonal.map_or(Diagonal::Multiple(0.0), Diagonal::Each);
        Self { factor: Rows::Double(Factor::of_rows(rows, dimension, weight, diagonal)), bound }
    }

    /// (1 − share)·Φ + level·I.
    pub(in crate::statistics) fn shrunk(mut self, share: f64, level: f64) -> Self {
        if share > 0.0 {
            self.factor = match self.factor {
                Rows::Single(factor) => Rows::Single(factor.mixed(share, level)),
                Rows::Double(factor) => Rows::Double(factor.mixed(share, level)),
            };
            self.bound *= 1.0 - share;
        }
        self
    }

    /// The same with rows in single precision.
    pub(in crate::statistics) fn rounded(self) -> Self {
        let factor = match self.factor {
            Rows::Double(factor) => Rows::Single(factor.in_precision()),
            single @ Rows::Single(_) => single,
        };
        Self { factor, ..self }
    }
}

impl Covariance for Sketched {
    fn dimension(&self) -> usize {
        self.factor.form().dimension()
    }
    fn multiply(&self, block: MatRef<'_, f64>, product: MatMut<'_, f64>, group: usize) {
        self.factor.form().multiply(block, product, group);
    }
    fn diagonal(&self) -> Vec<f64> {
        self.factor.form().diagonal()
    }
    fn is_single(&self) -> bool {
        self.factor.form().is_single()
    }
    fn to_double(&self) -> Option<Box<dyn Covariance>> {
        match &self.factor {
            Rows::Single(factor) => {
                let factor = Rows::Double(factor.in_precision());
                Some(Box::new(Self { factor, bound: self.bound }))
            }
            Rows::Double(_) => None,
        }
    }
    fn clone_boxed(&self) -> Box<dyn Covariance> {
        Box::new(Self { factor: self.factor.clone(), bound: self.bound })
    }
    fn rescale(&mut self, factors: &[f64]) {
        match &mut self.factor {
            Rows::Single(factor) => factor.rescale(factors),
            Rows::Double(factor) => factor.rescale(factors),
        }
        self.bound *= factors.iter().fold(0.0_f64, |most, factor| most.max(factor * factor));
    }
    fn bytes(&self) -> usize {
        self.factor.form().bytes()
    }
    fn flops(&self) -> f64 {
        self.factor.form().flops()
    }
    fn spanning(&self) -> Option<&dyn Spanning> {
        // Statistics can be confined to the span of the rows only where nothing but a multiple of the identity stands beside.
        self.factor.form().spanning().filter(|form| form.ridge().is_some())
    }
    fn bound(&self) -> Option<f64> {
        Some(self.bound)
    }
}
