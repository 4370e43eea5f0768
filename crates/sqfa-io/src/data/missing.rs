//! One door for points: no value leaves it that is missing or infinite, unless it was asked for.

use sqfa::points::Scalar;
use sqfa::{Labels, Points, Table};

use super::{DataError, OwnedPoints};
use crate::formats::{FormatError, Missing, Note, counted};

/// The first value of some points that is not finite: row, column, value.
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

/// A column as messages call it: by its name, or by its number from 0 as arrays count.
pub fn column_name(columns: &[String], at: usize) -> String {
    match columns.get(at) {
        Some(name) if !name.is_empty() => format!("'{name}'"),
        _ => at.to_string(),
    }
}

/// Points and labels that went through the door, and what happened to them there.
pub(super) struct Settled {
    pub(super) points: OwnedPoints,
    pub(super) labels: Option<Labels>,
    pub(super) notes: Vec<Note>,
}

/// Refuses, leaves out or fills in what is missing; infinite values are refused.
pub(super) fn settle(
    points: OwnedPoints,
    labels: Option<Labels>,
    missing: Missing,
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
            let labels = labels.map(|labels| labels.select(&kept));
            Ok(Settled { points: points.select(&kept), labels, notes })
        }
        Missing::Mean | Missing::Keep => {
            let mut means = vec![0.0; width];
            for (column, mean) in means.iter_mut().enumerate() {
                let there = rows as u64 - gaps[column];
                if there == 0 {
                    let name = column_name(columns, column);
                    let problem = format!("column {name} has no value at all: leave it out");
                    return Err(DataError::content(place, problem));
                }
                let known = (0..rows).map(|row| value(row, column)).filter(|value| !value.is_nan());
                *mean = known.sum::<f64>() / there as f64;
            }
            let notes = vec![Note::Filled { cells: gaps.iter().sum() }];
            Ok(Settled { points: points.filled(&means), labels, notes })
        }
    }
}

/// Features that number the rows: consecutive, or whole numbers that are all different.
pub(super) fn index_like(points: &OwnedPoints, columns: &[String]) -> Vec<Note> {
    /// With fewer rows whole numbers are often all different by chance.
    const ENOUGH: usize = 20;
    let Points::F64(table) = points.view() else { return Vec::new() };
    let rows = table.rows();
    if rows < ENOUGH {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for column in 0..table.columns() {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let whole = (0..rows).all(|row| {
            let value = table.get(row, column);
            low = low.min(value);
            high = high.max(value);
            value.fract() == 0.0
        });
        // Fewer numbers than rows cannot all be different.
        if !whole || high - low + 1.0 < rows as f64 {
            continue;
        }
        let mut values: Vec<f64> = (0..rows).map(|row| table.get(row, column)).collect();
        values.sort_by(f64::total_cmp);
        if values.windows(2).all(|pair| pair[0] < pair[1]) {
            let consecutive = high - low + 1.0 == rows as f64;
            let column = columns.get(column).cloned().unwrap_or_else(|| (column + 1).to_string());
            notes.push(Note::LikeIndex { column, consecutive });
        }
    }
    notes
}
