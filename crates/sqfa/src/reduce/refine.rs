//! The discriminative refinement: any filters, improved on the posterior of the true class.
//!
//! Maximises (1/N) Σ_s ln p(y_s | z_s) (see `objective::posterior`) from given filters, within the span of the leading
//! principal components and the filters themselves. A fraction of the training samples is held out first. Starting filters
//! and components are those of the other samples, on which the optimization stops when the held-out samples are no longer
//! classified better. All training samples then take as many steps. If the gain on the held-out samples is no larger than
//! chance would make it, the filters stay as they are.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, beside, tall_times, transpose_times};
use crate::model::{with_fixed_signs, with_unit_length};
use crate::objective::{Posterior, Restrictable, TrainValidation};
use crate::optimize::{
    Control, Observer, Optimizer, Preconditioner, Preconditioning, Progress, Stopping, Termination,
    climb, climb_in_subspaces,
};
use crate::remedy::Remedy;
use crate::statistics::ClassStatistics;
use crate::transform::Features;

use super::{ReduceError, Reducer, Reduction, Samples, Setting, Training};

/// How filters are refined.
#[derive(Debug, Clone)]
pub struct Refinement {
    /// Iterations at most.
    pub max_iterations: usize,
    /// Iterations without a better held-out score after which the search ends.
    pub patience: usize,
    /// Principal components that the refined filters may use beside the given ones; otherwise about 1200 divided by the number
    /// of filters, at least 150. Few filters cannot overfit and gain from more components; many do overfit.
    pub dimensions: Option<usize>,
    /// Noise added to feature covariances, as shares of the noise scale: the best on held-out points is used. It keeps
    /// filters away from directions with little variance, where training points alone tell classes apart.
    pub noise: Vec<f64>,
    /// The seed of the held-out part.
    pub seed: u64,
    /// Lines or subspaces.
    pub optimizer: Optimizer,
}

impl Default for Refinement {
    fn default() -> Self {
        Self {
            max_iterations: 120,
            patience: 15,
            dimensions: None,
            noise: vec![0.3, 0.03],
            seed: 0,
            optimizer: Optimizer::Auto,
        }
    }
}

/// Numbers that the refined filters have in all, unless that leaves too few components.
const PARAMETERS: usize = 1200;
const COMPONENTS: usize = 150;

/// The filters that a method finds on a part of the training data.
pub(crate) type StartOf<'a> =
    dyn Fn(&Training<'_>, &mut Observer<'_>) -> Result<Mat<f64>, ReduceError> + 'a;

/// One noise and number of iterations that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RefinementTrial {
    /// The fraction of the within-class variance.
    pub noise: f64,
    /// Iterations from the initial filters.
    pub steps: usize,
    /// Mean ln p(true class), each at least ln 0.05; `None` if trials were compared by accuracy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_posterior: Option<f64>,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// How far filters were refined, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefinementChoice {
    /// Iterations that were taken; 0 if the filters stayed as they were.
    pub steps: usize,
    /// The noise they were taken against, as a fraction of the within-class variance.
    pub noise: f64,
    /// By how much the mean log posterior of the best trial was ahead of that of the initial filters, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// The held-out accuracy of the choice: for each fold, that of the trial which the other folds select.
    pub accuracy: f64,
    /// All that was tried; the first is the initial filters.
    pub trials: Vec<RefinementTrial>,
}

/// A difference between two mean log posteriors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The difference.
    pub mean: f64,
    /// Its standard error, paired sample by sample.
    pub error: f64,
}

impl RefinementChoice {
    /// Returns a choice from the accuracies before and after on one held-out part.
    pub(crate) fn on_one_part(steps: usize, noise: f64, before: f64, after: f64) -> Self {
        let trial =
            |steps, accuracy| RefinementTrial { noise, steps, log_posterior: None, accuracy };
        Self {
            steps,
            noise,
            gain: None,
            accuracy: if steps > 0 { after } else { before },
            trials: vec![trial(0, before), trial(steps, after)],
        }
    }

    /// Returns the held-out accuracy before the refinement, if anything was tried.
    pub fn before(&self) -> Option<f64> {
        self.trials.first().map(|trial| trial.accuracy)
    }

