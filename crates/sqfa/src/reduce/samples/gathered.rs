//! Samples sorted by class, and balanced selections of samples.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::SampleError;
use crate::finite::first_not_finite;
use crate::labels::Labels;
use crate::points::Points;

/// Draws at most `per_class` samples of every class without repetition and returns their rows in
/// ascending order.
///
/// Every class has its own random sequence, so its selection does not depend on the other classes.
///
/// # Examples
///
/// ```
/// use sqfa::Labels;
/// use sqfa::reduce::balanced_rows;
///
/// let labels = Labels::from_integers(&[0, 0, 0, 0, 1]);
/// let rows = balanced_rows(&labels, 2, 0);
/// assert_eq!(rows.len(), 3);
/// assert_eq!(rows[2], 4);
/// ```
pub fn balanced_rows(labels: &Labels, per_class: usize, seed: u64) -> Vec<usize> {
    let mut chosen = Vec::new();
    for (class, mut rows) in rows_by_class(labels).into_iter().enumerate() {
        if rows.len() > per_class {
            let mut generator = ChaCha12Rng::seed_from_u64(seed);
            generator.set_stream(class as u64);
            rows.shuffle(&mut generator);
            rows.truncate(per_class);
        }
        chosen.extend(rows);
    }
    chosen.sort_unstable();
    chosen
}

/// Returns the rows of every class in ascending order.
pub(super) fn rows_by_class(labels: &Labels) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.classes().len()];
    for (row, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(row);
    }
    rows
}

/// Checks the input of methods that learn from samples and returns the rows of every class.
pub(super) fn check(
    points: Points<'_>,
    labels: &Labels,
    filters: usize,
) -> Result<Vec<Vec<usize>>, SampleError> {
    let (count, dimension) = (points.rows(), points.columns());
    if count == 0 || dimension == 0 {
        return Err(SampleError::Empty { points: count, dimension });
    }
    if labels.len() != count {
        return Err(SampleError::Labels { labels: labels.len(), points: count });
    }
    if filters == 0 || filters > dimension {
        return Err(SampleError::Filters { filters, dimension });
    }
    if let Some((row, column, value)) = first_not_finite(points, None) {
        return Err(SampleError::NotFinite { row, column, value });
    }
    let rows = rows_by_class(labels);
    let classes = rows.iter().filter(|rows| !rows.is_empty()).count();
    if classes < 2 {
        return Err(SampleError::OneClass { classes });
    }
    Ok(rows)
}

/// Samples in double precision, sorted by class and centered at their common mean.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    /// The centered samples, row-major.
    pub(super) values: Vec<f64>,
    pub(super) columns: usize,
    /// The classes that have samples, each with its index and its rows in `values`.
    pub(super) classes: Vec<(usize, Range<usize>)>,
}

impl Gathered {
    /// Copies the rows of every class, as returned by [`check`].
    pub(super) fn new(points: Points<'_>, rows: &[Vec<usize>]) -> Self {
        let columns = points.columns();
        let mut values = Vec::with_capacity(points.rows() * columns);
        let mut classes = Vec::new();
        let mut first = 0;
        for (class, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            for &row in rows {
                crate::with_table!(points, table => {
                    use crate::points::Scalar;
                    values.extend((0..columns).map(|column| table.get(row, column).to_f64()));
                });
            }
            classes.push((class, first..first + rows.len()));
            first += rows.len();
        }
        // Distances do not depend on the mean. Products do, and lose fewer digits by cancellation
        // without it.
        for column in 0..columns {
            let own = || values.iter().skip(column).step_by(columns);
            let mean = own().sum::<f64>() / first as f64;
            values.iter_mut().skip(column).step_by(columns).for_each(|value| *value -= mean);
        }
        Self { values, columns, classes }
    }

    /// Returns the number of samples.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_rows_are_distinct_and_as_many_of_every_class_as_there_are_up_to_the_limit() {
        let names: Vec<i64> = (0..100).map(|row| if row % 10 == 0 { 1 } else { 0 }).collect();
        let labels = Labels::from_integers(&names);
        let rows = balanced_rows(&labels, 20, 5);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        let of = |class| rows.iter().filter(|&&row| names[row] == class).count();
        assert_eq!((of(0), of(1)), (20, 10));
        assert_eq!(rows, balanced_rows(&labels, 20, 5));
        assert_ne!(rows, balanced_rows(&labels, 20, 6));
    }

    #[test]
    fn the_choice_of_a_class_does_not_depend_on_the_others() {
        let choice = |others: i64| {
            let names: Vec<i64> =
                (0..60).map(|row| if row % 2 == 0 { 0 } else { 1 + row % others }).collect();
            let rows = balanced_rows(&Labels::from_integers(&names), 7, 1);
            rows.into_iter().filter(|row| row % 2 == 0).collect::<Vec<_>>()
        };
        assert_eq!(choice(1), choice(5));
    }

    #[test]
    fn gathered_samples_are_sorted_by_class_and_centered() {
        let values = [1_u8, 10, 3, 20, 5, 60, 7, 30];
        let points = Points::U8(crate::points::Table::row_major(&values, 4, 2).unwrap());
        let labels = Labels::from_integers(&[7, 3, 7, 3]);
        let found = Gathered::new(points, &check(points, &labels, 1).unwrap());
        // The mean is (4, 30).
        assert_eq!(found.values, [-1.0, -10.0, 3.0, 0.0, -3.0, -20.0, 1.0, 30.0]);
        assert_eq!(found.classes, [(0, 0..2), (1, 2..4)]);
        assert_eq!((found.rows(), found.columns), (4, 2));
    }
}
