//! The filters of a job, learned as by `sqfa fit`, or by the method alone under a protocol of the
//! paper.

use std::time::Instant;

use sqfa::model::{Learning, Restarts};
use sqfa::optimize::Observer;
use sqfa::pipeline::{
    FitRecord, Fitted, Pipeline, PipelineError, RefinementChoice, Selection, Summed,
};
use sqfa::reduce::{
    Choice, Method, ReduceError, ReducerSettings, Reduction, Samples, Setting, Training as Learned,
};
use sqfa::statistics::Preprocessor;
use sqfa_io::data::Part;

use super::cell::Known;
use super::fold::{Fold, Given, Training, Validated};
use super::{Job, Protocol};

/// The number of filters that are learned together if the specification requests pairs.
const PAIR: usize = 2;

/// The filters of a fit, with details about the selection of settings.
pub(super) struct Found {
    /// The result of the method, with filters for preprocessed samples.
    pub(super) reduction: Reduction,
    pub(super) preprocessor: Option<Preprocessor>,
    /// The time in seconds for class statistics that several fits share, if they were computed
    /// before.
    pub(super) statistics_seconds: Option<f64>,
    /// The selection of scaling and noise, if they were selected.
    pub(super) selection: Option<Selection>,
    /// The selected refinement, if the method is refined.
    pub(super) refinement: Option<RefinementChoice>,
}

/// The reason why there are no filters.
pub(super) enum Missing {
    /// A number of filters that the method does not support.
    NotApplicable(String),
    /// An error of the fit.
    Failed(String),
}

/// Learns filters for every number that a job requests.
pub(super) fn fit(
    job: &Job,
    fold: &Fold<'_>,
    training: &Training<'_>,
    known: &Known<'_>,
    observer: &mut Observer<'_>,
) -> Vec<(usize, Result<Found, Missing>)> {
    let found = |counts: &[usize], observer: &mut Observer<'_>| match training {
        Training::Chosen(summed) => by_pipeline(job, summed, known, counts, observer),
        Training::Given(given) => by_method(job, fold, given, known, counts, observer),
    };
    let is_refined = job.method.parse::<Method>().is_ok_and(|method| method.refined);
    if is_refined && matches!(training, Training::Given(_)) {
        let why = "the protocols of the paper do not refine filters";
        let missing = |&count: &usize| (count, Err(Missing::NotApplicable(why.to_owned())));
        return job.filters.iter().map(missing).collect();
    }
    let mut all = Vec::new();
    let mut counts = job.filters.clone();
    let fitted = loop {
        let fitted = found(&counts, observer);
        match &fitted {
            // A number that exceeds the limit of the method does not affect smaller numbers.
            Err(PipelineError::Reduce(ReduceError::TooMany { limit, why, .. }))
                if counts.iter().any(|m| m <= limit) =>
            {
                let (limit, why) = (*limit, *why);
                let beyond = counts.iter().filter(|&&count| count > limit);
                let reason = || Missing::NotApplicable(format!("at most {limit} here ({why})"));
                all.extend(beyond.map(|&count| (count, Err(reason()))));
                counts.retain(|&count| count <= limit);
            }
            _ => break fitted,
        }
    };
    match fitted {
        Ok(found) => all.extend(counts.into_iter().zip(found.into_iter().map(Ok))),
        Err(error) => {
            all.extend(counts.into_iter().map(|count| (count, Err(Missing::from(&error)))));
        }
    }
    all
}

/// Learns filters as `sqfa fit` does.
fn by_pipeline(
    job: &Job,
    summed: &Summed<'_>,
    known: &Known<'_>,
    counts: &[usize],
    observer: &mut Observer<'_>,
) -> Result<Vec<Found>, PipelineError> {
    let began = Instant::now();
    let pipeline = pipeline(job, known, counts.first().copied())?;
    let fitted = pipeline.fit_each(summed, counts, observer)?;
    Ok(fitted.into_iter().map(|fitted| chosen(fitted, began)).collect())
}

/// Returns the recipe of a job without a number of filters.
fn pipeline(
    job: &Job,
    known: &Known<'_>,
    filters: Option<usize>,
) -> Result<Pipeline, PipelineError> {
    let method: Method = job.method.parse().map_err(ReduceError::from)?;
    Ok(Pipeline {
        settings: settings(job, known, filters),
        scaling: known.spec.scaling(),
        estimator: known.spec.estimator(),
        ..Pipeline::new(method, 0)
    })
}

