//! Seeded keys of rows, computed from their values, so that the partitioning of the data does not
//! matter.
//!
//! Equal rows have equal keys, so a held-out row never has a copy among the training rows. If the
//! row number is included, keys of equal rows are independent, as random sampling requires. The
//! mixing function is that of SplitMix64 (Steele, Lea & Flood 2014).

use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// The number of rows per parallel task.
const ROWS_A_TASK: usize = 1024;

/// Returns one key per row. Equal rows have equal keys, unless `first` is specified: it is the
/// number of the first row, and keys then also depend on the row number.
pub fn row_keys(points: Points<'_>, seed: u64, first: Option<u64>) -> Vec<u64> {
    with_table!(points, table => keys(&table, seed, first))
}

fn keys<S: Scalar>(table: &Table<'_, S>, seed: u64, first: Option<u64>) -> Vec<u64> {
    let key = |row: usize| {
        let own = first.map_or(0, |first| first.wrapping_add(row as u64).wrapping_add(1));
        let start = mixed(mixed(seed) ^ own);
        // Adding 0.0 makes the keys of −0.0 and 0.0 equal.
        let bits = |column: usize| (table.get(row, column).to_f64() + 0.0).to_bits();
        (0..table.columns()).fold(start, |key, column| mixed(key ^ bits(column)))
    };
    parallel::runs(table.rows(), ROWS_A_TASK, || (), |_, row| key(row))
}

fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64]) -> Points<'_> {
        Points::F64(Table::row_major(values, values.len() / 2, 2).unwrap())
    }

    #[test]
    fn equal_rows_share_a_key_and_the_first_output_is_that_of_the_reference() {
        // The first output of SplitMix64 for state 0 is e220a8397b1dcdaf.
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        let keys = row_keys(points(&[1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 0.0, -0.0, -0.0, 0.0]), 7, None);
        assert_eq!((keys[0], keys[3]), (keys[2], keys[4]));
        assert_ne!(keys[0], keys[1]);
        let told = row_keys(points(&[1.0, 2.0, 1.0, 2.0]), 7, Some(0));
        assert_ne!(told[0], told[1]);
        assert_eq!(told[1], row_keys(points(&[1.0, 2.0]), 7, Some(1))[0]);
    }

    #[test]
    fn parts_of_many_rows_are_even() {
        let values: Vec<f64> = (0..20_000).map(f64::from).collect();
        let mut counts = [0_u32; 5];
        for key in row_keys(points(&values), 3, None) {
            counts[(key % 5) as usize] += 1;
        }
        // The expected count is 2000 per part, with a standard deviation of 40.
        assert!(counts.iter().all(|count| count.abs_diff(2000) < 200), "{counts:?}");
    }
}
