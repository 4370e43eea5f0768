//! `sqfa predict`: the most probable class of every point.

use std::fmt::Write;

use anyhow::Result;
use serde::Serialize;
use sqfa::Labels;
use sqfa_io::formats::write_npy;
use sqfa_io::model_file::ClassNames;

use super::tables::{cell, label_values, write_text};
use super::{classifier, ending, read_model};
use crate::args::PredictArgs;
use crate::data::parts;
use crate::failure::usage;
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
    predicted: ClassNames,
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
        let model = read_model(&args.model)?;
        let qda = classifier(&model, &args.classifier)?;
        // Of two parts the test part comes last.
        let Some(part) = parts(&args.data, &args.flags, args.part)?.pop() else {
            anyhow::bail!("'{}' holds no points", args.data);
        };
        let features = model.transform(part.points.view())?;
        let features = features.as_points(model.filters().ncols());
        let predicted = Labels::from_codes(model.classes().clone(), qda.predict(features)?)
            .ok_or_else(|| anyhow::anyhow!("the classifier named a class that does not exist"))?;
        let count = model.classes().len();
        let probabilities: Option<Vec<Vec<f64>>> = if args.probabilities {
            let logs = qda.log_posteriors(features)?;
            let rows = logs.chunks(count).map(|row| row.iter().map(|log| log.exp()).collect());
            Some(rows.collect())
        } else {
            None
        };
        if args.json {
            return output::say_json(&Report {
                n_points: predicted.len(),
                classes: model.classes().into(),
                predicted: names(&predicted),
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
                write_text(out, &table(&predicted, probabilities.as_deref(), true))
            }
            None => output::say(&table(&predicted, probabilities.as_deref(), false)),
        }
    }
}

fn names(labels: &Labels) -> ClassNames {
    match label_values(labels) {
        sqfa_io::formats::Values::I64(values) => ClassNames::Integers(values),
        sqfa_io::formats::Values::Text(values) => ClassNames::Texts(values),
        _ => ClassNames::Integers(Vec::new()),
    }
}

/// One label a line, with a header when there is more to name.
fn table(predicted: &Labels, probabilities: Option<&[Vec<f64>]>, header: bool) -> String {
    let classes: Vec<String> =
        predicted.classes().iter().map(|label| cell(&label.to_string())).collect();
    let mut text = String::new();
    if probabilities.is_some() {
        text = format!("label,{}\n", classes.join(","));
    } else if header {
        text = "label\n".to_owned();
    }
    for (row, &code) in predicted.codes().iter().enumerate() {
        text.push_str(&classes[code as usize]);
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
