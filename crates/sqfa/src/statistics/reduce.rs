//! Class statistics in a subspace: VᵀΦV for every class, for fits after a first reduction.

use super::{ClassStatistics, Dense};
use crate::features::project;
use crate::linalg::{Mat, MatRef, symmetric_eigen};

/// Principal components of statistics beyond this dimension would take minutes and gigabytes.
const MAX_DIMENSION: usize = 8192;

impl ClassStatistics {
    /// The statistics of the features VᵀX, in double precision.
    pub fn reduced(&self, basis: MatRef<'_, f64>) -> Self {
        let k = basis.ncols();
        let gaussians = project(self, basis, 0.0);
        let means = Mat::from_fn(k, gaussians.len(), |i, class| gaussians.mean(class)[i]);
        let covariances = (0..gaussians.len())
            .map(|class| {
                let entries = gaussians.covariance(class).to_vec();
                Box::new(Dense::new(entries, k).expect("k² entries")) as _
            })
            .collect();
        let mut reduced = Self::from_parts(
            self.classes().clone(),
            self.counts().map(<[u64]>::to_vec),
            means,
            covariances,
            self.moments(),
        );
        reduced.shrunk = self.shrunk;
        reduced
    }

    /// The leading `count` principal components of all points, one a column, and their variances.
    ///
    /// `None` when the dimension is too large for a dense eigenproblem or the covariances have no entries.
    pub fn principal_components(&self, count: usize) -> Option<(Mat<f64>, Vec<f64>)> {
        let n = self.dimension();
        if n > MAX_DIMENSION || count > n {
            return None;
        }
        let mut total = vec![0.0_f64; n * n];
        let (shares, mean, points) = (self.shares(), self.total_mean(), self.total_count());
        for (class, (share, covariance)) in shares.iter().zip(self.covariances()).enumerate() {
            // The scatter of all points over their number less one, as for every class.
            let within = (share * points - 1.0) / (points - 1.0);
            let share = share * points / (points - 1.0);
            covariance.entries()?.add_lower_to(n, within, &mut total);
            let shift: Vec<f64> = (0..n).map(|i| self.means()[(i, class)] - mean[i]).collect();
            for i in 0..n {
                for j in 0..=i {
                    total[i * n + j] += share * shift[i] * shift[j];
                }
            }
        }
        let total = MatRef::from_row_major_slice(&total, n, n);
        let (values, vectors) = symmetric_eigen(total)?;
        let leading = Mat::from_fn(n, count, |i, j| vectors[(i, n - 1 - j)]);
        Some((leading, values.iter().rev().take(count).copied().collect()))
    }
}
