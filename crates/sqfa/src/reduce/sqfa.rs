//! SQFA and its variants, and the likelihood gain on the same statistics, as reducers among others.

use std::time::Instant;

use crate::model::{FitError, FittedSqfa, Method, Noise, Sqfa};
use crate::optimize::{Control, Progress};

use super::choose::choose;
use super::{ReduceError, Reducer, ReducerSettings, Reduction, Setting, Training, Trial};

/// One of the paper's variants with its settings; no method stands for likelihood acquired directions.
#[derive(Debug, Clone)]
pub(crate) struct SqfaReducer {
    pub(crate) name: &'static str,
    pub(crate) method: Option<Method>,
    pub(crate) settings: ReducerSettings,
}

impl SqfaReducer {
    /// The recipe for so many filters.
    fn recipe(&self, filters: usize) -> Result<Sqfa, ReduceError> {
        let settings = &self.settings;
        let recipe = match &self.method {
            Some(method) => Sqfa::for_method(method, filters)?,
            None => Sqfa::likelihood_gain(filters)?,
        };
        let mut recipe = recipe
            .noise(settings.noise)
            .start(settings.start.clone())
            .restarts(settings.restarts)
            .learning(settings.learning.unwrap_or_default())
            .seed(settings.seed)
            .pairs(settings.pairs)
            .optimizer(settings.optimizer)
            .stopping(settings.stopping);
        if let (Some(distance), Some(_)) = (&settings.distance, &self.method) {
            recipe = recipe.distance(distance.clone());
        }
        if let Some(weights) = &settings.weights {
            recipe = recipe.weights(weights.clone());
        }
        if let Some(constraint) = settings.constraint {
            recipe = recipe.constraint(constraint);
        }
        Ok(recipe)
    }
}

impl SqfaReducer {
    /// Chooses the noise among given values on held-out points, then fits all points with it.
    fn fit_among(
        &self,
        recipe: &Sqfa,
        training: &Training<'_>,
        count: usize,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Reduction, ReduceError> {
        let began = Instant::now();
        let (values, seed) = (&self.settings.noises, self.settings.seed);
        let mut chosen =
            choose(training, Setting::Noise, values, &[count], seed, |learn, noise| {
                let recipe = recipe.clone().noise(Noise::Value(noise));
                let fitted = recipe.fit_observed(learn.statistics(), observer)?;
                Ok(vec![fitted.filters().clone()])
            })?;
        let chosen = chosen.pop().ok_or(ReduceError::NoFilters { filters: count })?;
        let search_seconds = began.elapsed().as_secs_f64();
        let recipe = recipe.clone().noise(Noise::Value(chosen.value));
        let fitted = recipe.fit_observed(training.statistics(), observer)?;
        Ok(Reduction { search_seconds, trials: chosen.trials, ..Reduction::from(fitted) })
    }
}

impl Reducer for SqfaReducer {
    fn name(&self) -> &str {
        self.name
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        filters
            .iter()
            .map(|&count| {
                let recipe = self.recipe(count)?;
                if self.settings.noise == Noise::Auto && !self.settings.noises.is_empty() {
                    return self.fit_among(&recipe, training, count, observer);
                }
                let fitted = if self.settings.noise == Noise::Auto {
                    let split = training.without_held_out("noise", self.settings.seed);
                    let (learn, held) = split.map_err(|error| match error {
                        ReduceError::NeedsPoints { .. } => FitError::NoiseNeedsPoints.into(),
                        ReduceError::Split { source, .. } => FitError::NoiseSplit(source).into(),
                        other => other,
                    })?;
                    recipe.fit_judged(
                        learn.statistics(),
                        training.statistics(),
                        &mut |filters| {
                            learn.held_out_accuracy(filters, &held).map_err(ReduceError::into_fit)
                        },
                        observer,
                    )?
                } else {
                    recipe.fit_observed(training.statistics(), observer)?
                };
                Ok(Reduction::from(fitted))
            })
            .collect()
    }
}

impl From<FittedSqfa> for Reduction {
    fn from(fitted: FittedSqfa) -> Self {
        let best = fitted.best();
        let mut traces: Vec<Vec<f64>> =
            fitted.restarts().iter().map(|restart| restart.trace.clone()).collect();
        traces.swap(0, best);
        let trials = fitted.noise_trials().iter();
        Self {
            filters: fitted.filters().clone(),
            seconds: fitted.seconds() - fitted.search_seconds(),
            search_seconds: fitted.search_seconds(),
            iterations: fitted.iterations(),
            termination: Some(fitted.termination()),
            objective: Some(fitted.objective()),
            traces,
            restarts: fitted.restarts().to_vec(),
            best,
            passes: fitted.passes(),
            evaluations: fitted.evaluations(),
            optimizer: Some(fitted.optimizer()),
            settings: vec![(Setting::Noise, fitted.noise())],
            trials: trials
                .map(|trial| Trial {
                    setting: Setting::Noise,
                    value: trial.noise,
                    accuracy: trial.accuracy,
                })
                .collect(),
            warnings: fitted.warnings().to_vec(),
        }
    }
}
