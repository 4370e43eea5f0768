//! A distance written in Python: a callable that returns a value and four derivatives.
//!
//! It is called for one pair at a time while the interpreter is held. The first exception that it
//! raises ends the fit and is raised again unchanged.

use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyAny;
use sqfa::Distance;
use sqfa::distance::{Dissimilarity, PairGradient};
use sqfa::features::Gaussian;

use crate::errors::{Failure, Outcome};

/// The first exception of a user-defined distance.
#[derive(Clone, Default)]
pub(crate) struct FirstError(Arc<Mutex<Option<PyErr>>>);

impl FirstError {
    fn keep(&self, error: PyErr) {
        if let Ok(mut kept) = self.0.lock() {
            kept.get_or_insert(error);
        }
    }

    /// Whether an exception was raised.
    pub(crate) fn is_set(&self) -> bool {
        self.0.lock().is_ok_and(|kept| kept.is_some())
    }

    /// Returns the exception if there was one, otherwise the outcome.
    pub(crate) fn or<T>(&self, outcome: Outcome<T>) -> Outcome<T> {
        match self.0.lock().ok().and_then(|mut kept| kept.take()) {
            Some(error) => Err(Failure(error)),
            None => outcome,
        }
    }
}

/// Returns a distance from its name or a callable.
pub(crate) fn distance(given: &Bound<'_, PyAny>) -> Outcome<(Distance, FirstError)> {
    let error = FirstError::default();
    if let Ok(name) = given.extract::<String>() {
        return Ok((Distance::named(&name)?, error));
    }
    if !given.is_callable() {
        let kind = given.get_type().name()?;
        let message = format!("distance must be a name or a callable, not {kind}");
        return Err(PyTypeError::new_err(message).into());
    }
    let name = given.getattr("__name__").and_then(|name| name.extract::<String>());
    let user = UserDistance {
        name: name.unwrap_or_else(|_| "a callable".to_owned()),
        callable: given.clone().unbind(),
        error: error.clone(),
    };
    Ok((Distance::custom(user), error))
}

struct UserDistance {
    name: String,
    callable: Py<PyAny>,
    error: FirstError,
}

impl Dissimilarity for UserDistance {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn evaluate(
        &self,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> f64 {
        if self.error.is_set() {
            return f64::NAN;
        }
        Python::attach(|py| self.call(py, p, q, gradient)).unwrap_or_else(|error| {
            self.error.keep(error);
            f64::NAN
        })
    }
}

impl UserDistance {
    fn call(
        &self,
        py: Python<'_>,
        p: Gaussian<'_>,
        q: Gaussian<'_>,
        gradient: Option<&mut PairGradient>,
    ) -> PyResult<f64> {
        let m = p.order;
        let mean = |values: &[f64]| values.to_vec().into_pyarray(py);
        let square = |values: &[f64]| values.to_vec().into_pyarray(py).reshape([m, m]);
        let arguments = (mean(p.mean), square(p.covariance)?, mean(q.mean), square(q.covariance)?);
        let result = self.callable.bind(py).call1(arguments)?;
        let (value, slopes) = result
            .extract::<(f64, Bound<'_, PyAny>)>()
            .map_err(|error| self.malformed(py, error))?;
        let Some(gradient) = gradient else { return Ok(value) };
        let slopes = slopes.extract::<[Bound<'_, PyAny>; 4]>();
        let [mean_p, cov_p, mean_q, cov_q] = slopes.map_err(|error| self.malformed(py, error))?;
        self.copy(&mean_p, &[m], &mut gradient.mean_a)?;
        self.copy(&cov_p, &[m, m], &mut gradient.cov_a)?;
        self.copy(&mean_q, &[m], &mut gradient.mean_b)?;
        self.copy(&cov_q, &[m, m], &mut gradient.cov_b)?;
        symmetrize(&mut gradient.cov_a, m);
        symmetrize(&mut gradient.cov_b, m);
        Ok(value)
    }

    fn malformed(&self, py: Python<'_>, cause: PyErr) -> PyErr {
        let error = PyTypeError::new_err(format!(
            "distance '{}' must return (value, (d_mean_p, d_cov_p, d_mean_q, d_cov_q))",
            self.name
        ));
        error.set_cause(py, Some(cause));
        error
    }

    fn copy(&self, given: &Bound<'_, PyAny>, shape: &[usize], target: &mut [f64]) -> PyResult<()> {
        let numpy = given.py().import("numpy")?;
        let array = numpy.call_method1("ascontiguousarray", (given, "float64"))?;
        let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
        if array.shape() != shape {
            return Err(PyValueError::new_err(format!(
                "distance '{}' returned a derivative of shape {:?} where {shape:?} is needed",
                self.name,
                array.shape()
            )));
        }
        target.copy_from_slice(array.as_slice()?);
        Ok(())
    }
}

/// Only the symmetric part of a derivative with respect to a symmetric matrix is relevant.
fn symmetrize(matrix: &mut [f64], m: usize) {
    for i in 0..m {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * m + j] + matrix[j * m + i]);
            matrix[i * m + j] = mean;
            matrix[j * m + i] = mean;
        }
    }
}
