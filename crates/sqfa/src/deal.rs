//! The fold of every row: a function of the samples alone, not of how a table happens to be written down.
//!
//! Equal rows always share a fold, whatever their classes: otherwise a row that is held out would meet its own copies under
//! other labels. Which fold does not depend on the order of rows or columns, on the names or the order of classes, on weights,
//! or on the units of columns: columns are put into an order of their own, rows are sorted by it, and classes are taken by
//! size. Distinct rows are then shuffled by the seed and dealt out. A weighted row and a repeated row therefore make the same
//! folds. Cost: two passes over the table (a third where columns are hard to tell apart), and a sort.

use std::cmp::Ordering;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::labels::Labels;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// A row that is in no fold: always learned from.
pub(crate) const NEVER: u16 = u16::MAX;
/// Distinct rows that a class needs before any of them is held out: two must stay to learn from.
const FEWEST: usize = 3;
/// Rows that one task sums.
const ROWS_PER_TASK: usize = 1024;

/// Assigns every row to one of `parts`, of which the first `held` are held out in turn and the others are always learned from.
/// Rows of weight 0 are in no part.
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
    with_table!(points, table => deal_table(&table, labels, weight, (parts, held), seed, false))
}

/// Returns which rows are held out if the first `held` of `parts` parts are held out together, once.
///
/// Every class keeps at least two distinct rows to learn from.
pub(crate) fn deal_once(
    points: Points<'_>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    (parts, held): (usize, usize),
    seed: u64,
) -> Vec<bool> {
    let dealt =
        with_table!(points, table => deal_table(&table, labels, weight, (parts, held), seed, true));
    dealt.into_iter().map(|part| usize::from(part) < held).collect()
}

fn deal_table<S: Scalar>(
    table: &Table<'_, S>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    (parts, held): (usize, usize),
    seed: u64,
    together: bool,
) -> Vec<u16> {
    let order = column_order(table, weight);
    let compare = |a: u32, b: u32| compare(table, &order, a as usize, b as usize);
    // Four bytes per row: a table of few columns is hardly larger than the numbers of its rows. Beyond so many rows all are
    // learned from.
    let codes = &labels.codes()[..labels.len().min(u32::MAX as usize)];
    let mut rows: Vec<u32> =
        (0..codes.len() as u32).filter(|&row| weight(row as usize) > 0).collect();
    parallel::sort(&mut rows, &compare);
    // Equal rows are one group, and every class has the groups that it occurs in, in their order. Of few columns these lists
    // are a good part of the table, so none is copied, and each is freed as soon as it is not needed.
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
    // What a class is dealt depends on those before it, so their order must not be that of their names.
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
        // Those that are to be dealt come first; the others were dealt with another class.
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
    // Classes that share rows may meet in one part: a class that this leaves too little of is not held out. If parts are held
    // out together, a small class may lie in these parts alone: as many of its rows as needed are learned from.
    for own in classes {
        if together {
            let is_held = |group: &u32| usize::from(of_group[*group as usize]) < held;
            let out: Vec<u32> = own.iter().copied().filter(is_held).collect();
            for &group in out.iter().skip(own.len().saturating_sub(FEWEST - 1)) {
                of_group[group as usize] = NEVER;
            }
            continue;
        }
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
    // Zero has one sign here.
    let value = |row: usize, column: usize| table.get(row, column).to_f64() + 0.0;
    let columns = order.iter().map(|&column| value(a, column).total_cmp(&value(b, column)));
    columns.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// An order of columns that is the same however they are arranged and scaled: by their kurtosis, which puts columns that are
/// spread out before those that hardly ever differ, then by their skewness, then by how they go along with the other columns.
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
    // Measured from the first row, so that a large offset costs no digits.
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
    // How a column goes along with all others: equal for columns that may change places.
    let third = sums(n, &|row, often, own| {
        let all: f64 = (0..n).map(|column| standard(row, column).powi(3)).sum();
        own.iter_mut().enumerate().for_each(|(column, own)| {
            *own += often * standard(row, column) * all;
        });
    });
    order.sort_by(|&a, &b| by_shape(a, b).then(coarse(third[a]).total_cmp(&coarse(third[b]))));
    order
}

/// A number without the digits that the order of a sum may change.
fn coarse(value: f64) -> f64 {
    /// Bits of the 52 that are rounded away: nine digits stay.
    const ROUNDED: u64 = 22;
    let bits = value.to_bits().wrapping_add(1 << (ROUNDED - 1));
    if value.is_finite() { f64::from_bits(bits & !((1 << ROUNDED) - 1)) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 rows of four columns, two of them marks that few rows have; values repeat.
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

    /// Patterns of few values with several labels, as in tables of questions and answers.
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

    /// Both patterns of the small class are patterns of the large one: what is held out must leave two of them.
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
    fn a_small_class_keeps_two_rows_if_parts_are_held_out_together() {
        for small in 2..6 {
            let count = 30 + small;
            let values: Vec<f64> = (0..count).flat_map(|row| [row as f64, 0.0, 1.0, 2.0]).collect();
            let labels: Vec<i64> = (0..count).map(|row| i64::from(row >= 30)).collect();
            let labels = Labels::from_integers(&labels);
            for seed in 0..20 {
                let points = Points::F64(Table::row_major(&values, count, 4).unwrap());
                let held = deal_once(points, &labels, &|_| 1, (20, 3), seed);
                let left = held[30..].iter().filter(|&&out| !out).count();
                assert!(left >= 2, "{left} of {small}");
                // Large classes are dealt as by the other function.
                let dealt = deal(points, &labels, &|_| 1, (20, 3), seed);
                let out = |row: usize| usize::from(dealt[row]) < 3;
                assert!((0..30).all(|row| held[row] == out(row)) && held[..30].contains(&true));
            }
        }
    }

    #[test]
    fn folds_do_not_depend_on_how_a_table_is_written_down() {
        let (values, labels) = table();
        let plain = dealt(&values, &labels);
        assert!((0..5).all(|part| plain.contains(&part)));
        // Columns in another order, in other units.
        let (order, units) = ([2, 0, 3, 1], [1e-3, 7.0, 1e6, 0.3]);
        let moved: Vec<f64> = values
            .chunks(4)
            .flat_map(|row| order.map(|column| 5.0 + units[column] * row[column]))
            .collect();
        assert_eq!(dealt(&moved, &labels), plain, "columns");
        // Classes with other names, in another order.
        let renamed: Vec<i64> = labels.iter().map(|label| -label).collect();
        assert_eq!(dealt(&values, &renamed), plain, "classes");
        // Rows in another order.
        let rows: Vec<usize> = (0..40).map(|row| row * 17 % 40).collect();
        let moved: Vec<f64> =
            rows.iter().flat_map(|&row| values[4 * row..][..4].to_vec()).collect();
        let names: Vec<i64> = rows.iter().map(|&row| labels[row]).collect();
        let found = dealt(&moved, &names);
        assert_eq!(found, rows.iter().map(|&row| plain[row]).collect::<Vec<_>>(), "rows");
    }
}
