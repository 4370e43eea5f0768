//! Columns that carry no information: the one definition of a constant column, for samples and for class statistics.
//!
//! A column is constant if its standard deviation is round-off of its largest magnitude. Anything above that is variation
//! that the input can represent: a column 10⁶ + N(0, 10⁻³) in double precision varies, and so does a column that differs in
//! a single sample.
//!
//! Cost for samples: a column leaves the search at the first sample that differs by more than round-off, so ordinary
//! tables cost a few rows. Cost for statistics: one look at every variance and mean.

use super::ClassStatistics;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Machine epsilons of the samples' type, times the largest magnitude, up to which their standard deviation is round-off:
/// values of a constant column differ by one unit in the last place, so they deviate by half of it.
const OF_SAMPLES: f64 = 0.5;
/// Double-precision epsilons up to which that of class statistics is: means and variances lose some digits more.
const OF_STATISTICS: f64 = 4.0;
/// Rows after which columns that vary leave the search, for the first rows of a table.
const FIRST_ROWS: usize = 64;
/// Rows that one task looks at.
const ROWS_PER_TASK: usize = 1024;

/// Returns the constant columns of some samples, in order. Samples of weight 0 are ignored.
pub fn constant_columns(points: Points<'_>, weights: Option<&[u64]>) -> Vec<usize> {
    with_table!(points, table => of_samples(&table, weights))
}

impl ClassStatistics {
    /// Returns the constant columns, in order. The largest magnitude of a column is that of its class means, which is
    /// the magnitude of every sample if the column is constant.
    pub fn constant_columns(&self) -> Vec<usize> {
        // Sums are held in double precision whatever that of the samples.
        let round_off = OF_STATISTICS * f64::EPSILON;
        let constant = |&(column, variance): &(usize, f64)| {
            let means = self.means.row(column);
            let magnitude = means.iter().fold(0.0, |largest: f64, mean| largest.max(mean.abs()));
            variance.max(0.0).sqrt() <= round_off * magnitude
        };
        let variances = self.total_variances().into_iter().enumerate();
        variances.filter(constant).map(|(column, _)| column).collect()
    }
}

/// A column that may be constant: moments of the differences from its first value, which round-off cannot blur.
struct Watched {
    column: usize,
    first: f64,
    sum: f64,
    squares: f64,
    magnitude: f64,
}

fn of_samples<S: Scalar>(table: &Table<'_, S>, weights: Option<&[u64]>) -> Vec<usize> {
    let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
    let Some(first) = (0..table.rows()).find(|&row| weight(row) > 0) else {
        return (0..table.columns()).collect();
    };
    let epsilon = if size_of::<S>() == 8 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let round_off = OF_SAMPLES * epsilon;
    let total = (0..table.rows()).map(weight).sum::<u64>() as f64;
    // Two samples that differ by d make the standard deviation at least d/√(2N), and values of a constant column have
    // at most twice the magnitude of the first one: beyond this distance a column varies whatever comes next.
    let far = round_off * 2.0 * (2.0 * total).sqrt();
    let mut watched: Vec<Watched> = (0..table.columns())
        .map(|column| {
            let first = table.get(first, column).to_f64();
            Watched { column, first, sum: 0.0, squares: 0.0, magnitude: first.abs() }
        })
        .collect();
    // Most columns leave within a few rows, so rows are looked at in growing steps.
    let (mut next, mut count) = (first, FIRST_ROWS);
    while next < table.rows() && !watched.is_empty() {
        let end = next.saturating_add(count).min(table.rows());
        let parts = parallel::map((next..end).step_by(ROWS_PER_TASK), |start| {
            let rows = (start..(start + ROWS_PER_TASK).min(end)).filter(|&row| weight(row) > 0);
            let rows: Vec<usize> = rows.collect();
            let moments = |one: &Watched| {
                let (mut sum, mut squares, mut magnitude) = (0.0, 0.0, 0.0_f64);
                for &row in &rows {
                    let value = table.get(row, one.column).to_f64();
                    let (often, difference) = (weight(row) as f64, value - one.first);
                    if difference.abs() > far * one.first.abs() {
                        return None;
                    }
                    sum += often * difference;
                    squares += often * difference * difference;
                    magnitude = magnitude.max(value.abs());
                }
                Some((sum, squares, magnitude))
            };
            watched.iter().map(moments).collect::<Vec<_>>()
        });
        let mut varies = vec![false; watched.len()];
        for part in parts {
            for ((one, varies), moments) in watched.iter_mut().zip(&mut varies).zip(part) {
                match moments {
                    Some((sum, squares, magnitude)) => {
                        one.sum += sum;
                        one.squares += squares;
                        one.magnitude = one.magnitude.max(magnitude);
                    }
                    None => *varies = true,
                }
            }
        }
        let mut varies = varies.into_iter();
        watched.retain(|_| !varies.next().unwrap_or(false));
        next = end;
        count = count.saturating_mul(4);
    }
    watched
        .iter()
        .filter(|one| {
            let variance = (one.squares - one.sum * one.sum / total) / (total - 1.0).max(1.0);
            variance.max(0.0).sqrt() <= round_off * one.magnitude
        })
        .map(|one| one.column)
        .collect()
}