    /// Returns steps, noise and held-out accuracies, by names that never change.
    pub fn facts(&self) -> Vec<(&'static str, f64)> {
        let before = self.before().map(|accuracy| ("held-out accuracy before", accuracy));
        let mut facts =
            vec![("refinement steps", self.steps as f64), ("refinement noise", self.noise)];
        facts.extend(before);
        facts.push(("held-out accuracy after", self.accuracy));
        facts
    }
}

/// What became of the filters.
#[derive(Debug, Clone)]
pub(crate) struct Refined {
    pub(crate) filters: Mat<f64>,
    /// How far they were refined; `None` if the observer cancelled before anything was scored.
    pub(crate) choice: Option<RefinementChoice>,
    /// The objective after every iteration, if the filters were refined.
    pub(crate) trace: Option<Vec<f64>>,
    pub(crate) cancelled: bool,
}

impl Refinement {
    /// Refines filters of preprocessed points; `start_of` gives the filters of a part of the training data.
    pub(crate) fn refine(
        &self,
        training: &Training<'_>,
        start: MatRef<'_, f64>,
        start_of: &StartOf<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Refined, ReduceError> {
        let samples = *training.need_samples("refinement", Remedy::PointsOrWithout)?;
        let (learn, held) = training.without_held_out("refinement", self.seed)?;
        // Filters and components that have seen the samples held out would make every score a training score.
        let own = if training.is_validated() { None } else { Some(start_of(&learn, observer)?) };
        let trial = self.within(&learn, own.as_ref().map_or(start, Mat::as_ref), samples, &held)?;
        let plain = training.is_judged_plainly();
        let mut best: Option<Tried> = None;
        for &noise in &self.noise {
            let (free, split) = (trial.free.clone(), trial.split(true));
            let steps = Steps { noise, plain, most: self.max_iterations };
            let run = self.run(&trial.statistics, split, free, steps, observer)?;
            let cancelled = run.cancelled;
            let tried = Tried::new(noise, run);
            // Strictly better: ties go to the larger noise, which comes first.
            if best.as_ref().is_none_or(|best| tried.after() > best.after()) {
                best = Some(tried);
            }
            if cancelled {
                break;
            }
        }
        let Some(best) = best else {
            let range = "at least one share";
            return Err(ReduceError::Setting { setting: Setting::Noise, value: 0.0, range });
        };
        let choice = |steps| {
            let (before, after) = (best.scores.first()?, best.after()?);
            Some(RefinementChoice::on_one_part(steps, best.noise, *before, after))
        };
        let cancelled = best.run.cancelled;
        if cancelled || !is_gain(&best.run.scored, best.step) {
            let filters = start.to_owned();
            return Ok(Refined { filters, choice: choice(0), trace: None, cancelled });
        }
        drop(trial);
        let all = self.within(training, start, samples, &[])?;
        let (free, split) = (all.free.clone(), all.split(false));
        let steps = Steps { noise: best.noise, plain, most: best.step };
        let fitted = self.run(&all.statistics, split, free, steps, observer)?;
        let lifted = tall_times(all.basis.as_ref(), fitted.filters.as_ref());
        Ok(Refined {
            filters: with_fixed_signs(with_unit_length(lifted)),
            choice: choice(best.step),
            trace: Some(fitted.trace),
            cancelled: fitted.cancelled,
        })
    }

    /// The training samples and those held out in the coordinates of a basis of the start and of principal components.
    fn within(
        &self,
        training: &Training<'_>,
        start: MatRef<'_, f64>,
        samples: Samples<'_>,
        held: &[usize],
    ) -> Result<Within, ReduceError> {
        let basis = self.basis(training.statistics(), start)?;
        // Rows that are learned from come first, so that every pass reads them as they lie.
        let mut rows = training.rows();
        let learned = rows.len();
        rows.extend(held);
        Ok(Within {
            coordinates: samples.features(&rows, basis.as_ref()),
            codes: samples.codes(&rows),
            learned,
            free: transpose_times(basis.as_ref(), start),
            statistics: training.statistics().reduced(basis.as_ref()),
            basis,
        })
    }

    /// An orthonormal basis of the given filters and the leading principal components.
    pub(crate) fn basis(
        &self,
        statistics: &ClassStatistics,
        start: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, ReduceError> {
        let n = start.nrows();
        let requested =
            self.dimensions.unwrap_or((PARAMETERS / start.ncols().max(1)).max(COMPONENTS));
        if requested + start.ncols() >= n {
            return Ok(Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 }));
        }
        // Samples have no more components than their number.
        let samples = statistics.counts().map_or(n, |counts| counts.iter().sum::<u64>() as usize);
        let components = statistics.principal_components(requested.min(samples).min(n))?.0;
        Ok(independent(beside(&[start, components.as_ref()]).as_ref()))
    }

