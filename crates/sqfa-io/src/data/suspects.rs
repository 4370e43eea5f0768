//! Detection of table columns that are unrelated to the classes or determine them: row numbers,
//! times, and copies of the label.
//!
//! Columns are tested while rows are read, in batches or all at once. An ordinary column is
//! excluded after a few rows, and a column of whole numbers at the first repetition. The cost is
//! therefore dominated by columns of identifiers.

use std::collections::{HashMap, HashSet};

use sqfa::labels::Label;
use sqfa::points::Scalar;
use sqfa::{Labels, Points, Table, with_table};

use super::sentinels::Sentinels;
use crate::formats::Note;

/// The number of rows below which nothing is reported. In few rows, whole numbers are often all
/// different and columns often monotonic by chance.
const ENOUGH: u64 = 20;
/// The largest number of class values that are stored to detect copies of the label. With more, the
/// detection stops.
const KEPT: usize = 1 << 20;
/// The largest number of whole numbers, over all columns, that are stored to detect repetitions (1
/// to 2 MB). If so many are all different, the column is assumed to contain identifiers.
const REMEMBERED: usize = 1 << 16;
/// The smallest number of different values with which a column is reported. Many columns share the
/// storage, so some may have fewer.
const DIFFERENT: u64 = 1 << 10;
/// The value above which every double is a whole number. Identifiers have up to 64 bits.
const LARGEST: f64 = 18_446_744_073_709_551_616.0;

/// The state of the detection after some rows.
#[derive(Debug)]
pub(super) struct Suspects {
    rows: u64,
    ordered: Vec<Ordered>,
    whole: Vec<Whole>,
    /// The number of whole numbers that are stored.
    remembered: usize,
    telling: Vec<Telling>,
    sentinels: Sentinels,
    /// The classes, in the order of their first occurrence.
    classes: HashMap<Label, usize>,
}

/// A column that has been monotonic so far.
#[derive(Debug)]
struct Ordered {
    column: usize,
    last: f64,
    rises: bool,
    falls: bool,
    steps: u64,
}

/// A column of whole numbers. Sums are relative to the first value.
#[derive(Debug, Default)]
struct Whole {
    column: usize,
    first: i128,
    low: i128,
    high: i128,
    sum: i128,
    squares: i128,
    /// All values so far, or the first of them if not all are stored.
    seen: HashSet<u64>,
}

/// A column with a single value per class so far.
#[derive(Debug)]
struct Telling {
    column: usize,
    /// The value of each class, in the order of their first occurrence.
    values: Vec<f64>,
    /// The number of samples that were not the first of their class.
    again: u64,
}

impl Suspects {
    /// Returns the initial state for a number of columns.
    pub(super) fn new(columns: usize) -> Self {
        let ordered = |column| Ordered { column, last: 0.0, rises: true, falls: true, steps: 0 };
        let whole = |column| Whole { column, ..Whole::default() };
        let telling = |column| Telling { column, values: Vec::new(), again: 0 };
        Self {
            rows: 0,
            ordered: (0..columns).map(ordered).collect(),
            whole: (0..columns).map(whole).collect(),
            remembered: 0,
            telling: (0..columns).map(telling).collect(),
            sentinels: Sentinels::new(columns),
            classes: HashMap::new(),
        }
    }

    /// Tests further rows.
    pub(super) fn add(&mut self, points: Points<'_>, labels: &Labels) {
        with_table!(points, table => self.add_rows(&table, labels));
    }

    fn add_rows<S: Scalar>(&mut self, table: &Table<'_, S>, labels: &Labels) {
        for row in 0..table.rows() {
            let begun = self.rows > 0;
            let value = |column: usize| table.get(row, column).to_f64();
            self.ordered.retain_mut(|column| column.add(value(column.column), begun));
            let remembered = &mut self.remembered;
            self.whole.retain_mut(|column| column.add(value(column.column), begun, remembered));
            if let Some(&code) = labels.codes().get(row).filter(|_| !self.telling.is_empty()) {
                let next = self.classes.len();
                let label = labels.classes().label(code as usize);
                let class = *self.classes.entry(label).or_insert(next);
                self.telling.retain_mut(|column| column.add(value(column.column), class));
                if self.classes.len().saturating_mul(self.telling.len()) > KEPT {
                    self.telling.clear();
                }
            }
            (0..table.columns()).for_each(|column| self.sentinels.add(column, value(column)));
            self.rows += 1;
        }
    }

    /// Returns notes about suspicious columns.
    pub(super) fn notes(&self, names: &[String]) -> Vec<Note> {
        if self.rows < ENOUGH {
            return Vec::new();
        }
        let name = |column: usize| names.get(column).cloned().unwrap_or_else(|| column.to_string());
        let mut notes: Vec<(usize, Note)> = Vec::new();
        for whole in self.whole.iter().filter(|whole| whole.high - whole.low >= self.spread()) {
            let consecutive = whole.counts(self.rows);
            if consecutive || whole.seen.len() as u64 >= self.rows.min(DIFFERENT) {
                let note = Note::LikeIndex { column: name(whole.column), consecutive };
                notes.push((whole.column, note));
            }
        }
        let numbered: Vec<usize> = notes.iter().map(|(column, _)| *column).collect();
        let ordered = self.ordered.iter().filter(|column| column.steps + 1 >= ENOUGH);
        let ordered = ordered.filter(|column| !numbered.contains(&column.column));
        notes.extend(ordered.map(|at| (at.column, Note::FollowsRows(name(at.column)))));
        let telling = self.telling.iter().filter(|column| column.is_label());
        notes.extend(telling.map(|at| (at.column, Note::TellsClass(name(at.column)))));
        notes.sort_by_key(|(column, _)| *column);
        notes.into_iter().map(|(_, note)| note).chain(self.sentinels.notes(&name)).collect()
    }

