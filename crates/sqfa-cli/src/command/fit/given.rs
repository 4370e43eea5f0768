//! Filters from files: those to start from and those that stay.

use std::path::Path;

use anyhow::{Result, bail};
use sqfa::Mat;
use sqfa_io::formats::{Limits, Values, read_npy};

use super::super::{ending, read_model};

/// Filters of a model, or an array of dimensions × filters; `flag` is named where they are refused.
pub(super) fn read(flag: &str, path: &Path) -> Result<Mat<f64>> {
    if ending(path) != "npy" {
        return Ok(read_model(path)?.raw_filters().0);
    }
    let (shape, values) = read_npy(path, Limits::default())?.into_parts();
    let shown = path.display();
    let (rows, columns) = match shape[..] {
        [rows, columns] => (rows, columns),
        [rows] => (rows, 1),
        _ => bail!("{flag} {shown} has shape {shape:?}: give dimensions × filters"),
    };
    let number: Box<dyn Fn(usize) -> f64> = match values {
        Values::F64(values) => Box::new(move |at| values[at]),
        Values::F32(values) => Box::new(move |at| f64::from(values[at])),
        Values::I64(values) => Box::new(move |at| values[at] as f64),
        Values::U8(values) => Box::new(move |at| f64::from(values[at])),
        Values::Text(_) => bail!("{flag} {shown} holds text"),
    };
    Ok(Mat::from_fn(rows, columns, |i, j| number(i * columns + j)))
}