/// Returns the result of the pipeline. All time since `began` that is not part of the last fit
/// counts as search.
fn chosen(fitted: Fitted, began: Instant) -> Found {
    let filters = fitted.filters().to_owned();
    let FitRecord { mut run, used: settings, trials, refinement, selection, .. } = fitted.record;
    run.search_seconds = Some((began.elapsed().as_secs_f64() - run.seconds).max(0.0));
    Found {
        reduction: Reduction { filters, run, settings, trials },
        preprocessor: fitted.preprocessor,
        statistics_seconds: None,
        selection,
        refinement,
    }
}

/// Learns filters with specified settings by the method alone.
fn by_method(
    job: &Job,
    fold: &Fold<'_>,
    given: &Given,
    known: &Known<'_>,
    counts: &[usize],
    observer: &mut Observer<'_>,
) -> Result<Vec<Found>, PipelineError> {
    let training = training(job, fold, given, known);
    let settings = settings(job, known, counts.first().copied());
    let found = |reduction| Found {
        reduction,
        preprocessor: given.preprocessor.clone(),
        statistics_seconds: Some(given.seconds),
        selection: None,
        refinement: None,
    };
    let method: Method = job.method.parse().map_err(ReduceError::from)?;
    let reductions = method.entry.reducer(&settings).fit(&training, counts, observer)?;
    Ok(reductions.into_iter().map(found).collect())
}

/// Returns the training data of a method, with the samples on which it selects settings. These are
/// the validation part of a split, unless the protocol uses a part of the training samples.
fn training<'a>(job: &Job, fold: &'a Fold<'_>, given: &'a Given, known: &Known<'_>) -> Learned<'a> {
    let preprocessor = given.preprocessor.as_ref();
    let on = |part: &'a Part| {
        let samples = Samples { points: part.points.view(), labels: &part.labels, preprocessor };
        let learned = Learned::new(&given.statistics, samples)
            .with_estimator(known.spec.estimator().unwrap_or_default());
        match known.spec.plain_shrinkage() {
            Some(shrinkage) => learned.judged_with(shrinkage),
            None => learned,
        }
    };
    let (protocol, method) = (Protocol::named(&known.spec.protocol), job.method.parse::<Method>());
    let inside = matches!((&protocol, &method), (Some(protocol), Ok(method)) if protocol.chooses_inside(method.entry));
    match &fold.validated {
        Some(Validated { all, learn, validation }) if !inside => {
            on(all).on_rows(learn.clone()).validated_on(validation.clone())
        }
        _ => on(&fold.train),
    }
}

impl From<&PipelineError> for Missing {
    fn from(error: &PipelineError) -> Self {
        match error {
            PipelineError::Reduce(ReduceError::TooMany { limit, why, .. }) => {
                Self::NotApplicable(format!("at most {limit} here ({why})"))
            }
            error => Self::Failed(error.to_string()),
        }
    }
}

/// Returns the settings of a job: those of the specification, and those that an earlier seed
/// selected.
fn settings(job: &Job, known: &Known<'_>, filters: Option<usize>) -> ReducerSettings {
    let spec = known.spec;
    let mut settings = ReducerSettings {
        seed: job.seed,
        noise: spec.noise,
        restarts: match spec.n_init {
            Some(0) => Restarts::Auto,
            Some(count) => Restarts::Count(count),
            None if spec.chooses() => Restarts::Auto,
            None => Restarts::Count(1),
        },
        learning: spec.pairs.then_some(Learning::Sequential(PAIR)),
        ..ReducerSettings::default()
    };
    let (protocol, method) = (Protocol::named(&spec.protocol), job.method.parse::<Method>());
    if let (Some(protocol), Ok(method)) = (protocol, method) {
        protocol.tailor(method.entry, &mut settings);
    }
    // Jobs with several numbers of filters are those of methods without a seed, so there is no
    // earlier seed.
    let chosen = filters.and_then(|filters| (known.settings)(filters)).unwrap_or_default();
    // Scaling and noise that a pipeline selects belong together and are selected for every seed.
    let repeated = |name: Setting| !spec.chooses() || name.is_chosen();
    for (name, value) in chosen.into_iter().filter(|(name, _)| repeated(*name)) {
        settings.set(name, Choice::Value(value));
    }
    settings
}

#[cfg(test)]
mod tests {
    use sqfa::optimize::Control;
    use sqfa::{Labels, Noise};
    use sqfa_io::data::{LabeledData, OwnedPoints};

    use super::super::deal::{self, LEARN};
    use super::super::{Experiment, Parts, Record, Spec};
    use super::*;

