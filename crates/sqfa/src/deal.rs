//! The assignment of rows to folds, as a function of the samples alone and not of how the table is arranged.
//!
//! Equal rows always share a fold, whatever their classes; otherwise a held-out row would also be in the training data
//! under another label. The assignment does not depend on the order of rows or columns, on the names or the order of
//! classes, on weights, or on the units of columns. To achieve this, columns are sorted by their moments, rows are
//! sorted by these columns, and classes are sorted by size. Distinct rows are then shuffled with the seed and assigned
//! in turn. A row with weight w and w equal rows therefore give the same folds.
//!
//! The cost is two passes over the table (three if columns are hard to distinguish), and a sort.

use std::cmp::Ordering;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::labels::Labels;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Fold of rows that are always used for training.
pub(crate) const NEVER: u16 = u16::MAX;
/// Minimum number of distinct rows of a class for any of them to be held out, because two must remain for training.
const FEWEST: usize = 3;
/// Number of rows that one task sums.
const ROWS_PER_TASK: usize = 1024;

/// Assigns each row to one of `parts` parts. The first `held` parts are held out in turn; rows of the others are always
/// used for training. Rows of weight 0 are in no part.
pub(crate) fn deal(
    points: Points<'_>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    (parts, held): (usize, usize),
    seed: u64,
) -> Vec<u16> {
    if held == 0 {
        return vec![NEVER; labels.len()];
    }
    with_table!(points, table => deal_table(&table, labels, weight, (parts, held), seed))
}

fn deal_table<S: Scalar>(
    table: &Table<'_, S>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    (parts, held): (usize, usize),
    seed: u64,
) -> Vec<u16> {
    let order = column_order(table, weight);
    let compare = |a: u32, b: u32| compare(table, &order, a as usize, b as usize);
    // Row indices have four bytes, because a table with few columns is hardly larger than its row indices. Rows beyond
    // the range of four bytes are always used for training.
    let codes = &labels.codes()[..labels.len().min(u32::MAX as usize)];
    let mut rows: Vec<u32> =
        (0..codes.len() as u32).filter(|&row| weight(row as usize) > 0).collect();
    parallel::sort(&mut rows, &compare);
    // Equal rows form a group, and each class has the sorted list of groups in which it occurs. For tables with few
    // columns, these lists are as large as a good part of the table, so none is copied, and each is freed as soon as
    // possible.
    let begins = |at: usize| at == 0 || compare(rows[at - 1], rows[at]) != Ordering::Equal;
    let mut counts = vec![0_usize; labels.classes().len()];
    rows.iter().for_each(|&row| counts[codes[row as usize] as usize] += 1);
    let mut classes: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
    let mut groups = 0_u32;
    for (at, &row) in rows.iter().enumerate() {
        groups += u32::from(begins(at));
        let own = &mut classes[codes[row as usize] as usize];
        if own.last() != Some(&(groups - 1)) {
            own.push(groups - 1);
        }
    }
    // The groups of a class depend on the classes before it, so the order of classes must not depend on their names.
    classes.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    const OPEN: u16 = NEVER - 1;
    let mut of_group = vec![OPEN; groups as usize];
    let mut dealt = 0;
    for own in &mut classes {
        let open = |group: &u32| of_group[*group as usize] == OPEN;
        if own.len() < FEWEST {
            own.iter().for_each(|&group| of_group[group as usize] = NEVER);
            continue;
        }
        // Groups that have no fold yet come first; the others were assigned together with another class.
        let mut count = 0;
        for at in 0..own.len() {
            if open(&own[at]) {
                own.swap(at, count);
                count += 1;
            }
        }
        own[..count].shuffle(&mut generator);
        for (at, &group) in own[..count].iter().enumerate() {
            let part = (at + dealt) % parts;
            of_group[group as usize] = if part < held { part as u16 } else { NEVER };
        }
        dealt += count;
    }
    // Groups that classes share may concentrate in one part. A class that would keep too few rows for training is not
    // held out.
    for own in classes {
        let mut counts = vec![0_usize; held];
        for &group in &own {
            counts.get_mut(of_group[group as usize] as usize).iter_mut().for_each(|c| **c += 1);
        }
        if counts.iter().any(|&count| count > 0 && count + 2 > own.len()) {
            own.iter().for_each(|&group| of_group[group as usize] = NEVER);
        }
    }
    let mut of_row = vec![NEVER; labels.len()];
    let mut group = 0_usize;
    for (at, &row) in rows.iter().enumerate() {
        group += usize::from(begins(at));
        of_row[row as usize] = of_group[group - 1];
    }
    of_row
}

