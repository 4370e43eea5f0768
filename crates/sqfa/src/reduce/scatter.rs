//! Total and within-class scatter as dense matrices, from class statistics.

use crate::linalg::Mat;
use crate::statistics::ClassStatistics;

use super::ReduceError;

/// Dense eigenproblems beyond this order would take minutes and gigabytes.
pub(crate) const MAX_ORDER: usize = 8192;

/// Maximum-likelihood scatters of all points: S_w = Σ π_k S_k, and the class means' own, in factored form.
pub(crate) struct Scatter {
    /// Lower triangle, row-major n × n.
    pub(crate) within: Vec<f64>,
    /// n × c, column k is √π_k (γ_k − γ̄).
    pub(crate) between: Mat<f64>,
    /// tr S_k for every class, weighted: tr S_w.
    pub(crate) within_trace: f64,
    pub(crate) dimension: usize,
}

impl Scatter {
    pub(crate) fn new(
        method: &'static str,
        statistics: &ClassStatistics,
    ) -> Result<Self, ReduceError> {
        let n = statistics.dimension();
        if n > MAX_ORDER {
            return Err(ReduceError::TooLarge { method, dimension: n, limit: MAX_ORDER });
        }
        let shares = statistics.shares();
        let mut within = vec![0.0; n * n];
        for (class, (share, covariance)) in shares.iter().zip(statistics.covariances()).enumerate()
        {
            // From divisor N − 1 to N.
            let factor = statistics.counts().map_or(1.0, |counts| {
                let count = counts[class] as f64;
                (count - 1.0) / count
            });
            let entries = covariance.entries().ok_or(ReduceError::NotDense { method })?;
            entries.add_lower_to(n, share * factor, &mut within);
        }
        let mean = statistics.total_mean();
        let means = statistics.means();
        let between = Mat::from_fn(n, shares.len(), |i, class| {
            shares[class].sqrt() * (means[(i, class)] - mean[i])
        });
        let within_trace = (0..n).map(|i| within[i * n + i]).sum();
        Ok(Self { within, between, within_trace, dimension: n })
    }

    /// tr S_b.
    pub(crate) fn between_trace(&self) -> f64 {
        crate::linalg::inner(self.between.as_ref(), self.between.as_ref())
    }

    /// Adds factor·S_b to the lower triangle of a matrix.
    pub(crate) fn add_between(&self, factor: f64, target: &mut [f64]) {
        use rayon::prelude::*;
        let n = self.dimension;
        target.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            for class in 0..self.between.ncols() {
                let own = factor * self.between[(i, class)];
                let column = self.between.col(class);
                for (j, value) in row[..=i].iter_mut().enumerate() {
                    *value += own * column[j];
                }
            }
        });
    }
}
