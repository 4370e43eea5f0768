//! The covariance of a sketch: a few rows, a multiple of the identity, and a bound on the distance from the exact
//! covariance.

use super::diagonal::Diagonal;
use super::{Factor, Spanning};
use crate::linalg::{MatMut, MatRef};
use crate::statistics::Covariance;

/// The approximation Φ ≈ weight·Σ vvᵀ + s·I with a bound on its error.
#[derive(Debug, Clone)]
pub struct Sketched {
    factor: Rows,
    /// The exact variances of the columns.
    variances: Vec<f64>,
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
    /// Creates weight·Σ vvᵀ + level·I from rows v. `variances` are the exact variances, and `bound` limits the distance
    /// from the exact covariance in spectral norm.
    pub(in crate::statistics) fn new(
        rows: Vec<f64>,
        variances: Vec<f64>,
        weight: f64,
        level: f64,
        bound: f64,
    ) -> Self {
        let factor = Factor::of_rows(rows, variances.len(), weight, Diagonal::Multiple(level));
        Self { factor: Rows::Double(factor), variances, bound }
    }

    /// Returns (1 − share)·Φ + level·I.
    pub(in crate::statistics) fn shrunk(mut self, share: f64, level: f64) -> Self {
        if share > 0.0 {
            self.factor = match self.factor {
                Rows::Single(factor) => Rows::Single(factor.shrunk(share, level)),
                Rows::Double(factor) => Rows::Double(factor.shrunk(share, level)),
            };
            self.variances.iter_mut().for_each(|one| *one = (1.0 - share) * *one + level);
            self.bound *= 1.0 - share;
        }
        self
    }

    /// Returns the covariance with its rows in single precision.
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
        self.variances.clone()
    }
    fn is_single(&self) -> bool {
        self.factor.form().is_single()
    }
    fn to_double(&self) -> Option<Box<dyn Covariance>> {
        match &self.factor {
            Rows::Single(factor) => {
                let factor = Rows::Double(factor.in_precision());
                let variances = self.variances.clone();
                Some(Box::new(Self { factor, variances, bound: self.bound }))
            }
            Rows::Double(_) => None,
        }
    }
    fn clone_boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }
    fn rescale(&mut self, factors: &[f64]) {
        match &mut self.factor {
            Rows::Single(factor) => factor.rescale(factors),
            Rows::Double(factor) => factor.rescale(factors),
        }
        for (variance, factor) in self.variances.iter_mut().zip(factors) {
            *variance *= factor * factor;
        }
        self.bound *= factors.iter().fold(0.0_f64, |most, factor| most.max(factor * factor));
    }
    fn shrunk(&self, fraction: f64, level: f64) -> Option<Box<dyn Covariance>> {
        self.spanning()?;
        let factor = match &self.factor {
            Rows::Single(factor) => Rows::Single(factor.clone().shrunk(fraction, level)),
            Rows::Double(factor) => Rows::Double(factor.clone().shrunk(fraction, level)),
        };
        let kept = 1.0 - fraction;
        let variances = self.variances.iter().map(|variance| kept * variance + level).collect();
        Some(Box::new(Self { factor, variances, bound: kept * self.bound }))
    }
    fn bytes(&self) -> usize {
        self.factor.form().bytes() + size_of_val(self.variances.as_slice())
    }
    fn flops(&self) -> f64 {
        self.factor.form().flops()
    }
    fn spanning(&self) -> Option<&dyn Spanning> {
        // After columns were scaled by different factors, the added diagonal is no multiple of the identity, and the
        // statistics can no longer be reduced to the span of the rows.
        self.factor.form().spanning().filter(|form| form.ridge().is_some())
    }
    fn bound(&self) -> Option<f64> {
        Some(self.bound)
    }
}
