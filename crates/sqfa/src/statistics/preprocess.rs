//! Scaling and centering as an affine map of the data, applied to class statistics and filters.
//!
//! The samples are never changed. The map x ↦ (x − offset)·factor is applied to the class statistics before a fit and
//! folded into the filters after it.

use std::str::FromStr;

use super::{ClassStatistics, Moments};
use crate::linalg::{Mat, MatRef};
use crate::names::chosen;
use crate::points::{Points, Scalar};
use crate::with_table;

/// The scaling of a fit: coordinates in which filters have length 1 and noise has the same variance in all directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The columns without scaling.
    #[default]
    None,
    /// Division of all columns by one number, the standard deviation of all values of the training data.
    Common,
    /// Division of each column by its own standard deviation.
    PerFeature,
    /// A linear map after which the pooled within-class covariance, slightly shrunk, is the identity.
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
    /// Returns the name in flags, files and messages.
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

    /// Returns the part of the scaling that treats columns separately: within-class scaling starts from standardized
    /// columns.
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

/// The map x ↦ (x − offset)·factor, column by column. A factor of 0 drops a column.
///
/// ```
/// use sqfa::statistics::{Preprocessor, Scaling};
/// use sqfa::{ClassStatistics, Estimator, Labels, Table};
///
/// let rows = [0.0, 10.0, 2.0, 30.0, 4.0, 20.0, 6.0, 80.0];
/// let samples = Table::row_major(&rows, 4, 2).expect("4 rows of 2 numbers");
/// let labels = Labels::from_integers(&[0, 0, 1, 1]);
/// let mut statistics = ClassStatistics::from_points(samples.into(), &labels, Estimator::Empirical)?;
///
/// let map = Preprocessor::new(&statistics, Scaling::PerFeature, true).expect("columns differ in scale");
/// map.apply(&mut statistics);
/// assert!(statistics.total_variances().iter().all(|variance| (variance - 1.0).abs() < 1e-6));
/// # Ok::<(), sqfa::statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Preprocessor {
    /// Numbers that are subtracted first, one per column.
    pub offset: Vec<f64>,
    /// Factors that are applied afterwards, one per column; 0 for a dropped column.
    pub factors: Vec<f64>,
}

impl Preprocessor {
    /// Returns the map that scales and centers data with these statistics and keeps every column, or `None` if it would
    /// change nothing. Constant columns have no scale of their own and keep the factor 1.
    pub fn new(statistics: &ClassStatistics, scaling: Scaling, center: bool) -> Option<Self> {
        Self::dropping(statistics, scaling, center, &[])
    }

    /// Returns the map that scales and centers data with these statistics and drops some columns, or `None` if it would
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
                // The standard deviation of a constant column is round-off, which must not be used as a scale.
                statistics.constant_columns().into_iter().for_each(|i| factors[i] = 1.0);
                factors
            }
        };
        dropped.iter().for_each(|&i| factors[i] = 0.0);
        let offset = if center { statistics.total_mean() } else { vec![0.0; n] };
        Some(Self { offset, factors })
    }

    /// Returns the indices of the dropped columns, in ascending order.
    pub fn dropped(&self) -> Vec<usize> {
        (0..self.factors.len()).filter(|&i| self.factors[i] == 0.0).collect()
    }

    /// Converts statistics of raw data to those of preprocessed data. Dense statistics lose the dropped columns.
    pub fn apply(&self, statistics: &mut ClassStatistics) {
        if let Some(selected) = self.selected(statistics) {
            *statistics = selected;
        } else {
            self.rescale(statistics);
        }
    }

    /// Returns the statistics of preprocessed data without changing the original; see [`Self::apply`].
    pub(crate) fn applied(&self, statistics: &ClassStatistics) -> ClassStatistics {
        self.selected(statistics).unwrap_or_else(|| {
            let mut copy = statistics.clone();
            self.rescale(&mut copy);
            copy
        })
    }

    /// Returns preprocessed statistics of the kept columns, or `None` if all are kept or a covariance does not store
    /// its entries.
    fn selected(&self, statistics: &ClassStatistics) -> Option<ClassStatistics> {
        let kept = self.kept()?;
        let mut selected = statistics.selected(&kept)?;
        let of = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
        let (offset, factors) = (of(&self.offset), of(&self.factors));
        Self { offset, factors }.rescale(&mut selected);
        Some(selected)
    }

    /// Shifts and scales the statistics without removing columns.
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

    /// Returns the indices of the kept columns, or `None` if all are kept.
    pub fn kept(&self) -> Option<Vec<usize>> {
        let kept: Vec<usize> =
            (0..self.factors.len()).filter(|&i| self.factors[i] != 0.0).collect();
        (kept.len() < self.factors.len()).then_some(kept)
    }

    /// Extends filters of the kept columns to all columns, with zeros for dropped columns.
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

    /// Converts filters of preprocessed data to filters of raw data, and returns them with the offset to add to their
    /// features.
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

    /// Converts filters of raw data to filters of preprocessed data, the inverse of [`Self::fold`].
    ///
    /// `dimension` is the number of columns of the preprocessed statistics, because statistics that store entries lose
    /// the dropped columns and others have zeros there. Filters whose number of rows does not match the raw data are
    /// returned unchanged.
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

/// Returns the kept columns of some samples after scaling and centering, row-major.
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

/// Returns the standard deviation (divisor N − 1) of all values of the columns that are not dropped.
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
    /// Returns the number of all samples.
    pub(super) fn total_count(&self) -> f64 {
        // Without counts, the classes represent very large samples of equal size.
        self.counts().map_or(1e12, |counts| counts.iter().sum::<u64>() as f64)
    }

    /// Returns the mean of all samples, where classes are weighted by frequency.
    pub fn total_mean(&self) -> Vec<f64> {
        let shares = self.shares();
        // Means are measured from the first class, so that equal class means give exactly that mean.
        let shift = |i: usize, k: usize| self.means()[(i, k)] - self.means()[(i, 0)];
        (0..self.dimension())
            .map(|i| {
                let shifts = shares.iter().enumerate().map(|(k, share)| share * shift(i, k));
                self.means()[(i, 0)] + shifts.sum::<f64>()
            })
            .collect()
    }

    /// Returns the variance (divisor N − 1) of each column over all samples.
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
