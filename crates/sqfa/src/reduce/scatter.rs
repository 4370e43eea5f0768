//! Total and within-class scatter as dense matrices, from class statistics.

use crate::linalg::{MAX_ORDER, Mat};
use crate::parallel;
use crate::statistics::{ClassStatistics, Covariance};

use super::ReduceError;

/// Columns of a covariance without entries that are made at a time.
const COLUMNS: usize = 256;

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

/// From divisor N − 1 to N.
fn to_divisor_n(statistics: &ClassStatistics, class: usize) -> f64 {
    statistics.counts().map_or(1.0, |counts| {
        let count = counts[class] as f64;
        (count - 1.0) / count
    })
}

/// tr S_w in all dimensions.
pub(crate) fn within_trace(statistics: &ClassStatistics) -> f64 {
    let classes = statistics.covariances().iter().zip(statistics.shares()).enumerate();
    let traces = classes.map(|(class, (covariance, share))| {
        share * to_divisor_n(statistics, class) * covariance.diagonal().iter().sum::<f64>()
    });
    traces.sum()
}

/// Adds the lower triangle of a covariance that keeps no entries, some columns at a time.
fn add_products_with_identity(covariance: &dyn Covariance, factor: f64, target: &mut [f64]) {
    let n = covariance.dimension();
    for first in (0..n).step_by(COLUMNS) {
        let width = COLUMNS.min(n - first);
        let unit = Mat::from_fn(n, width, |i, j| f64::from(u8::from(i == first + j)));
        let mut columns = Mat::zeros(n, width);
        covariance.multiply(unit.as_ref(), columns.as_mut(), width);
        for j in 0..width {
            for i in first + j..n {
                target[i * n + first + j] += factor * columns[(i, j)];
            }
        }
    }
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
            let factor = share * to_divisor_n(statistics, class);
            match covariance.entries() {
                Some(entries) => entries.add_lower_to(factor, &mut within),
                None => add_products_with_identity(&**covariance, factor, &mut within),
            }
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
        let n = self.dimension;
        parallel::rows(target, n, |i, row| {
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
