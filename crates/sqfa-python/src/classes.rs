//! Conversion of class labels between Python and the core.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sqfa::{Classes, Labels};

use crate::arrays::slice;
use crate::errors::{Outcome, invalid};

/// Returns classes from a sorted list of integers or texts.
pub(crate) fn classes(names: &Bound<'_, PyList>) -> Outcome<Classes> {
    if let Ok(integers) = names.extract::<Vec<i64>>() {
        return Ok(Classes::Integers(integers));
    }
    Ok(Classes::Texts(names.extract::<Vec<String>>()?))
}

/// Returns the labels of the classes as a list of integers or texts.
pub(crate) fn names<'py>(py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyList>> {
    match classes {
        Classes::Integers(values) => PyList::new(py, values),
        Classes::Texts(values) => PyList::new(py, values),
    }
}

/// Returns the labels of samples from indices into a set of classes.
pub(crate) fn labels(classes: &Classes, codes: &PyReadonlyArray1<'_, u32>) -> Outcome<Labels> {
    let codes = slice(codes, "codes")?.to_vec();
    Labels::from_codes(classes.clone(), codes)
        .ok_or_else(|| invalid(format!("a code is not below the {} classes", classes.len())))
}

/// Rejects labels that identify samples rather than classes.
#[pyfunction]
pub(crate) fn check_labels(
    names: &Bound<'_, PyList>,
    codes: PyReadonlyArray1<'_, u32>,
) -> Outcome<()> {
    Ok(sqfa::statistics::check_classes(&labels(&classes(names)?, &codes)?)?)
}
