//! `sqfa predict`: the most probable class of every point.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;
use sqfa::Labels;
use sqfa::labels::Label;
use sqfa_io::formats::write_npy;
use sqfa_io::model_file::ClassNames;

use super::tables::{cell, label_values, write_text};
use super::{classifier, ending, read_model};
use crate::args::PredictArgs;
use crate::data::{incomplete, one_part};
use crate::failure::usage;
use crate::files;
use crate::interrupt::{self, Guard};
use crate::output;

/// A prediction as meant.
pub(crate) struct Predict {
    args: PredictArgs,
}

#[derive(Serialize)]
struct Report {
    n_points: usize,
    classes: ClassNames,
    /// One class a point, nothing where the point lacks a value.
    predicted: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<Vec<f64>>>,
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
        Ok(Self { args })
    }
}

impl Predict {
    /// Reads, predicts and writes.
    pub(crate) fn run(self) -> Result<()> {
        interrupt::listen();
        let args = self.args;
        let outputs: Vec<&std::path::Path> = args.out.as_deref().into_iter().collect();
        let _ready = files::check(&[&args.model, args.data.as_ref()], &outputs)?;
        let model = read_model(&args.model)?;
        let qda = classifier(&model, &args.classifier)?;
        let part = one_part(&args.data, &args.flags, args.part, &model)?;
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
            part.points.filled(&vec![0.0; model.filters().nrows()])
        };
        let features = model.transform(points.view())?;
        let features = features.as_points(model.filters().ncols());
        let predicted = Labels::from_codes(model.classes().clone(), qda.predict(features)?)
            .ok_or_else(|| anyhow::anyhow!("the classifier named a class that does not exist"))?;
        let answered = |row: usize| gaps.binary_search(&row).is_err();
        let count = model.classes().len();
        let probabilities: Option<Vec<Vec<f64>>> = if args.probabilities {
            let logs = qda.log_posteriors(features)?;
            let rows = logs.chunks(count).enumerate().map(|(row, logs)| match answered(row) {
                true => logs.iter().map(|log| log.exp()).collect(),
                false => Vec::new(),
            });
            Some(rows.collect())
        } else {
            None
        };
        if args.json {
            return output::say_json(&Report {
                n_points: predicted.len(),
                classes: model.classes().into(),
                predicted: names(&predicted, &answered),
                probabilities,
            });
        }
        match &args.out {
            Some(out) if ending(out) == "npy" => {
                let _guard = Guard::new();
                Ok(write_npy(out, &[predicted.len()], label_values(&predicted).as_ref())?)
            }
            Some(out) => {
                let _guard = Guard::new();
                write_text(out, &table(&predicted, &answered, probabilities.as_deref(), true))
            }
            None => output::say(&table(&predicted, &answered, probabilities.as_deref(), false)),
        }
    }
}

fn names(labels: &Labels, answered: &dyn Fn(usize) -> bool) -> Vec<serde_json::Value> {
    let value = |(row, &code): (usize, &u32)| match labels.classes().label(code as usize) {
        _ if !answered(row) => serde_json::Value::Null,
        Label::Integer(value) => value.into(),
        Label::Text(text) => text.into(),
    };
    labels.codes().iter().enumerate().map(value).collect()
}

/// One label a line, with a header when there is more to name.
fn table(
    predicted: &Labels,
    answered: &dyn Fn(usize) -> bool,
    probabilities: Option<&[Vec<f64>]>,
    header: bool,
) -> String {
    let classes: Vec<String> =
        predicted.classes().iter().map(|label| cell(&label.to_string())).collect();
    let mut text = String::new();
    if probabilities.is_some() {
        text = format!("label,{}\n", classes.join(","));
    } else if header {
        text = "label\n".to_owned();
    }
    for (row, &code) in predicted.codes().iter().enumerate() {
        if answered(row) {
            text.push_str(&classes[code as usize]);
        } else if probabilities.is_some() {
            text.push_str(&",".repeat(classes.len()));
        }
        if let Some(probabilities) = probabilities {
            for probability in &probabilities[row] {
                // Writing to a string cannot fail.
                let _ = write!(text, ",{probability:.6}");
            }
        }
        text.push('\n');
    }
    text
}
