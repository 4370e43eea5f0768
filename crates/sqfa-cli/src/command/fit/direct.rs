//! A method with all its settings given: statistics, preprocessing, principal components, filters, lifting.

use anyhow::{Context, Result, bail};
use sqfa::model::Start;
use sqfa::optimize::Observer;
use sqfa::pipeline::PipelineError;
use sqfa::reduce::{ReduceError, ReducerSettings, Reduction, Samples, Training, reducer};
use sqfa::statistics::{Moments, Preprocessor, Scaling};
use sqfa::transform::Features;
use sqfa::{ClassStatistics, Estimator, Gaussians, Mat, MatRef, transform};
use sqfa_io::data::Part;
use sqfa_io::model_file::maximum_likelihood;

use super::Fit;
use super::explain::explain_pipeline;
use super::given::GivenFilters;

/// Statistics ready to be fitted, and the way back to input space.
pub(super) struct Direct<'a> {
    part: Option<&'a Part>,
    /// Columns of the data as they came.
    dimension: usize,
    scaling: Scaling,
    mean: Option<Vec<f64>>,
    preprocessor: Option<Preprocessor>,
    /// Statistics after preprocessing, in input space.
    statistics: ClassStatistics,
    /// The same without shrinkage, when the covariances are shrunk and there are no points.
    unshrunk: Option<ClassStatistics>,
    /// Leading principal components and the statistics in them.
    reduced: Option<(Mat<f64>, ClassStatistics)>,
}

impl<'a> Direct<'a> {
    pub(super) fn new(
        fit: &Fit,
        scaling: Scaling,
        mut statistics: ClassStatistics,
        mut unshrunk: Option<ClassStatistics>,
        part: Option<&'a Part>,
    ) -> Result<Self> {
        let mean = (statistics.moments() == Moments::Central).then(|| statistics.total_mean());
        let dimension = statistics.dimension();
        let dropped = statistics.constant_columns();
        if dropped.len() == dimension {
            let error = PipelineError::AllConstant { columns: dimension };
            return Err(explain_pipeline(&error, fit));
        }
        let preprocessor = Preprocessor::dropping(&statistics, scaling, fit.center, &dropped);
        if let Some(preprocessor) = &preprocessor {
            preprocessor.apply(&mut statistics);
            unshrunk.iter_mut().for_each(|statistics| preprocessor.apply(statistics));
        }
        let mut reduced = None;
        if let Some(dims) = fit.pca_dims.filter(|_| !fit.method.has_own_components()) {
            let n = statistics.dimension();
            if dims > n {
                bail!("--pca-dims {dims}: the data have {n} columns that vary");
            }
            let (basis, _) = statistics.principal_components(dims).with_context(|| {
                format!("--pca-dims: {n} dimensions are too many for a dense eigenproblem")
            })?;
            let inside = statistics.reduced(basis.as_ref());
            reduced = Some((basis, inside));
        }
        let mut direct =
            Self { part, dimension, scaling, mean, preprocessor, statistics, unshrunk, reduced };
        if let (Some(part), true) = (part, fit.is_robust_inside()) {
            // Outliers are told in the components, where there are points enough.
            let coordinates = direct.coordinates(part);
            if let (Some((features, columns)), Some((_, inside))) =
                (coordinates, &mut direct.reduced)
            {
                let points = features.as_points(columns);
                *inside = ClassStatistics::from_points(points, &part.labels, fit.estimator())
                    .context("DATA cannot be used")?;
            }
        }
        Ok(direct)
    }

    /// How columns were scaled.
    pub(super) fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// Filters given for raw points, as the fit needs them.
    pub(super) fn given(
        &self,
        fit: &Fit,
        given: GivenFilters,
    ) -> Result<(Start, Option<Mat<f64>>)> {
        let (n, m) = (self.dimension, fit.count()?);
        let GivenFilters { start, fixed } = given;
        if let Some(filters) = &start
            && (filters.nrows() != n || filters.ncols() != m)
        {
            let (rows, columns) = (filters.nrows(), filters.ncols());
            bail!(
                "--start holds {rows} × {columns} numbers; {n} dimensions × {m} filters are needed"
            );
        }
        if let Some(filters) = &fixed
            && (filters.nrows() != n || filters.ncols() >= m)
        {
            let (rows, columns) = (filters.nrows(), filters.ncols());
            bail!(
                "--fixed holds {rows} × {columns} numbers; {n} dimensions × fewer than the {m} filters of --filters are needed"
            );
        }
        let start = start.map(|filters| match &self.reduced {
            Some((basis, _)) => product(basis.transpose(), self.unfolded(filters).as_ref()),
            None => self.unfolded(filters),
        });
        Ok((fit.start_kind(start), fixed.map(|filters| self.unfolded(filters))))
    }

