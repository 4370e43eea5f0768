//! The rule of the search: which candidates are tried next and which one is selected, given scores.
//!
//! Every scaling starts with three noise fractions a decade apart, from large to small. The third
//! is omitted if the second is clearly behind the first. While the best candidate of a scaling is
//! at the edge of its grid and not clearly behind the best of all, the grid is extended by a
//! decade. Then the neighbors of the best candidate, half a decade away, are tried. If the noise is
//! specified, each scaling has one candidate.
//!
//! The best candidate has the best mean score among those whose accuracy is at most two standard
//! errors lower than that of any other. All candidates within one standard error of the best
//! (paired differences) are equivalent. Of these, the one nearest to the default is selected. Its
//! distance is measured in decades of noise, and a step between scalings counts as one decade. On
//! average over many tables the default was the best setting, so it is the safest choice among
//! equivalent candidates.

use crate::model::Noise;
use crate::statistics::Scaling;

use super::score::Compared;
use super::selection::{Candidate, Reason};

/// The default noise, as a fraction of the mean within-class variance.
pub const DEFAULT_FRACTION: f64 = 0.3;
/// The noise fractions that every scaling starts with, relative to the default. They are in
/// descending order, because a fit with less noise is initialized with the filters of one with
/// more noise.
const FIRST: [f64; 3] = [10.0, 1.0, 0.1];
/// The ratio between neighboring noise fractions of the grid.
///
/// Without neighbors half a step away, `sqfa-bench choices` loses 0.09 ± 0.07 percentage points
/// over 118 cells and takes 9 % less time. If the third noise is tried even when the second is
/// clearly behind the first, it gains 0.05 ± 0.05 percentage points over 88 cells, and a fit of 8
/// filters to MNIST takes 1.6 times as long, because fits with little noise are slow.
const STEP: f64 = 10.0;
/// The largest and the smallest noise fraction of the grid, relative to the default.
const ENDS: (f64, f64) = (100.0, 1e-3);
/// The number of standard errors beyond which a candidate is clearly behind another.
///
/// If accuracies are not compared in this way, `sqfa-bench choices` loses 0.08 ± 0.05 percentage
/// points over 118 cells, and 4.6 points in the worst of them, where one of 400 columns is
/// informative.
pub(super) const CLEARLY: f64 = 2.0;
/// The scalings that are tried, in descending order of the number of quantities that they estimate.
///
/// Without per-feature scaling, `sqfa-bench choices` takes 28 % less time and gains 0.03 ± 0.04
/// percentage points over 118 cells. Per-feature scaling is included for distances that depend on
/// linear maps, and for many columns without leading components.
pub(crate) const SCALINGS: [Scaling; 3] =
    [Scaling::WithinClass, Scaling::PerFeature, Scaling::Common];

/// The number of samples below which cross-validation is repeated.
///
/// Without the repeat, accuracy falls by 0.23 ± 0.10 percentage points over 110 cells of
/// `sqfa-bench choices` (14 tables of 120 to 192 training samples).
const FEW: u64 = 200;
/// The number of samples from which only two folds are held out if every fold needs its own
/// principal components.
const TWO_FOLDS: u64 = 1000;
/// The number of samples from which a single part is held out instead of several folds.
const ONE_SPLIT: u64 = 6000;
/// The largest number of samples that a single split holds out. More would need memory and time
/// without changing the selection.
const MOST_HELD: u64 = 50_000;
/// The number of columns above which candidates are scored within principal components.
pub const WIDE: usize = 256;
/// The number of principal components of wide data, unless many filters are learned.
pub(super) const COMPONENTS: usize = 128;
/// The largest number of columns with which candidates are scored on the columns as well if
/// components explain little. The cost of a fit per fold is a few cubes of this number.
pub(super) const WHOLE: usize = 768;
/// The fraction of the within-class variance below which components explain little.
///
/// Without this rule, `sqfa-bench choices` loses 9.1 ± 0.3 percentage points on tables of 400
/// columns of which one is informative, and gains 4.1 ± 2.7 points on tables of 3000 columns of
/// which 40 are. Accuracies for images and low-rank tables do not change.
pub(super) const EXPLAINED: f64 = 0.75;
/// The number of samples per column from which the components of all samples hardly depend on the
/// held-out ones.
pub(super) const MANY: usize = 20;
/// The largest ratio between the largest and the median variance of columns that are assumed to
/// have the same units.
pub(super) const ALIKE: f64 = 100.0;
/// The correlation above which two features measure the same. It must be exceeded within classes,
/// over all samples and for their noise.
pub(super) const SAME: f64 = 0.99;

/// The lowest score of a sample, ln 0.05. Without a bound, a single outlier that a quadratic
/// classifier misclassifies with certainty would outweigh a hundred samples.
pub(super) const FLOOR: f64 = -2.995_732_273_553_991;
/// The smallest shrinkage of the pooled covariance in within-class scaling, for any number of
/// samples.
pub(super) const LEAST_SHRINKAGE: f64 = 1e-3;
/// The largest number of filters up to which every number is tried. Beyond it, numbers half an
/// octave apart are tried.
pub(super) const EVERY_COUNT: usize = 4;
/// The iterations of the refinement after which held-out samples are scored.
pub(super) const ROUNDS: [usize; 6] = [0, 5, 12, 25, 50, 100];
/// The noise of the refinement, as fractions of the mean within-class variance in the scaling of
/// the fit.
pub(super) const ROUND_NOISES: [f64; 3] = [1.0, 0.1, 0.01];
/// The number of rounds without a better score after which the refinement stops for a noise.
pub(super) const PATIENCE: usize = 2;
/// The largest number of coefficients of all refined filters together, unless it allows fewer
/// principal components than [`REFINED_COMPONENTS`]. A small number of filters cannot overfit and
/// improves with more components; a large number does overfit.
pub(super) const REFINED_NUMBERS: usize = 1200;
/// The smallest number of principal components that refined filters may use in addition to the
/// initial filters.
pub(super) const REFINED_COMPONENTS: usize = 150;

