//! The filters of a job: by the pipeline where settings are chosen, by the method itself where they are given.

use std::time::Instant;

use sqfa::Noise;
use sqfa::model::{Learning, Restarts};
use sqfa::optimize::{Control, Progress};
use sqfa::pipeline::{Filters, NoiseRule, Pipeline, PipelineError, Summed};
use sqfa::reduce::{
    Choice, REFINED, ReduceError, ReducerSettings, Reduction, Samples, Training as Learned,
    reducer, reducer_entry,
};
use sqfa::statistics::Preprocessor;
use sqfa_io::model_file::SelectionRecord;

use super::cell::Known;
use super::fold::{Fold, Given, Training};
use super::record::SettingRecord;
use super::{Job, NoiseChoice, Protocol};

/// Filters that are learned together where the spec says pairs.
const PAIR: usize = 2;

/// Filters and how they were found.
pub(super) struct Found {
    /// Its filters are of preprocessed points.
    pub(super) reduction: Reduction,
    pub(super) preprocessor: Option<Preprocessor>,
    /// Seconds of the statistics that fits share, where they were made before.
    pub(super) statistics_seconds: Option<f64>,
    /// How units and noise were chosen, where they were.
    pub(super) selection: Option<SelectionRecord>,
}

/// Why there are no filters.
pub(super) enum Missing {
    /// The method cannot find so many.
    NotApplicable(String),
    /// It went wrong.
    Failed(String),
}

/// The filters of every number that a job asks for.
pub(super) fn fit(
    job: &Job,
    fold: &Fold<'_>,
    training: &Training<'_>,
    known: &Known<'_>,
    observer: &mut dyn FnMut(&Progress) -> Control,
) -> Vec<(usize, Result<Found, Missing>)> {
    match training {
        Training::Chosen(summed) => {
            let mut all = Vec::new();
            for &count in &job.filters {
                all.push((count, choose(job, summed, known, count, observer)));
            }
            all
        }
        Training::Given(given) => with_given(job, fold, given, known, observer),
    }
}

/// One number of filters as `sqfa fit` finds them.
fn choose(
    job: &Job,
    summed: &Summed<'_>,
    known: &Known<'_>,
    count: usize,
    observer: &mut dyn FnMut(&Progress) -> Control,
) -> Result<Found, Missing> {
    let began = Instant::now();
    let pipeline = Pipeline {
        method: job.method.clone(),
        settings: settings(job, known, None),
        filters: Filters::Count(count),
        noise: NoiseRule::Auto,
        scaling: known.spec.scaling(),
        center: known.spec.center.then_some(true),
        estimator: known.spec.estimator(),
    };
    let fitted = pipeline.fit_summed(summed, observer).map_err(|error| match error {
        PipelineError::Reduce(error) => Missing::from(&error),
        error => Missing::Failed(error.to_string()),
    })?;
    let mut reduction = fitted.reduction;
    // Whatever is not the last fit is a search.
    reduction.search_seconds = (began.elapsed().as_secs_f64() - reduction.seconds).max(0.0);
    Ok(Found {
        reduction,
        preprocessor: fitted.preprocessor,
        statistics_seconds: None,
        selection: fitted.selection.as_ref().map(SelectionRecord::from),
    })
}

/// All numbers of filters together, by the method itself.
fn with_given(
    job: &Job,
    fold: &Fold<'_>,
    given: &Given,
    known: &Known<'_>,
    observer: &mut dyn FnMut(&Progress) -> Control,
) -> Vec<(usize, Result<Found, Missing>)> {
    let preprocessor = given.preprocessor.as_ref();
    let (points, labels) = (fold.train.points.view(), &fold.train.labels);
    let training = Learned::new(&given.statistics, Samples { points, labels, preprocessor })
        .with_estimator(known.spec.estimator().unwrap_or_default());
    let mut all = Vec::new();
    let mut counts = job.filters.clone();
    let fitted = loop {
        let settings = settings(job, known, counts.first().copied());
        let fitted = reducer(&job.method, &settings)
            .and_then(|reducer| reducer.fit(&training, &counts, observer));
        match &fitted {
            // What is beyond a method by its nature is said of those counts alone.
            Err(error @ ReduceError::TooMany { limit, .. })
                if counts.iter().any(|m| m <= limit) =>
            {
                let beyond = counts.iter().filter(|&count| count > limit);
                all.extend(beyond.map(|&count| (count, Err(Missing::from(error)))));
                counts.retain(|count| count <= limit);
            }
            _ => break fitted,
        }
    };
    match fitted {
        Ok(reductions) => {
            let found = |reduction| Found {
                reduction,
                preprocessor: given.preprocessor.clone(),
                statistics_seconds: Some(given.seconds),
                selection: None,
            };
            all.extend(counts.into_iter().zip(reductions.into_iter().map(|one| Ok(found(one)))));
        }
        Err(error) => {
            all.extend(counts.into_iter().map(|count| (count, Err(Missing::from(&error)))));
        }
    }
    all
}

impl From<&ReduceError> for Missing {
    fn from(error: &ReduceError) -> Self {
        match error {
            ReduceError::TooMany { limit, why, .. } => {
                Self::NotApplicable(format!("at most {limit} here ({why})"))
            }
            error => Self::Failed(error.to_string()),
        }
    }
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
            Some(0) => Restarts::Auto,
            Some(count) => Restarts::Count(count),
            None if spec.chooses() => Restarts::Auto,
            None => Restarts::Count(1),
        },
        learning: spec.pairs.then_some(Learning::Sequential(PAIR)),
        ..ReducerSettings::default()
    };
    let base = job.method.strip_suffix(REFINED).unwrap_or(&job.method);
    if let (Some(protocol), Ok(entry)) = (Protocol::named(&spec.protocol), reducer_entry(base)) {
        protocol.tailor(&entry, &mut settings);
    }
    // Jobs of several counts are those of methods without a seed, for which there is no earlier one.
    let chosen = filters.and_then(|filters| (known.settings)(filters)).unwrap_or_default();
    for SettingRecord { name, value } in chosen {
        settings.set(name, Choice::Value(value));
    }
    settings
}
