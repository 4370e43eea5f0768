//! A data set as the claims see it: statistics of preprocessed training points, and QDA on test points.

use sqfa::model::Restarts;
use sqfa::optimize::Observer;
use sqfa::reduce::{ReducerSettings, Reduction, Training, reducer};
use sqfa::statistics::{Preprocessor, Scaling};
use sqfa::{ClassStatistics, Estimator, MatRef, Noise, Qda};

use crate::PaperError;
use sqfa_io::data::{LabeledData, Part};
use sqfa_lab::compare::{Protocol, ProtocolUnits};
use sqfa_lab::evaluation::features;

/// A data set with the noise and the number of filters of its experiments.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    /// How tables write it.
    pub title: &'static str,
    /// The training points.
    pub train: &'a Part,
    /// The test points.
    pub test: &'a Part,
    /// Statistics of the preprocessed training points.
    pub statistics: ClassStatistics,
    /// How points are preprocessed.
    pub preprocessor: Option<Preprocessor>,
    /// The feature noise: the middle one of the paper's grid.
    pub noise: f64,
    /// Filters.
    pub filters: usize,
}

/// Filters of the experiments.
const FILTERS: usize = 4;
/// QDA shrinkage of the paper's tables.
pub(super) const SHRINKAGE: f64 = 1e-5;

impl<'a> Problem<'a> {
    /// A data set of the paper.
    pub(crate) fn new(data: &'a LabeledData, protocol: &Protocol) -> Result<Self, PaperError> {
        let title = protocol.title;
        let test = data
            .test
            .as_ref()
            .ok_or_else(|| PaperError::numbers(title, "it has no test points"))?;
        let train = &data.train;
        let mut statistics =
            ClassStatistics::from_points(train.points.view(), &train.labels, Estimator::Empirical)
                .map_err(|error| PaperError::numbers(title, error))?;
        let standardized = protocol.units == ProtocolUnits::GlobalStd;
        let scaling = if standardized { Scaling::Common } else { Scaling::None };
        let preprocessor = Preprocessor::new(&statistics, scaling, standardized);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
        }
        let noise = protocol.noises.get(protocol.noises.len() / 2).copied().unwrap_or(0.0);
        Ok(Self { title, train, test, statistics, preprocessor, noise, filters: FILTERS })
    }

    pub(super) fn fail(&self, error: impl ToString) -> PaperError {
        PaperError::numbers(format!("claims on {}", self.title), error)
    }

    /// Fits a method on given statistics.
    pub(super) fn fit_on(
        &self,
        statistics: &ClassStatistics,
        method: &str,
        settings: &ReducerSettings,
        filters: usize,
        observer: &mut Observer<'_>,
    ) -> Result<Reduction, PaperError> {
        reducer(method, settings)
            .and_then(|own| own.fit_one(&Training::from_statistics(statistics), filters, observer))
            .map_err(|error| self.fail(error))
    }

    /// Settings of one start.
    pub(super) fn settings(&self, seed: u64) -> ReducerSettings {
        ReducerSettings {
            seed,
            noise: Noise::Value(self.noise),
            restarts: Restarts::Count(1),
            ..ReducerSettings::default()
        }
    }

    /// The classes that QDA gives the test points.
    pub(super) fn predict(
        &self,
        filters: MatRef<'_, f64>,
        shrinkage: f64,
    ) -> Result<Vec<u32>, PaperError> {
        let qda = Qda::plain_from_statistics(&self.statistics, filters, shrinkage)
            .map_err(|error| self.fail(error))?;
        let features = features(self.test.points.view(), self.preprocessor.as_ref(), filters);
        qda.predict(features.as_points(filters.ncols())).map_err(|error| self.fail(error))
    }

    /// The share of test points that QDA puts into their own class, in per cent.
    pub(super) fn accuracy(&self, filters: MatRef<'_, f64>) -> Result<f64, PaperError> {
        Ok(self.share(&self.predict(filters, SHRINKAGE)?))
    }

    /// The share of correct classes, in per cent.
    pub(super) fn share(&self, predicted: &[u32]) -> f64 {
        let truth = self.test.labels.codes();
        let hits = predicted.iter().zip(truth).filter(|(a, b)| a == b).count();
        100.0 * hits as f64 / truth.len().max(1) as f64
    }
}
