//! What `sqfa fit` tells: one JSON object, or a few lines for people.

use anyhow::Result;
use serde::Serialize;
use sqfa::optimize::Termination;
use sqfa::pipeline::{Filters, Fitted};
use sqfa::reduce::{Objective, Reduction, Setting};
use sqfa::statistics::Moments;
use sqfa::{Estimator, Noise};
use sqfa_io::model_file::{ClassNames, CountRecord, SelectionRecord, count_records};

use super::choices;
use super::learn::{Prepared, Sketch};
use super::{Fit, Times};
use crate::output::{self, measured, number, pairs, percent, seconds};
use crate::suggest;

#[derive(Serialize)]
struct Report<'a> {
    method: &'a str,
    refined: bool,
    distance: Option<String>,
    filters: usize,
    noise: Option<f64>,
    objective: Option<f64>,
    passes: usize,
    evaluations: usize,
    iterations: usize,
    seconds: f64,
    statistics_seconds: f64,
    read_seconds: f64,
    total_seconds: f64,
    converged: bool,
    termination: &'a str,
    restarts: Vec<RestartReport>,
    constraint: Option<&'a str>,
    settings: serde_json::Map<String, serde_json::Value>,
    trials: Vec<TrialReport<'a>>,
    search_seconds: f64,
    noise_choice: String,
    scale: &'a str,
    center: bool,
    selection: Option<SelectionRecord>,
    filters_tried: Option<Vec<CountRecord>>,
    set_aside: Vec<String>,
    optimizer: Option<&'a str>,
    n_classes: usize,
    classes: ClassNames,
    dimensions: usize,
    label: Option<&'a str>,
    n_train: Option<u64>,
    sketch: Option<&'a Sketch>,
    seed: u64,
    threads: usize,
    warnings: Vec<String>,
    model: String,
}

/// One value of a setting that was tried on held-out points.
#[derive(Serialize)]
struct TrialReport<'a> {
    setting: &'a str,
    value: f64,
    accuracy: f64,
}

#[derive(Serialize)]
struct RestartReport {
    objective: f64,
    passes: usize,
    evaluations: usize,
    converged: bool,
}

/// Reports a finished fit.
pub(super) fn tell(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    if fit.json { json(fit, prepared, learned, times) } else { text(fit, prepared, learned, times) }
}

fn json(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    let fitted = &learned.reduction;
    let restarts = fitted.restarts.iter().map(|restart| RestartReport {
        objective: restart.objective,
        passes: restart.passes,
        evaluations: restart.evaluations,
        converged: restart.termination.converged(),
    });
    output::say_json(&Report {
        method: fit.method.entry.name,
        refined: fit.method.refined,
        distance: fit.distance_name(),
        filters: fitted.filters.ncols(),
        noise: fitted.setting(Setting::Noise),
        objective: fitted.objective,
        passes: fitted.passes,
        evaluations: fitted.evaluations,
        iterations: fitted.iterations,
        seconds: fitted.seconds,
        search_seconds: fitted.search_seconds,
        settings: fitted
            .settings
            .iter()
            .map(|(setting, value)| (setting.to_string(), (*value).into()))
            .collect(),
        trials: fitted
            .trials
            .iter()
            .map(|trial| TrialReport {
                setting: trial.setting.name(),
                value: trial.value,
                accuracy: trial.accuracy,
            })
            .collect(),
        statistics_seconds: times.statistics,
        read_seconds: times.read,
        total_seconds: times.total,
        converged: fitted.converged(),
        termination: termination(fitted),
        restarts: restarts.collect(),
        constraint: fit.constraint().map(sqfa::constraint::Constraint::name),
        noise_choice: fit.settings.noise.to_string(),
        scale: learned.scaling.name(),
        center: learned.scaling.centers() && learned.features.moments() == Moments::Central,
        selection: learned.selection.as_ref().map(SelectionRecord::from),
        filters_tried: learned.curve.as_ref().map(count_records),
        set_aside: learned.dropped().into_iter().map(|one| prepared.column(one)).collect(),
        optimizer: fitted.optimizer.map(sqfa::optimize::Optimizer::name),
        n_classes: prepared.classes.len(),
        classes: (&prepared.classes).into(),
        dimensions: prepared.dimension,
        label: prepared.label.as_deref(),
        n_train: prepared.count(),
        sketch: prepared.sketch.as_ref(),
        seed: fit.settings.seed,
        threads: rayon::current_num_threads(),
        warnings: fitted.warnings.iter().map(ToString::to_string).collect(),
        model: fit.out.display().to_string(),
    })
}

