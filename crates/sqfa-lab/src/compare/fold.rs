//! Training and test points of every fold, and the sums that fits share: folds are summed once and merged.

use std::borrow::Cow;
use std::time::Instant;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sqfa::pipeline::{self, PipelineError, Summed, WIDE, Weighted};
use sqfa::split::{Split, SplitError, stratified_split};
use sqfa::statistics::{Preprocessor, StatisticsError};
use sqfa::{ClassStatistics, Estimator, Labels};
use sqfa_io::data::{LabeledData, Part};

use super::{CompareError, Parts, Spec};

/// The share of every class that is held out of many points.
const SHARE: f64 = 0.2;
/// Held-out points from which one part is enough: the standard error of an accuracy of 90 % is then below one point.
const ENOUGH: f64 = 1000.0;
/// Folds of fewer points.
const FOLDS: usize = 5;
/// Fewest points of a class that folds can be made of.
const FEWEST: usize = 3;

/// Where test points come from when the data have none and nothing is asked for.
pub(super) fn usual_parts(labels: &Labels) -> Parts {
    let smallest = labels.counts().into_iter().min().unwrap_or(0) as usize;
    let few = SHARE * (labels.len() as f64) < ENOUGH;
    if few && smallest >= FEWEST { Parts::Folds(FOLDS.min(smallest)) } else { Parts::Fraction(SHARE) }
}

/// All folds of a comparison.
pub(super) struct Folds<'a> {
    data: &'a LabeledData,
    parts: Parts,
    seed: u64,
    /// The fold of every row and the sums of every fold, where rows are held out in turn.
    summed: Option<pipeline::Parts<'a>>,
}

/// Training and test points of one fold.
pub(super) struct Fold<'a> {
    pub(super) train: Cow<'a, Part>,
    pub(super) test: Cow<'a, Part>,
    /// The sums of the folds that are learned from.
    rest: Option<pipeline::Parts<'a>>,
}

/// What is derived from the training points alone and shared by fits.
pub(super) enum Training<'a> {
    /// Units and noise are chosen.
    Chosen(Box<Summed<'a>>),
    /// Settings are given.
    Given(&'a Given),
}

/// Preprocessed statistics.
pub(super) struct Given {
    pub(super) preprocessor: Option<Preprocessor>,
    /// Of preprocessed points.
    pub(super) statistics: ClassStatistics,
    /// Seconds they took.
    pub(super) seconds: f64,
}

impl<'a> Folds<'a> {
    pub(super) fn new(spec: &Spec, data: &'a LabeledData) -> Result<Self, CompareError> {
        let mut folds = Self { data, parts: spec.parts, seed: spec.first_seed, summed: None };
        if let Parts::Folds(count) = spec.parts {
            let Part { points, labels } = &data.train;
            let dealt = deal(labels, count, spec.first_seed)?;
            // Sums of every fold in many columns would take too much memory.
            if points.columns() <= WIDE {
                let data = Weighted { points: points.view(), labels, weights: None };
                folds.summed = Some(pipeline::Parts::of(data, dealt.into(), count)?);
            }
        }
        Ok(folds)
    }

    /// The training and test points of a fold.
    pub(super) fn fold(&self, index: usize) -> Result<Fold<'a>, CompareError> {
        let (data, mut rest) = (self.data, None);
        let Split { learn, held } = match (self.parts, &data.test) {
            (Parts::Given, Some(test)) => {
                let (train, test) = (Cow::Borrowed(&data.train), Cow::Borrowed(test));
                return Ok(Fold { train, test, rest });
            }
            (Parts::Folds(folds), _) => {
                let dealt = deal(&data.train.labels, folds, self.seed)?;
                let (held, learn) =
                    (0..dealt.len()).partition(|&row| usize::from(dealt[row]) == index);
                rest = self.summed.as_ref().map(|summed| summed.leave_out(index));
                Split { learn, held }
            }
            (parts, _) => {
                let share = if let Parts::Fraction(share) = parts { share } else { SHARE };
                stratified_split(&data.train.labels, share, self.seed)?
            }
        };
        let select = |rows: &[usize]| {
            let Part { points, labels } = &data.train;
            Cow::Owned(Part { points: points.select(rows), labels: labels.select(rows) })
        };
        Ok(Fold { train: select(&learn), test: select(&held), rest })
    }
}

