//! Points of one class that wait to join its sketch, in the precision in which they came.

use std::ops::Range;

use super::entries::gather;
use super::weighted::weighted_mean;
use crate::linalg::{Element, Float};
use crate::parallel;
use crate::points::{Points, Scalar};
use crate::with_table;

/// Columns that one task of a sum of squares owns.
const COLUMNS: usize = 1024;

/// Points, and how often each counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    rows: Rows,
    weights: Vec<u64>,
}

/// Double precision only where some point came in it: half of the memory otherwise, and the same numbers.
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
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// How many points they stand for.
    pub(super) fn count(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// Lets some rows wait, each as often as its weight says.
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

    /// The points about their own mean.
    pub(super) fn centered(&self, n: usize) -> Centerd<'_> {
        let mean = match &self.rows {
            Rows::Single(rows) => weighted_mean(rows, n, &self.weights),
            Rows::Double(rows) => weighted_mean(rows, n, &self.weights),
        };
        let roots = self.weights.iter().map(|&weight| (weight as f64).sqrt()).collect();
        Centerd { rows: &self.rows, roots, mean }
    }

    /// Forgets all, and keeps the room for others.
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

/// Points about their mean, each times the root of its weight.
pub(super) struct Centerd<'a> {
    rows: &'a Rows,
    roots: Vec<f64>,
    pub(super) mean: Vec<f64>,
}

impl Centerd<'_> {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Writes some columns of every row.
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

    /// The sum of squares of every column.
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
