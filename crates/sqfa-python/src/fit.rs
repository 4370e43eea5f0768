//! Functions that fit arrays or class statistics with a recipe of the core.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::Estimator;
use sqfa::optimize::Observer;
use sqfa::pipeline::{Fitted, HoldOut, Labeled, Pipeline, PipelineError};
use sqfa::reduce::Method;

use crate::arrays::{PointArray, slice};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::outcome::described;
use crate::running::run;
use crate::settings::{count, read, scaling};
use crate::statistics::Statistics;
use crate::user_distance::FirstError;
use crate::watch::Watch;

/// Fits labeled samples. Settings that were not specified are selected on held-out folds.
#[pyfunction]
#[pyo3(signature = (method, points, names, codes, weights, held, estimator, settings, callback, threads))]
pub(crate) fn fit_points<'py>(
    py: Python<'py>,
    method: &str,
    points: &Bound<'py, PyAny>,
    names: &Bound<'py, PyList>,
    codes: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, u64>>,
    held: (Option<PyReadonlyArray1<'py, u32>>, Option<Folds<'py>>),
    estimator: Option<&str>,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let (recipe, error) = pipeline(method, estimator, settings)?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
    let (groups, folds) = &held;
    let groups = groups.as_ref().map(|groups| slice(groups, "groups")).transpose()?;
    let hold_out = groups.map_or(HoldOut::Rows, HoldOut::Groups);
    let data = Labeled { weights, hold_out, ..Labeled::new(points, &labels) };
    let predefined = match folds {
        Some(Folds::Predefined(folds)) => Some(slice(folds, "folds")?),
        _ => None,
    };
    let count = match folds {
        Some(Folds::Count(count)) => Some(*count),
        _ => None,
    };
    fitted(py, &error, callback.as_ref(), threads, |observer| {
        let dealt = count.map(|count| data.folds(count, recipe.settings.seed)).transpose()?;
        let folds = dealt.as_deref().or(predefined);
        let hold_out = folds.map_or(data.hold_out, HoldOut::Folds);
        recipe.fit(Labeled { hold_out, ..data }, observer)
    })
}

/// The folds on which a fit selects its settings.
#[derive(FromPyObject)]
pub(crate) enum Folds<'py> {
    /// A number of folds.
    Count(u16),
    /// The fold of every sample.
    Predefined(PyReadonlyArray1<'py, u16>),
}

/// Fits class statistics. Settings that were not specified have their default.
#[pyfunction]
#[pyo3(signature = (method, statistics, estimator, settings, callback, threads))]
pub(crate) fn fit_statistics<'py>(
    py: Python<'py>,
    method: &str,
    statistics: &Statistics,
    estimator: Option<&str>,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let (recipe, error) = pipeline(method, estimator, settings)?;
    let core = statistics.core.clone();
    fitted(py, &error, callback.as_ref(), threads, |observer| recipe.fit(core, observer))
}

/// Returns the recipe for a method and its settings.
pub(crate) fn pipeline(
    method: &str,
    estimator: Option<&str>,
    settings: &Bound<'_, PyDict>,
) -> Outcome<(Pipeline, FirstError)> {
    let (filters, scaling) = (count(settings)?, scaling(settings)?);
    let (settings, error) = read(settings)?;
    let estimator = estimator.map(str::parse::<Estimator>).transpose()?;
    let recipe = Pipeline {
        settings,
        filters,
        scaling,
        estimator,
        ..Pipeline::new(method.parse::<Method>().map_err(|error| invalid(error.to_string()))?, 0)
    };
    Ok((recipe, error))
}

fn fitted<'py>(
    py: Python<'py>,
    error: &FirstError,
    callback: Option<&Py<PyAny>>,
    threads: usize,
    fit: impl FnOnce(&mut Observer<'_>) -> Result<Fitted, PipelineError> + Send,
) -> Outcome<Bound<'py, PyDict>> {
    let fitted = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, error, callback);
        let fitted = fit(&mut |step| watch.see(step));
        watch.conclude(fitted.map_err(Into::into))
    })?;
    described(py, &fitted)
}
