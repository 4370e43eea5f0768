//! Accuracy maximization analysis with Gaussian classes (AMA-Gauss): filters that maximize the mean
//! log posterior of the true class (Geisler et al., 2009; Jaini & Burge, 2017).
//!
//! The noise is added to the feature covariances of the classes, but not to the features of the
//! samples, and the prior is uniform. Filters are learned in pairs, with earlier pairs frozen,
//! unless joint learning is requested. An iteration costs two passes over the samples and one over
//! the class covariances.

use std::time::Instant;

use crate::constraint::Constraint;
use crate::linalg::{Mat, beside};
use crate::model::{
    FitError, Learning, MOST_RESTARTS, Restarts, Warning, random, with_fixed_signs,
    with_unit_length,
};
use crate::objective::{LabeledRows, Objective, Posterior, Restrictable};
use crate::optimize::{
    Best, Observer, Optimizer, Preconditioner, Preconditioning, best_of, climb, climb_in_subspaces,
};
use crate::remedy::Remedy;

use super::setting::{Parameter, Setting, Usual};
use super::{Limit, ReduceError, Reducer, ReducerSettings, Reduction, Training, largest_count};

/// The AMA-Gauss method with its settings.
#[derive(Debug, Clone)]
pub(crate) struct Ama {
    pub(crate) settings: ReducerSettings,
}

/// Default number of filters that are learned at a time.
const PAIR: usize = 2;

/// The settings that AMA-Gauss uses.
pub(super) const SETTINGS: &[Parameter] = &[
    Parameter { usual: Usual::Word("scale"), ..Parameter::common(Setting::Noise) },
    Parameter::count(Setting::Sequential, PAIR, ""),
    Parameter::count(Setting::Restarts, 1, ""),
    Parameter::common(Setting::MaxIterations),
    Parameter::common(Setting::Optimizer),
    Parameter::common(Setting::Tolerance),
];

impl Ama {
    fn fit_count(
        &self,
        training: &Training<'_>,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Reduction, ReduceError> {
        let began = Instant::now();
        let settings = &self.settings;
        let samples = *training.need_samples("ama", Remedy::PointsOrOtherMethod)?;
        let statistics = training.statistics();
        let noise = settings.noise.value(statistics.noise_scale());
        if !noise.is_finite() || noise < 0.0 {
            let range = "a finite number of at least 0";
            return Err(ReduceError::Setting { setting: Setting::Noise, value: noise, range });
        }
        let rows = training.rows();
        let codes = samples.codes(&rows);
        let classes = statistics.classes().len();
        let priors = vec![1.0 / classes as f64; classes];
        let requested = Preconditioning::Auto;
        let largest = crate::model::largest_variance(statistics);
        let preconditioner = Preconditioner::new(statistics, noise, largest, requested);
        let size = match settings.learning {
            Some(Learning::Sequential(size)) => size.max(1),
            Some(Learning::Joint) => filters.max(1),
            None => PAIR,
        };
        let starts = match settings.restarts {
            Restarts::Count(count) if count > MOST_RESTARTS => {
                return Err(FitError::TooManyRestarts { count, most: MOST_RESTARTS }.into());
            }
            Restarts::Count(count) => count.max(1),
            Restarts::Auto => 1,
        };
        let mut learned: Option<Mat<f64>> = None;
        let mut result = Reduction::closed(Mat::zeros(0, 0), 0.0);
        let mut frozen = 0;
        while frozen < filters {
            let moving = size.min(filters - frozen);
            let split = LabeledRows {
                points: samples.points,
                preprocessor: samples.preprocessor,
                rows: rows.clone(),
                codes: codes.clone(),
            };
            let constraint = Constraint::Sphere;
            let count = frozen + moving;
            let objective =
                Posterior::new(statistics, split, constraint, noise, count, frozen, &priors);
            let block = |start: usize| {
                let stream = ((frozen as u64) << 32) | start as u64;
                let drawn = random(statistics.dimension(), moving, settings.seed, stream);
                let drawn = with_unit_length(drawn);
                match &learned {
                    Some(learned) => beside(&[learned.as_ref(), drawn.as_ref()]),
                    None => drawn,
                }
            };
            let optimizer = settings.optimizer.chosen(objective.effort());
            result.run.optimizer = Some(optimizer);
            let climb = if optimizer == Optimizer::Subspace { climb_in_subspaces } else { climb };
            let best = best_of(starts, objective.start_bytes(), observer, |batch, observer| {
                let blocks = batch.map(block).collect();
                climb(&objective, blocks, &preconditioner, settings.stopping, observer, frozen)
            });
            let best = best
                .map_err(|error| FitError::from_evaluation(error, statistics.classes(), noise))?;
            let Some(Best { point, index: best, runs, .. }) = best else { break };
            let filters = with_unit_length(objective.filters(&point));
            result.run.iterations += runs[best].iterations;
            result.run.termination = Some(runs[best].termination);
            result.run.objective = Some(runs[best].end());
            let mut traces: Vec<Vec<f64>> = runs.iter().map(|run| run.trace.clone()).collect();
            result.run.trace = traces.remove(best);
            result.run.other_traces = traces;
            learned = Some(filters);
            frozen = count;
            if runs[best].termination == crate::optimize::Termination::Cancelled {
                break;
            }
        }
        result.filters = with_fixed_signs(learned.ok_or(ReduceError::NoFilters { filters })?);
        result.settings.push((Setting::Noise, noise));
        result.run.seconds = began.elapsed().as_secs_f64();
        if let Some(termination) = result.run.termination.filter(|end| !end.converged()) {
            let iterations = result.run.iterations;
            result.run.warnings.push(Warning::NotConverged { iterations, termination });
        }
        Ok(result)
    }
}

impl Reducer for Ama {
    fn name(&self) -> &str {
        "ama"
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let limit = Limit::Dimension.most(training.statistics(), None);
        largest_count("ama", filters, limit)?;
        filters.iter().map(|&count| self.fit_count(training, count, observer)).collect()
    }
}
