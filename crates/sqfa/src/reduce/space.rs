//! Points in the leading principal components, about their mean, where methods that look at single points work; filters are lifted back: F = V·W.

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

/// The fraction of the largest variance that a component needs to count as varying.
const VARYING: f64 = 1e-12;

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

    /// Chooses a setting for every number of filters by itself, then learns with it.
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
        // Where nothing of the training data is held out, values are tried in the space of the last fit.
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

/// How many leading components vary: in the others, as between repeated columns, scatters are singular.
///
/// This is measured on the features themselves, because the covariance of single-precision samples has rounding errors far
/// above the variance of such components.
fn varying_components(features: &Features, components: usize) -> usize {
    let mut squares = vec![0.0; components];
    for row in features.to_f64().chunks_exact(components) {
        squares.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    let largest = squares.iter().copied().fold(0.0, f64::max);
    squares.iter().rposition(|&sum| sum > VARYING * largest).map_or(1, |last| last + 1)
}

/// The filters of every value, in a space's own coordinates. The largest value comes first, and each begins where the one before
/// it ended: large values of a setting make smooth losses.
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

/// A fit inside a space, for one value of the setting and one number of filters.
pub(super) struct Task<'a> {
    pub(super) space: &'a Space,
    pub(super) value: f64,
    pub(super) count: usize,
    /// Filters to begin with, in the space's coordinates, where there are any.
    pub(super) start: Option<&'a Mat<f64>>,
    /// Whether its filters are kept, rather than compared with those of other values.
    pub(super) last: bool,
}

/// Does a task.
pub(super) type Solve<'a> =
    &'a dyn Fn(&Task<'_>, &mut Observer<'_>) -> Result<SampleFit, ReduceError>;

impl Space {
    pub(super) fn points(&self) -> Points<'_> {
        self.features.as_points(self.basis.ncols())
    }

    pub(super) fn lift(&self, filters: &Mat<f64>) -> Mat<f64> {
        tall_times(self.basis.as_ref(), filters.as_ref())
    }

    /// Filters of preprocessed points in the space's coordinates.
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

/// A setting that must be a whole number.
pub(super) fn whole(setting: Setting, value: f64) -> Result<usize, ReduceError> {
    if value.fract() == 0.0 && (1.0..=1e9).contains(&value) {
        Ok(value as usize)
    } else {
        Err(ReduceError::Setting { setting, value, range: "a whole number of at least 1, or auto" })
    }
}