fn compare<S: Scalar>(table: &Table<'_, S>, order: &[usize], a: usize, b: usize) -> Ordering {
    // Adding 0.0 turns −0.0 into 0.0, so that both compare as equal.
    let value = |row: usize, column: usize| table.get(row, column).to_f64() + 0.0;
    let columns = order.iter().map(|&column| value(a, column).total_cmp(&value(b, column)));
    columns.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Returns an order of columns that does not depend on their arrangement and scale.
///
/// Columns are sorted by kurtosis, which puts columns with spread-out values before those that rarely vary, then by
/// skewness, and then by how they vary together with all other columns.
fn column_order<S: Scalar>(
    table: &Table<'_, S>,
    weight: &(dyn Fn(usize) -> u64 + Sync),
) -> Vec<usize> {
    let n = table.columns();
    let sums = |count: usize, add: &(dyn Fn(usize, f64, &mut [f64]) + Sync)| -> Vec<f64> {
        let blocks = parallel::map((0..table.rows()).step_by(ROWS_PER_TASK), |first| {
            let mut own = vec![0.0; count];
            for row in first..(first + ROWS_PER_TASK).min(table.rows()) {
                match weight(row) {
                    0 => {}
                    often => add(row, often as f64, &mut own),
                }
            }
            own
        });
        let mut total = vec![0.0; count];
        for block in blocks {
            total.iter_mut().zip(block).for_each(|(total, own)| *total += own);
        }
        total
    };
    let value = |row: usize, column: usize| table.get(row, column).to_f64();
    // Values are measured from the first row, so that a large offset costs no digits.
    let from: Vec<f64> = (0..n).map(|column| value(0, column)).collect();
    let first = sums(2 * n + 1, &|row, often, own| {
        own[2 * n] += often;
        for column in 0..n {
            let shift = value(row, column) - from[column];
            own[column] += often * shift;
            own[n + column] += often * shift * shift;
        }
    });
    let total = first[2 * n];
    let mean = |column: usize| first[column] / total;
    let deviation: Vec<f64> = (0..n)
        .map(|column| (first[n + column] / total - mean(column).powi(2)).max(0.0).sqrt())
        .collect();
    let standard = |row: usize, column: usize| match deviation[column] > 0.0 {
        true => (value(row, column) - from[column] - mean(column)) / deviation[column],
        false => 0.0,
    };
    let second = sums(2 * n, &|row, often, own| {
        for column in 0..n {
            let z = standard(row, column);
            own[column] += often * z * z * z;
            own[n + column] += often * z * z * z * z;
        }
    });
    let shape = |column: usize| (coarse(second[n + column]), coarse(second[column]));
    let by_shape = |a: usize, b: usize| {
        let ((a4, a3), (b4, b3)) = (shape(a), shape(b));
        a4.total_cmp(&b4).then(a3.total_cmp(&b3))
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| by_shape(a, b));
    if order.windows(2).all(|two| by_shape(two[0], two[1]).is_lt()) {
        return order;
    }
    // Co-variation of a column with all others. It is equal for columns that can be exchanged without changing the
    // table.
    let third = sums(n, &|row, often, own| {
        let all: f64 = (0..n).map(|column| standard(row, column).powi(3)).sum();
        own.iter_mut().enumerate().for_each(|(column, own)| {
            *own += often * standard(row, column) * all;
        });
    });
    order.sort_by(|&a, &b| by_shape(a, b).then(coarse(third[a]).total_cmp(&coarse(third[b]))));
    order
}

/// Rounds away the digits of a sum that can depend on the order of its terms.
fn coarse(value: f64) -> f64 {
    /// Number of the 52 mantissa bits that are rounded away; nine decimal digits remain.
    const ROUNDED: u64 = 22;
    let bits = value.to_bits().wrapping_add(1 << (ROUNDED - 1));
    if value.is_finite() { f64::from_bits(bits & !((1 << ROUNDED) - 1)) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 rows of four columns with repeated values. Two of the columns are nonzero in few rows.
    fn table() -> (Vec<f64>, Vec<i64>) {
        let mut values = Vec::new();
        let mut labels = Vec::new();
        for row in 0..40_u32 {
            let noise = f64::from(row * row % 37);
            values.extend([noise, f64::from(row % 9), f64::from(u8::from(row % 8 == 1))]);
            values.push(f64::from(u8::from(row % 8 == 5)));
            labels.push(i64::from(row % 3 == 0) + i64::from(row == 7));
        }
        (values, labels)
    }

    fn dealt(values: &[f64], labels: &[i64]) -> Vec<u16> {
        let points = Points::F64(Table::row_major(values, labels.len(), 4).unwrap());
        deal(points, &Labels::from_integers(labels), &|_| 1, (5, 5), 3)
    }

    /// Rows with few distinct values and several labels, as in tables of questionnaires.
    #[test]
    fn equal_rows_share_a_fold_whatever_their_labels() {
        let values: Vec<f64> = (0..60_u32)
            .flat_map(|row| [f64::from(row % 15), 0.0, 1.0, f64::from(row % 3)])
            .collect();
        let labels: Vec<i64> = (0..60).map(|row| row / 20).collect();
        let found = dealt(&values, &labels);
        assert!((0..5).all(|part| found.contains(&part)));
        for row in 15..60 {
            assert_eq!(found[row], found[row % 15]);
        }
    }

    /// Both distinct rows of the small class also occur in the large class. Whatever is held out must leave two of them
    /// for training.
    #[test]
    fn a_class_keeps_two_distinct_rows_to_learn_from() {
        let mut values: Vec<f64> =
            (0..12_u32).flat_map(|row| [f64::from(row), 0.0, 1.0, 2.0]).collect();
        values.extend_from_within(0..12);
        let labels: Vec<i64> = (0..15).map(|row| i64::from(row >= 12)).collect();
        for seed in 0..40 {
            let points = Points::F64(Table::row_major(&values, 15, 4).unwrap());
            let found = deal(points, &Labels::from_integers(&labels), &|_| 1, (5, 5), seed);
            for part in 0..5 {
                let left = (12..15).filter(|&row| found[row] != part).count();
                assert!(left >= 2, "{found:?}");
            }
        }
    }

    #[test]
    fn folds_do_not_depend_on_the_arrangement_of_the_table() {
        let (values, labels) = table();
        let plain = dealt(&values, &labels);
        assert!((0..5).all(|part| plain.contains(&part)));
        // The columns in another order and with other units.
        let (order, units) = ([2, 0, 3, 1], [1e-3, 7.0, 1e6, 0.3]);
        let moved: Vec<f64> = values
            .chunks(4)
            .flat_map(|row| order.map(|column| 5.0 + units[column] * row[column]))
            .collect();
        assert_eq!(dealt(&moved, &labels), plain, "columns");
        // The classes with other names and in another order.
        let renamed: Vec<i64> = labels.iter().map(|label| -label).collect();
        assert_eq!(dealt(&values, &renamed), plain, "classes");
        // The rows in another order.
        let rows: Vec<usize> = (0..40).map(|row| row * 17 % 40).collect();
        let moved: Vec<f64> =
            rows.iter().flat_map(|&row| values[4 * row..][..4].to_vec()).collect();
        let names: Vec<i64> = rows.iter().map(|&row| labels[row]).collect();
        let found = dealt(&moved, &names);
        assert_eq!(found, rows.iter().map(|&row| plain[row]).collect::<Vec<_>>(), "rows");
    }
}
