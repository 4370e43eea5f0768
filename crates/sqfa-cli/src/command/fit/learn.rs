//! The mathematics of a fit in order: statistics, preprocessing, principal components, filters, lifting.

use anyhow::{Context, Result, bail};
use sqfa::model::Start;
use sqfa::optimize::{Control, Progress};
use sqfa::reduce::{ReduceError, ReducerSettings, Reduction, Samples, Setting, Training, reducer};
use sqfa::statistics::{Moments, Preprocessor};
use sqfa::{ClassStatistics, Estimator, Gaussians, Mat, MatRef, transform};
use sqfa_io::data::{Loaded, Part};
use sqfa_io::model_file::{
    ClassNames, DataRecord, Description, FitRecord, Model, ModelParts, Trial, maximum_likelihood,
};

use super::sums::finish;
use super::{Fit, statistics_of};
use crate::data::class_statistics;
use crate::points::Precision;
use crate::warnings;

/// Statistics ready to be fitted, and the way back to input space.
pub(super) struct Prepared {
    /// What the data are called.
    pub(super) name: String,
    pub(super) image_shape: Option<(usize, usize)>,
    /// The names of the columns; empty where they have none.
    columns: Vec<String>,
    /// The data's own test part, when there is one.
    pub(super) test: Option<Part>,
    /// Training points, when there are any.
    pub(super) part: Option<Part>,
    /// What the user should know about the data as they came.
    pub(super) warnings: Vec<String>,
    /// The mean of the points as they came, where known.
    mean: Option<Vec<f64>>,
    preprocessor: Option<Preprocessor>,
    /// Statistics after preprocessing, in input space.
    pub(super) statistics: ClassStatistics,
    /// The same without shrinkage, when the covariances are shrunk and there are no points.
    unshrunk: Option<ClassStatistics>,
    /// Leading principal components and the statistics in them.
    reduced: Option<(Mat<f64>, ClassStatistics)>,
}

