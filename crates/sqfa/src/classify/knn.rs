//! The k nearest training points vote: Euclidean distances, equal weights, exact.
//!
//! Among equal distances the earlier training point counts, among equal votes the first class: the answer never
//! depends on rounding or threads. Cost: 2Nm flops a point for N training points of m features.

use super::{ClassifierError, POINTS_A_TASK, check_dimension, share_right};
use crate::finite::first_not_finite;
use crate::labels::Classes;
use crate::neighbors::{Neighbor, Reference};
use crate::parallel;
use crate::points::Points;
use crate::with_table;

/// A nearest-neighbor classifier on features.
#[derive(Debug, Clone)]
pub struct Knn {
    classes: Classes,
    training: Training,
    codes: Vec<u32>,
    neighbors: usize,
}

/// The training points in the precision they came in.
#[derive(Debug, Clone)]
enum Training {
    Single(Reference<f32>),
    Double(Reference<f64>),
}

impl Knn {
    /// Neighbors that vote unless told otherwise.
    pub const NEIGHBORS: usize = 5;

    /// A classifier that remembers training points with the positions of their classes.
    pub fn new(
        classes: &Classes,
        training: Points<'_>,
        codes: &[u32],
        neighbors: usize,
    ) -> Result<Self, ClassifierError> {
        let (points, dimension) = (training.rows(), training.columns());
        if points == 0 || dimension == 0 {
            return Err(ClassifierError::Empty { points, dimension });
        }
        if codes.len() != points {
            return Err(ClassifierError::Codes { codes: codes.len(), points });
        }
        if let Some(row) = codes.iter().position(|&code| code as usize >= classes.len()) {
            let (code, classes) = (codes[row], classes.len());
            return Err(ClassifierError::UnknownCode { code, row, classes });
        }
        if neighbors == 0 || neighbors > points {
            return Err(ClassifierError::Neighbors { neighbors, points });
        }
        check_finite(training)?;
        let training = match training {
            Points::U8(table) => Training::Single(Reference::of_rows(&table, 0..points)),
            Points::F32(table) => Training::Single(Reference::of_rows(&table, 0..points)),
            Points::F64(table) => Training::Double(Reference::of_rows(&table, 0..points)),
        };
        Ok(Self { classes: classes.clone(), training, codes: codes.to_vec(), neighbors })
    }

    /// The classes, in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The dimension of the features it classifies.
    pub fn dimension(&self) -> usize {
        match &self.training {
            Training::Single(reference) => reference.columns(),
            Training::Double(reference) => reference.columns(),
        }
    }

    /// How many neighbors vote.
    pub fn neighbors(&self) -> usize {
        self.neighbors
    }

    /// For every point, the position of the class with most votes; ties go to the first.
    pub fn predict(&self, features: Points<'_>) -> Result<Vec<u32>, ClassifierError> {
        let found = self.nearest(features)?;
        let points = found.len() / self.neighbors;
        Ok(parallel::runs(
            points,
            POINTS_A_TASK,
            || (),
            |(), point| {
                let votes = self.votes(&found[point * self.neighbors..][..self.neighbors]);
                let mut best = 0;
                for (class, count) in votes.iter().enumerate() {
                    if *count > votes[best] {
                        best = class;
                    }
                }
                best as u32
            },
        ))
    }

    /// The share of votes of every class (columns) for every point (rows), row-major.
    pub fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        let found = self.nearest(features)?;
        let shares = |found| {
            let votes = self.votes(found);
            votes.into_iter().map(|count| f64::from(count) / self.neighbors as f64)
        };
        Ok(found.chunks(self.neighbors).flat_map(shares).collect())
    }

    /// The share of points whose predicted class is their own.
    pub fn accuracy(&self, features: Points<'_>, codes: &[u32]) -> Result<f64, ClassifierError> {
        share_right(&self.predict(features)?, codes)
    }

    fn votes(&self, found: &[Neighbor]) -> Vec<u32> {
        let mut votes = vec![0; self.classes.len()];
        for neighbor in found {
            votes[self.codes[neighbor.row as usize] as usize] += 1;
        }
        votes
    }

    fn nearest(&self, features: Points<'_>) -> Result<Vec<Neighbor>, ClassifierError> {
        check_dimension(features, self.dimension())?;
        check_finite(features)?;
        Ok(with_table!(features, table => match &self.training {
            Training::Single(reference) => reference.nearest(&table, self.neighbors),
            Training::Double(reference) => reference.nearest(&table, self.neighbors),
        }))
    }
}

fn check_finite(points: Points<'_>) -> Result<(), ClassifierError> {
    match first_not_finite(points, None) {
        None => Ok(()),
        Some((row, column, value)) => Err(ClassifierError::NotFinite { row, column, value }),
    }
}
