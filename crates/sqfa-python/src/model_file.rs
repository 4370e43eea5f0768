//! Model files: the same ones the command `sqfa` reads and writes.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sqfa::statistics::Preprocessor;
use sqfa_io::formats::Limits;
use sqfa_io::model_file::{Description, Model, ModelParts};

use crate::arrays::{filters, from_mat_transposed, gaussians, matrix, slice, stack, vector};
use crate::errors::{Outcome, invalid};

/// Writes a model file; the description is JSON, features have covariances with divisor N.
#[pyfunction]
#[pyo3(signature = (path, components, means, covariances, counts, offset, mean, description))]
pub(crate) fn save_model(
    py: Python<'_>,
    path: PathBuf,
    components: PyReadonlyArray2<'_, f64>,
    means: PyReadonlyArray2<'_, f64>,
    covariances: PyReadonlyArray3<'_, f64>,
    counts: Option<PyReadonlyArray1<'_, u64>>,
    offset: Option<PyReadonlyArray1<'_, f64>>,
    mean: Option<PyReadonlyArray1<'_, f64>>,
    description: &str,
) -> Outcome<()> {
    let description: Description = serde_json::from_str(description)?;
    let n = components.shape()[1];
    let preprocessing = match offset {
        None => None,
        Some(offset) if offset.shape() == [n] => {
            Some(Preprocessor { offset: slice(&offset, "offset")?.to_vec(), factors: vec![1.0; n] })
        }
        Some(_) => return Err(invalid(format!("the offset must have {n} numbers"))),
    };
    let counts = counts.as_ref().map(|counts| slice(counts, "counts")).transpose()?;
    let parts = ModelParts {
        filters: filters(&components)?,
        preprocessing,
        counts: counts.map(<[u64]>::to_vec),
        features: gaussians(&means, &covariances)?,
    };
    let mut model = Model::new(parts, description)?;
    if let Some(mean) = mean {
        model = model.with_mean(slice(&mean, "mean")?.to_vec())?;
    }
    Ok(py.detach(|| model.write(&path))?)
}

/// Reads a model file; preprocessing is folded into components and an offset of the features.
#[pyfunction]
pub(crate) fn load_model(py: Python<'_>, path: PathBuf) -> Outcome<Bound<'_, PyDict>> {
    let model = py.detach(|| Model::read(&path, Limits::default()))?;
    let (filters, offset) = model.raw_filters();
    let features = model.features();
    let (c, m) = (features.len(), features.order());
    let result = PyDict::new(py);
    result.set_item("components", from_mat_transposed(py, filters.as_ref())?)?;
    result.set_item("offset", offset.map(|offset| vector(py, offset)))?;
    let means = (0..c).flat_map(|class| features.mean(class).to_vec()).collect();
    let covariances = (0..c).flat_map(|class| features.covariance(class).to_vec()).collect();
    result.set_item("means", matrix(py, means, c, m)?)?;
    result.set_item("covariances", stack(py, covariances, [c, m, m])?)?;
    result.set_item("counts", model.counts().map(|counts| vector(py, counts.to_vec())))?;
    result.set_item("mean", model.mean().map(|mean| vector(py, mean.to_vec())))?;
    result.set_item("description", serde_json::to_string(model.description())?)?;
    result.set_item("checksum", model.has_checksum())?;
    Ok(result)
}
