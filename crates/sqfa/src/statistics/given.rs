//! Class statistics given from outside, checked before anything is computed from them.

use std::ops::Range;

use super::error::StatisticsError;
use super::{ClassStatistics, Covariance, Dense, Moments};
use crate::labels::Classes;
use crate::linalg::{Element, Float, Mat, is_positive_semidefinite};
use crate::parallel;

/// Rows that one task checks, and columns that it checks together with their mirror images.
const TILE: usize = 64;

/// Relative asymmetry that is taken for round-off.
const ASYMMETRY: f64 = 1e-4;
/// Relative excess of |Φij| over √(Φii Φjj) that is taken for round-off.
const EXCESS: f64 = 1e-4;
/// Up to this dimension given matrices are factored to see whether they are positive semi-definite.
const FULL_CHECK: usize = 1024;
/// What is added to the diagonal, relative to its largest entry, before that factorisation.
const SHIFT: f64 = 1e-5;

/// Given matrices in single or double precision, one buffer a class, row by row.
#[derive(Debug, Clone)]
pub enum GivenMatrices {
    /// Single precision.
    F32(Vec<Vec<f32>>),
    /// Double precision.
    F64(Vec<Vec<f64>>),
}

impl ClassStatistics {
    /// Statistics from means (class by class, n values each) and covariances.
    pub fn from_moments(
        classes: Classes,
        counts: Option<Vec<u64>>,
        means: &[f64],
        covariances: GivenMatrices,
    ) -> Result<Self, StatisticsError> {
        let count = classes.len();
        if count < 2 {
            return Err(StatisticsError::TooFewClasses { count });
        }
        let dimension = means.len() / count;
        if dimension == 0 {
            return Err(StatisticsError::Empty { points: count, dimension });
        }
        let shape = |what, found, expected| StatisticsError::GivenShape {
            what,
            found,
            expected,
            classes: count,
            dimension,
        };
        if means.len() != count * dimension {
            return Err(shape("means", means.len(), count * dimension));
        }
        if let Some(counts) = &counts
            && counts.len() != count
        {
            return Err(shape("counts", counts.len(), count));
        }
        for (class, mean) in means.chunks(dimension).enumerate() {
            if let Some(&value) = mean.iter().find(|value| !value.is_finite()) {
                return Err(StatisticsError::GivenNotFinite {
                    what: "mean",
                    class: classes.label(class).to_string(),
                    value,
                });
            }
        }
        let covariances = covariances.check(&classes, dimension)?;
        let means = Mat::from_fn(dimension, count, |i, class| means[class * dimension + i]);
        Ok(Self::from_parts(classes, counts, means, covariances, Moments::Central))
    }

    /// Statistics from second moments alone, which is all that smSQFA needs.
    pub fn from_second_moments(
        classes: Classes,
        counts: Option<Vec<u64>>,
        dimension: usize,
        second_moments: GivenMatrices,
    ) -> Result<Self, StatisticsError> {
        let means = vec![0.0; classes.len() * dimension];
        let mut statistics = Self::from_moments(classes, counts, &means, second_moments)?;
        statistics.moments = Moments::Second;
        Ok(statistics)
    }
}

impl GivenMatrices {
    fn check(
        self,
        classes: &Classes,
        dimension: usize,
    ) -> Result<Vec<Box<dyn Covariance>>, StatisticsError> {
        match self {
            Self::F32(matrices) => checked(matrices, classes, dimension, |entries| {
                Dense::new(entries, dimension).map(|dense| Box::new(dense) as _)
            }),
            Self::F64(matrices) => checked(matrices, classes, dimension, |entries| {
                Dense::new(entries, dimension).map(|dense| Box::new(dense) as _)
            }),
        }
    }
}

