//! Copies of points that a command cannot avoid: some of the rows, another precision, preprocessed.

use anyhow::{Context, Result};
use sqfa::points::Scalar;
use sqfa::{Points, Table, with_table};
use sqfa_io::data::OwnedPoints;

/// The precision in which covariances are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

impl Precision {
    /// Its name in flags and files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// Refuses points whose squares the precision cannot hold, which would only show as a failed fit.
pub(crate) fn check_size(points: &OwnedPoints, columns: &[String]) -> Result<()> {
    /// Squares of larger numbers, summed over many points, come near the end of single precision, 3.4e38.
    const LARGEST_SINGLE: f64 = 1e15;
    /// And of double precision, 1.8e308.
    const LARGEST_DOUBLE: f64 = 1e150;
    let find = |limit: f64, value: &dyn Fn(usize, usize) -> f64| {
        let cells = (0..points.rows()).flat_map(|row| (0..points.columns()).map(move |j| (row, j)));
        cells.map(|(row, j)| (row, j, value(row, j))).find(|(.., value)| value.abs() > limit)
    };
    let (found, remedy) = match points.view() {
        Points::U8(_) => return Ok(()),
        Points::F32(table) => (
            find(LARGEST_SINGLE, &|row, j| f64::from(table.get(row, j))),
            "use --precision f64, or give the column in larger units",
        ),
        Points::F64(table) => {
            (find(LARGEST_DOUBLE, &|row, j| table.get(row, j)), "give the column in larger units")
        }
    };
    let Some((row, column, value)) = found else { return Ok(()) };
    let column = sqfa_io::data::column_name(columns, column);
    anyhow::bail!(
        "row {row}, column {column} is {value:e}: sums of squares would overflow; {remedy}"
    )
}

/// Some of the points.
pub(crate) fn select(points: &OwnedPoints, rows: &[usize]) -> Result<OwnedPoints> {
    fn copy<T: Scalar>(table: &Table<'_, T>, rows: &[usize]) -> Vec<T> {
        let columns = table.columns();
        rows.iter().flat_map(|&row| (0..columns).map(move |j| table.get(row, j))).collect()
    }
    let (count, columns) = (rows.len(), points.columns());
    let selected = match points.view() {
        Points::U8(table) => OwnedPoints::from_u8(copy(&table, rows), count, columns),
        Points::F32(table) => OwnedPoints::from_f32(copy(&table, rows), count, columns),
        Points::F64(table) => OwnedPoints::from_f64(copy(&table, rows), count, columns),
    };
    selected.context("selected rows changed their length")
}

/// The points in the precision asked for, copied only when they are in another.
pub(crate) fn in_precision(points: OwnedPoints, precision: Precision) -> Result<OwnedPoints> {
    let (rows, columns) = (points.rows(), points.columns());
    let converted = match (points.view(), precision) {
        // Bytes are summed exactly; only single-precision covariances would lose digits of that.
        (Points::U8(_) | Points::F32(_), Precision::F32) | (Points::F64(_), Precision::F64) => None,
        (view, Precision::F32) => {
            let values = with_table!(view, table => all(&table).map(|v| v.to_f32()).collect());
            OwnedPoints::from_f32(values, rows, columns)
        }
        (view, Precision::F64) => {
            let values = with_table!(view, table => all(&table).map(|v| v.to_f64()).collect());
            OwnedPoints::from_f64(values, rows, columns)
        }
    };
    Ok(converted.unwrap_or(points))
}

fn all<'a, S: Scalar>(table: &'a Table<'_, S>) -> impl Iterator<Item = S> + 'a {
    let columns = table.columns();
    (0..table.rows()).flat_map(move |row| (0..columns).map(move |column| table.get(row, column)))
}
