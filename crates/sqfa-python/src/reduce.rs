//! Every reducer by name, from class statistics and, where there are any, the points behind them.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::Estimator;
use sqfa::constraint::Constraint;
use sqfa::model::{Learning, Restarts};
use sqfa::optimize::{Stopping, Termination};
use sqfa::reduce::{
    Choice, LOCAL_SCALES, PcaSolver, ReducerSettings, Reduction, Samples, Setting, Training,
    reducer,
};

use crate::arrays::{PointArray, from_mat_transposed, vector};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::fit::{Watch, restarts};
use crate::methods::{parameter, warnings};
use crate::recipe::{noise, start};
use crate::running::run;
use crate::statistics::Statistics;
use crate::user_distance::{FirstError, distance};

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
    described(py, &fitted)
}

fn wanted<'py>(settings: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    let missing = || PyTypeError::new_err(format!("the setting '{key}' is missing"));
    settings.get_item(key)?.ok_or_else(missing)
}

/// The settings that are there; those that are not, or are None, keep the core's defaults.
fn read(settings: &Bound<'_, PyDict>) -> Outcome<(ReducerSettings, FirstError)> {
    let get = |key: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(settings.get_item(key)?.filter(|value| !value.is_none()))
    };
    let mut core = ReducerSettings::default();
    let mut error = FirstError::default();
    if let Some(seed) = get("seed")? {
        core.seed = seed.extract()?;
    }
    if let Some(given) = get("distance")? {
        let (chosen, raised) = distance(&given)?;
        core.distance = Some(chosen);
        error = raised;
    }
    if let Some(given) = get("noise")? {
        core.noise = noise(&given)?;
    }
    if let Some(given) = get("init")? {
        core.start = start(&given)?;
    }
    if let Some(count) = get("restarts")? {
        core.restarts = Restarts::Count(count.extract()?);
    }
    if let Some(size) = get("sequential")? {
        let size: usize = size.extract()?;
        core.learning = Some(if size == 0 { Learning::Joint } else { Learning::Sequential(size) });
    }
    if let Some(name) = get("constraint")? {
        core.constraint = Some(name.extract::<String>()?.parse::<Constraint>()?);
    }
    let Stopping { max_iterations, tolerance } = Stopping::default();
    core.stopping = Stopping {
        max_iterations: get("max_iter")?.map_or(Ok(max_iterations), |value| value.extract())?,
        tolerance: get("tol")?.map_or(Ok(tolerance), |value| value.extract())?,
    };
    for setting in Setting::ALL.into_iter().filter(|setting| setting.is_chosen()) {
        let name = parameter(setting);
        core.set(setting, choice(get(&name)?, &name)?);
    }
    if let Some(name) = get("local_scale")? {
        let name: String = name.extract()?;
        if name != "auto" {
            let known = LOCAL_SCALES.iter().find(|(known, _)| *known == name);
            let unknown =
                || invalid(format!("local_scale is '{name}': give 'auto', 'neighbor' or 'anchor'"));
            core.local_scale = Some(known.ok_or_else(unknown)?.1);
        }
    }
    core.dimensions = get("pca_dims")?.map(|value| value.extract()).transpose()?;
    core.per_class = get("per_class")?.map(|value| value.extract()).transpose()?;
    if let Some(name) = get("solver")? {
        core.solver = match name.extract::<String>()?.as_str() {
            "auto" => PcaSolver::Auto,
            "exact" => PcaSolver::Exact,
            "randomized" => PcaSolver::Randomized,
            other => {
                return Err(invalid(format!(
                    "solver is '{other}': give 'auto', 'exact' or 'randomized'"
                )));
            }
        };
    }
    Ok((core, error))
}

/// `None`, `"auto"`, a number or several.
fn choice(given: Option<Bound<'_, PyAny>>, name: &str) -> Outcome<Choice> {
    let Some(given) = given else { return Ok(Choice::Usual) };
    if let Ok(word) = given.extract::<String>() {
        return match word.as_str() {
            "auto" => Ok(Choice::Auto),
            _ => Err(invalid(format!(
                "{name} is '{word}': give 'auto', a number or a list of numbers"
            ))),
        };
    }
    if let Ok(value) = given.extract::<f64>() {
        return Ok(Choice::Value(value));
    }
    let values: Vec<f64> = given.extract()?;
    if values.is_empty() {
        return Err(invalid(format!(
            "{name} is empty: give 'auto', a number or a list of numbers"
        )));
    }
    Ok(Choice::Among(values))
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