fn checked<T: Element>(
    matrices: Vec<Vec<T>>,
    classes: &Classes,
    dimension: usize,
    wrap: impl Fn(Vec<T>) -> Option<Box<dyn Covariance>>,
) -> Result<Vec<Box<dyn Covariance>>, StatisticsError> {
    let shape = |what, found, expected| StatisticsError::GivenShape {
        what,
        found,
        expected,
        classes: classes.len(),
        dimension,
    };
    if matrices.len() != classes.len() {
        return Err(shape("covariances", matrices.len(), classes.len()));
    }
    for entries in &matrices {
        if entries.len() != dimension * dimension {
            return Err(shape("covariances", entries.len(), dimension * dimension));
        }
    }
    let name = |class: usize| classes.label(class).to_string();
    for (class, entries) in matrices.iter().enumerate() {
        check_entries(entries, dimension, &|| name(class))?;
    }
    if dimension <= FULL_CHECK {
        parallel::try_map(matrices.iter().enumerate(), |(class, entries)| {
            check_definite(entries, dimension, &|| name(class))
        })?;
    }
    let wrapped = matrices.into_iter().map(|entries| {
        let found = entries.len();
        wrap(entries).ok_or_else(|| shape("covariances", found, dimension * dimension))
    });
    wrapped.collect()
}

fn check_entries<T: Element>(
    entries: &[T],
    n: usize,
    name: &(impl Fn() -> String + Sync),
) -> Result<(), StatisticsError> {
    let at = |i: usize, j: usize| Float::to_f64(entries[i * n + j]);
    let diagonal: Vec<f64> = (0..n).map(|i| at(i, i)).collect();
    if let Some((dimension, &value)) = diagonal.iter().enumerate().find(|(_, value)| **value < 0.0)
    {
        return Err(StatisticsError::NegativeVariance { class: name(), dimension, value });
    }
    let scale = diagonal.iter().fold(0.0_f64, |largest, value| largest.max(*value));
    let roots: Vec<f64> = diagonal.iter().map(|value| value.sqrt()).collect();
    // Whether a tile and its mirror image are sound: both stay in the cache.
    let is_sound = |rows: Range<usize>, columns: Range<usize>| {
        let mut sound = true;
        for i in rows {
            for j in columns.start..columns.end.min(i + 1) {
                let (value, mirror) = (at(i, j), at(j, i));
                let bound = roots[i] * roots[j];
                sound &= (value - mirror).abs() <= ASYMMETRY * bound.max(1e-6 * scale)
                    && value.abs() <= (1.0 + EXCESS) * bound + 1e-7 * scale;
            }
        }
        sound
    };
    // What is wrong with a row, where something is.
    let check_row = |i: usize| {
        for j in 0..=i {
            let (value, mirror) = (at(i, j), at(j, i));
            if !value.is_finite() || !mirror.is_finite() {
                let value = if value.is_finite() { mirror } else { value };
                return Err(StatisticsError::GivenNotFinite {
                    what: "covariance",
                    class: name(),
                    value,
                });
            }
            let bound = roots[i] * roots[j];
            if (value - mirror).abs() > ASYMMETRY * bound.max(1e-6 * scale) {
                return Err(StatisticsError::NotSymmetric {
                    class: name(),
                    row: i,
                    column: j,
                    first: value,
                    second: mirror,
                });
            }
            if value.abs() > (1.0 + EXCESS) * bound + 1e-7 * scale {
                return Err(StatisticsError::ImpossibleCovariance {
                    class: name(),
                    row: i,
                    column: j,
                    value,
                    bound,
                });
            }
        }
        Ok(())
    };
    let tasks = parallel::try_map((0..n).step_by(TILE), |first| {
        let rows = first..(first + TILE).min(n);
        let tiles = (0..rows.end).step_by(TILE);
        let mut tiles = tiles.map(|column| column..(column + TILE).min(n));
        if tiles.all(|columns| is_sound(rows.clone(), columns)) {
            return Ok(());
        }
        rows.into_iter().try_for_each(check_row)
    });
    tasks.map(|_| ())
}

fn check_definite<T: Element>(
    entries: &[T],
    n: usize,
    name: &impl Fn() -> String,
) -> Result<(), StatisticsError> {
    let largest = (0..n).fold(0.0_f64, |largest, i| largest.max(Float::to_f64(entries[i * n + i])));
    let shift = SHIFT * largest;
    if largest > 0.0 && !is_positive_semidefinite(entries, n, shift) {
        return Err(StatisticsError::Indefinite { class: name(), shift });
    }
    Ok(())
}
