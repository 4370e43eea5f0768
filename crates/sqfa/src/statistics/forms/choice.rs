//! The choice of a form for class covariances, and class statistics that store samples or sparse tables instead of
//! entries.

use super::factor::Precision;
use super::{Csr, Factor, SparseFactor};
use crate::labels::Labels;
use crate::linalg::Mat;
use crate::points::{Points, Scalar, Table};
use crate::statistics::shrinkage::shrinkage;
use crate::statistics::{
    ClassStatistics, Covariance, Estimator, Moments, StatisticsError, check_classes,
};

/// The form in which class covariances of samples are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All entries of each covariance.
    Dense,
    /// The centered samples of each class.
    Factor,
}

/// Memory in bytes above which dense covariances are avoided if the samples take less.
const LARGE: u128 = 8 << 30;
/// Number of consecutive numbers that can be read in the time of one entry of a sparse table.
const SCATTERED: u128 = 8;
/// Number of passes that a fit is expected to need when the cost of dense covariances is estimated.
const PASSES: u128 = 60;

impl Form {
    /// Returns the form that costs less for N samples of n columns in c classes, with `width` bytes per number.
    ///
    /// Each pass reads the samples twice (2Nn numbers), or half of each covariance (cn²/2 numbers). Computing the
    /// covariances takes Nn²/2 products, about sixteen of which take as long as reading one number. If dense
    /// covariances need more than 8 GiB (their sums are stored in `f64` while they are computed), the samples are used
    /// if they take less.
    pub fn decide(points: u64, dimension: usize, classes: usize, width: usize) -> Self {
        let (points, n, c) = (u128::from(points), dimension as u128, classes as u128);
        let reading_dense = PASSES * c * n * n / 2 + points * n * n / 32;
        let reading_factor = PASSES * 2 * points * n;
        let dense_bytes = c * (n * (n + 1) / 2) * (8 + width as u128);
        let factor_bytes = points * n * width as u128;
        let cheaper = reading_factor < reading_dense && factor_bytes < dense_bytes;
        let too_large = dense_bytes > LARGE && factor_bytes < dense_bytes;
        if cheaper || too_large { Self::Factor } else { Self::Dense }
    }

    /// Returns the form that costs less for a sparse table with `entries` nonzero entries: its samples, or dense
    /// covariances.
    ///
    /// Each pass reads an entry twice, together with its index and out of order, which takes as long as eight
    /// consecutive numbers.
    pub fn decide_sparse(
        entries: u64,
        points: u64,
        dimension: usize,
        classes: usize,
        width: usize,
    ) -> Self {
        let (entries, points) = (u128::from(entries), u128::from(points));
        let (n, c) = (dimension as u128, classes as u128);
        let reading_dense = PASSES * c * n * n / 2 + points * n * n / 32;
        let reading_sparse = PASSES * 2 * SCATTERED * entries;
        let dense_bytes = c * (n * (n + 1) / 2) * (8 + width as u128);
        let sparse_bytes = 2 * entries * (4 + width as u128);
        let cheaper = reading_sparse < reading_dense && sparse_bytes < dense_bytes;
        let too_large = dense_bytes > LARGE && sparse_bytes < dense_bytes;
        if cheaper || too_large { Self::Factor } else { Self::Dense }
    }
}

impl ClassStatistics {
    /// Computes class statistics of labeled samples whose covariances are stored as centered samples.
    ///
    /// The memory is N·n numbers for N samples of n columns; no n × n matrix is allocated.
    ///
    /// # Errors
    ///
    /// Returns an error if the labels do not fit, a value is not finite, there are fewer than two classes, a class has
    /// fewer than two samples, or the estimator is not available in this form.
    pub fn from_factors(
        points: Points<'_>,
        labels: &Labels,
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        let by_class = classes_of(points.rows(), points.columns(), labels, estimator)?;
        Self::from_samples(points, labels, &by_class, estimator)
    }

    /// Computes class statistics of some rows, with covariances stored as centered samples.
    pub(crate) fn from_factor_rows(
        points: Points<'_>,
        labels: &Labels,
        rows: &[usize],
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        let mut by_class =
            classes_of(rows.len(), points.columns(), &labels.select(rows), estimator)?;
        by_class.iter_mut().flatten().for_each(|at| *at = rows[*at]);
        Self::from_samples(points, labels, &by_class, estimator)
    }

