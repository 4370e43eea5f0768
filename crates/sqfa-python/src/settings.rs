//! Conversion of settings from Python to the core.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyString};
use sqfa::model::{FitError, Start};
use sqfa::pipeline::Filters;
use sqfa::reduce::{BadValue, Kind, Method, ROWS, ReduceError, ReducerSettings, Row};
use sqfa::statistics::{ESTIMATORS, SCALINGS, Scaling};

use crate::arrays::{filters, slice};
use crate::errors::{Outcome, invalid};
use crate::user_distance::{FirstError, distance};

/// The largest number of components that is tried by default, as in the command.
const MOST: usize = 16;

/// Returns a setting that every method has.
fn wanted<'py>(settings: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    let missing = || PyTypeError::new_err(format!("the setting '{key}' is missing"));
    settings.get_item(key)?.ok_or_else(missing)
}

/// Returns the number of filters: a number, or "auto" up to `max_components`.
pub(crate) fn count(settings: &Bound<'_, PyDict>) -> Outcome<Filters> {
    let wanted = wanted(settings, "n_components")?;
    if wanted.extract::<String>().is_ok() {
        let max = settings.get_item("max_components")?.map_or(Ok(MOST), |max| max.extract())?;
        return Ok(Filters::Auto { max });
    }
    Ok(Filters::Count(wanted.extract()?))
}

/// Returns the scaling, or `None` if it is not specified.
pub(crate) fn scaling(settings: &Bound<'_, PyDict>) -> Outcome<Option<Scaling>> {
    let Some(given) = settings.get_item("scaling")? else { return Ok(None) };
    let name: String = given.extract()?;
    if name == "auto" {
        return Ok(None);
    }
    let known = SCALINGS.iter().find(|(known, _)| *known == name);
    let unknown = || {
        let known: Vec<String> = SCALINGS.iter().map(|(known, _)| format!("'{known}'")).collect();
        invalid(format!("scaling is '{name}': give 'auto', {}", known.join(", ")))
    };
    Ok(Some(known.ok_or_else(unknown)?.1))
}

/// Reads the specified settings. The others keep the defaults of the core.
///
/// Numbers and names are text in the notation of the command. Other values are read by [`objects`].
pub(crate) fn read(settings: &Bound<'_, PyDict>) -> Outcome<(ReducerSettings, FirstError)> {
    let mut core = ReducerSettings::default();
    if let Some(seed) = settings.get_item("seed")? {
        core.seed = seed.extract()?;
    }
    for row in ROWS {
        if let Some(text) = text(settings, row)? {
            let named = |error: BadValue| invalid(format!("{}: {error}", row.parameter));
            (row.read)(&mut core, &text).map_err(named)?;
        }
    }
    let error = objects(settings, &mut core)?;
    Ok((core, error))
}

/// Returns the text of a setting, or `None` if it was not specified as text.
fn text(settings: &Bound<'_, PyDict>, row: &Row) -> PyResult<Option<String>> {
    let given = settings.get_item(row.parameter)?;
    Ok(given.and_then(|given| given.extract().ok()))
}

/// Reads settings that are not text: arrays of initial and fixed filters, weights of pairs, and a
/// distance written in Python.
fn objects(settings: &Bound<'_, PyDict>, core: &mut ReducerSettings) -> Outcome<FirstError> {
    let get = |key: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        let given = settings.get_item(key)?;
        Ok(given.filter(|given| !given.is_none() && !given.is_instance_of::<PyString>()))
    };
    if let Some(given) = get("init")? {
        let components: PyReadonlyArray2<'_, f64> = given.extract()?;
        if components.is_empty() {
            return Err(invalid("the components given as init are empty"));
        }
        core.start = Start::Given(filters(&components)?);
    }
    if let Some(given) = get("fixed")? {
        let components: PyReadonlyArray2<'_, f64> = given.extract()?;
        core.fixed = Some(filters(&components)?);
    }
    if let Some(given) = get("pair_weights")? {
        let weights: PyReadonlyArray2<'_, f64> = given.extract()?;
        core.weights = Some(slice(&weights, "pair_weights")?.to_vec());
    }
    let Some(given) = get("distance")? else { return Ok(FirstError::default()) };
    let (own, error) = distance(&given)?;
    core.distance = Some(own);
    Ok(error)
}

/// Rejects methods and settings that are invalid for any data.
#[pyfunction]
pub(crate) fn check_settings(method: &str, settings: &Bound<'_, PyDict>) -> Outcome<()> {
    let method: Method = method.parse().map_err(ReduceError::from)?;
    let (core, _) = read(settings)?;
    if core.fixed.is_some() && method.refined {
        return Err(ReduceError::from(FitError::FixedRefined).into());
    }
    if let Some(Err(FitError::NotOfSecondMoments { distance, accepted, .. })) =
        core.distance.as_ref().map(|own| method.entry.check_distance(own))
    {
        return Err(invalid(format!(
            "SecondMomentSQFA compares second moments, and the distance '{distance}' does not depend on them alone: use '{}', \
             or SQFA, which accepts every distance",
            accepted.join("', '")
        )));
    }
    scaling(settings)?;
    Ok(())
}

/// Returns the names that each parameter accepts, for all parameters whose values are names.
#[pyfunction]
pub(crate) fn choices(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let choices = PyDict::new(py);
    for row in ROWS {
        if let Kind::Name(names) = row.kind {
            let names: Vec<String> = names().into_iter().map(|(name, _)| name).collect();
            choices.set_item(row.parameter, names)?;
        }
    }
    choices.set_item("covariance_estimator", ESTIMATORS.map(|(name, _)| name))?;
    choices.set_item("scaling", SCALINGS.map(|(name, _)| name))?;
    Ok(choices)
}
