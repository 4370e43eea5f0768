//! The rule that selects among candidates, which sees their scores only.
//!
//! The best candidate is the one with the best mean score, among those whose accuracy is not more than two standard errors
//! below that of another. All candidates within one standard error of the best (paired differences) are equivalent, and of
//! these the one nearest to the default is selected: in decades of noise, a step between scalings counting as one decade. The
//! default did best over many tables, so a choice among equivalent candidates costs least there.

use serde::{Deserialize, Serialize};

use crate::model::Noise;
use crate::statistics::Scaling;

use super::score::Compared;

/// The default noise, as a fraction of the mean within-class variance.
pub const DEFAULT_FRACTION: f64 = 0.3;
/// The default with common scaling, which suits pictures.
pub const COMMON_FRACTION: f64 = 1.0;

/// The scalings that are tried, from the one that needs most of the data to the one that needs least.
pub(crate) const SCALINGS: [Scaling; 3] =
    [Scaling::WithinClass, Scaling::PerFeature, Scaling::Common];

/// Returns the default noise fraction of a scaling.
pub(crate) fn usual_fraction(scaling: Scaling) -> f64 {
    match scaling {
        Scaling::None | Scaling::Common => COMMON_FRACTION,
        Scaling::PerFeature | Scaling::WithinClass => DEFAULT_FRACTION,
    }
}

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
        Self { scaling, noise: Noise::Fraction(usual_fraction(scaling)) }
    }

    /// Returns the distance from the default: decades of noise, and one more for every step between scalings.
    fn distance(self) -> f64 {
        let step = match self.scaling {
            Scaling::WithinClass => 0.0,
            Scaling::PerFeature => 1.0,
            Scaling::Common | Scaling::None => 2.0,
        };
        let decades = match self.noise {
            Noise::Fraction(fraction) => (fraction / usual_fraction(self.scaling)).log10().abs(),
            Noise::Auto | Noise::Value(_) => 0.0,
        };
        step + decades
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
}

impl Selection {
    /// Returns the selection of a default, if nothing was held out.
    pub(crate) fn default_of(candidate: Candidate) -> Self {
        let (reason, tried) = (Reason::Default, Vec::new());
        Self { candidate, reason, tried, folds: 0, accuracy: None }
    }
}

/// Returns the candidate to select, and why.
pub(crate) fn select(tried: &[Candidate], scores: &dyn Compared) -> Option<(usize, Reason)> {
    let most = (0..tried.len()).map(|at| scores.met(at)).max().filter(|&most| most > 0)?;
    let full: Vec<usize> = (0..tried.len()).filter(|&at| scores.met(at) == most).collect();
    let full = scores.able(&full);
    let best = full
        .iter()
        .copied()
        .reduce(|best, at| if scores.mean(at) > scores.mean(best) { at } else { best })?;
    let equal: Vec<usize> = full
        .into_iter()
        .filter(|&at| {
            let behind = scores.ahead(best, at);
            behind.mean <= behind.error
        })
        .collect();
    let taken = equal.iter().copied().reduce(|nearest, at| {
        if tried[at].distance() < tried[nearest].distance() { at } else { nearest }
    })?;
    let reason = if taken == best { Reason::Best } else { Reason::WithinOneError };
    Some((taken, reason))
}

#[cfg(test)]
mod tests {
    use super::super::score::Scores;
    use super::*;

    fn scores(values: &[f32]) -> Scores {
        Scores::of(values.to_vec(), vec![true; values.len()], vec![1.0; values.len()])
    }

    fn at(scaling: Scaling, fraction: f64) -> Candidate {
        Candidate { scaling, noise: Noise::Fraction(fraction) }
    }

    #[test]
    fn a_tie_goes_to_the_default() {
        let same = scores(&[-0.1, -0.4, -0.2]);
        let tried = [
            at(Scaling::Common, 0.3),
            at(Scaling::WithinClass, 3.0),
            at(Scaling::WithinClass, 0.3),
        ];
        let (taken, _) = select(&tried, &vec![&same, &same, &same]).unwrap();
        assert_eq!(taken, 2);
    }

    #[test]
    fn a_lead_within_one_standard_error_is_none() {
        // The differences are 0.5, −0.3, 0.5, −0.3: mean 0.1, standard error 0.4/√3 = 0.23.
        let best = scores(&[-0.1, -0.6, -0.1, -0.6]);
        let usual = scores(&[-0.6, -0.3, -0.6, -0.3]);
        let tried = [at(Scaling::PerFeature, 0.03), at(Scaling::WithinClass, 0.3)];
        let (taken, reason) = select(&tried, &vec![&best, &usual]).unwrap();
        assert_eq!((taken, reason), (1, Reason::WithinOneError));
    }

    #[test]
    fn a_clear_lead_wins_against_the_default() {
        let best = scores(&[-0.1, -0.2, -0.1, -0.2]);
        let usual = scores(&[-0.6, -0.5, -0.6, -0.6]);
        let tried = [at(Scaling::WithinClass, 0.3), at(Scaling::Common, 0.003)];
        let (taken, reason) = select(&tried, &vec![&usual, &best]).unwrap();
        assert_eq!((taken, reason), (1, Reason::Best));
    }

    /// Features that say nothing give every class a third: ln 1/3 = −1.1. Others are right two times of three, and too sure of it.
    #[test]
    fn what_is_right_far_more_often_wins_against_what_is_never_sure() {
        let hits = |often: usize| (0..90).map(|at| at % 3 < often).collect::<Vec<_>>();
        let sure = hits(2).iter().map(|&hit| if hit { -0.05 } else { -2.99 } - 0.4).collect();
        let nothing = Scores::of(vec![-1.1; 90], hits(1), Vec::new());
        let sure = Scores::of(sure, hits(2), Vec::new());
        assert!(nothing.mean() > sure.mean());
        let tried = [at(Scaling::WithinClass, 0.3), at(Scaling::Common, 30.0)];
        let (taken, reason) = select(&tried, &vec![&nothing, &sure]).unwrap();
        assert_eq!((taken, reason), (1, Reason::Best));
        // Not so where accuracies hardly differ.
        let nearly =
            Scores::of(vec![-1.2; 90], (0..90).map(|at| at % 3 == 1).collect(), Vec::new());
        assert_eq!(select(&tried, &vec![&nothing, &nearly]).unwrap().0, 0);
    }

    #[test]
    fn what_was_dropped_early_is_never_taken() {
        let (short, long) = (scores(&[-0.01]), scores(&[-0.5, -0.5]));
        let tried = [at(Scaling::WithinClass, 0.3), at(Scaling::Common, 0.3)];
        assert_eq!(select(&tried, &vec![&short, &long]).unwrap().0, 1);
    }
}
