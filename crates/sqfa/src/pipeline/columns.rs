//! Columns that are set aside before anything else: those with one value, or one but for a point in a thousand.
//!
//! What such a column could tell concerns at most a thousandth of the points, and scaled by its own deviation it would
//! be a spike. Cost: a column leaves the search at its second other value, so ordinary tables cost a few rows.

use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Points that may differ before a column counts as varying: one in so many, at least one.
const ONE_IN: u64 = 1000;
/// Rows among which the usual value of a column is looked for.
const LOOKED_AT: usize = 65;

/// Why a column is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// All its values are equal, up to round-off.
    Constant,
    /// All but a few of its values are equal.
    NearlyConstant,
}

/// A column that is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetAside {
    /// Which column.
    pub column: usize,
    /// Why.
    pub why: Aside,
}

/// The columns to set aside, in order; points of weight 0 are not there.
pub fn constant_columns(points: Points<'_>, weights: Option<&[u64]>) -> Vec<SetAside> {
    with_table!(points, table => search(&table, weights))
}

fn search<S: Scalar>(table: &Table<'_, S>, weights: Option<&[u64]>) -> Vec<SetAside> {
    let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
    let rows = || (0..table.rows()).filter(|&row| weight(row) > 0);
    let (count, total) = rows().fold((0, 0_u64), |(n, sum), row| (n + 1, sum + weight(row)));
    let limit = (total / ONE_IN).max(1);
    let looked_at: Vec<usize> = rows().step_by((count / LOOKED_AT).max(1)).collect();
    // Digits of the type that the values came in, less three bits.
    let digits =
        if size_of::<S>() == 8 { 8.0 * f64::EPSILON } else { 8.0 * f64::from(f32::EPSILON) };
    let mut watched: Vec<(usize, f64, u64)> =
        (0..table.columns()).map(|column| (column, usual(table, &looked_at, column), 0)).collect();
    for row in rows() {
        watched.retain_mut(|(column, usual, others)| {
            let value = table.get(row, *column).to_f64();
            let equal = (value - *usual).abs() <= digits * usual.abs();
            if !equal {
                *others += weight(row);
            }
            *others <= limit
        });
        if watched.is_empty() {
            break;
        }
    }
    let why = |others| if others == 0 { Aside::Constant } else { Aside::NearlyConstant };
    watched.into_iter().map(|(column, _, others)| SetAside { column, why: why(others) }).collect()
}

/// The value that most of some rows share, where there is one (Boyer and Moore's vote).
fn usual<S: Scalar>(table: &Table<'_, S>, rows: &[usize], column: usize) -> f64 {
    let (mut candidate, mut votes) = (0.0, 0_usize);
    for &row in rows {
        let value = table.get(row, column).to_f64();
        if votes == 0 {
            (candidate, votes) = (value, 1);
        } else if value == candidate {
            votes += 1;
        } else {
            votes -= 1;
        }
    }
    candidate
}
