//! What a fit came to, as a dictionary for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sqfa::optimize::Termination;
use sqfa::pipeline::{Fitted, Pipeline};
use sqfa::reduce::Reduction;
use sqfa::statistics::{Moments, Preprocessor};
use sqfa::{Gaussians, MatRef};
use sqfa_io::model_file::{SelectionRecord, count_records, feature_gaussians};

use crate::arrays::{from_mat_transposed, matrix, stack, vector};
use crate::errors::Outcome;
use crate::methods::warnings;
use crate::watch::restarts;

/// Everything that Python keeps of a fit.
pub(crate) fn described<'py>(
    py: Python<'py>,
    recipe: &Pipeline,
    fitted: &Fitted,
) -> Outcome<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    numbers(py, fitted, &result)?;
    choices(fitted, &result)?;
    account(py, &fitted.reduction, &result)?;
    let distance = recipe.settings.distance.as_ref();
    result.set_item("distance", distance.map(|distance| distance.name()))?;
    Ok(result)
}

fn numbers(py: Python<'_>, fitted: &Fitted, result: &Bound<'_, PyDict>) -> Outcome<()> {
    set_filters(py, result, fitted.filters(), fitted.preprocessor.as_ref())?;
    set_features(py, result, &feature_gaussians(&fitted.features)?)?;
    let counts = fitted.features.counts();
    result.set_item("counts", counts.map(|counts| vector(py, counts.to_vec())))?;
    result.set_item("mean", vector(py, fitted.mean.clone()))?;
    result.set_item("second_moments", fitted.features.moments() == Moments::Second)?;
    result.set_item("precision", if fitted.single { "f32" } else { "f64" })?;
    result.set_item("scale", fitted.scaling.name())?;
    Ok(())
}

/// Filters of preprocessed points with the preprocessing, and the same as components and an offset of the features.
pub(crate) fn set_filters<'py>(
    py: Python<'py>,
    result: &Bound<'py, PyDict>,
    filters: MatRef<'_, f64>,
    preprocessor: Option<&Preprocessor>,
) -> Outcome<()> {
    let folded = preprocessor.map(|map| map.fold(filters));
    let components = folded.as_ref().map_or(filters, |(components, _)| components.as_ref());
    result.set_item("components", from_mat_transposed(py, components)?)?;
    result.set_item("offset", folded.as_ref().map(|(_, offset)| vector(py, offset.clone())))?;
    let filters = preprocessor.map(|_| from_mat_transposed(py, filters)).transpose()?;
    result.set_item("filters", filters)?;
    let map =
        preprocessor.map(|map| (vector(py, map.offset.clone()), vector(py, map.factors.clone())));
    result.set_item("preprocessing", map)?;
    Ok(())
}

/// Means and covariances of the classes in feature space.
pub(crate) fn set_features(
    py: Python<'_>,
    result: &Bound<'_, PyDict>,
    features: &Gaussians,
) -> Outcome<()> {
    let (c, m) = (features.len(), features.order());
    let means = (0..c).flat_map(|class| features.mean(class).to_vec()).collect();
    let covariances = (0..c).flat_map(|class| features.covariance(class).to_vec()).collect();
    result.set_item("means", matrix(py, means, c, m)?)?;
    result.set_item("covariances", stack(py, covariances, [c, m, m])?)?;
    Ok(())
}

/// What was selected, as model files have it.
fn choices(fitted: &Fitted, result: &Bound<'_, PyDict>) -> Outcome<()> {
    let selection = fitted.selection.as_ref();
    let selection = selection.map(|one| serde_json::to_string(&SelectionRecord::from(one)));
    result.set_item("selection", selection.transpose()?)?;
    let curve = fitted.curve.as_ref();
    let curve = curve.map(|curve| serde_json::to_string(&count_records(curve)));
    result.set_item("curve", curve.transpose()?)?;
    result.set_item("set_aside", fitted.dropped())?;
    result.set_item("distinct", fitted.distinct)?;
    Ok(())
}

fn account(py: Python<'_>, fitted: &Reduction, result: &Bound<'_, PyDict>) -> Outcome<()> {
    result.set_item("objective", fitted.objective)?;
    let trace = fitted.traces.first().cloned().unwrap_or_default();
    result.set_item("trace", vector(py, trace))?;
    let groups: Vec<_> =
        fitted.group_traces.iter().map(|trace| vector(py, trace.clone())).collect();
    result.set_item("group_traces", groups)?;
    result.set_item("n_iter", fitted.iterations)?;
    result.set_item("converged", fitted.converged())?;
    result.set_item("termination", fitted.termination.map_or("closed-form", Termination::name))?;
    let settings: Vec<(&str, f64)> =
        fitted.settings.iter().map(|(setting, value)| (setting.name(), *value)).collect();
    result.set_item("settings", settings)?;
    let trials: Vec<(&str, f64, f64)> =
        fitted.trials.iter().map(|t| (t.setting.name(), t.value, t.accuracy)).collect();
    result.set_item("trials", trials)?;
    result.set_item("best", fitted.best)?;
    result.set_item("passes", fitted.passes)?;
    result.set_item("evaluations", fitted.evaluations)?;
    result.set_item("seconds", fitted.seconds + fitted.search_seconds)?;
    result.set_item("warnings", warnings(&fitted.warnings))?;
    result.set_item("restarts", restarts(py, &fitted.restarts)?)?;
    Ok(())
}
