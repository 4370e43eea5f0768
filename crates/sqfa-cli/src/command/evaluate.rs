//! `sqfa evaluate`: how well the model's classifier tells classes apart.

use anyhow::{Result, bail};
use serde::Serialize;
use sqfa::Labels;
use sqfa::labels::Label;
use sqfa_io::data::Part;
use sqfa_io::model_file::{ClassNames, Model};

use super::units::check_units;
use super::{classifier, explain_far, named_classifier, read_model};
use crate::args::{ClassifierArg, EvaluateArgs};
use crate::data::{self, LabelUse, NamedPart, Samples, expand, incomplete, keep_known};
use crate::failure::usage;
use crate::output::{self, percent};
use crate::suggest;

/// How many classes and confusions a report lists.
const LISTED: usize = 5;
/// Up to this many classes the report has a line for each.
const FEW_CLASSES: usize = 12;

/// An evaluation as meant.
pub(crate) struct Evaluate {
    args: EvaluateArgs,
    files: Vec<String>,
    /// What messages call the files.
    data: String,
}

#[derive(Serialize)]
struct Report {
    /// The name of the classifier.
    classifier: &'static str,
    accuracy: f64,
    /// The accuracy under the name it had when every classifier was quadratic.
    #[serde(skip_serializing_if = "Option::is_none")]
    qda_accuracy: Option<f64>,
    n_test: usize,
    part: &'static str,
    n_left_out: usize,
    classes: ClassNames,
    class_accuracies: Vec<Option<f64>>,
    /// Rows: true classes; columns: predicted ones.
    confusion: Vec<Vec<usize>>,
}

impl TryFrom<EvaluateArgs> for Evaluate {
    type Error = anyhow::Error;

    fn try_from(args: EvaluateArgs) -> Result<Self> {
        let named = if args.test.is_empty() { &args.data } else { &args.test };
        if named.is_empty() {
            return usage("name DATA or --test FILE");
        }
        // A shell that expands --test part-*.csv leaves all files but the first to DATA.
        if let (Some(test), Some(data)) = (args.test.first(), args.data.first()) {
            return usage(format!(
                "--test {test} and {data} both name test samples: leave out --test, or put a pattern in quotes"
            ));
        }
        let files = expand(named)?;
        Ok(Self { data: data::named(&files), files, args })
    }
}

impl Evaluate {
    /// Reads, classifies and reports.
    pub(crate) fn run(self) -> Result<()> {
        let model = read_model(&self.args.model)?;
        let classifier = classifier(&model, &self.args.classifier)?;
        let (flags, part) = (&self.args.flags, self.args.part);
        let samples = Samples { files: &self.files, flags, part, labels: LabelUse::AllOrNone };
        let part = samples.one_part(&model)?;
        let part = self.complete(part)?;
        let name = part.name.unwrap_or("all");
        let (part, n_left_out) = self.known(part, &model)?;
        let features = model.transform(part.points.view())?;
        check_units(&self.data, &model, &features);
        let predicted = classifier
            .predict(features.as_points(model.filters().ncols()))
            .map_err(|error| explain_far(error, part.points.view(), &model))?;
        let count = model.classes().len();
        let mut confusion = vec![vec![0; count]; count];
        for (&truth, &guess) in part.labels.codes().iter().zip(&predicted) {
            confusion[truth as usize][guess as usize] += 1;
        }
        let hits: usize = (0..count).map(|class| confusion[class][class]).sum();
        let class_accuracies = (0..count).map(|class| {
            let total: usize = confusion[class].iter().sum();
            (total > 0).then(|| confusion[class][class] as f64 / total as f64)
        });
        let kind = named_classifier(&model, &self.args.classifier);
        let accuracy = hits as f64 / predicted.len() as f64;
        let report = Report {
            classifier: kind.name(),
            accuracy,
            qda_accuracy: (kind != ClassifierArg::Lda).then_some(accuracy),
            n_test: predicted.len(),
            part: name,
            n_left_out,
            classes: model.classes().into(),
            class_accuracies: class_accuracies.collect(),
            confusion,
        };
        if self.args.json { output::say_json(&report) } else { self.text(&report, &model) }
    }

