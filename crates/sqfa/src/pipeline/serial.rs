//! Detection of consecutive rows of a class that depend on each other, such as samples of a time
//! series.
//!
//! If they do, the neighbors of a held-out sample are among the training samples, so held-out
//! accuracy is too high. The test is the autocorrelation of consecutive rows of a class about the
//! class mean, pooled over classes. The median over some columns is used, so that a table sorted by
//! one of many columns does not look like a time series. For n independent rows the autocorrelation
//! has a standard deviation of at most 1/√n. Tables whose rows are ordered in space or by author
//! reach 0.3 to 0.7. The cost is one pass over [`COLUMNS`] columns of [`ROWS`] rows.

use crate::points::{Scalar, Table};
use crate::with_table;

use super::Labeled;

/// The largest number of columns that are tested. They are evenly spaced.
const COLUMNS: usize = 16;
/// The largest number of rows that are tested, counted from the first row.
const ROWS: usize = 50_000;
/// The autocorrelation above which rows are reported as dependent.
const STRONG: f64 = 0.7;
/// The smallest number of pairs of rows with which a result is reported.
const FEWEST: usize = 50;

/// Returns the median autocorrelation of consecutive rows of a class if it exceeds [`STRONG`].
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
        // Equal rows are always in the same fold, so they are counted once.
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
    // With an even number of columns, the lower of the two middle values is used.
    found.get(found.len().saturating_sub(1) / 2).copied()
}
