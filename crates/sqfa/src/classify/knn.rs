//! Exact k-nearest-neighbor classification with Euclidean distances and equal weights.
//!
//! Among equal distances the earlier training sample counts, and among equal votes the first class wins. The result
//! therefore does not depend on rounding or on the number of threads. The cost is 2Nm flops per sample for N training
//! samples with m features.

use super::{ClassifierError, POINTS_A_TASK, check_dimension, share_right};
use crate::finite::first_not_finite;
use crate::labels::Classes;
use crate::neighbors::{Neighbor, Reference};
use crate::parallel;
use crate::points::Points;
use crate::with_table;

/// A k-nearest-neighbor classifier on features.
///
/// ```
/// use sqfa::classify::Knn;
/// use sqfa::{Classes, Table};
///
/// let training = Table::row_major(&[0.0, 0.1, 0.2, 5.0, 5.1, 5.2], 6, 1).expect("6 rows of 1 number");
/// let knn = Knn::new(&Classes::numbered(2), training.into(), &[0, 0, 0, 1, 1, 1], 3)?;
/// let queries = Table::row_major(&[0.3, 4.0], 2, 1).expect("2 rows of 1 number");
/// assert_eq!(knn.predict(queries.into())?, [0, 1]);
/// # Ok::<(), sqfa::classify::ClassifierError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Knn {
    classes: Classes,
    training: Training,
    codes: Vec<u32>,
    neighbors: usize,
}

/// The training samples in the precision of the data.
#[derive(Debug, Clone)]
enum Training {
    Single(Reference<f32>),
    Double(Reference<f64>),
}

impl Knn {
    /// Default number of neighbors.
    pub const NEIGHBORS: usize = 5;

    /// Creates a classifier from training samples, one per row, and the class index of each.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no samples or features, the number of codes differs from the number of samples, a
    /// code is not less than the number of classes, `neighbors` is 0 or larger than the number of samples, or a value
    /// is not finite.
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

    /// Returns the classes in their fixed order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the number of features of a sample.
    pub fn dimension(&self) -> usize {
        match &self.training {
            Training::Single(reference) => reference.columns(),
            Training::Double(reference) => reference.columns(),
        }
    }

    /// Returns the number of neighbors that vote.
    pub fn neighbors(&self) -> usize {
        self.neighbors
    }

    /// Returns, for each sample (row), the index of the class with most votes. The first class wins ties.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples have a different number of features than the training samples, or a value is not
    /// finite.
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

    /// Returns the fraction of votes for every sample (row) and class (column), row-major.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples have a different number of features than the training samples, or a value is not
    /// finite.
    pub fn posteriors(&self, features: Points<'_>) -> Result<Vec<f64>, ClassifierError> {
        let found = self.nearest(features)?;
        let shares = |found| {
            let votes = self.votes(found);
            votes.into_iter().map(|count| f64::from(count) / self.neighbors as f64)
        };
        Ok(found.chunks(self.neighbors).flat_map(shares).collect())
    }

    /// Returns the fraction of samples that are classified correctly. `codes` has the class index of each sample.
    ///
    /// # Errors
    ///
    /// Returns an error if the samples have a different number of features than the training samples, a value is not
    /// finite, or the number of codes differs from the number of samples.
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
