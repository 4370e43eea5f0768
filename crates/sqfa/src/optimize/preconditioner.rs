//! The metric the optimiser measures filters in: the total covariance plus noise, or none.
//!
//! M = Σ π_k(Φ_k + (γ_k−γ̄)(γ_k−γ̄)ᵀ) + σ²I. Where the data's variances differ by orders of magnitude, as in
//! natural images, measuring steps in this metric saves most passes; where they do not, it saves nothing.

use crate::linalg::{CholeskySolver, Mat, MatRef, beside};
use crate::statistics::ClassStatistics;

/// Whether to precondition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preconditioning {
    /// Decide from the size of the problem and the spread of its variances.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Beyond this dimension factoring costs more than it saves.
const MAX_DIMENSION: usize = 8192;
/// How far the largest variance must stand out from the average one (noise included) for it to pay:
/// on MNIST (13 at σ² = 5, 36 at σ² = 1) it saves nothing, on SVHN (about 300) it saves four passes of five.
const SPREAD: f64 = 50.0;
/// Single precision cannot factor matrices that are worse conditioned than this.
const SMALLEST_SHIFT: f64 = 1e-6;

/// M⁻¹.
#[derive(Debug)]
pub(crate) enum Preconditioner {
    Identity,
    Total(CholeskySolver),
}

impl Preconditioner {
    /// `largest_variance` is that of any class in any direction; with `Auto` it decides.
    pub(crate) fn new(
        statistics: &ClassStatistics,
        noise: f64,
        largest_variance: f64,
        wish: Preconditioning,
    ) -> Self {
        let n = statistics.dimension();
        let spread = largest_variance / (statistics.noise_scale() + noise);
        let worthwhile = n <= MAX_DIMENSION && spread > SPREAD;
        if wish == Preconditioning::Off || (wish == Preconditioning::Auto && !worthwhile) {
            return Self::Identity;
        }
        let mut total = vec![0.0_f32; n * n];
        let shares = statistics.shares();
        for (share, covariance) in shares.iter().zip(statistics.covariances()) {
            let Some(entries) = covariance.entries() else { return Self::Identity };
            entries.add_lower_to(n, *share, &mut total);
        }
        let centre: Vec<f64> = (0..n)
            .map(|i| shares.iter().enumerate().map(|(k, s)| s * statistics.means()[(i, k)]).sum())
            .collect();
        for i in 0..n {
            for (class, share) in shares.iter().enumerate() {
                let factor = share * (statistics.means()[(i, class)] - centre[i]);
                for j in 0..=i {
                    total[i * n + j] +=
                        (factor * (statistics.means()[(j, class)] - centre[j])) as f32;
                }
            }
        }
        // The trace bounds the largest eigenvalue.
        let trace: f64 = (0..n).map(|i| f64::from(total[i * n + i])).sum();
        let shift = noise.max(SMALLEST_SHIFT * trace);
        if shift <= 0.0 {
            return Self::Identity;
        }
        for i in 0..n {
            total[i * n + i] += shift as f32;
        }
        CholeskySolver::new(total, n).map_or(Self::Identity, Self::Total)
    }

    /// M⁻¹ of several blocks; `None` for each when M is the identity.
    pub(crate) fn apply(&self, blocks: &[MatRef<'_, f64>]) -> Vec<Option<Mat<f64>>> {
        match self {
            Self::Identity => vec![None; blocks.len()],
            Self::Total(solver) => {
                let solved = solver.solve(beside(blocks).as_ref());
                let mut column = 0;
                blocks
                    .iter()
                    .map(|block| {
                        let first = column;
                        column += block.ncols();
                        Some(solved.subcols(first, block.ncols()).to_owned())
                    })
                    .collect()
            }
        }
    }

    /// Whether it does anything.
    pub(crate) fn is_active(&self) -> bool {
        matches!(self, Self::Total(_))
    }
}
