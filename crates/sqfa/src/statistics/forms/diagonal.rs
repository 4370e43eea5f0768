//! What a form adds on its diagonal: nothing, a multiple of the identity, or one number per dimension.

use crate::linalg::{MatMut, MatRef};

/// A diagonal matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Diagonal {
    /// s·I.
    Multiple(f64),
    /// A multiple of the identity after its dimensions were rescaled differently.
    Each(Vec<f64>),
}

impl Diagonal {
    /// The number at one place.
    pub(super) fn at(&self, i: usize) -> f64 {
        match self {
            Self::Multiple(value) => *value,
            Self::Each(values) => values[i],
        }
    }

    /// s, when it is s·I.
    pub(super) fn multiple(&self) -> Option<f64> {
        match self {
            Self::Multiple(value) => Some(*value),
            Self::Each(_) => None,
        }
    }

    /// product += D·block.
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

    /// Rescales the dimensions; equal factors keep a multiple of the identity one.
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

    /// Memory it occupies.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Multiple(_) => 0,
            Self::Each(values) => size_of_val(values.as_slice()),
        }
    }
}
