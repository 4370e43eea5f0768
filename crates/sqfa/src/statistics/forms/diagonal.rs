//! The diagonal matrix that a form adds: zero, a multiple of the identity, or one number per column of the data.

use crate::linalg::{MatMut, MatRef};

/// A diagonal matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Diagonal {
    /// The multiple s·I of the identity.
    Multiple(f64),
    /// Any diagonal, such as a multiple of the identity after columns were scaled by different factors.
    Each(Vec<f64>),
}

impl Diagonal {
    /// Returns the i-th diagonal entry.
    pub(super) fn at(&self, i: usize) -> f64 {
        match self {
            Self::Multiple(value) => *value,
            Self::Each(values) => values[i],
        }
    }

    /// Returns s if the matrix is s·I.
    pub(super) fn multiple(&self) -> Option<f64> {
        match self {
            Self::Multiple(value) => Some(*value),
            Self::Each(_) => None,
        }
    }

    /// Computes product += D·block.
    pub(super) fn add_product(&self, block: MatRef<'_, f64>, mut product: MatMut<'_, f64>) {
        if *self == Self::Multiple(0.0) {
            return;
        }
        for j in 0..block.ncols() {
            let targets = product.as_mut().col_mut(j).iter_mut();
            for (i, (target, value)) in targets.zip(block.col(j).iter()).enumerate() {
                *target += self.at(i) * value;
            }
        }
    }

    /// Multiplies entry i by the square of factor i. With equal factors, a multiple of the identity remains one.
    pub(super) fn rescale(&mut self, factors: &[f64]) {
        let first = factors.first().copied().unwrap_or(1.0);
        *self = match self {
            Self::Multiple(value) if *value == 0.0 || factors.iter().all(|f| *f == first) => {
                Self::Multiple(*value * first * first)
            }
            _ => {
                let scaled = factors.iter().enumerate().map(|(i, f)| self.at(i) * f * f);
                Self::Each(scaled.collect())
            }
        };
    }

    /// Returns the memory that the diagonal occupies, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Multiple(_) => 0,
            Self::Each(values) => size_of_val(values.as_slice()),
        }
    }
}
