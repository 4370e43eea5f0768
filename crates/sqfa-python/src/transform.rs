//! Transformation of samples to features.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::arrays::{PointArray, filters, from_features, slice};
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// Returns the features of samples, one row per sample, in the precision of the samples.
#[pyfunction]
#[pyo3(signature = (points, components, offset, threads))]
pub(crate) fn transform<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    components: PyReadonlyArray2<'py, f64>,
    offset: Option<PyReadonlyArray1<'py, f64>>,
    threads: usize,
) -> Outcome<Bound<'py, PyAny>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let filters = filters(&components)?;
    let offset = offset.as_ref().map(|offset| slice(offset, "offset")).transpose()?;
    if filters.nrows() != points.columns() || offset.is_some_and(|o| o.len() != filters.ncols()) {
        return Err(invalid(format!(
            "points have {} dimensions, the components {}",
            points.columns(),
            filters.nrows()
        )));
    }
    let features = run(py, threads, |_| Ok(sqfa::transform(points, filters.as_ref(), offset)))?;
    Ok(from_features(py, features, points.rows(), filters.ncols())?)
}
