//! Search for values that are not finite, and the range of every column.
//!
//! The samples are read once, in memory order.

use crate::linalg::dispatch;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Minimum number of samples per task when searching for non-finite values.
const ROWS_A_TASK: usize = 64;
/// Minimum number of samples per task when computing ranges. It is larger because each task stores two numbers per
/// column.
const ROWS_A_RANGE: usize = 1024;

/// Returns the row, the column and the value of the first non-finite number of all samples, or of the specified rows.
pub(crate) fn first_not_finite(
    points: Points<'_>,
    rows: Option<&[u32]>,
) -> Option<(usize, usize, f64)> {
    if matches!(points, Points::U8(_)) {
        return None;
    }
    with_table!(points, table => {
        let (row, column) = match rows {
            None => first_of_all(&table),
            Some(rows) => first_of(&table, rows.len(), &|at| rows[at] as usize),
        }?;
        Some((row, column, table.get(row, column).to_f64()))
    })
}

/// Returns the first position with a non-finite number among all samples.
fn first_of_all<S: Scalar>(table: &Table<'_, S>) -> Option<(usize, usize)> {
    let columns: Option<Vec<&[S]>> =
        (0..table.columns()).map(|column| table.column(0..table.rows(), column)).collect();
    match columns {
        Some(columns) if table.row(0).is_none() => {
            let found = parallel::map(columns.iter().enumerate(), |(column, values)| {
                let row = if finite(values) { None } else { position(values) };
                row.map(|row| (row, column))
            });
            found.into_iter().flatten().min()
        }
        _ => first_of(table, table.rows(), &|at| at),
    }
}

/// Returns the first position with a non-finite number among `count` samples, where `which` maps positions to rows.
fn first_of<S: Scalar>(
    table: &Table<'_, S>,
    count: usize,
    which: &(dyn Fn(usize) -> usize + Sync),
) -> Option<(usize, usize)> {
    let bad = |row: usize| match table.row(row) {
        Some(values) if finite(values) => None,
        Some(values) => position(values),
        None => (0..table.columns()).find(|&j| !table.get(row, j).to_f64().is_finite()),
    };
    let parts = parallel::map((0..count).step_by(ROWS_A_TASK), |first| {
        let mut rows = (first..(first + ROWS_A_TASK).min(count)).map(which);
        rows.find_map(|row| bad(row).map(|column| (row, column)))
    });
    parts.into_iter().flatten().next()
}

/// Returns the minimum and maximum of every column, or `None` if a value is not finite or there are no samples.
pub(crate) fn ends(points: Points<'_>) -> Option<Vec<(f64, f64)>> {
    with_table!(points, table => ends_of(&table))
}

fn ends_of<S: Scalar>(table: &Table<'_, S>) -> Option<Vec<(f64, f64)>> {
    let (rows, n) = (table.rows(), table.columns());
    if rows == 0 {
        return None;
    }
    if table.row(0).is_none() {
        // Column by column, whether the values of a column are contiguous or not.
        return parallel::try_map(0..n, |column| {
            let mut own = Range::new(1);
            match table.column(0..rows, column) {
                Some(values) => {
                    values.iter().for_each(|value| own.add(std::slice::from_ref(value)))
                }
                None => (0..rows).for_each(|row| own.add(&[table.get(row, column)])),
            }
            own.ends().map(|ends| ends[0]).ok_or(())
        })
        .ok();
    }
    let parts = parallel::map((0..rows).step_by(ROWS_A_RANGE), |first| {
        let mut own = Range::new(n);
        dispatch(
            #[inline(always)]
            || {
                for row in first..(first + ROWS_A_RANGE).min(rows) {
                    own.add(table.row(row).unwrap_or_default());
                }
            },
        );
        own
    });
    let mut parts = parts.into_iter();
    let mut all = parts.next()?;
    parts.for_each(|part| all.merge(&part));
    all.ends()
}

/// Minima and maxima of some columns, valid as long as all values are finite.
struct Range {
    low: Vec<f64>,
    high: Vec<f64>,
    finite: bool,
}

