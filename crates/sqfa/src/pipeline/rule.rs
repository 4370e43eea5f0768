//! The rule of the search: what is tried next and what is selected, given scores alone.
//!
//! Every scaling starts with three noise fractions a decade apart, from large to small; the third is left out if the second is
//! clearly behind the first. While the best of a scaling is at the edge of its grid and not clearly behind the best of all, the
//! grid grows by a decade. Then the best of all gets neighbors half a decade away. If the noise is specified, each scaling has
//! one candidate.
//!
//! The best candidate is the one with the best mean score, among those whose accuracy is not more than two standard errors
//! below that of another. All candidates within one standard error of the best (paired differences) are equivalent, and of
//! these the one nearest to the default is selected: in decades of noise, a step between scalings counting as one decade. The
//! default did best over many tables, so a choice among equivalent candidates costs least there.

use crate::model::Noise;
use crate::statistics::Scaling;

use super::score::Compared;
use super::selection::{Candidate, Reason};

/// The default noise, as a fraction of the mean within-class variance.
pub const DEFAULT_FRACTION: f64 = 0.3;
/// The fractions that every scaling starts with, times the default: from large to small, because a fit with less noise starts
/// from the filters of one with more.
const FIRST: [f64; 3] = [10.0, 1.0, 0.1];
/// A step of the grid.
///
/// Without neighbors half a step away, `sqfa-bench choices` loses 0.09 ± 0.07 points over 118 cells and takes 9 % less time. If
/// the third noise is tried even if the second is clearly behind the first, it gains 0.05 ± 0.05 points over 88 cells, and a fit
/// of 8 filters to MNIST takes 1.6 times as long: fits with little noise are slow.
const STEP: f64 = 10.0;
/// The largest and smallest fraction of the grid, times the default.
const ENDS: (f64, f64) = (100.0, 1e-3);
/// Standard errors behind the best beyond which a candidate is clearly behind.
///
/// Without the same rule for accuracies, `sqfa-bench choices` loses 0.08 ± 0.05 points over 118 cells, and 4.6 points in the
/// worst of them, where one of 400 columns is informative.
pub(super) const CLEARLY: f64 = 2.0;
/// The scalings that are tried, from the one that needs most of the data to the one that needs least.
///
/// Without per-feature scaling, `sqfa-bench choices` takes 28 % less time and gains 0.03 ± 0.04 points over 118 cells. It is for
/// distances that linear maps change, and for many columns without leading components.
pub(crate) const SCALINGS: [Scaling; 3] =
    [Scaling::WithinClass, Scaling::PerFeature, Scaling::Common];

/// The samples below which cross-validation is repeated.
///
/// Without the repeat, accuracy falls by 0.23 ± 0.10 points over 110 cells of `sqfa-bench choices` (14 tables of 120 to 192
/// training samples).
const FEW: u64 = 200;
/// The samples from which two folds are held out if every fold has principal components of its own.
const TWO_FOLDS: u64 = 1000;
/// The samples from which one part is held out instead of folds.
const ONE_SPLIT: u64 = 6000;
/// The largest number of samples that one split holds out: more would take memory and time and change no selection.
const MOST_HELD: u64 = 50_000;
/// Columns above which candidates are scored within principal components.
pub const WIDE: usize = 256;
/// The number of these components, unless there are many filters.
pub(super) const COMPONENTS: usize = 128;
/// Columns up to which candidates are scored on the columns as well if components explain little. A fit of a fold costs some
/// cubes of this number.
pub(super) const WHOLE: usize = 768;
/// The fraction of the within-class variance below which components explain little.
///
/// Without this rule, `sqfa-bench choices` loses 9.1 ± 0.3 points on tables of 400 columns of which one is informative, and gains
/// 4.1 ± 2.7 points on tables of 3000 columns of which 40 are. Images and low-rank tables do not change.
pub(super) const EXPLAINED: f64 = 0.75;
/// Samples per column from which the components of all samples hardly depend on those that are held out.
pub(super) const MANY: usize = 20;
/// The ratio of the largest to the median variance up to which columns are assumed to be in one unit.
pub(super) const ALIKE: f64 = 100.0;
/// The correlation of two features, within classes, over all samples and of their noise, above which they measure the same.
pub(super) const SAME: f64 = 0.99;

