//! The data that a reducer learns from: class statistics, and the samples behind them if they are
//! available.
//!
//! Statistics describe preprocessed samples. The samples themselves are stored without
//! preprocessing, which is included in the filters that are applied to them, so the samples are
//! never copied.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use crate::classify::Qda;
use crate::deal::{HoldOut, can_deal, deal_once};
use crate::labels::Labels;
use crate::linalg::{Mat, MatRef};
use crate::points::{Points, Scalar};
use crate::remedy::Remedy;
use crate::split::SplitError;
use crate::statistics::{
    ClassAccumulator, ClassStatistics, Estimator, Preprocessor, check_several, fourth_moments,
};
use crate::transform::{Features, transform_rows_about, transform_rows_offset};

use super::ReduceError;

/// The split that selects settings: the samples are divided into 20 parts, of which 3 (15 %) are held
/// out.
const HELD_OUT: (usize, usize) = (20, 3);
/// The split that selects settings if samples have groups, of which a class may have few: one of seven parts is held out.
const GROUPS_HELD_OUT: (usize, usize) = (7, 1);
/// Number of held-out samples that are scored at a time.
pub(crate) const JUDGED: usize = 16 * crate::transform::BLOCK;

/// Labeled samples without preprocessing, with the preprocessing that the statistics contain.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// The samples before preprocessing.
    pub points: Points<'a>,
    /// The labels of the samples.
    pub labels: &'a Labels,
    /// The preprocessing that the class statistics contain.
    pub preprocessor: Option<&'a Preprocessor>,
}

