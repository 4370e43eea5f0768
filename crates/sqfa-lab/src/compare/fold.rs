//! The training and test samples of every fold, with class statistics that fits share. Samples are
//! accumulated once per fold and then merged.

use std::borrow::Cow;
use std::time::Instant;

use sqfa::pipeline::{self, Labeled, PipelineError, Summed, WIDE};
use sqfa::split::stratified_split;
use sqfa::statistics::{Preprocessor, StatisticsError};
use sqfa::{ClassStatistics, Labels};
use sqfa_io::data::Part;

use super::deal::{self, FEWEST, LEARN, TEST, VALIDATION};
use super::{CompareError, Parts, Session, Spec};

/// The fraction of every class that is held out if there are many samples.
const SHARE: f64 = 0.2;
/// The number of held-out samples from which a single part is sufficient. The standard error of an
/// accuracy of 90 % is then below one percentage point.
const ENOUGH: f64 = 1000.0;
/// The number of folds if there are fewer samples.
const FOLDS: usize = 5;
/// The difference between the seeds of sessions, so that no two splits have the same seed.
const APART: u64 = 1000;
/// The largest number of columns with which settings are selected on validation samples by class
/// statistics of the columns themselves.
const SPLIT_WIDE: usize = 4 * WIDE;

/// Returns the default division into training and test samples for data without a test part.
pub(super) fn usual_parts(labels: &Labels) -> Parts {
    let smallest = labels.counts().into_iter().min().unwrap_or(0) as usize;
    let few = SHARE * (labels.len() as f64) < ENOUGH;
    if few && smallest >= FEWEST {
        Parts::Folds(FOLDS.min(smallest))
    } else {
        Parts::Fraction(SHARE)
    }
}

/// All folds of a session.
pub(super) struct Folds<'a> {
    session: &'a Session<'a>,
    parts: Parts,
    seed: u64,
    /// The fold of every row with the class statistics of every fold, if rows are held out in turn.
    summed: Option<pipeline::Parts<'a>>,
}

/// The training and test samples of one fold.
pub(super) struct Fold<'a> {
    pub(super) train: Cow<'a, Part>,
    pub(super) test: Cow<'a, Part>,
    /// The samples on which settings are selected, if a split has a validation part.
    pub(super) validated: Option<Validated<'a>>,
    /// The class statistics of the training folds.
    rest: Option<pipeline::Parts<'a>>,
}

/// All samples of a session, divided into training and validation samples.
pub(super) struct Validated<'a> {
    pub(super) all: &'a Part,
    pub(super) learn: Vec<usize>,
    pub(super) validation: Vec<usize>,
}

/// The data that are derived from the training samples and shared by fits.
pub(super) enum Training<'a> {
    /// The samples and statistics with which scaling and noise are selected.
    Chosen(Box<Summed<'a>>),
    /// The statistics for specified settings.
    Given(&'a Given),
}

/// Preprocessed class statistics.
pub(super) struct Given {
    pub(super) preprocessor: Option<Preprocessor>,
    /// The statistics of preprocessed samples.
    pub(super) statistics: ClassStatistics,
    /// The time in seconds to compute them.
    pub(super) seconds: f64,
}

impl<'a> Folds<'a> {
    /// Divides a session into folds. `index` is the number of the session.
    pub(super) fn new(
        spec: &Spec,
        session: &'a Session<'a>,
        index: usize,
    ) -> Result<Self, CompareError> {
        let seed = spec.first_seed.wrapping_add(APART.wrapping_mul(index as u64));
        let mut folds = Self { session, parts: spec.parts, seed, summed: None };
        // Class statistics of every fold would need too much memory if there are many columns.
        if let Parts::Folds(count) = spec.parts
            && session.data.train.points.columns() <= WIDE
        {
            let dealt = deal::folds(folds.labels(), session.groups, count, seed)?;
            folds.summed = Some(pipeline::Parts::of(folds.samples(), dealt.into(), count)?);
        }
        Ok(folds)
    }

    fn labels(&self) -> &'a Labels {
        &self.session.data.train.labels
    }

    fn samples(&self) -> Labeled<'a> {
        Labeled::new(self.session.data.train.points.view(), self.labels())
    }

    /// Returns the training and test samples of a fold.
    pub(super) fn fold(&self, index: usize) -> Result<Fold<'a>, CompareError> {
        let (data, groups) = (self.session.data, self.session.groups);
        let (mut rest, mut validated) = (None, None);
        let (learn, held): (Vec<usize>, Vec<usize>) = match (self.parts, &data.test) {
            (Parts::Given, Some(test)) => {
                let (train, test) = (Cow::Borrowed(&data.train), Cow::Borrowed(test));
                return Ok(Fold { train, test, validated, rest });
            }
            (Parts::Folds(count), _) => {
                let dealt = deal::folds(self.labels(), groups, count, self.seed)?;
                rest = self.summed.as_ref().map(|summed| summed.leave_out(index));
                (0..dealt.len()).partition(|&row| usize::from(dealt[row]) != index)
            }
            (Parts::Splits(_), _) => {
                let seed = self.seed.wrapping_add(index as u64);
                let dealt = deal::split(self.labels(), groups, seed)?;
                let rows = |part: u16| (0..dealt.len()).filter(|&row| dealt[row] == part).collect();
                let (learn, held): (Vec<usize>, Vec<usize>) = (rows(LEARN), rows(TEST));
                let (all, validation) = (&data.train, rows(VALIDATION));
                validated = Some(Validated { all, learn: learn.clone(), validation });
                if data.train.points.columns() <= SPLIT_WIDE {
                    let (test, validation) = (usize::from(TEST), usize::from(VALIDATION));
                    let parts = pipeline::Parts::of(self.samples(), dealt.into(), LEARN.into())?;
                    rest = Some(parts.leave_out(test).spare(validation));
                }
                (learn, held)
            }
            (parts, _) => {
                let share = if let Parts::Fraction(share) = parts { share } else { SHARE };
                match groups {
                    Some(groups) => {
                        let shares = [share, 1.0 - share];
                        let dealt = deal::grouped(self.labels(), groups, &shares, self.seed)?;
                        (0..dealt.len()).partition(|&row| dealt[row] != 0)
                    }
                    None => {
                        let split = stratified_split(self.labels(), share, self.seed)?;
                        (split.learn, split.held)
                    }
                }
            }
        };
        let select = |rows: &[usize]| {
            let Part { points, labels } = &data.train;
            Cow::Owned(Part { points: points.select(rows), labels: labels.select(rows) })
        };
        Ok(Fold { train: select(&learn), test: select(&held), validated, rest })
    }
}

