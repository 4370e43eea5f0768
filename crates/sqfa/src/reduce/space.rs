//! Points in the leading principal components, about their mean, where methods that look at single points work; filters are lifted back: F = V·W.

use std::time::Instant;

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times};
use crate::model::Warning;
use crate::optimize::{Control, Progress};
use crate::points::Points;
use crate::remedy::Remedy;
use crate::transform::Features;

use super::choose::choose;
use super::samples::{SampleFit, balanced_rows};
use super::setting::Usual;
use super::{
    Limit, Parameter, Pca, ReduceError, ReducerSettings, Reduction, Setting, Training,
    largest_count,
};

/// How a method sees points: in how many components, and how many of every class.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) method: &'static str,
    pub(super) dimensions: usize,
    pub(super) per_class: usize,
    pub(super) seed: u64,
}

/// Points in principal components, and the way back.
pub(super) struct Space {
    basis: Mat<f64>,
    features: Features,
    pub(super) labels: Labels,
}

impl View {
    /// The view that settings ask for, and a method's parameters where they do not.
    pub(super) fn new(
        method: &'static str,
        parameters: &[Parameter],
        settings: &ReducerSettings,
    ) -> Self {
        let usual = |setting: Setting| {
            let own = parameters.iter().find(|parameter| parameter.setting == setting);
            let own = own.filter(|parameter| parameter.usual != Usual::Common);
            own.map_or(usize::MAX, |parameter| parameter.number() as usize)
        };
        Self {
            method,
            dimensions: settings.dimensions.unwrap_or_else(|| usual(Setting::Dimensions)),
            per_class: settings.per_class.unwrap_or_else(|| usual(Setting::PerClass)),
            seed: settings.seed,
        }
    }

    /// Refuses more filters than components.
    pub(super) fn check(
        &self,
        training: &Training<'_>,
        filters: &[usize],
    ) -> Result<(), ReduceError> {
        let limit = Limit::Components.most(training.statistics(), Some(self.dimensions));
        largest_count(self.method, filters, limit).map(|_| ())
    }

    /// The points of some training data, as the method sees them.
    pub(super) fn of(&self, training: &Training<'_>) -> Result<Space, ReduceError> {
        let samples = training.need_samples(self.method, Remedy::PointsOrOtherMethod)?;
        let rows = training.rows();
        // Scatters within classes have no more directions than points, and local ones hardly half of them.
        let varying = rows.len().saturating_sub(training.statistics().classes().len()) / 2;
        let varying = varying.max(1);
        let count = self.dimensions.min(training.statistics().dimension()).min(varying);
        let basis = Pca::default().components(training, count)?;
        let own = samples.labels.select(&rows);
        let chosen: Vec<usize> =
            balanced_rows(&own, self.per_class, self.seed).into_iter().map(|at| rows[at]).collect();
        let features = samples.centred_features(&chosen, basis.as_ref());
        Ok(Space { basis, features, labels: samples.labels.select(&chosen) })
    }

    /// Chooses a setting for every number of filters by itself, then learns with it.
    pub(super) fn fit_each(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        (setting, values): (Setting, &[f64]),
        observer: &mut dyn FnMut(&Progress) -> Control,
        solve: Solve<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.check(training, filters)?;
        let space = self.of(training)?;
        let mut results = Vec::new();
        for &count in filters {
            let began = Instant::now();
            let mut chosen =
                choose(training, setting, values, &[count], self.seed, |learn, value| {
                    let space = self.of(learn)?;
                    let fitted = solve(&space, value, count, observer)?;
                    Ok(vec![space.lift(&fitted.filters)])
                })?;
            let chosen = chosen.pop().ok_or(ReduceError::NoFilters { filters: count })?;
            let search_seconds = if values.len() > 1 { began.elapsed().as_secs_f64() } else { 0.0 };
            let began = Instant::now();
            let fitted = solve(&space, chosen.value, count, observer)?;
            let mut reduction = accounted(fitted, began.elapsed().as_secs_f64());
            reduction.filters = space.lift(&reduction.filters);
            reduction.search_seconds = search_seconds;
            reduction.settings.push((setting, chosen.value));
            reduction.trials = chosen.trials;
            results.push(reduction);
        }
        Ok(results)
    }
}

/// A fit inside a space, for one value of the setting and one number of filters.
pub(super) type Solve<'a> = &'a dyn Fn(
    &Space,
    f64,
    usize,
    &mut dyn FnMut(&Progress) -> Control,
) -> Result<SampleFit, ReduceError>;

impl Space {
    pub(super) fn points(&self) -> Points<'_> {
        self.features.as_points(self.basis.ncols())
    }

    pub(super) fn lift(&self, filters: &Mat<f64>) -> Mat<f64> {
        tall_times(self.basis.as_ref(), filters.as_ref())
    }
}

fn accounted(fitted: SampleFit, seconds: f64) -> Reduction {
    let mut reduction = Reduction::closed(fitted.filters, seconds);
    let (iterations, termination) = (fitted.iterations, fitted.termination);
    reduction.iterations = iterations;
    reduction.termination = Some(termination);
    reduction.objective = Some(fitted.loss);
    reduction.traces = vec![fitted.trace];
    if !termination.converged() {
        reduction.warnings.push(Warning::NotConverged { iterations, termination });
    }
    reduction
}

/// A setting that must be a whole number.
pub(super) fn whole(setting: Setting, value: f64) -> Result<usize, ReduceError> {
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as usize)
    } else {
        Err(ReduceError::Setting { setting, value, range: "a whole number of at least 1, or auto" })
    }
}