/// The least score of a sample, ln 0.05. It keeps the score bounded if a quadratic classifier is certain and wrong: a single
/// outlier must not outweigh a hundred samples.
pub(super) const FLOOR: f64 = -2.995_732_273_553_991;
/// The least shrinkage of the pooled covariance that within-class scaling uses, however many samples there are.
pub(super) const LEAST_SHRINKAGE: f64 = 1e-3;
/// All numbers of filters up to this one are tried, then every half octave.
pub(super) const EVERY_COUNT: usize = 4;
/// Iterations of the refinement after which held-out samples are scored.
pub(super) const ROUNDS: [usize; 6] = [0, 5, 12, 25, 50, 100];
/// The noise of the refinement, as fractions of the mean within-class variance in the scaling of the fit.
pub(super) const ROUND_NOISES: [f64; 3] = [1.0, 0.1, 0.01];
/// Rounds without a better score after which a noise of the refinement is abandoned.
pub(super) const PATIENCE: usize = 2;
/// Refined filters may use this many numbers in all, unless that leaves fewer principal components than
/// [`REFINED_COMPONENTS`]. Few filters cannot overfit and gain from more components; many do overfit.
pub(super) const REFINED_NUMBERS: usize = 1200;
/// The least number of principal components that refined filters may use next to the initial ones.
pub(super) const REFINED_COMPONENTS: usize = 150;

/// How samples are held out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Parts that every class is divided into.
    pub parts: usize,
    /// How many of them are held out in turn. The others are always learned from.
    pub held: usize,
    /// How often all of it is repeated with another shuffle.
    pub repeats: usize,
}

impl Plan {
    /// Returns five folds, twice for few samples. Of many samples, one split holds out a seventh, at most 50,000.
    pub fn for_points(samples: u64) -> Self {
        match samples {
            ..FEW => Self { parts: 5, held: 5, repeats: 2 },
            FEW..ONE_SPLIT => Self { parts: 5, held: 5, repeats: 1 },
            _ => {
                let parts = usize::try_from(samples / MOST_HELD).unwrap_or(usize::MAX).max(7);
                Self { parts, held: 1, repeats: 1 }
            }
        }
    }

    /// Returns the same if every fold has principal components of its own, which cost more than the fits: from
    /// [`TWO_FOLDS`] samples on, two folds of five are held out.
    pub(crate) fn for_components(samples: u64) -> Self {
        match samples {
            ..TWO_FOLDS => Self { parts: 5, held: 5, repeats: 1 },
            TWO_FOLDS..ONE_SPLIT => Self { parts: 5, held: 2, repeats: 1 },
            _ => Self::for_points(samples),
        }
    }
}

impl Candidate {
    /// Returns the distance from the default: decades of noise, and one more for every step between scalings.
    fn distance(self) -> f64 {
        let step = match self.scaling {
            Scaling::WithinClass => 0.0,
            Scaling::PerFeature => 1.0,
            Scaling::Common | Scaling::None => 2.0,
        };
        let decades = match self.noise {
            Noise::Fraction(fraction) => (fraction / DEFAULT_FRACTION).log10().abs(),
            Noise::Auto | Noise::Value(_) => 0.0,
        };
        step + decades
    }
}

/// What may be tried.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) scalings: Vec<Scaling>,
    /// The noise, if it is specified.
    pub(crate) noise: Noise,
}

impl Rule {
    /// Returns the candidates to score next; none if the search is finished.
    ///
    /// `asked` are all candidates so far, and `tried` are those of them that could be fitted, in the order of the scores.
    pub(crate) fn next(
        &self,
        asked: &[Candidate],
        tried: &[Candidate],
        scores: &dyn Compared,
    ) -> Vec<Candidate> {
        if asked.is_empty() {
            return self.grid();
        }
        // Neighbors end the search.
        if self.noise != Noise::Auto || asked.iter().any(is_neighbor) {
            return Vec::new();
        }
        let thirds: Vec<Candidate> = self
            .scalings
            .iter()
            .map(|&scaling| first(scaling)[2])
            .filter(|third| !asked.contains(third) && !is_falling(third.scaling, tried, scores))
            .collect();
        if !thirds.is_empty() {
            return thirds;
        }
        let beyond: Vec<Candidate> = self
            .scalings
            .iter()
            .filter_map(|&scaling| beyond(scaling, asked, tried, scores))
            .collect();
        if beyond.is_empty() { neighbors(tried, scores) } else { beyond }
    }

    fn grid(&self) -> Vec<Candidate> {
        let of = |&scaling: &Scaling| match self.noise {
            Noise::Auto => first(scaling)[..2].to_vec(),
            noise => vec![Candidate { scaling, noise }],
        };
        self.scalings.iter().flat_map(of).collect()
    }
}

/// The candidates that a scaling starts with.
fn first(scaling: Scaling) -> [Candidate; 3] {
    FIRST.map(|step| Candidate { scaling, noise: Noise::Fraction(step * DEFAULT_FRACTION) })
}

/// Whether the second candidate of a scaling is clearly behind the first, or could not be fitted.
fn is_falling(scaling: Scaling, tried: &[Candidate], scores: &dyn Compared) -> bool {
    let place = |own: Candidate| tried.iter().position(|other| *other == own);
    let [one, two, _] = first(scaling).map(place);
    let (Some(one), Some(two)) = (one, two) else { return true };
    let ahead = scores.ahead(one, two);
    ahead.mean > CLEARLY * ahead.error
}

