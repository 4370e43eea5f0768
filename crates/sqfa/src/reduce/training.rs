//! What a reducer learns from: class statistics, and the points behind them where there are any.
//!
//! Statistics describe preprocessed points; the points themselves stay raw and are seen through the
//! preprocessing, which is folded into whatever filters they meet. Nothing of their size is ever copied.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use crate::classify::Qda;
use crate::deal::deal_once;
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef};
use crate::points::{Points, Scalar};
use crate::remedy::Remedy;
use crate::split::SplitError;
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, fourth_moments,
};
use crate::transform::{Features, transform_rows_about, transform_rows_offset};

use super::ReduceError;

/// Samples that are held out to choose settings: 15 %, as parts in all and parts held out.
const HELD_OUT: (usize, usize) = (20, 3);
/// Held-out points that are judged at a time.
pub(crate) const JUDGED: usize = 16 * crate::transform::BLOCK;

/// Labeled points, raw, and the preprocessing that the statistics already contain.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// The points as they came.
    pub points: Points<'a>,
    /// Their classes.
    pub labels: &'a Labels,
    /// What turns them into what the statistics describe.
    pub preprocessor: Option<&'a Preprocessor>,
}

/// Labeled training data.
#[derive(Debug, Clone)]
pub struct Training<'a> {
    statistics: Shared<'a>,
    samples: Option<Samples<'a>>,
    /// The rows that belong to the training data, when not all do.
    rows: Option<Vec<u32>>,
    /// Rows that settings are chosen on and nothing is learned from; without them a part of the training data serves.
    validation: Option<Vec<usize>>,
    /// Shrinkage of [`Qda::plain`], if that chooses settings, as in the paper.
    shrinkage: Option<f64>,
    /// How covariances of a part of the points are estimated.
    estimator: Estimator,
    /// Whether the statistics have variances alone, and one covariance for all classes is made of the points where it is asked for.
    sparing: bool,
}

#[derive(Debug, Clone)]
enum Shared<'a> {
    Borrowed(&'a ClassStatistics),
    Owned(Arc<ClassStatistics>),
}

impl Deref for Shared<'_> {
    type Target = ClassStatistics;
    fn deref(&self) -> &ClassStatistics {
        match self {
            Self::Borrowed(statistics) => statistics,
            Self::Owned(statistics) => statistics,
        }
    }
}

impl<'a> Training<'a> {
    /// Training data with points; `statistics` are those of the preprocessed points.
    pub fn new(statistics: &'a ClassStatistics, samples: Samples<'a>) -> Self {
        Self { samples: Some(samples), ..Self::from_statistics(statistics) }
    }

    /// The same data, whose statistics came from another estimator than the empirical one.
    pub fn with_estimator(mut self, estimator: Estimator) -> Self {
        self.estimator = estimator;
        self
    }

    /// The same data, of which only some rows belong to the training part that the statistics describe.
    pub fn on_rows(self, rows: Vec<usize>) -> Self {
        self.on_numbered(rows.into_iter().map(|row| row as u32).collect())
    }

    /// The same in half the memory; tables of more rows are refused where they are summed.
    pub(crate) fn on_numbered(mut self, rows: Vec<u32>) -> Self {
        self.rows = Some(rows);
        self
    }

    /// The same data with rows on which settings are chosen; they are not among those that are learned from.
    pub fn validated_on(mut self, rows: Vec<usize>) -> Self {
        self.validation = Some(rows);
        self
    }

    /// The same data, whose statistics have variances alone: for methods that ask for one covariance of all classes when they
    /// need it ([`Self::with_covariance`]).
    pub(crate) fn sparing(self) -> Self {
        Self { sparing: true, ..self }
    }

