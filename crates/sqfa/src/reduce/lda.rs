//! Linear discriminant analysis: the directions that separate the class means most, relative to the
//! variance within classes.
//!
//! The method solves S_b v = λS_w v with vᵀS_w v = 1. S_b is the scatter of the class means, and
//! the within-class scatter S_w is shrunk to (1−s)S_w + s(tr S_w/n)I. The effect of shrinkage
//! depends on the scales of the columns, so the pipeline selects these together with s.
//!
//! scikit-learn and the paper shrink the total scatter S_b + S_w in the same way, so that S_b
//! contains a multiple of the identity for s > 0 ([`Lda::shrinks_total`]). Directions without any
//! variance, as between repeated columns, then have a positive λ and can precede directions that
//! separate classes.
//!
//! Cost per shrinkage, for any list of numbers of filters: a Cholesky factorization (n³/3 flops,
//! n²/2 numbers) and some tens of solves with it, or an eigenproblem of order n if many filters are
//! requested. If there are fewer samples than dimensions and the covariances are stored as samples,
//! n is the number of samples.

use crate::linalg::{Mat, MatRef, leading_pencil};
use crate::model::with_fixed_signs;
use crate::optimize::Observer;

use super::closed::{Directions, fit_closed};
use super::scatter::{Scatter, within_trace};
use super::setting::{Parameter, Setting, Usual};
use super::{Choice, Limit, ReduceError, Reducer, Reduction, Training, largest_count};

/// The shrinkages of the default grid: those of the paper's experiments, and a small one for
/// strongly correlated columns.
pub(super) const SHRINKAGE: Parameter = Parameter {
    setting: Setting::Shrinkage,
    usual: Usual::Best { otherwise: 0.1 },
    grid: &[0.01, 0.05, 0.1, 0.2, 0.4, 0.8],
    help: "the scatter within classes is shrunk",
};

/// Linear discriminant analysis.
#[derive(Debug, Clone, Default)]
pub struct Lda {
    /// The shrinkage s, or how it is selected.
    pub shrinkage: Choice,
    /// Whether the total scatter is shrunk as well, as in scikit-learn and the paper.
    pub shrinks_total: bool,
    /// The seed of the held-out samples.
    pub seed: u64,
}

impl Lda {
    /// Returns the leading discriminant directions for one shrinkage, one per column.
    pub(crate) fn directions(
        &self,
        training: &Training<'_>,
        shrinkage: f64,
        count: usize,
    ) -> Result<Mat<f64>, ReduceError> {
        if !(0.0..=1.0).contains(&shrinkage) {
            let range = "a number between 0 and 1, or auto";
            return Err(ReduceError::Setting {
                setting: Setting::Shrinkage,
                value: shrinkage,
                range,
            });
        }
        let training = training.with_covariance()?;
        let statistics = training.statistics();
        // If there are fewer samples than dimensions, stored as they are, the samples do not differ
        // outside their span.
        let span = match statistics.is_kept_as_samples() {
            true => statistics.reduced_to_span(count).ok(),
            false => None,
        };
        let mut scatter =
            Scatter::new("lda", span.as_ref().map_or(statistics, |span| span.statistics()))?;
        if span.is_some() {
            scatter.within_trace = within_trace(statistics);
        }
        let n = scatter.dimension;
        let target = shrinkage / statistics.dimension() as f64;
        let own = target * scatter.within_trace;
        let (factor, ridge) = match self.shrinks_total {
            true => (1.0 - shrinkage, target * scatter.between_trace()),
            false => (1.0, 0.0),
        };
        let between = |block: MatRef<'_, f64>| scatter.between_times(factor, ridge, block);
        let within = |i: usize, row: &mut [f64]| {
            scatter.within_row(1.0 - shrinkage, i, row);
            row[i] += own;
        };
        let solved = leading_pencil(&between, within, n, count)
            .ok_or(ReduceError::Singular { method: "lda" })?;
        Ok(match span {
            Some(span) => with_fixed_signs(span.lift(solved.vectors.as_ref())),
            None => solved.vectors,
        })
    }
}

impl Reducer for Lda {
    fn name(&self) -> &str {
        "lda"
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        _: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let limit = Limit::ClassesLessOne.most(training.statistics(), None);
        largest_count("lda", filters, limit)?;
        let values = SHRINKAGE.values(&self.shrinkage, 1.0, training);
        let setting = (Setting::Shrinkage, values.as_slice());
        let directions: Directions<'_> =
            &|training, shrinkage, count| self.directions(training, shrinkage, count);
        fit_closed(training, filters, setting, self.seed, directions)
    }
}
