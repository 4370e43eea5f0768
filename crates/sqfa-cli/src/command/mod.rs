//! The commands as meant: one module each, flags checked against each other, then run.

pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod dataset;
pub(crate) mod demo;
pub(crate) mod distances;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod predict;
mod reference;
pub(crate) mod shell;
pub(crate) mod stats;
pub(crate) mod tables;
pub(crate) mod transform;
mod units;

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
use sqfa::classify::{Classifier, ClassifierError, ClassifierKind};
use sqfa::points::Scalar;
use sqfa::remedy::Remedy;
use sqfa::{Points, with_table};
use sqfa_io::data::column_name;
use sqfa_io::formats::Limits;
use sqfa_io::model_file::Model;
use sqfa_lab::evaluation::QDA_T_DEGREES;

use crate::args::{ClassifierArg, ClassifierFlags, PriorsArg};
use crate::failure::usage;
use crate::output;

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Model> {
    let model = Model::read(path, Limits::default())?;
    if !model.has_checksum() {
        output::warn(&format!(
            "{} was written before model files had a checksum: damage to it would go unnoticed",
            path.display()
        ));
    }
    Ok(model)
}

/// Returns the classifier that the flags name, or the model's own.
pub(crate) fn named_classifier(model: &Model, flags: &ClassifierFlags) -> ClassifierArg {
    flags.classifier.unwrap_or(match model.record().classifier {
        ClassifierKind::Quadratic => ClassifierArg::Qda,
        ClassifierKind::Linear => ClassifierArg::Lda,
    })
}

/// Builds the classifier of a model with the flags.
pub(crate) fn classifier(model: &Model, flags: &ClassifierFlags) -> Result<Classifier> {
    let shrinkage = flags.shrinkage.0;
    let classes = model.classes().len();
    let priors = match &flags.priors {
        PriorsArg::Frequencies => None,
        PriorsArg::Equal => Some(vec![1.0; classes]),
        PriorsArg::Given(given) if given.len() == classes => Some(given.clone()),
        PriorsArg::Given(given) => {
            let given = given.len();
            return usage(format!("--priors: {given} numbers for the model's {classes} classes"));
        }
    };
    if model.record().second_moments {
        output::warn(
            "the model was fitted to second moments alone: its classifier takes every class mean as 0",
        );
    }
    let kind = |kind| model.classifier(kind, priors.as_deref(), shrinkage);
    let built = match named_classifier(model, flags) {
        ClassifierArg::Qda => kind(ClassifierKind::Quadratic),
        ClassifierArg::Lda => kind(ClassifierKind::Linear),
        ClassifierArg::QdaT => model.qda_t(priors.as_deref(), shrinkage, QDA_T_DEGREES),
    };
    built.map_err(|error| with_flags(&error, error.remedies()))
}

/// What a classifier refused, with the value that is to blame where a point is too far away.
pub(crate) fn explain_far(
    error: ClassifierError,
    points: Points<'_>,
    model: &Model,
) -> anyhow::Error {
    let ClassifierError::TooFar { row } = error else { return error.into() };
    let value = |column: &usize| with_table!(points, table => table.get(row, *column).to_f64());
    let largest = (0..points.columns()).max_by(|a, b| value(a).abs().total_cmp(&value(b).abs()));
    let Some(column) = largest else { return error.into() };
    let name = column_name(model.feature_names().unwrap_or_default(), column);
    anyhow::anyhow!(
        "row {row}, column {name} is {:e}: that is so far from every class that squared distances overflow; correct \
         or remove it",
        value(&column)
    )
}

/// An error, and the flags that its remedies mean.
pub(crate) fn with_flags(error: &dyn std::error::Error, remedies: &[Remedy]) -> anyhow::Error {
    let flag = |remedy: &Remedy| match remedy {
        Remedy::FewerDimensions => Some("--pca-dims"),
        Remedy::FewerFilters => Some("--filters"),
        Remedy::Shrinkage => Some("--shrinkage"),
        Remedy::PointsOrOtherMethod => Some("--method"),
        Remedy::PointsOrWithout => Some("--refine"),
        Remedy::PointsOrLighterTails => Some("--nu"),
        Remedy::DenseStatistics | Remedy::Number => None,
    };
    let flags: Vec<&str> = remedies.iter().filter_map(flag).collect();
    match flags.is_empty() {
        true => anyhow::anyhow!("{error}"),
        false => anyhow::anyhow!("{error} ({})", flags.join(", ")),
    }
}

/// The ending of a file name, in lower case.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The words of the command line, kept for reports and records.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the words of the command line; the first ones stay.
pub(crate) fn remember(words: Vec<OsString>) {
    WORDS.get_or_init(|| words);
}

/// The words of the command line, the name of the program first.
pub(crate) fn typed_words() -> &'static [OsString] {
    WORDS.get().map(Vec::as_slice).unwrap_or_default()
}

/// The command line as a shell would take it.
pub(crate) fn typed() -> String {
    crate::suggest::command(typed_words().iter().skip(1).map(|word| word.to_string_lossy()))
}
