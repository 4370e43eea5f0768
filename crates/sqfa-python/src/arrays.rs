//! Conversion between NumPy arrays and tables of the core. Arrays in C or Fortran order are
//! borrowed without a copy.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyAny;
use sqfa::transform::Features;
use sqfa::{Mat, MatRef, Points, Table};

use crate::errors::{Outcome, invalid};

/// A borrowed array of samples in one of the numeric types of the core.
pub(crate) enum PointArray<'py> {
    U8(PyReadonlyArray2<'py, u8>),
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
}

impl<'py> PointArray<'py> {
    /// Borrows a two-dimensional array of bytes or of numbers in single or double precision.
    pub(crate) fn borrow(array: &Bound<'py, PyAny>) -> Outcome<Self> {
        if let Ok(array) = array.cast::<PyArray2<f32>>() {
            return Ok(Self::F32(array.try_readonly().map_err(PyErr::from)?));
        }
        if let Ok(array) = array.cast::<PyArray2<f64>>() {
            return Ok(Self::F64(array.try_readonly().map_err(PyErr::from)?));
        }
        if let Ok(array) = array.cast::<PyArray2<u8>>() {
            return Ok(Self::U8(array.try_readonly().map_err(PyErr::from)?));
        }
        Err(PyTypeError::new_err(
            "points must be a two-dimensional array of float64, float32 or uint8",
        )
        .into())
    }

    /// Returns the samples as a table of the core.
    pub(crate) fn points(&self) -> Outcome<Points<'_>> {
        Ok(match self {
            Self::U8(array) => table(array)?.into(),
            Self::F32(array) => table(array)?.into(),
            Self::F64(array) => table(array)?.into(),
        })
    }
}

fn table<'a, T: Element + Copy>(array: &'a PyReadonlyArray2<'_, T>) -> Outcome<Table<'a, T>> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    if columns == 0 {
        return Err(invalid("the points have 0 dimensions: at least 1 is needed"));
    }
    let values =
        array.as_slice().map_err(|_| invalid("points must be contiguous: copy the array first"))?;
    let table = if array.is_c_contiguous() {
        Table::row_major(values, rows, columns)
    } else {
        Table::column_major(values, rows, columns)
    };
    table.ok_or_else(|| invalid("the array's size does not fit its shape"))
}

/// Returns the elements of a C-contiguous array with any number of dimensions.
pub(crate) fn slice<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a numpy::PyReadonlyArray<'_, T, D>,
    what: &str,
) -> Outcome<&'a [T]> {
    if !array.is_c_contiguous() {
        return Err(invalid(format!("{what} must be a C-contiguous array")));
    }
    array.as_slice().map_err(|_| invalid(format!("{what} must be a contiguous array")))
}

/// Converts components, one per row, to filters of the core, one per column.
pub(crate) fn filters(components: &PyReadonlyArray2<'_, f64>) -> Outcome<Mat<f64>> {
    let (m, n) = (components.shape()[0], components.shape()[1]);
    let values = slice(components, "components")?;
    Ok(Mat::from_fn(n, m, |i, j| values[j * n + i]))
}

/// Returns Gaussians from means (k × m) and covariances (k × m × m).
pub(crate) fn gaussians(
    means: &PyReadonlyArray2<'_, f64>,
    covariances: &PyReadonlyArray3<'_, f64>,
) -> Outcome<sqfa::Gaussians> {
    let (count, order) = (means.shape()[0], means.shape()[1]);
    if covariances.shape() != [count, order, order] {
        return Err(invalid(format!(
            "means of shape ({count}, {order}) need covariances of shape ({count}, {order}, {order}), not {:?}",
            covariances.shape()
        )));
    }
    let means = slice(means, "means")?.to_vec();
    Ok(sqfa::Gaussians::new(order, means, slice(covariances, "covariances")?.to_vec())?)
}

/// Returns a one-dimensional array.
pub(crate) fn vector<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// Returns a two-dimensional array from values in row-major order.
pub(crate) fn matrix<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    values.into_pyarray(py).reshape([rows, columns])
}

/// Returns a three-dimensional array.
pub(crate) fn stack<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: [usize; 3],
) -> PyResult<Bound<'py, PyArray3<T>>> {
    values.into_pyarray(py).reshape(shape)
}

/// Converts a matrix of the core to an array.
pub(crate) fn from_mat<'py>(
    py: Python<'py>,
    mat: MatRef<'_, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (mat.nrows(), mat.ncols());
    let values = (0..rows).flat_map(|i| (0..columns).map(move |j| mat[(i, j)])).collect();
    matrix(py, values, rows, columns)
}

/// Converts a matrix of the core to a transposed array: filters, one per column, become components,
/// one per row.
pub(crate) fn from_mat_transposed<'py>(
    py: Python<'py>,
    mat: MatRef<'_, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    from_mat(py, mat.transpose())
}

/// Converts features to an array in the same precision.
pub(crate) fn from_features<'py>(
    py: Python<'py>,
    features: Features,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match features {
        Features::F32(values) => matrix(py, values, rows, columns)?.into_any(),
        Features::F64(values) => matrix(py, values, rows, columns)?.into_any(),
    })
}
