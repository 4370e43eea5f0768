//! Samples in their leading principal components, centered. Methods that learn from single samples
//! work in these coordinates, and their filters W are transformed back to F = VW.

use std::time::Instant;

use crate::labels::Labels;
use crate::linalg::{Mat, tall_times, transpose_times};
use crate::model::Warning;
use crate::optimize::Observer;
use crate::points::Points;
use crate::remedy::Remedy;
use crate::transform::Features;

use super::choose::{Chosen, Search};
use super::samples::{SampleFit, balanced_rows};
use super::setting::Usual;
use super::{
    Limit, Parameter, Pca, ReduceError, ReducerSettings, Reduction, Run, Setting, Training,
    largest_count,
};

/// Variance of a component, as a fraction of the largest, below which it counts as constant.
const VARYING: f64 = 1e-12;

/// The part of the data that a method uses: the number of components and the number of samples per class.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) method: &'static str,
    pub(super) dimensions: usize,
    pub(super) per_class: usize,
    pub(super) seed: u64,
}

/// Samples in principal components, with the basis that transforms filters back.
pub(super) struct Space {
    basis: Mat<f64>,
    features: Features,
    pub(super) labels: Labels,
}

impl View {
    /// Creates a view from the settings, with the defaults of the method's parameters.
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

    /// Checks that no more filters than components are requested.
    pub(super) fn check(
        &self,
        training: &Training<'_>,
        filters: &[usize],
    ) -> Result<(), ReduceError> {
        let limit = Limit::Components.most(training.statistics(), Some(self.dimensions));
        largest_count(self.method, filters, limit).map(|_| ())
    }

    /// Returns the samples of training data in this view.
    pub(super) fn of(&self, training: &Training<'_>) -> Result<Space, ReduceError> {
        let samples = training.need_samples(self.method, Remedy::PointsOrOtherMethod)?;
        let rows = training.rows();
        // The rank of within-class scatters is at most the number of samples minus classes, and
        // that of local ones hardly half of it.
        let varying = rows.len().saturating_sub(training.statistics().classes().len()) / 2;
        let varying = varying.max(1);
        let count = self.dimensions.min(training.statistics().dimension()).min(varying);
        let basis = Pca::default().components(training, count)?;
        let own = samples.labels.select(&rows);
        let chosen: Vec<usize> =
            balanced_rows(&own, self.per_class, self.seed).into_iter().map(|at| rows[at]).collect();
        let features = samples.centered_features(&chosen, basis.as_ref());
        let labels = samples.labels.select(&chosen);
        match varying_components(&features, count) {
            kept if kept == count => Ok(Space { basis, features, labels }),
            kept => {
                let basis = basis.subcols(0, kept).to_owned();
                let features = samples.centered_features(&chosen, basis.as_ref());
                Ok(Space { basis, features, labels })
            }
        }
    }

    /// Selects a value of the setting for every number of filters separately, then learns the
    /// filters with it.
    pub(super) fn fit_each(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        (setting, values): (Setting, &[f64]),
        observer: &mut Observer<'_>,
        solve: Solve<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.check(training, filters)?;
        let space = self.of(training)?;
        let search = match values.len() {
            1 => None,
            _ => Some(Search::new(training, setting, self.seed)?),
        };
        // If no training data are held out, values are tried in the space of the final fit.
        let apart = match &search {
            Some(search) if !search.on_all => Some(self.of(&search.learn)?),
            _ => None,
        };
        let mut results = Vec::new();
        for &count in filters {
            let began = Instant::now();
            let (chosen, start) = match &search {
                None => (Chosen::given(values.first().copied().unwrap_or(f64::NAN)), None),
                Some(search) => {
                    let own = apart.as_ref().unwrap_or(&space);
                    let tried = try_each(own, values, count, observer, solve);
                    let lifted = tried.iter().map(|found| match found {
                        Ok(filters) => Ok(vec![own.lift(filters)]),
                        Err(error) => Err(error.clone()),
                    });
                    let mut chosen = search.judge(values, 1, lifted)?;
                    let chosen = chosen.pop().ok_or(ReduceError::NoFilters { filters: count })?;
                    let taken = values.iter().position(|value| *value == chosen.value);
                    let start = taken.and_then(|at| tried[at].as_ref().ok());
                    let start = start.map(|filters| space.lower(&own.lift(filters)));
                    (chosen, start)
                }
            };
            let search_seconds = search.as_ref().map(|_| began.elapsed().as_secs_f64());
            let began = Instant::now();
            let task = Task {
                space: &space,
                value: chosen.value,
                count,
                start: start.as_ref(),
                last: true,
            };
            let fitted = solve(&task, observer)?;
            let mut reduction = accounted(fitted, began.elapsed().as_secs_f64());
            reduction.filters = space.lift(&reduction.filters);
            reduction.run.search_seconds = search_seconds;
            reduction.settings.push((setting, chosen.value));
            reduction.trials = chosen.trials;
            results.push(reduction);
        }
        Ok(results)
    }
}