    /// The points without those that lack a value or a label, where --missing says so.
    fn complete(&self, part: NamedPart) -> Result<NamedPart> {
        if self.args.flags.table.missing.is_none() {
            return Ok(part);
        }
        let gaps = incomplete(&part, &self.args.flags)?;
        let unknown = |row: usize| {
            let label = |labels: &Labels| labels.classes().label(labels.codes()[row] as usize);
            part.labels.as_ref().is_some_and(|labels| label(labels).to_string().is_empty())
        };
        let count = part.points.rows();
        let kept: Vec<usize> =
            (0..count).filter(|&row| gaps.binary_search(&row).is_err() && !unknown(row)).collect();
        if kept.len() == count {
            return Ok(part);
        }
        let left = count - kept.len();
        output::warn(&format!("{left} of {count} rows lack a value or a label and are left out"));
        let name = |label: &Label| match label {
            Label::Integer(value) => value.to_string(),
            Label::Text(text) => text.clone(),
        };
        // Only the labels that are left say whether all of them are numbers.
        let labels = part.labels.map(|labels| {
            let code = |&row: &usize| labels.codes()[row] as usize;
            let texts: Vec<String> =
                kept.iter().map(|row| name(&labels.classes().label(code(row)))).collect();
            Labels::from_texts(&texts)
        });
        Ok(NamedPart { name: part.name, points: part.points.select(&kept), labels })
    }

    /// The points with labels in the model's classes.
    fn known(&self, part: NamedPart, model: &Model) -> Result<(Part, usize)> {
        let data = &self.data;
        let Some(labels) = part.labels else {
            let predict = suggest::with_files("predict", &self.args.model, &self.files);
            bail!(
                "'{data}' has no labels to compare with: name them with --label or --labels, or predict \
                 them: {predict}"
            );
        };
        if !model.description().restricted
            && let Err(error) = labels.recode(model.classes())
        {
            bail!("{data}: {error}: the model was fitted without that class");
        }
        let (part, left_out) = keep_known(Part { points: part.points, labels }, model.classes())?;
        if part.labels.is_empty() {
            bail!("'{data}' has no samples of the model's classes");
        }
        if left_out > 0 {
            output::warn(&format!(
                "{left_out} samples of classes that were excluded from the fit are ignored"
            ));
        }
        Ok((part, left_out))
    }

    fn text(&self, report: &Report, model: &Model) -> Result<()> {
        let data = output::printable(&self.data);
        let what = match report.part {
            "all" => format!("all {} points of {data}", report.n_test),
            part => format!("the {} {part} points of {data}", report.n_test),
        };
        let title = named_classifier(model, &self.args.classifier).title();
        let mut text = format!("{title} accuracy {} on {what}\n", percent(report.accuracy));
        let name = |class: usize| output::printable(&model.classes().label(class).to_string());
        let mut ranked: Vec<(f64, usize)> = report
            .class_accuracies
            .iter()
            .enumerate()
            .filter_map(|(class, accuracy)| accuracy.map(|accuracy| (accuracy, class)))
            .collect();
        if ranked.len() > FEW_CLASSES {
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
            ranked.truncate(LISTED);
        }
        let mut rows =
            vec![vec!["class".into(), "accuracy".into(), "most often predicted as".into()]];
        for (accuracy, class) in ranked {
            let row = &report.confusion[class];
            let rival = (0..row.len())
                .filter(|&other| other != class && row[other] > 0)
                .max_by_key(|&other| (row[other], row.len() - other));
            let total: usize = row.iter().sum();
            let rival = rival.map_or("–".to_owned(), |other| {
                format!("{} ({})", name(other), percent(row[other] as f64 / total as f64))
            });
            rows.push(vec![name(class), percent(accuracy), rival]);
        }
        if model.classes().len() > FEW_CLASSES {
            text.push_str(&format!("the {LISTED} hardest of {} classes:\n", model.classes().len()));
        }
        text.push_str(&output::table(&rows, &[2]));
        if report.part == "all" && self.args.test.is_empty() {
            text.push_str(
                "DATA has no test part: if the model was fitted on these points, this is training accuracy\n",
            );
        }
        output::say(&text)
    }
}
