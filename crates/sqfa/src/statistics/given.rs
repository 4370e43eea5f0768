//! Class statistics given from outside, checked before anything is computed from them.

use std::ops::Range;

use super::error::StatisticsError;
use super::{ClassStatistics, Covariance, Dense, Moments};
use crate::labels::Classes;
use crate::linalg::{
    Element, Float, Mat, dispatch, is_positive_semidefinite, lower_panels, triangle,
};
use crate::parallel;

/// Rows that one task checks, and columns that it checks together with their mirror images.
const TILE: usize = 64;

/// Relative asymmetry that is taken for round-off.
const ASYMMETRY: f64 = 1e-4;
/// Relative excess of |Φij| over √(Φii Φjj) that is taken for round-off.
const EXCESS: f64 = 1e-4;
/// Up to this dimension given matrices are factored to see whether they are positive semi-definite; beyond it that would take
/// longer than a fit, which looks at the classes behind its filters.
const FULL_CHECK: usize = 256;
/// What is added to the diagonal, relative to its largest entry, before that factorisation.
const SHIFT: f64 = 1e-5;

/// Given matrices in single or double precision, one buffer a class, row by row.
///
/// Owned ones stay where they are. Of borrowed ones a triangle is copied while they are checked, so that they are read once.
#[derive(Debug, Clone)]
pub enum GivenMatrices<'a> {
    /// Single precision.
    F32(Vec<Vec<f32>>),
    /// Double precision.
    F64(Vec<Vec<f64>>),
    /// Single precision, somebody else's.
    BorrowedF32(Vec<&'a [f32]>),
    /// Double precision, somebody else's.
    BorrowedF64(Vec<&'a [f64]>),
}

impl ClassStatistics {
    /// Statistics from means (class by class, n values each) and covariances.
    pub fn from_moments(
        classes: Classes,
        counts: Option<Vec<u64>>,
        means: &[f64],
        covariances: GivenMatrices<'_>,
    ) -> Result<Self, StatisticsError> {
        let count = classes.len();
        if count == 0 {
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
        second_moments: GivenMatrices<'_>,
    ) -> Result<Self, StatisticsError> {
        let means = vec![0.0; classes.len() * dimension];
        let mut statistics = Self::from_moments(classes, counts, &means, second_moments)?;
        statistics.moments = Moments::Second;
        Ok(statistics)
    }
}

impl GivenMatrices<'_> {
    fn check(
        self,
        classes: &Classes,
        dimension: usize,
    ) -> Result<Vec<Box<dyn Covariance>>, StatisticsError> {
        let singles = |own: &[&[f32]], copied| checked(own, classes, dimension, copied);
        let doubles = |own: &[&[f64]], copied| checked(own, classes, dimension, copied);
        Ok(match self {
            Self::F32(own) => {
                singles(&own.iter().map(Vec::as_slice).collect::<Vec<_>>(), false)?;
                dense(own, dimension)
            }
            Self::F64(own) => {
                doubles(&own.iter().map(Vec::as_slice).collect::<Vec<_>>(), false)?;
                dense(own, dimension)
            }
            Self::BorrowedF32(views) => dense(singles(&views, true)?, dimension),
            Self::BorrowedF64(views) => dense(doubles(&views, true)?, dimension),
        })
    }
}

/// Checked matrices as covariances.
fn dense<T: Copy>(matrices: Vec<Vec<T>>, n: usize) -> Vec<Box<dyn Covariance>>
where
    Dense<T>: Covariance + 'static,
{
    let each = matrices.into_iter().filter_map(|entries| Dense::new(entries, n));
    each.map(|dense| Box::new(dense) as _).collect()
}

/// Checks matrices; returns their lower triangles where they are to be copied.
fn checked<T: Element>(
    matrices: &[&[T]],
    classes: &Classes,
    dimension: usize,
    copied: bool,
) -> Result<Vec<Vec<T>>, StatisticsError> {
    let shape = |found, expected| StatisticsError::GivenShape {
        what: "covariances",
        found,
        expected,
        classes: classes.len(),
        dimension,
    };
    if matrices.len() != classes.len() {
        return Err(shape(matrices.len(), classes.len()));
    }
    for entries in matrices {
        if entries.len() != dimension * dimension {
            return Err(shape(entries.len(), dimension * dimension));
        }
    }
    let name = |class: usize| classes.label(class).to_string();
    let each = matrices.iter().enumerate();
    let given: Vec<Given<'_, T>> = each
        .map(|(class, entries)| Given::new(entries, name(class), dimension))
        .collect::<Result<_, _>>()?;
    let room = if copied { triangle(dimension) } else { 0 };
    let mut copies: Vec<Vec<T>> = matrices.iter().map(|_| vec![T::ZERO; room]).collect();
    // The rows of all classes together, so that no thread waits for the end of one class.
    let mut strips = Vec::new();
    for (own, copy) in given.iter().zip(&mut copies) {
        if copied {
            let panels = lower_panels(copy, dimension, 0..dimension, |_| TILE);
            strips.extend(panels.into_iter().map(|(first, panel)| (own, first, Some(panel))));
        } else {
            strips.extend((0..dimension).step_by(TILE).map(|first| (own, first, None)));
        }
    }
    parallel::try_map(strips, |(own, first, copy)| -> Result<(), StatisticsError> {
        own.check_strip(first)?;
        if let Some(panel) = copy {
            own.copy_strip(first, panel);
        }
        Ok(())
    })?;
    if dimension <= FULL_CHECK {
        parallel::try_map(&given, Given::check_definite)?;
    }
    Ok(copies)
}

/// The matrix of one class.
struct Given<'a, T> {
    class: String,
    entries: &'a [T],
    /// √Φii.
    roots: Vec<f64>,
    /// The largest variance.
    scale: f64,
}

