//! Class statistics of dense samples, with all covariance entries or with the samples themselves.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList};
use sqfa::statistics::{ClassAccumulator, check_classes};
use sqfa::{ClassStatistics, Estimator};

use crate::arrays::{PointArray, slice};
use crate::classes::{classes, labels};
use crate::errors::{Outcome, invalid};
use crate::fit::pipeline;
use crate::running::run;
use crate::statistics::Statistics;

/// Computes the class statistics of labeled samples.
#[pyfunction]
#[pyo3(signature = (points, names, codes, weights, estimator, threads))]
pub(crate) fn class_statistics(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    names: &Bound<'_, PyList>,
    codes: PyReadonlyArray1<'_, u32>,
    weights: Option<PyReadonlyArray1<'_, u64>>,
    estimator: &str,
    threads: usize,
) -> Outcome<Statistics> {
    let estimator = estimator.parse::<Estimator>()?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    let weights = weights.as_ref().map(|weights| slice(weights, "weights")).transpose()?;
    if weights.is_none() {
        check_classes(&labels)?;
    }
    if estimator.needs_samples() {
        return Ok(run(py, threads, |_| {
            let core = ClassStatistics::from_weighted_points(points, &labels, weights, estimator)?;
            Ok(Statistics { core })
        })?);
    }
    Ok(run(py, threads, |stop| {
        let mut sums = ClassAccumulator::new(labels.classes().clone(), points.columns());
        if !sums.update_while(points, &labels, weights, &mut || !stop.asked())? {
            return Err(invalid("the statistics were stopped on the way"));
        }
        Ok(Statistics { core: sums.finish(estimator)? })
    })?)
}

/// Returns the number of covariances with all entries that a fit of samples stores in memory.
/// Returns `None` if the samples are stored instead.
#[pyfunction]
pub(crate) fn covariances(
    method: &str,
    estimator: Option<&str>,
    settings: &Bound<'_, PyDict>,
    rows: u64,
    columns: usize,
    classes: usize,
    width: usize,
) -> Outcome<Option<usize>> {
    let (recipe, _) = pipeline(method, estimator, settings)?;
    Ok(recipe.covariances_of(rows, columns, classes, width))
}

/// Computes class statistics of labeled samples that store centered samples instead of covariance
/// entries.
#[pyfunction]
#[pyo3(signature = (points, names, codes, estimator, threads))]
pub(crate) fn sample_statistics(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    names: &Bound<'_, PyList>,
    codes: PyReadonlyArray1<'_, u32>,
    estimator: &str,
    threads: usize,
) -> Outcome<Statistics> {
    let estimator = estimator.parse::<Estimator>()?;
    let array = PointArray::borrow(points)?;
    let points = array.points()?;
    let labels = labels(&classes(names)?, &codes)?;
    Ok(run(py, threads, |_| {
        Ok(Statistics { core: ClassStatistics::from_factors(points, &labels, estimator)? })
    })?)
}
