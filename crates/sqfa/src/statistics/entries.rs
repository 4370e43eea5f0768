//! The exact scatter matrix of one class: n²/2 entries that can be updated and merged.
//!
//! A block B of samples is centered by its own mean, its scatter is added as one half of XᵀX, and the two parts are
//! merged: with δ = mean_B − mean_A, mean += δ N_B/(N_A+N_B) and scatter += scatter_B + δδᵀ N_A N_B/(N_A+N_B). Bytes
//! are summed exactly (as integers about 128, stored in `f64`), so their statistics have the same bits however the data
//! are divided into batches.

use super::class_sum::Finished;
use super::{Covariance, Dense, Estimator, StatisticsError};
use crate::linalg::{
    Element, Float, Lower, add_scatter, add_scatter_of, dispatch, lower_rows, scratch_room,
    triangle,
};
use crate::parallel;
use crate::points::{Scalar, Table};

/// Center of bytes. With it, the products of two values are at most 128², and 1024 of them sum exactly in `f32` (1024 ·
/// 128² = 2²⁴).
const BYTE_CENTER: f64 = 128.0;
pub(super) const BYTE_BLOCK: usize = 512;
/// Returns the number of samples whose products are summed in the data's own precision before the sum continues in
/// `f64`.
///
/// Blocks are shorter if they would take megabytes. Their length always divides 512.
pub(super) fn block_size<T>(n: usize) -> usize {
    const BYTES: usize = 2 << 20;
    match BYTES / (n * size_of::<T>()).max(1) {
        512.. => 512,
        256.. => 256,
        _ => 128,
    }
}
/// Fraction of varying columns in a block below which the constant columns are left out of its product. Moving the
/// varying columns together costs little compared with the products that it saves.
const LEFT_OUT_BELOW: f64 = 0.9;

/// Count, mean and scatter matrix of one class.
#[derive(Debug, Clone)]
pub(super) struct EntrySum {
    pub(super) count: u64,
    /// For bytes the sum of the samples minus 128; otherwise their mean.
    pub(super) mean: Vec<f64>,
    /// Packed lower triangle of the scatter matrix: about 128 for bytes, otherwise about the mean. Empty before the
    /// first sample.
    pub(super) scatter: Vec<f64>,
    pub(super) bytes: bool,
}

impl EntrySum {
    /// Returns an empty sum for n columns.
    pub(super) fn empty(n: usize) -> Self {
        Self { count: 0, mean: vec![0.0; n], scatter: Vec::new(), bytes: true }
    }

    /// Allocates the scatter matrix before the first sample is added.
    pub(super) fn make_room(&mut self) {
        if self.scatter.is_empty() {
            self.scatter = vec![0.0; triangle(self.mean.len())];
        }
    }

    /// Computes mean and covariance of at least two samples.
    pub(super) fn finish(
        mut self,
        estimator: Estimator,
        double: bool,
    ) -> Result<Finished, StatisticsError> {
        if estimator == Estimator::LedoitWolf {
            return Err(StatisticsError::NoFourthMoments);
        }
        self.leave_bytes();
        let n = self.mean.len();
        let divisor = (self.count - 1) as f64;
        lower_rows(&mut self.scatter, n, |_, row| {
            row.iter_mut().for_each(|value| *value /= divisor);
        });
        let share = estimator
            .shrink(&mut self.scatter, n, self.count)
            .ok_or_else(|| StatisticsError::NeedsPoints { estimator: estimator.to_string() })?;
        let covariance: Box<dyn Covariance> = if double {
            Box::new(Dense::new(self.scatter, n).expect("a triangle"))
        } else {
            let single = self.scatter.iter().map(|&value| value as f32).collect();
            Box::new(Dense::new(single, n).expect("a triangle"))
        };
        Ok(Finished { mean: self.mean, covariance, share })
    }

