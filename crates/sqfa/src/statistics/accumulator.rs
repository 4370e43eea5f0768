//! Class statistics that stream and merge: per class a count, a mean and a scatter about the mean.
//!
//! A batch is cut into blocks of one class; each block is centred by its own mean, scattered with one
//! half XᵀX, and merged: with δ = mean_B − mean_A, mean += δ N_B/(N_A+N_B) and
//! scatter += scatter_B + δδᵀ N_A N_B/(N_A+N_B). Bytes are summed exactly (as integers about 128 held in
//! f64), so their statistics have the same bits however the data are batched.
//! Cost: one read of the data, N·n² flops in the data's precision, c·n² numbers of memory.

use super::error::StatisticsError;
use super::estimator::Estimator;
use super::fourth::{Fourth, Known};
use super::{ClassStatistics, Dense, Moments};
use crate::finite::first_not_finite;
use crate::labels::{Classes, Labels};
use crate::linalg::{Element, Float, Mat, add_scatter, add_scatter_of, dispatch};
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Bytes are centred here, so that up to 1024 products of two of them sum exactly in f32 (1024 · 128² = 2²⁴).
const BYTE_CENTRE: f64 = 128.0;
pub(super) const BYTE_BLOCK: usize = 512;
/// Points whose products are summed in the data's own precision before the sum continues in f64.
pub(super) const BLOCK: usize = 512;

/// The share of columns that vary in a block below which the others are left out of its product: moving numbers together
/// costs little beside the squares that it saves.
const LEFT_OUT_BELOW: f64 = 0.9;

