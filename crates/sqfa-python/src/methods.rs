//! The catalogue of methods and their settings, under the names Python knows them by.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sqfa::model::Warning;
use sqfa::reduce::{Setting, reducers};

/// The parameter of an estimator that a setting is.
pub(crate) fn parameter(setting: Setting) -> String {
    match setting {
        Setting::Start => "init".to_owned(),
        Setting::MaxIterations => "max_iter".to_owned(),
        Setting::Tolerance => "tol".to_owned(),
        Setting::Neighbors => "n_neighbors".to_owned(),
        Setting::LocalScale => "local_scale".to_owned(),
        Setting::Regularization => "reg".to_owned(),
        Setting::Dimensions => "pca_dims".to_owned(),
        other => other.identifier(),
    }
}

/// Every method there is: its facts, and of every setting its name in files, its parameter, whether fits report it as a
/// number and whether that is whole.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let methods = PyList::empty(py);
    for entry in reducers() {
        let method = PyDict::new(py);
        method.set_item("name", entry.name)?;
        method.set_item("title", entry.title)?;
        method.set_item("summary", entry.summary)?;
        method.set_item("needs_points", entry.needs_points())?;
        method.set_item("seeded", entry.seeded)?;
        let settings: Vec<(&str, String, bool, bool)> = entry
            .settings
            .iter()
            .map(|one| one.setting)
            .map(|one| {
                let reported = one.is_chosen() || one == Setting::Noise;
                (one.name(), parameter(one), reported, one.is_whole())
            })
            .collect();
        method.set_item("settings", settings)?;
        methods.append(method)?;
    }
    Ok(methods)
}

/// Every setting by its name in files, with that name as an identifier.
#[pyfunction]
pub(crate) fn setting_names() -> Vec<(&'static str, String)> {
    Setting::ALL.iter().map(|setting| (setting.name(), setting.identifier())).collect()
}

/// Warnings by name, with words.
pub(crate) fn warnings(told: &[Warning]) -> Vec<(&'static str, String)> {
    told.iter().map(|warning| (warning.name(), warning.to_string())).collect()
}
