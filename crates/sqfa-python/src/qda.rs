//! The quadratic classifier.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};

use crate::arrays::{PointArray, gaussians, matrix, slice, vector};
use crate::classes::classes;
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// One Gaussian per class, ready to classify points.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Qda {
    core: sqfa::Qda,
}

#[pymethods]
impl Qda {
    /// A classifier from class means and maximum-likelihood covariances.
    #[new]
    #[pyo3(signature = (names, means, covariances, priors, shrinkage, threads, degrees = None))]
    fn new(
        py: Python<'_>,
        names: &Bound<'_, PyList>,
        means: PyReadonlyArray2<'_, f64>,
        covariances: PyReadonlyArray3<'_, f64>,
        priors: PyReadonlyArray1<'_, f64>,
        shrinkage: f64,
        threads: usize,
        degrees: Option<f64>,
    ) -> Outcome<Self> {
        let classes = classes(names)?;
        let gaussians = gaussians(&means, &covariances)?;
        let priors = slice(&priors, "priors")?;
        if classes.len() != gaussians.len() {
            return Err(invalid(format!(
                "{} classes for {} Gaussians",
                classes.len(),
                gaussians.len()
            )));
        }
        let core = run(py, threads, |_| {
            let qda = sqfa::Qda::new(&classes, &gaussians, priors, shrinkage)?;
            Ok(match degrees {
                Some(degrees) => qda.heavy_tailed(degrees)?,
                None => qda,
            })
        })?;
        Ok(Self { core })
    }

    /// For every point, the position of its most probable class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray1<u32>>> {
        let array = PointArray::borrow(points)?;
        let points = array.points()?;
        Ok(vector(py, run(py, threads, |_| Ok(self.core.predict(points)?))?))
    }

    /// ln p(class | point), points × classes.
    fn log_posteriors<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray2<f64>>> {
        let array = PointArray::borrow(points)?;
        let points = array.points()?;
        let values = run(py, threads, |_| Ok(self.core.log_posteriors(points)?))?;
        Ok(matrix(py, values, points.rows(), self.core.classes().len())?)
    }
}
