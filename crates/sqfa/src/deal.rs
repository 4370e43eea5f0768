//! The assignment of rows to folds, as a function of the samples alone and not of how the table is arranged.
//!
//! Equal rows always share a fold, whatever their classes; otherwise a held-out row would also be in the training data
//! under another label. The assignment does not depend on the order of rows or columns, on the names or the order of
//! classes, on weights, or on the units of columns. To achieve this, columns are sorted by their moments, rows are
//! sorted by these columns, and classes are sorted by size. Distinct rows are then shuffled with the seed and assigned
//! in turn. A row with weight w and w equal rows therefore give the same folds.
//!
//! Samples of one group share a fold, too. Groups that have an equal row in common are treated as one group, and the names of
//! groups do not matter.
//!
//! The cost is two passes over the table (three if columns are hard to distinguish), and a sort.

use std::cmp::Ordering;
use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::labels::Labels;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Fold of rows that are always used for training.
pub(crate) const NEVER: u16 = u16::MAX;

/// Which samples are held out together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HoldOut<'a> {
    /// Samples are independent, except that equal rows are held out together.
    #[default]
    Rows,
    /// The group of every sample. A group is held out as a whole.
    Groups(&'a [u32]),
    /// The fold in which every sample is held out. Samples with [`HoldOut::NEVER`] are always learned from.
    Folds(&'a [u16]),
}

impl HoldOut<'_> {
    /// The fold number of samples that are never held out.
    pub const NEVER: u16 = NEVER;

    /// Returns the number of predefined folds, if the folds are predefined.
    pub(crate) fn folds(self) -> Option<usize> {
        let Self::Folds(all) = self else { return None };
        let last = all.iter().copied().filter(|&fold| fold != NEVER).max();
        Some(last.map_or(0, |last| usize::from(last) + 1))
    }
}

/// Minimum number of distinct rows of a class for any of them to be held out, because two must remain for training.
const FEWEST: usize = 3;
/// Number of rows that one task sums.
const ROWS_PER_TASK: usize = 1024;

/// Assigns each row to one of `parts` parts. The first `held` parts are held out in turn; rows of the others are always
/// used for training. Rows of weight 0 are in no part. Predefined folds are used as they are,
/// without those from `held` on.
pub(crate) fn deal(
    points: Points<'_>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    hold_out: HoldOut<'_>,
    (parts, held): (usize, usize),
    seed: u64,
) -> Vec<u16> {
    if held == 0 {
        return vec![NEVER; labels.len()];
    }
    let groups = match hold_out {
        HoldOut::Rows => None,
        HoldOut::Groups(groups) => Some(groups),
        HoldOut::Folds(folds) => {
            let of_row = |(row, &fold): (usize, &u16)| match weight(row) > 0 {
                true if usize::from(fold) < held => fold,
                _ => NEVER,
            };
            return folds.iter().enumerate().map(of_row).collect();
        }
    };
    let plan = (parts, held);
    with_table!(points, table => deal_table(&table, labels, weight, groups, plan, seed, false))
}

/// Assigns rows like [`deal`], but the first `held` of `parts` parts are held out together, once. Every class keeps at least
/// two distinct rows for training.
pub(crate) fn deal_once(
    points: Points<'_>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    hold_out: HoldOut<'_>,
    (parts, held): (usize, usize),
    seed: u64,
) -> Vec<u16> {
    let groups = match hold_out {
        HoldOut::Rows => None,
        HoldOut::Groups(groups) => Some(groups),
        HoldOut::Folds(_) => return deal(points, labels, weight, hold_out, (parts, held), seed),
    };
    let plan = (parts, held);
    with_table!(points, table => deal_table(&table, labels, weight, groups, plan, seed, true))
}

/// Whether some class has enough different rows, or groups of rows, for one of them to be held out. It stops at the first class
/// that has, so that it looks at few rows of ordinary data.
pub(crate) fn can_deal(
    points: Points<'_>,
    labels: &Labels,
    mut rows: impl Iterator<Item = usize>,
    hold_out: HoldOut<'_>,
) -> bool {
    let mut different: Vec<Vec<usize>> = vec![Vec::new(); labels.classes().len()];
    with_table!(points, table => {
        let equal = |a: usize, b: usize| {
            (0..table.columns()).all(|column| table.get(a, column) == table.get(b, column))
        };
        let same = |a: usize, b: usize| match hold_out {
            HoldOut::Rows => equal(a, b),
            HoldOut::Groups(groups) => groups[a] == groups[b] || equal(a, b),
            HoldOut::Folds(folds) => folds[a] == folds[b],
        };
        rows.any(|row| {
            let own = &mut different[labels.codes()[row] as usize];
            if own.iter().all(|&other| !same(row, other)) {
                own.push(row);
            }
            own.len() >= FEWEST || matches!(hold_out, HoldOut::Folds(_))
        })
    })
}

