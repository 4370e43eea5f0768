//! Samples sorted by class, and balanced choices of them.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::SampleError;
use crate::labels::Labels;
use crate::points::Points;

/// Rows of at most `per_class` samples of every class, drawn without repetition, in ascending order.
///
/// Every class has its own random sequence, so that its choice does not depend on the other classes.
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

/// The rows of every class, ascending.
pub(super) fn rows_by_class(labels: &Labels) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); labels.classes().len()];
    for (row, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(row);
    }
    rows
}

/// What every reducer of samples asks of its input; returns the rows of every class.
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
    if let Some((row, column, value)) = points.first_not_finite() {
        return Err(SampleError::NotFinite { row, column, value });
    }
    let rows = rows_by_class(labels);
    let classes = rows.iter().filter(|rows| !rows.is_empty()).count();
    if classes < 2 {
        return Err(SampleError::OneClass { classes });
    }
    Ok(rows)
}

/// Samples in double precision, one class after the other, centred by their common mean.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    /// Row-major.
    pub(super) values: Vec<f64>,
    pub(super) columns: usize,
    /// The rows of every class that has samples, with its position among the classes.
    pub(super) classes: Vec<(usize, Range<usize>)>,
}

impl Gathered {
    /// Copies the rows of every class, as `check` gave them.
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
        // Distances do not see the mean, products do: without it fewer digits cancel.
        for column in 0..columns {
            let own = || values.iter().skip(column).step_by(columns);
            let mean = own().sum::<f64>() / first as f64;
            values.iter_mut().skip(column).step_by(columns).for_each(|value| *value -= mean);
        }
        Self { values, columns, classes }
    }

    /// The number of samples.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.columns
    }
}
