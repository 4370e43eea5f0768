//! Model files, which the command `sqfa` reads and writes as well.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sqfa::statistics::Preprocessor;
use sqfa_io::formats::Limits;
use sqfa_io::model_file::{Description, Model, ModelParts};

use crate::arrays::{filters as as_filters, gaussians, slice, vector};
use crate::errors::{Outcome, invalid};
use crate::lift::{from_dict, to_dict};
use crate::outcome::{set_features, set_filters, set_quantities};

/// Writes a model file of filters for preprocessed samples. The description is JSON, and
/// covariances of features have divisor N.
#[pyfunction]
#[pyo3(signature = (path, filters, means, covariances, counts, preprocessing, mean, lift, description))]
pub(crate) fn save_model(
    py: Python<'_>,
    path: PathBuf,
    filters: PyReadonlyArray2<'_, f64>,
    means: PyReadonlyArray2<'_, f64>,
    covariances: PyReadonlyArray3<'_, f64>,
    counts: Option<PyReadonlyArray1<'_, u64>>,
    preprocessing: Option<(PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>)>,
    mean: Option<PyReadonlyArray1<'_, f64>>,
    lift: Option<&Bound<'_, PyDict>>,
    description: &str,
) -> Outcome<()> {
    let description: Description = serde_json::from_str(description)?;
    let n = filters.shape()[1];
    let preprocessing = match &preprocessing {
        None => None,
        Some((offset, factors)) if offset.shape() == [n] && factors.shape() == [n] => {
            Some(Preprocessor {
                offset: slice(offset, "offset")?.to_vec(),
                factors: slice(factors, "factors")?.to_vec(),
            })
        }
        Some(_) => return Err(invalid(format!("offset and factors must have {n} numbers each"))),
    };
    let counts = counts.as_ref().map(|counts| slice(counts, "counts")).transpose()?;
    let parts = ModelParts {
        filters: as_filters(&filters)?,
        preprocessing,
        counts: counts.map(<[u64]>::to_vec),
        features: gaussians(&means, &covariances)?,
    };
    let mut model = Model::new(parts, description)?;
    if let Some(lift) = lift {
        model = model.with_lift(from_dict(lift)?)?;
    }
    if let Some(mean) = mean {
        model = model.with_mean(slice(&mean, "mean")?.to_vec())?;
    }
    Ok(py.detach(|| model.write(&path))?)
}

/// Reads a model file. Preprocessing is combined with the components and the offset of the
/// features.
#[pyfunction]
pub(crate) fn load_model(py: Python<'_>, path: PathBuf) -> Outcome<Bound<'_, PyDict>> {
    let model = py.detach(|| Model::read(&path, Limits::default()))?;
    let result = PyDict::new(py);
    set_filters(py, &result, model.filters(), model.preprocessing())?;
    set_features(py, &result, model.features())?;
    result.set_item("counts", model.counts().map(|counts| vector(py, counts.to_vec())))?;
    result.set_item("mean", model.mean().map(|mean| vector(py, mean.to_vec())))?;
    result.set_item("lift", model.lift().map(|lift| to_dict(py, lift)).transpose()?)?;
    result.set_item("description", serde_json::to_string(model.description())?)?;
    set_quantities(&result, model.record())?;
    result.set_item("checksum", model.has_checksum())?;
    Ok(result)
}
