//! The classifier of features that belongs to a fitted method.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyList};
use sqfa::classify::{Classifier, ClassifierKind};

use crate::arrays::{matrix, slice};
use crate::classifiers::{class_gaussians, predicted, tabulated};
use crate::errors::{Outcome, invalid};
use crate::running::run;

/// A classifier of the features of learned filters.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct FeatureClassifier {
    kind: ClassifierKind,
    core: Classifier,
}

#[pymethods]
impl FeatureClassifier {
    /// Creates a classifier from class means and maximum-likelihood covariances of features.
    #[new]
    #[pyo3(signature = (kind, names, means, covariances, counts, priors, threads))]
    fn new(
        py: Python<'_>,
        kind: &str,
        names: &Bound<'_, PyList>,
        means: PyReadonlyArray2<'_, f64>,
        covariances: PyReadonlyArray3<'_, f64>,
        counts: Option<PyReadonlyArray1<'_, u64>>,
        priors: Option<PyReadonlyArray1<'_, f64>>,
        threads: usize,
    ) -> Outcome<Self> {
        let kind: ClassifierKind = serde_json::from_value(kind.into())?;
        let (classes, gaussians) = class_gaussians(names, &means, &covariances)?;
        let counts = counts.as_ref().map(|counts| slice(counts, "counts")).transpose()?;
        if let Some(counts) = counts.filter(|counts| counts.len() != classes.len()) {
            let (given, classes) = (counts.len(), classes.len());
            return Err(invalid(format!("{given} counts for {classes} classes")));
        }
        let priors = priors.as_ref().map(|priors| slice(priors, "priors")).transpose()?;
        let core =
            run(py, threads, |_| Ok(kind.build(&classes, &gaussians, counts, priors, None)?))?;
        Ok(Self { kind, core })
    }

    /// Returns the name of the classifier in reports.
    #[getter]
    fn title(&self) -> &'static str {
        self.kind.title()
    }

    /// Returns the factor A of the inverse pooled covariance AᵀA, or `None` if the classifier is
    /// not linear.
    #[getter]
    fn whitening<'py>(&self, py: Python<'py>) -> Outcome<Option<Bound<'py, PyArray2<f64>>>> {
        let Classifier::Linear(linear) = &self.core else { return Ok(None) };
        let m = self.core.dimension();
        Ok(Some(matrix(py, linear.whitening().to_vec(), m, m)?))
    }

    /// Returns the index of the most probable class for each sample.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        features: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray1<u32>>> {
        predicted(py, features, threads, |features| self.core.predict(features))
    }

    /// Returns ln p(class | sample) as a samples × classes array.
    fn log_posteriors<'py>(
        &self,
        py: Python<'py>,
        features: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Outcome<Bound<'py, PyArray2<f64>>> {
        let classes = self.core.classes().len();
        tabulated(py, features, threads, classes, |features| self.core.log_posteriors(features))
    }
}
