//! Whether consecutive rows of a class depend on each other, as samples of a time series do.
//!
//! The neighbors of a held-out sample are then among the training samples, and held-out accuracy is that of samples that are
//! nearly known. The check is the autocorrelation of consecutive rows of one class about the class mean, pooled over classes;
//! the median over some columns counts, so that a table that is sorted by one of many columns does not look like a time series.
//! Of n independent rows it has a standard deviation of at most 1/√n. Tables whose rows are ordered in space or by author
//! reach 0.3 to 0.7. Cost: a pass over [`COLUMNS`] columns of [`ROWS`] rows.

use crate::points::{Scalar, Table};
use crate::with_table;

use super::Labeled;

/// Columns that are looked at, evenly spread.
const COLUMNS: usize = 16;
/// Rows that are looked at, from the first on.
const ROWS: usize = 50_000;
/// The autocorrelation of rows that are hardly ever independent.
const STRONG: f64 = 0.7;
/// Pairs of rows below which nothing is reported.
const FEWEST: usize = 50;

/// Returns the median autocorrelation of consecutive rows of a class if it is strong.
pub(crate) fn strong_autocorrelation(data: &Labeled<'_>) -> Option<f64> {
    let found = with_table!(data.points, table => autocorrelation(&table, data))?;
    (found > STRONG).then_some(found)
}

fn autocorrelation<S: Scalar>(table: &Table<'_, S>, data: &Labeled<'_>) -> Option<f64> {
    let n = table.columns();
    let count = n.min(COLUMNS);
    let columns: Vec<usize> = (0..count).map(|at| at * n / count).collect();
    let codes = data.labels.codes();
    let value = |row: usize, column: usize| table.get(row, column).to_f64();
    let mut classes = vec![Vec::new(); data.labels.classes().len()];
    for row in (0..codes.len().min(ROWS)).filter(|&row| data.weight(row) > 0) {
        let own: &mut Vec<usize> = &mut classes[codes[row] as usize];
        // Equal rows share a fold anyway.
        let equal = |&last: &usize| columns.iter().all(|&at| value(last, at) == value(row, at));
        if !own.last().is_some_and(equal) {
            own.push(row);
        }
    }
    if classes.iter().map(|rows| rows.len().saturating_sub(1)).sum::<usize>() < FEWEST {
        return None;
    }
    let of_column = |&column: &usize| {
        let (mut products, mut squares) = (0.0, 0.0);
        for rows in &classes {
            let mean =
                rows.iter().map(|&row| value(row, column)).sum::<f64>() / rows.len().max(1) as f64;
            let about = |row: usize| value(row, column) - mean;
            squares += rows.iter().map(|&row| about(row).powi(2)).sum::<f64>();
            products += rows.windows(2).map(|two| about(two[0]) * about(two[1])).sum::<f64>();
        }
        (squares > 0.0).then(|| products / squares)
    };
    let mut found: Vec<f64> = columns.iter().filter_map(of_column).collect();
    found.sort_by(f64::total_cmp);
    // The lower one of two.
    found.get(found.len().saturating_sub(1) / 2).copied()
}
