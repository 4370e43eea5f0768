//! The coordinates of a fit, y = Bᵀ D (x − o), and the conversion of filters to and from them.
//!
//! Dropped columns, centering and scaling are the diagonal map D (x − o). Principal components,
//! `--pca-dims` and within-class scaling add a basis B. For within-class scaling BBᵀ = W̃⁻¹, where
//! W̃ = (1−ρ)W + ρ(tr W/n)I is the pooled within-class covariance of the columns after D. ρ is the
//! oracle-approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010) for N − c degrees of
//! freedom, and at least [`LEAST_SHRINKAGE`]. In these coordinates, filters for much noise are
//! Fisher's discriminants, and filters for little noise depend on all differences between
//! covariances. The cost of within-class scaling is n³ + cn³.

use crate::labels::Labels;
use crate::linalg::{Lower, Mat, MatRef, symmetric_eigen, tall_times, triangle};
use crate::model::{Start, with_fixed_signs, with_unit_length};
use crate::points::Points;
use crate::reduce::ReducerSettings;
use crate::robust::{oracle_approximating, squared_norm};
use crate::statistics::{
    ClassStatistics, Estimator, Preprocessor, StatisticsError, add_fourth_moments,
    preprocessed_rows,
};
use crate::transform::{Features, transform_rows_offset};

use super::Labeled;
use super::rule::LEAST_SHRINKAGE;

/// The number of samples that are transformed at once when only their sums are kept.
const BLOCK: usize = 1024;

/// A linear map from preprocessed columns into the coordinates of a fit, and back.
#[derive(Debug)]
struct Turn {
    /// The basis B: one row per preprocessed column, one column per dimension of the fit.
    basis: Mat<f64>,
    /// The matrix that converts filters of preprocessed columns to the coordinates of the fit.
    inverse: Mat<f64>,
}

/// The coordinates of a fit, with the class statistics in these coordinates.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) preprocessor: Option<Preprocessor>,
    turn: Option<Turn>,
    /// The class statistics that the method uses.
    pub(crate) statistics: ClassStatistics,
    /// The class statistics without shrinkage, which classifiers use. `None` if nothing was shrunk.
    unshrunk: Option<ClassStatistics>,
}

impl Space {
    /// Returns a space whose coordinates are the preprocessed columns.
    pub(crate) fn plain(preprocessor: Option<Preprocessor>, statistics: ClassStatistics) -> Self {
        Self { preprocessor, turn: None, statistics, unshrunk: None }
    }

