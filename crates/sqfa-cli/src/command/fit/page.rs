//! `sqfa fit --report`: the model as a page to look at.

use std::path::Path;

use anyhow::{Context, Result};
use sqfa::pipeline::Fitted;
use sqfa::reduce::Run;
use sqfa_io::data::Part;
use sqfa_io::model_file::{ClassNames, Model};
use sqfa_lab::compare::{Climb, Detail, Facts, MethodEntry};
use sqfa_lab::report::{View, model_report};

use super::Fit;
use super::choices;
use super::learn::Prepared;
use super::report::many;
use crate::command::tables::write_text;
use crate::command::typed;
use crate::output::{measured, number, percent, seconds};

/// Evaluates the model on its test points, or on the training points where there are no others, and writes the page.
pub(super) fn write(
    path: &Path,
    fit: &Fit,
    prepared: &Prepared,
    model: &Model,
    learned: &Fitted,
) -> Result<()> {
    let (record, run) = (&learned.record, &learned.record.run);
    let (tested_on, part) = match (&prepared.test, &prepared.part) {
        (Some(test), _) => ("test samples", Some(test)),
        (None, train) => ("training samples", train.as_ref()),
    };
    // The points of a fit went through the lift when they came.
    let tested = part.map(|part| evaluate(&model.for_lifted_points(), part)).transpose()?;
    let accuracy = tested.as_ref().map(|(_, truth, guess)| {
        let hits = truth.iter().zip(guess).filter(|(a, b)| a == b).count();
        hits as f64 / truth.len().max(1) as f64
    });
    let numbers = tested
        .as_ref()
        .map(|(features, truth, guess)| (features, truth.as_slice(), guess.as_slice()));
    let detail = Detail::new(model.filters(), model.features(), numbers, &record.trials);
    let held = choices::held_out(record);
    let classifier = record.classifier.title();
    let headline = match (&prepared.test, accuracy, &held) {
        (Some(_), Some(accuracy), _) => format!("Test accuracy {}", percent(accuracy)),
        (None, _, Some((accuracy, how))) => {
            format!("Held-out accuracy {} ({how})", percent(*accuracy))
        }
        (None, Some(accuracy), None) => {
            format!("Training accuracy {}; no samples were held out", percent(accuracy))
        }
        _ => String::new(),
    };
    let title = MethodEntry::title(&fit.method.to_string());
    let filters = learned.filters().ncols();
    let view = View {
        title: format!("{title} with {} on {}", many(filters, "filter"), prepared.name),
        headline,
        facts: facts(prepared),
        tested_on: tested_on.to_owned(),
        classifier: classifier.to_owned(),
        filters,
        detail,
        climbs: climbs(run),
        chosen: record
            .trials
            .first()
            .and_then(|trial| Some((trial.setting, record.setting(trial.setting)?))),
        tried: record.counts.iter().map(|one| (one.filters, one.accuracy)).collect(),
        circular: None,
    };
    let accuracy_of = format!("{classifier} accuracy");
    let mut about = vec![("Method", title), ("Filters", filters.to_string())];
    if let Some(label) = &prepared.label {
        about.push(("Label column", label.clone()));
    }
    if let Some((accuracy, how)) = held.filter(|_| prepared.test.is_some()) {
        about.push(("Held-out accuracy", format!("{} ({how})", percent(accuracy))));
    }
    if let Some(accuracy) = accuracy {
        about.push((&accuracy_of, format!("{} on {tested_on}", percent(accuracy))));
    }
    if let Some(objective) = run.objective {
        about.push(("Objective", measured(objective)));
    }
    about.extend(record.quantities().into_iter().map(|(name, value)| (name, number(value))));
    let ended = run.termination.map_or("a closed form", |end| end.name());
    about.push(("Ended", format!("{ended} after {} iterations", run.iterations)));
    about.push(("Time of the fit", seconds(run.seconds)));
    about.push(("Seed", fit.settings.seed.to_string()));
    about.push(("Software", concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned()));
    about.push(("Command", typed()));
    let about: Vec<(String, String)> =
        about.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    write_text(path, &model_report(&view, &about))
        .with_context(|| format!("the report {}", path.display()))
}

type Evaluated = (sqfa::transform::Features, Vec<u32>, Vec<u32>);

/// Features, true and predicted classes of points.
fn evaluate(model: &Model, part: &Part) -> Result<Evaluated> {
    let features = model.transform(part.points.view())?;
    let classifier = model
        .classifier(model.record().classifier, None, None)
        .context("the report cannot evaluate the model")?;
    let guess = classifier.predict(features.as_points(model.filters().ncols()))?;
    Ok((features, part.labels.codes().to_vec(), guess))
}

fn facts(prepared: &Prepared) -> Facts {
    let classes = &prepared.classes;
    let unknown = || vec![0; classes.len()];
    Facts {
        name: prepared.name.clone(),
        dimensions: prepared.dimension,
        classes: ClassNames::from(classes),
        train_counts: prepared.counts.clone().unwrap_or_else(unknown),
        test_counts: prepared.test.as_ref().map(|test| test.labels.counts()),
        image_shape: prepared.image_shape,
        fingerprint: String::new(),
        warnings: prepared.warnings.clone(),
        features: prepared.columns.clone(),
        sessions: Vec::new(),
    }
}

/// The climb of every start, the one kept first.
fn climbs(run: &Run) -> Vec<(String, Climb)> {
    let named = run.traces().into_iter().enumerate();
    named.map(|(start, trace)| (format!("start {}", start + 1), Climb::of(trace))).collect()
}
