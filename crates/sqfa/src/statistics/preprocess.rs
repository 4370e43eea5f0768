//! Scaling and centring as an affine map of the data that statistics and filters can follow.
//!
//! Points are never touched: the map x ↦ (x − offset)·factor is applied to the class statistics before a fit
//! and folded into the filters after it.

use std::str::FromStr;

use super::{ClassStatistics, Moments};
use crate::linalg::{Mat, MatRef};
use crate::names::chosen;
use crate::points::{Points, Scalar};
use crate::with_table;

/// The coordinates of a fit, in which filters have length 1 and noise is equal in all directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The columns as they are.
    #[default]
    None,
    /// All columns divided by one number, the standard deviation of all values of the training data.
    Common,
    /// Each column divided by its own standard deviation.
    PerFeature,
    /// Columns transformed so that the pooled within-class covariance, slightly shrunk, is the identity.
    WithinClass,
}

/// The scalings by name.
pub const SCALINGS: [(&str, Scaling); 4] = [
    ("none", Scaling::None),
    ("common", Scaling::Common),
    ("per-feature", Scaling::PerFeature),
    ("within-class", Scaling::WithinClass),
];

impl Scaling {
    /// The name in every flag, file and message.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Common => "common",
            Self::PerFeature => "per-feature",
            Self::WithinClass => "within-class",
        }
    }

    /// Whether the mean of all samples is subtracted, so that features have mean 0.
    pub fn centers(self) -> bool {
        self != Self::None
    }

    /// The part of the scaling that treats columns one by one: within-class scaling starts from standardized columns.
    pub fn of_columns(self) -> Self {
        if self == Self::WithinClass { Self::PerFeature } else { self }
    }
}

crate::names::text_in_files!(Scaling, name);

impl FromStr for Scaling {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("scaling", name, &SCALINGS)?)
    }
}

/// The map x ↦ (x − offset)·factor, dimension by dimension; a factor of 0 drops a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocessor {
    /// Subtracted first.
    pub offset: Vec<f64>,
    /// Multiplied then; 0 for a dimension that is dropped.
    pub factors: Vec<f64>,
}

impl Preprocessor {
    /// Returns the map that scales and centers data of these statistics and keeps every dimension, or `None` if it would
    /// change nothing. Constant dimensions have no scale of their own and keep the factor 1.
    pub fn new(statistics: &ClassStatistics, scaling: Scaling, center: bool) -> Option<Self> {
        Self::dropping(statistics, scaling, center, &[])
    }

    /// Returns the map that scales and centers data of these statistics and drops some dimensions, or `None` if it would
    /// change nothing.
    pub fn dropping(
        statistics: &ClassStatistics,
        scaling: Scaling,
        center: bool,
        dropped: &[usize],
    ) -> Option<Self> {
        if scaling == Scaling::None && !center && dropped.is_empty() {
            return None;
        }
        let n = statistics.dimension();
        let mut factors = match scaling {
            Scaling::None => vec![1.0; n],
            Scaling::Common => vec![inverse(global_std(statistics, dropped)); n],
            Scaling::PerFeature | Scaling::WithinClass => {
                let variances = statistics.total_variances();
                let mut factors: Vec<f64> =
                    variances.iter().map(|variance| inverse(variance.sqrt())).collect();
                // Their deviation is round-off, which must not become the unit.
                statistics.constant_columns().into_iter().for_each(|i| factors[i] = 1.0);
                factors
            }
        };
        dropped.iter().for_each(|&i| factors[i] = 0.0);
        let offset = if center { statistics.total_mean() } else { vec![0.0; n] };
        Some(Self { offset, factors })
    }

    /// Returns the dimensions that are dropped, in order.
    pub fn dropped(&self) -> Vec<usize> {
        (0..self.factors.len()).filter(|&i| self.factors[i] == 0.0).collect()
    }

    /// Turns statistics of raw data into those of preprocessed data; dropped dimensions leave dense ones.
    pub fn apply(&self, statistics: &mut ClassStatistics) {
        if let Some(selected) = self.selected(statistics) {
            *statistics = selected;
        } else {
            self.rescale(statistics);
        }
    }

    /// The statistics of preprocessed data: [`Self::apply`] to a copy.
    pub(crate) fn applied(&self, statistics: &ClassStatistics) -> ClassStatistics {
        self.selected(statistics).unwrap_or_else(|| {
            let mut copy = statistics.clone();
            self.rescale(&mut copy);
            copy
        })
    }

    /// Preprocessed statistics of the dimensions that are kept; none when all are, or when covariances keep no entries.
    fn selected(&self, statistics: &ClassStatistics) -> Option<ClassStatistics> {
        let kept = self.kept()?;
        let mut selected = statistics.selected(&kept)?;
        let of = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
        let (offset, factors) = (of(&self.offset), of(&self.factors));
        Self { offset, factors }.rescale(&mut selected);
        Some(selected)
    }

    /// Shifts and scales without dropping anything.
    fn rescale(&self, statistics: &mut ClassStatistics) {
        for class in 0..statistics.means.ncols() {
            let column = statistics.means.as_mut().col_mut(class);
            if statistics.moments == Moments::Second {
                continue;
            }
            for (i, value) in column.iter_mut().enumerate() {
                *value = (*value - self.offset[i]) * self.factors[i];
            }
        }
        if self.factors.iter().any(|&factor| factor != 1.0) {
            statistics.rescale(&self.factors);
        }
    }

