//! The output of `sqfa fit`: one JSON object, or a few lines of text that begin with the held-out accuracy.

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sqfa::pipeline::{Filters, FitRecord, Fitted};
use sqfa::reduce::{Objective, Setting};
use sqfa::{Estimator, Noise};
use sqfa_io::model_file::ClassNames;

use super::choices;
use super::learn::{Prepared, Sketch};
use super::{Fit, Times};
use crate::output::{self, measured, number, pairs, percent, seconds};
use crate::suggest;

/// The record of a fit with what the command adds to it.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    record: Map<String, Value>,
    filters: usize,
    noise: Option<f64>,
    noise_choice: String,
    center: bool,
    statistics_seconds: f64,
    read_seconds: f64,
    total_seconds: f64,
    n_classes: usize,
    classes: ClassNames,
    dimensions: usize,
    label: Option<&'a str>,
    n_train: Option<u64>,
    sketch: Option<&'a Sketch>,
    threads: usize,
    model: String,
}

/// Reports a finished fit.
pub(super) fn tell(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    if fit.json { json(fit, prepared, learned, times) } else { text(fit, prepared, learned, times) }
}

fn json(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    let record = &learned.record;
    output::say_json(&Report {
        record: json_of(record, |column| prepared.column(column))?,
        filters: learned.filters().ncols(),
        noise: record.setting(Setting::Noise),
        noise_choice: fit.settings.noise.to_string(),
        center: record.centers(),
        statistics_seconds: times.statistics,
        read_seconds: times.read,
        total_seconds: times.total,
        n_classes: prepared.classes.len(),
        classes: (&prepared.classes).into(),
        dimensions: prepared.dimension,
        label: prepared.label.as_deref(),
        n_train: prepared.count(),
        sketch: prepared.sketch.as_ref(),
        threads: rayon::current_num_threads(),
        model: fit.out.display().to_string(),
    })
}

/// Returns a record with the run beside what was specified, without traces; `column` returns the name of a column.
fn json_of(record: &FitRecord, column: impl Fn(usize) -> String) -> Result<Map<String, Value>> {
    let mut run = fields(&record.run)?;
    for trace in ["trace", "other_traces", "group_traces"] {
        run.remove(trace);
    }
    let restarts = run.get_mut("initializations").and_then(Value::as_array_mut);
    for restart in restarts.into_iter().flatten().filter_map(Value::as_object_mut) {
        restart.remove("trace");
    }
    let mut all = fields(record)?;
    all.remove("fit");
    all.extend(run);
    all.insert("search_seconds".to_owned(), json!(record.run.search_seconds.unwrap_or(0.0)));
    for key in ["selection", "filters_tried", "optimizer"] {
        all.entry(key).or_insert(Value::Null);
    }
    let trials = record.trials.iter().map(|trial| {
        json!({ "setting": trial.setting, "value": trial.value, "accuracy": trial.accuracy })
    });
    all.insert("trials".to_owned(), trials.collect());
    all.extend(json_names(record, column));
    Ok(all)
}

fn fields(value: &impl Serialize) -> Result<Map<String, Value>> {
    Ok(serde_json::from_value(serde_json::to_value(value)?)?)
}

/// Returns the settings of a record by name, and the dropped columns by the names that `column` returns.
pub(crate) fn json_names(
    record: &FitRecord,
    column: impl Fn(usize) -> String,
) -> [(String, Value); 2] {
    let settings: Map<String, Value> = record
        .quantities()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let dropped: Vec<String> = record.dropped.iter().map(|&own| column(own)).collect();
    [("settings".to_owned(), settings.into()), ("dropped".to_owned(), dropped.into())]
}

