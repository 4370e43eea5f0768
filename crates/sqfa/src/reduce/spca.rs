//! Supervised principal component analysis: the directions with the strongest dependence on the
//! class (Barshan et al., 2011).
//!
//! With a kernel that is 1 for equal labels, the Hilbert–Schmidt criterion is XᵀHKHX = Σ_k s_k
//! s_kᵀ, where s_k is the sum of the centered samples of class k. Its eigenvectors follow from
//! these c vectors, so no kernel matrix is formed. The criterion has rank c − 1 and determines no
//! further filters; the leading principal components orthogonal to its filters are added. Cost: an
//! eigenproblem of order c.

use std::time::Instant;

use crate::linalg::{Mat, beside, orthonormalize, symmetric_eigen, tall_times, transpose_times};
use crate::model::{Warning, with_fixed_signs};
use crate::optimize::Observer;

use super::{Limit, Pca, ReduceError, Reducer, Reduction, Training, largest_count, nested};

/// Eigenvalue, as a fraction of the largest, below which it is round-off of a rank-deficient
/// criterion.
const RANK: f64 = 1e-10;

/// Supervised principal component analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spca;

impl Reducer for Spca {
    fn name(&self) -> &str {
        "spca"
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        _: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let began = Instant::now();
        let statistics = training.statistics();
        let n = statistics.dimension();
        let largest = largest_count("spca", filters, (n, Limit::Dimension))?;
        let (shares, mean) = (statistics.shares(), statistics.total_mean());
        // The class sums divided by the number of samples, which scales all eigenvalues by the same
        // factor.
        let sums = Mat::from_fn(n, shares.len(), |i, class| {
            shares[class] * (statistics.means()[(i, class)] - mean[i])
        });
        let gram = transpose_times(sums.as_ref(), sums.as_ref());
        let (values, vectors) =
            symmetric_eigen(gram.as_ref()).ok_or(ReduceError::Eigen { method: "spca" })?;
        let classes = shares.len();
        let top = values.last().copied().unwrap_or(0.0);
        let rank = values.iter().filter(|&&value| value > RANK * top).count().min(n);
        let leading = Mat::from_fn(classes, rank, |i, j| {
            let at = classes - 1 - j;
            vectors[(i, at)] / values[at].sqrt()
        });
        let mut found = tall_times(sums.as_ref(), leading.as_ref());
        let mut warning = None;
        if largest > rank {
            found = completed(&found, training, largest)?;
            warning = Some(Warning::BeyondCriterion { rank });
        }
        let found = with_fixed_signs(found);
        let mut fitted = nested(&found, filters, began.elapsed().as_secs_f64());
        for (reduction, &count) in fitted.iter_mut().zip(filters) {
            reduction.run.warnings.extend(warning.clone().filter(|_| count > rank));
        }
        Ok(fitted)
    }
}

/// Returns orthonormal columns, extended by principal components to `count` columns.
fn completed(
    found: &Mat<f64>,
    training: &Training<'_>,
    count: usize,
) -> Result<Mat<f64>, ReduceError> {
    let n = found.nrows();
    let components = Pca::default().components(training, count.min(n))?;
    let mut all = found.clone();
    for j in 0..components.ncols() {
        if all.ncols() == count {
            break;
        }
        let longer = beside(&[all.as_ref(), components.subcols(j, 1)]);
        if let Some(orthonormal) = orthonormalize(longer.as_ref()) {
            all = orthonormal;
        }
    }
    Ok(all)
}