    /// Computes class statistics from lists of the rows of each class.
    fn from_samples(
        points: Points<'_>,
        labels: &Labels,
        by_class: &[Vec<usize>],
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        let dimension = points.columns();
        let mut means = Mat::zeros(dimension, by_class.len());
        let mut shrunk = true;
        let mut covariances: Vec<Box<dyn Covariance>> = Vec::new();
        for (class, rows) in by_class.iter().enumerate() {
            macro_rules! factor {
                ($table:expr, $convert:expr) => {{
                    check_finite(&$table, rows)?;
                    let (factor, mean) = Factor::new(gather(&$table, rows, $convert), dimension)?;
                    let share = shrinkage(&factor, estimator, rows.len() as u64, None)?;
                    for (target, mean) in means.col_mut(class).iter_mut().zip(mean) {
                        *target = mean;
                    }
                    shrunk &= share.0 > 0.0;
                    covariances.push(Box::new(factor.shrunk(share.0, share.1)));
                }};
            }
            match points {
                Points::U8(table) => factor!(table, Scalar::to_f32),
                Points::F32(table) => factor!(table, Scalar::to_f32),
                Points::F64(table) => factor!(table, Scalar::to_f64),
            }
        }
        let counts = Some(by_class.iter().map(|rows| rows.len() as u64).collect());
        let classes = labels.classes().clone();
        let mut statistics =
            Self::from_parts(classes, counts, means, covariances, Moments::Central);
        statistics.shrunk = shrunk;
        Ok(statistics)
    }

    /// Computes class statistics of a sparse table without making it dense.
    ///
    /// # Errors
    ///
    /// Returns an error if the labels do not fit, there are fewer than two classes, a class has fewer than two samples,
    /// or the estimator is not available in this form.
    pub fn from_sparse<T: Precision>(
        table: &Csr<T>,
        labels: &Labels,
        estimator: Estimator,
    ) -> Result<Self, StatisticsError> {
        let dimension = table.columns();
        let by_class = classes_of(table.rows(), dimension, labels, estimator)?;
        let mut shrunk = true;
        let mut factors = Vec::new();
        for rows in &by_class {
            let factor = SparseFactor::new(table, rows)?;
            let share = shrinkage(&factor, estimator, rows.len() as u64, None)?;
            shrunk &= share.0 > 0.0;
            factors.push(factor.shrunk(share.0, share.1));
        }
        let means = super::sparse::means(&factors);
        let counts = Some(by_class.iter().map(|rows| rows.len() as u64).collect());
        let covariances =
            factors.into_iter().map(|factor| Box::new(factor) as Box<dyn Covariance>).collect();
        let classes = labels.classes().clone();
        let mut statistics =
            Self::from_parts(classes, counts, means, covariances, Moments::Central);
        statistics.shrunk = shrunk;
        Ok(statistics)
    }
}

/// Returns the rows of each class after checking that labels, classes and estimator are valid.
fn classes_of(
    rows: usize,
    dimension: usize,
    labels: &Labels,
    estimator: Estimator,
) -> Result<Vec<Vec<usize>>, StatisticsError> {
    estimator.check()?;
    if estimator.needs_points() {
        return Err(StatisticsError::NeedsDense { estimator: estimator.to_string() });
    }
    if rows == 0 || dimension == 0 {
        return Err(StatisticsError::Empty { points: rows, dimension });
    }
    if rows != labels.len() {
        return Err(StatisticsError::LabelCount { labels: labels.len(), points: rows });
    }
    let count = labels.classes().len();
    if count < 2 {
        return Err(StatisticsError::TooFewClasses { count });
    }
    check_classes(labels)?;
    let mut by_class = vec![Vec::new(); count];
    for (row, &code) in labels.codes().iter().enumerate() {
        by_class[code as usize].push(row);
    }
    for (class, rows) in by_class.iter().enumerate() {
        if rows.len() < 2 {
            return Err(StatisticsError::TooFewSamples {
                class: labels.classes().label(class).to_string(),
                count: rows.len() as u64,
            });
        }
    }
    Ok(by_class)
}

/// Returns an error for the first value of these rows that is not finite. The row in the error is the row of the whole
/// table.
fn check_finite<S: Scalar>(table: &Table<'_, S>, rows: &[usize]) -> Result<(), StatisticsError> {
    for &row in rows {
        for column in 0..table.columns() {
            let value = table.get(row, column).to_f64();
            if !value.is_finite() {
                return Err(StatisticsError::NotFinite { row, column, value });
            }
        }
    }
    Ok(())
}

fn gather<S: Scalar, T>(table: &Table<'_, S>, rows: &[usize], convert: fn(S) -> T) -> Vec<T> {
    let mut values = Vec::with_capacity(rows.len() * table.columns());
    for &row in rows {
        match table.row(row) {
            Some(source) => values.extend(source.iter().map(|&value| convert(value))),
            None => values.extend((0..table.columns()).map(|j| convert(table.get(row, j)))),
        }
    }
    values
}
