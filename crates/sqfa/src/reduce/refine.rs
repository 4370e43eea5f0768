//! The discriminative refinement: any filters, improved on the posterior of the true class.
//!
//! Maximises (1/N) Σ_s ln p(y_s | z_s) (see `objective::posterior`) from given filters, within the span of the leading
//! principal components and the filters themselves. A share of the training points is held out first: the climb on the others
//! stops when the held-out points are no longer classified better, and counts its steps; all training points then take as many.
//! Where the gain on the held-out points is no larger than chance would make it, the filters stay as they are.

use std::time::Instant;

use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, beside, orthonormalize, tall_times, transpose_times};
use crate::model::{with_fixed_signs, with_unit_length};
use crate::objective::{Posterior, Restrictable, TrainValidation};
use crate::optimize::{
    Control, Optimizer, Preconditioner, Preconditioning, Progress, Stopping, Termination, climb,
    climb_in_subspaces,
};
use crate::remedy::Remedy;
use crate::statistics::ClassStatistics;

use super::{Pca, ReduceError, Reducer, Reduction, Setting, Training};

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

/// What became of the filters.
#[derive(Debug, Clone)]
pub(crate) struct Refined {
    pub(crate) filters: Mat<f64>,
    pub(crate) steps: usize,
    pub(crate) noise: f64,
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) trace: Vec<f64>,
    pub(crate) cancelled: bool,
}

impl Refinement {
    /// Refines filters of preprocessed points.
    pub(crate) fn refine(
        &self,
        training: &Training<'_>,
        start: MatRef<'_, f64>,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Refined, ReduceError> {
        let samples = *training.need_samples("refinement", Remedy::PointsOrWithout)?;
        let (learn, held) = training.rows_without_held_out("refinement", self.seed)?;
        let basis = self.basis(training, start)?;
        // Rows that are learned from come first, so that every pass reads them as they lie.
        let mut rows = match &learn {
            Some(learn) => learn.iter().map(|&row| row as usize).collect(),
            None => training.rows(),
        };
        let learning = rows.len();
        rows.extend(&held);
        let coordinates = samples.features(&rows, basis.as_ref());
        let width = basis.ncols();
        let points = coordinates.as_points(width);
        let codes = samples.codes(&rows);
        let free = transpose_times(basis.as_ref(), start);
        let learn_statistics = match &learn {
            Some(learn) => training.statistics_within(learn, basis.as_ref(), points)?,
            None => training.statistics().reduced(basis.as_ref()),
        };
        let split = TrainValidation {
            points,
            preprocessor: None,
            codes: codes[..learning].to_vec(),
            rows: (0..learning).collect(),
            held_codes: codes[learning..].to_vec(),
            held: (learning..rows.len()).collect(),
        };
        let mut best: Option<Tried> = None;
        for &noise in &self.noise {
            let run = self.run(
                &learn_statistics,
                split.clone(),
                free.clone(),
                noise,
                self.max_iterations,
                observer,
            )?;
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
            return Err(ReduceError::Setting {
                setting: Setting::RefinementNoise,
                value: 0.0,
                range,
            });
        };
        let mut refined = Refined {
            filters: start.to_owned(),
            steps: 0,
            noise: best.noise,
            before: best.scores[0],
            after: best.after(),
            trace: Vec::new(),
            cancelled: best.run.cancelled,
        };
        if refined.cancelled || !is_gain(&best.run.scored, best.step) {
            return Ok(refined);
        }
        let statistics = training.statistics().reduced(basis.as_ref());
        // What was held out by the split itself is learned from now.
        let learned = if learn.is_some() { rows.len() } else { learning };
        let split = TrainValidation {
            points,
            preprocessor: None,
            rows: (0..learned).collect(),
            codes: codes[..learned].to_vec(),
            held: Vec::new(),
            held_codes: Vec::new(),
        };
        let fitted = self.run(&statistics, split, free, best.noise, best.step, observer)?;
        refined.filters =
            with_fixed_signs(with_unit_length(tall_times(basis.as_ref(), fitted.filters.as_ref())));
        refined.steps = best.step;
        refined.trace = fitted.trace;
        refined.cancelled = fitted.cancelled;
        Ok(refined)
    }

