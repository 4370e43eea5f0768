//! Fits in fewer dimensions: in the span of the samples, or in the dimensions outside which all
//! classes are isotropic.
//!
//! Both give the maximum of the whole space. Where this is not proven, `fit_in_span` returns an
//! error and `fit_where_not_isotropic` returns `None`.

use std::time::Instant;

use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, orthonormalize};
use crate::optimize::{Observer, Optimizer};
use crate::statistics::{ClassStatistics, StatisticsError};

use super::FitError;
use super::fitted::{FittedSqfa, with_fixed_signs, with_unit_length};
use super::recipe::{Sqfa, Start};

/// Largest number of samples whose Gram matrix costs less than the passes of a typical fit.
const FEW_SAMPLES: usize = 4000;
/// Number of passes that the search for isotropic dimensions needs.
const SEARCH_PASSES: usize = 3;

/// Returns whether the samples are stored as they are, and are so few that a fit in their span is
/// cheapest.
pub(super) fn is_cheaper(statistics: &ClassStatistics) -> bool {
    let samples: Option<usize> = statistics
        .covariances()
        .iter()
        .map(|covariance| covariance.spanning().map(|form| form.vectors()))
        .sum();
    samples.is_some_and(|samples| samples <= FEW_SAMPLES && 2 * samples < statistics.dimension())
}

impl Sqfa {
    /// Fits filters to the statistics of fewer samples than dimensions, in the span of the samples.
    ///
    /// The result is an optimum of the whole space at a lower cost. [`Sqfa::fit`] does the same if
    /// it is cheapest, and fits in the whole space if it is not possible.
    ///
    /// # Errors
    ///
    /// Returns [`StatisticsError::NoSpan`] if the statistics are not stored as samples, or if the
    /// best filters may lie outside the span: with a log-Euclidean or user-defined distance,
    /// without a constraint, with fixed filters, or with more filters than the span has dimensions.
    /// Otherwise, returns the same errors as [`Sqfa::fit`].
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
                "the best filters of distance '{goal}' may lie outside of it: fit in the whole space"
            ));
        }
        if self.constraint == Constraint::None {
            return refuse("the fit needs the constraint sphere or orthonormal".to_owned());
        }
        if self.fixed.is_some() {
            return refuse(
                "fixed filters may lie outside of it: fit in the whole space".to_owned(),
            );
        }
        let span = statistics.reduced_to_span(self.filters)?;
        let order = span.statistics().dimension();
        if self.filters > order {
            let filters = self.filters;
            return refuse(format!(
                "{filters} filters were requested, but it has {order} dimensions: ask for at most {order}"
            ));
        }
        let mut recipe = self.clone();
        if let Start::Given(filters) = &self.start {
            recipe = recipe.start(Start::Given(span.lower(filters.as_ref())));
        }
        recipe.fit_lifted(span.statistics(), noise, &|filters| span.lift(filters), observer)
    }

    /// Fits filters in the few dimensions outside which every class is isotropic.
    ///
    /// Returns `None` if there are no such dimensions, or if a setting needs the whole space.
    /// Specified initial or fixed filters, for example, may lie outside these dimensions.
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
            // The passes over the original covariances: the optimization only uses the reduced
            // ones.
            fitted.passes = SEARCH_PASSES;
            fitted.seconds = began.elapsed().as_secs_f64();
            fitted
        }))
    }

    /// Fits filters to reduced statistics and transforms them back to all dimensions.
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