    /// The same data with at least one covariance for all classes.
    pub(crate) fn with_covariance(&self) -> Result<Cow<'_, Self>, ReduceError> {
        match self.samples {
            Some(samples) if self.sparing => {
                let all = || (0..samples.points.rows() as u32).collect();
                let rows = self.rows.clone().unwrap_or_else(all);
                self.of_rows(samples, rows, self.estimator).map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(self)),
        }
    }

    /// The same data, whose settings are chosen by [`Qda::plain`] with this shrinkage, as in the paper.
    pub fn judged_with(mut self, shrinkage: f64) -> Self {
        self.shrinkage = Some(shrinkage);
        self
    }

    /// Whether settings are chosen on points from which nothing is learned.
    pub(crate) fn is_validated(&self) -> bool {
        self.validation.is_some()
    }

    /// Class statistics alone: enough for every method that does not look at points.
    pub fn from_statistics(statistics: &'a ClassStatistics) -> Self {
        Self {
            statistics: Shared::Borrowed(statistics),
            samples: None,
            rows: None,
            validation: None,
            shrinkage: None,
            estimator: Estimator::Empirical,
            sparing: false,
        }
    }

    /// Points without preprocessing; their statistics are computed.
    pub fn from_points(points: Points<'a>, labels: &'a Labels) -> Result<Self, ReduceError> {
        let statistics = ClassStatistics::from_points(points, labels, Estimator::Empirical)?;
        Ok(Self {
            statistics: Shared::Owned(Arc::new(statistics)),
            samples: Some(Samples { points, labels, preprocessor: None }),
            rows: None,
            validation: None,
            shrinkage: None,
            estimator: Estimator::Empirical,
            sparing: false,
        })
    }

    /// The statistics of the preprocessed points.
    pub fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// The points, where there are any.
    pub fn samples(&self) -> Option<&Samples<'a>> {
        self.samples.as_ref()
    }

    /// The points, or an error that says what needs them.
    pub(crate) fn need_samples(
        &self,
        what: &str,
        remedy: Remedy,
    ) -> Result<&Samples<'a>, ReduceError> {
        self.samples
            .as_ref()
            .ok_or_else(|| ReduceError::NeedsPoints { what: what.to_owned(), remedy })
    }

    /// The rows of the points that belong to the training data.
    pub(crate) fn rows(&self) -> Vec<usize> {
        match (&self.rows, &self.samples) {
            (Some(rows), _) => rows.iter().map(|&row| row as usize).collect(),
            (None, Some(samples)) => (0..samples.points.rows()).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// What is learned from while settings are chosen, and the rows they are chosen on: all of the training data and the
    /// validation rows where there are any, otherwise a stratified, seeded part of the training data.
    pub(crate) fn without_held_out(
        &self,
        what: &'static str,
        seed: u64,
    ) -> Result<(Training<'a>, Vec<usize>), ReduceError> {
        let samples = *self.need_samples(what, Remedy::Number)?;
        let (learn, held) = self.rows_without_held_out(what, seed)?;
        match learn {
            Some(learn) => Ok((self.of_rows(samples, learn, self.estimator)?, held)),
            None => Ok((self.clone(), held)),
        }
    }

    /// The rows of the same split: those learned from, or none where these are all of the training rows, and those held out.
    pub(crate) fn rows_without_held_out(
        &self,
        what: &'static str,
        seed: u64,
    ) -> Result<(Option<Vec<u32>>, Vec<usize>), ReduceError> {
        let samples = *self.need_samples(what, Remedy::Number)?;
        if let Some(held) = &self.validation {
            return Ok((None, held.clone()));
        }
        let Samples { points, labels, .. } = samples;
        let dealt = match &self.rows {
            Some(rows) => {
                let mut often = vec![0_u32; labels.len()];
                rows.iter().for_each(|&row| often[row as usize] += 1);
                deal_once(points, labels, &|row| u64::from(often[row]), HELD_OUT, seed)
            }
            None => deal_once(points, labels, &|_| 1, HELD_OUT, seed),
        };
        let is_held = |row: u32| dealt[row as usize];
        let row = |at: usize| self.rows.as_ref().map_or(at as u32, |rows| rows[at]);
        let count = self.rows.as_ref().map_or(labels.len(), Vec::len);
        let held = (0..count).map(row).filter(|&row| is_held(row));
        let held: Vec<usize> = held.map(|row| row as usize).collect();
        let mut learn = Vec::with_capacity(count - held.len());
        learn.extend((0..count).map(row).filter(|&row| !is_held(row)));
        if held.is_empty() {
            let counts = labels.counts();
            let smallest = (0..counts.len()).min_by_key(|&class| counts[class]).unwrap_or(0);
            let source = SplitError::TooFew {
                class: labels.classes().label(smallest).to_string(),
                count: counts.get(smallest).map_or(0, |&count| count as usize),
                share: HELD_OUT.1 as f64 / HELD_OUT.0 as f64,
            };
            return Err(ReduceError::Split { what, source });
        }
        Ok((Some(learn), held))
    }

    /// Training data of some rows, with covariances kept in the form that all points have.
    fn of_rows(
        &self,
        samples: Samples<'a>,
        rows: Vec<u32>,
        estimator: Estimator,
    ) -> Result<Self, ReduceError> {
        let Samples { points, labels, .. } = samples;
        let wide = || rows.iter().map(|&row| row as usize);
        let as_samples = self.statistics.is_kept_as_samples() && !estimator.needs_points();
        // Shrinkage depends on the scaling, so it comes after the preprocessing.
        let raw = Estimator::Empirical;
        let mut statistics = if self.sparing {
            ClassStatistics::pooled(points, labels, None, wide())?
        } else if as_samples {
            ClassStatistics::from_factor_rows(points, labels, &wide().collect::<Vec<_>>(), raw)?
        } else if estimator.needs_points() {
            ClassStatistics::robust_of_rows(
                points,
                labels,
                &wide().collect::<Vec<_>>(),
                None,
                estimator,
            )?
        } else {
            let mut sums = ClassAccumulator::new(labels.classes().clone(), points.columns());
            sums.update_some(points, labels, wide())?;
            sums.finish(raw)?
        };
        if let Some(preprocessor) = samples.preprocessor {
            preprocessor.apply(&mut statistics);
        }
        if !estimator.needs_points() && estimator != raw {
            let rows: Vec<usize> = wide().collect();
            let fourth = (estimator == Estimator::LedoitWolf && !as_samples).then(|| {
                fourth_moments(points, labels, &rows, None, samples.preprocessor, &statistics)
            });
            statistics = statistics.shrunk_by(estimator, fourth.as_deref())?;
        }
        Ok(Self {
            statistics: Shared::Owned(Arc::new(statistics)),
            samples: Some(samples),
            rows: Some(rows),
            estimator,
            sparing: false,
            ..self.clone()
        })
    }

    /// The same points with statistics by another estimator; `None` without points.
    pub(crate) fn estimated_by(&self, estimator: Estimator) -> Result<Option<Self>, ReduceError> {
        let Some(samples) = self.samples else { return Ok(None) };
        let all = || (0..samples.points.rows() as u32).collect();
        self.of_rows(samples, self.rows.clone().unwrap_or_else(all), estimator).map(Some)
    }

    /// The same with every covariance multiplied by a number.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let scaled = self.statistics.with_scaled_covariances(factor);
        Self { statistics: Shared::Owned(Arc::new(scaled)), ..self.clone() }
    }

    /// How covariances of a part of the points are estimated.
    pub(crate) fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// The accuracy on some rows of a quadratic classifier that learned from these data.
    pub(crate) fn held_out_accuracy(
        &self,
        filters: MatRef<'_, f64>,
        held: &[usize],
    ) -> Result<f64, ReduceError> {
        let samples = self.need_samples("held-out accuracy", Remedy::Number)?;
        let build = |statistics: &ClassStatistics, filters: MatRef<'_, f64>| match self.shrinkage {
            Some(shrinkage) => Qda::plain_from_statistics(statistics, filters, shrinkage),
            None => Qda::from_statistics(statistics, filters, None),
        };
        let qda = if self.statistics.is_pooled() {
            let (own, m) = (self.statistics_of_features(samples, filters)?, filters.ncols());
            build(&own, Mat::identity(m, m).as_ref())?
        } else {
            build(&self.statistics, filters)?
        };
        let mut right = 0;
        for rows in held.chunks(JUDGED) {
            let features = samples.features(rows, filters);
            let predicted = qda.predict(features.as_points(filters.ncols()))?;
            right += predicted.iter().zip(samples.codes(rows)).filter(|(a, b)| **a == *b).count();
        }
        Ok(right as f64 / held.len().max(1) as f64)
    }

    /// The class statistics of the features of the training points, which statistics with one covariance cannot give.
    fn statistics_of_features(
        &self,
        samples: &Samples<'_>,
        filters: MatRef<'_, f64>,
    ) -> Result<ClassStatistics, ReduceError> {
        let (m, classes) = (filters.ncols(), samples.labels.classes());
        let mut sums = ClassAccumulator::new(classes.clone(), m);
        for rows in self.rows().chunks(JUDGED) {
            // In double precision, so that rounding is not taken for variance of filters that depend on each other.
            let features = Features::F64(samples.features(rows, filters).into_f64());
            sums.update(features.as_points(m), &samples.labels.select(rows))?;
        }
        Ok(sums.finish(Estimator::Empirical)?)
    }
}

