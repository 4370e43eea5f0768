//! The result of a fit as a Python dictionary.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sqfa::pipeline::{FitRecord, Fitted, RefinementChoice};
use sqfa::statistics::Preprocessor;
use sqfa::{Gaussians, MatRef};
use sqfa_io::model_file::feature_gaussians;

use crate::arrays::{from_mat_transposed, matrix, stack, vector};
use crate::errors::Outcome;
use crate::methods::warnings;

/// Returns all attributes that Python stores for a fit: arrays, and the record as JSON.
pub(crate) fn described<'py>(py: Python<'py>, fitted: &Fitted) -> Outcome<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    set_filters(py, &result, fitted.filters(), fitted.preprocessor.as_ref())?;
    set_features(py, &result, &feature_gaussians(&fitted.features)?)?;
    let counts = fitted.features.counts();
    result.set_item("counts", counts.map(|counts| vector(py, counts.to_vec())))?;
    result.set_item("mean", vector(py, fitted.mean.clone()))?;
    result.set_item("record", serde_json::to_string(&fitted.record)?)?;
    set_quantities(&result, &fitted.record)?;
    result.set_item("warnings", warnings(&fitted.record.run.warnings))?;
    Ok(result)
}

/// Adds the settings in use and the results of the refinement by name. The latter are also added as
/// identifiers.
pub(crate) fn set_quantities(result: &Bound<'_, PyDict>, record: &FitRecord) -> Outcome<()> {
    result.set_item("settings", record.quantities())?;
    let facts = record.refinement.iter().flat_map(RefinementChoice::facts);
    let named = facts.map(|(name, value)| (name.replace([' ', '-'], "_"), value));
    result.set_item("refinement", named.collect::<Vec<_>>())?;
    Ok(())
}

/// Adds the filters for preprocessed samples with the preprocessing. Also adds both combined, as
/// components and an offset of the features.
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

/// Adds the means and covariances of the classes in feature space.
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