    /// Returns the memory of the space in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let turned = |turn: &Turn| {
            turn.basis.nrows() * turn.basis.ncols() + turn.inverse.nrows() * turn.inverse.ncols()
        };
        let statistics =
            self.statistics.bytes() + self.unshrunk.as_ref().map_or(0, ClassStatistics::bytes);
        statistics + size_of::<f64>() * self.turn.as_ref().map_or(0, turned)
    }

    /// Restricts the space to the span of orthonormal vectors, which are the columns of `basis`.
    pub(crate) fn within(self, basis: Mat<f64>) -> Self {
        let statistics = self.statistics.reduced(basis.as_ref());
        let inverse = basis.transpose().to_owned();
        self.turned(basis, inverse, statistics)
    }

    /// Transforms the space so that the pooled within-class covariance is the identity. Returns
    /// `None` if the covariances do not store their entries.
    pub(crate) fn whitened(self) -> Option<Self> {
        let (forth, back) = whitening(&self.statistics)?;
        let statistics = self.statistics.reduced(forth.as_ref());
        Some(self.turned(forth, back, statistics))
    }

    /// Appends another linear map to the maps of the space.
    fn turned(self, basis: Mat<f64>, inverse: Mat<f64>, statistics: ClassStatistics) -> Self {
        let turn = match self.turn {
            Some(before) => Turn {
                basis: tall_times(before.basis.as_ref(), basis.as_ref()),
                inverse: tall_times(inverse.as_ref(), before.inverse.as_ref()),
            },
            None => Turn { basis, inverse },
        };
        Self { turn: Some(turn), statistics, ..self }
    }

    /// Replaces the class statistics by robust ones, computed from samples in these coordinates.
    pub(crate) fn with_statistics(self, statistics: ClassStatistics) -> Self {
        Self { statistics, ..self }
    }

    /// Shrinks the class covariances in these coordinates. Ledoit–Wolf shrinkage needs the training
    /// samples for fourth moments.
    ///
    /// # Errors
    ///
    /// If the estimator needs samples or class counts that are not available.
    pub(crate) fn shrunk_by(
        self,
        estimator: Estimator,
        learned: Option<(&Labeled<'_>, &[usize])>,
    ) -> Result<Self, StatisticsError> {
        if estimator == Estimator::Empirical || estimator.needs_points() {
            return Ok(self);
        }
        let fourth = match (estimator, learned) {
            (Estimator::LedoitWolf, Some((data, rows))) => Some(self.fourth_moments(data, rows)),
            _ => None,
        };
        let statistics = self.statistics.shrunk_by(estimator, fourth.as_deref())?;
        Ok(Self { unshrunk: Some(self.statistics), statistics, ..self })
    }

    /// Shrinks the covariances of classes with few samples towards the pooled covariance.
    pub(crate) fn pooled_where_deficient(self) -> Self {
        match self.statistics.pooled_where_deficient() {
            Some(pooled) => {
                let unshrunk = self.unshrunk.or(Some(self.statistics));
                Self { statistics: pooled, unshrunk, ..self }
            }
            None => self,
        }
    }

    /// Returns Σ|y|⁴ per class over the given samples, where y is the difference between a sample
    /// and its class mean in these coordinates.
    fn fourth_moments(&self, data: &Labeled<'_>, rows: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; data.labels.classes().len()];
        for rows in rows.chunks(BLOCK) {
            let coordinates = self.coordinates(data.points, rows).to_f64();
            let codes: Vec<u32> = rows.iter().map(|&row| data.labels.codes()[row]).collect();
            let weight = |at: usize| data.weight(rows[at]) as f64;
            add_fourth_moments(&mut sums, &coordinates, &codes, weight, &self.statistics);
        }
        sums
    }

    /// Returns the given rows in these coordinates.
    pub(crate) fn coordinates(&self, points: Points<'_>, rows: &[usize]) -> Features {
        if let (None, map) = (&self.turn, &self.preprocessor) {
            return Features::F64(preprocessed_rows(points, rows, map.as_ref()));
        }
        let order = self.statistics.dimension();
        let (filters, offset) = self.fold(Mat::identity(order, order).as_ref());
        transform_rows_offset(points, rows, filters.as_ref(), offset.as_deref())
    }

    /// Returns robust class statistics of the given rows in these coordinates.
    pub(crate) fn robust(
        &self,
        data: &Labeled<'_>,
        rows: &[usize],
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        let coordinates = self.coordinates(data.points, rows);
        let labels: Labels = data.labels.select(rows);
        let weights: Option<Vec<u64>> =
            data.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let points = coordinates.as_points(self.statistics.dimension());
        let all: Vec<usize> = (0..rows.len()).collect();
        ClassStatistics::robust_of_rows(points, &labels, &all, weights.as_deref(), estimator)
    }

    /// Whether the coordinates are linear combinations of columns.
    pub(crate) fn is_turned(&self) -> bool {
        self.turn.is_some()
    }

    /// Returns the class statistics that classifiers use, which are not shrunk.
    pub(crate) fn classes(&self) -> &ClassStatistics {
        self.unshrunk.as_ref().unwrap_or(&self.statistics)
    }

    /// Converts filters of the space to filters of preprocessed columns.
    pub(crate) fn lift(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match &self.turn {
            Some(turn) => tall_times(turn.basis.as_ref(), filters),
            None => filters.to_owned(),
        }
    }

    /// Returns filters of preprocessed columns with one row per column of this space. Statistics
    /// that store entries have no dropped columns, while statistics that store samples have zeros
    /// for them.
    pub(crate) fn of_columns(&self, filters: Mat<f64>) -> Mat<f64> {
        let rows = match &self.turn {
            Some(turn) => turn.inverse.ncols(),
            None => self.statistics.dimension(),
        };
        let Some(map) = self.preprocessor.as_ref().filter(|_| filters.nrows() != rows) else {
            return filters;
        };
        match map.kept() {
            Some(kept) if kept.len() == rows => {
                Mat::from_fn(rows, filters.ncols(), |i, j| filters[(kept[i], j)])
            }
            _ => map.embed(filters.as_ref()),
        }
    }

    /// Converts filters of preprocessed columns to filters of the space.
    pub(crate) fn lower(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match &self.turn {
            Some(turn) => tall_times(turn.inverse.as_ref(), filters),
            None => filters.to_owned(),
        }
    }

    /// Returns settings whose initial and fixed filters are converted from raw columns to these
    /// coordinates.
    pub(crate) fn settings(&self, settings: &ReducerSettings) -> ReducerSettings {
        let lowered = |own: &Mat<f64>| self.lower_raw(own.as_ref());
        ReducerSettings {
            start: match &settings.start {
                Start::Given(own) => Start::Given(lowered(own)),
                own => own.clone(),
            },
            fixed: settings.fixed.as_ref().map(lowered),
            ..settings.clone()
        }
    }

    /// Converts filters of raw columns to filters of the space. If the space is a linear
    /// combination of columns, the filters are scaled to length 1, unless one of them is zero.
    fn lower_raw(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        let columns = match &self.turn {
            Some(turn) => turn.inverse.ncols(),
            None => self.statistics.dimension(),
        };
        let lowered = match &self.preprocessor {
            Some(preprocessor) => self.lower(preprocessor.unfold(filters, columns).as_ref()),
            None => self.lower(filters),
        };
        let is_zero = |j: usize| lowered.col(j).iter().all(|&value| value == 0.0);
        let keeps = !self.is_turned() || (0..lowered.ncols()).any(is_zero);
        if keeps { lowered } else { with_unit_length(lowered) }
    }

    /// Converts filters of the space to filters of raw columns, and returns the offset of their
    /// features.
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

/// Returns B with BBᵀ = W̃⁻¹ and the inverse of B, or `None` if the covariances do not store their
/// entries or do not vary.
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
    // Fix the signs, so that they do not depend on the order of columns.
    let vectors = with_fixed_signs(vectors);
    let roots: Vec<f64> =
        values.iter().map(|value| ((1.0 - share) * value.max(0.0) + share * mean).sqrt()).collect();
    let forth = Mat::from_fn(n, n, |i, j| vectors[(i, j)] / roots[j]);
    let back = Mat::from_fn(n, n, |i, j| vectors[(j, i)] * roots[i]);
    Some((forth, back))
}

/// Returns the shrinkage ρ for the degrees of freedom within classes, or 0 if the counts are
/// unknown.
fn shrinkage(statistics: &ClassStatistics, lower: Lower<'_, f64>, mean: f64) -> f64 {
    let Some(counts) = statistics.counts() else { return 0.0 };
    let freedom = counts.iter().sum::<u64>() as f64 - counts.len() as f64;
    let order = lower.order() as f64;
    oracle_approximating(freedom, order, mean * order, squared_norm(lower))
}

/// Returns at most `most` principal components of preprocessed columns, computed from the
/// statistics of raw columns. Also returns the mean within-class variance of the preprocessed
/// columns, divided by that of the components.
pub(crate) fn components_after(
    map: Option<&Preprocessor>,
    statistics: &ClassStatistics,
    most: usize,
) -> Result<(Mat<f64>, f64), StatisticsError> {
    // Fix the signs, so that they do not depend on the order of rows or columns.
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
