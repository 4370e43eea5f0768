//! Fits: what was not given is the pipeline's to find, the rest goes straight to the method.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::model::Start;
use sqfa::optimize::Observer;
use sqfa::pipeline::{Filters, Fitted, NoiseRule, Pipeline, PipelineError, Weighted};
use sqfa::reduce::{ReducerSettings, Samples, Training, reducer};
use sqfa::statistics::{Moments, Preprocessor};
use sqfa::{Estimator, Gaussians};
use sqfa_io::model_file::maximum_likelihood;

use crate::arrays::{PointArray, slice};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::outcome::{Learned, described};
use crate::running::run;
use crate::settings::{count, read, scaling};
use crate::statistics::Statistics;
use crate::user_distance::FirstError;
use crate::watch::Watch;

/// Fits labelled points by the pipeline: noise, units and number of filters that were not given are chosen on folds.
/// Statistics are given where they are kept as samples, because there are few points of very many columns.
#[pyfunction]
#[pyo3(signature = (method, points, names, codes, weights, statistics, estimator, settings, callback, threads))]
pub(crate) fn fit_points<'py>(
    py: Python<'py>,
    method: &str,
    points: &Bound<'py, PyAny>,
    names: &Bound<'py, PyList>,
    codes: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, u64>>,
    statistics: Option<&Statistics>,
    estimator: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let (recipe, error) = pipeline(method, estimator, settings)?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
    let data = Weighted { points, labels: &labels, weights };
    let kept = statistics.map(|statistics| statistics.core.clone());
    by_pipeline(py, &recipe, &error, callback.as_ref(), threads, |observer| match kept {
        Some(statistics) => recipe.fit_samples(data, statistics, observer),
        None => recipe.fit(data, observer),
    })
}

/// Fits class statistics by the pipeline: noise and units that were not given are those of the closed form.
#[pyfunction]
#[pyo3(signature = (method, statistics, settings, callback, threads))]
pub(crate) fn fit_statistics<'py>(
    py: Python<'py>,
    method: &str,
    statistics: &Statistics,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let (recipe, error) = pipeline(method, "empirical", settings)?;
    let core = statistics.core.clone();
    by_pipeline(py, &recipe, &error, callback.as_ref(), threads, |observer| {
        recipe.fit_statistics(core, observer)
    })
}

