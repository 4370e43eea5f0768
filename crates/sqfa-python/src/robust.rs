//! Robust statistics and the cleaning of recordings.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sqfa::robust::{Cleaning, McdEstimate, McdOptions, Removed};

use crate::arrays::{PointArray, matrix, slice, vector};
use crate::classes::classes;
use crate::errors::Outcome;
use crate::running::run;

/// Computes the minimum covariance determinant of samples.
#[pyfunction]
pub(crate) fn robust_covariance<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    support: f64,
    starts: usize,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let options = McdOptions { support, starts, seed };
    let found = run(py, threads, |_| Ok(sqfa::robust::mcd(points, &options)?))?;
    let result = PyDict::new(py);
    result.set_item("raw", estimate(py, found.raw)?)?;
    result.set_item("reweighted", estimate(py, found.reweighted)?)?;
    result.set_item("consistency", found.consistency)?;
    Ok(result)
}

/// Cleans trials × neurons. Returns the parts that are kept and those that are removed.
#[pyfunction]
pub(crate) fn clean<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    names: &Bound<'py, PyList>,
    codes: PyReadonlyArray1<'py, u32>,
    window: Option<f64>,
    rate: f64,
    components: usize,
    support: f64,
    deviations: f64,
    outlying: f64,
    unstable: usize,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let names: Vec<String> = classes(names)?.iter().map(|label| label.to_string()).collect();
    let codes = slice(&codes, "codes")?;
    let mcd = McdOptions { support, seed, ..McdOptions::default() };
    let cleaning = Cleaning { window, rate, components, mcd, deviations, outlying, unstable };
    let found = run(py, threads, |_| Ok(sqfa::robust::clean(points, codes, &names, &cleaning)?))?;
    let result = PyDict::new(py);
    result.set_item("trials", positions(py, &found.trials))?;
    result.set_item("neurons", positions(py, &found.neurons))?;
    for (name, removed) in
        [("quiet", &found.quiet), ("outlying", &found.outlying), ("unstable", &found.unstable)]
    {
        result.set_item(name, pairs(removed))?;
    }
    result.set_item("limit", found.limit)?;
    result.set_item("counts", found.counts)?;
    Ok(result)
}

fn estimate<'py>(py: Python<'py>, found: McdEstimate) -> Outcome<Bound<'py, PyDict>> {
    let order = found.location.len();
    let result = PyDict::new(py);
    result.set_item("location", vector(py, found.location))?;
    result.set_item("covariance", matrix(py, found.scatter, order, order)?)?;
    result.set_item("support", vector(py, found.support))?;
    result.set_item("distances", vector(py, found.distances))?;
    result.set_item("log_determinant", found.log_determinant)?;
    Ok(result)
}

fn positions<'py>(py: Python<'py>, values: &[usize]) -> Bound<'py, PyArray1<i64>> {
    vector(py, values.iter().map(|&value| value as i64).collect())
}

fn pairs(removed: &[Removed]) -> Vec<(usize, f64)> {
    removed.iter().map(|one| (one.index, one.value)).collect()
}