    /// Adds rows of bytes, summed exactly about 128.
    pub(super) fn add_bytes(&mut self, table: &Table<'_, u8>, rows: &[u32]) {
        if !self.bytes {
            return self.add_reals::<f32, _>(table, rows);
        }
        let n = self.mean.len();
        let mut block = vec![0.0_f32; BYTE_BLOCK.min(rows.len()) * n];
        let mut scratch = vec![0.0_f32; scratch_room::<f32>(n)];
        self.make_room();
        for rows in rows.chunks(BYTE_BLOCK) {
            gather(table, rows, &mut block, |value: u8| f32::from(value) - BYTE_CENTER as f32);
            let (points, own) = (rows.len(), &mut block[..rows.len() * n]);
            let sums = column_sums(own, n);
            let constant: Vec<Option<f64>> = constant_columns(own, n);
            let varying: Vec<usize> = (0..n).filter(|&j| constant[j].is_none()).collect();
            if (varying.len() as f64) < LEFT_OUT_BELOW * n as f64 {
                to_the_front(own, n, &varying);
                add_scatter_of(&block, points, &varying, n, &[], &mut scratch, &mut self.scatter);
                // A column with the single value a has the product a·Σx with every other column x, and integers make
                // this exact.
                let values: Vec<f64> = constant.iter().map(|value| value.unwrap_or(0.0)).collect();
                lower_rows(&mut self.scatter, n, |i, row| {
                    let (factor, others) = match constant[i] {
                        Some(value) => (value, &sums),
                        None => (sums[i], &values),
                    };
                    for (entry, other) in row.iter_mut().zip(others) {
                        *entry += factor * other;
                    }
                });
            } else {
                add_scatter(&block, points, n, &[], &mut scratch, &mut self.scatter);
            }
            self.mean.iter_mut().zip(&sums).for_each(|(mean, sum)| *mean += sum);
            self.count += points as u64;
        }
    }

    /// Adds rows of floating-point numbers in precision T.
    pub(super) fn add_reals<T: Element, S: Scalar>(&mut self, table: &Table<'_, S>, rows: &[u32]) {
        self.leave_bytes();
        let n = self.mean.len();
        let most = block_size::<T>(n);
        let mut block = vec![T::ZERO; most.min(rows.len()) * n];
        let mut scratch = vec![T::ZERO; scratch_room::<T>(n)];
        self.make_room();
        for rows in rows.chunks(most) {
            let size = rows.len() as f64;
            gather(table, rows, &mut block, |value: S| T::from_f64(value.to_f64()));
            // Samples are centered by the block's mean as rounded to T. The part that rounding left is corrected
            // exactly afterwards.
            let center: Vec<T> = column_sums(&block[..rows.len() * n], n)
                .iter()
                .map(|sum| T::from_f64(sum / size))
                .collect();
            parallel::rows(&mut block[..rows.len() * n], n, |_, row| {
                for (value, &center) in row.iter_mut().zip(&center) {
                    *value = T::from_f64(Float::to_f64(*value) - Float::to_f64(center));
                }
            });
            let rest: Vec<f64> =
                column_sums(&block[..rows.len() * n], n).iter().map(|sum| sum / size).collect();
            let count = self.count as f64;
            let shift: Vec<f64> =
                (0..n).map(|i| Float::to_f64(center[i]) + rest[i] - self.mean[i]).collect();
            let coupling = count * size / (count + size);
            let rank_ones = [(-size, &rest[..]), (coupling, &shift[..])];
            // Some columns, such as pixels at the rim of an image, are often constant within a block. Once centered
            // they add nothing.
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

    /// Moves the mean and the count as `size` samples are added whose mean differs by `shift`.
    pub(super) fn step_mean(&mut self, shift: &[f64], size: u64) {
        self.count += size;
        let share = size as f64 / self.count as f64;
        self.mean.iter_mut().zip(shift).for_each(|(mean, shift)| *mean += share * shift);
    }

    /// Adds the sum of another set of samples of the same class.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = other.clone();
            return;
        }
        if self.bytes && other.bytes {
            self.count += other.count;
            self.mean.iter_mut().zip(&other.mean).for_each(|(mean, sum)| *mean += sum);
            self.scatter.iter_mut().zip(&other.scatter).for_each(|(scatter, sum)| *scatter += sum);
            return;
        }
        let mut other = other.clone();
        other.leave_bytes();
        self.leave_bytes();
        let n = self.mean.len();
        let (first, second) = (self.count as f64, other.count as f64);
        let shift: Vec<f64> =
            self.mean.iter().zip(&other.mean).map(|(mine, theirs)| theirs - mine).collect();
        let coupling = first * second / (first + second);
        let theirs = Lower::new(&other.scatter, n);
        lower_rows(&mut self.scatter, n, |i, row| {
            let factor = coupling * shift[i];
            for ((mine, theirs), shift) in row.iter_mut().zip(theirs.row(i)).zip(&shift) {
                *mine += theirs + factor * shift;
            }
        });
        self.step_mean(&shift, other.count);
    }