fn text(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    let fitted = &learned.reduction;
    let (classes, n) = (prepared.classes.len(), prepared.dimension);
    let points = prepared.count().map(|count| format!("{count} points, ")).unwrap_or_default();
    let mut text = format!(
        "{} on {}: {} of {n} dimensions, {points}{classes} classes\n",
        fit.method,
        output::printable(&prepared.name),
        many(fitted.filters.ncols(), "filter"),
    );
    let model = fit.out.display();
    let mut lines = Vec::new();
    if let Some(label) = &prepared.label {
        lines.push(("label", label_words(label, prepared)));
    }
    if let Some(objective) = fitted.objective {
        let refined = fit.method.refined && fitted.setting(Setting::RefinementSteps) != Some(0.0);
        let meaning = if refined { Objective::LogPosterior } else { fit.method.entry.objective };
        let meaning = objective_words(fit, meaning, classes);
        lines.push(("objective", format!("{}  {meaning}", measured(objective))));
    }
    if let Some(Sketch { rows, bounds }) = &prepared.sketch {
        let most = bounds.iter().fold(0.0_f64, |most, &bound| most.max(bound));
        lines.push((
            "sketch",
            format!("{rows} rows a class; covariances within {} of the exact ones", number(most)),
        ));
    }
    let dropped = learned.dropped();
    if !dropped.is_empty() {
        lines.push(("dropped", choices::dropped_words(&dropped, prepared)));
    }
    let most = match fit.filters {
        Filters::Auto { max } => Some(max),
        Filters::Count(_) => None,
    };
    lines.extend(choices::lines(learned, prepared, most));
    let found = learned.selection.is_some();
    if let Some(noise) = fitted.setting(Setting::Noise).filter(|_| !found) {
        lines.push(("noise", format!("{}  ({})", number(noise), noise_words(fit))));
    }
    for (setting, value) in &fitted.settings {
        if setting.is_chosen() {
            lines.push((setting.name(), setting_words(fit, fitted, *setting, *value)));
        }
    }
    if let Some(degrees) = fitted.setting(Setting::Degrees) {
        let words = match (fit.settings.degrees, fit.estimator) {
            (Some(_), _) => "given",
            (None, Some(Estimator::StudentT(None))) => "the likeliest",
            (None, Some(_)) => "of the estimator",
            _ => "the method's own",
        };
        lines.push(("nu", format!("{}  ({words})", number(degrees))));
    }
    if let Some(choice) = &learned.refinement {
        lines.push(("refinement", choices::refinement_words(choice)));
    }
    if let Some(end) = fitted.termination {
        let ended = if fitted.converged() { "converged" } else { "not converged" };
        let starts = match fitted.traces.len() {
            0 | 1 => "1 start".to_owned(),
            _ if fitted.restarts.len() > 1 => format!("best of {} starts", fitted.restarts.len()),
            _ => "1 start".to_owned(),
        };
        let passes = match fitted.passes {
            0 => String::new(),
            count => format!(" and {}", many(count, "pass")),
        };
        let iterations = many(fitted.iterations, "iteration");
        lines.push((
            "ended",
            format!("{ended} ({}) after {iterations}{passes}, {starts}", end.name()),
        ));
    } else {
        lines.push(("ended", "closed form".to_owned()));
    }
    let before = times.statistics + times.learning - fitted.seconds;
    let before = format!("statistics and selection {}", seconds(before.max(0.0)));
    lines.push((
        "time",
        format!(
            "{} in all: reading {}, {before}, {} {}",
            seconds(times.total),
            seconds(times.read),
            if fitted.termination.is_some() { "optimisation" } else { "solution" },
            seconds(fitted.seconds),
        ),
    ));
    lines.push(("model", model.to_string()));
    let next = match &fit.data[..] {
        [data] if prepared.had_points && data != "-" => {
            let test = match prepared.test {
                Some(_) => "",
                None => "   (training accuracy; name a file of new samples for test accuracy)",
            };
            format!("{}{test}", suggest::with_model("evaluate", &fit.out, data))
        }
        _ => suggest::command(["inspect", &fit.out.display().to_string()]),
    };
    lines.push(("next", next));
    text.push_str(&pairs(&lines));
    output::summarize(&text)
}

/// The label column with its classes.
fn label_words(label: &str, prepared: &Prepared) -> String {
    const LISTED: usize = 5;
    let classes = prepared.classes.iter().take(LISTED).map(|class| class.to_string());
    let more = if prepared.classes.len() > LISTED { ", …" } else { "" };
    let column = if prepared.columns.is_empty() { "column " } else { "" };
    format!("{column}{label}: {}{more}", classes.collect::<Vec<_>>().join(", "))
}

pub(super) fn many(count: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}

fn noise_words(fit: &Fit) -> String {
    match fit.settings.noise {
        Noise::Value(_) => "as specified".to_owned(),
        Noise::Fraction(fraction) => {
            format!("{}x the mean within-class variance", number(fraction))
        }
        Noise::Auto => "the mean within-class variance".to_owned(),
    }
}

/// What the objective is.
fn objective_words(fit: &Fit, objective: Objective, classes: usize) -> String {
    match objective {
        Objective::MeanDistance => {
            let pairs = many(classes * (classes - 1) / 2, "pair");
            format!("mean {} distance over {pairs}", fit.distance_name().unwrap_or_default())
        }
        Objective::LikelihoodGain => "gain in log likelihood".to_owned(),
        Objective::LogPosterior => "mean log posterior of the true class".to_owned(),
        Objective::Loss | Objective::None => format!("{}'s loss", fit.method.entry.name),
    }
}

/// A setting of a baseline, and how it was chosen.
fn setting_words(fit: &Fit, fitted: &Reduction, setting: Setting, value: f64) -> String {
    let chosen = fitted.trials.iter().any(|trial| trial.setting == setting);
    let how = if chosen {
        choice_words(fitted, setting, value)
    } else if fit.specified.contains_key(setting.name()) {
        "as given".to_owned()
    } else {
        "the usual value: nothing could be held out".to_owned()
    };
    format!("{}  ({how})", number(value))
}

fn choice_words(fitted: &Reduction, setting: Setting, value: f64) -> String {
    let tried: Vec<_> = fitted.trials.iter().filter(|trial| trial.setting == setting).collect();
    let count = tried.len();
    match tried.iter().find(|trial| trial.value == value) {
        Some(trial) => {
            format!("auto: best of {count} with {} on held-out points", percent(trial.accuracy))
        }
        None => format!("auto: best of {count}"),
    }
}

fn termination(fitted: &Reduction) -> &'static str {
    fitted.termination.map_or("closed-form", Termination::name)
}
