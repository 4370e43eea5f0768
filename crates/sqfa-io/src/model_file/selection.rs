//! How units, noise and number of filters were chosen on held-out points, as a model file tells it.

use serde::{Deserialize, Serialize};
use sqfa::pipeline::{Curve, Reason, Selection};

/// What was tried and taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectionRecord {
    /// The units of the fit: `within-class`, `per-feature` or `common`.
    pub units: String,
    /// The noise as a share of the mean within-class variance in these units.
    pub share: f64,
    /// Why it was taken: `best`, `within-one-error` or `closed-form`.
    pub reason: String,
    /// Folds that were held out in turn.
    pub folds: usize,
    /// The held-out accuracy of the selection; `null` if nothing was held out.
    #[serde(default)]
    pub accuracy: Option<f64>,
    /// All that was tried, in order.
    pub tried: Vec<TriedRecord>,
}

/// One choice and how it did on held-out points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedRecord {
    /// The units.
    pub units: String,
    /// The noise as a share.
    pub share: f64,
    /// Held-out points it was tried on.
    pub points: usize,
    /// Mean ln p(true class).
    pub log_posterior: f64,
    /// The share of points classified rightly.
    pub accuracy: f64,
}

/// One number of filters and how it did on held-out points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountRecord {
    /// How many filters.
    pub filters: usize,
    /// Mean ln p(true class).
    pub log_posterior: f64,
    /// The share of points classified rightly.
    pub accuracy: f64,
}

/// The numbers of filters that were tried, fewest first.
pub fn count_records(curve: &Curve) -> Vec<CountRecord> {
    let points = curve.points.iter();
    points
        .map(|point| CountRecord {
            filters: point.filters,
            log_posterior: point.log_posterior,
            accuracy: point.accuracy,
        })
        .collect()
}

impl From<&Selection> for SelectionRecord {
    fn from(selection: &Selection) -> Self {
        let reason = match selection.reason {
            Reason::Best => "best",
            Reason::WithinOneError => "within-one-error",
            Reason::ClosedForm => "closed-form",
        };
        Self {
            units: selection.candidate.units.name().to_owned(),
            share: selection.candidate.share,
            reason: reason.to_owned(),
            folds: selection.folds,
            accuracy: selection.accuracy,
            tried: selection
                .tried
                .iter()
                .map(|tried| TriedRecord {
                    units: tried.candidate.units.name().to_owned(),
                    share: tried.candidate.share,
                    points: tried.points,
                    log_posterior: tried.log_posterior,
                    accuracy: tried.accuracy,
                })
                .collect(),
        }
    }
}