fn deal_table<S: Scalar>(
    table: &Table<'_, S>,
    labels: &Labels,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    groups: Option<&[u32]>,
    (parts, held): (usize, usize),
    seed: u64,
    together: bool,
) -> Vec<u16> {
    let order = column_order(table, weight);
    let compare = |a: u32, b: u32| compare(table, &order, a as usize, b as usize);
    // Row indices have four bytes, because a table with few columns is hardly larger than its row indices. Rows beyond
    // the range of four bytes are always used for training.
    let codes = &labels.codes()[..labels.len().min(u32::MAX as usize)];
    let mut rows: Vec<u32> =
        (0..codes.len() as u32).filter(|&row| weight(row as usize) > 0).collect();
    parallel::sort(&mut rows, &compare);
    // Equal rows form a unit, and each class has the sorted list of units in which it occurs. For tables with few columns,
    // these lists are as large as a good part of the table, so none is copied, and each is freed as soon as possible.
    let begins = |at: usize| at == 0 || compare(rows[at - 1], rows[at]) != Ordering::Equal;
    let mut counts = vec![0_usize; labels.classes().len()];
    rows.iter().for_each(|&row| counts[codes[row as usize] as usize] += 1);
    let mut classes: Vec<Vec<u32>> = counts.into_iter().map(Vec::with_capacity).collect();
    let mut units = 0_u32;
    for (at, &row) in rows.iter().enumerate() {
        units += u32::from(begins(at));
        let own = &mut classes[codes[row as usize] as usize];
        if own.last() != Some(&(units - 1)) {
            own.push(units - 1);
        }
    }
    // The first of all units that share a fold with a unit.
    let firsts = groups.map(|groups| {
        let mut joined = Joined::new(units);
        let mut of_group = HashMap::new();
        let mut unit = 0;
        for (at, &row) in rows.iter().enumerate() {
            unit += u32::from(begins(at));
            joined.join(unit - 1, *of_group.entry(groups[row as usize]).or_insert(unit - 1));
        }
        joined.firsts()
    });
    let first_of = |unit: u32| firsts.as_ref().map_or(unit, |firsts| firsts[unit as usize]);
    // The units of a class depend on the classes before it, so the order of classes must not depend on their names.
    classes.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    const OPEN: u16 = NEVER - 1;
    let mut of_unit = vec![OPEN; units as usize];
    let mut dealt = 0;
    for own in &mut classes {
        if own.len() < FEWEST {
            own.iter().for_each(|&unit| of_unit[first_of(unit) as usize] = NEVER);
            continue;
        }
        let mut grouped: Vec<u32>;
        let own = match firsts {
            None => own,
            Some(_) => {
                grouped = own.iter().map(|&unit| first_of(unit)).collect();
                grouped.sort_unstable();
                grouped.dedup();
                &mut grouped
            }
        };
        let open = |unit: &u32| of_unit[*unit as usize] == OPEN;
        // Units that have no fold yet come first; the others were assigned together with another class.
        let mut count = 0;
        for at in 0..own.len() {
            if open(&own[at]) {
                own.swap(at, count);
                count += 1;
            }
        }
        own[..count].shuffle(&mut generator);
        for (at, &unit) in own[..count].iter().enumerate() {
            let part = (at + dealt) % parts;
            of_unit[unit as usize] = if part < held { part as u16 } else { NEVER };
        }
        dealt += count;
    }
    // Units that classes share may concentrate in one part. A class that would keep too few rows for training is not held
    // out. If parts are held out together, a small class may lie in these parts alone: as many of its rows as needed are then
    // used for training.
    for own in classes {
        if together {
            let is_held = |unit: &u32| usize::from(of_unit[first_of(*unit) as usize]) < held;
            let out: Vec<u32> = own.iter().copied().filter(is_held).collect();
            for &unit in out.iter().skip(own.len().saturating_sub(FEWEST - 1)) {
                of_unit[first_of(unit) as usize] = NEVER;
            }
            continue;
        }
        let mut counts = vec![0_usize; held];
        for &unit in &own {
            let part = of_unit[first_of(unit) as usize];
            counts.get_mut(part as usize).iter_mut().for_each(|count| **count += 1);
        }
        if counts.iter().any(|&count| count > 0 && count + 2 > own.len()) {
            own.iter().for_each(|&unit| of_unit[first_of(unit) as usize] = NEVER);
        }
    }
    let mut of_row = vec![NEVER; labels.len()];
    let mut unit = 0_u32;
    for (at, &row) in rows.iter().enumerate() {
        unit += u32::from(begins(at));
        of_row[row as usize] = of_unit[first_of(unit - 1) as usize];
    }
    of_row
}

/// Units that share a fold because they share a group: a union-find structure whose roots are the first units.
struct Joined {
    /// An earlier unit of the same set, or the unit itself.
    earlier: Vec<u32>,
}

impl Joined {
    fn new(units: u32) -> Self {
        Self { earlier: (0..units).collect() }
    }

    /// Returns the first unit of the set of a unit, and shortens the way to it.
    fn find(&mut self, mut unit: u32) -> u32 {
        while self.earlier[unit as usize] != unit {
            let next = self.earlier[self.earlier[unit as usize] as usize];
            self.earlier[unit as usize] = next;
            unit = next;
        }
        unit
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.earlier[one.max(other) as usize] = one.min(other);
    }

