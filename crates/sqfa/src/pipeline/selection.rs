//! The rule among what was tried: the default stands unless held-out points speak against it by more than one standard error.
//!
//! The best is the candidate with the best mean score, of those that do not classify clearly fewer points rightly than another
//! (by more than two standard errors). All that are behind it by no more than one standard error of the
//! paired difference are as good; of these the one nearest to the closed-form default is taken, in decades of noise, a
//! step between units counting as one decade. The default is what did best over many tables, so that a choice among equals
//! made by chance costs least.

use super::score::Compared;
use super::space::Units;

/// Noise as a share of the within-class variance where nothing can be held out: the middle of what serves most tables.
pub const DEFAULT_SHARE: f64 = 0.3;
/// The same in common units, which serve pictures.
pub const COMMON_SHARE: f64 = 1.0;

/// A setting that is tried: units, and noise as a share of the mean within-class variance in these units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The units.
    pub units: Units,
    /// The share.
    pub share: f64,
}

impl Candidate {
    /// The closed-form default in some units.
    pub fn usual(units: Units) -> Self {
        let share = if units == Units::Common { COMMON_SHARE } else { DEFAULT_SHARE };
        Self { units, share }
    }

    /// How far from the default: decades of noise, one more for every step between units.
    fn distance(self) -> f64 {
        let step = Units::ALL.iter().position(|&units| units == self.units).unwrap_or(0);
        step as f64 + (self.share / Self::usual(self.units).share).log10().abs()
    }
}

/// One candidate and how it did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// What was tried.
    pub candidate: Candidate,
    /// Held-out points it was tried on, repetitions counted; fewer than others when it was clearly behind early.
    pub points: usize,
    /// Mean ln p(true class), each at least ln 0.05.
    pub log_posterior: f64,
    /// The share of held-out points classified rightly.
    pub accuracy: f64,
}

/// Why a candidate was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It scored best.
    Best,
    /// Nothing scored better by more than one standard error, and it is nearest to the default.
    WithinOneError,
    /// Nothing could be held out: the closed-form default.
    ClosedForm,
}

/// What was tried and taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// What was taken.
    pub candidate: Candidate,
    /// Its noise σ² in the units of the fit.
    pub noise: f64,
    /// Why.
    pub reason: Reason,
    /// All that was tried, in order.
    pub tried: Vec<Tried>,
    /// Folds that were held out in turn, over all repeats.
    pub folds: usize,
    /// The held-out accuracy of the selection: for each fold, that of the candidate which the other folds select. With a
    /// single fold, the accuracy of what was taken; `None` if nothing was held out.
    pub accuracy: Option<f64>,
}

/// Returns the candidate to take, and why.
pub(crate) fn select(tried: &[Candidate], scores: &dyn Compared) -> Option<(usize, Reason)> {
    let most = (0..tried.len()).map(|at| scores.met(at)).max()?;
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

    fn at(units: Units, share: f64) -> Candidate {
        Candidate { units, share }
    }

    #[test]
    fn a_tie_goes_to_the_default() {
        let same = scores(&[-0.1, -0.4, -0.2]);
        let tried =
            [at(Units::Common, 0.3), at(Units::WithinClass, 3.0), at(Units::WithinClass, 0.3)];
        let (taken, _) = select(&tried, &vec![&same, &same, &same]).unwrap();
        assert_eq!(taken, 2);
    }

    #[test]
    fn a_lead_within_one_standard_error_is_none() {
        // The differences are 0.5, −0.3, 0.5, −0.3: mean 0.1, standard error 0.4/√3 = 0.23.
        let best = scores(&[-0.1, -0.6, -0.1, -0.6]);
        let usual = scores(&[-0.6, -0.3, -0.6, -0.3]);
        let tried = [at(Units::PerFeature, 0.03), at(Units::WithinClass, 0.3)];
        let (taken, reason) = select(&tried, &vec![&best, &usual]).unwrap();
        assert_eq!((taken, reason), (1, Reason::WithinOneError));
    }

    #[test]
    fn a_clear_lead_wins_against_the_default() {
        let best = scores(&[-0.1, -0.2, -0.1, -0.2]);
        let usual = scores(&[-0.6, -0.5, -0.6, -0.6]);
        let tried = [at(Units::WithinClass, 0.3), at(Units::Common, 0.003)];
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
        let tried = [at(Units::WithinClass, 0.3), at(Units::Common, 30.0)];
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
        let tried = [at(Units::WithinClass, 0.3), at(Units::Common, 0.3)];
        assert_eq!(select(&tried, &vec![&short, &long]).unwrap().0, 1);
    }
}
