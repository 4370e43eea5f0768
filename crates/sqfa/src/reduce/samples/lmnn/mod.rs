//! Large-margin nearest neighbors (LMNN): a linear map that moves the nearest neighbors of the same
//! class closer than samples of other classes.
//!
//! It minimizes (1−μ)Σ_ij |z_i−z_j|² + μΣ_ijl [1 + |z_i−z_j|² − |z_i−z_l|²]₊ over z = Fᵀx. Here j
//! runs over the k nearest samples of the same class in input space, which are determined once, and
//! l over all samples of other classes. The samples are given in principal coordinates, and the
//! initial filters are the first m of these.
//!
//! Cost of an evaluation: N²m multiplications and one test for each pair; no list of triples is
//! stored. Reference: Weinberger & Saul, *J. Machine Learning Research* 10, 2009.

mod loss;

use super::gathered::{Gathered, check};
use super::{SampleError, SampleFit};
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef};
use crate::neighbors::Reference;
use crate::optimize::{Observer, Stopping, descend};
use crate::points::Points;
use loss::Problem;

/// The settings of LMNN.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lmnn {
    /// The number of target neighbors per sample.
    pub(crate) neighbors: usize,
    /// The weight μ of the term that pushes other classes away; the weight of the term that pulls
    /// target neighbors closer is 1 − μ.
    pub(crate) push: f64,
    /// The criterion of convergence.
    pub(crate) stopping: Stopping,
}

impl Default for Lmnn {
    fn default() -> Self {
        Self {
            neighbors: 3,
            push: 0.5,
            stopping: Stopping { max_iterations: 500, tolerance: 1e-5 },
        }
    }
}

impl Lmnn {
    /// Learns filters from samples in principal coordinates. The observer receives the loss after
    /// every iteration.
    pub(crate) fn fit(
        &self,
        points: Points<'_>,
        labels: &Labels,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<SampleFit, SampleError> {
        let rows = check(points, labels, filters)?;
        if self.neighbors == 0 {
            return Err(SampleError::NoNeighbors);
        }
        if !(0.0..=1.0).contains(&self.push) {
            return Err(SampleError::Weight { push: self.push });
        }
        let small = rows.iter().position(|rows| !rows.is_empty() && rows.len() <= self.neighbors);
        if let Some(class) = small {
            return Err(SampleError::SmallClass {
                class: labels.classes().label(class).to_string(),
                count: rows[class].len(),
                neighbors: self.neighbors,
            });
        }
        let samples = Gathered::new(points, &rows);
        let targets = targets(&samples, self.neighbors);
        let problem = Problem { samples: &samples, targets: &targets, push: self.push };
        let start = Mat::from_fn(samples.columns, filters, |i, j| f64::from(u8::from(i == j)));
        let evaluate = |filters: MatRef<'_, f64>| {
            let (loss, gradient) = problem.evaluate(filters);
            if loss.is_finite() { Ok((loss, gradient)) } else { Err(SampleError::NoLoss { loss }) }
        };
        Ok(SampleFit::new(descend(start, evaluate, self.stopping, observer)?))
    }
}

/// Returns the nearest samples of the same class in input space, for every sample.
fn targets(samples: &Gathered, neighbors: usize) -> Vec<u32> {
    let p = samples.columns;
    let mut targets = Vec::with_capacity(samples.rows() * neighbors);
    for (_, rows) in &samples.classes {
        let class = Reference::new(samples.values[rows.start * p..rows.end * p].to_vec(), p);
        let found = class.nearest_others(neighbors);
        targets.extend(found.iter().map(|neighbor| rows.start as u32 + neighbor.row));
    }
    targets
}

#[cfg(test)]
mod tests;
