//! The functions of the class Gaussians that filters maximize, with their derivatives.

use super::EvaluationError;
use crate::distance::{Distance, Hint, PairError, PairPlan, PairSums};
use crate::features::Gaussians;
use crate::linalg::Real;

/// Approximate flops of value and gradient of one pair, divided by m³: a Cholesky factorization, a
/// Jacobi eigenproblem and six products. Only the order of magnitude matters.
const PAIR_FLOPS: f64 = 60.0;

/// The function of the class Gaussians that is maximized.
#[derive(Debug)]
pub(crate) enum Criterion {
    /// The weighted mean of a distance over pairs of classes.
    MeanDistance {
        /// The distance.
        distance: Distance,
        /// The pairs and their weights.
        plan: PairPlan,
    },
    /// The criterion of likelihood acquired directions (Cook & Forzani, 2009), ln|Σ_tot| − Σ π_k
    /// ln|Σ_k|: the gain in likelihood if every class has its own Gaussian.
    LikelihoodGain {
        /// The fraction π_k of the samples in each class.
        shares: Vec<f64>,
    },
}

impl Criterion {
    /// Creates the mean distance over all pairs of classes, optionally weighted.
    pub(crate) fn mean_distance(
        distance: Distance,
        classes: usize,
        weights: Option<&[f64]>,
    ) -> Self {
        Self::MeanDistance { distance, plan: PairPlan::new(classes, weights) }
    }

    /// Creates the mean distance over some pairs of classes, or returns `None` if all their weights
    /// are 0.
    pub(crate) fn mean_distance_of(
        distance: Distance,
        classes: usize,
        pairs: Vec<(u32, u32)>,
        weights: Option<&[f64]>,
    ) -> Option<Self> {
        let plan = PairPlan::of(classes, pairs, weights)?;
        Some(Self::MeanDistance { distance, plan })
    }

    /// Returns the value for the given class Gaussians.
    pub(crate) fn value(&self, gaussians: &Gaussians) -> Result<f64, EvaluationError> {
        Ok(self.evaluate(gaussians, &[])?.value)
    }

    /// Returns the degree d of homogeneity: multiplying the data by c multiplies the value by cᵈ. A
    /// user-defined distance counts as degree 0.
    pub(super) fn degree(&self) -> u8 {
        match self {
            Self::MeanDistance { distance, .. } => {
                distance.claims().map_or(0, |claims| claims.degree)
            }
            Self::LikelihoodGain { .. } => 0,
        }
    }

    /// Returns the flops of one evaluation, divided by m³.
    pub(super) fn terms(&self) -> f64 {
        match self {
            Self::MeanDistance { plan, .. } => PAIR_FLOPS * plan.len() as f64,
            Self::LikelihoodGain { shares } => 2.0 * shares.len() as f64,
        }
    }

    /// Returns value and derivatives. The hints come from an earlier evaluation nearby, or are
    /// empty.
    pub(super) fn evaluate(
        &self,
        gaussians: &Gaussians,
        hints: &[Hint],
    ) -> Result<PairSums, EvaluationError> {
        match self {
            Self::MeanDistance { distance, plan } => Ok(plan.evaluate(distance, gaussians, hints)?),
            Self::LikelihoodGain { shares } => likelihood_gain(gaussians, shares),
        }
    }
}

/// Returns the gain in likelihood with G_k = π_k(Σ_tot⁻¹ − Σ_k⁻¹) and h_k = 2π_kΣ_tot⁻¹(μ_k − μ̄),
/// where Σ_tot = Σ π_k[Σ_k + (μ_k−μ̄)(μ_k−μ̄)ᵀ].
fn likelihood_gain(gaussians: &Gaussians, shares: &[f64]) -> Result<PairSums, EvaluationError> {
    let (m, classes) = (gaussians.order(), gaussians.len());
    let center: Vec<f64> = (0..m)
        .map(|i| (0..classes).map(|class| shares[class] * gaussians.mean(class)[i]).sum())
        .collect();
    let mut total = vec![0.0; m * m];
    for (class, share) in shares.iter().enumerate() {
        let (mean, covariance) = (gaussians.mean(class), gaussians.covariance(class));
        for i in 0..m {
            for j in 0..m {
                let shift = (mean[i] - center[i]) * (mean[j] - center[j]);
                total[i * m + j] += share * (covariance[i * m + j] + shift);
            }
        }
    }
    let (log_total, total_inverse) = log_det_and_inverse(&total, m, 0)?;
    let mut sums = PairSums {
        value: log_total,
        mean_slopes: vec![0.0; classes * m],
        cov_slopes: vec![0.0; classes * m * m],
        hints: Vec::new(),
    };
    for (class, share) in shares.iter().enumerate() {
        let (log_det, inverse) = log_det_and_inverse(gaussians.covariance(class), m, class)?;
        sums.value -= share * log_det;
        let mean = gaussians.mean(class);
        for i in 0..m {
            for j in 0..m {
                let at = i * m + j;
                sums.cov_slopes[class * m * m + at] = share * (total_inverse[at] - inverse[at]);
                sums.mean_slopes[class * m + i] +=
                    2.0 * share * total_inverse[at] * (mean[j] - center[j]);
            }
        }
    }
    Ok(sums)
}

/// Returns ln|A| and A⁻¹ of a symmetric positive definite matrix; `class` is the class that an
/// error names.
fn log_det_and_inverse(
    matrix: &[f64],
    m: usize,
    class: usize,
) -> Result<(f64, Vec<f64>), EvaluationError> {
    let mut lower = matrix.to_vec();
    f64::cholesky(&mut lower, m);
    let log_det: f64 = (0..m).map(|i| 2.0 * lower[i * m + i].ln()).sum();
    if !log_det.is_finite() {
        let pivot = (0..m).map(|i| lower[i * m + i]).find(|pivot| pivot.is_nan()).unwrap_or(0.0);
        return Err(PairError::NotPositiveDefinite { class, pivot }.into());
    }
    let (mut whitening, mut inverse) = (vec![0.0; m * m], vec![0.0; m * m]);
    f64::invert_lower(&lower, &mut whitening, m);
    f64::multiply(&whitening, true, &whitening, false, &mut inverse, m);
    Ok((log_det, inverse))
}