/// One step beyond the grid of a scaling whose best candidate is at its edge and not clearly behind the best of all.
fn beyond(
    scaling: Scaling,
    asked: &[Candidate],
    tried: &[Candidate],
    scores: &dyn Compared,
) -> Option<Candidate> {
    let own = |at: &usize| tried[*at].scaling == scaling;
    let best = leading(tried.len(), scores).into_iter().filter(own).reduce(better(scores))?;
    let fractions = asked.iter().filter(|one| one.scaling == scaling).filter_map(fraction);
    let (least, most) = fractions
        .fold((f64::INFINITY, 0.0_f64), |(least, most), own| (least.min(own), most.max(own)));
    let next = next_fraction(fraction(&tried[best])?, least, most)?;
    Some(Candidate { scaling, noise: Noise::Fraction(next) })
}

/// The best of all with half a decade more and less noise.
fn neighbors(tried: &[Candidate], scores: &dyn Compared) -> Vec<Candidate> {
    let best = best(tried.len(), scores).map(|at| tried[at]);
    let Some((best, own)) = best.and_then(|best| Some((best, fraction(&best)?))) else {
        return Vec::new();
    };
    [own * STEP.sqrt(), own / STEP.sqrt()]
        .map(|next| Candidate { scaling: best.scaling, noise: Noise::Fraction(next) })
        .to_vec()
}

/// Whether the noise is half a decade away from the grid.
fn is_neighbor(candidate: &Candidate) -> bool {
    let decades = fraction(candidate).map_or(0.0, |own| (own / DEFAULT_FRACTION).log10());
    (decades - decades.round()).abs() > 0.25
}

fn fraction(candidate: &Candidate) -> Option<f64> {
    match candidate.noise {
        Noise::Fraction(fraction) => Some(fraction),
        Noise::Auto | Noise::Value(_) => None,
    }
}

/// One step beyond the end of a grid whose best value is that end; `None` inside the grid and at the limits.
fn next_fraction(best: f64, smallest: f64, largest: f64) -> Option<f64> {
    let (most, least) = (ENDS.0 * DEFAULT_FRACTION, ENDS.1 * DEFAULT_FRACTION);
    if best >= largest {
        return Some(largest * STEP).filter(|fraction| *fraction <= most * 1.01);
    }
    let smaller = smallest / STEP;
    (best <= smallest && smaller >= least * 0.99).then_some(smaller)
}

/// Returns the candidate to select, and why.
pub(crate) fn select(tried: &[Candidate], scores: &dyn Compared) -> Option<(usize, Reason)> {
    let best = best(tried.len(), scores)?;
    let equal = able(tried.len(), scores).into_iter().filter(|&at| {
        let behind = scores.ahead(best, at);
        behind.mean <= behind.error
    });
    let taken = equal.reduce(|nearest, at| {
        if tried[at].distance() < tried[nearest].distance() { at } else { nearest }
    })?;
    let reason = if taken == best { Reason::Best } else { Reason::WithinOneError };
    Some((taken, reason))
}

/// Returns the candidates that are not clearly behind the best: only these are worth scoring on further samples.
///
/// A candidate that is more accurate than the best stays, too. Uninformative features never give a wrong class with confidence, so
/// they may have the best score until enough samples show that they are less accurate.
pub(crate) fn leading(candidates: usize, scores: &dyn Compared) -> Vec<usize> {
    let Some(best) = best(candidates, scores) else { return Vec::new() };
    let not_behind = |at: &usize| {
        let behind = scores.ahead(best, *at);
        let more_accurate = scores.accuracy(*at) > scores.accuracy(best);
        behind.mean <= CLEARLY * behind.error || more_accurate
    };
    able(candidates, scores).into_iter().filter(not_behind).collect()
}

/// The best candidate that was scored on most samples.
fn best(candidates: usize, scores: &dyn Compared) -> Option<usize> {
    able(candidates, scores).into_iter().reduce(better(scores))
}

fn better(scores: &dyn Compared) -> impl Fn(usize, usize) -> usize + '_ {
    |best, at| if scores.mean(at) > scores.mean(best) { at } else { best }
}

