//! Samples of one class that wait to be added to its sketch, in the precision of the data.

use std::ops::Range;

use super::entries::gather;
use super::weighted::weighted_mean;
use crate::linalg::{Element, Float};
use crate::parallel;
use crate::points::{Points, Scalar};
use crate::with_table;

/// Number of columns whose sums of squares one task computes.
const COLUMNS: usize = 1024;

/// Waiting samples and their weights.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    rows: Rows,
    weights: Vec<u64>,
}

/// Rows in double precision only if some sample came in it. Single precision halves the memory without changing a
/// value.
#[derive(Debug, Clone)]
enum Rows {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Default for Rows {
    fn default() -> Self {
        Self::Single(Vec::new())
    }
}

impl Waiting {
    /// Returns the number of waiting rows.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the number of samples that the rows represent, that is, the sum of their weights.
    pub(super) fn count(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Appends rows of a table. Each row counts as often as its weight specifies.
    pub(super) fn push(&mut self, points: Points<'_>, rows: &[u32], weights: Option<&[u64]>) {
        if let (Rows::Single(held), Points::F64(_)) = (&self.rows, points) {
            self.rows = Rows::Double(held.iter().map(|&value| f64::from(value)).collect());
        }
        match &mut self.rows {
            Rows::Single(held) => append(held, points, rows),
            Rows::Double(held) => append(held, points, rows),
        }
        let counted = |&row: &u32| weights.map_or(1, |weights| weights[row as usize]);
        self.weights.extend(rows.iter().map(counted));
    }

    /// Returns the samples minus their weighted mean.
    pub(super) fn centered(&self, n: usize) -> Centered<'_> {
        let mean = match &self.rows {
            Rows::Single(rows) => weighted_mean(rows, n, &self.weights),
            Rows::Double(rows) => weighted_mean(rows, n, &self.weights),
        };
        let roots = self.weights.iter().map(|&weight| (weight as f64).sqrt()).collect();
        Centered { rows: &self.rows, roots, mean }
    }

    /// Removes all samples but keeps the allocated memory for later ones.
    pub(super) fn clear(&mut self) {
        match &mut self.rows {
            Rows::Single(rows) => rows.clear(),
            Rows::Double(rows) => rows.clear(),
        }
        self.weights.clear();
    }
}

fn append<T: Element>(held: &mut Vec<T>, points: Points<'_>, rows: &[u32]) {
    let before = held.len();
    let more = rows.len() * points.columns();
    held.reserve_exact(more);
    held.resize(before + more, T::ZERO);
    with_table!(points, table => {
        gather(&table, rows, &mut held[before..], |value| T::from_f64(Scalar::to_f64(value)));
    });
}

/// Samples minus their mean, each multiplied by the square root of its weight.
pub(super) struct Centered<'a> {
    rows: &'a Rows,
    roots: Vec<f64>,
    pub(super) mean: Vec<f64>,
}

impl Centered<'_> {
    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Writes a range of columns of every row, row-major.
    pub(super) fn write(&self, columns: Range<usize>, target: &mut [f64]) {
        match self.rows {
            Rows::Single(rows) => self.write_from(rows, columns, target),
            Rows::Double(rows) => self.write_from(rows, columns, target),
        }
    }

    fn write_from<T: Element>(&self, rows: &[T], columns: Range<usize>, target: &mut [f64]) {
        let mean = &self.mean[columns.clone()];
        let rows = rows.chunks_exact(self.mean.len()).zip(&self.roots);
        for (target, (row, root)) in target.chunks_exact_mut(columns.len()).zip(rows) {
            for ((target, &value), mean) in target.iter_mut().zip(&row[columns.clone()]).zip(mean) {
                *target = root * (Float::to_f64(value) - mean);
            }
        }
    }

    /// Returns the sum of squares of each column.
    pub(super) fn squares(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.mean.len()];
        parallel::for_each(sums.chunks_mut(COLUMNS).enumerate(), |(chunk, sums)| {
            let columns = chunk * COLUMNS..chunk * COLUMNS + sums.len();
            let mut rows = vec![0.0; self.len() * sums.len()];
            self.write(columns, &mut rows);
            for row in rows.chunks_exact(sums.len()) {
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
            }
        });
        sums
    }
}
