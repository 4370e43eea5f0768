//! `sqfa inspect`: what a model is and how it was fitted, or what class sums hold.

use anyhow::Result;
use sqfa::optimize::Termination;
use sqfa::pipeline::{FitRecord, Specified};
use sqfa::reduce::Setting;
use sqfa::statistics::Scaling;
use sqfa_io::data::{is_sums, read_sums};
use sqfa_io::model_file::Model;

use super::fit::{distinct_words, headline, json_names, noise_words};
use super::{read_model, stats};
use crate::args::InspectArgs;
use crate::output::{self, measured, number, pairs, seconds};

/// How many class names are listed.
const LISTED: usize = 12;

/// Reads a model and describes it.
pub(crate) fn run(args: &InspectArgs) -> Result<()> {
    if is_sums(&args.model) {
        let sums = read_sums(&args.model)?;
        if args.json {
            return output::say_json(&stats::describe_json(&sums)?);
        }
        return output::say(&pairs(&stats::describe(&sums)));
    }
    let model = read_model(&args.model)?;
    let mut json = serde_json::to_value(model.description())?;
    if args.json {
        if let Some(object) = json.as_object_mut() {
            object.insert("filters".to_owned(), model.filters().ncols().into());
            object.insert("dimensions".to_owned(), model.columns().into());
            object.insert("counts".to_owned(), serde_json::to_value(model.counts())?);
            // The same kinds of values as `sqfa fit --json` prints.
            let names = model.feature_names().unwrap_or_default();
            let name = |at: usize| names.get(at).cloned().unwrap_or_else(|| at.to_string());
            object.extend(json_names(model.record(), name));
        }
        return output::say_json(&json);
    }
    let headline = headline(model.record()).map(|words| format!("{words}\n\n"));
    output::say(&format!("{}{}", headline.unwrap_or_default(), text(&model)))
}

fn text(model: &Model) -> String {
    let (about, record) = (model.description(), model.record());
    let (n, m) = (model.filters().nrows(), model.filters().ncols());
    let image = about.data.image_shape.map(|(height, width)| format!(" ({height} × {width})"));
    let mut lines = vec![
        ("method", method(&record.specified)),
        ("filters", format!("{m} of {n} columns{}", image.unwrap_or_default())),
        ("columns", columns(model)),
        ("data", data(model)),
        ("label", about.data.label.clone().unwrap_or_else(|| "without a name".to_owned())),
        ("classes", classes(model)),
        ("preprocessing", preprocessing(record)),
        ("covariances", format!("{}, {}", about.covariance, record.precision.name())),
    ];
    if let Some(lift) = model.lift() {
        let (kind, width) = (lift.kind(), lift.parts().bandwidth);
        let width =
            if width > 0.0 { format!(", bandwidth {}", number(width)) } else { String::new() };
        lines.push(("lift", format!("{kind}: {} columns → {n} features{width}", lift.columns())));
    }
    lines.extend(distinct_words(record, m).map(|words| ("distinct", words)));
    for (name, value) in record.quantities() {
        let words = match &record.selection {
            Some(selection) if name == Setting::Noise.name() => noise_words(selection),
            None if name == Setting::Noise.name() => {
                format!("{} ({})", number(value), about.noise_choice)
            }
            _ => number(value),
        };
        lines.push((name, words));
    }
    let fit = &record.run;
    if let Some(objective) = fit.objective {
        lines.push(("objective", measured(objective)));
    }
    lines.push((
        "optimization",
        format!(
            "{} ({}) after {} iterations, {} passes, {} evaluations in {}",
            if fit.converged() { "converged" } else { "not converged" },
            Termination::name_of(fit.termination),
            fit.iterations,
            fit.passes,
            fit.evaluations,
            seconds(fit.seconds),
        ),
    ));
    if let Some(optimizer) = fit.optimizer {
        lines.push(("optimizer", optimizer.name().to_owned()));
    }
    if !fit.restarts.is_empty() {
        let starts: Vec<String> = fit.restarts.iter().map(|r| measured(r.objective)).collect();
        let (count, reached) = (starts.len(), starts.join(", "));
        let words =
            format!("{count} from {}, seed {}: {reached}", about.start, record.specified.seed);
        lines.push(("initializations", words));
    }
    if let Some(size) = record.specified.sequential {
        lines.push(("sequential", format!("{size} filters at a time; earlier ones do not change")));
    }
    for warning in &fit.warnings {
        lines.push(("warning", warning.to_string()));
    }
    lines.push(("written by", about.software.clone()));
    pairs(&lines)
}

fn method(about: &Specified) -> String {
    let mut words = about.method.clone();
    if let Some(distance) = &about.distance {
        words.push_str(&format!(", {distance} distance"));
    }
    if let Some(constraint) = about.constraint {
        words.push_str(&format!(", {} filters", constraint.name()));
    }
    if about.refined {
        words.push_str(", refined");
    }
    words
}

fn columns(model: &Model) -> String {
    let Some(names) = model.feature_names() else { return "without names".to_owned() };
    let mut listed: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    if names.len() > LISTED {
        listed.push("…");
    }
    listed.join(", ")
}

fn data(model: &Model) -> String {
    let name = &model.description().data.name;
    let moments = if model.record().second_moments { "second moments" } else { "statistics" };
    match model.counts() {
        Some(counts) => format!("{name}, {} samples", counts.iter().sum::<u64>()),
        None => format!("{name}, {moments} without counts"),
    }
}

fn classes(model: &Model) -> String {
    let count = model.classes().len();
    let mut names: Vec<String> =
        model.classes().iter().take(LISTED).map(|label| label.to_string()).collect();
    if count > LISTED {
        names.push("…".to_owned());
    }
    let restricted = if model.description().restricted { " (others left out)" } else { "" };
    format!("{count}: {}{restricted}", names.join(", "))
}

fn preprocessing(record: &FitRecord) -> String {
    let mut steps = Vec::new();
    if record.scaling != Scaling::None {
        steps.push(format!("scaled by {}", record.scaling.name()));
    }
    if record.centers() {
        steps.push("centered".to_owned());
    }
    if let Some(dims) = record.specified.dimensions {
        steps.push(format!("fitted in {dims} principal components"));
    }
    if steps.is_empty() { "none".to_owned() } else { steps.join(", ") }
}