/// A running sum of labelled points.
#[derive(Debug, Clone)]
pub struct ClassAccumulator {
    pub(super) classes: Classes,
    pub(super) dimension: usize,
    pub(super) sums: Vec<ClassSum>,
    /// Whether any batch came in double precision; the covariances then are, too.
    pub(super) double: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ClassSum {
    pub(super) count: u64,
    /// For bytes the sum about 128, else the mean.
    pub(super) mean: Vec<f64>,
    /// Lower triangle, row-major: for bytes about 128, else about the mean.
    pub(super) scatter: Vec<f64>,
    pub(super) bytes: bool,
    /// What Ledoit–Wolf needs; `None` when it was not kept (bytes of an older version).
    pub(super) fourth: Option<Fourth>,
}

impl ClassAccumulator {
    /// An empty accumulator.
    pub fn new(classes: Classes, dimension: usize) -> Self {
        let sums = (0..classes.len()).map(|_| ClassSum::empty(dimension)).collect();
        Self { classes, dimension, sums, double: false }
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The number of points seen of every class.
    pub fn counts(&self) -> Vec<u64> {
        self.sums.iter().map(|sum| sum.count).collect()
    }

    /// Adds labelled points; nothing is added when anything is wrong with them.
    pub fn update(&mut self, points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
        self.update_some(points, labels, 0..points.rows())
    }

    /// Adds some of the labelled points.
    pub fn update_rows(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: &[usize],
    ) -> Result<(), StatisticsError> {
        self.update_some(points, labels, selected.iter().copied())
    }

    /// The same for rows that are told one by one, and never kept in a list.
    pub(crate) fn update_some(
        &mut self,
        points: Points<'_>,
        labels: &Labels,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<(), StatisticsError> {
        let rows = self.rows_by_class(points, labels, selected)?;
        self.double |= matches!(points, Points::F64(_));
        let classes = self.sums.iter_mut().zip(&rows).filter(|(_, rows)| !rows.is_empty());
        parallel::for_each(classes, |(sum, rows)| sum.add(points, rows, None));
        Ok(())
    }

    /// Checks a batch and sorts the selected rows by class: four bytes a row, since tables of few columns are mostly rows.
    pub(super) fn rows_by_class(
        &self,
        points: Points<'_>,
        labels: &Labels,
        selected: impl Iterator<Item = usize> + Clone,
    ) -> Result<Vec<Vec<u32>>, StatisticsError> {
        check(points, labels, self.dimension)?;
        if u32::try_from(points.rows()).is_err() {
            return Err(StatisticsError::BatchSize { points: points.rows() });
        }
        let recoded = if *labels.classes() == self.classes {
            None
        } else {
            Some(labels.recode(&self.classes)?)
        };
        let codes = recoded.as_ref().unwrap_or(labels).codes();
        let mut counts = vec![0_usize; self.classes.len()];
        selected.clone().for_each(|row| counts[codes[row] as usize] += 1);
        let mut rows: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
        selected.for_each(|row| rows[codes[row] as usize].push(row as u32));
        if rows.iter().map(Vec::len).sum::<usize>() >= points.rows() {
            // All of them, in the order in which they lie.
            refuse(first_not_finite(points, None))?;
        } else {
            let found = rows.iter().filter_map(|rows| first_not_finite(points, Some(rows)));
            refuse(found.min_by_key(|&(row, column, _)| (row, column)))?;
        }
        Ok(rows)
    }

    /// Refuses an accumulator of other columns or classes.
    fn check_kind(&self, other: &Self) -> Result<(), StatisticsError> {
        if self.dimension != other.dimension {
            return Err(StatisticsError::Dimension {
                expected: self.dimension,
                found: other.dimension,
            });
        }
        if self.classes != other.classes {
            return Err(StatisticsError::Classes);
        }
        Ok(())
    }

    /// Adds what another accumulator has seen.
    pub fn merge(&mut self, other: &Self) -> Result<(), StatisticsError> {
        self.check_kind(other)?;
        self.double |= other.double;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            sum.merge(other);
        }
        Ok(())
    }

    /// The class statistics; needs at least two classes with at least two points each.
    pub fn finish(self, estimator: Estimator) -> Result<ClassStatistics, StatisticsError> {
        let counts = self.counts();
        let Self { classes, dimension, sums, double } = self;
        finish(classes, dimension, counts, sums.into_iter(), double, estimator)
    }

    /// The class statistics of all that several accumulators have seen, as if merged in their order: class by class, so that
    /// never more than one class is copied.
    pub(crate) fn finish_together(
        parts: &[&Self],
        estimator: Estimator,
    ) -> Result<ClassStatistics, StatisticsError> {
        let Some((first, others)) = parts.split_first() else {
            return Err(StatisticsError::TooFewClasses { count: 0 });
        };
        others.iter().try_for_each(|other| first.check_kind(other))?;
        let counts = (0..first.sums.len())
            .map(|class| parts.iter().map(|part| part.sums[class].count).sum())
            .collect();
        let sums = (0..first.sums.len()).map(|class| {
            let mut sum = first.sums[class].clone();
            others.iter().for_each(|other| sum.merge(&other.sums[class]));
            sum
        });
        let double = parts.iter().any(|part| part.double);
        finish(first.classes.clone(), first.dimension, counts, sums, double, estimator)
    }
}

/// The statistics of classes whose sums come one after the other.
fn finish(
    classes: Classes,
    n: usize,
    counts: Vec<u64>,
    sums: impl Iterator<Item = ClassSum>,
    double: bool,
    estimator: Estimator,
) -> Result<ClassStatistics, StatisticsError> {
    estimator.check()?;
    if estimator.needs_points() {
        return Err(StatisticsError::NeedsPoints { estimator: estimator.to_string() });
    }
    if classes.len() < 2 {
        return Err(StatisticsError::TooFewClasses { count: classes.len() });
    }
    if let Some(class) = counts.iter().position(|&count| count < 2) {
        let (count, class) = (counts[class], classes.label(class).to_string());
        return Err(StatisticsError::TooFewSamples { class, count });
    }
    let mut means = Mat::zeros(n, classes.len());
    let mut covariances: Vec<Box<dyn super::Covariance>> = Vec::new();
    let mut shrunk = true;
    for (class, mut sum) in sums.enumerate() {
        sum.leave_bytes();
        let quartic = if estimator.needs_quartic() { sum.quartic() } else { None };
        for (target, &mean) in means.col_mut(class).iter_mut().zip(&sum.mean) {
            *target = mean;
        }
        let divisor = (sum.count - 1) as f64;
        parallel::rows(&mut sum.scatter, n, |i, row| {
            row[..=i].iter_mut().for_each(|value| *value /= divisor);
        });
        let share = estimator
            .shrink(&mut sum.scatter, n, sum.count, quartic)
            .ok_or(StatisticsError::NoFourthMoments)?;
        shrunk &= share > 0.0;
        covariances.push(if double {
            Box::new(Dense::new(mirrored::<f64>(&sum.scatter, n), n).expect("n² entries"))
        } else {
            Box::new(Dense::new(mirrored::<f32>(&sum.scatter, n), n).expect("n² entries"))
        });
    }
    let mut statistics =
        ClassStatistics::from_parts(classes, Some(counts), means, covariances, Moments::Central);
    statistics.shrunk = shrunk;
    Ok(statistics)
}

impl ClassSum {
    pub(super) fn empty(n: usize) -> Self {
        Self {
            count: 0,
            mean: vec![0.0; n],
            scatter: vec![0.0; n * n],
            bytes: true,
            fourth: Some(Fourth::empty(n, BYTE_CENTRE)),
        }
    }

