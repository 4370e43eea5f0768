//! The fit of one job and its scores, which become records.

use std::time::Instant;

use sqfa::Noise;
use sqfa::optimize::{Control, Observer, Progress, Termination};
use sqfa::pipeline::{Selection, Tried};
use sqfa::points::Scalar;
use sqfa::reduce::{Setting, Trial};
use sqfa::statistics::Preprocessor;
use sqfa::with_table;
use sqfa_io::data::Part;

use super::fit::{Found, Missing, fit};
use super::fold::{Fold, Training};
use super::record::{Climb, Detail, Evaluated, Outcome, Record};
use super::{Classifier, Job, Numbers, Spec};
use crate::evaluation::Evaluator;

/// The results of earlier jobs that a job may use.
pub(super) struct Known<'a> {
    pub(super) spec: &'a Spec,
    /// The settings that an earlier seed selected for a number of filters.
    pub(super) settings: &'a dyn Fn(usize) -> Option<Vec<(Setting, f64)>>,
    /// Whether the job stores the data for a detailed report.
    pub(super) detailed: bool,
}

/// Runs a job. Returns `None` if the observer stopped it for another reason than the time limit.
pub(super) fn run(
    job: &Job,
    fold: &Fold<'_>,
    training: &Training<'_>,
    known: &Known<'_>,
    observer: &mut Observer<'_>,
) -> Option<Vec<Record>> {
    // Several numbers of filters that are learned together share their time.
    let limit = known.spec.time_limit * job.filters.len() as f64;
    let began = Instant::now();
    let (mut late, mut stopped) = (false, false);
    let mut watch = |progress: &Progress| {
        late |= limit > 0.0 && began.elapsed().as_secs_f64() > limit;
        stopped |= observer(progress) == Control::Cancel;
        if late || stopped { Control::Cancel } else { Control::Continue }
    };
    let all = fit(job, fold, training, known, &mut watch);
    if stopped {
        return None;
    }
    let seconds = began.elapsed().as_secs_f64();
    let outcome = |found: Result<Found, Missing>| match found {
        Err(Missing::NotApplicable(reason)) => Outcome::NotApplicable { reason },
        _ if late => Outcome::OverLimit { seconds, limit },
        Err(Missing::Failed(error)) => Outcome::Failed { error },
        Ok(found) => match evaluate(&found, fold, known) {
            Ok(evaluated) => Outcome::Done(Box::new(evaluated)),
            Err(error) => Outcome::Failed { error },
        },
    };
    let record = |(filters, found)| Record {
        method: job.method.clone(),
        filters,
        seed: job.seed,
        fold: job.fold,
        session: job.session,
        outcome: outcome(found),
    };
    let mut records: Vec<Record> = all.into_iter().map(record).collect();
    records.sort_by_key(|record| record.filters);
    Some(records)
}

/// Returns the noises that were tried with the selected scaling, in ascending order.
fn trials(selection: &Selection, noise: Option<f64>) -> Vec<Trial> {
    let candidate = selection.candidate;
    // Fractions of the within-class variance are converted to the absolute noise of the fit.
    let unit = match (candidate.noise, noise) {
        (Noise::Fraction(fraction), Some(noise)) => noise / fraction,
        _ => 1.0,
    };
    let own = selection.tried.iter().filter(|tried| tried.candidate.scaling == candidate.scaling);
    let trial = |tried: &Tried| Trial {
        setting: Setting::Noise,
        value: tried.candidate.noise.value(unit),
        accuracy: Some(tried.accuracy),
    };
    let mut trials: Vec<Trial> = own.map(trial).collect();
    trials.sort_by(|a, b| a.value.total_cmp(&b.value));
    trials
}

/// Returns the standard deviation of every preprocessed feature over training samples (divisor N).
fn deviations(train: &Part, preprocessor: Option<&Preprocessor>) -> Numbers {
    let rows = train.points.rows().max(1) as f64;
    let found = with_table!(train.points.view(), table => {
        (0..table.columns()).map(|column| {
            let values = || (0..table.rows()).map(|row| table.get(row, column).to_f64());
            let mean = values().sum::<f64>() / rows;
            (values().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt()
        }).collect::<Vec<f64>>()
    });
    let factor = |at: usize| preprocessor.map_or(1.0, |map| map.factors[at]);
    Numbers::of(found.iter().enumerate().map(|(at, deviation)| deviation * factor(at)))
}

/// Scores filters with all classifiers.
fn evaluate(found: &Found, fold: &Fold<'_>, known: &Known<'_>) -> Result<Evaluated, String> {
    let (spec, reduction) = (known.spec, &found.reduction);
    let filters = reduction.filters.as_ref();
    let finite = (0..filters.ncols()).all(|j| filters.col(j).iter().all(|value| value.is_finite()));
    if !finite {
        return Err("the filters hold numbers that are not finite".to_owned());
    }
    let evaluator = Evaluator::new(&fold.train, &fold.test, found.preprocessor.as_ref(), filters)?;
    let mut scores = Vec::new();
    let mut first = None;
    for name in &spec.classifiers {
        let classifier = Classifier::named(name).map_err(|error| error.to_string())?;
        let predicted = evaluator.predict(classifier, spec);
        scores.push(evaluator.score(classifier, &predicted));
        first = first.or(predicted.ok());
    }
    let detail = match (known.detailed, first) {
        (true, Some(guess)) => {
            let evaluated =
                Some((&evaluator.test_features, fold.test.labels.codes(), guess.as_slice()));
            let gaussians = evaluator.gaussians()?;
            let mut detail = Detail::new(filters, &gaussians, evaluated, &reduction.trials);
            if let Some(selection) = &found.selection {
                detail.trials = trials(selection, reduction.setting(Setting::Noise));
            }
            detail.deviations = deviations(&fold.train, found.preprocessor.as_ref());
            Some(Box::new(detail))
        }
        _ => None,
    };
    let run = &reduction.run;
    Ok(Evaluated {
        fit_seconds: run.seconds,
        statistics_seconds: found.statistics_seconds,
        search_seconds: run.search_seconds.unwrap_or(0.0),
        objective: run.objective,
        converged: run.converged() || run.termination == Some(Termination::NoProgress),
        iterations: run.iterations,
        settings: reduction.settings.clone(),
        refinement: found.refinement.clone(),
        selection: found.selection.clone(),
        scores,
        warnings: run.warnings.iter().map(ToString::to_string).collect(),
        climbs: run.traces().into_iter().map(Climb::of).collect(),
        detail,
    })
}