    /// Filters of raw points as filters of preprocessed ones.
    fn unfolded(&self, filters: Mat<f64>) -> Mat<f64> {
        match &self.preprocessor {
            Some(preprocessor) => {
                preprocessor.unfold(filters.as_ref(), self.statistics.dimension())
            }
            None => filters,
        }
    }

    /// Fits filters to what was prepared.
    pub(super) fn fit(
        &self,
        fit: &Fit,
        (start, fixed): (Start, Option<Mat<f64>>),
        observer: &mut Observer<'_>,
    ) -> Result<Reduction, ReduceError> {
        let noise = fit.given_noise(self.part);
        let settings = ReducerSettings { start, fixed, noise, ..fit.settings.clone() };
        let reducer = reducer(&fit.method_name(), &settings)?;
        let filters = fit.count().map_err(|_| ReduceError::NoFilters { filters: 0 })?;
        let statistics = self.reduced.as_ref().map_or(&self.statistics, |(_, reduced)| reduced);
        let Some(Part { points, labels }) = self.part else {
            return reducer.fit_one(&Training::from_statistics(statistics), filters, observer);
        };
        let coordinates = self.part.and_then(|part| self.coordinates(part));
        let samples = match &coordinates {
            Some((features, columns)) => {
                Samples { points: features.as_points(*columns), labels, preprocessor: None }
            }
            None => {
                let preprocessor = self.preprocessor.as_ref();
                Samples { points: points.view(), labels, preprocessor }
            }
        };
        let training = Training::new(statistics, samples).with_estimator(fit.estimator());
        reducer.fit_one(&training, filters, observer)
    }

    /// Inside principal components points are seen as their coordinates there.
    fn coordinates(&self, part: &Part) -> Option<(Features, usize)> {
        let (basis, _) = self.reduced.as_ref()?;
        let (filters, offset) = self.folded(basis.as_ref());
        let features = transform(part.points.view(), filters.as_ref(), offset.as_deref());
        Some((features, basis.ncols()))
    }

    /// The statistics that the method saw.
    pub(super) fn fitted_statistics(&self) -> &ClassStatistics {
        self.reduced.as_ref().map_or(&self.statistics, |(_, inside)| inside)
    }

    /// Statistics after preprocessing.
    pub(super) fn statistics(&self) -> &ClassStatistics {
        &self.statistics
    }

    /// The mean of the points as they came, where known.
    pub(super) fn mean(&self) -> Option<Vec<f64>> {
        self.mean.clone()
    }

    pub(super) fn into_preprocessor(self) -> Option<Preprocessor> {
        self.preprocessor
    }

    /// Filters of the space of the fit as filters of preprocessed points.
    pub(super) fn lifted(&self, filters: MatRef<'_, f64>) -> Mat<f64> {
        match &self.reduced {
            Some((basis, _)) => product(basis.as_ref(), filters),
            None => filters.to_owned(),
        }
    }

    /// Filters of the kept columns as filters of all.
    pub(super) fn embedded(&self, filters: Mat<f64>) -> Mat<f64> {
        match &self.preprocessor {
            Some(preprocessor) => preprocessor.embed(filters.as_ref()),
            None => filters,
        }
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

    /// The training classes in feature space; a shrunk covariance is not what a classifier should see.
    pub(super) fn features(&self, fit: &Fit, filters: MatRef<'_, f64>) -> Result<Gaussians> {
        if let (Some((basis, inside)), true) = (&self.reduced, fit.is_robust_inside()) {
            let own = product(basis.transpose(), filters);
            return Ok(maximum_likelihood(inside, own.as_ref())?);
        }
        let (Some(part), true) = (self.part, fit.shrinks()) else {
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
}

/// A product in one fixed order of summation, so that its bits never depend on threads.
fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(left.nrows(), right.ncols(), |i, j| {
        (0..left.ncols()).map(|k| left[(i, k)] * right[(k, j)]).sum()
    })
}