    /// Returns data with two classes. They differ by a large amount along a direction with a large
    /// variance, and, relative to its variance, by more along a direction with a small variance.
    /// Filters for little noise use the second direction, and those for much noise the first.
    /// Outside of the training samples the second difference has the opposite sign, so a selection
    /// on training samples uses little noise and leads to a low accuracy.
    fn turned() -> LabeledData {
        differing(1.0)
    }

    /// Returns data whose classes are exchanged outside of the training samples, so that every
    /// filter that separates them there misclassifies all other samples.
    fn swapped() -> LabeledData {
        differing(-1.0)
    }

    /// Returns data whose large difference is multiplied by `outside` in samples that are not
    /// training samples, and whose small difference is multiplied by −1.
    fn differing(outside: f64) -> LabeledData {
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
            let (keep, turn) = if dealt[row] == LEARN { (1.0, 1.0) } else { (outside, -1.0) };
            let large = 6.0 * side * keep + 2.0_f64.sqrt() * normal();
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
        for spec in split_of("sqfa-h") {
            let name = spec.protocol.clone();
            let least = Spec { noise: Noise::Value(1e-4), ..spec.clone() };
            let least = Spec { protocol: String::new(), ..least };
            assert!(accuracy(least, &data) < 0.1, "little noise is wrong here");
            let found = accuracy(spec, &data);
            assert!(found > 0.9, "'{name}': {found}");
        }
    }

    /// Returns the accuracies of all trials for the only cell of a specification.
    fn trials(spec: Spec, data: &LabeledData) -> Vec<f64> {
        let experiment = Experiment::new(spec, data, None).unwrap();
        let records = experiment.run(Vec::new(), &mut |_| Ok(Control::Continue)).unwrap();
        let detail = records[0].evaluated().unwrap().detail.as_ref().unwrap();
        detail.trials.iter().map(|trial| trial.accuracy.unwrap()).collect()
    }

    /// Returns the specifications of one split for one method: with the selection of the command,
    /// and with the protocol of the recordings.
    fn split_of(method: &str) -> [Spec; 2] {
        let methods = vec![method.to_owned()];
        [Spec::default(), Protocol::named("neural").unwrap().spec()].map(|spec| Spec {
            methods: methods.clone(),
            filters: vec![1],
            seeds: 1,
            parts: Parts::Splits(1),
            ..spec
        })
    }

    /// Whether all values are fractions of the 40 validation samples.
    fn of_validation(shares: &[f64]) -> bool {
        shares.iter().all(|share| (40.0 * share - (40.0 * share).round()).abs() < 1e-9)
    }

    #[test]
    fn shrinkage_is_chosen_there_too_and_the_papers_neighborhoods_are_not() {
        let data = turned();
        let [own, papers] = split_of("lda");
        // With little shrinkage, LDA uses the difference that has the opposite sign in the 40
        // validation samples.
        for (spec, values) in [(own, 6), (papers, 5)] {
            let lda = trials(spec, &data);
            assert!(lda.len() == values && lda[0] < 0.95 && of_validation(&lda), "{lda:?}");
        }
        let [own, papers] = split_of("lfda");
        // All training samples are classified correctly.
        assert_eq!(trials(papers, &data), [1.0; 4]);
        let lfda = trials(own, &swapped());
        assert!(lfda.len() == 4 && of_validation(&lfda), "{lfda:?}");
        assert!(lfda.iter().all(|share| *share < 0.2), "{lfda:?}");
    }

    #[test]
    fn regularizations_are_judged_by_the_points_that_validate() {
        for spec in split_of("wda") {
            let name = spec.protocol.clone();
            let tried = trials(spec.clone(), &swapped());
            assert!(tried.len() == 5 && of_validation(&tried), "'{name}': {tried:?}");
            // Any part of the training samples would lead to the accuracy 1.
            assert!(tried.iter().all(|share| *share < 0.2), "'{name}': {tried:?}");
        }
    }

    #[test]
    fn later_seeds_take_the_regularization_of_the_first() {
        let data = turned();
        let [spec, _] = split_of("wda");
        let experiment = Experiment::new(Spec { seeds: 3, ..spec }, &data, None).unwrap();
        let records = experiment.run(Vec::new(), &mut |_| Ok(Control::Continue)).unwrap();
        let all: Vec<f64> = records
            .iter()
            .map(|record| {
                let found = record.evaluated().unwrap();
                let own = found.setting(Setting::Regularization);
                own.unwrap()
            })
            .collect();
        assert_eq!(all, [all[0]; 3]);
    }
}