/// Labeled training data: class statistics, with or without samples.
///
/// # Examples
///
/// ```
/// use sqfa::reduce::Training;
/// use sqfa::{Labels, Points, Table};
///
/// let values = [0.0, 0.1, 0.2, 1.0, 2.1, 0.0, 1.9, 1.1];
/// let points = Points::F64(Table::row_major(&values, 4, 2).unwrap());
/// let labels = Labels::from_integers(&[0, 0, 1, 1]);
///
/// let training = Training::from_points(points, &labels)?;
/// assert_eq!(training.statistics().counts(), Some(&[2, 2][..]));
/// assert!(training.samples().is_some());
/// # Ok::<(), sqfa::reduce::ReduceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Training<'a> {
    statistics: Shared<'a>,
    samples: Option<Samples<'a>>,
    /// The rows that belong to the training data; `None` for all rows.
    rows: Option<Vec<u32>>,
    /// The rows on which settings are selected and from which nothing is learned. If there are
    /// none, a part of the training data is held out.
    validation: Option<Vec<usize>>,
    /// The shrinkage of [`Qda::plain`] if that classifier selects settings, as in the paper.
    shrinkage: Option<f64>,
    /// The estimator for the covariances of a part of the samples.
    estimator: Estimator,
    /// Whether the statistics contain only variances, so that a pooled covariance is computed from
    /// the samples if a method needs one.
    sparing: bool,
    /// Which samples are held out together.
    hold_out: HoldOut<'a>,
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
    /// Creates training data from samples and the class statistics of the preprocessed samples.
    pub fn new(statistics: &'a ClassStatistics, samples: Samples<'a>) -> Self {
        Self { samples: Some(samples), ..Self::from_statistics(statistics) }
    }

    /// Specifies that the statistics were computed by another estimator than the empirical one.
    pub fn with_estimator(mut self, estimator: Estimator) -> Self {
        self.estimator = estimator;
        self
    }

    /// Specifies which samples are held out together when settings are selected.
    pub(crate) fn holding_out(self, hold_out: HoldOut<'a>) -> Self {
        Self { hold_out, ..self }
    }

    /// Restricts the training data to some rows, which the statistics describe.
    pub fn on_rows(self, rows: Vec<usize>) -> Self {
        self.on_numbered(rows.into_iter().map(|row| row as u32).collect())
    }

    /// Restricts the training data to some rows, like [`Self::on_rows`], with half the memory.
    /// Larger tables are rejected when statistics are accumulated.
    pub(crate) fn on_numbered(mut self, rows: Vec<u32>) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Specifies rows on which settings are selected. They must not be among the rows that are
    /// learned from.
    pub fn validated_on(mut self, rows: Vec<usize>) -> Self {
        self.validation = Some(rows);
        self
    }

    /// Specifies that the statistics contain only variances, for methods that request a pooled
    /// covariance if they need one ([`Self::with_covariance`]).
    pub(crate) fn sparing(self) -> Self {
        Self { sparing: true, ..self }
    }

    /// Returns the data with at least a pooled covariance.
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

    /// Specifies that settings are selected by [`Qda::plain`] with this shrinkage, as in the paper.
    pub fn judged_with(mut self, shrinkage: f64) -> Self {
        self.shrinkage = Some(shrinkage);
        self
    }

    /// Returns whether settings are selected on samples from which nothing is learned.
    pub(crate) fn is_validated(&self) -> bool {
        self.validation.is_some()
    }

    /// Creates training data from class statistics alone, which are sufficient for methods that do
    /// not learn from samples.
    pub fn from_statistics(statistics: &'a ClassStatistics) -> Self {
        Self {
            statistics: Shared::Borrowed(statistics),
            samples: None,
            rows: None,
            validation: None,
            shrinkage: None,
            estimator: Estimator::Empirical,
            sparing: false,
            hold_out: HoldOut::Rows,
        }
    }

    /// Creates training data from samples without preprocessing and computes their class
    /// statistics.
    ///
    /// # Errors
    ///
    /// Returns an error if class statistics cannot be computed, for example because the samples
    /// contain a value that is not finite or a class has too few samples.
    pub fn from_points(points: Points<'a>, labels: &'a Labels) -> Result<Self, ReduceError> {
        check_several(labels.classes())?;
        let statistics = ClassStatistics::from_points(points, labels, Estimator::Empirical)?;
        Ok(Self {
            statistics: Shared::Owned(Arc::new(statistics)),
            samples: Some(Samples { points, labels, preprocessor: None }),
            rows: None,
            validation: None,
            shrinkage: None,
            estimator: Estimator::Empirical,
            sparing: false,
            hold_out: HoldOut::Rows,
        })
    }

    /// Returns the class statistics of the preprocessed samples.
    pub fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// Returns the samples, if they are available.
    pub fn samples(&self) -> Option<&Samples<'a>> {
        self.samples.as_ref()
    }

    /// Returns the samples, or an error that names the method or setting that needs them.
    pub(crate) fn need_samples(
        &self,
        what: &str,
        remedy: Remedy,
    ) -> Result<&Samples<'a>, ReduceError> {
        self.samples
            .as_ref()
            .ok_or_else(|| ReduceError::NeedsPoints { what: what.to_owned(), remedy })
    }

    /// Returns the rows of the samples that belong to the training data.
    pub(crate) fn rows(&self) -> Vec<usize> {
        match (&self.rows, &self.samples) {
            (Some(rows), _) => rows.iter().map(|&row| row as usize).collect(),
            (None, Some(samples)) => (0..samples.points.rows()).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the data to learn from while settings are selected, and the rows on which they are
    /// selected.
    ///
    /// With validation rows, these are all training data and the validation rows. Otherwise, a
    /// stratified part of the training data, drawn with the seed, is held out.
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

    /// Whether samples can be held out to select settings: some class needs three different rows or groups, of which one is held
    /// out.
    pub(crate) fn can_hold_out(&self) -> bool {
        let Some(Samples { points, labels, .. }) = self.samples else { return false };
        if self.validation.is_some() {
            return true;
        }
        let count = self.rows.as_ref().map_or(labels.len(), Vec::len);
        let row = |at: usize| self.rows.as_ref().map_or(at, |rows| rows[at] as usize);
        can_deal(points, labels, (0..count).map(row), self.hold_out)
    }

    /// Returns the rows of the same split as [`Self::without_held_out`]: the rows to learn from, or
    /// `None` if these are all training rows, and the held-out rows.
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
        let row = |at: usize| self.rows.as_ref().map_or(at as u32, |rows| rows[at]);
        let count = self.rows.as_ref().map_or(labels.len(), Vec::len);
        let (parts, first) = match self.hold_out {
            HoldOut::Rows => (HELD_OUT, 0),
            HoldOut::Groups(_) => (GROUPS_HELD_OUT, 0),
            // The first predefined fold of which there are training samples.
            HoldOut::Folds(folds) => {
                let of_rows = (0..count).map(|at| folds[row(at) as usize]);
                let first = usize::from(of_rows.min().unwrap_or(0));
                ((first + 1, first + 1), first)
            }
        };
        let dealt = match &self.rows {
            Some(rows) => {
                let mut often = vec![0_u32; labels.len()];
                rows.iter().for_each(|&row| often[row as usize] += 1);
                let weight = |row: usize| u64::from(often[row]);
                deal_once(points, labels, &weight, self.hold_out, parts, seed)
            }
            None => deal_once(points, labels, &|_| 1, self.hold_out, parts, seed),
        };
        let is_held = |row: u32| (first..parts.1).contains(&usize::from(dealt[row as usize]));
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

    /// Returns training data of some rows, with covariances in the same form as those of all
    /// samples.
    fn of_rows(
        &self,
        samples: Samples<'a>,
        rows: Vec<u32>,
        estimator: Estimator,
    ) -> Result<Self, ReduceError> {
        let Samples { points, labels, .. } = samples;
        let wide = || rows.iter().map(|&row| row as usize);
        let as_samples = self.statistics.is_kept_as_samples() && !estimator.needs_points();
        // Shrinkage depends on the scaling, so it is applied after the preprocessing.
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

    /// Returns the data with class statistics by another estimator, or `None` if there are no
    /// samples.
    pub(crate) fn estimated_by(&self, estimator: Estimator) -> Result<Option<Self>, ReduceError> {
        let Some(samples) = self.samples else { return Ok(None) };
        let all = || (0..samples.points.rows() as u32).collect();
        self.of_rows(samples, self.rows.clone().unwrap_or_else(all), estimator).map(Some)
    }

    /// Returns the data with every covariance multiplied by a number.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let scaled = self.statistics.with_scaled_covariances(factor);
        Self { statistics: Shared::Owned(Arc::new(scaled)), ..self.clone() }
    }

    /// Returns the estimator for the covariances of a part of the samples.
    pub(crate) fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// Returns the accuracy, on some rows, of QDA that was fitted to these data.
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

    /// Returns the class statistics of the features of the training samples, which cannot be
    /// computed from a pooled covariance.
    fn statistics_of_features(
        &self,
        samples: &Samples<'_>,
        filters: MatRef<'_, f64>,
    ) -> Result<ClassStatistics, ReduceError> {
        let (m, classes) = (filters.ncols(), samples.labels.classes());
        let mut sums = ClassAccumulator::new(classes.clone(), m);
        for rows in self.rows().chunks(JUDGED) {
            // Double precision, so that rounding errors do not look like variance of linearly
            // dependent filters.
            let features = Features::F64(samples.features(rows, filters).into_f64());
            sums.update(features.as_points(m), &samples.labels.select(rows))?;
        }
        Ok(sums.finish(Estimator::Empirical)?)
    }
}

impl Samples<'_> {
    /// Returns the features of some rows, with the preprocessing applied first.
    pub(crate) fn features(&self, rows: &[usize], filters: MatRef<'_, f64>) -> Features {
        let (filters, offset) = self.folded(filters);
        transform_rows_offset(self.points, rows, filters.as_ref(), offset.as_deref())
    }

    /// Returns the features of some rows relative to their mean, for methods that only use
    /// differences between samples.
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

    /// Converts filters of preprocessed samples to filters of samples without preprocessing, with
    /// an offset.
    pub(crate) fn folded(&self, filters: MatRef<'_, f64>) -> (Mat<f64>, Option<Vec<f64>>) {
        match self.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(filters);
                (filters, Some(offset))
            }
            None => (filters.to_owned(), None),
        }
    }

    /// Returns the class codes of some rows.
    pub(crate) fn codes(&self, rows: &[usize]) -> Vec<u32> {
        let codes = self.labels.codes();
        rows.iter().map(|&row| codes[row]).collect()
    }
}
