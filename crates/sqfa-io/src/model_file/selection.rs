//! How scaling, noise and number of filters were selected on held-out samples, as model files and records have it.

use serde::{Deserialize, Serialize};
use sqfa::pipeline::{Curve, Reason, Selection};

/// How scaling and noise were selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectionRecord {
    /// The selected scaling, as `--scale` accepts it.
    pub scaling: String,
    /// The selected noise, as `--noise` accepts it: `0.3x` is 0.3 × the mean within-class variance in this scaling.
    pub noise: String,
    /// Why it was selected: `best`, `within-one-error` or `default`.
    pub reason: String,
    /// The number of held-out folds.
    pub folds: usize,
    /// The held-out accuracy of the selection; `null` if nothing was held out.
    #[serde(default)]
    pub accuracy: Option<f64>,
    /// All candidates, in the order in which they were tried.
    pub tried: Vec<TriedRecord>,
}

/// One candidate and how it did on held-out samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedRecord {
    /// The scaling.
    pub scaling: String,
    /// The noise.
    pub noise: String,
    /// Held-out samples it was scored on.
    pub points: usize,
    /// Mean ln p(true class).
    pub log_posterior: f64,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// One number of filters and how it did on held-out samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountRecord {
    /// How many filters.
    pub filters: usize,
    /// Mean ln p(true class).
    pub log_posterior: f64,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// Returns the numbers of filters that were tried, fewest first.
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
            Reason::Default => "default",
        };
        Self {
            scaling: selection.candidate.scaling.name().to_owned(),
            noise: selection.candidate.noise.to_string(),
            reason: reason.to_owned(),
            folds: selection.folds,
            accuracy: selection.accuracy,
            tried: selection
                .tried
                .iter()
                .map(|tried| TriedRecord {
                    scaling: tried.candidate.scaling.name().to_owned(),
                    noise: tried.candidate.noise.to_string(),
                    points: tried.points,
                    log_posterior: tried.log_posterior,
                    accuracy: tried.accuracy,
                })
                .collect(),
        }
    }
}
