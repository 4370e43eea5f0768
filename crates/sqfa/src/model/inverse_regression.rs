//! Inverse regression: closed forms that measure, in whitened space, how every class differs from
//! all classes together.
//!
//! Let T = Σπ_k(Φ_k + γ̃_kγ̃_kᵀ) + σ²I be the total covariance with noise, and z = T^(−½)(x − γ̄),
//! which has mean 0 and covariance I. With m_k = E[z|k], V_k = cov(z|k), A_k = V_k + m_km_kᵀ and B
//! = Σπ_km_km_kᵀ, the filters are T^(−½) times the leading eigenvectors of a matrix. For sliced
//! average variance estimation (Cook & Weisberg, *JASA* 86, 1991), the matrix is Σπ_k(I − V_k)².
//! For directional regression (Li & Wang, *JASA* 102, 2007), it is 2Σπ_k(A_k − I)² + 2B² + 2tr(B)B.
//!
//! Cost: two eigenproblems of order n and about 6cn³ flops. If fewer samples than dimensions are
//! stored as they are, n is the dimension of their span.

use crate::features::Gaussians;
use crate::linalg::{MAX_ORDER, Mat, symmetric_eigen, tall_times, transpose_times};
use crate::statistics::{ClassStatistics, project, total_times};

use super::FitError;
use super::fitted::{with_fixed_signs, with_unit_length};

/// Variances below this many units of round-off of the largest variance count as round-off.
const ROUNDINGS: f64 = 64.0;

/// A method of inverse regression, which determines the matrix of the eigenproblem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InverseRegression {
    /// Sliced average variance estimation: differences between class covariances.
    Save,
    /// Directional regression: differences between class covariances and means.
    Directional,
}

impl InverseRegression {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Save, Self::Directional];

    /// Returns the name in flags, files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Save => "save",
            Self::Directional => "directional-regression",
        }
    }

    /// Returns the method with this name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the leading filters with unit length, one per column. The noise σ² is added to the
    /// variance of every direction.
    pub(crate) fn filters(
        self,
        statistics: &ClassStatistics,
        noise: f64,
        count: usize,
    ) -> Result<Mat<f64>, FitError> {
        if statistics.is_kept_as_samples()
            && let Ok(span) = statistics.reduced_to_span(count)
        {
            let inner = self.solve(span.statistics(), noise, count)?;
            return Ok(with_fixed_signs(with_unit_length(span.lift(inner.as_ref()))));
        }
        self.solve(statistics, noise, count)
    }

    fn solve(
        self,
        statistics: &ClassStatistics,
        noise: f64,
        count: usize,
    ) -> Result<Mat<f64>, FitError> {
        let (method, n) = (self.name(), statistics.dimension());
        if n > MAX_ORDER {
            return Err(FitError::TooLarge { method, dimension: n, limit: MAX_ORDER });
        }
        let failed = || FitError::Eigen { method };
        let total = total_times(statistics, Mat::identity(n, n).as_ref());
        let (mut variances, vectors) = symmetric_eigen(total.as_ref()).ok_or_else(failed)?;
        variances.iter_mut().for_each(|variance| *variance = variance.max(0.0) + noise);
        let single = statistics.covariances().iter().any(|covariance| covariance.is_single());
        let unit = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let least = ROUNDINGS * unit * variances.last().copied().unwrap_or(0.0);
        let first = variances.partition_point(|&variance| variance <= least);
        let rank = n - first;
        if count > rank {
            return Err(FitError::Rank { method, filters: count, rank });
        }
        let variances = &variances[first..];
        let whitening = Mat::from_fn(n, rank, |i, j| vectors[(i, first + j)] / variances[j].sqrt());
        let classes = project(statistics, whitening.as_ref(), 0.0);
        let added: Vec<f64> = variances.iter().map(|variance| noise / variance).collect();
        let matrix = self.matrix(&classes, &statistics.shares(), &added);
        let (_, turned) = symmetric_eigen(matrix.as_ref()).ok_or_else(failed)?;
        let leading = Mat::from_fn(rank, count, |i, j| turned[(i, rank - 1 - j)]);
        let filters = tall_times(whitening.as_ref(), leading.as_ref());
        Ok(with_fixed_signs(with_unit_length(filters)))
    }

    /// Returns the matrix of the method in whitened space, where the noise adds the variances
    /// `added` along the axes.
    fn matrix(self, classes: &Gaussians, shares: &[f64], added: &[f64]) -> Mat<f64> {
        let order = added.len();
        let mean: Vec<f64> = (0..order)
            .map(|i| shares.iter().enumerate().map(|(k, share)| share * classes.mean(k)[i]).sum())
            .collect();
        let mut sum = Mat::<f64>::zeros(order, order);
        let mut between = Mat::<f64>::zeros(order, order);
        for (class, &share) in shares.iter().enumerate() {
            let covariance = classes.covariance(class);
            let centered: Vec<f64> =
                classes.mean(class).iter().zip(&mean).map(|(own, mean)| own - mean).collect();
            let outer = Mat::from_fn(order, order, |i, j| centered[i] * centered[j]);
            // E[zzᵀ|k] − I for directional regression, otherwise cov(z|k) − I.
            let mut differs = Mat::from_fn(order, order, |i, j| covariance[i * order + j]);
            (0..order).for_each(|i| differs[(i, i)] += added[i] - 1.0);
            if self == Self::Directional {
                differs += &outer;
            }
            between += share * outer;
            sum += share * transpose_times(differs.as_ref(), differs.as_ref());
        }
        if self == Self::Directional {
            let trace: f64 = (0..order).map(|i| between[(i, i)]).sum();
            sum += transpose_times(between.as_ref(), between.as_ref()) + trace * &between;
        }
        sum
    }
}

#[cfg(test)]
mod tests;
