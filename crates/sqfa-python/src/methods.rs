//! The catalog of methods and the table of settings, with the names that Python uses.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sqfa::model::Warning;
use sqfa::reduce::{Heading, ROWS, Row, Setting, reducers};

/// Returns all methods with their properties and settings. A setting consists of its name in files,
/// the parameter, whether fits report it as a number, whether the number is an integer, whether it
/// is selected on held-out samples, and the default as text.
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
        let of_row = |row: &Row| {
            let (selected, whole) = (row.setting.is_chosen(), row.setting.is_whole());
            let reported = selected || row.setting == Setting::Noise;
            (row.name, row.parameter, reported, whole, selected, row.default_of(entry))
        };
        // Settings have the order of the entry, which is that of reports.
        let rows = entry.settings.iter().map(|own| own.setting.row());
        method.set_item("settings", rows.map(of_row).collect::<Vec<_>>())?;
        methods.append(method)?;
    }
    Ok(methods)
}

/// Returns all settings in the order of the help text, for tables. Each has its flag, parameter,
/// heading, description, defaults and the names of the methods that use it.
#[pyfunction]
pub(crate) fn settings_table(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let table = PyList::empty(py);
    for row in ROWS {
        let setting = PyDict::new(py);
        setting.set_item("name", row.name)?;
        setting.set_item("flag", row.flag)?;
        setting.set_item("parameter", row.parameter)?;
        setting.set_item("value", row.value)?;
        setting.set_item("heading", row.heading.title())?;
        setting.set_item("common", row.heading == Heading::Common)?;
        setting.set_item("description", row.description())?;
        setting.set_item("defaults", row.defaults())?;
        let users = reducers().iter().filter(|method| row.is_used_by(method));
        setting.set_item("methods", users.map(|method| method.name).collect::<Vec<_>>())?;
        table.append(setting)?;
    }
    Ok(table)
}

/// Returns the names of warnings with their messages.
pub(crate) fn warnings(told: &[Warning]) -> Vec<(&'static str, String)> {
    told.iter().map(|warning| (warning.name(), warning.to_string())).collect()
}
