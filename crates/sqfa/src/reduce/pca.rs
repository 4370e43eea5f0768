//! Principal component analysis: the directions of largest variance, independent of the classes.
//!
//! The components are eigenvectors of the covariance of all samples, which follows from the class
//! statistics. Cost: an eigenproblem of order n or, for the randomized solver, a few products of
//! the class covariances with a random block until the captured variance no longer changes (Halko,
//! Martinsson & Tropp, 2011).

use std::time::Instant;

use crate::linalg::Mat;
use crate::model::with_fixed_signs;
use crate::optimize::Observer;

use super::{Limit, ReduceError, Reducer, Reduction, Training, largest_count, nested};

/// The eigensolver of principal component analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PcaSolver {
    /// The exact solver if a dense eigenproblem is affordable, otherwise the randomized one.
    #[default]
    Auto,
    /// A dense eigenproblem.
    Exact,
    /// Subspace iteration from a random block.
    Randomized,
}

/// The eigensolvers with their names; `auto` is not among them.
pub(super) const SOLVERS: [(&str, PcaSolver); 2] =
    [("exact", PcaSolver::Exact), ("randomized", PcaSolver::Randomized)];

/// Principal component analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pca {
    /// The eigensolver.
    pub solver: PcaSolver,
}

impl Pca {
    /// Returns the leading principal components, one per column.
    pub(crate) fn components(
        &self,
        training: &Training<'_>,
        count: usize,
    ) -> Result<Mat<f64>, ReduceError> {
        let statistics = training.statistics();
        let dense =
            statistics.covariances().iter().all(|covariance| covariance.entries().is_some());
        let components = match self.solver {
            PcaSolver::Exact if !dense => return Err(ReduceError::NotDense { method: "pca" }),
            PcaSolver::Randomized => statistics.iterated_components(count)?,
            PcaSolver::Auto | PcaSolver::Exact => statistics.principal_components(count)?.0,
        };
        Ok(with_fixed_signs(components))
    }
}

impl Reducer for Pca {
    fn name(&self) -> &str {
        "pca"
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        _: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let began = Instant::now();
        let limit = Limit::Dimension.most(training.statistics(), None);
        let largest = largest_count("pca", filters, limit)?;
        let components = self.components(training, largest)?;
        Ok(nested(&components, filters, began.elapsed().as_secs_f64()))
    }
}