    /// Converts exact sums about 128 to a mean and a scatter matrix about it.
    pub(super) fn leave_bytes(&mut self) {
        if !std::mem::replace(&mut self.bytes, false) || self.count == 0 {
            return;
        }
        let (n, count) = (self.mean.len(), self.count as f64);
        let sums = std::mem::take(&mut self.mean);
        lower_rows(&mut self.scatter, n, |i, row| {
            for (entry, sum) in row.iter_mut().zip(&sums) {
                *entry -= sums[i] * sum / count;
            }
        });
        self.mean = sums.iter().map(|sum| BYTE_CENTER + sum / count).collect();
    }
}

/// Copies rows of a table to a row-major block, with each number converted.
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

/// Returns, for each column of a block, its value if it is constant within the block.
fn constant_columns(block: &[f32], n: usize) -> Vec<Option<f64>> {
    let mut varies = vec![false; n];
    let first = &block[..n];
    dispatch(
        #[inline(always)]
        || {
            for row in block.chunks(n) {
                for (varies, (value, first)) in varies.iter_mut().zip(row.iter().zip(first)) {
                    *varies |= value != first;
                }
            }
        },
    );
    varies.iter().zip(first).map(|(varies, &value)| (!varies).then_some(f64::from(value))).collect()
}

/// Returns the indices of the columns of a centered block that are not all zero, in ascending order.
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

/// Moves some columns of a row-major block to the front of its rows.
fn to_the_front<T: Element>(block: &mut [T], n: usize, columns: &[usize]) {
    parallel::rows(block, n, |_, row| {
        for (target, &column) in columns.iter().enumerate() {
            row[target] = row[column];
        }
    });
}

/// Returns the column sums of a block. Each task sums some of the columns.
fn column_sums<T: Element>(block: &[T], n: usize) -> Vec<f64> {
    const COLUMNS: usize = 128;
    let mut sums = vec![0.0; n];
    parallel::for_each(sums.chunks_mut(COLUMNS).enumerate(), |(chunk, sums)| {
        dispatch(
            #[inline(always)]
            || {
                for row in block.chunks(n) {
                    for (sum, &value) in sums.iter_mut().zip(&row[chunk * COLUMNS..]) {
                        *sum += Float::to_f64(value);
                    }
                }
            },
        );
    });
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_bytes_that_are_constant_in_a_block_are_summed_exactly() {
        let (rows, n) = (BYTE_BLOCK + 100, 30);
        // Columns that are constant everywhere, constant in the first block only, and varying.
        let value = |row: usize, column: usize| match column % 3 {
            0 => 7 * column as u8,
            1 if row < BYTE_BLOCK => 200,
            _ => ((row * 37 + column * 11) % 251) as u8,
        };
        let values: Vec<u8> = (0..rows * n).map(|at| value(at / n, at % n)).collect();
        let table = Table::row_major(&values, rows, n).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let mut sum = EntrySum::empty(n);
        sum.add_bytes(&table, &all);
        for i in 0..n {
            for j in 0..=i {
                let centered = |row: usize, column: usize| i64::from(value(row, column)) - 128;
                let direct: i64 = (0..rows).map(|row| centered(row, i) * centered(row, j)).sum();
                assert_eq!(Lower::new(&sum.scatter, n).row(i)[j], direct as f64, "({i}, {j})");
            }
        }
    }
}