impl Samples<'_> {
    /// The features of some rows, as if they had been preprocessed first.
    pub(crate) fn features(&self, rows: &[usize], filters: MatRef<'_, f64>) -> Features {
        let (filters, offset) = self.folded(filters);
        transform_rows_offset(self.points, rows, filters.as_ref(), offset.as_deref())
    }

    /// The same about the mean of these rows, for methods that only look at differences.
    pub(crate) fn centered_features(&self, rows: &[usize], filters: MatRef<'_, f64>) -> Features {
        let (filters, _) = self.folded(filters);
        let mut center = vec![0.0; self.points.columns()];
        crate::with_table!(self.points, table => {
            for &row in rows {
                for (column, sum) in center.iter_mut().enumerate() {
                    *sum += table.get(row, column).to_f64();
                }
            }
        });
        center.iter_mut().for_each(|sum| *sum /= rows.len().max(1) as f64);
        transform_rows_about(self.points, rows, filters.as_ref(), &center)
    }

    /// Filters of preprocessed points as filters of raw ones, with an offset.
    pub(crate) fn folded(&self, filters: MatRef<'_, f64>) -> (Mat<f64>, Option<Vec<f64>>) {
        match self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(filters);
                (filters, Some(offset))
            }
            None => (filters.to_owned(), None),
        }
    }

    /// The classes of some rows.
    pub(crate) fn codes(&self, rows: &[usize]) -> Vec<u32> {
        let codes = self.labels.codes();
        rows.iter().map(|&row| codes[row]).collect()
    }
}