impl Prepared {
    pub(super) fn new(fit: &Fit, loaded: Loaded, columns: Vec<String>) -> Result<Self> {
        let mut unshrunk = None;
        let (name, image_shape, test, part, mut statistics) = match loaded {
            Loaded::Data(data) => {
                let statistics = statistics_of(&data.train, fit)?;
                (data.name, data.image_shape, data.test, Some(data.train), statistics)
            }
            Loaded::Sums(name, sums) => {
                let (plain, statistics) = finish(sums, fit.estimator)?;
                unshrunk = plain;
                (name, None, None, None, statistics)
            }
            Loaded::Statistics(given) => {
                if fit.estimator != Estimator::Empirical {
                    bail!(
                        "--covariance {} estimates covariances from points, and DATA holds statistics",
                        fit.estimator
                    );
                }
                let name = given.name.clone();
                let statistics =
                    class_statistics(given, fit.precision).context("DATA cannot be used")?;
                (name, None, None, None, statistics)
            }
        };
        let warnings = warnings::about(&statistics);
        let mean = (statistics.moments() == Moments::Central).then(|| statistics.total_mean());
        let preprocessor = Preprocessor::new(&statistics, fit.scale, fit.center);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
            unshrunk.iter_mut().for_each(|statistics| preprocessor.apply(statistics));
        }
        let mut prepared = Self {
            name,
            image_shape,
            columns,
            test,
            part,
            warnings,
            mean,
            preprocessor,
            statistics,
            unshrunk,
            reduced: None,
        };
        if let Some(dims) = fit.pca_dims.filter(|_| !fit.method.has_own_components()) {
            let statistics = &prepared.statistics;
            let n = statistics.dimension();
            if dims > n {
                bail!("--pca-dims {dims}: the data have {n} dimensions");
            }
            let (basis, _) = statistics.principal_components(dims).with_context(|| {
                format!("--pca-dims: {n} dimensions are too many for a dense eigenproblem")
            })?;
            let reduced = statistics.reduced(basis.as_ref());
            prepared.reduced = Some((basis, reduced));
        }
        Ok(prepared)
    }

    /// Starting filters given in input space, as the fit needs them.
    pub(super) fn start(&self, fit: &Fit, given: Option<Mat<f64>>) -> Result<Start> {
        let n = self.statistics.dimension();
        let given = match (given, &self.reduced) {
            (Some(filters), _) if filters.nrows() != n || filters.ncols() != fit.filters => bail!(
                "--start holds {} × {} numbers; {n} dimensions × {} filters are needed",
                filters.nrows(),
                filters.ncols(),
                fit.filters
            ),
            (Some(filters), Some((basis, _))) => Some(product(basis.transpose(), filters.as_ref())),
            (given, _) => given,
        };
        Ok(fit.start_kind(given))
    }

    /// Fits filters to what was prepared.
    pub(super) fn fit(
        &self,
        fit: &Fit,
        start: Start,
        observer: &mut dyn FnMut(&Progress) -> Control,
    ) -> Result<Reduction, ReduceError> {
        let settings = ReducerSettings { start, ..fit.settings.clone() };
        let reducer = reducer(&fit.method_name(), &settings)?;
        let statistics = self.reduced.as_ref().map_or(&self.statistics, |(_, reduced)| reduced);
        let Some(Part { points, labels }) = &self.part else {
            return reducer.fit_one(&Training::from_statistics(statistics), fit.filters, observer);
        };
        // Inside principal components the points are seen as their coordinates there.
        let coordinates = self.reduced.as_ref().map(|(basis, _)| {
            let (filters, offset) = self.folded(basis.as_ref());
            (transform(points.view(), filters.as_ref(), offset.as_deref()), basis.ncols())
        });
        let samples = match &coordinates {
            Some((features, columns)) => {
                Samples { points: features.as_points(*columns), labels, preprocessor: None }
            }
            None => {
                let preprocessor = self.preprocessor.as_ref();
                Samples { points: points.view(), labels, preprocessor }
            }
        };
        let training = Training::new(statistics, samples).with_estimator(fit.estimator);
        reducer.fit_one(&training, fit.filters, observer)
    }

    /// Filters of preprocessed points as filters of raw ones, and the offset to add to their features.
    fn folded(&self, filters: MatRef<'_, f64>) -> (Mat<f64>, Option<Vec<f64>>) {
        match &self.preprocessor {
            Some(preprocessor) => {
                let (folded, offset) = preprocessor.fold(filters);
                (folded, Some(offset))
            }
            None => (filters.to_owned(), None),
        }
    }

    /// The model of fitted filters, lifted back to input space.
    pub(super) fn model(&self, fit: &Fit, fitted: &Reduction) -> Result<Model> {
        let filters = match &self.reduced {
            Some((basis, _)) => product(basis.as_ref(), fitted.filters.as_ref()),
            None => fitted.filters.clone(),
        };
        let features = self.features(fit, filters.as_ref())?;
        let single = self.statistics.covariances().iter().all(|covariance| covariance.is_single());
        let precision = if single { Precision::F32 } else { Precision::F64 };
        let description = Description {
            method: fit.method.name.to_owned(),
            refined: fit.refine,
            distance: fit.distance_name(),
            constraint: fit.constraint().map(|constraint| constraint.name().to_owned()),
            noise_choice: fit.noise_name().to_owned(),
            noise: fitted.setting(Setting::Noise).unwrap_or(0.0),
            settings: fitted.settings.clone(),
            noise_trials: trials(fitted),
            classes: ClassNames::from(self.statistics.classes()),
            restricted: fit.classes.is_some(),
            second_moments: self.statistics.moments() == Moments::Second,
            covariance: fit.estimator.to_string(),
            precision: precision.name().to_owned(),
            scale: fit.scale.name().to_owned(),
            center: fit.center,
            pca_dims: fit.pca_dims,
            start: fit.start_name(),
            sequential: fit.sequential,
            seed: fit.settings.seed,
            max_iterations: fit.settings.stopping.max_iterations,
            tolerance: fit.settings.stopping.tolerance,
            fit: FitRecord::from(fitted),
            data: DataRecord { name: self.name.clone(), image_shape: self.image_shape },
            feature_names: Some(self.columns.clone()).filter(|names| !names.is_empty()),
            software: concat!("sqfa ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let parts = ModelParts {
            filters,
            preprocessing: self.preprocessor.clone(),
            counts: self.statistics.counts().map(<[u64]>::to_vec),
            features,
        };
        let model = Model::new(parts, description)?;
        Ok(match &self.mean {
            Some(mean) => model.with_mean(mean.clone())?,
            None => model,
        })
    }

    /// The training classes in feature space; a shrunk covariance is not what a classifier should see.
    fn features(&self, fit: &Fit, filters: MatRef<'_, f64>) -> Result<Gaussians> {
        let (Some(part), true) = (&self.part, fit.estimator != Estimator::Empirical) else {
            let statistics = self.unshrunk.as_ref().unwrap_or(&self.statistics);
            return Ok(maximum_likelihood(statistics, filters)?);
        };
        let (folded, offset) = self.folded(filters);
        let features = transform(part.points.view(), folded.as_ref(), offset.as_deref());
        let m = filters.ncols();
        let statistics = ClassStatistics::from_points(
            features.as_points(m),
            &part.labels,
            Estimator::Empirical,
        )?;
        let identity = Mat::from_fn(m, m, |i, j| if i == j { 1.0 } else { 0.0 });
        Ok(maximum_likelihood(&statistics, identity.as_ref())?)
    }

    /// How many points the statistics stand for, where known.
    pub(super) fn count(&self) -> Option<u64> {
        self.statistics.counts().map(|counts| counts.iter().sum())
    }
}

/// The noises that were tried, for reports and files.
pub(super) fn trials(fitted: &Reduction) -> Vec<Trial> {
    let trials = fitted.trials.iter().filter(|trial| trial.setting == Setting::Noise);
    trials.map(|trial| Trial { noise: trial.value, accuracy: trial.accuracy }).collect()
}

/// A product in one fixed order of summation, so that its bits never depend on threads.
fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(left.nrows(), right.ncols(), |i, j| {
        (0..left.ncols()).map(|k| left[(i, k)] * right[(k, j)]).sum()
    })
}
