//! Class statistics in a subspace: VᵀΦV for every class, for fits after a first reduction.

use super::{ClassStatistics, Dense, project};
use crate::linalg::{Mat, MatRef};

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
}
