//! Candidates, their scores, and the selected one, as a fit reports them.

use serde::{Deserialize, Serialize};

use crate::model::Noise;
use crate::statistics::Scaling;

use super::Reference;
use super::rule::DEFAULT_FRACTION;

/// A combination of scaling and noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The scaling.
    pub scaling: Scaling,
    /// The noise, as a fraction of the mean within-class variance in that scaling or as an absolute
    /// value.
    pub noise: Noise,
}

impl Candidate {
    /// Returns the candidate with the default noise for a scaling.
    pub fn usual(scaling: Scaling) -> Self {
        Self { scaling, noise: Noise::Fraction(DEFAULT_FRACTION) }
    }
}

/// A candidate with its held-out scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The number of held-out samples on which it was scored, including repetitions. It is lower
    /// for candidates that were dropped early.
    pub points: usize,
    /// The mean of ln p(true class), each at least ln 0.05.
    pub log_posterior: f64,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// The reason why a candidate was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The best score.
    Best,
    /// A score within one standard error of the best, nearest to the default.
    WithinOneError,
    /// The default, because nothing could be held out.
    Default,
}

/// The selection of scaling and noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The selected candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// The reason for its selection.
    pub reason: Reason,
    /// All candidates, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// The number of held-out folds, over all repeats.
    pub folds: usize,
    /// The held-out accuracy of the selection: for each fold, that of the candidate which the other
    /// folds select. With a single fold, it is the accuracy of the selected candidate. `None` if
    /// nothing was held out.
    #[serde(default)]
    pub accuracy: Option<f64>,
    /// The accuracies of simple classifiers on the same samples, or `None` if the samples are on
    /// other machines or nothing was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
}

impl Selection {
    /// Returns the selection of a default if nothing was held out.
    pub(crate) fn default_of(candidate: Candidate) -> Self {
        let (reason, tried) = (Reason::Default, Vec::new());
        Self { candidate, reason, tried, folds: 0, accuracy: None, reference: None }
    }
}