    /// Returns the first unit of the set of every unit.
    fn firsts(mut self) -> Vec<u32> {
        // Earlier units come first, so that the way of each has one step.
        for unit in 0..self.earlier.len() {
            self.earlier[unit] = self.earlier[self.earlier[unit] as usize];
        }
        self.earlier
    }
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
        deal(points, &Labels::from_integers(labels), &|_| 1, HoldOut::Rows, (5, 5), 3)
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
            let found =
                deal(points, &Labels::from_integers(&labels), &|_| 1, HoldOut::Rows, (5, 5), seed);
            for part in 0..5 {
                let left = (12..15).filter(|&row| found[row] != part).count();
                assert!(left >= 2, "{found:?}");
            }
        }
    }

    /// Groups of several classes, of single classes, and one that shares a row with another.
    #[test]
    fn a_class_with_two_different_rows_cannot_be_held_out() {
        let can = |values: &[f64], groups: Option<&[u32]>| {
            let rows = values.len() / 2;
            let labels: Vec<i64> = (0..rows as i64).map(|row| row % 2).collect();
            let points = Points::F64(Table::row_major(values, rows, 2).unwrap());
            let hold_out = groups.map_or(HoldOut::Rows, HoldOut::Groups);
            can_deal(points, &Labels::from_integers(&labels), 0..rows, hold_out)
        };
        // Rows 0, 2 and 4 are of one class, rows 1, 3 and 5 of the other.
        let two = [1.0, 0.0, 5.0, 5.0, 2.0, 0.0, 5.0, 5.0, 1.0, -0.0, 6.0, 5.0];
        assert!(!can(&two, None));
        let three = [1.0, 0.0, 5.0, 5.0, 2.0, 0.0, 5.0, 5.0, 3.0, 0.0, 6.0, 5.0];
        assert!(can(&three, None));
        assert!(!can(&three, Some(&[0, 1, 0, 1, 2, 1])));
        assert!(can(&three, Some(&[0, 1, 2, 3, 4, 5])));
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
                let held = deal_once(points, &labels, &|_| 1, HoldOut::Rows, (20, 3), seed);
                let held: Vec<bool> = held.iter().map(|&part| part < 3).collect();
                let left = held[30..].iter().filter(|&&out| !out).count();
                assert!(left >= 2, "{left} of {small}");
                // Large classes are dealt as by the other function.
                let dealt = deal(points, &labels, &|_| 1, HoldOut::Rows, (20, 3), seed);
                let out = |row: usize| usize::from(dealt[row]) < 3;
                assert!((0..30).all(|row| held[row] == out(row)) && held[..30].contains(&true));
            }
        }
    }

    #[test]
    fn groups_share_a_fold_whatever_they_are_called_and_wherever_their_rows_are() {
        let (values, labels) = table();
        let groups: Vec<u32> = (0..40).map(|row| row * 7 % 11).collect();
        let points = Points::F64(Table::row_major(&values, 40, 4).unwrap());
        let own = Labels::from_integers(&labels);
        let of = |groups: &[u32]| deal(points, &own, &|_| 1, HoldOut::Groups(groups), (5, 5), 3);
        let found = of(&groups);
        assert!((0..5).all(|part| found.contains(&part)), "{found:?}");
        for (a, b) in (0..40).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let equal = values[4 * a..][..4] == values[4 * b..][..4];
            assert!(found[a] == found[b] || (groups[a] != groups[b] && !equal), "{a} {b}");
        }
        let renamed: Vec<u32> = groups.iter().map(|group| 1000 - 3 * group).collect();
        assert_eq!(of(&renamed), found);
        let rows: Vec<usize> = (0..40).map(|row| row * 17 % 40).collect();
        let moved: Vec<f64> =
            rows.iter().flat_map(|&row| values[4 * row..][..4].to_vec()).collect();
        let names: Vec<i64> = rows.iter().map(|&row| labels[row]).collect();
        let points = Points::F64(Table::row_major(&moved, 40, 4).unwrap());
        let groups: Vec<u32> = rows.iter().map(|&row| groups[row]).collect();
        let own = Labels::from_integers(&names);
        let moved = deal(points, &own, &|_| 1, HoldOut::Groups(&groups), (5, 5), 3);
        assert_eq!(moved, rows.iter().map(|&row| found[row]).collect::<Vec<_>>());
    }

    /// Every sample a group of its own is the same as no groups.
    #[test]
    fn groups_of_one_sample_change_nothing() {
        let (values, labels) = table();
        let points = Points::F64(Table::row_major(&values, 40, 4).unwrap());
        let groups: Vec<u32> = (0..40).rev().collect();
        let own = Labels::from_integers(&labels);
        let found = deal(points, &own, &|_| 1, HoldOut::Groups(&groups), (5, 5), 3);
        assert_eq!(found, dealt(&values, &labels));
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
