//! Columns without information: the single definition of a constant column, for samples and for class statistics.
//!
//! A column is constant if its standard deviation is at most round-off of its largest magnitude. Anything above that is
//! variation that the number type can represent: the column 10⁶ + N(0, 10⁻³) in double precision varies, and so does a
//! column that differs in a single sample.
//!
//! For samples, a column is dropped from the search at the first sample that differs by more than round-off, so a few
//! rows are enough for ordinary tables. For class statistics, each variance and mean is read once.

use super::ClassStatistics;
use crate::parallel;
use crate::points::{Points, Scalar, Table};
use crate::with_table;

/// Multiple of the machine epsilon of the samples' type up to which the standard deviation, relative to the largest
/// magnitude, is round-off. The values of a constant column differ by at most one unit in the last place, so they
/// deviate from their mean by half of it.
const OF_SAMPLES: f64 = 0.5;
/// Multiple of the double-precision epsilon for class statistics. It is larger because means and variances lose some
/// digits.
const OF_STATISTICS: f64 = 4.0;
/// Number of rows in the first step of the search; later steps are longer.
const FIRST_ROWS: usize = 64;
/// Number of rows that one task compares.
const ROWS_PER_TASK: usize = 1024;

/// Returns the indices of the constant columns of some samples, in ascending order. Samples of weight 0 are ignored.
///
/// ```
/// use sqfa::Table;
/// use sqfa::statistics::constant_columns;
///
/// let rows = Table::row_major(&[1.0, 7.0, 2.0, 7.0, 3.0, 7.0], 3, 2).expect("3 rows of 2 numbers");
/// assert_eq!(constant_columns(rows.into(), None), [1]);
/// ```
pub fn constant_columns(points: Points<'_>, weights: Option<&[u64]>) -> Vec<usize> {
    with_table!(points, table => of_samples(&table, weights))
}

impl ClassStatistics {
    /// Returns the indices of the constant columns, in ascending order.
    ///
    /// The magnitude of a column is the largest absolute class mean, because all samples of a constant column equal the
    /// means.
    pub fn constant_columns(&self) -> Vec<usize> {
        // The sums are in double precision even if the samples are not.
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

/// A column that may be constant, with sums of the differences from its first value. Differences avoid the cancellation
/// that moments of values with a large offset would suffer.
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
    // If two samples differ by d, the standard deviation is at least d/√(2N). Values of a constant column have at most
    // twice the magnitude of the first one. A column with a larger difference than this therefore varies, whatever the
    // other rows are.
    let far = round_off * 2.0 * (2.0 * total).sqrt();
    let mut watched: Vec<Watched> = (0..table.columns())
        .map(|column| {
            let first = table.get(first, column).to_f64();
            Watched { column, first, sum: 0.0, squares: 0.0, magnitude: first.abs() }
        })
        .collect();
    // Most columns vary within a few rows, so the steps start small and grow.
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
