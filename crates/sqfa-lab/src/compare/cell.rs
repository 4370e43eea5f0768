//! One fit and its verdicts: a job becomes records.

use std::time::Instant;

use sqfa::{
    Choice, Control, Noise, Progress, ReduceError, ReducerSettings, Reduction, Restarts, Samples,
    Termination, Training, reducer,
};

use super::judge::Bench;
use super::record::{Climb, Detail, Judged, Outcome, Record, Sample, Setting, TrialRecord};
use super::run::Fold;
use super::{Classifier, Job, NoiseChoice, Numbers, Protocol, Spec};
use crate::model_file::maximum_likelihood;

/// Points of a trace that are kept: more than a figure has pixels for.
const TRACE: usize = 160;
/// Test points whose features are kept for a scatter.
const SAMPLE: usize = 1500;

/// What a job may use of earlier ones.
pub(super) struct Known<'a> {
    pub(super) spec: &'a Spec,
    /// Settings that an earlier seed chose for a number of filters.
    pub(super) settings: &'a dyn Fn(usize) -> Option<Vec<Setting>>,
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
                    let reason = format!("at most {limit} filters ({why})");
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
                    ReduceError::TooMany { limit, why, .. } => Outcome::NotApplicable {
                        reason: format!("at most {limit} filters ({why})"),
                    },
                    error => Outcome::Failed { error: error.to_string() },
                };
                records.push(record(count, outcome));
            }
        }
        Ok(reductions) => {
            for (&count, reduction) in counts.iter().zip(reductions) {
                let outcome = match judge(&reduction, fold, known) {
                    Ok(judged) => Outcome::Done(Box::new(judged)),
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
        ..ReducerSettings::default()
    };
    if let Some(protocol) = Protocol::named(&spec.protocol) {
        protocol.tailor(&job.method, &mut settings);
    }
    // Jobs of several counts are those of methods without a seed, for which there is no earlier one.
    let chosen = filters.and_then(|filters| (known.settings)(filters)).unwrap_or_default();
    for Setting { name, value } in chosen {
        match name.as_str() {
            "noise" => settings.noise = Noise::Value(value),
            "shrinkage" => settings.shrinkage = Choice::Value(value),
            "neighbors" => settings.neighbors = Choice::Value(value),
            "regularization" => settings.regularization = Choice::Value(value),
            _ => {}
        }
    }
    settings
}

/// What the classifiers say about filters.
fn judge(reduction: &Reduction, fold: &Fold<'_>, known: &Known<'_>) -> Result<Judged, String> {
    let spec = known.spec;
    let filters = reduction.filters.as_ref();
    let finite = (0..filters.ncols()).all(|j| filters.col(j).iter().all(|value| value.is_finite()));
    if !finite {
        return Err("the filters hold numbers that are not finite".to_owned());
    }
    let bench = Bench::new(&fold.train, &fold.test, fold.preprocessor.as_ref(), filters)?;
    let mut verdicts = Vec::new();
    let mut first = None;
    for name in &spec.classifiers {
        let classifier = Classifier::named(name).map_err(|error| error.to_string())?;
        let predicted = bench.predict(classifier, spec);
        verdicts.push(bench.verdict(classifier, &predicted));
        first = first.or(predicted.ok());
    }
    let detail = match (known.detailed, first) {
        (true, Some(guess)) => Some(Box::new(detail(reduction, fold, &bench, &guess)?)),
        _ => None,
    };
    Ok(Judged {
        fit_seconds: reduction.seconds,
        search_seconds: reduction.search_seconds,
        objective: reduction.objective,
        converged: reduction.converged() || reduction.termination == Some(Termination::NoProgress),
        iterations: reduction.iterations,
        settings: reduction
            .settings
            .iter()
            .map(|&(name, value)| Setting { name: name.to_owned(), value })
            .collect(),
        verdicts,
        warnings: reduction.warnings.clone(),
        climbs: reduction.traces.iter().map(|trace| thinned(trace)).collect(),
        detail,
    })
}

/// A trace without most of its points; first and last stay.
fn thinned(trace: &[f64]) -> Climb {
    let kept = trace.len().min(TRACE);
    let at = |k: usize| k * (trace.len() - 1) / (kept - 1).max(1);
    Climb { length: trace.len(), objective: Numbers::of((0..kept).map(|k| trace[at(k)])) }
}

fn detail(
    reduction: &Reduction,
    fold: &Fold<'_>,
    bench: &Bench<'_>,
    guess: &[u32],
) -> Result<Detail, String> {
    let (n, m) = (reduction.filters.nrows(), reduction.filters.ncols());
    let identity = sqfa::Mat::from_fn(m, m, |i, j| if i == j { 1.0 } else { 0.0 });
    let gaussians = maximum_likelihood(&bench.statistics, identity.as_ref())
        .map_err(|error| error.to_string())?;
    let classes = gaussians.len();
    let truth = fold.test.labels.codes();
    let mut confusion = vec![0; classes * classes];
    for (&truth, &guess) in truth.iter().zip(guess) {
        confusion[truth as usize * classes + guess as usize] += 1;
    }
    let rows = spread(truth, classes);
    let features = bench.test_features.to_f64();
    Ok(Detail {
        weights: Numbers::of(
            (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|at| reduction.filters[at]),
        ),
        means: Numbers::of((0..classes).flat_map(|k| gaussians.mean(k).to_vec())),
        covariances: Numbers::of((0..classes).flat_map(|k| gaussians.covariance(k).to_vec())),
        confusion,
        sample: Sample {
            features: Numbers::of(rows.iter().flat_map(|&row| features[row * m..][..m].to_vec())),
            truth: rows.iter().map(|&row| truth[row]).collect(),
            guess: rows.iter().map(|&row| guess[row]).collect(),
        },
        trials: reduction
            .trials
            .iter()
            .map(|trial| TrialRecord {
                name: trial.name.to_owned(),
                value: trial.value,
                accuracy: (!trial.accuracy.is_nan()).then_some(trial.accuracy),
            })
            .collect(),
    })
}

/// Rows of a sample in which every class has about the same number of points, evenly spread over them.
fn spread(truth: &[u32], classes: usize) -> Vec<usize> {
    let share = (SAMPLE / classes.max(1)).max(1);
    let mut rows = Vec::new();
    for class in 0..classes {
        let own: Vec<usize> =
            (0..truth.len()).filter(|&row| truth[row] as usize == class).collect();
        let kept = own.len().min(share);
        rows.extend((0..kept).map(|k| own[k * own.len() / kept]));
    }
    rows.sort_unstable();
    rows
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_keep_their_ends() {
        assert_eq!(thinned(&[1.0]).points(), [(0.0, 1.0)]);
        assert!(thinned(&[]).points().is_empty());
        let long: Vec<f64> = (0..1000).map(f64::from).collect();
        let kept = thinned(&long).points();
        assert_eq!(kept.len(), TRACE);
        assert!(kept.iter().all(|(iteration, value)| iteration == value));
        assert_eq!(kept[TRACE - 1], (999.0, 999.0));
    }

    #[test]
    fn samples_favour_no_class() {
        let truth: Vec<u32> = (0..100_000).map(|row| u32::from(row % 100 == 0)).collect();
        let rows = spread(&truth, 2);
        let small = rows.iter().filter(|&&row| truth[row] == 1).count();
        assert_eq!((rows.len(), small), (SAMPLE, SAMPLE / 2));
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
