//! Class names and labels on their way between Python and the core.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sqfa::{Classes, Labels};

use crate::arrays::slice;
use crate::errors::{Outcome, invalid};

/// Class names from a list of whole numbers or of texts, already in their fixed order.
pub(crate) fn classes(names: &Bound<'_, PyList>) -> Outcome<Classes> {
    if let Ok(integers) = names.extract::<Vec<i64>>() {
        return Ok(Classes::Integers(integers));
    }
    Ok(Classes::Texts(names.extract::<Vec<String>>()?))
}

/// Class names as a list of whole numbers or of texts.
pub(crate) fn names<'py>(py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyList>> {
    match classes {
        Classes::Integers(values) => PyList::new(py, values),
        Classes::Texts(values) => PyList::new(py, values),
    }
}

/// Labels as positions in a set of classes.
pub(crate) fn labels(classes: &Classes, codes: &PyReadonlyArray1<'_, u32>) -> Outcome<Labels> {
    let codes = slice(codes, "codes")?.to_vec();
    Labels::from_codes(classes.clone(), codes)
        .ok_or_else(|| invalid(format!("a code is not below the {} classes", classes.len())))
}

/// Refuses labels that name points rather than classes.
#[pyfunction]
pub(crate) fn check_labels(
    names: &Bound<'_, PyList>,
    codes: PyReadonlyArray1<'_, u32>,
) -> Outcome<()> {
    Ok(sqfa::statistics::check_classes(&labels(&classes(names)?, &codes)?)?)
}
