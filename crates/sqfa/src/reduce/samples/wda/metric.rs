//! The metric in which steps are measured: the covariance of the samples, so that directions of
//! different variance change at the same rate.
//!
//! The optimizer works with ζ, where η = M^{−½}ζ and M = C + κ(tr C/p)I. Unless plans are sharp,
//! the loss is a ratio of quadratic forms in η, whose curvature along a direction grows with its
//! variance. The second term of M accounts for the directions that are already selected.

use super::super::gathered::Gathered;
use crate::linalg::{Mat, MatRef, symmetric_eigen, tall_times, transpose_times};

/// The factor κ. On the paper's digits, a tenth of it needs about the same number of steps, and
/// κ = 0 several times as many.
const FLOOR: f64 = 1.0;

/// The matrices M^{½} and M^{−½}, up to a common scale.
pub(super) struct Metric {
    root: Mat<f64>,
    inverse: Mat<f64>,
}

impl Metric {
    /// Computes the metric of samples; `None` if they do not vary.
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

    /// Returns ζ for η.
    pub(super) fn measured(&self, free: MatRef<'_, f64>) -> Mat<f64> {
        tall_times(self.root.as_ref(), free)
    }

    /// Returns η for ζ, or converts a gradient with respect to η into one with respect to ζ.
    pub(super) fn plain(&self, measured: MatRef<'_, f64>) -> Mat<f64> {
        tall_times(self.inverse.as_ref(), measured)
    }
}