impl Fold<'_> {
    fn weighted(&self) -> Weighted<'_> {
        let Part { points, labels } = self.train.as_ref();
        Weighted { points: points.view(), labels, weights: None }
    }

    /// The sums on which fits with one seed choose their settings.
    pub(super) fn summed(&self, seed: u64) -> Result<Summed<'_>, PipelineError> {
        match &self.rest {
            // Choices need two folds at least: one to learn from, one to hold out.
            Some(rest) if rest.folds().len() > 1 => {
                Summed::in_folds(self.weighted(), rest.clone())
            }
            _ => Summed::new(self.weighted(), seed),
        }
    }

    /// Preprocessed statistics for fits with given settings.
    pub(super) fn given(&self, spec: &Spec) -> Result<Given, StatisticsError> {
        let began = Instant::now();
        let Weighted { points, labels, .. } = self.weighted();
        let mut statistics = match &self.rest {
            Some(rest) => rest.total()?.finish(Estimator::Empirical)?,
            None => ClassStatistics::from_points(points, labels, Estimator::Empirical)?,
        };
        let scaling = spec.scaling().unwrap_or_default();
        let preprocessor = Preprocessor::new(&statistics, scaling, spec.center);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
        }
        Ok(Given { preprocessor, statistics, seconds: began.elapsed().as_secs_f64() })
    }
}

/// The fold of every row: every class is dealt out evenly, in an order of the seed.
fn deal(labels: &Labels, folds: usize, seed: u64) -> Result<Vec<u16>, SplitError> {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::MAX - 3);
    let mut rows = vec![Vec::new(); labels.classes().len()];
    for (row, &code) in labels.codes().iter().enumerate() {
        rows[code as usize].push(row);
    }
    let mut dealt = vec![0; labels.len()];
    for (class, mut rows) in rows.into_iter().enumerate() {
        if rows.len() < folds.max(FEWEST) {
            let class = labels.classes().label(class).to_string();
            return Err(SplitError::TooFew { class, count: rows.len(), share: 1.0 / folds as f64 });
        }
        rows.shuffle(&mut generator);
        for (at, row) in rows.into_iter().enumerate() {
            // Classes begin at different folds, so that small ones do not all meet in the first.
            dealt[row] = ((at + class) % folds) as u16;
        }
    }
    Ok(dealt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_stratified_and_every_row_is_in_one() {
        let values: Vec<i64> = (0..100).map(|row| row % 3).collect();
        let labels = Labels::from_integers(&values);
        let dealt = deal(&labels, 4, 5).unwrap();
        assert_eq!(dealt.len(), 100);
        for fold in 0..4 {
            for class in 0..3 {
                let own = (0..100).filter(|&row| dealt[row] == fold && values[row] == class);
                assert!((8..=9).contains(&own.count()));
            }
        }
        assert!(deal(&labels, 40, 5).is_err());
    }

    #[test]
    fn few_points_are_cross_validated_and_many_are_not() {
        let labels = |points: i64, classes: i64| {
            Labels::from_integers(&(0..points).map(|row| row % classes).collect::<Vec<_>>())
        };
        assert_eq!(usual_parts(&labels(150, 3)), Parts::Folds(5));
        assert_eq!(usual_parts(&labels(4999, 3)), Parts::Folds(5));
        assert_eq!(usual_parts(&labels(5000, 3)), Parts::Fraction(0.2));
        // Four points of a class make four folds, two make none.
        assert_eq!(usual_parts(&labels(12, 3)), Parts::Folds(4));
        assert_eq!(usual_parts(&labels(6, 3)), Parts::Fraction(0.2));
    }
}
