//! The m-dimensional part of an objective: quadratic forms, linear forms and the Gram matrix.

use super::EvaluationError;
use crate::constraint::{Constraint, Map};
use crate::distance::PairSums;
use crate::features::Gaussians;
use crate::linalg::{Real, WORTH_THREADS};
use crate::parallel;

/// The forms of a point: A_k = ηᵀΦ_kη and b_k = ηᵀγ_k for every class k, and N = ηᵀη. Matrices are
/// row-major.
#[derive(Debug, Clone)]
pub(super) struct Forms {
    pub(super) quadratic: Vec<f64>,
    pub(super) linear: Vec<f64>,
    pub(super) gram: Vec<f64>,
}

impl Forms {
    pub(super) fn zeros(classes: usize, m: usize) -> Self {
        Self {
            quadratic: vec![0.0; classes * m * m],
            linear: vec![0.0; classes * m],
            gram: vec![0.0; m * m],
        }
    }

    /// Returns self + step·first + step²·second, the forms at a step along a line.
    pub(super) fn moved(&self, step: f64, first: &Self, second: &Self) -> Self {
        let combine = |base: &[f64], first: &[f64], second: &[f64]| {
            (0..base.len()).map(|i| base[i] + step * (first[i] + step * second[i])).collect()
        };
        Self {
            quadratic: combine(&self.quadratic, &first.quadratic, &second.quadratic),
            linear: combine(&self.linear, &first.linear, &second.linear),
            gram: combine(&self.gram, &first.gram, &second.gram),
        }
    }

    /// Returns first + 2·step·second, the derivative of the forms with respect to the step.
    pub(super) fn rate(step: f64, first: &Self, second: &Self) -> Self {
        let zero = Self {
            quadratic: first.quadratic.clone(),
            linear: first.linear.clone(),
            gram: first.gram.clone(),
        };
        let none = Self {
            quadratic: vec![0.0; first.quadratic.len()],
            linear: vec![0.0; first.linear.len()],
            gram: vec![0.0; first.gram.len()],
        };
        zero.moved(2.0 * step, second, &none)
    }
}

/// The class Gaussians in feature space for some forms, with the map from the free matrix to the
/// filters.
#[derive(Debug, Clone)]
pub(super) struct FeatureGaussians {
    pub(super) map: Map,
    pub(super) gaussians: Gaussians,
}

/// Smallest squared sine of the angle between a column and the span of the preceding columns. The
/// round-off of the objective is about 1e-16 divided by it; below this limit, the optimization
/// would follow round-off instead of the objective.
const DEPENDENT: f64 = 1e-6;

/// Returns the smallest squared sine of the angle between a column and the span of the preceding
/// columns.
fn independence(gram: &[f64], m: usize) -> f64 {
    let mut lower = gram.to_vec();
    f64::cholesky(&mut lower, m);
    (0..m)
        .map(|i| lower[i * m + i].powi(2) / gram[i * m + i])
        .fold(1.0, |least, sine| if sine.is_nan() { 0.0 } else { least.min(sine) })
}

/// The part of the problem that does not depend on n.
#[derive(Debug)]
pub(super) struct FeatureProblem {
    pub(super) classes: usize,
    pub(super) filters: usize,
    pub(super) noise: f64,
    pub(super) constraint: Constraint,
}

impl FeatureProblem {
    /// Applies a function to every class, in parallel if a product of order m per class takes long
    /// enough.
    fn of_classes<R: Send>(&self, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let flops = 2.0 * (self.filters as f64).powi(3) * self.classes as f64;
        if flops > WORTH_THREADS {
            parallel::map(0..self.classes, work)
        } else {
            (0..self.classes).map(work).collect()
        }
    }

    /// Returns the class Gaussians in feature space, with noise added to the covariances. Cost:
    /// O(cm³).
    pub(super) fn place(&self, forms: &Forms) -> Result<FeatureGaussians, EvaluationError> {
        let m = self.filters;
        let map = self.constraint.map(&forms.gram, m).ok_or(EvaluationError::Degenerate)?;
        // With noise, dependent filters are harmless. Without noise, or with R⁻¹ of orthonormal
        // filters, only round-off would remain of them.
        let fragile = self.noise == 0.0 || self.constraint == Constraint::Orthonormal;
        if fragile && independence(&forms.gram, m) < DEPENDENT {
            return Err(EvaluationError::Degenerate);
        }
        let mut means = Vec::with_capacity(self.classes * m);
        for class in 0..self.classes {
            means.extend(map.transposed_apply(&forms.linear[class * m..][..m], m));
        }
        let covariances = self.of_classes(|class| {
            let mut covariance = map.sandwich(&forms.quadratic[class * m * m..][..m * m], m);
            for i in 0..m {
                for j in 0..i {
                    let mean = 0.5 * (covariance[i * m + j] + covariance[j * m + i]);
                    covariance[i * m + j] = mean;
                    covariance[j * m + i] = mean;
                }
                covariance[i * m + i] += self.noise;
            }
            covariance
        });
        let covariances = covariances.concat();
        Ok(FeatureGaussians { map, gaussians: Gaussians::trusted(m, means, covariances) })
    }

    /// Returns the derivative of the objective along a line, Σ ⟨G, Σ′⟩ + h·μ′.
    pub(super) fn slope(
        &self,
        forms: &Forms,
        rate: &Forms,
        classes: &FeatureGaussians,
        slopes: &PairSums,
    ) -> f64 {
        let m = self.filters;
        let map_slope = self.constraint.slope(&classes.map, &rate.gram, m);
        let parts = self.of_classes(|class| {
            let g = &slopes.cov_slopes[class * m * m..][..m * m];
            let h = &slopes.mean_slopes[class * m..][..m];
            let a = &forms.quadratic[class * m * m..][..m * m];
            let changed = classes.map.sandwich(&rate.quadratic[class * m * m..][..m * m], m);
            // ⟨G, T′ᵀAT + TᵀAT′⟩ = 2⟨G, TᵀAT′⟩ because G and A are symmetric.
            let turned = classes.map.transposed_times(&map_slope.times_right(a, m), m);
            let by_covariance =
                (0..m * m).map(|i| g[i] * (changed[i] + 2.0 * turned[i])).sum::<f64>();
            let by_map = map_slope.transposed_apply(&forms.linear[class * m..][..m], m);
            let by_form = classes.map.transposed_apply(&rate.linear[class * m..][..m], m);
            by_covariance + (0..m).map(|i| h[i] * (by_map[i] + by_form[i])).sum::<f64>()
        });
        parts.iter().sum()
    }

    /// Returns M = FᵀF̄ = Σ_k 2·TᵀA_kT·G_k + μ_k h_kᵀ.
    pub(super) fn inner_gradient(&self, classes: &FeatureGaussians, slopes: &PairSums) -> Vec<f64> {
        let m = self.filters;
        let mut total = vec![0.0; m * m];
        let products = self.of_classes(|class| {
            let g = &slopes.cov_slopes[class * m * m..][..m * m];
            let mut product = vec![0.0; m * m];
            let mut sigma = classes.gaussians.covariance(class).to_vec();
            (0..m).for_each(|i| sigma[i * m + i] -= self.noise);
            f64::multiply(&sigma, false, g, false, &mut product, m);
            product
        });
        for (class, product) in products.iter().enumerate() {
            let (mu, h) = (classes.gaussians.mean(class), &slopes.mean_slopes[class * m..][..m]);
            for i in 0..m {
                for j in 0..m {
                    total[i * m + j] += 2.0 * product[i * m + j] + mu[i] * h[j];
                }
            }
        }
        total
    }
}