    /// Filters some iterations further up the posterior of some points, with the trace and whether it was cancelled.
    pub(crate) fn climb_on(
        &self,
        statistics: &ClassStatistics,
        split: TrainValidation<'_>,
        free: Mat<f64>,
        share: f64,
        iterations: usize,
        observer: &mut Observer<'_>,
    ) -> Result<(Mat<f64>, Vec<f64>, bool), ReduceError> {
        let steps = Steps { noise: share, plain: false, most: iterations };
        let run = self.run(statistics, split, free, steps, observer)?;
        Ok((run.filters, run.trace, run.cancelled))
    }

    fn run(
        &self,
        statistics: &ClassStatistics,
        split: TrainValidation<'_>,
        free: Mat<f64>,
        steps: Steps,
        observer: &mut Observer<'_>,
    ) -> Result<Run, ReduceError> {
        let filters = free.ncols();
        let noise = steps.noise * statistics.noise_scale();
        let preconditioner = Preconditioner::new(
            statistics,
            statistics.noise_scale(),
            f64::INFINITY,
            Preconditioning::On,
        );
        let priors = statistics.shares();
        let objective =
            Posterior::new(statistics, split, Constraint::Sphere, noise, filters, 0, &priors)
                .measured_with(statistics.noise_scale())
                .scored_plainly(steps.plain);
        let optimizer = self.optimizer.chosen(objective.effort());
        let climb = if optimizer == Optimizer::Subspace { climb_in_subspaces } else { climb };
        let mut cancelled = false;
        let patience = self.patience;
        let mut watch = |progress: &Progress| {
            if observer(progress) == Control::Cancel {
                cancelled = true;
                return Control::Cancel;
            }
            let counts: Vec<usize> = objective
                .scored()
                .iter()
                .map(|right| right.iter().filter(|right| **right).count())
                .collect();
            let best = (0..counts.len())
                .fold(0, |best, step| if counts[step] > counts[best] { step } else { best });
            if counts.len() > best + patience { Control::Cancel } else { Control::Continue }
        };
        let stopping = Stopping { max_iterations: steps.most, tolerance: 1e-7 };
        let mut climbed = climb(&objective, vec![free], &preconditioner, stopping, &mut watch, 0)
            .map_err(|error| {
            let error = crate::model::FitError::from_evaluation(error, statistics.classes(), noise);
            ReduceError::Fit(error)
        })?;
        let run = climbed.runs.remove(0);
        Ok(Run {
            filters: objective.filters(&run.point),
            trace: run.trace,
            scored: objective.scored(),
            cancelled,
        })
    }
}

/// How to optimize in one run.
#[derive(Debug, Clone, Copy)]
struct Steps {
    /// The noise, as a multiple of the noise scale.
    noise: f64,
    /// Whether held-out samples are classified as in the paper.
    plain: bool,
    /// The largest number of iterations.
    most: usize,
}

struct Run {
    filters: Mat<f64>,
    trace: Vec<f64>,
    scored: Vec<Vec<bool>>,
    cancelled: bool,
}

/// One noise that was tried: the held-out accuracy at the start and after every step, and the best step.
struct Tried {
    noise: f64,
    run: Run,
    scores: Vec<f64>,
    step: usize,
}

