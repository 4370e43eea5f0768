//! Detection of values such as −999 that may represent missing values. They occur several times and
//! are far from all other values of their column.

use std::collections::BTreeMap;

use crate::formats::Note;

/// The possible numbers of nines in such a value.
const NINES: std::ops::RangeInclusive<u32> = 1..=5;

/// The range of ordinary values of every column, with the counts of values that consist of nines.
#[derive(Debug)]
pub(super) struct Sentinels {
    ranges: Vec<(f64, f64)>,
    /// The counts by column and value.
    counts: BTreeMap<(usize, i64), u64>,
}

impl Sentinels {
    /// Returns an empty record for a number of columns.
    pub(super) fn new(columns: usize) -> Self {
        let ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); columns];
        Self { ranges, counts: BTreeMap::new() }
    }

    /// Records a value. Missing values are ignored.
    #[inline]
    pub(super) fn add(&mut self, column: usize, value: f64) {
        let (low, high) = &mut self.ranges[column];
        // Most values are within the range of the previous ones, so this is the fast path.
        if value >= *low && value <= *high && value.abs() < 9.0 {
            return;
        }
        match sentinel(value) {
            Some(value) => *self.counts.entry((column, value)).or_default() += 1,
            None => {
                *low = low.min(value);
                *high = high.max(value);
            }
        }
    }

    /// Returns one note per value that may represent missing values in some columns.
    pub(super) fn notes(&self, name: &dyn Fn(usize) -> String) -> Vec<Note> {
        let mut found: BTreeMap<i64, (Vec<String>, u64)> = BTreeMap::new();
        for (column, &range) in self.ranges.iter().enumerate() {
            let of_column = self.counts.range((column, i64::MIN)..=(column, i64::MAX));
            let mut values: Vec<(i64, u64)> =
                of_column.map(|((_, value), count)| (*value, *count)).collect();
            values.sort_by_key(|(value, _)| value.abs());
            // In ascending order: larger values are compared with smaller ones that turned out to
            // be ordinary.
            let (mut low, mut high) = range;
            for (value, count) in values {
                let at = value as f64;
                let gap = if at < 0.0 { low - at } else { at - high };
                if count > 1 && high > low && gap > high - low {
                    let (columns, all) = found.entry(value).or_default();
                    columns.push(name(column));
                    *all += count;
                } else {
                    (low, high) = (low.min(at), high.max(at));
                }
            }
        }
        let note = |(value, (columns, count))| Note::Sentinel { value, columns, count };
        found.into_iter().map(note).collect()
    }
}

/// Returns the integer if a value consists of nines only: −9, −99, 99, −999, 999 and so on. The
/// value 9 is too common.
fn sentinel(value: f64) -> Option<i64> {
    if value.abs() < 9.0 || value.fract() != 0.0 {
        return None;
    }
    let nines = |count: u32| 10_i64.pow(count) - 1;
    let found = NINES.map(nines).find(|&nines| nines as f64 == value.abs())?;
    (value < 0.0 || found > 9).then_some(if value < 0.0 { -found } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[f64]) -> Vec<(i64, u64)> {
        let mut sentinels = Sentinels::new(1);
        values.iter().for_each(|&value| sentinels.add(0, value));
        let pair = |note| match note {
            Note::Sentinel { value, count, .. } => (value, count),
            _ => unreachable!(),
        };
        sentinels.notes(&|_| "c".to_owned()).into_iter().map(pair).collect()
    }

    #[test]
    fn repeated_values_far_from_all_others_are_found() {
        assert_eq!(found(&[1.5, -999.0, 7.0, -999.0, f64::NAN]), [(-999, 2)]);
        assert_eq!(found(&[1.5, 99.0, 7.0, 99.0, 99.0]), [(99, 3)]);
        assert_eq!(found(&[1.5, -99.0, 7.0, -99.0, -999.0, -999.0]), [(-999, 2), (-99, 2)]);
        for ordinary in [
            &[1.5, -999.0, 7.0][..],
            &[60.0, 99.0, 120.0, 99.0],
            &[-900.0, -999.0, -100.0, -999.0],
            &[0.0, 99.0, 0.0, 99.0],
            &[-99.0, -99.0, -99.0],
            &[0.5, 9.0, 0.25, 9.0],
            &[1.5, -998.0, 7.0, -998.0],
        ] {
            assert_eq!(found(ordinary), [], "{ordinary:?}");
        }
    }
}