fn text(fit: &Fit, prepared: &Prepared, learned: &Fitted, times: &Times) -> Result<()> {
    let (record, run) = (&learned.record, &learned.record.run);
    let (classes, n) = (prepared.classes.len(), prepared.dimension);
    let samples = prepared.count().map(|count| format!("{count} samples, ")).unwrap_or_default();
    let headline = choices::headline(record).map(|words| format!("{words}\n\n"));
    let mut text = format!(
        "{}{} on {}: {} of {n} columns, {samples}{classes} classes\n",
        headline.unwrap_or_default(),
        fit.method,
        output::printable(&prepared.name),
        many(learned.filters().ncols(), "filter"),
    );
    let model = fit.out.display();
    let mut lines = Vec::new();
    if let Some(label) = &prepared.label {
        lines.push(("label", label_words(label, prepared)));
    }
    if let Some(objective) = run.objective {
        let refined = record.refinement.as_ref().is_some_and(|choice| choice.steps > 0);
        let meaning = if refined { Objective::LogPosterior } else { fit.method.entry.objective };
        let meaning = objective_words(fit, meaning, classes);
        lines.push(("objective", format!("{}  {meaning}", measured(objective))));
    }
    if let Some(Sketch { rows, bounds }) = &prepared.sketch {
        let most = bounds.iter().fold(0.0_f64, |most, &bound| most.max(bound));
        lines.push((
            "sketch",
            format!("{rows} rows per class; covariances within {} of the exact ones", number(most)),
        ));
    }
    if !record.dropped.is_empty() {
        lines.push(("dropped", choices::dropped_words(&record.dropped, prepared)));
    }
    let most = match fit.filters {
        Filters::Auto { max } => Some(max),
        Filters::Count(_) => None,
    };
    lines.extend(choices::lines(learned, prepared, most));
    let found = record.selection.is_some();
    if let Some(noise) = record.setting(Setting::Noise).filter(|_| !found) {
        lines.push(("noise", format!("{}  ({})", number(noise), noise_words(fit))));
    }
    for (setting, value) in &record.used {
        if setting.is_chosen() {
            lines.push((setting.name(), setting_words(record, *setting, *value)));
        }
    }
    if let Some(degrees) = record.setting(Setting::Degrees) {
        let words = match (fit.settings.degrees, fit.estimator) {
            (Some(_), _) => "as specified",
            (None, Some(Estimator::StudentT(None))) => "maximum likelihood",
            (None, Some(_)) => "of the covariance estimator",
            _ => "default of the method",
        };
        lines.push(("nu", format!("{}  ({words})", number(degrees))));
    }
    if let Some(choice) = &record.refinement {
        lines.push(("refinement", choices::refinement_words(record, choice)));
    }
    if let Some(end) = run.termination {
        let ended = if run.converged() { "converged" } else { "not converged" };
        let starts = match run.restarts.len() {
            0 | 1 => String::new(),
            count => format!(", best of {count} initializations"),
        };
        let iterations = many(run.iterations, "iteration");
        let why = if run.converged() { String::new() } else { format!(" ({})", end.name()) };
        lines.push(("optimizer", format!("{ended} after {iterations}{why}{starts}")));
    } else {
        lines.push(("solution", "closed form".to_owned()));
    }
    let before = times.statistics + times.learning - run.seconds;
    let before = format!("statistics and selection {}", seconds(before.max(0.0)));
    lines.push((
        "time",
        format!(
            "{} in total: reading {}, {before}, {} {}",
            seconds(times.total),
            seconds(times.read),
            if run.termination.is_some() { "optimization" } else { "solution" },
            seconds(run.seconds),
        ),
    ));
    lines.push(("model", model.to_string()));
    let next = match &fit.data[..] {
        [data] if prepared.had_points && data != "-" => {
            let test = match prepared.test {
                Some(_) => "",
                None => "   (training accuracy: use a file of new samples for test accuracy)",
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

/// Returns the meaning of the objective.
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

/// Returns the value of a method's own setting and how it was selected.
fn setting_words(record: &FitRecord, setting: Setting, value: f64) -> String {
    let chosen = record.trials.iter().any(|trial| trial.setting == setting);
    let how = if chosen {
        choice_words(record, setting, value)
    } else if record.specified.settings.contains_key(setting.name()) {
        "as specified".to_owned()
    } else {
        "default: no samples available for cross-validation".to_owned()
    };
    format!("{}  ({how})", number(value))
}

fn choice_words(record: &FitRecord, setting: Setting, value: f64) -> String {
    let tried: Vec<_> = record.trials.iter().filter(|trial| trial.setting == setting).collect();
    let count = tried.len();
    match tried.iter().find(|trial| trial.value == value).and_then(|trial| trial.accuracy) {
        Some(accuracy) => {
            format!("best of {count} values, held-out accuracy {}", percent(accuracy))
        }
        None => format!("best of {count} values"),
    }
}