impl Tried {
    fn new(noise: f64, run: Run) -> Self {
        let score = |right: &Vec<bool>| {
            right.iter().filter(|right| **right).count() as f64 / right.len().max(1) as f64
        };
        let scores: Vec<f64> = run.scored.iter().map(score).collect();
        let step = (0..scores.len())
            .fold(0, |best, step| if scores[step] > scores[best] { step } else { best });
        Self { noise, run, scores, step }
    }

    fn after(&self) -> Option<f64> {
        self.scores.get(self.step).copied()
    }
}

/// Returns an orthonormal basis of the span of some columns: what a column adds to those before it, without columns that
/// add nothing but round-off (filters that coincide, components inside the span of the filters).
fn independent(columns: MatRef<'_, f64>) -> Mat<f64> {
    /// The fraction of a column's length that must be new. Two rounds of projection leave errors of 10⁻¹⁵.
    const NEW: f64 = 1e-8;
    let n = columns.nrows();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for j in 0..columns.ncols() {
        let mut own: Vec<f64> = columns.col(j).iter().copied().collect();
        let length = norm(&own);
        for _ in 0..2 {
            for other in &basis {
                let along: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                own.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let left = norm(&own);
        if left > NEW * length {
            own.iter_mut().for_each(|value| *value /= left);
            basis.push(own);
        }
    }
    Mat::from_fn(n, basis.len(), |i, j| basis[j][i])
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Samples in the coordinates of a basis: those that are learned from first, then those held out.
struct Within {
    basis: Mat<f64>,
    coordinates: Features,
    codes: Vec<u32>,
    /// How many are learned from.
    learned: usize,
    /// The start in these coordinates.
    free: Mat<f64>,
    statistics: ClassStatistics,
}

impl Within {
    /// What a climb sees; without the samples held out nothing is scored.
    fn split(&self, scored: bool) -> TrainValidation<'_> {
        let end = if scored { self.codes.len() } else { self.learned };
        TrainValidation {
            points: self.coordinates.as_points(self.basis.ncols()),
            preprocessor: None,
            codes: self.codes[..self.learned].to_vec(),
            rows: (0..self.learned).collect(),
            held_codes: self.codes[self.learned..end].to_vec(),
            held: (self.learned..end).collect(),
        }
    }
}

/// Whether more held-out points were won than lost by more than one standard deviation of chance.
fn is_gain(scored: &[Vec<bool>], best: usize) -> bool {
    let (Some(before), Some(after)) = (scored.first(), scored.get(best)) else { return false };
    let won =
        before.iter().zip(after).filter(|(before, after)| !**before && **after).count() as f64;
    let lost =
        before.iter().zip(after).filter(|(before, after)| **before && !**after).count() as f64;
    won - lost > (won + lost).sqrt()
}

/// A reducer whose filters are refined.
pub(crate) struct RefinedReducer {
    pub(crate) name: String,
    pub(crate) start: Box<dyn Reducer>,
    pub(crate) refinement: Refinement,
}

impl Reducer for RefinedReducer {
    fn name(&self) -> &str {
        &self.name
    }

    fn fit(
        &self,
        training: &Training<'_>,
        filters: &[usize],
        observer: &mut Observer<'_>,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.start
            .fit(training, filters, observer)?
            .into_iter()
            .map(|start| {
                let began = Instant::now();
                let count = start.filters.ncols();
                let start_of = |learn: &Training<'_>, observer: &mut Observer<'_>| {
                    self.start.fit_one(learn, count, observer).map(|own| own.filters)
                };
                let filters = start.filters.as_ref();
                let refined = self.refinement.refine(training, filters, &start_of, observer)?;
                let mut result = start;
                result.filters = refined.filters;
                result.run.seconds += began.elapsed().as_secs_f64();
                if let (Some(trace), Some(choice)) = (refined.trace, &refined.choice) {
                    result.run.refined(choice.steps, trace);
                    result.run.termination = Some(Termination::SmallChange);
                }
                if refined.cancelled {
                    result.run.termination = Some(Termination::Cancelled);
                }
                result.refinement = refined.choice;
                Ok(result)
            })
            .collect()
    }
}
