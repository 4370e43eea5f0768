//! The units of a fit: where filters have length 1 and noise is the same in every direction.
//!
//! One scale for all columns, one a column, or the pooled within-class covariance W itself: x ↦ BᵀDx with D the inverse
//! standard deviations and BBᵀ = W̃⁻¹, W̃ = (1−ρ)W + ρ(tr W/n)I in units of D. ρ is the oracle-approximating shrinkage of
//! Chen, Wiesel, Eldar and Hero (2010) for N − c degrees of freedom, at least [`LEAST_SHRINKAGE`]. With much noise filters in
//! units of W are Fisher's discriminants, with little they see every difference between covariances. Cost: n³ + cn³.

use crate::linalg::{Lower, Mat, MatRef, symmetric_eigen, tall_times, triangle};
use crate::model::{with_fixed_signs, with_unit_length};
use crate::robust::{oracle_approximating, squared_norm};
use crate::statistics::{ClassStatistics, Preprocessor, Scaling, StatisticsError};

/// Shrinkage of the pooled covariance however many the points.
const LEAST_SHRINKAGE: f64 = 1e-3;

/// What a length of 1 and a noise of 1 mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// The covariance within classes is the unit, in every direction.
    WithinClass,
    /// Every column by its own standard deviation.
    PerFeature,
    /// One scale for all columns.
    Common,
}

impl Units {
    /// All of them, from what needs most of the data to what needs least.
    pub const ALL: [Self; 3] = [Self::WithinClass, Self::PerFeature, Self::Common];

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::WithinClass => "within-class",
            Self::PerFeature => "per-feature",
            Self::Common => "common",
        }
    }

    /// How columns are scaled for it.
    pub fn scaling(self) -> Scaling {
        match self {
            Self::WithinClass | Self::PerFeature => Scaling::PerFeature,
            Self::Common => Scaling::GlobalStd,
        }
    }
}

/// A linear map from preprocessed columns into the space of a fit, and back.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) preprocessor: Option<Preprocessor>,
    /// Preprocessed columns × dimensions of the fit; none for the columns themselves.
    basis: Option<Mat<f64>>,
    /// What brings filters of preprocessed columns into the space.
    inverse: Option<Mat<f64>>,
    pub(crate) statistics: ClassStatistics,
}

impl Space {
    /// The space of preprocessed statistics as they are.
    pub(crate) fn plain(preprocessor: Option<Preprocessor>, statistics: ClassStatistics) -> Self {
        Self { preprocessor, basis: None, inverse: None, statistics }
    }

    /// The same within the span of some orthonormal columns.
    pub(crate) fn within(self, basis: Mat<f64>) -> Self {
        let statistics = self.statistics.reduced(basis.as_ref());
        let inverse = basis.transpose().to_owned();
        Self { basis: Some(basis), inverse: Some(inverse), statistics, ..self }
    }

    /// The same with the pooled within-class covariance as unit; `None` when entries are not kept.
    pub(crate) fn whitened(self) -> Option<Self> {
        let (forth, back) = whitening(&self.statistics)?;
        let statistics = self.statistics.reduced(forth.as_ref());
        let (basis, inverse) = match (self.basis, self.inverse) {
            (Some(basis), Some(inverse)) => (
                tall_times(basis.as_ref(), forth.as_ref()),
                tall_times(back.as_ref(), inverse.as_ref()),
            ),
            _ => (forth, back),
        };
        let (basis, inverse) = (Some(basis), Some(inverse));
        Some(Self { preprocessor: self.preprocessor, basis, inverse, statistics })
    }

    /// Whether filters of the space are not those of preprocessed columns.
    pub(crate) fn is_turned(&self) -> bool {
        self.basis.is_some()
    }

    /// Other statistics of the same raw columns, seen in this space.
    pub(crate) fn view(&self, mut statistics: ClassStatistics) -> ClassStatistics {
        if let Some(preprocessor) = &self.preprocessor {
            preprocessor.apply(&mut statistics);
        }
        match &self.basis {
            Some(basis) => statistics.reduced(basis.as_ref()),
            None => statistics,
        }
    }

    /// Filters of the space as filters of preprocessed columns.
    pub(crate) fn lift(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match &self.basis {
            Some(basis) => tall_times(basis.as_ref(), filters),
            None => filters.to_owned(),
        }
    }

