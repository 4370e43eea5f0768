//! Generated data sets, and the file format of MNIST.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use sqfa::transform::Features;
use sqfa::{Classes, Points};
use sqfa_io::data::{GivenMoments, LabeledData, Part};
use sqfa_io::datasets::neural::Neural;
use sqfa_io::datasets::scaling::SyntheticFamily;
use sqfa_io::datasets::speed::Speed;
use sqfa_io::datasets::toy::Toy;
use sqfa_io::formats::{Limits, Stack, Values, read_idx};

use crate::arrays::{from_features, matrix, stack, vector};
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// Generates videos of moving textures, labeled by the speed in tenths of a degree per second.
#[pyfunction]
#[pyo3(signature = (tenths, train, test, seed, threads))]
pub(crate) fn make_speed<'py>(
    py: Python<'py>,
    tenths: Option<Vec<i64>>,
    train: usize,
    test: usize,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let defaults = Speed::default();
    let recipe = Speed {
        tenths: tenths.unwrap_or_else(|| defaults.tenths.clone()),
        train_per_class: train,
        test_per_class: test,
        seed,
        ..defaults
    };
    let data = run(py, threads, |_| Ok(recipe.generate()?))?;
    labeled(py, data)
}

/// Generates spike counts of one simulated session, labeled by the orientation in tenths of a
/// degree.
#[pyfunction]
#[pyo3(signature = (session, trials, seed, threads))]
pub(crate) fn make_neural<'py>(
    py: Python<'py>,
    session: usize,
    trials: usize,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let recipe = Neural { trials, seed, ..Neural::default() };
    let data = run(py, threads, |_| Ok(recipe.session(session)?))?;
    labeled(py, data)
}

/// Generates a toy problem with known statistics.
#[pyfunction]
#[pyo3(signature = (name, train, test, seed, threads))]
pub(crate) fn make_toy<'py>(
    py: Python<'py>,
    name: &str,
    train: usize,
    test: usize,
    seed: u64,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let toy = Toy::from_name(name).ok_or_else(|| {
        let names = Toy::ALL.map(Toy::name).join(", ");
        invalid(format!("unknown toy problem '{name}': choose one of {names}"))
    })?;
    let statistics = toy.statistics();
    let data = run(py, threads, |_| Ok(toy.sample(train, test, seed)))?;
    let result = labeled(py, data)?;
    let GivenMoments::Central { means, covariances: Stack::F64(covariances) } = statistics.moments
    else {
        return Err(invalid("this problem has no exact statistics"));
    };
    let (c, n) = (covariances.len(), statistics.dimensions);
    result.set_item("means", matrix(py, means, c, n)?)?;
    result.set_item("covariances", stack(py, covariances.concat(), [c, n, n])?)?;
    Ok(result)
}

/// Generates the exact statistics of the five classes of a problem of the scaling family.
#[pyfunction]
#[pyo3(signature = (dimensions, informative, spread, a, b, seed, single, threads))]
pub(crate) fn make_scaling<'py>(
    py: Python<'py>,
    dimensions: usize,
    informative: usize,
    spread: f64,
    a: f64,
    b: f64,
    seed: u64,
    single: bool,
    threads: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let recipe = SyntheticFamily { dimensions, informative, spread, a, b, seed };
    let (basis, statistics) = run(py, threads, |_| {
        let problem = recipe.generate()?;
        let statistics = problem.statistics(single);
        Ok((problem.basis, statistics))
    })?;
    let GivenMoments::Central { means, covariances } = statistics.moments else {
        return Err(invalid("this problem has no exact statistics"));
    };
    let (c, n) = (covariances.len(), dimensions);
    let result = PyDict::new(py);
    result.set_item("means", matrix(py, means, c, n)?)?;
    let covariances = match covariances {
        Stack::F32(parts) => stack(py, parts.concat(), [c, n, n])?.into_any(),
        Stack::F64(parts) => stack(py, parts.concat(), [c, n, n])?.into_any(),
    };
    result.set_item("covariances", covariances)?;
    result.set_item("basis", matrix(py, basis, informative, n)?)?;
    Ok(result)
}

/// Reads an array from a file in the format of MNIST, with or without compression.
#[pyfunction]
pub(crate) fn load_idx(py: Python<'_>, path: PathBuf) -> Outcome<Bound<'_, PyAny>> {
    let (shape, values) =
        py.detach(|| read_idx(&path, Limits::default())).map(|array| array.into_parts())?;
    let flat = match values {
        Values::U8(values) => vector(py, values).into_any(),
        Values::F32(values) => vector(py, values).into_any(),
        Values::F64(values) => vector(py, values).into_any(),
        Values::I64(values) => vector(py, values).into_any(),
        Values::Text(_) => return Err(invalid("an IDX file cannot hold text")),
    };
    Ok(flat.call_method1("reshape", (shape,))?)
}

fn labeled<'py>(py: Python<'py>, data: LabeledData) -> Outcome<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    put(&result, "data", "target", &data.train)?;
    if let Some(test) = &data.test {
        put(&result, "data_test", "target_test", test)?;
    }
    result.set_item("image_shape", data.image_shape)?;
    Ok(result)
}

fn put(result: &Bound<'_, PyDict>, points: &str, labels: &str, part: &Part) -> Outcome<()> {
    let py = result.py();
    let (rows, columns) = (part.points.rows(), part.points.columns());
    let features = match part.points.view() {
        Points::F32(table) => Features::F32(flat(rows, columns, |i, j| table.get(i, j))),
        Points::F64(table) => Features::F64(flat(rows, columns, |i, j| table.get(i, j))),
        Points::U8(_) => return Err(invalid("made data are never bytes")),
    };
    result.set_item(points, from_features(py, features, rows, columns)?)?;
    let Classes::Integers(names) = part.labels.classes() else {
        return Err(invalid("made data have whole numbers for labels"));
    };
    let target: Vec<i64> = part.labels.codes().iter().map(|&code| names[code as usize]).collect();
    Ok(result.set_item(labels, vector(py, target))?)
}

fn flat<T>(rows: usize, columns: usize, get: impl Fn(usize, usize) -> T + Copy) -> Vec<T> {
    (0..rows).flat_map(|i| (0..columns).map(move |j| get(i, j))).collect()
}
