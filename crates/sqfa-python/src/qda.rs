//! The quadratic classifier.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};

use crate::arrays::slice;
use crate::classifiers::{class_gaussians, predicted, tabulated};
use crate::errors::Outcome;
use crate::running::run;

/// A quadratic classifier with one Gaussian per class.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Qda {
    core: sqfa::Qda,
}

#[pymethods]
impl Qda {
    /// Creates a classifier from class means and maximum-likelihood covariances.
    #[new]
    #[pyo3(signature = (names, means, covariances, priors, shrinkage, threads, degrees = None))]
    fn new(
        py: Python<'_>,
        names: &Bound<'_, PyList>,
        means: PyReadonlyArray2<'_, f64>,
        covariances: PyReadonlyArray3<'_, f64>,
        priors: PyReadonlyArray1<'_, f64>,
        shrinkage: Option<f64>,
        threads: usize,
        degrees: Option<f64>,
    ) -> Outcome<Self> {
        let (classes, gaussians) = class_gaussians(names, &means, &covariances)?;
        let priors = slice(&priors, "priors")?;
        let core = run(py, threads, |_| {
            let qda = sqfa::Qda::new(&classes, &gaussians, priors, shrinkage)?;
            Ok(match degrees {
                Some(degrees) => qda.heavy_tailed(degrees)?,
                None => qda,
            })
        })?;
        Ok(Self { core })
    }

    /// Returns the index of the most probable class for each sample.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray1<u32>>> {
        predicted(py, points, threads, |points| self.core.predict(points))
    }

    /// Returns ln p(class | sample) as a samples × classes array.
    fn log_posteriors<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray2<f64>>> {
        let classes = self.core.classes().len();
        tabulated(py, points, threads, classes, |points| self.core.log_posteriors(points))
    }
}