    /// Filters of preprocessed columns as filters of the space.
    pub(crate) fn lower(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match &self.inverse {
            Some(inverse) => tall_times(inverse.as_ref(), filters),
            None => filters.to_owned(),
        }
    }

    /// Filters of raw points as filters of the space, of length 1 there; zeros stay zeros.
    pub(crate) fn lower_raw(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        let lowered = match &self.preprocessor {
            Some(preprocessor) => {
                let inverse = self.inverse.as_ref();
                let columns = inverse.map_or(self.statistics.dimension(), |own| own.ncols());
                self.lower(preprocessor.unfold(filters, columns).as_ref())
            }
            None => self.lower(filters),
        };
        let is_zero = |j: usize| lowered.col(j).iter().all(|&value| value == 0.0);
        if (0..lowered.ncols()).any(is_zero) { lowered } else { with_unit_length(lowered) }
    }

    /// Filters of the space as filters of raw points, and the offset of their features.
    pub(crate) fn fold(&self, filters: MatRef<'_, f64>) -> (Mat<f64>, Option<Vec<f64>>) {
        let lifted = self.lift(filters);
        match &self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(lifted.as_ref());
                (filters, Some(offset))
            }
            None => (lifted, None),
        }
    }
}

/// B with BBᵀ = W̃⁻¹, and its inverse.
fn whitening(statistics: &ClassStatistics) -> Option<(Mat<f64>, Mat<f64>)> {
    let n = statistics.dimension();
    let mut lower = vec![0.0; triangle(n)];
    for (share, covariance) in statistics.shares().iter().zip(statistics.covariances()) {
        covariance.entries()?.add_lower_to(*share, &mut lower);
    }
    let lower = Lower::new(&lower, n);
    let pooled = Mat::from_fn(n, n, |i, j| lower.at(i, j));
    let mean = (0..n).map(|i| pooled[(i, i)]).sum::<f64>() / n as f64;
    if mean <= 0.0 || !mean.is_finite() {
        return None;
    }
    let share = shrinkage(statistics, lower, mean).max(LEAST_SHRINKAGE);
    let (values, vectors) = symmetric_eigen(pooled.as_ref())?;
    // Signs that do not depend on the order of columns.
    let vectors = with_fixed_signs(vectors);
    let roots: Vec<f64> =
        values.iter().map(|value| ((1.0 - share) * value.max(0.0) + share * mean).sqrt()).collect();
    let forth = Mat::from_fn(n, n, |i, j| vectors[(i, j)] / roots[j]);
    let back = Mat::from_fn(n, n, |i, j| vectors[(j, i)] * roots[i]);
    Some((forth, back))
}

/// ρ for the degrees of freedom within classes; 0 where counts are unknown.
fn shrinkage(statistics: &ClassStatistics, lower: Lower<'_, f64>, mean: f64) -> f64 {
    let Some(counts) = statistics.counts() else { return 0.0 };
    let freedom = counts.iter().sum::<u64>() as f64 - counts.len() as f64;
    let order = lower.order() as f64;
    oracle_approximating(freedom, order, mean * order, squared_norm(lower))
}

/// At most so many principal components of preprocessed points, from the statistics of the points as they came, and the mean
/// within-class variance of preprocessed columns over that of the components.
pub(crate) fn components_after(
    map: Option<&Preprocessor>,
    statistics: &ClassStatistics,
    most: usize,
) -> Result<(Mat<f64>, f64), StatisticsError> {
    // Signs that do not depend on the order of rows or columns.
    let basis = with_fixed_signs(statistics.components_after(map, most)?);
    let folded = map.map(|map| map.fold(basis.as_ref()).0);
    let filters = folded.as_ref().unwrap_or(&basis);
    let within = statistics.reduced(filters.as_ref()).noise_scale();
    let (shares, order) = (statistics.shares(), basis.nrows() as f64);
    let own: f64 = shares
        .iter()
        .zip(statistics.covariances())
        .map(|(share, covariance)| {
            let variances = covariance.diagonal();
            let factor = |column: usize| map.map_or(1.0, |map| map.factors[column]);
            let scaled = variances.iter().enumerate().map(|(at, one)| one * factor(at).powi(2));
            share * scaled.sum::<f64>() / order
        })
        .sum();
    Ok((basis, own / within))
}
