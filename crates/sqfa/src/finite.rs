//! Numbers that are not finite, and where they stand; the lowest and highest of every column.
//!
//! Cost: one read of the points, in the order in which they lie.

use crate::linalg::dispatch;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Points that are worth handing to another thread.
const ROWS_A_TASK: usize = 64;
/// The same where every task keeps two numbers a column.
const ROWS_A_RANGE: usize = 1024;

/// The first number of some points, or of all, that is not finite: its row, its column and itself.
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

/// The first place among all points.
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

/// The first place among so many points, in their order.
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

/// The lowest and the highest number of every column; none where a number is not finite or there are no points.
pub(crate) fn ends(points: Points<'_>) -> Option<Vec<(f64, f64)>> {
    with_table!(points, table => ends_of(&table))
}

fn ends_of<S: Scalar>(table: &Table<'_, S>) -> Option<Vec<(f64, f64)>> {
    let (rows, n) = (table.rows(), table.columns());
    if rows == 0 {
        return None;
    }
    if table.row(0).is_none() {
        // Column by column, where these lie together or not.
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

/// The lowest and highest numbers of some columns, while all are finite.
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
    fn the_first_place_is_named_in_any_order_of_the_numbers() {
        let (rows, columns) = (200, 7);
        for (row, column) in [(0, 0), (3, 6), (150, 2), (199, 6)] {
            let number = |at_row: usize, at: usize| {
                // Behind the first one stand others.
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
    fn the_ends_of_columns_are_found_in_any_order_of_the_numbers() {
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