    /// The dimensions that are not dropped; `None` when all are kept.
    pub fn kept(&self) -> Option<Vec<usize>> {
        let kept: Vec<usize> =
            (0..self.factors.len()).filter(|&i| self.factors[i] != 0.0).collect();
        (kept.len() < self.factors.len()).then_some(kept)
    }

    /// Filters of the kept dimensions as filters of all, with zeros where a dimension is dropped.
    pub(crate) fn embed(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match self.kept() {
            Some(kept) if filters.nrows() == kept.len() => {
                let mut all = Mat::zeros(self.factors.len(), filters.ncols());
                for j in 0..filters.ncols() {
                    for (i, &row) in kept.iter().enumerate() {
                        all[(row, j)] = filters[(i, j)];
                    }
                }
                all
            }
            _ => filters.to_owned(),
        }
    }

    /// Filters of preprocessed data as filters of raw data, and the offset to add to their features.
    pub fn fold(&self, filters: MatRef<'_, f64>) -> (Mat<f64>, Vec<f64>) {
        let embedded = self.embed(filters);
        let filters = embedded.as_ref();
        let folded = Mat::from_fn(filters.nrows(), filters.ncols(), |i, j| {
            filters[(i, j)] * self.factors[i]
        });
        let offset = (0..filters.ncols())
            .map(|j| -(0..filters.nrows()).map(|i| folded[(i, j)] * self.offset[i]).sum::<f64>())
            .collect();
        (folded, offset)
    }

    /// Returns filters of raw data as filters of preprocessed data, the inverse of [`Self::fold`].
    ///
    /// `dimension` is that of the preprocessed statistics: those that keep their entries lose the dropped dimensions, others
    /// have zeros there. Filters of other data stay what they are.
    pub fn unfold(&self, filters: MatRef<'_, f64>, dimension: usize) -> Mat<f64> {
        let all = self.factors.len();
        if filters.nrows() != all {
            return filters.to_owned();
        }
        let kept = |i: &usize| self.factors[*i] != 0.0 || dimension == all;
        let kept: Vec<usize> = (0..all).filter(kept).collect();
        Mat::from_fn(kept.len(), filters.ncols(), |i, j| match self.factors[kept[i]] {
            0.0 => 0.0,
            factor => filters[(kept[i], j)] / factor,
        })
    }
}

/// Returns the kept columns of some samples after scaling and centering.
pub(crate) fn preprocessed_rows(
    points: Points<'_>,
    rows: &[usize],
    map: Option<&Preprocessor>,
) -> Vec<f64> {
    let kept: Vec<usize> = match map.and_then(Preprocessor::kept) {
        Some(kept) => kept,
        None => (0..points.columns()).collect(),
    };
    with_table!(points, table => {
        let value = |row: usize, column: usize| {
            let value = table.get(row, column).to_f64();
            map.map_or(value, |map| (value - map.offset[column]) * map.factors[column])
        };
        let value = &value;
        rows.iter().flat_map(|&row| kept.iter().map(move |&column| value(row, column))).collect()
    })
}

fn inverse(value: f64) -> f64 {
    if value > 0.0 && value.is_finite() { 1.0 / value } else { 1.0 }
}

/// The standard deviation (divisor N − 1) of all values of the dimensions that are not dropped.
fn global_std(statistics: &ClassStatistics, dropped: &[usize]) -> f64 {
    let n = (statistics.dimension() - dropped.len()) as f64;
    let total = statistics.total_count();
    let all = statistics.total_mean().into_iter().zip(statistics.total_variances()).enumerate();
    let kept = all.filter(|(i, _)| !dropped.contains(i)).map(|(_, moments)| moments);
    let kept: Vec<(f64, f64)> = kept.collect();
    let grand: f64 = kept.iter().map(|(mean, _)| mean).sum::<f64>() / n;
    let squares: f64 = kept
        .iter()
        .map(|(mean, variance)| (total - 1.0) * variance + total * (mean - grand).powi(2))
        .sum();
    (squares / (total * n - 1.0)).sqrt()
}

impl ClassStatistics {
    pub(super) fn total_count(&self) -> f64 {
        // Without counts the classes stand for equally large, very large samples.
        self.counts().map_or(1e12, |counts| counts.iter().sum::<u64>() as f64)
    }

    /// The mean of all points.
    pub fn total_mean(&self) -> Vec<f64> {
        let shares = self.shares();
        // Measured from the first class: where all classes have the same mean, it is the mean to the last bit.
        let shift = |i: usize, k: usize| self.means()[(i, k)] - self.means()[(i, 0)];
        (0..self.dimension())
            .map(|i| {
                let shifts = shares.iter().enumerate().map(|(k, share)| share * shift(i, k));
                self.means()[(i, 0)] + shifts.sum::<f64>()
            })
            .collect()
    }

    /// The variance (divisor N − 1) of every dimension over all points.
    pub fn total_variances(&self) -> Vec<f64> {
        let (shares, total, mean) = (self.shares(), self.total_count(), self.total_mean());
        let mut sums = vec![0.0; self.dimension()];
        for (class, (share, covariance)) in shares.iter().zip(self.covariances()).enumerate() {
            let count = share * total;
            for (i, variance) in covariance.diagonal().iter().enumerate() {
                let shift = self.means()[(i, class)] - mean[i];
                sums[i] += (count - 1.0) * variance + count * shift * shift;
            }
        }
        sums.iter().map(|sum| sum / (total - 1.0)).collect()
    }
}
