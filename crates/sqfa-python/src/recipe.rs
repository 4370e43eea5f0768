//! Settings given by Python as the core's recipe.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use sqfa::constraint::{CONSTRAINTS, Constraint};
use sqfa::model::{Learning, METHODS, Restarts, Start};
use sqfa::optimize::Stopping;
use sqfa::statistics::ESTIMATORS;
use sqfa::{Noise, Sqfa};

use crate::arrays::{filters, slice};
use crate::errors::{Outcome, invalid};
use crate::user_distance::{FirstError, distance};

/// A recipe, and where a user's distance leaves its exception.
pub(crate) struct Recipe {
    pub(crate) core: Sqfa,
    pub(crate) error: FirstError,
}

impl Recipe {
    /// Reads the settings; every key must be there.
    pub(crate) fn new(settings: &Bound<'_, PyDict>) -> Outcome<Self> {
        let get = |key: &str| -> PyResult<Bound<'_, PyAny>> {
            settings
                .get_item(key)?
                .ok_or_else(|| PyTypeError::new_err(format!("the setting '{key}' is missing")))
        };
        let (distance, error) = distance(&get("distance")?)?;
        let constraint: Constraint =
            get("constraint")?.extract::<String>()?.parse::<Constraint>()?;
        let mut core = Sqfa::new(get("n_components")?.extract()?)?
            .distance(distance)
            .constraint(constraint)
            .noise(noise(&get("noise")?)?)
            .start(start(&get("init")?)?)
            .restarts(match get("restarts")?.extract::<Option<usize>>()? {
                Some(count) => Restarts::Count(count),
                None => Restarts::Auto,
            })
            .learning(match get("sequential")?.extract::<Option<usize>>()? {
                Some(size) => Learning::Sequential(size),
                None => Learning::Joint,
            })
            .seed(get("seed")?.extract()?)
            .stopping(Stopping {
                max_iterations: get("max_iter")?.extract()?,
                tolerance: get("tol")?.extract()?,
            });
        let weights = get("pair_weights")?.extract::<Option<PyReadonlyArray2<'_, f64>>>()?;
        if let Some(weights) = weights {
            core = core.weights(slice(&weights, "pair_weights")?.to_vec());
        }
        Ok(Self { core, error })
    }
}

pub(crate) fn noise(given: &Bound<'_, PyAny>) -> Outcome<Noise> {
    if let Ok(name) = given.extract::<String>() {
        return match name.as_str() {
            "scale" => Ok(Noise::Scale),
            "auto" => Ok(Noise::Auto),
            _ => Err(invalid(format!(
                "noise is '{name}': give a number of at least 0, 'scale' or 'auto'"
            ))),
        };
    }
    Ok(Noise::Value(given.extract()?))
}

pub(crate) fn start(given: &Bound<'_, PyAny>) -> Outcome<Start> {
    if let Ok(name) = given.extract::<String>() {
        return match name.as_str() {
            "random" => Ok(Start::Random),
            "pca" => Ok(Start::Pca),
            _ => Err(invalid(format!(
                "init is '{name}': give 'random', 'pca' or an array of components"
            ))),
        };
    }
    let components: PyReadonlyArray2<'_, f64> = given.extract()?;
    if components.is_empty() {
        return Err(invalid("the components given as init are empty"));
    }
    Ok(Start::Given(filters(&components)?))
}

/// Refuses settings that no data could make sound.
#[pyfunction]
pub(crate) fn check_settings(settings: &Bound<'_, PyDict>) -> Outcome<()> {
    Recipe::new(settings).map(|_| ())
}

/// What there is to choose from: constraints, covariance estimators and the paper's methods.
#[pyfunction]
pub(crate) fn choices(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let choices = PyDict::new(py);
    choices.set_item("constraint", CONSTRAINTS.map(|(name, _)| name))?;
    choices.set_item("covariance", ESTIMATORS.map(|(name, _)| name))?;
    let methods = METHODS.map(|method| (method.name, method.distance, method.constraint.name()));
    choices.set_item("methods", methods)?;
    Ok(choices)
}
