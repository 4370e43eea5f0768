//! Copies of points that a command cannot avoid: some of the rows, another precision, preprocessed.

use anyhow::{Context, Result};
use sqfa::points::{Scalar, Strain, Strained};
use sqfa::{Points, Table, with_table};
use sqfa_io::data::OwnedPoints;

use crate::output;

/// The precision in which covariances are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

/// Refuses points whose squares the precision cannot hold, which would only show as a failed or a wrong fit, and warns of
/// columns that have lost their digits; `precision` says whether the command has a flag for it.
pub(crate) fn check_size(points: &OwnedPoints, columns: &[String], precision: bool) -> Result<()> {
    let wider = match points.view() {
        Points::F32(_) if precision => "use --precision f64, or ",
        _ => "",
    };
    let (mut vanishing, mut rounded) = (Vec::new(), Vec::new());
    for Strained { column, how } in points.view().strained() {
        let column = sqfa_io::data::column_name(columns, column);
        match how {
            Strain::Overflow { value } => anyhow::bail!(
                "column {column} reaches {value:e}: sums of squares would overflow; {wider}give the column in larger units"
            ),
            Strain::Vanish { spread, alone: false } => anyhow::bail!(
                "column {column} spans only {spread:e}, and the squares of its values would underflow to zero: {wider}use smaller units for it"
            ),
            Strain::Vanish { spread, .. } => vanishing.push(format!("{column} ({spread:e})")),
            Strain::Digits { low, spread, .. } => {
                rounded.push(format!("{column} ({spread:e} from {low:e} on)"))
            }
        }
    }
    if !vanishing.is_empty() {
        output::warn(&format!(
            "columns span so little that their squares vanish: {}; {wider}give them in smaller units",
            some(&vanishing)
        ));
    }
    if !rounded.is_empty() {
        output::warn(&format!(
            "columns have lost their digits to an offset: {}; subtract it before the numbers are rounded",
            some(&rounded)
        ));
    }
    Ok(())
}

/// The first few of many.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len() - more].join(", ") + &rest
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