impl Range {
    fn new(columns: usize) -> Self {
        Self {
            low: vec![f64::INFINITY; columns],
            high: vec![f64::NEG_INFINITY; columns],
            finite: true,
        }
    }

    #[inline(always)]
    fn add<S: Scalar>(&mut self, values: &[S]) {
        let mut finite = true;
        for ((low, high), value) in self.low.iter_mut().zip(&mut self.high).zip(values) {
            let value = value.to_f64();
            finite &= value.is_finite();
            *low = if value < *low { value } else { *low };
            *high = if value > *high { value } else { *high };
        }
        self.finite &= finite;
    }

    fn merge(&mut self, other: &Self) {
        self.finite &= other.finite;
        self.low.iter_mut().zip(&other.low).for_each(|(low, other)| *low = low.min(*other));
        self.high.iter_mut().zip(&other.high).for_each(|(high, other)| *high = high.max(*other));
    }

    fn ends(self) -> Option<Vec<(f64, f64)>> {
        self.finite.then(|| self.low.into_iter().zip(self.high).collect())
    }
}

fn finite<S: Scalar>(values: &[S]) -> bool {
    dispatch(
        #[inline(always)]
        || values.iter().fold(true, |all, value| all & value.to_f64().is_finite()),
    )
}

fn position<S: Scalar>(values: &[S]) -> Option<usize> {
    values.iter().position(|value| !value.to_f64().is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_non_finite_value_is_found_in_any_layout() {
        let (rows, columns) = (200, 7);
        for (row, column) in [(0, 0), (3, 6), (150, 2), (199, 6)] {
            let number = |at_row: usize, at: usize| {
                // Further non-finite numbers follow the first one.
                if (at_row, at) == (row, column) || at_row > row && at == 1 {
                    f64::NAN
                } else {
                    1.0
                }
            };
            let by_rows: Vec<f64> =
                (0..rows * columns).map(|at| number(at / columns, at % columns)).collect();
            let by_columns: Vec<f64> =
                (0..rows * columns).map(|at| number(at % rows, at / rows)).collect();
            let spaced: Vec<f64> = (0..3 * rows * columns)
                .map(|at| number(at / 3 / columns, at / 3 % columns))
                .collect();
            let tables = [
                Table::row_major(&by_rows, rows, columns),
                Table::column_major(&by_columns, rows, columns),
                Table::strided(&spaced, rows, columns, 3 * columns, 3),
            ];
            for table in tables.into_iter().flatten() {
                assert_eq!(ends(Points::F64(table)), None);
                let found = first_not_finite(Points::F64(table), None).unwrap();
                assert_eq!((found.0, found.1), (row, column));
                assert!(found.2.is_nan());
                let before: Vec<u32> = (0..row as u32).collect();
                assert_eq!(first_not_finite(Points::F64(table), Some(&before)), None);
                let found = first_not_finite(Points::F64(table), Some(&[0, row as u32])).unwrap();
                assert_eq!((found.0, found.1), (row, column));
            }
        }
        assert_eq!(
            first_not_finite(Points::F32(Table::row_major(&[f32::MAX; 4], 2, 2).unwrap()), None),
            None
        );
    }

    #[test]
    fn ranges_of_columns_are_found_in_any_layout() {
        let (rows, columns) = (150, 3);
        let number = |row: usize, column: usize| ((row * 37 + column * 11) % 151) as f32 - 70.0;
        let by_rows: Vec<f32> =
            (0..rows * columns).map(|at| number(at / columns, at % columns)).collect();
        let by_columns: Vec<f32> =
            (0..rows * columns).map(|at| number(at % rows, at / rows)).collect();
        let expected: Vec<(f64, f64)> = (0..columns)
            .map(|column| {
                let values = || (0..rows).map(|row| f64::from(number(row, column)));
                (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max))
            })
            .collect();
        for table in [
            Table::row_major(&by_rows, rows, columns),
            Table::column_major(&by_columns, rows, columns),
        ] {
            assert_eq!(ends(Points::F32(table.unwrap())), Some(expected.clone()));
        }
    }
}
