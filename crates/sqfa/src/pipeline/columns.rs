//! Columns that are set aside before anything else: those with one value, or one but for a point in a thousand.
//!
//! What such a column could tell concerns at most a thousandth of the points, and scaled by its own deviation it would
//! be a spike. Cost: a column leaves the search once it has too many other values, so ordinary tables cost a few rows.

use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Points that may differ before a column counts as varying: one in so many, at least one.
const ONE_IN: u64 = 1000;
/// Rows among which the usual value of a column is looked for.
const LOOKED_AT: usize = 65;
/// Rows after each of which columns leave the search, as long as it is within the first of them.
const FIRST_ROWS: usize = 64;
const FIRST: usize = 4096;
/// Rows that one task counts.
const ROWS_A_TASK: usize = 1024;

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
    let mut watched: Vec<Watched> = (0..table.columns())
        .map(|column| {
            let usual = usual(table, &looked_at, column);
            Watched { column, usual, tolerance: digits * usual.abs(), others: 0 }
        })
        .collect();
    // Most columns leave within a few rows; what is left is counted in all others, side by side.
    let mut next = 0;
    while next < table.rows() && !watched.is_empty() {
        let count = if next < FIRST { FIRST_ROWS } else { usize::MAX };
        let end = next.saturating_add(count).min(table.rows());
        let parts = parallel::map((next..end).step_by(ROWS_A_TASK), |first| {
            let mut others = vec![0; watched.len()];
            for row in (first..(first + ROWS_A_TASK).min(end)).filter(|&row| weight(row) > 0) {
                let weight = weight(row);
                for (others, one) in others.iter_mut().zip(&watched) {
                    let value = table.get(row, one.column).to_f64();
                    let same = (value - one.usual).abs() <= one.tolerance;
                    *others += if same { 0 } else { weight };
                }
            }
            others
        });
        for part in parts {
            watched.iter_mut().zip(part).for_each(|(one, others)| one.others += others);
        }
        watched.retain(|one| one.others <= limit);
        next = end;
    }
    let why = |others| if others == 0 { Aside::Constant } else { Aside::NearlyConstant };
    watched.iter().map(|one| SetAside { column: one.column, why: why(one.others) }).collect()
}

/// A column that may have one value.
struct Watched {
    column: usize,
    usual: f64,
    /// What a value may differ from the usual one by round-off.
    tolerance: f64,
    /// Points that differ by more.
    others: u64,
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
