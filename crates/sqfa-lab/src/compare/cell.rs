//! One fit and its scores: a job becomes records.

use std::time::Instant;

use sqfa::Noise;
use sqfa::model::{Learning, Restarts};
use sqfa::optimize::{Control, Progress, Termination};
use sqfa::reduce::{Choice, ReduceError, ReducerSettings, Reduction, Samples, Training, reducer};

use super::record::{Climb, Detail, Evaluated, Outcome, Record, SettingRecord};
use super::run::Fold;
use super::{Classifier, Job, NoiseChoice, Protocol, Spec};
use crate::evaluation::Evaluator;

/// Filters that are learned together where the spec says pairs.
const PAIR: usize = 2;

/// What a job may use of earlier ones.
pub(super) struct Known<'a> {
    pub(super) spec: &'a Spec,
    /// Settings that an earlier seed chose for a number of filters.
    pub(super) settings: &'a dyn Fn(usize) -> Option<Vec<SettingRecord>>,
    /// Whether the job keeps what a closer look needs.
    pub(super) detailed: bool,
}

/// Runs a job; `None` when the observer stopped it for a reason other than its limit.
pub(super) fn run(
    job: &Job,
    fold: &Fold<'_>,
    known: &Known<'_>,
    observer: &mut dyn FnMut(&Progress) -> Control,
) -> Option<Vec<Record>> {
    let record = |filters: usize, outcome: Outcome| Record {
        method: job.method.clone(),
        filters,
        seed: job.seed,
        fold: job.fold,
        outcome,
    };
    let mut records = Vec::new();
    let mut counts = job.filters.clone();
    // Counts that are found together share their time.
    let limit = known.spec.time_limit * job.filters.len() as f64;
    let began = Instant::now();
    let (mut late, mut stopped) = (false, false);
    let fitted = loop {
        let mut watch = |progress: &Progress| {
            late |= limit > 0.0 && began.elapsed().as_secs_f64() > limit;
            stopped |= observer(progress) == Control::Cancel;
            if late || stopped { Control::Cancel } else { Control::Continue }
        };
        let settings = settings(job, known, counts.first().copied());
        let fitted = reducer(&job.method, &settings)
            .and_then(|reducer| reducer.fit(&fold.training(), &counts, &mut watch));
        match fitted {
            // What is beyond a method by its nature is said of those counts alone.
            Err(ReduceError::TooMany { limit, ref why, .. })
                if counts.iter().any(|&m| m <= limit) =>
            {
                for &count in counts.iter().filter(|&&count| count > limit) {
                    let reason = format!("at most {limit} here ({why})");
                    records.push(record(count, Outcome::NotApplicable { reason }));
                }
                counts.retain(|&count| count <= limit);
            }
            fitted => break fitted,
        }
    };
    if stopped {
        return None;
    }
    match fitted {
        _ if late => {
            let seconds = began.elapsed().as_secs_f64();
            records
                .extend(counts.iter().map(|&m| record(m, Outcome::OverLimit { seconds, limit })));
        }
        Err(error) => {
            for &count in &counts {
                let outcome = match &error {
                    ReduceError::TooMany { limit, why, .. } => {
                        Outcome::NotApplicable { reason: format!("at most {limit} here ({why})") }
                    }
                    error => Outcome::Failed { error: error.to_string() },
                };
                records.push(record(count, outcome));
            }
        }
        Ok(reductions) => {
            for (&count, reduction) in counts.iter().zip(reductions) {
                let outcome = match evaluate(&reduction, fold, known) {
                    Ok(evaluated) => Outcome::Done(Box::new(evaluated)),
                    Err(error) => Outcome::Failed { error },
                };
                records.push(record(count, outcome));
            }
        }
    }
    records.sort_by_key(|record| record.filters);
    Some(records)
}

/// The settings of a job: those of the spec, and what an earlier seed has already chosen.
fn settings(job: &Job, known: &Known<'_>, filters: Option<usize>) -> ReducerSettings {
    let spec = known.spec;
    let mut settings = ReducerSettings {
        seed: job.seed,
        noise: match spec.noise {
            NoiseChoice::Auto => Noise::Auto,
            NoiseChoice::Scale => Noise::Scale,
            NoiseChoice::Value(value) => Noise::Value(value),
        },
        restarts: match spec.restarts {
            0 => Restarts::Auto,
            count => Restarts::Count(count),
        },
        learning: spec.pairs.then_some(Learning::Sequential(PAIR)),
        ..ReducerSettings::default()
    };
    if let Some(protocol) = Protocol::named(&spec.protocol) {
        protocol.tailor(&job.method, &mut settings);
    }
    // Jobs of several counts are those of methods without a seed, for which there is no earlier one.
    let chosen = filters.and_then(|filters| (known.settings)(filters)).unwrap_or_default();
    for SettingRecord { name, value } in chosen {
        settings.set(name, Choice::Value(value));
    }
    settings
}

/// What the classifiers say about filters.
fn evaluate(
    reduction: &Reduction,
    fold: &Fold<'_>,
    known: &Known<'_>,
) -> Result<Evaluated, String> {
    let spec = known.spec;
    let filters = reduction.filters.as_ref();
    let finite = (0..filters.ncols()).all(|j| filters.col(j).iter().all(|value| value.is_finite()));
    if !finite {
        return Err("the filters hold numbers that are not finite".to_owned());
    }
    let evaluator = Evaluator::new(&fold.train, &fold.test, fold.preprocessor.as_ref(), filters)?;
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
            Some(Box::new(Detail::new(filters, &gaussians, evaluated, &reduction.trials)))
        }
        _ => None,
    };
    Ok(Evaluated {
        fit_seconds: reduction.seconds,
        statistics_seconds: Some(fold.statistics_seconds),
        search_seconds: reduction.search_seconds,
        objective: reduction.objective,
        converged: reduction.converged() || reduction.termination == Some(Termination::NoProgress),
        iterations: reduction.iterations,
        settings: reduction
            .settings
            .iter()
            .map(|&(name, value)| SettingRecord { name, value })
            .collect(),
        scores,
        warnings: reduction.warnings.iter().map(ToString::to_string).collect(),
        climbs: reduction.traces.iter().map(|trace| Climb::of(trace)).collect(),
        detail,
    })
}

impl Fold<'_> {
    /// The training part as reducers see it.
    fn training(&self) -> Training<'_> {
        let samples = Samples {
            points: self.train.points.view(),
            labels: &self.train.labels,
            preprocessor: self.preprocessor.as_ref(),
        };
        Training::new(&self.statistics, samples)
    }
}
