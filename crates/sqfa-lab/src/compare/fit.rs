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
use sqfa_io::data::Part;
use sqfa_io::model_file::SelectionRecord;

use super::cell::Known;
use super::fold::{Fold, Given, Training, Validated};
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
    let training = training(job, fold, given, known);
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

/// What a method learns from, and where it chooses its settings: on the validation part of a split, unless the protocol has the
/// method choose on a part of the training points.
fn training<'a>(job: &Job, fold: &'a Fold<'_>, given: &'a Given, known: &Known<'_>) -> Learned<'a> {
    let preprocessor = given.preprocessor.as_ref();
    let on = |part: &'a Part| {
        let samples = Samples { points: part.points.view(), labels: &part.labels, preprocessor };
        Learned::new(&given.statistics, samples)
            .with_estimator(known.spec.estimator().unwrap_or_default())
            .judged_with(known.spec.shrinkage)
    };
    let (protocol, entry) = (Protocol::named(&known.spec.protocol), reducer_entry(base(job)));
    let inside = matches!((&protocol, &entry), (Some(protocol), Ok(entry)) if protocol.chooses_inside(entry));
    match &fold.validated {
        Some(Validated { all, learn, validation }) if !inside => {
            on(all).on_rows(learn.clone()).validated_on(validation.clone())
        }
        _ => on(&fold.train),
    }
}

/// The method of a job before any refinement.
fn base(job: &Job) -> &str {
    job.method.strip_suffix(REFINED).unwrap_or(&job.method)
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
    if let (Some(protocol), Ok(entry)) = (Protocol::named(&spec.protocol), reducer_entry(base(job)))
    {
        protocol.tailor(&entry, &mut settings);
    }
    // Jobs of several counts are those of methods without a seed, for which there is no earlier one.
    let chosen = filters.and_then(|filters| (known.settings)(filters)).unwrap_or_default();
    for SettingRecord { name, value } in chosen {
        settings.set(name, Choice::Value(value));
    }
    settings
}

#[cfg(test)]
mod tests {
    use sqfa::Labels;
    use sqfa_io::data::{LabeledData, OwnedPoints};

    use super::super::deal::{self, LEARN};
    use super::super::{Experiment, Parts, Record, Spec};
    use super::*;

    /// Two classes that differ much along a direction of large variance and, relative to its variance, more along one of small
    /// variance: little noise prefers the second, much noise the first. Outside the points that are learned from the second
    /// difference has the other sign, so that whoever chooses on those points takes little noise and is wrong.
    fn turned() -> LabeledData {
        let classes: Vec<i64> = (0..400).map(|row| row % 2).collect();
        let labels = Labels::from_integers(&classes);
        let dealt = deal::split(&labels, None, 0).unwrap();
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let mut values = Vec::new();
        for (row, &class) in classes.iter().enumerate() {
            let side = if class == 0 { -0.5 } else { 0.5 };
            let turn = if dealt[row] == LEARN { 1.0 } else { -1.0 };
            let large = 6.0 * side + 2.0_f64.sqrt() * normal();
            let small = 0.3 * side * turn + 0.001_f64.sqrt() * normal();
            values.extend([large + small, large - small]);
        }
        let points = OwnedPoints::from_f64(values, 400, 2).unwrap();
        let train = Part { points, labels };
        LabeledData { name: "turned".to_owned(), train, test: None, image_shape: None }
    }

    fn accuracy(spec: Spec, data: &LabeledData) -> f64 {
        let experiment = Experiment::new(spec, data, None).unwrap();
        let records: Vec<Record> =
            experiment.run(Vec::new(), &mut |_| Ok(Control::Continue)).unwrap();
        records[0].evaluated().unwrap().accuracy("qda").unwrap()
    }

    #[test]
    fn splits_choose_on_their_validation_part() {
        let data = turned();
        let spec = Spec {
            methods: vec!["sqfa-h".to_owned()],
            filters: vec![1],
            seeds: 1,
            parts: Parts::Splits(1),
            ..Spec::default()
        };
        let neural = Spec {
            methods: vec!["sqfa-h".to_owned()],
            filters: vec![1],
            ..Protocol::named("neural").unwrap().spec()
        };
        let neural = Spec { parts: Parts::Splits(1), ..neural };
        for spec in [spec, neural] {
            let name = spec.protocol.clone();
            let least = Spec { noise: NoiseChoice::Value(1e-4), ..spec.clone() };
            let least = Spec { protocol: String::new(), ..least };
            assert!(accuracy(least, &data) < 0.1, "little noise is wrong here");
            let found = accuracy(spec, &data);
            assert!(found > 0.9, "'{name}': {found}");
        }
    }

    #[test]
    fn shrinkage_is_chosen_there_too_and_the_papers_neighbourhoods_are_not() {
        let data = turned();
        let trials = |method: &str| -> Vec<f64> {
            let spec = Spec {
                methods: vec![method.to_owned()],
                filters: vec![1],
                parts: Parts::Splits(1),
                ..Protocol::named("neural").unwrap().spec()
            };
            let experiment = Experiment::new(spec, &data, None).unwrap();
            let records = experiment.run(Vec::new(), &mut |_| Ok(Control::Continue)).unwrap();
            let detail = records[0].evaluated().unwrap().detail.as_ref().unwrap();
            detail.trials.iter().map(|trial| trial.accuracy.unwrap()).collect()
        };
        // With little shrinkage LDA leans on the difference that is turned in the 40 points that validate.
        let lda = trials("lda");
        let whole = |share: &f64| (40.0 * share - (40.0 * share).round()).abs() < 1e-9;
        assert!(lda.len() == 5 && lda[0] < 0.95 && lda.iter().all(whole), "{lda:?}");
        // Among the points that are learned from no class is mistaken for the other.
        assert_eq!(trials("lfda"), [1.0; 4]);
    }
}
