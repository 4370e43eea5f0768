//! Every reducer by name, from class statistics and, where there are any, the points behind them.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::Estimator;
use sqfa::optimize::Termination;
use sqfa::reduce::{Reduction, Samples, Training, reducer};

use crate::arrays::{PointArray, from_mat_transposed, vector};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::methods::warnings;
use crate::running::run;
use crate::settings::{read, wanted};
use crate::statistics::Statistics;
use crate::watch::{Watch, restarts};

/// Fits a reducer by name; points are given as (points, class names, codes).
#[pyfunction]
#[pyo3(signature = (method, statistics, points, names, codes, estimator, settings, callback, threads))]
pub(crate) fn reduce<'py>(
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
    let filters: usize = wanted(settings, "n_components")?.extract()?;
    let (settings, error) = read(settings)?;
    let recipe = reducer(method, &settings)?;
    let estimator = estimator.parse::<Estimator>()?;
    let array = points.map(PointArray::borrow).transpose()?;
    let points = array.as_ref().map(PointArray::points).transpose()?;
    let codes = codes.map(|codes| labels(&classes(names)?, &codes)).transpose()?;
    let training = match (points, &codes) {
        (Some(points), Some(labels)) => {
            if points.rows() != labels.len() || points.columns() != statistics.core.dimension() {
                return Err(invalid("points, labels and statistics do not belong together"));
            }
            let samples = Samples { points, labels, preprocessor: None };
            Training::new(&statistics.core, samples).with_estimator(estimator)
        }
        _ => Training::from_statistics(&statistics.core),
    };
    let fitted = run(py, threads, |stop| {
        let mut watch = Watch::new(stop, &error, callback.as_ref());
        let fitted = recipe.fit_one(&training, filters, &mut |step| watch.see(step));
        watch.conclude(fitted.map_err(Into::into))
    })?;
    let result = described(py, &fitted)?;
    result.set_item("distance", settings.distance.as_ref().map(|distance| distance.name()))?;
    Ok(result)
}

fn described<'py>(py: Python<'py>, fitted: &Reduction) -> Outcome<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("components", from_mat_transposed(py, fitted.filters.as_ref())?)?;
    result.set_item("objective", fitted.objective)?;
    let trace = fitted.traces.first().cloned().unwrap_or_default();
    result.set_item("trace", vector(py, trace))?;
    result.set_item("n_iter", fitted.iterations)?;
    result.set_item("converged", fitted.converged())?;
    result.set_item("termination", fitted.termination.map_or("closed-form", Termination::name))?;
    let settings: Vec<(&str, f64)> =
        fitted.settings.iter().map(|(setting, value)| (setting.name(), *value)).collect();
    result.set_item("settings", settings)?;
    let trials: Vec<(&str, f64, f64)> =
        fitted.trials.iter().map(|t| (t.setting.name(), t.value, t.accuracy)).collect();
    result.set_item("trials", trials)?;
    result.set_item("best", fitted.best)?;
    result.set_item("passes", fitted.passes)?;
    result.set_item("evaluations", fitted.evaluations)?;
    result.set_item("seconds", fitted.seconds + fitted.search_seconds)?;
    result.set_item("warnings", warnings(&fitted.warnings))?;
    result.set_item("restarts", restarts(py, &fitted.restarts)?)?;
    Ok(result)
}
