//! Principal component analysis: the directions of largest variance, whatever the classes.
//!
//! Eigenvectors of the covariance of all points, which the class statistics add up to.
//! Cost: an eigenproblem of order n, or for the randomised form a few products of the class covariances with
//! a block of m + 10 vectors (Halko, Martinsson & Tropp, 2011).

use std::time::Instant;

use crate::linalg::Mat;
use crate::model::{principal, with_fixed_signs};
use crate::optimize::{Control, Progress};

use super::scatter::{MAX_ORDER, Scatter, leading_eigenvectors};
use super::{ReduceError, Reducer, Reduction, Training, largest_count, nested};

/// How the eigenvectors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PcaSolver {
    /// Exactly while a dense eigenproblem is affordable, else randomised.
    #[default]
    Auto,
    /// By a dense eigenproblem.
    Exact,
    /// By subspace iteration from a random block.
    Randomized,
}

/// Principal component analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pca {
    /// How the eigenvectors are found.
    pub solver: PcaSolver,
    /// The seed of the randomised form.
    pub seed: u64,
}

impl Pca {
    /// The leading principal components, one a column.
    pub(crate) fn components(
        &self,
        training: &Training<'_>,
        count: usize,
    ) -> Result<Mat<f64>, ReduceError> {
        let statistics = training.statistics();
        let n = statistics.dimension();
        let dense =
            statistics.covariances().iter().all(|covariance| covariance.entries().is_some());
        let exact = match self.solver {
            PcaSolver::Auto => dense && n <= MAX_ORDER,
            PcaSolver::Exact => true,
            PcaSolver::Randomized => false,
        };
        let components = if exact {
            let scatter = Scatter::new("pca", statistics)?;
            let mut total = scatter.within.clone();
            scatter.add_between(1.0, &mut total);
            leading_eigenvectors("pca", &total, n, count)?.0
        } else {
            principal(statistics, count, self.seed)
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
        _: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let began = Instant::now();
        let limit = training.statistics().dimension();
        let largest = largest_count("pca", filters, limit, "the dimension of the data")?;
        let components = self.components(training, largest)?;
        Ok(nested(&components, filters, began.elapsed().as_secs_f64()))
    }
}
