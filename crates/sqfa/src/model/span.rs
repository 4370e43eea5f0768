//! Fits in the dimensions that matter, the span of the data or those outside which classes are isotropic: exact where
//! mathematics says so, refused where it does not.

use std::time::Instant;

use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, orthonormalize};
use crate::optimize::{Observer, Optimizer};
use crate::statistics::{ClassStatistics, StatisticsError};

use super::FitError;
use super::fitted::{FittedSqfa, with_fixed_signs, with_unit_length};
use super::recipe::{Sqfa, Start};

/// Up to this many samples their Gram matrix costs less than the passes of a usual fit.
const FEW_SAMPLES: usize = 4000;
/// Passes that finding isotropic dimensions takes.
const SEARCH_PASSES: usize = 3;

/// Whether there are few enough samples, kept as they are, that a fit in their span costs least.
pub(super) fn is_cheaper(statistics: &ClassStatistics) -> bool {
    let samples: Option<usize> = statistics
        .covariances()
        .iter()
        .map(|covariance| covariance.spanning().map(|form| form.vectors()))
        .sum();
    samples.is_some_and(|samples| samples <= FEW_SAMPLES && 2 * samples < statistics.dimension())
}

impl Sqfa {
    /// Fits filters to statistics of fewer samples than dimensions, in the span of the samples; the filters are
    /// lifted back. The maximum is that of the whole space. [`Sqfa::fit`] does this by itself where it costs least.
    ///
    /// The statistics must be kept as samples. Log-Euclidean, distances of the user's own, filters without a constraint
    /// and orthonormal filters beyond the span's dimension are refused: their maximum may lie outside.
    pub fn fit_in_span(
        &self,
        statistics: &ClassStatistics,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        let noise = self.noise.value(statistics.noise_scale());
        self.check(statistics, noise)?;
        let refuse = |problem: String| Err(FitError::from(StatisticsError::NoSpan { problem }));
        let goal = self.goal.name();
        if !self.goal.is_exact_in_span() {
            return refuse(format!(
                "the best filters of distance '{goal}' may lie outside: fit in the whole space"
            ));
        }
        if self.constraint == Constraint::None {
            return refuse("filters need constraint sphere or orthonormal".to_owned());
        }
        if self.fixed.is_some() {
            return refuse("fixed filters may lie outside: fit in the whole space".to_owned());
        }
        let span = statistics.reduced_to_span(self.filters)?;
        let order = span.statistics().dimension();
        if self.filters > order {
            let filters = self.filters;
            return refuse(format!(
                "{filters} filters in a span of {order} dimensions: ask for at most {order}"
            ));
        }
        let mut recipe = self.clone();
        if let Start::Given(filters) = &self.start {
            recipe = recipe.start(Start::Given(span.lower(filters.as_ref())));
        }
        recipe.fit_lifted(span.statistics(), noise, &|filters| span.lift(filters), observer)
    }

    /// Fits filters in the few dimensions outside which every class is isotropic, where there are such and nothing asks for
    /// the whole space, as given filters do, which may lie outside.
    pub(super) fn fit_where_not_isotropic(
        &self,
        statistics: &ClassStatistics,
        noise: f64,
        observer: &mut Observer<'_>,
    ) -> Option<Result<FittedSqfa, FitError>> {
        let sought = self.optimizer == Optimizer::Auto
            && self.fixed.is_none()
            && !matches!(self.start, Start::Given(_))
            && self.goal.is_exact_in_span()
            && self.constraint != Constraint::None
            && noise > 0.0;
        let began = Instant::now();
        let found = if sought { statistics.isotropic_outside(self.filters) } else { None }?;
        let lift = |filters: MatRef<'_, f64>| found.lift(filters);
        let fitted = self.fit_lifted(found.statistics(), noise, &lift, observer);
        Some(fitted.map(|mut fitted| {
            // Those over the covariances as given: the climb meets only what is left of them.
            fitted.passes = SEARCH_PASSES;
            fitted.seconds = began.elapsed().as_secs_f64();
            fitted
        }))
    }

    /// Fits filters in the dimensions of reduced statistics and lifts them back.
    fn fit_lifted(
        &self,
        reduced: &ClassStatistics,
        noise: f64,
        lift: &dyn Fn(MatRef<'_, f64>) -> Mat<f64>,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        let mut fitted = self.fit_as_given(reduced, noise, observer)?;
        let mut filters = lift(fitted.filters.as_ref());
        if self.constraint == Constraint::Sphere {
            filters = with_unit_length(filters);
        } else {
            filters = orthonormalize(filters.as_ref()).ok_or(FitError::Degenerate)?;
        }
        fitted.filters = with_fixed_signs(filters);
        Ok(fitted)
    }
}
