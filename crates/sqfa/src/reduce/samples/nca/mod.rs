//! Neighborhood components analysis (NCA): a linear map after which random neighbors most often
//! have the same class.
//!
//! In z = Fᵀx, sample i selects j ≠ i as its neighbor with probability p_ij ∝ exp(−|z_i − z_j|²).
//! The loss is the expected fraction of neighbors of another class, 1 − (1/N)Σ_i p_i with p_i =
//! Σ_{j of the class of i} p_ij. The filters are not constrained; their length determines the width
//! of the neighborhood. The samples are given in principal coordinates. The initial filters are the
//! first m of these or discriminant directions, whichever has the lower loss.
//!
//! Cost of an evaluation: N² exponentials and 3N²m multiplications. Reference: Goldberger, Roweis,
//! Hinton & Salakhutdinov, *NIPS* 17, 2004.

mod loss;
mod start;

use super::gathered::{Gathered, check};
use super::{SampleError, SampleFit};
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef};
use crate::optimize::{Observer, Stopping, descend};
use crate::points::Points;

/// The settings of NCA.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nca {
    /// The criterion of convergence.
    pub(crate) stopping: Stopping,
}

impl Default for Nca {
    fn default() -> Self {
        Self { stopping: Stopping { max_iterations: 500, tolerance: 1e-6 } }
    }
}

impl Nca {
    /// Learns filters from samples in principal coordinates. The observer receives the loss after
    /// every iteration.
    pub(crate) fn fit(
        &self,
        points: Points<'_>,
        labels: &Labels,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<SampleFit, SampleError> {
        let rows = check(points, labels, filters)?;
        let mut samples = Gathered::new(points, &rows);
        // The samples are scaled to unit size, so that steps do not depend on the scale of the
        // data.
        let squares: f64 = samples.values.iter().map(|value| value * value).sum();
        let unit = (squares / samples.rows() as f64).sqrt();
        if !(unit > 0.0 && unit.is_finite()) {
            return Err(SampleError::NoSpread);
        }
        samples.values.iter_mut().for_each(|value| *value /= unit);
        let evaluate = |filters: MatRef<'_, f64>| {
            let (loss, gradient) = loss::evaluate(&samples, filters);
            if loss.is_finite() { Ok((loss, gradient)) } else { Err(SampleError::NoLoss { loss }) }
        };
        let mut best: Option<(f64, Mat<f64>)> = None;
        for start in start::candidates(&samples, filters) {
            let (loss, _) = evaluate(start.as_ref())?;
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, start));
            }
        }
        let (_, start) = best.ok_or(SampleError::NoSpread)?;
        let mut end = descend(start, evaluate, self.stopping, observer)?;
        end.point = Mat::from_fn(samples.columns, filters, |i, j| end.point[(i, j)] / unit);
        Ok(SampleFit::new(end))
    }
}

#[cfg(test)]
mod tests;