/// Fits with all settings given; points are given as (points, class names, codes) where the method looks at them.
#[pyfunction]
#[pyo3(signature = (method, statistics, points, names, codes, estimator, settings, callback, threads))]
pub(crate) fn fit_given<'py>(
    py: Python<'py>,
    method: &str,
    statistics: &Statistics,
    points: Option<&Bound<'py, PyAny>>,
    names: &Bound<'py, PyList>,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    estimator: &str,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let Filters::Count(filters) = count(settings)? else {
        return Err(invalid(
            "n_components 'auto' is chosen on held-out points, together with the noise: give noise='auto' and \
             points, or a number of components",
        ));
    };
    let scaling = scaling(settings)?.unwrap_or_default();
    let (settings, error) = read(settings)?;
    let estimator = estimator.parse::<Estimator>()?;
    let dropped = statistics.core.constant_columns();
    if dropped.len() == statistics.core.dimension() {
        return Err(PipelineError::AllConstant { columns: dropped.len() }.into());
    }
    let map = Preprocessor::dropping(&statistics.core, scaling, false, &dropped);
    let scaled = map.as_ref().map(|map| {
        let mut own = statistics.core.clone();
        map.apply(&mut own);
        own
    });
    let core = scaled.as_ref().unwrap_or(&statistics.core);
    let start = match (&settings.start, &map) {
        (Start::Given(own), Some(map)) => Start::Given(map.unfold(own.as_ref(), core.dimension())),
        (own, _) => own.clone(),
    };
    let fixed = match (&settings.fixed, &map) {
        (Some(own), Some(map)) => Some(map.unfold(own.as_ref(), core.dimension())),
        (own, _) => own.clone(),
    };
    let recipe = reducer(method, &ReducerSettings { start, fixed, ..settings.clone() })?;
    let array = points.map(PointArray::borrow).transpose()?;
    let points = array.as_ref().map(PointArray::points).transpose()?;
    let codes = codes.map(|codes| labels(&classes(names)?, &codes)).transpose()?;
    let training = match (points, &codes) {
        (Some(points), Some(labels)) => {
            if points.rows() != labels.len() || points.columns() != statistics.core.dimension() {
                return Err(invalid("points, labels and statistics do not belong together"));
            }
            let samples = Samples { points, labels, preprocessor: map.as_ref() };
            Training::new(core, samples).with_estimator(estimator)
        }
        _ => Training::from_statistics(core),
    };
    let (reduction, features) = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, &error, callback.as_ref());
        let fitted = recipe.fit_one(&training, filters, &mut |step| watch.see(step));
        let fitted = watch.conclude(fitted.map_err(Into::into))?;
        let features = maximum_likelihood(core, fitted.filters.as_ref())?;
        Ok((fitted, features))
    })?;
    let embedded = map.as_ref().map(|map| map.embed(reduction.filters.as_ref()));
    let learned = Learned {
        reduction: &reduction,
        filters: embedded.as_ref().unwrap_or(&reduction.filters).as_ref(),
        preprocessor: map.as_ref(),
        features,
        counts: core.counts(),
        mean: statistics.core.total_mean(),
        second_moments: core.moments() == Moments::Second,
        single: core.covariances().iter().all(|covariance| covariance.is_single()),
        scaling,
        chosen: None,
    };
    let result = described(py, &learned)?;
    result.set_item("distance", settings.distance.as_ref().map(|distance| distance.name()))?;
    Ok(result)
}

/// Everything that was not given is to be found.
pub(crate) fn pipeline(
    method: &str,
    estimator: &str,
    settings: &Bound<'_, PyDict>,
) -> Outcome<(Pipeline, FirstError)> {
    let (filters, scaling) = (count(settings)?, scaling(settings)?);
    let (settings, error) = read(settings)?;
    let recipe = Pipeline {
        settings,
        filters,
        scaling,
        noise: NoiseRule::Auto,
        estimator: Some(estimator.parse::<Estimator>()?),
        ..Pipeline::new(method, 0)
    };
    Ok((recipe, error))
}

fn by_pipeline<'py>(
    py: Python<'py>,
    recipe: &Pipeline,
    error: &FirstError,
    callback: Option<&Py<PyAny>>,
    threads: usize,
    fit: impl FnOnce(&mut Observer<'_>) -> Result<Fitted, PipelineError> + Send,
) -> Outcome<Bound<'py, PyDict>> {
    let (fitted, features) = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, error, callback);
        let fitted = fit(&mut |step| watch.see(step));
        let fitted = watch.conclude(fitted.map_err(Into::into))?;
        let features = maximum_likelihood(fitted.statistics(), fitted.kept())?;
        Ok((fitted, features))
    })?;
    told(py, recipe, &fitted, features)
}

/// A fit by the pipeline as Python keeps it.
pub(crate) fn told<'py>(
    py: Python<'py>,
    recipe: &Pipeline,
    fitted: &Fitted,
    features: Gaussians,
) -> Outcome<Bound<'py, PyDict>> {
    let statistics = fitted.statistics();
    let learned = Learned {
        reduction: &fitted.reduction,
        filters: fitted.filters(),
        preprocessor: fitted.preprocessor.as_ref(),
        features,
        counts: statistics.counts(),
        mean: fitted.mean.clone(),
        second_moments: false,
        single: statistics.covariances().iter().all(|covariance| covariance.is_single()),
        scaling: fitted.scaling,
        chosen: Some(fitted),
    };
    let result = described(py, &learned)?;
    let distance = recipe.settings.distance.as_ref();
    result.set_item("distance", distance.map(|distance| distance.name()))?;
    Ok(result)
}
