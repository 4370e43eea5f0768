//! Settings given by Python as the core's.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use sqfa::Noise;
use sqfa::constraint::{CONSTRAINTS, Constraint};
use sqfa::distance::Pairs;
use sqfa::model::{Learning, Restarts, Start, VARIANTS};
use sqfa::optimize::{Optimizer, Stopping};
use sqfa::pipeline::Filters;
use sqfa::reduce::{Choice, LOCAL_SCALES, PcaSolver, ReducerSettings, Setting, reducer};
use sqfa::statistics::{ESTIMATORS, SCALINGS, Scaling};

use crate::arrays::{filters, slice};
use crate::errors::{Outcome, invalid};
use crate::methods::parameter;
use crate::user_distance::{FirstError, distance};

/// The most components that are chosen among unless told otherwise, as in the command.
const MOST: usize = 16;

/// A setting that every method has.
fn wanted<'py>(settings: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    let missing = || PyTypeError::new_err(format!("the setting '{key}' is missing"));
    settings.get_item(key)?.ok_or_else(missing)
}

/// How many filters: a number, or "auto" up to `max_components`.
pub(crate) fn count(settings: &Bound<'_, PyDict>) -> Outcome<Filters> {
    let wanted = wanted(settings, "n_components")?;
    if wanted.extract::<String>().is_ok() {
        let max = settings.get_item("max_components")?.map_or(Ok(MOST), |max| max.extract())?;
        return Ok(Filters::Auto { max });
    }
    Ok(Filters::Count(wanted.extract()?))
}

/// How columns are scaled, where that is given.
pub(crate) fn scaling(settings: &Bound<'_, PyDict>) -> Outcome<Option<Scaling>> {
    let Some(given) = settings.get_item("scale")? else { return Ok(None) };
    let name: String = given.extract()?;
    if name == "auto" {
        return Ok(None);
    }
    let known = SCALINGS.iter().find(|(known, _)| *known == name);
    let unknown = || {
        let known: Vec<String> = SCALINGS.iter().map(|(known, _)| format!("'{known}'")).collect();
        invalid(format!("scale is '{name}': give 'auto', {}", known.join(", ")))
    };
    Ok(Some(known.ok_or_else(unknown)?.1))
}

/// The settings that are there; those that are not, or are None, keep the core's defaults.
pub(crate) fn read(settings: &Bound<'_, PyDict>) -> Outcome<(ReducerSettings, FirstError)> {
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
    if let Some(given) = get("fixed")? {
        let components: PyReadonlyArray2<'_, f64> = given.extract()?;
        core.fixed = Some(filters(&components)?);
    }
    if let Some(count) = get("restarts")? {
        core.restarts = Restarts::Count(count.extract()?);
    }
    if let Some(size) = get("sequential")? {
        let size: usize = size.extract()?;
        core.learning = Some(if size == 0 { Learning::Joint } else { Learning::Sequential(size) });
    }
    if let Some(name) = get("optimizer")? {
        core.optimizer = name.extract::<String>()?.parse::<Optimizer>()?;
    }
    if let Some(given) = get("pairs")? {
        // A number or a word, in the command's own spelling.
        core.pairs = given.str()?.to_str()?.parse::<Pairs>()?;
    }
    if let Some(name) = get("constraint")? {
        core.constraint = Some(name.extract::<String>()?.parse::<Constraint>()?);
    }
    if let Some(weights) = get("pair_weights")? {
        let weights: PyReadonlyArray2<'_, f64> = weights.extract()?;
        core.weights = Some(slice(&weights, "pair_weights")?.to_vec());
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
    core.degrees = get("nu")?.map(|value| value.extract()).transpose()?;
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

/// `None`, `"auto"`, a number or several. Without samples, `"auto"` is the method's usual value, as in the command.
fn choice(given: Option<Bound<'_, PyAny>>, name: &str) -> Outcome<Choice> {
    let Some(given) = given else { return Ok(Choice::Usual) };
    if let Ok(word) = given.extract::<String>() {
        return match word.as_str() {
            "auto" => Ok(Choice::Usual),
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

fn noise(given: &Bound<'_, PyAny>) -> Outcome<Noise> {
    if let Ok(name) = given.extract::<String>() {
        return name.parse().map_err(invalid);
    }
    Ok(Noise::Value(given.extract()?))
}

fn start(given: &Bound<'_, PyAny>) -> Outcome<Start> {
    if let Ok(name) = given.extract::<String>() {
        let names = Start::NAMES.map(|name| format!("'{name}'")).join(", ");
        let unknown =
            || invalid(format!("init is '{name}': give {names} or an array of components"));
        return Start::named(&name).ok_or_else(unknown);
    }
    let components: PyReadonlyArray2<'_, f64> = given.extract()?;
    if components.is_empty() {
        return Err(invalid("the components given as init are empty"));
    }
    Ok(Start::Given(filters(&components)?))
}

/// Refuses a method and settings that no data could make sound.
#[pyfunction]
pub(crate) fn check_settings(method: &str, settings: &Bound<'_, PyDict>) -> Outcome<()> {
    reducer(method, &read(settings)?.0)?;
    scaling(settings)?;
    Ok(())
}

/// What there is to choose from: constraints, covariance estimators and the paper's methods.
#[pyfunction]
pub(crate) fn choices(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let choices = PyDict::new(py);
    choices.set_item("constraint", CONSTRAINTS.map(|(name, _)| name))?;
    choices.set_item("covariance", ESTIMATORS.map(|(name, _)| name))?;
    let methods =
        VARIANTS.map(|variant| (variant.name, variant.distance, variant.constraint.name()));
    choices.set_item("methods", methods)?;
    Ok(choices)
}
