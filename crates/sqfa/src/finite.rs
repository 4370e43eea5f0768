//! Numbers that are not finite, and where they stand.
//!
//! Cost: one read of the points, in the order in which they lie.

use crate::linalg::dispatch;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Points that are worth handing to another thread.
const ROWS_A_TASK: usize = 64;

/// The first number of some points, or of all, that is not finite: its row, its column and itself.
pub(crate) fn first_not_finite(
    points: Points<'_>,
    rows: Option<&[usize]>,
) -> Option<(usize, usize, f64)> {
    if matches!(points, Points::U8(_)) {
        return None;
    }
    with_table!(points, table => {
        let (row, column) = match rows {
            None => first_of_all(&table),
            Some(rows) => first_of(&table, rows.len(), &|at| rows[at]),
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
                let found = first_not_finite(Points::F64(table), None).unwrap();
                assert_eq!((found.0, found.1), (row, column));
                assert!(found.2.is_nan());
                let before: Vec<usize> = (0..row).collect();
                assert_eq!(first_not_finite(Points::F64(table), Some(&before)), None);
                let found = first_not_finite(Points::F64(table), Some(&[0, row])).unwrap();
                assert_eq!((found.0, found.1), (row, column));
            }
        }
        assert_eq!(
            first_not_finite(Points::F32(Table::row_major(&[f32::MAX; 4], 2, 2).unwrap()), None),
            None
        );
    }
}
