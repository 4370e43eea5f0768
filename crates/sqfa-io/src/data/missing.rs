//! Treatment of missing values. Samples that pass it are finite, unless missing values are kept on
//! request.

use sqfa::points::Scalar;
use sqfa::{Labels, Points, Table, with_table};

use super::{DataError, OwnedPoints};
use crate::formats::{FormatError, Missing, Note, counted};

/// Returns the row, the column and the value of the first value that is not finite.
pub fn first_not_finite(points: Points<'_>) -> Option<(usize, usize, f64)> {
    fn find<T: Scalar>(table: &Table<'_, T>) -> Option<(usize, usize, f64)> {
        (0..table.rows()).find_map(|row| {
            let value = |column: &usize| table.get(row, *column).to_f64();
            let column = (0..table.columns()).find(|column| !value(column).is_finite())?;
            Some((row, column, value(&column)))
        })
    }
    match points {
        Points::U8(_) => None,
        Points::F32(table) => find(&table),
        Points::F64(table) => find(&table),
    }
}

/// Returns the name of a column for messages: its name, or its index counted from 0.
pub fn column_name(columns: &[String], at: usize) -> String {
    match columns.get(at) {
        Some(name) if !name.is_empty() => format!("'{name}'"),
        _ => at.to_string(),
    }
}

/// Samples and labels after the treatment of missing values, with a note about it.
pub(super) struct Settled {
    pub(super) points: OwnedPoints,
    pub(super) labels: Labels,
    pub(super) notes: Vec<Note>,
}

/// Rejects missing values, drops their rows or fills them in. The means of other samples are used
/// if they are specified. Infinite values are rejected.
pub(super) fn settle(
    points: OwnedPoints,
    labels: Labels,
    missing: Missing,
    means: Option<&[f64]>,
    columns: &[String],
    place: &str,
) -> Result<Settled, DataError> {
    let notes = Vec::new();
    if missing == Missing::Keep || first_not_finite(points.view()).is_none() {
        return Ok(Settled { points, labels, notes });
    }
    let view = points.view();
    let (rows, width) = (points.rows(), points.columns());
    let value = |row: usize, column: usize| match view {
        Points::U8(_) => 0.0,
        Points::F32(table) => f64::from(table.get(row, column)),
        Points::F64(table) => table.get(row, column),
    };
    let mut gaps = vec![0u64; width];
    let mut bad: Vec<usize> = Vec::new();
    for row in 0..rows {
        let before: u64 = gaps.iter().sum();
        for column in 0..width {
            let value = value(row, column);
            if value.is_infinite() {
                let column = column_name(columns, column);
                return Err(DataError::Infinite { place: place.to_owned(), row, column, value });
            }
            gaps[column] += u64::from(value.is_nan());
        }
        if gaps.iter().sum::<u64>() > before {
            bad.push(row);
        }
    }
    match missing {
        Missing::Refuse => {
            let counts: Vec<(String, u64)> = (0..width)
                .filter(|&column| gaps[column] > 0)
                .map(|column| (format!("column {}", column_name(columns, column)), gaps[column]))
                .collect();
            Err(FormatError::MissingValues {
                place: place.to_owned(),
                rows: bad.len() as u64,
                of: rows as u64,
                first: format!("row {}, counted from 0", bad[0]),
                columns: counted(&counts),
            }
            .into())
        }
        Missing::Drop => {
            let kept: Vec<usize> =
                (0..rows).filter(|row| bad.binary_search(row).is_err()).collect();
            if kept.is_empty() {
                let problem = "every row lacks a value: nothing is left";
                return Err(DataError::content(place, problem));
            }
            let notes = vec![Note::Dropped { rows: bad.len() as u64, of: rows as u64 }];
            let labels = labels.select(&kept);
            Ok(Settled { points: points.select(&kept), labels, notes })
        }
        Missing::Mean | Missing::Keep => {
            let own = || column_means(&points, columns, place);
            let means = means.map_or_else(own, |means| Ok(means.to_vec()))?;
            let notes = vec![Note::Filled { cells: gaps.iter().sum() }];
            Ok(Settled { points: points.filled(&means), labels, notes })
        }
    }
}

/// Returns the mean of each column over the values that are not missing. A column without values is
/// an error.
pub(super) fn column_means(
    points: &OwnedPoints,
    columns: &[String],
    place: &str,
) -> Result<Vec<f64>, DataError> {
    let mean = |column: usize| {
        let known = with_table!(points.view(), table => {
            let values = (0..table.rows()).map(|row| table.get(row, column).to_f64());
            values.filter(|value| !value.is_nan()).fold((0.0, 0_u64), |(sum, n), value| (sum + value, n + 1))
        });
        match known {
            (_, 0) => {
                let name = column_name(columns, column);
                let problem = format!("column {name} has no value at all: leave it out");
                Err(DataError::content(place, problem))
            }
            (sum, there) => Ok(sum / there as f64),
        }
    };
    (0..points.columns()).map(mean).collect()
}
