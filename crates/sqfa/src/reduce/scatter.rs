//! The within-class scatter as one triangle and the between-class scatter as a factor, from class
//! statistics.

use crate::linalg::{
    Lower, MAX_ORDER, Mat, MatRef, add_products, add_scaled, transpose_times, triangle,
};
use crate::statistics::{ClassStatistics, Covariance, Entries};

use super::ReduceError;

/// Number of columns that are computed at a time for a covariance that is not stored as a matrix.
const COLUMNS: usize = 256;

/// Maximum-likelihood scatters of all samples: S_w = Σ π_k S_k, and the scatter S_b of the class
/// means in factored form.
pub(crate) struct Scatter<'a> {
    /// The stored class covariances that add up to S_w, with their weights. A covariance that
    /// classes share occurs once.
    within: Vec<(f64, Entries<'a>)>,
    /// The packed lower triangle of the part of S_w that comes from covariances that are not stored
    /// as matrices.
    rest: Option<Vec<f64>>,
    /// An n × c factor of S_b with the columns √π_k (γ_k − γ̄).
    between: Mat<f64>,
    /// The trace of S_w.
    pub(crate) within_trace: f64,
    pub(crate) dimension: usize,
}

/// Returns the factor that converts the divisor N − 1 to N.
fn to_divisor_n(statistics: &ClassStatistics, class: usize) -> f64 {
    statistics.counts().map_or(1.0, |counts| {
        let count = counts[class] as f64;
        (count - 1.0) / count
    })
}

/// Returns the trace of S_w in all dimensions.
pub(crate) fn within_trace(statistics: &ClassStatistics) -> f64 {
    let classes = statistics.covariances().iter().zip(statistics.shares()).enumerate();
    let traces = classes.map(|(class, (covariance, share))| {
        share * to_divisor_n(statistics, class) * covariance.diagonal().iter().sum::<f64>()
    });
    traces.sum()
}

/// Adds the lower triangle of a covariance that is not stored as a matrix, some columns at a time
/// to save memory.
fn add_products_with_identity(covariance: &dyn Covariance, factor: f64, target: &mut [f64]) {
    let n = covariance.dimension();
    for first in (0..n).step_by(COLUMNS) {
        let width = COLUMNS.min(n - first);
        let unit = Mat::from_fn(n, width, |i, j| f64::from(u8::from(i == first + j)));
        let mut columns = Mat::zeros(n, width);
        covariance.multiply(unit.as_ref(), columns.as_mut(), width);
        for j in 0..width {
            for i in first + j..n {
                target[triangle(i) + first + j] += factor * columns[(i, j)];
            }
        }
    }
}

impl<'a> Scatter<'a> {
    pub(crate) fn new(
        method: &'static str,
        statistics: &'a ClassStatistics,
    ) -> Result<Self, ReduceError> {
        let n = statistics.dimension();
        if n > MAX_ORDER {
            return Err(ReduceError::TooLarge { method, dimension: n, limit: MAX_ORDER });
        }
        let shares = statistics.shares();
        let weights: Vec<f64> = shares
            .iter()
            .enumerate()
            .map(|(class, share)| share * to_divisor_n(statistics, class))
            .collect();
        let mut within = Vec::new();
        let mut rest = None;
        for (weight, covariance) in statistics.distinct_covariances(&weights) {
            match covariance.entries() {
                Some(entries) => within.push((weight, entries)),
                None => {
                    let rest = rest.get_or_insert_with(|| vec![0.0; triangle(n)]);
                    add_products_with_identity(&**covariance, weight, rest);
                }
            }
        }
        let mean = statistics.total_mean();
        let means = statistics.means();
        let between = Mat::from_fn(n, shares.len(), |i, class| {
            shares[class].sqrt() * (means[(i, class)] - mean[i])
        });
        let within_trace = within_trace(statistics);
        Ok(Self { within, rest, between, within_trace, dimension: n })
    }

    /// Writes row i of factor·S_w up to the diagonal.
    pub(crate) fn within_row(&self, factor: f64, i: usize, row: &mut [f64]) {
        match &self.rest {
            Some(rest) => row.copy_from_slice(Lower::new(rest, self.dimension).row(i)),
            None => row.fill(0.0),
        }
        self.within.iter().for_each(|(weight, entries)| entries.add_row_to(*weight, i, row));
        row.iter_mut().for_each(|value| *value *= factor);
    }

    /// Returns the trace of S_b.
    pub(crate) fn between_trace(&self) -> f64 {
        crate::linalg::inner(self.between.as_ref(), self.between.as_ref())
    }

    /// Returns (factor·S_b + ridge·I) times a block.
    pub(crate) fn between_times(
        &self,
        factor: f64,
        ridge: f64,
        block: MatRef<'_, f64>,
    ) -> Mat<f64> {
        let mut product = Mat::zeros(block.nrows(), block.ncols());
        add_scaled(product.as_mut(), ridge, block);
        let mut inner = transpose_times(self.between.as_ref(), block);
        for j in 0..inner.ncols() {
            inner.as_mut().col_mut(j).iter_mut().for_each(|value| *value *= factor);
        }
        add_products(product.as_mut(), &[(self.between.as_ref(), inner.as_ref())]);
        product
    }
}
