//! The metric that steps are measured in: the samples' covariance, so that directions of unlike variance are moved alike.
//!
//! The optimizer sees ζ with η = M^{−½}ζ, M = C + κ(tr C/p)I. Far from sharp plans the loss is a ratio of quadratic forms in
//! η, whose curvature along a direction grows with its variance; the second term stands for the directions already chosen.

use super::super::gathered::Gathered;
use crate::linalg::{Mat, MatRef, symmetric_eigen, tall_times, transpose_times};

/// κ: on the paper's digits a tenth of it needs about as many steps, none at all several times as many.
const FLOOR: f64 = 1.0;

/// M^{½} and M^{−½}.
pub(super) struct Metric {
    root: Mat<f64>,
    inverse: Mat<f64>,
}

impl Metric {
    /// `None` when the samples do not vary.
    pub(super) fn new(samples: &Gathered) -> Option<Self> {
        let (rows, p) = (samples.rows(), samples.columns);
        let x = MatRef::from_row_major_slice(&samples.values, rows, p);
        let mut covariance = transpose_times(x, x);
        let trace: f64 = (0..p).map(|i| covariance[(i, i)]).sum();
        let floor = FLOOR * trace / p as f64;
        (0..p).for_each(|i| covariance[(i, i)] += floor);
        let (values, vectors) = symmetric_eigen(covariance.as_ref())?;
        if !(floor > 0.0 && floor.is_finite()) {
            return None;
        }
        let power = |exponent: f64| {
            let scaled =
                Mat::from_fn(p, p, |i, j| vectors[(i, j)] * (values[j] / floor).powf(exponent));
            &scaled * vectors.transpose()
        };
        Some(Self { root: power(0.5), inverse: power(-0.5) })
    }

    /// ζ of η.
    pub(super) fn measured(&self, free: MatRef<'_, f64>) -> Mat<f64> {
        tall_times(self.root.as_ref(), free)
    }

    /// η of ζ, and gradients by ζ of those by η.
    pub(super) fn plain(&self, measured: MatRef<'_, f64>) -> Mat<f64> {
        tall_times(self.inverse.as_ref(), measured)
    }
}
