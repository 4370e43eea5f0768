//! `sqfa predict`: the most probable class of every point.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;
use sqfa::Labels;
use sqfa::classify::Classifier;
use sqfa::labels::Label;
use sqfa_io::formats::write_npy;
use sqfa_io::model_file::{ClassNames, Model};

use super::tables::{cell, label_values, write_text};
use super::units::check_units;
use super::{classifier, ending, explain_far, read_model};
use crate::args::PredictArgs;
use crate::data::{self, LabelUse, NamedPart, Samples, expand, incomplete};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;

/// A prediction as meant.
pub(crate) struct Predict {
    args: PredictArgs,
    files: Vec<String>,
    /// What messages call the files.
    data: String,
}

#[derive(Serialize)]
struct Report {
    n_points: usize,
    /// Where the data have several: what `predicted` holds one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<PartReport>>,
    classes: ClassNames,
    /// One class a point, nothing where the point lacks a value.
    predicted: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<Vec<f64>>>,
}

#[derive(Serialize)]
struct PartReport {
    part: Option<&'static str>,
    n_points: usize,
}

impl TryFrom<PredictArgs> for Predict {
    type Error = anyhow::Error;

    fn try_from(args: PredictArgs) -> Result<Self> {
        if let Some(out) = &args.out {
            match (ending(out).as_str(), args.probabilities) {
                ("csv", _) | ("npy", false) => {}
                ("npy", true) => return usage("--probabilities needs --out FILE.csv"),
                _ => return usage(format!("--out {}: name a .csv or .npy file", out.display())),
            }
            if args.json {
                return usage("--json prints to standard output: leave out --out");
            }
        }
        let files = expand(&args.data)?;
        Ok(Self { data: data::named(&files), files, args })
    }
}

impl Predict {
    /// Reads, predicts and writes.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let Self { args, files, data } = self;
        let outputs: Vec<&std::path::Path> = args.out.as_deref().into_iter().collect();
        let mut inputs: Vec<&std::path::Path> = vec![&args.model];
        inputs.extend(files.iter().map(std::path::Path::new));
        inputs.extend(args.flags.labels.as_deref());
        let _ready = files::check(&inputs, &outputs)?;
        let model = read_model(&args.model)?;
        let classifier = classifier(&model, &args.classifier)?;
        let samples =
            Samples { files: &files, flags: &args.flags, part: args.part, labels: LabelUse::None };
        let parts = samples.parts(&model)?;
        let several = parts.len() > 1;
        if several && args.out.as_ref().is_some_and(|out| ending(out) == "npy") {
            return usage(format!(
                "'{data}' has a training and a test part: name one with --part, or write .csv"
            ));
        }
        let answers = parts
            .into_iter()
            .map(|part| Answers::of(part, &data, &args, &model, &classifier))
            .collect::<Result<Vec<_>>>()?;
        if several {
            let counts: Vec<String> = answers
                .iter()
                .map(|part| format!("{} {}", part.predicted.len(), part.name.unwrap_or("others")))
                .collect();
            let counts = counts.join(", ");
            output::complain(
                "note",
                &format!(
                    "{data} has several parts, one after the other: {counts} (--part for one)"
                ),
            );
        }
        if args.json {
            let probabilities = args.probabilities.then(|| {
                answers
                    .iter()
                    .flat_map(|part| part.probabilities.iter().flatten().cloned())
                    .collect()
            });
            return output::say_json(&Report {
                n_points: answers.iter().map(|part| part.predicted.len()).sum(),
                parts: several.then(|| answers.iter().map(Answers::counted).collect()),
                classes: model.classes().into(),
                predicted: answers.iter().flat_map(names).collect(),
                probabilities,
            });
        }
        match (&args.out, answers.first()) {
            (_, None) => anyhow::bail!("'{data}' contains no samples"),
            (Some(out), Some(part)) if ending(out) == "npy" => {
                let _guard = Guard::new();
                Ok(write_npy(out, &[part.predicted.len()], label_values(&part.predicted).as_ref())?)
            }
            (Some(out), _) => {
                let _guard = Guard::new();
                write_text(out, &table(&answers, true))
            }
            (None, _) => output::say_data(&table(&answers, false)),
        }
    }
}

