//! `sqfa demo`: the six methods on moving textures, compared in under a minute.

use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;
use sqfa::{ClassStatistics, Estimator, METHODS, MatRef, Noise, Qda, Sqfa, transform};
use sqfa_lab::data::Part;
use sqfa_lab::datasets::speed::Speed;
use sqfa_lab::model_file::SHRINKAGE;

use super::fit::explain;
use crate::args::DemoArgs;
use crate::interrupt::{self, Guard};
use crate::output::{self, number, percent, seconds};
use crate::progress::Line;

/// The feature noise of the paper's speed-estimation experiment.
const NOISE: f64 = 0.001;

/// The exact distance takes ten times as long as all others and tells the speeds as well as its bound.
const SLOW: &str = "sqfa-fr";

const NEXT: &str = "\
Try next
  sqfa fit YOURS.csv --label COLUMN --filters 2 --out model.sqfa    your own table
  sqfa evaluate model.sqfa TEST.csv --label COLUMN                  its accuracy
  sqfa dataset speed --out speed.npz                                these videos as a file
  sqfa --help                                                       everything else
";

#[derive(Serialize)]
struct Row {
    method: &'static str,
    distance: &'static str,
    qda_accuracy: f64,
    objective: Option<f64>,
    seconds: f64,
    passes: usize,
    converged: bool,
}

#[derive(Serialize)]
struct Report {
    data: &'static str,
    classes: usize,
    filters: usize,
    noise: f64,
    n_train: usize,
    n_test: usize,
    rows: Vec<Row>,
    total_seconds: f64,
}

/// Makes the videos, fits every method and prints the comparison.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    interrupt::listen();
    let began = Instant::now();
    if !args.json {
        output::say("Filming textures that move at 41 speeds, 15 frames of 30 pixels each …\n")?;
    }
    let line = Line::new("filming");
    let data = Speed::default().generate()?;
    let test = data.test.context("the videos have no test part")?;
    line.tell("class statistics");
    let statistics = ClassStatistics::from_points(
        data.train.points.view(),
        &data.train.labels,
        Estimator::Empirical,
    )?;
    let guard = Guard::new();
    let mut rows = vec![principal_components(&statistics, &test, args.filters)?];
    for method in METHODS.iter().filter(|method| method.name != SLOW) {
        let recipe = Sqfa::for_method(method, args.filters)?.noise(Noise::Value(NOISE));
        let fitted =
            recipe.fit_observed(&statistics, &mut |progress| line.observe(method.name, progress));
        guard.check()?;
        let fitted = fitted.map_err(|error| explain(&error, None))?;
        rows.push(Row {
            method: method.name,
            distance: method.distance,
            qda_accuracy: accuracy(&statistics, fitted.filters().as_ref(), &test)?,
            objective: Some(fitted.objective()),
            seconds: fitted.seconds(),
            passes: fitted.passes(),
            converged: fitted.converged(),
        });
    }
    drop(line);
    let report = Report {
        data: "speed",
        classes: statistics.classes().len(),
        filters: args.filters,
        noise: NOISE,
        n_train: data.train.points.rows(),
        n_test: test.points.rows(),
        rows,
        total_seconds: began.elapsed().as_secs_f64(),
    };
    if args.json { output::say_json(&report) } else { output::say(&text(&report)) }
}

/// Where everybody starts: the directions of largest variance, which ignore the classes.
fn principal_components(statistics: &ClassStatistics, test: &Part, filters: usize) -> Result<Row> {
    let began = Instant::now();
    let (components, _) = statistics
        .principal_components(filters)
        .with_context(|| format!("--filters {filters}: the videos have 450 dimensions"))?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Row {
        method: "pca",
        distance: "(for comparison)",
        qda_accuracy: accuracy(statistics, components.as_ref(), test)?,
        objective: None,
        seconds,
        passes: 0,
        converged: true,
    })
}

fn accuracy(statistics: &ClassStatistics, filters: MatRef<'_, f64>, test: &Part) -> Result<f64> {
    let qda = Qda::from_statistics(statistics, filters, SHRINKAGE)?;
    let features = transform(test.points.view(), filters, None);
    Ok(qda.accuracy(features.as_points(filters.ncols()), test.labels.codes())?)
}

fn text(report: &Report) -> String {
    let Report { classes, filters, n_train, n_test, noise, total_seconds, .. } = report;
    let mut rows =
        vec![["method", "QDA accuracy", "time", "distance maximised"].map(str::to_owned).to_vec()];
    let mut ranked: Vec<&Row> = report.rows.iter().collect();
    ranked.sort_by(|a, b| b.qda_accuracy.total_cmp(&a.qda_accuracy));
    for row in &ranked {
        rows.push(vec![
            row.method.to_owned(),
            percent(row.qda_accuracy),
            seconds(row.seconds),
            row.distance.to_owned(),
        ]);
    }
    let chance = percent(1.0 / *classes as f64);
    let reading = match (ranked.first(), ranked.iter().find(|row| row.method == "pca")) {
        (Some(best), Some(pca)) => format!(
            "Reading: {filters} numbers instead of 450 tell the speed of {} of the videos with {}, {} \
             times as many as with principal components; chance is {chance}.\n",
            percent(best.qda_accuracy),
            best.method,
            number((10.0 * best.qda_accuracy / pca.qda_accuracy).round() / 10.0),
        ),
        _ => String::new(),
    };
    format!(
        "{classes} speeds, {n_train} training and {n_test} test videos, {filters} filters, noise {noise}\n\n\
         {}\n{reading}Everything took {}.\n\n{NEXT}",
        output::table(&rows, &[3]),
        seconds(*total_seconds),
    )
}
