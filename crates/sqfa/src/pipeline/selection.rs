//! Candidates, their scores, and the selection among them, as a fit reports them.

use serde::{Deserialize, Serialize};

use crate::model::Noise;
use crate::statistics::Scaling;

use super::Reference;
use super::rule::DEFAULT_FRACTION;

/// A combination to try.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The scaling.
    pub scaling: Scaling,
    /// The noise, as a fraction of the mean within-class variance in that scaling or as an absolute number.
    pub noise: Noise,
}

impl Candidate {
    /// Returns the default noise of a scaling.
    pub fn usual(scaling: Scaling) -> Self {
        Self { scaling, noise: Noise::Fraction(DEFAULT_FRACTION) }
    }
}

/// One candidate and how it did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What was tried.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Held-out samples it was scored on, repetitions counted; fewer than others if it was dropped early.
    pub points: usize,
    /// Mean ln p(true class), each at least ln 0.05.
    pub log_posterior: f64,
    /// The held-out accuracy.
    pub accuracy: f64,
}

/// Why a candidate was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It scored best.
    Best,
    /// No other candidate scored better by more than one standard error, and it is nearest to the default.
    WithinOneError,
    /// The default, because nothing could be held out.
    Default,
}

/// How scaling and noise were selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The selected candidate.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Why it was selected.
    pub reason: Reason,
    /// All candidates, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// The number of held-out folds, over all repeats.
    pub folds: usize,
    /// The held-out accuracy of the selection: for each fold, that of the candidate which the other folds select. With a
    /// single fold, the accuracy of the selected candidate; `None` if nothing was held out.
    #[serde(default)]
    pub accuracy: Option<f64>,
    /// Accuracies of simple classifiers on the same samples; `None` if these are on other machines or nothing was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
}

impl Selection {
    /// Returns the selection of a default, if nothing was held out.
    pub(crate) fn default_of(candidate: Candidate) -> Self {
        let (reason, tried) = (Reason::Default, Vec::new());
        Self { candidate, reason, tried, folds: 0, accuracy: None, reference: None }
    }
}
