//! The exact Fisher–Rao distance between two Gaussians, and geodesics.

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyType;
use sqfa::features::Gaussian;
use sqfa::fisher_rao::{Certainty, FisherRaoOptions, GaussianPoint, Velocity};

use crate::arrays::{matrix, slice, vector};
use crate::errors::{Outcome, invalid};

type MeanAndCovariance<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>);

/// Returns a Gaussian from a mean and a covariance.
fn gaussian<'a>(
    mean: &'a PyReadonlyArray1<'_, f64>,
    covariance: &'a PyReadonlyArray2<'_, f64>,
    which: &str,
) -> Outcome<Gaussian<'a>> {
    let order = mean.shape()[0];
    if order == 0 || covariance.shape() != [order, order] {
        return Err(invalid(format!(
            "{which} has {order} numbers in its mean and a covariance of shape {:?}",
            covariance.shape()
        )));
    }
    let covariance = slice(covariance, "covariance")?;
    Ok(Gaussian { order, mean: slice(mean, "mean")?, covariance })
}

fn returned(py: Python<'_>, point: GaussianPoint) -> PyResult<MeanAndCovariance<'_>> {
    let order = point.mean.len();
    Ok((vector(py, point.mean), matrix(py, point.covariance, order, order)?))
}

/// Returns the distance, its lower and upper bound, the residual, the number of evaluations, and
/// whether the distance is exact.
#[pyfunction]
#[pyo3(signature = (mean_a, covariance_a, mean_b, covariance_b, tolerance, bounds))]
pub(crate) fn fisher_rao(
    py: Python<'_>,
    mean_a: PyReadonlyArray1<'_, f64>,
    covariance_a: PyReadonlyArray2<'_, f64>,
    mean_b: PyReadonlyArray1<'_, f64>,
    covariance_b: PyReadonlyArray2<'_, f64>,
    tolerance: f64,
    bounds: bool,
) -> Outcome<(f64, f64, f64, f64, usize, bool)> {
    let p = gaussian(&mean_a, &covariance_a, "the first Gaussian")?;
    let q = gaussian(&mean_b, &covariance_b, "the second Gaussian")?;
    let options = FisherRaoOptions { tolerance, bounds, ..FisherRaoOptions::default() };
    let found = py.detach(|| sqfa::fisher_rao::fisher_rao(p, q, &options))?;
    let exact = found.certainty == Certainty::Exact;
    Ok((found.distance, found.lower, found.upper, found.residual, found.evaluations, exact))
}

/// A geodesic of the Fisher–Rao metric.
#[pyclass(module = "sqfa_rs._core", frozen)]
pub(crate) struct Geodesic {
    core: sqfa::fisher_rao::Geodesic,
    velocity: Velocity,
}

#[pymethods]
impl Geodesic {
    /// Returns the shortest geodesic between two Gaussians.
    #[classmethod]
    fn between(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        mean_a: PyReadonlyArray1<'_, f64>,
        covariance_a: PyReadonlyArray2<'_, f64>,
        mean_b: PyReadonlyArray1<'_, f64>,
        covariance_b: PyReadonlyArray2<'_, f64>,
        tolerance: f64,
    ) -> Outcome<Self> {
        let p = gaussian(&mean_a, &covariance_a, "the first Gaussian")?;
        let q = gaussian(&mean_b, &covariance_b, "the second Gaussian")?;
        let options = FisherRaoOptions { tolerance, bounds: false, ..FisherRaoOptions::default() };
        let found = py.detach(|| sqfa::fisher_rao::fisher_rao(p, q, &options))?;
        Ok(Self { core: found.geodesic(), velocity: found.velocity() })
    }

    /// Returns the geodesic that starts at a Gaussian with a velocity.
    #[classmethod]
    fn shoot(
        _: &Bound<'_, PyType>,
        mean: PyReadonlyArray1<'_, f64>,
        covariance: PyReadonlyArray2<'_, f64>,
        velocity_mean: PyReadonlyArray1<'_, f64>,
        velocity_covariance: PyReadonlyArray2<'_, f64>,
    ) -> Outcome<Self> {
        let start = gaussian(&mean, &covariance, "the Gaussian")?;
        let velocity = gaussian(&velocity_mean, &velocity_covariance, "the velocity")?;
        let velocity =
            Velocity { mean: velocity.mean.to_vec(), covariance: velocity.covariance.to_vec() };
        Ok(Self { core: sqfa::fisher_rao::Geodesic::shoot(start, &velocity)?, velocity })
    }

    /// Returns the length between times 0 and 1.
    fn length(&self) -> f64 {
        self.core.speed()
    }

    /// Returns the mean and the covariance at a time.
    fn point<'py>(&self, py: Python<'py>, time: f64) -> Outcome<MeanAndCovariance<'py>> {
        Ok(returned(py, self.core.point(time)?)?)
    }

    /// Returns the velocity at time 0.
    fn velocity<'py>(&self, py: Python<'py>) -> Outcome<MeanAndCovariance<'py>> {
        let Velocity { mean, covariance } = self.velocity.clone();
        Ok(returned(py, GaussianPoint { mean, covariance })?)
    }
}
