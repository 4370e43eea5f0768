//! The noise chosen from data: QDA accuracy on held-out points over a grid of multiples of the scale.

use std::cell::Cell;
use std::time::Instant;

use crate::classify::Qda;
use crate::labels::Labels;
use crate::linalg::MatRef;
use crate::optimize::{Control, Observer, Progress, Termination};
use crate::points::Points;
use crate::split::{Split, stratified_split};
use crate::statistics::{ClassAccumulator, ClassStatistics, Estimator, StatisticsError};
use crate::transform::transform_rows;

use super::fitted::{FittedSqfa, NoiseTrial};
use super::recipe::{Noise, Restarts, Sqfa, Start};
use super::{FitError, Warning};

/// Multiples of the noise scale that are tried, from large to small.
pub(crate) const NOISE_GRID: [f64; 8] = [30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01];
/// Share of every class that is held out.
const HELD_OUT: f64 = 0.15;

impl Sqfa {
    /// Fits filters to labelled points; with noise `auto` the noise is chosen on held-out points first.
    pub fn fit_points(
        &self,
        points: Points<'_>,
        labels: &Labels,
        estimator: Estimator,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        if self.noise != Noise::Auto {
            let statistics = ClassStatistics::from_points(points, labels, estimator)?;
            return self.fit_observed(&statistics, observer);
        }
        let (rows, dimension) = (points.rows(), points.columns());
        if rows == 0 || dimension == 0 {
            return Err(StatisticsError::Empty { points: rows, dimension }.into());
        }
        if rows != labels.len() {
            return Err(StatisticsError::LabelCount { labels: labels.len(), points: rows }.into());
        }
        let Split { learn, held } = stratified_split(labels, HELD_OUT, self.seed)?;
        let mut part = ClassAccumulator::new(labels.classes().clone(), points.columns());
        part.update_rows(points, labels, &learn)?;
        let mut all = ClassAccumulator::new(labels.classes().clone(), points.columns());
        all.update_rows(points, labels, &held)?;
        all.merge(&part)?;
        let part = part.finish(estimator)?;
        let all = all.finish(estimator)?;
        let codes: Vec<u32> = held.iter().map(|&row| labels.codes()[row]).collect();
        let mut score = |filters: MatRef<'_, f64>| {
            let qda = Qda::from_statistics(&part, filters, None)?;
            let features = transform_rows(points, &held, filters);
            Ok(qda.accuracy(features.as_points(filters.ncols()), &codes)?)
        };
        self.fit_scored(&part, &all, &mut score, observer)
    }

    /// Chooses the noise by what `score` says of filters learned from `part`, then learns from `all`.
    pub(crate) fn fit_scored(
        &self,
        part: &ClassStatistics,
        all: &ClassStatistics,
        score: &mut dyn FnMut(MatRef<'_, f64>) -> Result<f64, FitError>,
        observer: &mut Observer<'_>,
    ) -> Result<FittedSqfa, FitError> {
        let began = Instant::now();
        let cancelled = Cell::new(false);
        let observer = &mut |progress: &Progress| {
            let control = observer(progress);
            cancelled.set(control == Control::Cancel);
            control
        };
        let scale = part.noise_scale();
        let mut trials: Vec<NoiseTrial> = Vec::new();
        let mut best: Option<(NoiseTrial, FittedSqfa)> = None;
        let mut warm: Option<FittedSqfa> = None;
        let (mut passes, mut evaluations) = (0, 0);
        for multiple in NOISE_GRID {
            let noise = multiple * scale;
            let mut recipe = self.clone().noise(Noise::Value(noise));
            if let Some(previous) = &warm {
                recipe = recipe
                    .start(Start::Given(previous.filters().clone()))
                    .restarts(Restarts::Count(1));
            }
            let mut fitted = recipe.fit_observed(part, observer)?;
            passes += fitted.passes();
            evaluations += fitted.evaluations();
            if cancelled.get() {
                let best = fitted.best;
                fitted.restarts[best].termination = Termination::Cancelled;
                fitted.warnings.push(Warning::CancelledInSearch { noise });
                fitted.noise_trials = trials;
                fitted.passes = passes;
                fitted.evaluations = evaluations;
                fitted.seconds = began.elapsed().as_secs_f64();
                return Ok(fitted);
            }
            let accuracy = score(fitted.filters().as_ref())?;
            let trial = NoiseTrial { noise, accuracy };
            trials.push(trial);
            // Strictly better: ties go to the larger noise, which came first.
            if best.as_ref().is_none_or(|(best, _)| accuracy > best.accuracy) {
                best = Some((trial, fitted.clone()));
            }
            warm = Some(fitted);
        }
        let Some((chosen, start)) = best else { return Err(FitError::NoiseNeedsPoints) };
        let search_seconds = began.elapsed().as_secs_f64();
        let recipe = self.clone().noise(Noise::Value(chosen.noise));
        let mut fitted = recipe.fit_observed(all, observer)?;
        passes += fitted.passes();
        evaluations += fitted.evaluations();
        if !cancelled.get() {
            let mut continued = recipe
                .start(Start::Given(start.filters().clone()))
                .restarts(Restarts::Count(1))
                .fit_observed(all, observer)?;
            passes += continued.passes();
            evaluations += continued.evaluations();
            if continued.objective() > fitted.objective() {
                let own = continued.restarts.remove(0);
                continued.restarts = fitted.restarts;
                continued.restarts.push(own);
                continued.best = continued.restarts.len() - 1;
                fitted = continued;
            }
        }
        fitted.noise_trials = trials;
        fitted.passes = passes;
        fitted.evaluations = evaluations;
        fitted.seconds = began.elapsed().as_secs_f64();
        fitted.search_seconds = search_seconds;
        Ok(fitted)
    }
}