/// Returns the number of leading components that vary. In the others, as between repeated columns,
/// scatters are singular.
///
/// It is measured on the features themselves, because the rounding errors in the covariance of
/// single-precision samples are far larger than the variance of such components.
fn varying_components(features: &Features, components: usize) -> usize {
    let mut squares = vec![0.0; components];
    for row in features.to_f64().chunks_exact(components) {
        squares.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    let largest = squares.iter().copied().fold(0.0, f64::max);
    squares.iter().rposition(|&sum| sum > VARYING * largest).map_or(1, |last| last + 1)
}

/// Returns the filters of every value, in the coordinates of the space.
///
/// The largest value comes first, and each fit starts from the filters of the previous one. Large
/// values make smooth losses, so this avoids poor local minima.
fn try_each(
    space: &Space,
    values: &[f64],
    count: usize,
    observer: &mut Observer<'_>,
    solve: Solve<'_>,
) -> Vec<Result<Mat<f64>, ReduceError>> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let mut tried: Vec<Option<Result<Mat<f64>, ReduceError>>> = vec![None; values.len()];
    let mut start: Option<Mat<f64>> = None;
    for at in order {
        let task = Task { space, value: values[at], count, start: start.as_ref(), last: false };
        let found = solve(&task, observer).map(|fitted| fitted.filters);
        if let Ok(filters) = &found {
            start = Some(filters.clone());
        }
        tried[at] = Some(found);
    }
    tried.into_iter().flatten().collect()
}

/// A fit within a space, for one value of the setting and one number of filters.
pub(super) struct Task<'a> {
    pub(super) space: &'a Space,
    pub(super) value: f64,
    pub(super) count: usize,
    /// The initial filters in the coordinates of the space, if there are any.
    pub(super) start: Option<&'a Mat<f64>>,
    /// Whether the filters are kept, instead of compared with those of other values.
    pub(super) last: bool,
}

/// A function that computes the filters of a task.
pub(super) type Solve<'a> =
    &'a dyn Fn(&Task<'_>, &mut Observer<'_>) -> Result<SampleFit, ReduceError>;

impl Space {
    pub(super) fn points(&self) -> Points<'_> {
        self.features.as_points(self.basis.ncols())
    }

    pub(super) fn lift(&self, filters: &Mat<f64>) -> Mat<f64> {
        tall_times(self.basis.as_ref(), filters.as_ref())
    }

    /// Returns filters of preprocessed samples in the coordinates of the space.
    fn lower(&self, filters: &Mat<f64>) -> Mat<f64> {
        transpose_times(self.basis.as_ref(), filters.as_ref())
    }
}

fn accounted(fitted: SampleFit, seconds: f64) -> Reduction {
    let (iterations, termination) = (fitted.iterations, fitted.termination);
    let unsettled = Warning::NotConverged { iterations, termination };
    let run = Run {
        objective: Some(fitted.loss),
        termination: Some(termination),
        iterations,
        trace: fitted.trace,
        warnings: if termination.converged() { Vec::new() } else { vec![unsettled] },
        ..Run::closed(seconds)
    };
    Reduction { run, ..Reduction::closed(fitted.filters, seconds) }
}

/// Converts the value of a setting to a whole number of at least 1.
pub(super) fn whole(setting: Setting, value: f64) -> Result<usize, ReduceError> {
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as usize)
    } else {
        Err(ReduceError::Setting { setting, value, range: "a whole number of at least 1, or auto" })
    }
}
