//! Estimation of the memory of a comparison before it starts.

use sqfa::pipeline::{Labeled, Pipeline};
use sqfa_io::data::{LabeledData, OwnedPoints, Part};

use super::{CompareError, Spec};

/// The number of bytes per GB.
const GIGA: f64 = 1e9;

/// Returns the number of bytes that a comparison needs in addition to the data, and a description
/// of the largest part.
///
/// Class covariances are stored twice while settings are selected: those of all training samples,
/// and those of the ones that are not held out. Parts of one file are copied. Features of all
/// samples are stored while they are evaluated.
pub fn estimate(spec: &Spec, data: &LabeledData) -> (f64, String) {
    let (n, c) = (data.train.points.columns() as f64, data.train.labels.classes().len() as f64);
    let rows = |points: &OwnedPoints| points.rows() as f64;
    let number = match data.train.points.view() {
        sqfa::Points::F64(_) => 8.0,
        sqfa::Points::U8(_) | sqfa::Points::F32(_) => 4.0,
    };
    // With few samples of very many columns, samples are stored, once for each fit and once scaled.
    let dense = spec.methods.iter().any(|method| !keeps_samples(spec, method, &data.train));
    let covariances = match dense {
        true => 2.0 * c * n * n * number,
        false => 2.0 * rows(&data.train.points) * n * 8.0,
    };
    let copies = match (spec.parts, data.train.points.view()) {
        (super::Parts::Given, _) => 0.0,
        (_, sqfa::Points::U8(_)) => rows(&data.train.points) * n,
        _ => rows(&data.train.points) * n * number,
    };
    // A dense eigenproblem of scatter matrices needs three matrices in double precision.
    let scatters = if dense { 3.0 * 8.0 * n * n } else { 0.0 };
    let largest = spec.filters.last().copied().unwrap_or(0) as f64;
    let points = rows(&data.train.points) + data.test.as_ref().map_or(0.0, |t| rows(&t.points));
    let features = points * largest * number;
    let what = if covariances > copies {
        format!("two sets of {c} class covariances of {n} × {n}")
    } else {
        format!("a copy of {} samples", data.train.points.rows())
    };
    (covariances + copies + scatters + features, what)
}

/// Whether a fit stores samples instead of covariances, because they need less memory.
fn keeps_samples(spec: &Spec, method: &str, train: &Part) -> bool {
    let Ok(recipe) = Pipeline::named(method, 1) else { return false };
    let recipe = Pipeline { estimator: spec.estimator(), ..recipe };
    let samples = Labeled::new(train.points.view(), &train.labels);
    spec.protocol.is_empty() && recipe.covariances(&samples).is_none()
}

/// Returns the number of bytes of free memory, or `None` if the system does not report it.
pub fn available() -> Option<f64> {
    sqfa_io::memory::available().map(|bytes| bytes as f64)
}

/// Checks that the required memory is available.
pub(super) fn check(
    spec: &Spec,
    data: &LabeledData,
    limit: Option<f64>,
) -> Result<(), CompareError> {
    let (needed, what) = estimate(spec, data);
    match limit.or_else(available) {
        Some(available) if needed > available => {
            Err(CompareError::Memory { needed: needed / GIGA, available: available / GIGA, what })
        }
        _ => Ok(()),
    }
}
