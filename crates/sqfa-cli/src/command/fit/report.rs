//! What `sqfa fit` tells: one JSON object, or a few lines for people.

use anyhow::Result;
use serde::Serialize;
use sqfa::{FittedSqfa, Noise};
use sqfa_lab::model_file::Trial;

use super::learn::{Prepared, trials};
use super::{Fit, Times};
use crate::output::{self, measured, number, pairs, percent, seconds};

#[derive(Serialize)]
struct Report<'a> {
    method: &'a str,
    distance: &'a str,
    filters: usize,
    noise: f64,
    objective: f64,
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
    constraint: &'a str,
    noise_choice: &'a str,
    noise_trials: Vec<Trial>,
    classes: usize,
    dimensions: usize,
    n_train: Option<u64>,
    seed: u64,
    threads: usize,
    warnings: &'a [String],
    model: String,
}

#[derive(Serialize)]
struct RestartReport {
    objective: f64,
    passes: usize,
    evaluations: usize,
    converged: bool,
}

/// Reports a finished fit.
pub(super) fn tell(
    fit: &Fit,
    prepared: &Prepared,
    fitted: &FittedSqfa,
    times: &Times,
) -> Result<()> {
    if fit.json { json(fit, prepared, fitted, times) } else { text(fit, prepared, fitted, times) }
}

fn json(fit: &Fit, prepared: &Prepared, fitted: &FittedSqfa, times: &Times) -> Result<()> {
    let restarts = fitted.restarts().iter().map(|restart| RestartReport {
        objective: restart.objective,
        passes: restart.passes,
        evaluations: restart.evaluations,
        converged: restart.termination.converged(),
    });
    output::say_json(&Report {
        method: fit.method.name,
        distance: fitted.distance(),
        filters: fit.filters,
        noise: fitted.noise(),
        objective: fitted.objective(),
        passes: fitted.passes(),
        evaluations: fitted.evaluations(),
        iterations: fitted.iterations(),
        seconds: fitted.seconds(),
        statistics_seconds: times.statistics,
        read_seconds: times.read,
        total_seconds: times.total,
        converged: fitted.converged(),
        termination: fitted.termination().name(),
        restarts: restarts.collect(),
        constraint: fitted.constraint().name(),
        noise_choice: fit.noise_name(),
        noise_trials: trials(fitted),
        classes: prepared.statistics.classes().len(),
        dimensions: prepared.statistics.dimension(),
        n_train: prepared.count(),
        seed: fit.seed,
        threads: rayon::current_num_threads(),
        warnings: fitted.warnings(),
        model: fit.out.display().to_string(),
    })
}

fn text(fit: &Fit, prepared: &Prepared, fitted: &FittedSqfa, times: &Times) -> Result<()> {
    let (classes, n) = (prepared.statistics.classes().len(), prepared.statistics.dimension());
    let points = prepared.count().map(|count| format!("{count} points, ")).unwrap_or_default();
    let mut text = format!(
        "{} on {}: {} of {n} dimensions, {points}{classes} classes\n",
        fit.method.name,
        prepared.name,
        many(fit.filters, "filter"),
    );
    let starts = match fitted.restarts().len() {
        1 => "1 start".to_owned(),
        count => format!("best of {count} starts"),
    };
    let ended = if fitted.converged() { "converged" } else { "not converged" };
    let model = fit.out.display();
    let mut lines = vec![
        (
            "objective",
            format!(
                "{}  mean {} distance over {}",
                measured(fitted.objective()),
                fitted.distance(),
                many(classes * (classes - 1) / 2, "pair"),
            ),
        ),
        ("noise", format!("{}  ({})", number(fitted.noise()), noise_words(fit, fitted))),
        (
            "ended",
            format!(
                "{ended} ({}) after {} and {}, {starts}",
                fitted.termination().name(),
                many(fitted.iterations(), "iteration"),
                many(fitted.passes(), "pass"),
            ),
        ),
        (
            "time",
            format!(
                "{} in all: reading {}, statistics {}, optimisation {}",
                seconds(times.total),
                seconds(times.read),
                seconds(times.statistics),
                seconds(fitted.seconds()),
            ),
        ),
        ("model", model.to_string()),
    ];
    let next = match (prepared.has_test, prepared.count()) {
        (true, _) => format!("sqfa evaluate {model} {}", fit.data.join(" ")),
        (false, Some(_)) => format!("sqfa evaluate {model} --test FILE"),
        (false, None) => format!("sqfa inspect {model}"),
    };
    lines.push(("next", next));
    text.push_str(&pairs(&lines));
    output::say(&text)
}

fn many(count: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}

fn noise_words(fit: &Fit, fitted: &FittedSqfa) -> String {
    match fit.noise {
        Noise::Scale => "scale: the mean variance within classes".to_owned(),
        Noise::Value(_) => "as given".to_owned(),
        Noise::Auto => {
            let chosen = fitted.noise_trials().iter().find(|trial| trial.noise == fitted.noise());
            let tried = fitted.noise_trials().len();
            match chosen {
                Some(trial) => format!(
                    "auto: best of {tried} with {} on held-out points",
                    percent(trial.accuracy)
                ),
                None => format!("auto: best of {tried}"),
            }
        }
    }
}

impl Fit {
    pub(super) fn noise_name(&self) -> &'static str {
        match self.noise {
            Noise::Scale => "scale",
            Noise::Auto => "auto",
            Noise::Value(_) => "given",
        }
    }
}