/// The answers for one part of the data.
struct Answers {
    name: Option<&'static str>,
    predicted: Labels,
    /// Rows that lack a value, ascending: their answer is empty.
    gaps: Vec<usize>,
    probabilities: Option<Vec<Vec<f64>>>,
}

impl Answers {
    fn of(
        part: NamedPart,
        data: &str,
        args: &PredictArgs,
        model: &Model,
        classifier: &Classifier,
    ) -> Result<Self> {
        let gaps = incomplete(&part, &args.flags)?;
        if !gaps.is_empty() {
            if args.out.as_ref().is_some_and(|out| ending(out) == "npy") {
                return usage(
                    "--missing drop leaves answers empty, which .npy cannot hold: write .csv",
                );
            }
            let note = format!("{} rows lack a value: their answer is empty", gaps.len());
            output::complain("note", &note);
        }
        // Rows that lack a value are kept as places, so that answers stand in the order of the data.
        let points = if gaps.is_empty() {
            part.points
        } else {
            part.points.filled(&vec![0.0; model.columns()])
        };
        let features = model.transform(points.view())?;
        if gaps.is_empty() {
            check_units(data, model, &features);
        }
        let features = features.as_points(model.filters().ncols());
        let predicted = classifier
            .predict(features)
            .map_err(|error| explain_far(error, points.view(), model))?;
        let predicted = Labels::from_codes(model.classes().clone(), predicted)
            .ok_or_else(|| anyhow::anyhow!("the classifier named a class that does not exist"))?;
        let mut answers = Self { name: part.name, predicted, gaps, probabilities: None };
        if args.probabilities {
            let logs = classifier.log_posteriors(features)?;
            let rows = logs.chunks(model.classes().len()).enumerate();
            let rows = rows.map(|(row, logs)| match answers.answered(row) {
                true => logs.iter().map(|log| log.exp()).collect(),
                false => Vec::new(),
            });
            answers.probabilities = Some(rows.collect());
        }
        Ok(answers)
    }

    fn answered(&self, row: usize) -> bool {
        self.gaps.binary_search(&row).is_err()
    }

    fn counted(&self) -> PartReport {
        PartReport { part: self.name, n_points: self.predicted.len() }
    }
}

fn names(answers: &Answers) -> Vec<serde_json::Value> {
    let labels = &answers.predicted;
    let value = |(row, &code): (usize, &u32)| match labels.classes().label(code as usize) {
        _ if !answers.answered(row) => serde_json::Value::Null,
        Label::Integer(value) => value.into(),
        Label::Text(text) => text.into(),
    };
    labels.codes().iter().enumerate().map(value).collect()
}

/// One label a line, with a header when there is more to name: the part first where there are several.
fn table(parts: &[Answers], header: bool) -> String {
    let mut text = String::new();
    let several = parts.len() > 1;
    let lead = if several { "part," } else { "" };
    for (at, part) in parts.iter().enumerate() {
        let predicted = &part.predicted;
        let classes: Vec<String> =
            predicted.classes().iter().map(|label| cell(&label.to_string())).collect();
        if at == 0 && part.probabilities.is_some() {
            text = format!("{lead}label,{}\n", classes.join(","));
        } else if at == 0 && (header || several) {
            text = format!("{lead}label\n");
        }
        for (row, &code) in predicted.codes().iter().enumerate() {
            if several {
                text.push_str(part.name.unwrap_or("others"));
                text.push(',');
            }
            if part.answered(row) {
                text.push_str(&classes[code as usize]);
            } else if part.probabilities.is_some() {
                text.push_str(&",".repeat(classes.len()));
            }
            if let Some(probabilities) = &part.probabilities {
                for probability in &probabilities[row] {
                    // Writing to a string cannot fail.
                    let _ = write!(text, ",{probability:.6}");
                }
            }
            text.push('\n');
        }
    }
    text
}
