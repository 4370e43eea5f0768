//! Texts about what a fit selected: held-out accuracy, dropped columns, scaling, noise, number of filters, refinement.

use sqfa::Noise;
use sqfa::pipeline::{CurvePoint, FitRecord, Fitted, Reason, RefinementChoice, Selection};
use sqfa::statistics::Scaling;

use super::learn::Prepared;
use super::report::many;
use crate::output::{number, percent};

/// The number of names that a line lists.
const LISTED: usize = 4;

/// Returns the held-out accuracy with its reference accuracies and how samples were held out, if any were.
pub(crate) fn headline(record: &FitRecord) -> Option<String> {
    let (accuracy, how) = held_out(record)?;
    let reference = record.selection.as_ref().and_then(|selection| selection.reference);
    let reference = reference.map(|own| {
        let lda = own.lda.map(|lda| format!("LDA {}, ", percent(lda))).unwrap_or_default();
        format!("; {lda}largest class {}", percent(own.majority))
    });
    Some(format!(
        "held-out accuracy {} ({how}{})",
        percent(accuracy),
        reference.unwrap_or_default()
    ))
}

/// Returns one line per selected quantity; `most` is the limit of `--filters auto`.
pub(super) fn lines(
    chosen: &Fitted,
    prepared: &Prepared,
    most: Option<usize>,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let (record, all) = (&chosen.record, chosen.filters().ncols());
    if !record.counts.is_empty() {
        lines.push(("filters", curve_words(&record.counts, all, prepared.dimension, most)));
    }
    lines.extend(distinct_words(record, all).map(|words| ("distinct", words)));
    if record.selection.is_some() || record.scaling != Scaling::None {
        lines.push(("scaling", scaling_words(record.scaling)));
    }
    lines.extend(record.selection.as_ref().map(|selection| ("noise", noise_words(selection))));
    lines
}

/// Returns how many filters are enough to classify, if these are not all.
pub(crate) fn distinct_words(record: &FitRecord, all: usize) -> Option<String> {
    let distinct = record.distinct?;
    let (suffice, them) = if distinct == 1 { ("suffices", "it") } else { ("suffice", "them") };
    Some(format!(
        "{distinct} of {all} {suffice} to classify; the others were learned orthogonal to {them}"
    ))
}

/// Returns the held-out accuracy and how samples were held out, if any were.
pub(super) fn held_out(record: &FitRecord) -> Option<(f64, String)> {
    let (selection, accuracy) = (record.selection.as_ref()?, record.held_out()?);
    let how = match selection.folds {
        1 => "one held-out part".to_owned(),
        folds => format!("{folds}-fold cross-validation"),
    };
    Some((accuracy, how))
}

/// Names the constant columns, which every fit drops.
pub(super) fn dropped_words(dropped: &[usize], prepared: &Prepared) -> String {
    let names = dropped.iter().take(LISTED).map(|&column| prepared.column(column));
    let more = if dropped.len() > LISTED { ", …" } else { "" };
    let names = names.collect::<Vec<_>>().join(", ");
    format!("{}: {names}{more}", many(dropped.len(), "constant column"))
}

/// Returns a scaling as `--scaling` accepts it, and what it means.
fn scaling_words(scaling: Scaling) -> String {
    let meaning = match scaling {
        Scaling::None => "columns as they are",
        Scaling::Common => "all columns divided by one standard deviation",
        Scaling::PerFeature => "each column divided by its standard deviation",
        Scaling::WithinClass => "the within-class covariance becomes the identity",
    };
    format!("{}  ({meaning})", scaling.name())
}

/// Returns the selected noise as `--noise` accepts it, and why it was selected.
pub(crate) fn noise_words(selection: &Selection) -> String {
    let tried = selection.tried.len();
    let folds = match selection.folds {
        1 => "one held-out part".to_owned(),
        folds => format!("{folds}-fold cross-validation"),
    };
    let why = match selection.reason {
        Reason::Best => format!("best of {tried} candidates, {folds}"),
        Reason::WithinOneError => {
            format!("{tried} candidates, none significantly better, {folds}")
        }
        Reason::Default => "default: no samples available for cross-validation".to_owned(),
    };
    let noise = match selection.candidate.noise {
        Noise::Fraction(fraction) => {
            format!("{}x the mean within-class variance", number(fraction))
        }
        Noise::Value(value) => number(value),
        Noise::Auto => Noise::Auto.to_string(),
    };
    format!("{noise}  ({why})")
}

/// Returns the number of filters that was selected and the accuracy of every number; `most` is the limit, which is reported if
/// it was reached.
fn curve_words(
    counts: &[CurvePoint],
    filters: usize,
    columns: usize,
    most: Option<usize>,
) -> String {
    let points = counts.iter();
    let tried: Vec<String> =
        points.map(|point| format!("{}: {}", point.filters, percent(point.accuracy))).collect();
    let limit = match most {
        Some(most) if filters >= most && most < columns => {
            format!("; stopped at the limit: try --max-filters {}", (2 * most).min(columns))
        }
        _ => String::new(),
    };
    format!("{filters} ({}{limit})", tried.join(", "))
}

/// Returns how far the filters were refined, and the held-out accuracy before and after.
pub(super) fn refinement_words(record: &FitRecord, choice: &RefinementChoice) -> String {
    let after = percent(choice.accuracy);
    if choice.steps == 0 {
        let selected = record.selection.as_ref().and_then(|selection| selection.accuracy);
        // The accuracy of these filters is reported with the selection.
        let accuracy = match selected {
            Some(_) => String::new(),
            None => format!(" (held-out accuracy {after})"),
        };
        return format!("not used: no significant improvement{accuracy}");
    }
    let before = choice.before().map(|before| format!("{} → ", percent(before)));
    let steps = many(choice.steps, "step");
    format!("{steps}, held-out accuracy {}{after}", before.unwrap_or_default())
}