/// Returns the candidates that were scored on most samples and whose accuracy is not clearly below that of the most accurate one.
///
/// Scores alone are not enough: with uninformative features the posteriors are never confident and wrong, so their mean can be
/// better than that of informative features.
fn able(candidates: usize, scores: &dyn Compared) -> Vec<usize> {
    let most = (0..candidates).map(|at| scores.met(at)).max().unwrap_or(0);
    let complete: Vec<usize> =
        (0..candidates).filter(|&at| most > 0 && scores.met(at) == most).collect();
    let more =
        |best: usize, at| if scores.accuracy(at) > scores.accuracy(best) { at } else { best };
    let Some(top) = complete.iter().copied().reduce(more) else { return Vec::new() };
    let clearly_worse = |at: usize| {
        let ahead = scores.more_accurate(top, at);
        ahead.mean > CLEARLY * ahead.error
    };
    complete.into_iter().filter(|&at| !clearly_worse(at)).collect()
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

    fn rule(scalings: &[Scaling]) -> Rule {
        Rule { scalings: scalings.to_vec(), noise: Noise::Auto }
    }

    /// Follows the rule to its end; every candidate has the same score on all samples, by a function of it.
    fn follow(rule: &Rule, score: impl Fn(Candidate) -> f32) -> Vec<Candidate> {
        let mut tried: Vec<Candidate> = Vec::new();
        loop {
            let table: Vec<Scores> = tried.iter().map(|&one| scores(&[score(one); 4])).collect();
            let next = rule.next(&tried, &tried, &table.iter().collect::<Vec<_>>());
            if next.is_empty() {
                return tried;
            }
            assert!(next.iter().all(|one| !tried.contains(one)));
            tried.extend(next);
        }
    }

    fn fractions(candidates: &[Candidate], scaling: Scaling) -> Vec<f64> {
        let own = candidates.iter().filter(|one| one.scaling == scaling).filter_map(fraction);
        own.map(|fraction| (fraction * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn each_scaling_is_tried_with_three_noises_and_the_best_gets_neighbors() {
        let best = at(Scaling::PerFeature, 0.3);
        let tried = follow(&rule(&SCALINGS), |one| if one == best { -0.1 } else { -1.0 });
        assert_eq!(fractions(&tried, Scaling::WithinClass), [3.0, 0.3, 0.03]);
        assert_eq!(fractions(&tried, Scaling::Common), [3.0, 0.3, 0.03]);
        assert_eq!(fractions(&tried, Scaling::PerFeature), [3.0, 0.3, 0.03, 0.948683, 0.094868]);
    }

    #[test]
    fn the_grid_grows_while_its_edge_is_best() {
        let own = [Scaling::WithinClass];
        let more = follow(&rule(&own), |one| -1.0 / fraction(&one).unwrap() as f32);
        assert_eq!(fractions(&more, own[0]), [3.0, 0.3, 30.0, 94.868330, 9.486833]);
        let less = follow(&rule(&own), |one| -fraction(&one).unwrap() as f32);
        let grid = [3.0, 0.3, 0.03, 0.003, 0.0003];
        assert_eq!(fractions(&less, own[0])[..5], grid);
        assert_eq!(less.len(), 7);
    }

    #[test]
    fn a_scaling_that_is_clearly_behind_does_not_grow() {
        let two = [Scaling::WithinClass, Scaling::Common];
        let score = |one: Candidate| {
            let behind = if one.scaling == Scaling::Common { 10.0 } else { 0.0 };
            -behind - 1.0 / fraction(&one).unwrap() as f32
        };
        let tried = follow(&rule(&two), score);
        assert_eq!(fractions(&tried, Scaling::Common), [3.0, 0.3]);
        assert_eq!(fractions(&tried, Scaling::WithinClass).len(), 5);
    }

    #[test]
    fn specified_noise_is_tried_once_with_each_scaling() {
        let noise = Noise::Value(0.5);
        let rule = Rule { scalings: SCALINGS.to_vec(), noise };
        let tried = follow(&rule, |_| -1.0);
        assert_eq!(tried, SCALINGS.map(|scaling| Candidate { scaling, noise }));
    }

    #[test]
    fn candidates_that_cannot_be_fitted_are_not_asked_again() {
        let rule = rule(&[Scaling::WithinClass]);
        let asked = rule.next(&[], &[], &Vec::<&Scores>::new());
        assert_eq!(asked.len(), 2);
        assert!(rule.next(&asked, &[], &Vec::<&Scores>::new()).is_empty());
    }

    #[test]
    fn a_grid_grows_only_where_its_end_is_best() {
        assert_eq!(next_fraction(0.3, 0.03, 3.0), None);
        assert_eq!(next_fraction(3.0, 0.03, 3.0), Some(30.0));
        assert_eq!(next_fraction(0.03, 0.03, 3.0), Some(0.03 / STEP));
        assert_eq!(next_fraction(30.0, 0.03, 30.0), None);
        assert_eq!(next_fraction(3e-4, 3e-4, 3.0), None);
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
        // The loser is clearly behind, so that further samples would be wasted on it.
        assert_eq!(leading(2, &vec![&usual, &best]), [1]);
    }

    /// Uninformative features give every class a third: ln 1/3 = −1.1. Others are correct two times of three, and overconfident.
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
