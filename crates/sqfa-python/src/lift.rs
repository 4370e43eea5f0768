//! Nonlinear feature maps as dictionaries of flat arrays.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use sqfa::lift::{Lift, LiftKind, LiftParts, LiftRecipe};

use crate::arrays::{PointArray, from_features, slice, vector};
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// Fits a nonlinear feature map to samples.
#[pyfunction]
#[pyo3(signature = (points, kind, bandwidth, seed, threads))]
pub(crate) fn fit_lift<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    kind: &str,
    bandwidth: Option<f64>,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let recipe = LiftRecipe { kind: kind.parse::<LiftKind>()?, bandwidth, seed };
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let lift = run(py, threads, |_| Ok(recipe.fit(points)?))?;
    Ok(to_dict(py, &lift)?)
}

/// Applies a nonlinear feature map to samples, in the precision of the samples.
#[pyfunction]
#[pyo3(signature = (points, lift, threads))]
pub(crate) fn apply_lift<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    lift: &Bound<'py, PyDict>,
    threads: usize,
) -> Outcome<Bound<'py, PyAny>> {
    let lift = from_dict(lift)?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let mapped = run(py, threads, |_| Ok(lift.apply(points)?))?;
    Ok(from_features(py, mapped, points.rows(), lift.dimension())?)
}

/// Converts a nonlinear feature map to a Python dictionary.
pub(crate) fn to_dict<'py>(py: Python<'py>, lift: &Lift) -> PyResult<Bound<'py, PyDict>> {
    let LiftParts { kind, bandwidth, offset, factors, anchors, phases, whitening } =
        lift.parts().clone();
    let dict = PyDict::new(py);
    dict.set_item("kind", kind.to_string())?;
    dict.set_item("bandwidth", bandwidth)?;
    dict.set_item("dimension", lift.dimension())?;
    dict.set_item("offset", vector(py, offset))?;
    dict.set_item("factors", vector(py, factors))?;
    dict.set_item("anchors", vector(py, anchors))?;
    dict.set_item("phases", vector(py, phases))?;
    dict.set_item("whitening", vector(py, whitening))?;
    Ok(dict)
}

/// Converts a Python dictionary to a nonlinear feature map.
pub(crate) fn from_dict(dict: &Bound<'_, PyDict>) -> Outcome<Lift> {
    let get = |key: &str| {
        let value = dict.get_item(key)?;
        value.ok_or_else(|| invalid(format!("the lift has no '{key}'")))
    };
    let numbers = |key: &str| -> Outcome<Vec<f64>> {
        let array: PyReadonlyArray1<'_, f64> = get(key)?.extract()?;
        Ok(slice(&array, key)?.to_vec())
    };
    let parts = LiftParts {
        kind: get("kind")?.extract::<String>()?.parse()?,
        bandwidth: get("bandwidth")?.extract()?,
        offset: numbers("offset")?,
        factors: numbers("factors")?,
        anchors: numbers("anchors")?,
        phases: numbers("phases")?,
        whitening: numbers("whitening")?,
    };
    Ok(Lift::from_parts(parts)?)
}
