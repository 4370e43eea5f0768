//! Class statistics of sparse SciPy arrays, without conversion to dense arrays.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};
use sqfa::statistics::{Csr, Form, Precision};
use sqfa::{ClassStatistics, Estimator};

use crate::arrays::slice;
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::running::run;
use crate::statistics::Statistics;

/// Whether class statistics of a sparse array need less memory if they store its samples instead of
/// covariance entries.
#[pyfunction]
pub(crate) fn keeps_sparse(
    entries: u64,
    rows: u64,
    columns: usize,
    classes: usize,
    width: usize,
) -> bool {
    Form::decide_sparse(entries, rows, columns, classes, width) == Form::Factor
}

/// Computes the class statistics of an array in SciPy's CSR format: row pointers, column indices
/// and values.
#[pyfunction]
#[pyo3(signature = (columns, starts, indices, values, names, codes, estimator, threads))]
pub(crate) fn sparse_statistics(
    py: Python<'_>,
    columns: usize,
    starts: PyReadonlyArray1<'_, u64>,
    indices: PyReadonlyArray1<'_, u32>,
    values: &Bound<'_, PyAny>,
    names: &Bound<'_, PyList>,
    codes: PyReadonlyArray1<'_, u32>,
    estimator: &str,
    threads: usize,
) -> Outcome<Statistics> {
    let estimator = estimator.parse::<Estimator>()?;
    let labels = labels(&classes(names)?, &codes)?;
    let starts = slice(&starts, "indptr")?.iter().map(|&start| usize::try_from(start));
    let starts: Vec<usize> =
        starts.collect::<Result<_, _>>().map_err(|_| invalid("indptr does not fit memory"))?;
    let indices = slice(&indices, "indices")?.to_vec();
    macro_rules! statistics {
        ($type:ty) => {
            if let Ok(values) = values.cast::<PyArray1<$type>>() {
                let values = values.try_readonly().map_err(PyErr::from)?;
                let values = slice(&values, "data")?.to_vec();
                return Ok(run(py, threads, |_| {
                    let core = made(columns, starts, indices, values, &labels, estimator)?;
                    Ok(Statistics { core })
                })?);
            }
        };
    }
    statistics!(f32);
    statistics!(f64);
    Err(PyTypeError::new_err("the entries must be float64 or float32").into())
}

fn made<T: Precision>(
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    labels: &sqfa::Labels,
    estimator: Estimator,
) -> Outcome<ClassStatistics> {
    let table = Csr::new(columns, starts, indices, values)?;
    Ok(ClassStatistics::from_sparse(&table, labels, estimator)?)
}
