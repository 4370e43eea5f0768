//! Classifiers other than the quadratic one: nearest neighbors, and a linear classifier with one
//! covariance for all classes.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};
use sqfa::classify::ClassifierError;
use sqfa::points::Points;
use sqfa::{Classes, Gaussians};

use crate::arrays::{PointArray, gaussians, matrix, slice, vector};
use crate::classes::classes;
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// A classifier of nearest neighbors with its training samples.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Knn {
    core: sqfa::classify::Knn,
}

#[pymethods]
impl Knn {
    /// Creates a classifier from training samples and the indices of their classes.
    #[new]
    #[pyo3(signature = (names, points, codes, neighbors, threads))]
    fn new(
        py: Python<'_>,
        names: &Bound<'_, PyList>,
        points: &Bound<'_, PyAny>,
        codes: PyReadonlyArray1<'_, u32>,
        neighbors: usize,
        threads: usize,
    ) -> Outcome<Self> {
        let classes = classes(names)?;
        let array = PointArray::borrow(points)?;
        let points = array.points()?;
        let codes = slice(&codes, "codes")?;
        let core = run(py, threads, |_| {
            Ok(sqfa::classify::Knn::new(&classes, points, codes, neighbors)?)
        })?;
        Ok(Self { core })
    }

    /// Returns the index of the class with most votes for each sample.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray1<u32>>> {
        predicted(py, points, threads, |points| self.core.predict(points))
    }

    /// Returns the fraction of votes as a samples × classes array.
    fn posteriors<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray2<f64>>> {
        let classes = self.core.classes().len();
        tabulated(py, points, threads, classes, |points| self.core.posteriors(points))
    }
}

/// A linear classifier with class means and a pooled covariance.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Linear {
    core: sqfa::classify::LdaClassifier,
}

#[pymethods]
impl Linear {
    /// Creates a classifier from class means and maximum-likelihood covariances, which are pooled
    /// with the priors as weights.
    #[new]
    #[pyo3(signature = (names, means, covariances, priors, shrinkage, threads))]
    fn new(
        py: Python<'_>,
        names: &Bound<'_, PyList>,
        means: PyReadonlyArray2<'_, f64>,
        covariances: PyReadonlyArray3<'_, f64>,
        priors: PyReadonlyArray1<'_, f64>,
        shrinkage: Option<f64>,
        threads: usize,
    ) -> Outcome<Self> {
        let (classes, gaussians) = class_gaussians(names, &means, &covariances)?;
        let priors = slice(&priors, "priors")?;
        let core = run(py, threads, |_| {
            Ok(sqfa::classify::LdaClassifier::new(&classes, &gaussians, priors, shrinkage)?)
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

/// Returns the indices of the classes that `classify` predicts for samples.
pub(crate) fn predicted<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    threads: usize,
    classify: impl FnOnce(Points<'_>) -> Result<Vec<u32>, ClassifierError> + Send,
) -> Outcome<Bound<'py, PyArray1<u32>>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    Ok(vector(py, run(py, threads, |_| Ok(classify(points)?))?))
}

/// Returns the values that `classify` computes as a samples × classes array.
pub(crate) fn tabulated<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    threads: usize,
    classes: usize,
    classify: impl FnOnce(Points<'_>) -> Result<Vec<f64>, ClassifierError> + Send,
) -> Outcome<Bound<'py, PyArray2<f64>>> {
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let values = run(py, threads, |_| Ok(classify(points)?))?;
    Ok(matrix(py, values, points.rows(), classes)?)
}

/// Returns classes with one Gaussian each.
pub(crate) fn class_gaussians(
    names: &Bound<'_, PyList>,
    means: &PyReadonlyArray2<'_, f64>,
    covariances: &PyReadonlyArray3<'_, f64>,
) -> Outcome<(Classes, Gaussians)> {
    let (classes, gaussians) = (classes(names)?, gaussians(means, covariances)?);
    if classes.len() != gaussians.len() {
        let (classes, gaussians) = (classes.len(), gaussians.len());
        return Err(invalid(format!("{classes} classes for {gaussians} Gaussians")));
    }
    Ok((classes, gaussians))
}
