//! Distances between Gaussians.

use numpy::{PyArray2, PyArray3, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyAny;
use sqfa::distance::{
    Parameter, mean_distance, pairwise_between, registry, sound_weights, weighted_mean_distance,
};

use crate::arrays::{from_mat, gaussians, matrix, slice, stack};
use crate::errors::{Outcome, invalid};
use crate::running::run;
use crate::user_distance::distance;

/// Returns every distance with its name, its summary and the kind of its parameter (`""`,
/// `"moments"`, `"exponent"` or `"degrees"`).
#[pyfunction]
pub(crate) fn distance_names() -> Vec<(&'static str, &'static str, &'static str)> {
    let kind = |parameter| match parameter {
        Parameter::Moments => "moments",
        Parameter::Exponent => "exponent",
        Parameter::Degrees => "degrees",
        _ => "",
    };
    registry().iter().map(|entry| (entry.name, entry.summary, kind(entry.parameter))).collect()
}

/// Returns the distances between the Gaussians of the first set (rows) and those of the second
/// (columns).
#[pyfunction]
#[pyo3(signature = (given, means_a, covariances_a, means_b, covariances_b, threads))]
pub(crate) fn pairwise<'py>(
    py: Python<'py>,
    given: &Bound<'py, PyAny>,
    means_a: PyReadonlyArray2<'py, f64>,
    covariances_a: PyReadonlyArray3<'py, f64>,
    means_b: PyReadonlyArray2<'py, f64>,
    covariances_b: PyReadonlyArray3<'py, f64>,
    threads: usize,
) -> Outcome<Bound<'py, PyArray2<f64>>> {
    let (distance, error) = distance(given)?;
    let first = gaussians(&means_a, &covariances_a)?;
    let second = gaussians(&means_b, &covariances_b)?;
    if first.order() != second.order() {
        return Err(invalid(format!(
            "the sets have {} and {} dimensions; both must have the same",
            first.order(),
            second.order()
        )));
    }
    let matrix = run(py, threads, |_| {
        error.or(pairwise_between(&distance, &first, &second).map_err(Into::into))
    })?;
    Ok(from_mat(py, matrix.as_ref())?)
}

/// A value with its derivatives with respect to means and covariances.
type ValueAndSlopes<'py> = (f64, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>);

/// Returns the mean distance over pairs of a set, with its derivatives with respect to means and
/// covariances.
#[pyfunction]
#[pyo3(signature = (given, means, covariances, weights, threads))]
pub(crate) fn value_and_gradient<'py>(
    py: Python<'py>,
    given: &Bound<'py, PyAny>,
    means: PyReadonlyArray2<'py, f64>,
    covariances: PyReadonlyArray3<'py, f64>,
    weights: Option<PyReadonlyArray2<'py, f64>>,
    threads: usize,
) -> Outcome<ValueAndSlopes<'py>> {
    let (distance, error) = distance(given)?;
    let set = gaussians(&means, &covariances)?;
    let (count, order) = (set.len(), set.order());
    if count < 2 {
        return Err(invalid(format!("{count} Gaussians have no pair: give at least 2")));
    }
    let weights =
        weights.map(|weights| slice(&weights, "weights").map(<[f64]>::to_vec)).transpose()?;
    if weights.as_ref().is_some_and(|weights| !sound_weights(weights, count)) {
        return Err(invalid(format!(
            "weights must be a symmetric {count} × {count} matrix of non-negative numbers, not all 0"
        )));
    }
    let found = run(py, threads, |_| {
        let found = match &weights {
            Some(weights) => weighted_mean_distance(&distance, &set, weights),
            None => mean_distance(&distance, &set),
        };
        error.or(found.map_err(Into::into))
    })?;
    let slopes = matrix(py, found.mean_slopes, count, order)?;
    Ok((found.value, slopes, stack(py, found.cov_slopes, [count, order, order])?))
}