    /// Returns the smallest range that such a number of different whole numbers can have.
    fn spread(&self) -> i128 {
        i128::from(self.rows) - 1
    }
}

impl Ordered {
    fn add(&mut self, value: f64, begun: bool) -> bool {
        if begun {
            self.rises &= value >= self.last;
            self.falls &= value <= self.last;
            self.steps += u64::from(value != self.last);
        }
        self.last = value;
        self.rises || self.falls
    }
}

impl Whole {
    /// Whether the column is still suspicious: the value is whole and did not occur before, as far
    /// as values are stored.
    fn add(&mut self, value: f64, begun: bool, remembered: &mut usize) -> bool {
        if value.fract() != 0.0 || value.abs() >= LARGEST {
            *remembered -= self.seen.len();
            return false;
        }
        // Adding 0.0 makes −0.0 and 0.0 equal.
        let bits = (value + 0.0).to_bits();
        let value = value as i128;
        if *remembered < REMEMBERED {
            if !self.seen.insert(bits) {
                *remembered -= self.seen.len();
                return false;
            }
            *remembered += 1;
        } else if self.seen.contains(&bits) {
            *remembered -= self.seen.len();
            return false;
        }
        if !begun {
            (self.first, self.low, self.high) = (value, value, value);
        }
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        let offset = value - self.first;
        self.sum = self.sum.wrapping_add(offset);
        self.squares = self.squares.wrapping_add(offset.wrapping_mul(offset));
        true
    }

    /// Whether the values are consecutive numbers in any order. Their range, sum and sum of squares
    /// must be those of consecutive numbers.
    fn counts(&self, rows: u64) -> bool {
        let (n, low) = (i128::from(rows), self.low - self.first);
        let sums = || {
            let sum = n.checked_mul(low)?.checked_add(n.checked_mul(n - 1)? / 2)?;
            let cubes = n.checked_mul(n - 1)?.checked_mul(2 * n - 1)? / 6;
            let cross = low.checked_mul(n)?.checked_mul(n - 1)?;
            let squares = n.checked_mul(low)?.checked_mul(low)?.checked_add(cross)?;
            Some((sum, squares.checked_add(cubes)?))
        };
        self.high - self.low == n - 1 && sums() == Some((self.sum, self.squares))
    }
}

impl Telling {
    fn add(&mut self, value: f64, class: usize) -> bool {
        match self.values.get(class) {
            Some(first) => {
                self.again += 1;
                *first == value
            }
            None => {
                self.values.push(value);
                true
            }
        }
    }

    /// Whether every class has a different value, with enough samples.
    fn is_label(&self) -> bool {
        let mut values = self.values.clone();
        values.sort_by(f64::total_cmp);
        self.again >= ENOUGH / 2
            && values.len() > 1
            && values.windows(2).all(|pair| pair[0] < pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::super::OwnedPoints;
    use super::*;

    const ROWS: usize = 60;

    /// Returns the notes about one column, where `value` is the value of every row. Rows are added
    /// all at once and in batches of 7.
    fn said(value: impl Fn(usize) -> f64) -> Vec<Note> {
        let points = |rows: std::ops::Range<usize>| {
            let values: Vec<f64> = rows.clone().map(&value).collect();
            OwnedPoints::from_f64(values, rows.len(), 1).unwrap()
        };
        let labels = |rows: std::ops::Range<usize>| {
            Labels::from_integers(&rows.map(|row| (row * 3 / ROWS) as i64).collect::<Vec<_>>())
        };
        let mut parts = Suspects::new(1);
        for start in (0..ROWS).step_by(7) {
            let rows = start..(start + 7).min(ROWS);
            parts.add(points(rows.clone()).view(), &labels(rows));
        }
        let mut whole = Suspects::new(1);
        whole.add(points(0..ROWS).view(), &labels(0..ROWS));
        let names = ["c".to_owned()];
        assert_eq!(parts.notes(&names), whole.notes(&names));
        whole.notes(&names)
    }

    #[test]
    fn numbers_of_rows_times_and_labels_are_seen_and_measurements_are_not() {
        let index = |consecutive| vec![Note::LikeIndex { column: "c".to_owned(), consecutive }];
        assert_eq!(said(|row| (row * 7 % ROWS) as f64 + 1000.0), index(true));
        assert_eq!(said(|row| row as f64 - 5.0), index(true));
        assert_eq!(said(|row| (row * 7 % ROWS) as f64 * 3.0), index(false));
        assert_eq!(said(|row| 1.2e18 + (row * 7 % ROWS) as f64 * 4096.0), index(false));
        let follows = [Note::FollowsRows("c".to_owned())];
        assert_eq!(said(|row| 1.7e9 + 0.25 * row as f64 + 0.01), follows);
        assert_eq!(said(|row| -0.5 * (row / 2) as f64), follows, "dates repeat");
        assert_eq!(said(|row| [5.0, 1.0, 3.0][row * 3 / ROWS]), [Note::TellsClass("c".to_owned())]);
        // Not reported: noise, a code that two classes share, few steps, numbers beyond all
        // integers, one repeated number.
        assert_eq!(said(|row| ((row * row + 3) as f64).sin()), []);
        assert_eq!(said(|row| [5.0, 1.0, 5.0][row * 3 / ROWS]), []);
        assert_eq!(said(|row| (row / 5) as f64), []);
        assert_eq!(said(|row| 1e300 * ((row + 1) as f64).sin()), []);
        assert_eq!(said(|row| if row == 59 { 0.0 } else { (row * 7 % 59) as f64 }), []);
    }
}
