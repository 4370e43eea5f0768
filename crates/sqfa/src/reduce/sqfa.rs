//! SQFA with its variants and the likelihood gain, as reducers.

use std::time::Instant;

use crate::distance::Distance;
use crate::model::{Degrees, FitError, FittedSqfa, Noise, Sqfa, Variant, Warning};
use crate::optimize::Observer;
use crate::remedy::Remedy;
use crate::statistics::Estimator;

use super::catalogue::reducer_entry;
use super::choose::choose;
use super::{ReduceError, Reducer, ReducerSettings, Reduction, Run, Setting, Training};

/// A variant of SQFA with its settings, or likelihood acquired directions if there is no variant.
#[derive(Debug, Clone)]
pub(crate) struct SqfaReducer {
    pub(crate) name: &'static str,
    pub(crate) variant: Option<Variant>,
    pub(crate) settings: ReducerSettings,
}

impl SqfaReducer {
    /// Returns the recipe for a number of filters.
    fn recipe(&self, training: &Training<'_>, filters: usize) -> Result<Sqfa, ReduceError> {
        let settings = &self.settings;
        let recipe = match &self.variant {
            Some(variant) => Sqfa::for_variant(variant, filters)?,
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
        if let Some(degrees) = self.degrees(training) {
            let distance = Distance::named(&format!("calvo-oller-t:{degrees}"));
            recipe = recipe.distance(distance.map_err(FitError::from)?);
        }
        if let (Some(distance), Some(_)) = (&settings.distance, &self.variant) {
            reducer_entry(self.name)?.check_distance(distance)?;
            recipe = recipe.distance(distance.clone());
        }
        if let Some(weights) = &settings.weights {
            recipe = recipe.weights(weights.clone());
        }
        if let Some(fixed) = &settings.fixed {
            recipe = recipe.fixed(fixed.clone());
        }
        if let Some(constraint) = settings.constraint {
            recipe = recipe.constraint(constraint);
        }
        Ok(recipe)
    }
}

/// Training data of a method for t distributions.
struct HeavyTailed<'a> {
    degrees: f64,
    /// The data with scatters; `None` if the statistics are used unchanged.
    training: Option<Training<'a>>,
    /// The factor by which covariances were multiplied.
    factor: Option<f64>,
}

impl SqfaReducer {
    /// Returns the degrees of freedom ν if classes are t distributions: the specified value, that
    /// of the statistics, or the default of the method.
    fn degrees(&self, training: &Training<'_>) -> Option<f64> {
        let known = self.settings.degrees.or(training.statistics().degrees());
        self.variant.as_ref().and_then(|variant| variant.degrees_with(known))
    }

    fn has_free_degrees(&self) -> bool {
        let own = self.variant.as_ref().and_then(|variant| variant.degrees);
        matches!(own, Some(Degrees::Usual(_)))
    }

    /// Determines the scatters of t distributions.
    ///
    /// Robust statistics are used unchanged. Otherwise, the scatters are estimated from the samples
    /// by the estimator t:ν or, without samples, computed from the covariances by matching moments.
    fn heavy_tailed<'a>(
        &self,
        training: &Training<'a>,
    ) -> Result<Option<HeavyTailed<'a>>, ReduceError> {
        let Some(degrees) = self.degrees(training) else { return Ok(None) };
        let heavy = HeavyTailed { degrees, training: None, factor: None };
        if training.statistics().robust().is_some() {
            return Ok(Some(heavy));
        }
        if training.estimator() == Estimator::Empirical {
            let found = training.estimated_by(Estimator::StudentT(Some(degrees)))?;
            if found.is_some() {
                return Ok(Some(HeavyTailed { training: found, ..heavy }));
            }
        }
        if degrees <= 2.0 {
            // t distributions with ν ≤ 2 have no covariance, so moments cannot be matched.
            let what = format!("{} with ν = {degrees}", self.name);
            return Err(ReduceError::NeedsPoints { what, remedy: Remedy::PointsOrLighterTails });
        }
        let factor = (degrees - 2.0) / degrees;
        let training = Some(training.scaled(factor));
        Ok(Some(HeavyTailed { training, factor: Some(factor), ..heavy }))
    }

    /// Selects the noise from the specified values on held-out samples, then fits all samples with
    /// it.
    fn fit_among(
        &self,
        recipe: &Sqfa,
        training: &Training<'_>,
        factor: Option<f64>,
        count: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Reduction, ReduceError> {
        let began = Instant::now();
        let (values, seed) = (&self.settings.noises, self.settings.seed);
        let mut chosen =
            choose(training, Setting::Noise, values, &[count], seed, |learn, noise| {
                let recipe = recipe.clone().noise(Noise::Value(noise));
                let scaled = factor.map(|factor| learn.scaled(factor));
                let statistics = scaled.as_ref().unwrap_or(learn).statistics();
                let fitted = recipe.fit_observed(statistics, observer)?;
                Ok(vec![fitted.filters().clone()])
            })?;
        let chosen = chosen.pop().ok_or(ReduceError::NoFilters { filters: count })?;
        let search_seconds = began.elapsed().as_secs_f64();
        let recipe = recipe.clone().noise(Noise::Value(chosen.value));
        let fitted = recipe.fit_observed(training.statistics(), observer)?;
        let mut found = Reduction::from(fitted);
        found.run.search_seconds = Some(search_seconds);
        Ok(Reduction { trials: chosen.trials, ..found })
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
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        let heavy = self.heavy_tailed(training)?;
        let factor = heavy.as_ref().and_then(|heavy| heavy.factor);
        let own = heavy.as_ref().and_then(|heavy| heavy.training.as_ref());
        let training = own.unwrap_or(training);
        let told = |mut reduction: Reduction| {
            if let Some(HeavyTailed { degrees, .. }) = heavy {
                if self.has_free_degrees() {
                    reduction.settings.push((Setting::Degrees, degrees));
                }
                if factor.is_some() {
                    reduction.run.warnings.push(Warning::MomentMatched { degrees });
                }
            }
            if own.is_some() {
                reduction.run.warnings.extend(Warning::of_statistics(training.statistics()));
            }
            reduction
        };
        filters
            .iter()
            .map(|&count| {
                let recipe = self.recipe(training, count)?;
                if self.settings.noise == Noise::Auto && !self.settings.noises.is_empty() {
                    return Ok(told(self.fit_among(&recipe, training, factor, count, observer)?));
                }
                Ok(told(recipe.fit_observed(training.statistics(), observer)?.into()))
            })
            .collect()
    }
}

impl From<FittedSqfa> for Reduction {
    fn from(fitted: FittedSqfa) -> Self {
        let run = Run {
            objective: Some(fitted.objective()),
            termination: Some(fitted.termination()),
            iterations: fitted.iterations(),
            optimizer: Some(fitted.optimizer()),
            passes: fitted.passes(),
            evaluations: fitted.evaluations(),
            restarts: fitted.restarts().to_vec(),
            best: fitted.best(),
            trace: fitted.trace().to_vec(),
            group_traces: fitted.group_traces().to_vec(),
            warnings: fitted.warnings().to_vec(),
            ..Run::closed(fitted.seconds())
        };
        let settings = vec![(Setting::Noise, fitted.noise())];
        let filters = fitted.filters().clone();
        Self { filters, run, settings, trials: Vec::new() }
    }
}