impl<'a, T: Element> Given<'a, T> {
    /// A matrix without negative variances.
    fn new(entries: &'a [T], class: String, n: usize) -> Result<Self, StatisticsError> {
        let variances = entries.iter().step_by(n + 1).map(|&value| Float::to_f64(value));
        if let Some((dimension, value)) = variances.clone().enumerate().find(|(_, own)| *own < 0.0)
        {
            return Err(StatisticsError::NegativeVariance { class, dimension, value });
        }
        let scale = variances.clone().fold(0.0_f64, f64::max);
        Ok(Self { class, entries, roots: variances.map(f64::sqrt).collect(), scale })
    }

    /// Checks some rows up to the diagonal, and their mirror images.
    fn check_strip(&self, first: usize) -> Result<(), StatisticsError> {
        let n = self.roots.len();
        let rows = first..(first + TILE).min(n);
        let mut tiles = (0..rows.end).step_by(TILE).map(|column| column..(column + TILE).min(n));
        if tiles.all(|columns| self.is_sound(rows.clone(), columns)) {
            return Ok(());
        }
        rows.into_iter().try_for_each(|row| self.check_row(row))
    }

    /// Copies the same rows up to the diagonal, which the check has brought into the cache.
    fn copy_strip(&self, first: usize, panel: &mut [T]) {
        let n = self.roots.len();
        let mut rest = panel;
        for row in first..(first + TILE).min(n) {
            let (own, behind) = rest.split_at_mut(row + 1);
            own.copy_from_slice(&self.entries[row * n..][..=row]);
            rest = behind;
        }
    }

    /// Whether a tile and its mirror image are sound: both stay in the cache, the image turned so that rows meet rows.
    fn is_sound(&self, rows: Range<usize>, columns: Range<usize>) -> bool {
        let Self { entries, roots, scale, .. } = self;
        let n = roots.len();
        dispatch(
            #[inline(always)]
            || {
                let mut mirrored = [entries[0]; TILE * TILE];
                for (at, j) in columns.clone().enumerate() {
                    let row = &entries[j * n..][rows.clone()];
                    for (mirror, &value) in mirrored[at..].iter_mut().step_by(TILE).zip(row) {
                        *mirror = value;
                    }
                }
                // Counted, so that lanes need not agree; what is not a number is not sound.
                let mut bad = 0_u64;
                for (i, mirrors) in rows.clone().zip(mirrored.chunks(TILE)) {
                    let pairs = entries[i * n..][columns.clone()].iter().zip(mirrors);
                    for ((&value, &mirror), root) in pairs.zip(&roots[columns.clone()]) {
                        let (value, bound) = (Float::to_f64(value), roots[i] * root);
                        let apart = (value - Float::to_f64(mirror)).abs();
                        let symmetric = apart <= ASYMMETRY * bound.max(1e-6 * scale);
                        let possible = value.abs() <= (1.0 + EXCESS) * bound + 1e-7 * scale;
                        bad += u64::from(!(symmetric & possible));
                    }
                }
                bad == 0
            },
        )
    }

    /// What is wrong with a row, where something is.
    fn check_row(&self, row: usize) -> Result<(), StatisticsError> {
        let Self { entries, roots, scale, .. } = self;
        let n = roots.len();
        let class = || self.class.clone();
        for column in 0..=row {
            let [value, mirror] =
                [row * n + column, column * n + row].map(|at| Float::to_f64(entries[at]));
            if !value.is_finite() || !mirror.is_finite() {
                let value = if value.is_finite() { mirror } else { value };
                let what = "covariance";
                return Err(StatisticsError::GivenNotFinite { what, class: class(), value });
            }
            let bound = roots[row] * roots[column];
            if (value - mirror).abs() > ASYMMETRY * bound.max(1e-6 * scale) {
                let (first, second) = (value, mirror);
                return Err(StatisticsError::NotSymmetric {
                    class: class(),
                    row,
                    column,
                    first,
                    second,
                });
            }
            if value.abs() > (1.0 + EXCESS) * bound + 1e-7 * scale {
                let class = class();
                return Err(StatisticsError::ImpossibleCovariance {
                    class,
                    row,
                    column,
                    value,
                    bound,
                });
            }
        }
        Ok(())
    }

    /// Refuses a matrix that has no Cholesky factor, but for round-off.
    fn check_definite(&self) -> Result<(), StatisticsError> {
        let shift = SHIFT * self.scale;
        if self.scale > 0.0 && !is_positive_semidefinite(self.entries, self.roots.len(), shift) {
            return Err(StatisticsError::Indefinite { class: self.class.clone(), shift });
        }
        Ok(())
    }
}