    pub(super) fn add_bytes(&mut self, table: &Table<'_, u8>, rows: &[u32]) {
        if !self.bytes {
            return self.add_reals::<f32, _>(table, rows);
        }
        let n = self.mean.len();
        let mut block = vec![0.0_f32; BYTE_BLOCK.min(rows.len()) * n];
        let mut scratch = vec![0.0_f32; n * n];
        for rows in rows.chunks(BYTE_BLOCK) {
            gather(table, rows, &mut block, |value: u8| f32::from(value) - BYTE_CENTRE as f32);
            let sums = column_sums(&block[..rows.len() * n], n);
            if let Some(fourth) = &mut self.fourth {
                fourth.add_bytes(&block[..rows.len() * n]);
            }
            add_scatter(&block, rows.len(), n, &[], &mut scratch, &mut self.scatter);
            self.mean.iter_mut().zip(&sums).for_each(|(mean, sum)| *mean += sum);
            self.count += rows.len() as u64;
        }
    }

    pub(super) fn add_reals<T: Element, S: Scalar>(&mut self, table: &Table<'_, S>, rows: &[u32]) {
        self.leave_bytes();
        let n = self.mean.len();
        let mut block = vec![T::ZERO; BLOCK.min(rows.len()) * n];
        let mut scratch = vec![T::ZERO; n * n];
        for rows in rows.chunks(BLOCK) {
            let size = rows.len() as f64;
            gather(table, rows, &mut block, |value: S| T::from_f64(value.to_f64()));
            // Centre by the block's mean as rounded to T; what rounding left is corrected exactly.
            let centre: Vec<T> = column_sums(&block[..rows.len() * n], n)
                .iter()
                .map(|sum| T::from_f64(sum / size))
                .collect();
            self.add_fourth(&block[..rows.len() * n], &centre, None);
            parallel::rows(&mut block[..rows.len() * n], n, |_, row| {
                for (value, &centre) in row.iter_mut().zip(&centre) {
                    *value = T::from_f64(Float::to_f64(*value) - Float::to_f64(centre));
                }
            });
            let rest: Vec<f64> =
                column_sums(&block[..rows.len() * n], n).iter().map(|sum| sum / size).collect();
            let count = self.count as f64;
            let shift: Vec<f64> =
                (0..n).map(|i| Float::to_f64(centre[i]) + rest[i] - self.mean[i]).collect();
            let coupling = count * size / (count + size);
            let rank_ones = [(-size, &rest[..]), (coupling, &shift[..])];
            // Pixels at the rim, say, are the same in all of a block; once centred they add nothing.
            let varying = varying_columns(&block[..rows.len() * n], n);
            let (sum, count) = (&mut self.scatter, rows.len());
            if (varying.len() as f64) < LEFT_OUT_BELOW * n as f64 {
                to_the_front(&mut block[..count * n], n, &varying);
                add_scatter_of(&block, count, &varying, n, &rank_ones, &mut scratch, sum);
            } else {
                add_scatter(&block, count, n, &rank_ones, &mut scratch, sum);
            }
            self.step_mean(&shift, rows.len() as u64);
        }
    }

    /// Adds to what Ledoit–Wolf needs, about the centre of the first block.
    pub(super) fn add_fourth<T: Element>(
        &mut self,
        block: &[T],
        centre: &[T],
        weights: Option<&[u64]>,
    ) {
        let Some(fourth) = &mut self.fourth else { return };
        if self.count == 0 {
            fourth.reference = centre.iter().map(|&value| Float::to_f64(value)).collect();
        }
        fourth.add(block, weights);
    }

    fn known(&self) -> Known<'_> {
        Known { count: self.count as f64, mean: &self.mean, scatter: &self.scatter }
    }

    /// Σ|x − mean|⁴, where it was kept; not for sums of bytes.
    fn quartic(&self) -> Option<f64> {
        self.fourth.clone().map(|fourth| fourth.about_mean(self.known()))
    }

    pub(super) fn step_mean(&mut self, shift: &[f64], size: u64) {
        self.count += size;
        let share = size as f64 / self.count as f64;
        self.mean.iter_mut().zip(shift).for_each(|(mean, shift)| *mean += share * shift);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        if self.bytes && other.bytes {
            match (&mut self.fourth, &other.fourth) {
                (Some(mine), Some(theirs)) => mine.merge(theirs.clone(), other.known()),
                (fourth, _) => *fourth = None,
            }
            self.count += other.count;
            self.mean.iter_mut().zip(&other.mean).for_each(|(mean, sum)| *mean += sum);
            self.scatter.iter_mut().zip(&other.scatter).for_each(|(scatter, sum)| *scatter += sum);
            return;
        }
        let mut other = other.clone();
        other.leave_bytes();
        self.leave_bytes();
        self.fourth = match (self.fourth.take(), other.fourth.take()) {
            (Some(mut mine), Some(theirs)) => {
                mine.merge(theirs, other.known());
                Some(mine)
            }
            _ => None,
        };
        let n = self.mean.len();
        let (first, second) = (self.count as f64, other.count as f64);
        let shift: Vec<f64> =
            self.mean.iter().zip(&other.mean).map(|(mine, theirs)| theirs - mine).collect();
        let coupling = first * second / (first + second);
        for i in 0..n {
            for j in 0..=i {
                self.scatter[i * n + j] +=
                    other.scatter[i * n + j] + coupling * shift[i] * shift[j];
            }
        }
        self.step_mean(&shift, other.count);
    }