impl Fold<'_> {
    fn samples(&self) -> Labeled<'_> {
        let Part { points, labels } = self.train.as_ref();
        Labeled::new(points.view(), labels)
    }

    /// Returns the class statistics on which fits with one seed select their settings.
    pub(super) fn summed(&self, seed: u64) -> Result<Summed<'_>, PipelineError> {
        match &self.rest {
            // A selection needs samples to hold out and samples for training.
            Some(rest) if rest.can_choose() => Summed::in_folds(self.samples(), rest.clone()),
            _ => Summed::new(self.samples(), seed),
        }
    }

    /// Returns preprocessed class statistics for fits with specified settings.
    pub(super) fn given(&self, spec: &Spec) -> Result<Given, StatisticsError> {
        let began = Instant::now();
        let Labeled { points, labels, .. } = self.samples();
        let estimator = spec.estimator().unwrap_or_default();
        let mut statistics = match &self.rest {
            Some(rest) if !estimator.needs_samples() => rest.total()?.finish(estimator)?,
            _ => ClassStatistics::from_points(points, labels, estimator)?,
        };
        let scaling = spec.scaling().unwrap_or_default();
        let preprocessor = super::Protocol::named(&spec.protocol)
            .and_then(|protocol| protocol.preprocessor(&statistics))
            .or_else(|| {
                let dropped = statistics.constant_columns();
                Preprocessor::dropping(&statistics, scaling, spec.center, &dropped)
            });
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
        }
        Ok(Given { preprocessor, statistics, seconds: began.elapsed().as_secs_f64() })
    }
}

#[cfg(test)]
mod tests {
    use sqfa::Estimator;
    use sqfa_io::data::{LabeledData, OwnedPoints};

    use super::*;

    #[test]
    fn few_points_are_cross_validated_and_many_are_not() {
        let labels = |points: i64, classes: i64| {
            Labels::from_integers(&(0..points).map(|row| row % classes).collect::<Vec<_>>())
        };
        assert_eq!(usual_parts(&labels(150, 3)), Parts::Folds(5));
        assert_eq!(usual_parts(&labels(4999, 3)), Parts::Folds(5));
        assert_eq!(usual_parts(&labels(5000, 3)), Parts::Fraction(0.2));
        // Four samples per class lead to four folds, and two samples are too few.
        assert_eq!(usual_parts(&labels(12, 3)), Parts::Folds(4));
        assert_eq!(usual_parts(&labels(6, 3)), Parts::Fraction(0.2));
    }

    #[test]
    fn sums_that_are_merged_are_those_of_the_training_points() {
        let values: Vec<f64> = (0..180).map(|at| f64::from(at * at % 37)).collect();
        let labels = Labels::from_integers(&(0..60).map(|row| row % 3).collect::<Vec<_>>());
        let points = OwnedPoints::from_f64(values, 60, 3).unwrap();
        let train = Part { points, labels };
        let data = LabeledData { name: "t".to_owned(), train, test: None, image_shape: None };
        let session = Session::of(&data);
        let noise = sqfa::Noise::Value(1.0);
        let both = [(Parts::Folds(4), 45), (Parts::Splits(2), 48)];
        let estimators = [Estimator::Empirical, Estimator::Oas, Estimator::LedoitWolf];
        for ((parts, learned), estimator) in
            both.into_iter().flat_map(|own| estimators.map(|estimator| (own, estimator)))
        {
            let covariance = estimator.to_string();
            let spec = Spec { parts, noise, covariance_estimator: covariance, ..Spec::default() };
            let folds = Folds::new(&spec, &session, 0).unwrap();
            for index in 0..2 {
                let fold = folds.fold(index).unwrap();
                assert!(fold.rest.is_some());
                assert_eq!(fold.train.labels.len(), learned);
                let merged = fold.given(&spec).unwrap().statistics;
                let (points, labels) = (fold.train.points.view(), &fold.train.labels);
                let summed = ClassStatistics::from_points(points, labels, estimator).unwrap();
                let (ours, theirs) = (merged.total_variances(), summed.total_variances());
                for (a, b) in ours.iter().zip(&theirs) {
                    assert!((a - b).abs() <= 1e-12 * b, "{a} {b}");
                }
                assert_eq!(merged.counts(), summed.counts());
            }
        }
    }
}
