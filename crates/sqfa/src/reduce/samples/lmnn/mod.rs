//! Large-margin nearest neighbors: a linear map that keeps each sample's own neighbors nearer than any other class.
//!
//! Minimizes (1−μ)Σ_ij |z_i−z_j|² + μΣ_ijl [1 + |z_i−z_j|² − |z_i−z_l|²]₊ over z = Fᵀx, where j runs over the k nearest
//! samples of i's class in input space, fixed once, and l over all samples of other classes. The samples come in principal
//! coordinates, and the start is the first m of them.
//! Cost of an evaluation: N²m products and one look at each; no list of triples is ever made.
//! Reference: Weinberger & Saul, *J. Machine Learning Research* 10, 2009.

mod loss;

use super::gathered::{Gathered, check};
use super::{SampleError, SampleFit};
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef};
use crate::neighbors::Reference;
use crate::optimize::{Observer, Stopping, descend};
use crate::points::Points;
use loss::Problem;

/// The recipe.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lmnn {
    /// Neighbors of its own class that every sample keeps near.
    pub(crate) neighbors: usize,
    /// μ: the weight of pushing other classes away; 1 − μ is that of pulling neighbors near.
    pub(crate) push: f64,
    /// When to stop.
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
    /// Learns filters from samples in principal coordinates; the observer is told the loss after every iteration.
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

/// For every sample, its nearest others of the same class in input space.
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