/// The scheme in which samples are held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The number of parts that every class is divided into.
    pub parts: usize,
    /// The number of parts that are held out in turn. The others are always used for training.
    pub held: usize,
    /// The number of repeats, each with another shuffle.
    pub repeats: usize,
}

impl Plan {
    /// Returns the scheme for a number of samples: five folds, twice for fewer than 200 samples.
    /// For at least 6000 samples, a single split holds out one seventh of them, or 50,000 if that
    /// is fewer.
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

    /// Returns the scheme for a number of samples if every fold needs its own principal components,
    /// which take longer to compute than the fits. From [`TWO_FOLDS`] samples on, two of five folds
    /// are held out.
    pub(crate) fn for_components(samples: u64) -> Self {
        match samples {
            ..TWO_FOLDS => Self { parts: 5, held: 5, repeats: 1 },
            TWO_FOLDS..ONE_SPLIT => Self { parts: 5, held: 2, repeats: 1 },
            _ => Self::for_points(samples),
        }
    }
}

impl Candidate {
    /// Returns the distance from the default: decades of noise, plus one for every step between
    /// scalings.
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

/// The candidates that a search may try.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) scalings: Vec<Scaling>,
    /// The noise, or `Auto` to search for it.
    pub(crate) noise: Noise,
}

impl Rule {
    /// Returns the candidates to score next, or none if the search is finished.
    ///
    /// `asked` contains all candidates so far. `tried` contains those of them that could be fitted,
    /// in the order of the scores.
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

/// Returns the candidates that a scaling starts with.
fn first(scaling: Scaling) -> [Candidate; 3] {
    FIRST.map(|step| Candidate { scaling, noise: Noise::Fraction(step * DEFAULT_FRACTION) })
}

/// Whether the second candidate of a scaling is clearly behind the first, or one of them could not
/// be fitted.
fn is_falling(scaling: Scaling, tried: &[Candidate], scores: &dyn Compared) -> bool {
    let place = |own: Candidate| tried.iter().position(|other| *other == own);
    let [one, two, _] = first(scaling).map(place);
    let (Some(one), Some(two)) = (one, two) else { return true };
    let ahead = scores.ahead(one, two);
    ahead.mean > CLEARLY * ahead.error
}

/// Returns the candidate one step beyond the grid of a scaling, if its best candidate is at the
/// edge of the grid and not clearly behind the best of all.
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

/// Returns two candidates with half a decade more and less noise than the best of all.
fn neighbors(tried: &[Candidate], scores: &dyn Compared) -> Vec<Candidate> {
    let best = best(tried.len(), scores).map(|at| tried[at]);
    let Some((best, own)) = best.and_then(|best| Some((best, fraction(&best)?))) else {
        return Vec::new();
    };
    [own * STEP.sqrt(), own / STEP.sqrt()]
        .map(|next| Candidate { scaling: best.scaling, noise: Noise::Fraction(next) })
        .to_vec()
}

/// Whether the noise of a candidate is half a decade away from the grid.
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

/// Returns the noise fraction one step beyond the grid if the best fraction is at its edge. Returns
/// `None` inside the grid and at its limits.
fn next_fraction(best: f64, smallest: f64, largest: f64) -> Option<f64> {
    let (most, least) = (ENDS.0 * DEFAULT_FRACTION, ENDS.1 * DEFAULT_FRACTION);
    if best >= largest {
        return Some(largest * STEP).filter(|fraction| *fraction <= most * 1.01);
    }
    let smaller = smallest / STEP;
    (best <= smallest && smaller >= least * 0.99).then_some(smaller)
}

/// Returns the index of the selected candidate and the reason for its selection.
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

/// Returns the candidates that are not clearly behind the best. Only these are scored on further
/// samples.
///
/// A candidate that is more accurate than the best is included, too. Uninformative features never
/// lead to confident misclassifications, so they may have the best score until enough samples show
/// that they are less accurate.
pub(crate) fn leading(candidates: usize, scores: &dyn Compared) -> Vec<usize> {
    let Some(best) = best(candidates, scores) else { return Vec::new() };
    let not_behind = |at: &usize| {
        let behind = scores.ahead(best, *at);
        let more_accurate = scores.accuracy(*at) > scores.accuracy(best);
        behind.mean <= CLEARLY * behind.error || more_accurate
    };
    able(candidates, scores).into_iter().filter(not_behind).collect()
}

/// Returns the best of the candidates that were scored on the largest number of samples.
fn best(candidates: usize, scores: &dyn Compared) -> Option<usize> {
    able(candidates, scores).into_iter().reduce(better(scores))
}

fn better(scores: &dyn Compared) -> impl Fn(usize, usize) -> usize + '_ {
    |best, at| if scores.mean(at) > scores.mean(best) { at } else { best }
}

/// Returns the candidates that were scored on the largest number of samples and whose accuracy is
/// not clearly below the highest one.
///
/// Scores alone are not sufficient. The posteriors of uninformative features are never confident
/// and wrong, so their mean score can be better than that of informative features.
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

    /// Follows the rule to its end. The score of a candidate is the same for all samples.
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
        // Further samples need not be scored for the other candidate, which is clearly behind.
        assert_eq!(leading(2, &vec![&usual, &best]), [1]);
    }

    /// Uninformative features give each of three classes the posterior 1/3 and the score ln 1/3 =
    /// −1.1. The other features classify two of three samples correctly, but too confidently.
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
        // The scores decide if accuracies hardly differ.
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