    /// Turns exact sums about 128 into a mean and a scatter about it.
    pub(super) fn leave_bytes(&mut self) {
        if !std::mem::replace(&mut self.bytes, false) || self.count == 0 {
            return;
        }
        if let Some(fourth) = &mut self.fourth {
            fourth.leave_bytes();
        }
        let (n, count) = (self.mean.len(), self.count as f64);
        let sums = std::mem::take(&mut self.mean);
        parallel::rows(&mut self.scatter, n, |i, row| {
            for j in 0..=i {
                row[j] -= sums[i] * sums[j] / count;
            }
        });
        self.mean = sums.iter().map(|sum| BYTE_CENTRE + sum / count).collect();
    }
}

/// Refuses a batch that does not fit.
fn check(points: Points<'_>, labels: &Labels, dimension: usize) -> Result<(), StatisticsError> {
    if points.columns() != dimension {
        return Err(StatisticsError::Dimension { expected: dimension, found: points.columns() });
    }
    if points.rows() != labels.len() {
        return Err(StatisticsError::LabelCount { labels: labels.len(), points: points.rows() });
    }
    if dimension == 0 {
        return Err(StatisticsError::Empty { points: points.rows(), dimension });
    }
    Ok(())
}

/// Refuses a value that is not finite.
fn refuse(found: Option<(usize, usize, f64)>) -> Result<(), StatisticsError> {
    match found {
        Some((row, column, value)) => Err(StatisticsError::NotFinite { row, column, value }),
        None => Ok(()),
    }
}

/// Refuses points that do not fit, or that hold a value that is not finite.
pub(super) fn check_all(points: Points<'_>, labels: &Labels) -> Result<(), StatisticsError> {
    check(points, labels, points.columns())?;
    refuse(first_not_finite(points, None))
}

pub(super) fn gather<S: Scalar, T: Element>(
    table: &Table<'_, S>,
    rows: &[u32],
    block: &mut [T],
    convert: impl Fn(S) -> T + Sync,
) {
    let n = table.columns();
    parallel::rows(&mut block[..rows.len() * n], n, |at, target| {
        let row = rows[at] as usize;
        match table.row(row) {
            Some(source) => {
                target.iter_mut().zip(source).for_each(|(t, &s)| *t = convert(s));
            }
            None => {
                target.iter_mut().enumerate().for_each(|(j, t)| *t = convert(table.get(row, j)));
            }
        }
    });
}

/// The columns of a centred block that are not zero throughout, ascending.
fn varying_columns<T: Element>(block: &[T], n: usize) -> Vec<usize> {
    let mut varies = vec![false; n];
    dispatch(
        #[inline(always)]
        || {
            for row in block.chunks(n) {
                for (varies, value) in varies.iter_mut().zip(row) {
                    *varies |= *value != T::ZERO;
                }
            }
        },
    );
    (0..n).filter(|&column| varies[column]).collect()
}

/// Moves some columns of a row-major block to the front of their rows.
fn to_the_front<T: Element>(block: &mut [T], n: usize, columns: &[usize]) {
    parallel::rows(block, n, |_, row| {
        for (target, &column) in columns.iter().enumerate() {
            row[target] = row[column];
        }
    });
}

/// Sums over the points of a block, some columns a task.
fn column_sums<T: Element>(block: &[T], n: usize) -> Vec<f64> {
    const COLUMNS: usize = 128;
    let mut sums = vec![0.0; n];
    parallel::for_each(sums.chunks_mut(COLUMNS).enumerate(), |(chunk, sums)| {
        for row in block.chunks(n) {
            for (sum, &value) in sums.iter_mut().zip(&row[chunk * COLUMNS..]) {
                *sum += Float::to_f64(value);
            }
        }
    });
    sums
}

/// The full matrix in another precision, from its lower triangle.
pub(super) fn mirrored<T: Element>(lower: &[f64], n: usize) -> Vec<T> {
    let mut full = vec![T::ZERO; n * n];
    parallel::rows(&mut full, n, |i, row| {
        for j in 0..n {
            let entry = if j <= i { lower[i * n + j] } else { lower[j * n + i] };
            row[j] = T::from_f64(entry);
        }
    });
    full
}