    /// An orthonormal basis of the given filters and the leading principal components.
    pub(crate) fn basis(
        &self,
        training: &Training<'_>,
        start: MatRef<'_, f64>,
    ) -> Result<Mat<f64>, ReduceError> {
        let n = start.nrows();
        let requested =
            self.dimensions.unwrap_or((PARAMETERS / start.ncols().max(1)).max(COMPONENTS));
        let count = requested.min(n.saturating_sub(start.ncols()));
        if requested + start.ncols() >= n {
            return Ok(Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 }));
        }
        let own = orthonormalize(start).ok_or(crate::model::FitError::Degenerate)?;
        let components = Pca::default().components(training, count)?;
        let joined = beside(&[own.as_ref(), components.as_ref()]);
        // A component inside the filters' span would leave nothing: such a basis keeps only the filters and the rest.
        match orthonormalize(joined.as_ref()) {
            Some(basis) => Ok(basis),
            None => Ok(independent(joined)),
        }
    }

    /// Filters some iterations further up the posterior of some points, with the trace and whether it was cancelled.
    pub(crate) fn climb_on(
        &self,
        statistics: &ClassStatistics,
        split: TrainValidation<'_>,
        free: Mat<f64>,
        share: f64,
        iterations: usize,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<(Mat<f64>, Vec<f64>, bool), ReduceError> {
        let run = self.run(statistics, split, free, share, iterations, observer)?;
        Ok((run.filters, run.trace, run.cancelled))
    }

    fn run(
        &self,
        statistics: &ClassStatistics,
        split: TrainValidation<'_>,
        free: Mat<f64>,
        share: f64,
        iterations: usize,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Run, ReduceError> {
        let filters = free.ncols();
        let noise = share * statistics.noise_scale();
        let preconditioner = Preconditioner::new(
            statistics,
            statistics.noise_scale(),
            f64::INFINITY,
            Preconditioning::On,
        );
        let priors = statistics.shares();
        let objective =
            Posterior::new(statistics, split, Constraint::Sphere, noise, filters, 0, &priors)
                .measured_with(statistics.noise_scale());
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
        let stopping = Stopping { max_iterations: iterations, tolerance: 1e-7 };
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
        let mut scores: Vec<f64> = run.scored.iter().map(score).collect();
        if scores.is_empty() {
            scores.push(f64::NAN);
        }
        let step = (0..scores.len())
            .fold(0, |best, step| if scores[step] > scores[best] { step } else { best });
        Self { noise, run, scores, step }
    }

    fn after(&self) -> f64 {
        self.scores[self.step]
    }
}

/// Columns that do not depend on those before them, orthonormal.
fn independent(joined: Mat<f64>) -> Mat<f64> {
    let mut kept = joined.subcols(0, 1).to_owned();
    for j in 0..joined.ncols() {
        let longer = beside(&[kept.as_ref(), joined.subcols(j, 1)]);
        if let Some(orthonormal) = orthonormalize(longer.as_ref()) {
            kept = orthonormal;
        }
    }
    kept
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
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Vec<Reduction>, ReduceError> {
        self.start
            .fit(training, filters, observer)?
            .into_iter()
            .map(|start| {
                let began = Instant::now();
                let refined = self.refinement.refine(training, start.filters.as_ref(), observer)?;
                let mut result = start;
                result.filters = refined.filters;
                result.seconds += began.elapsed().as_secs_f64();
                result.iterations += refined.steps;
                result.settings.push((Setting::RefinementSteps, refined.steps as f64));
                result.settings.push((Setting::RefinementNoise, refined.noise));
                result.settings.push((Setting::AccuracyBefore, refined.before));
                result.settings.push((Setting::AccuracyAfter, refined.after));
                if refined.steps > 0 {
                    result.objective = refined.trace.last().copied();
                    result.traces.insert(0, refined.trace);
                    result.termination = Some(Termination::SmallChange);
                }
                if refined.cancelled {
                    result.termination = Some(Termination::Cancelled);
                }
                Ok(result)
            })
            .collect()
    }
}
