//! The metric in which the optimizer measures steps: the total covariance plus noise, or the identity.
//!
//! M = Σ π_k(Φ_k + (γ_k−γ̄)(γ_k−γ̄)ᵀ) + σ²I. If the variances of the data differ by orders of magnitude, as in natural
//! images, steps in this metric save most passes; otherwise they save nothing. If there are too many columns to factor
//! M, or entries are not stored, M is approximated by its leading directions: M ≈ V diag(λ)Vᵀ + ρ(I − VVᵀ) + σ²I, where
//! ρ is the average variance outside of them.

use crate::linalg::{
    CholeskySolver, Lower, Mat, MatRef, add_products, beside, lower_rows, transpose_times, triangle,
};
use crate::statistics::{ClassStatistics, leading_directions, total_variance};

/// The choice whether to use a preconditioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preconditioning {
    /// A choice based on the size of the problem and the spread of its variances.
    #[default]
    Auto,
    /// Preconditioning in every fit.
    On,
    /// No preconditioning.
    Off,
}

/// Largest number of columns for which M is factored. Beyond it, the factorization costs more than it saves.
const MAX_DIMENSION: usize = 8192;
/// Smallest ratio of the largest to the average variance (noise included) for which preconditioning pays off. On MNIST
/// (ratio 13 at σ² = 5, 36 at σ² = 1) it saves nothing; on SVHN (ratio about 300) it saves four of five passes.
const SPREAD: f64 = 50.0;
/// Smallest shift relative to the trace, because single precision cannot factor matrices with a larger condition
/// number.
const SMALLEST_SHIFT: f64 = 1e-6;

/// Number of leading directions that are kept if M is not factored.
const DIRECTIONS: usize = 32;
/// Number of subspace iterations that compute the leading directions.
const ROUNDS: usize = 4;

/// The inverse M⁻¹ of the metric.
#[derive(Debug)]
pub(crate) enum Preconditioner {
    Identity,
    Total(CholeskySolver<f32>),
    Leading(Leading),
    /// One preconditioner per initialization.
    Each(Vec<Preconditioner>),
}

/// The map x ↦ (x − V diag(1 − level/(λ+σ²)) Vᵀx)/level with level = ρ + σ².
#[derive(Debug)]
pub(crate) struct Leading {
    directions: Mat<f64>,
    /// The factors level/(λ+σ²) − 1, one per direction.
    factors: Vec<f64>,
    level: f64,
}

impl Leading {
    fn new(statistics: &ClassStatistics, noise: f64) -> Option<Self> {
        let n = statistics.dimension();
        let trace = total_variance(statistics);
        let shift = noise.max(SMALLEST_SHIFT * trace);
        let (directions, variances) = leading_directions(statistics, DIRECTIONS, ROUNDS)?;
        let outside = trace - variances.iter().sum::<f64>();
        let level = outside.max(0.0) / (n - directions.ncols()).max(1) as f64 + shift;
        // Negative Ritz values are round-off. Steps along a leading direction are never longer than those outside.
        let factor = |variance: &f64| level / (variance.max(0.0) + shift).max(level) - 1.0;
        let factors = variances.iter().map(factor).collect();
        (level > 0.0 && level.is_finite()).then_some(Self { directions, factors, level })
    }

    fn solve(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut inner = transpose_times(self.directions.as_ref(), block);
        for j in 0..inner.ncols() {
            for (value, factor) in inner.as_mut().col_mut(j).iter_mut().zip(&self.factors) {
                *value *= factor;
            }
        }
        let mut solved = block.to_owned();
        add_products(solved.as_mut(), &[(self.directions.as_ref(), inner.as_ref())]);
        for j in 0..solved.ncols() {
            solved.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= self.level);
        }
        solved
    }
}

impl Preconditioner {
    /// Creates the preconditioner. `largest_variance` is the largest variance of any class in any direction; with
    /// [`Preconditioning::Auto`] it decides whether preconditioning is used.
    pub(crate) fn new(
        statistics: &ClassStatistics,
        noise: f64,
        largest_variance: f64,
        requested: Preconditioning,
    ) -> Self {
        let n = statistics.dimension();
        let spread = largest_variance / (statistics.noise_scale() + noise);
        let worthwhile = spread > SPREAD;
        if requested == Preconditioning::Off || (requested == Preconditioning::Auto && !worthwhile)
        {
            return Self::Identity;
        }
        let whole =
            statistics.covariances().iter().all(|covariance| covariance.entries().is_some());
        if !whole || (n > MAX_DIMENSION && requested == Preconditioning::Auto) {
            return Leading::new(statistics, noise).map_or(Self::Identity, Self::Leading);
        }
        let mut total = vec![0.0_f32; triangle(n)];
        let shares = statistics.shares();
        for (share, covariance) in shares.iter().zip(statistics.covariances()) {
            let Some(entries) = covariance.entries() else { return Self::Identity };
            entries.add_lower_to(*share, &mut total);
        }
        // One row per class: its mean minus the mean of all samples, and the same multiplied by the class prior.
        let means = statistics.means();
        let center: Vec<f64> = (0..n)
            .map(|i| shares.iter().enumerate().map(|(k, s)| s * means[(i, k)]).sum())
            .collect();
        let offsets: Vec<Vec<f64>> = (0..shares.len())
            .map(|class| (0..n).map(|i| means[(i, class)] - center[i]).collect())
            .collect();
        lower_rows(&mut total, n, |i, row| {
            for (share, offset) in shares.iter().zip(&offsets) {
                let factor = share * offset[i];
                for (entry, other) in row.iter_mut().zip(offset) {
                    *entry += (factor * other) as f32;
                }
            }
        });
        // The trace is an upper bound on the largest eigenvalue.
        let trace: f64 = Lower::new(&total, n).diagonal().map(f64::from).sum();
        let shift = noise.max(SMALLEST_SHIFT * trace);
        if shift <= 0.0 {
            return Self::Identity;
        }
        for i in 0..n {
            total[triangle(i) + i] += shift as f32;
        }
        CholeskySolver::of(Lower::new(&total, n)).map_or(Self::Identity, Self::Total)
    }

    /// Multiplies blocks of several initializations by M⁻¹. The result is `None` for each block if M is the identity.
    pub(crate) fn apply(&self, of: &[(usize, MatRef<'_, f64>)]) -> Vec<Option<Mat<f64>>> {
        let blocks: Vec<_> = of.iter().map(|(_, block)| *block).collect();
        match self {
            Self::Identity => vec![None; blocks.len()],
            Self::Each(own) => of
                .iter()
                .map(|&(start, block)| own[start].apply(&[(start, block)]).pop().flatten())
                .collect(),
            // Block by block, so that the bits of one initialization do not depend on the others.
            Self::Leading(leading) => {
                blocks.iter().map(|block| Some(leading.solve(*block))).collect()
            }
            Self::Total(solver) => {
                let solved = solver.solve(beside(&blocks).as_ref());
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

    /// Whether the preconditioner differs from the identity.
    pub(crate) fn is_active(&self) -> bool {
        !matches!(self, Self::Identity)
    }
}
