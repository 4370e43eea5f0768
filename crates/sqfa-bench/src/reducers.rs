//! Accuracies and times of any reducer, as the paper's tables report them.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value, json};
use sqfa::Noise;
use sqfa::classify::QDA_SHRINKAGE;
use sqfa::model::Restarts;
use sqfa::optimize::{Control, Progress};
use sqfa::pipeline::{FitRecord, Labeled, Pipeline, PipelineError};
use sqfa::reduce::{Choice, Method, ReduceError, ReducerSettings, Reduction, Samples, Training};
use sqfa::statistics::Scaling;

use crate::data::{Prepared, prepare};
use crate::machine::median;

/// Flags of `sqfa-bench reducers`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReducersArgs {
    /// Data set: mnist or svhn.
    #[arg(long)]
    pub(crate) set: String,
    /// Methods, such as lda or sqfa-h+refine.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Numbers of filters.
    #[arg(long, value_delimiter = ',', default_value = "2,4,8,16")]
    filters: Vec<usize>,
    /// Seeds.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Starts of the SQFA family.
    #[arg(long, default_value_t = 3)]
    restarts: usize,
    /// Feature noise of the SQFA family: a number, scale or auto.
    #[arg(long, default_value = "scale")]
    noise: String,
    /// Sinkhorn regularizations to choose among.
    #[arg(long, value_delimiter = ',')]
    regularizations: Vec<f64>,
}

pub(crate) fn run(folder: &Path, args: &ReducersArgs) -> Result<Value> {
    let prepared = prepare(folder, &args.set)?;
    let samples = Samples {
        points: prepared.data.train.points.view(),
        labels: &prepared.data.train.labels,
        preprocessor: prepared.preprocessor.as_ref(),
    };
    let training = Training::new(&prepared.statistics, samples).judged_with(QDA_SHRINKAGE);
    let mut rows = Vec::new();
    for method in &args.methods {
        for &filters in &args.filters {
            let mut runs = Vec::new();
            for seed in 0..args.seeds {
                let settings = settings(args, seed);
                let began = Instant::now();
                let fitted = match fit(method, filters, settings, &prepared, &training) {
                    Ok(fitted) => fitted,
                    Err(PipelineError::Reduce(ReduceError::TooMany { .. })) => break,
                    Err(error) => return Err(error.into()),
                };
                let wall = began.elapsed().as_secs_f64();
                let qda = 100.0 * prepared.accuracy(fitted.filters.as_ref())?;
                let knn = 100.0 * prepared.knn_accuracy(fitted.filters.as_ref(), 5)?;
                let train = 100.0 * prepared.training_accuracy(fitted.filters.as_ref())?;
                crate::machine::tell(&format!(
                    "{method} m={filters} seed {seed}: qda {qda:.2} knn {knn:.2} train {train:.2}, {:.2} s ({wall:.2} s in all) {:?} {:?}",
                    fitted.run.seconds,
                    fitted.settings,
                    fitted.run.termination.map(|end| end.name())
                ));
                runs.push(json!({
                    "seed": seed, "qda": qda, "knn": knn, "qda_train": train, "seconds": fitted.run.seconds,
                    "wall_seconds": wall, "iterations": fitted.run.iterations, "objective": fitted.run.objective,
                    "converged": fitted.run.converged(), "settings": fitted.settings.iter()
                        .map(|(setting, value)| json!([setting.name(), value])).collect::<Vec<_>>(),
                    "trials": fitted.trials.iter().map(|trial| json!([trial.setting.name(), trial.value, trial.accuracy])).collect::<Vec<_>>(),
                }));
            }
            if runs.is_empty() {
                continue;
            }
            let of = |key: &str| {
                let values: Vec<f64> = runs.iter().filter_map(|run| run[key].as_f64()).collect();
                median(&values)
            };
            rows.push(json!({
                "method": method, "filters": filters, "qda_median": of("qda"), "knn_median": of("knn"),
                "seconds_median": of("seconds"), "runs": runs,
            }));
        }
    }
    Ok(json!({ "set": args.set, "rows": rows }))
}

/// Fits as the paper does; refined filters, which the paper does not have, as `sqfa fit` with the same scaling and noise.
fn fit(
    name: &str,
    filters: usize,
    settings: ReducerSettings,
    prepared: &Prepared,
    training: &Training<'_>,
) -> Result<Reduction, PipelineError> {
    let method: Method = name.parse().map_err(ReduceError::from)?;
    if !method.refined {
        return Ok(method.entry.reducer(&settings).fit_one(training, filters, &mut goes_on)?);
    }
    let recipe =
        Pipeline { settings, scaling: Some(Scaling::Common), ..Pipeline::new(method, filters) };
    let train = &prepared.data.train;
    let fitted = recipe.fit(Labeled::new(train.points.view(), &train.labels), &mut goes_on)?;
    let filters = fitted.filters().to_owned();
    let FitRecord { run, used: settings, trials, .. } = fitted.record;
    Ok(Reduction { filters, run, settings, trials })
}

fn goes_on(_: &Progress) -> Control {
    Control::Continue
}

fn settings(args: &ReducersArgs, seed: u64) -> ReducerSettings {
    ReducerSettings {
        seed,
        noise: match args.noise.as_str() {
            "scale" => Noise::Fraction(1.0),
            "auto" => Noise::Auto,
            number => number.parse().map_or(Noise::Fraction(1.0), Noise::Value),
        },
        restarts: Restarts::Count(args.restarts),
        regularization: match args.regularizations.as_slice() {
            [] => Choice::Usual,
            values => Choice::Among(values.to_vec()),
        },
        ..ReducerSettings::default()
    }
}
