//! Class statistics from the caller's means and covariances, which are checked before they are used.

use std::ops::Range;

use super::error::StatisticsError;
use super::{ClassStatistics, Covariance, Dense, Moments};
use crate::labels::Classes;
use crate::linalg::{
    Element, Float, Mat, dispatch, is_positive_semidefinite, lower_panels, triangle,
};
use crate::parallel;

/// Number of rows that one task checks, and of columns that are checked together with their mirror images.
const TILE: usize = 64;

/// Largest relative asymmetry that is accepted as round-off.
const ASYMMETRY: f64 = 1e-4;
/// Largest relative excess of |Φij| over √(Φii Φjj) that is accepted as round-off.
const EXCESS: f64 = 1e-4;
/// Largest number of columns for which a Cholesky factorization checks that matrices are positive semi-definite. For
/// more columns that would take longer than a fit, which checks the class covariances in feature space.
const FULL_CHECK: usize = 256;
/// Number, relative to the largest diagonal entry, that is added to the diagonal before that factorization.
const SHIFT: f64 = 1e-5;

/// Matrices of the caller in single or double precision: one slice per class, each a full n × n matrix, row-major.
///
/// Owned matrices are used without a copy. The lower triangles of borrowed matrices are copied while they are checked,
/// so that they are read only once.
#[derive(Debug, Clone)]
pub enum GivenMatrices<'a> {
    /// Owned matrices in single precision.
    F32(Vec<Vec<f32>>),
    /// Owned matrices in double precision.
    F64(Vec<Vec<f64>>),
    /// Borrowed matrices in single precision.
    BorrowedF32(Vec<&'a [f32]>),
    /// Borrowed matrices in double precision.
    BorrowedF64(Vec<&'a [f64]>),
}

impl ClassStatistics {
    /// Creates class statistics from means and covariances.
    ///
    /// `means` has n values per class, one class after the other. `counts` are the numbers of samples per class, if
    /// they are known.
    ///
    /// ```
    /// use sqfa::statistics::GivenMatrices;
    /// use sqfa::{ClassStatistics, Classes};
    ///
    /// // Two classes in two columns: equal means, different covariances.
    /// let covariances = vec![vec![1.0, 0.0, 0.0, 4.0], vec![4.0, 0.0, 0.0, 1.0]];
    /// let statistics = ClassStatistics::from_moments(
    ///     Classes::numbered(2),
    ///     None,
    ///     &[0.0; 4],
    ///     GivenMatrices::F64(covariances),
    /// )?;
    /// assert_eq!(statistics.dimension(), 2);
    /// # Ok::<(), sqfa::statistics::StatisticsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the arrays do not fit together, there are fewer than two classes, or a matrix is not a
    /// covariance: not finite, not symmetric, or not positive semi-definite.
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

    /// Creates class statistics from second moments alone, which are all that smSQFA needs. The means are 0.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`ClassStatistics::from_moments`].
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

/// Converts checked matrices to covariances.
fn dense<T: Copy>(matrices: Vec<Vec<T>>, n: usize) -> Vec<Box<dyn Covariance>>
where
    Dense<T>: Covariance + 'static,
{
    let each = matrices.into_iter().filter_map(|entries| Dense::new(entries, n));
    each.map(|dense| Box::new(dense) as _).collect()
}

/// Checks matrices and returns their lower triangles if they are `copied`.
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
    /// The standard deviations √Φii.
    roots: Vec<f64>,
    /// The largest variance.
    scale: f64,
}

impl<'a, T: Element> Given<'a, T> {
    /// Wraps a matrix after checking that no variance is negative.
    fn new(entries: &'a [T], class: String, n: usize) -> Result<Self, StatisticsError> {
        let variances = entries.iter().step_by(n + 1).map(|&value| Float::to_f64(value));
        if let Some((dimension, value)) = variances.clone().enumerate().find(|(_, own)| *own < 0.0)
        {
            return Err(StatisticsError::NegativeVariance { class, dimension, value });
        }
        let scale = variances.clone().fold(0.0_f64, f64::max);
        Ok(Self { class, entries, roots: variances.map(f64::sqrt).collect(), scale })
    }

    /// Checks some rows up to the diagonal, together with their mirror images.
    fn check_strip(&self, first: usize) -> Result<(), StatisticsError> {
        let n = self.roots.len();
        let rows = first..(first + TILE).min(n);
        let mut tiles = (0..rows.end).step_by(TILE).map(|column| column..(column + TILE).min(n));
        if tiles.all(|columns| self.is_sound(rows.clone(), columns)) {
            return Ok(());
        }
        rows.into_iter().try_for_each(|row| self.check_row(row))
    }

    /// Copies these rows up to the diagonal. The check has just brought them into the cache.
    fn copy_strip(&self, first: usize, panel: &mut [T]) {
        let n = self.roots.len();
        let mut rest = panel;
        for row in first..(first + TILE).min(n) {
            let (own, behind) = rest.split_at_mut(row + 1);
            own.copy_from_slice(&self.entries[row * n..][..=row]);
            rest = behind;
        }
    }

    /// Whether a tile and its mirror image are valid. The mirror image is transposed first, so that rows are compared
    /// with rows, and both tiles stay in the cache.
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
                // Invalid entries are counted instead of leaving the loop, so that it vectorizes. NaN counts as
                // invalid.
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

    /// Returns an error for the first invalid entry of a row.
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

    /// Returns an error if the matrix has no Cholesky factor, apart from round-off.
    fn check_definite(&self) -> Result<(), StatisticsError> {
        let shift = SHIFT * self.scale;
        if self.scale > 0.0 && !is_positive_semidefinite(self.entries, self.roots.len(), shift) {
            return Err(StatisticsError::Indefinite { class: self.class.clone(), shift });
        }
        Ok(())
    }
}
