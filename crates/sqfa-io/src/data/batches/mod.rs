//! Labelled points a few thousand at a time, from files of any size.
//!
//! [`open_batches`] opens a file as rows and labels that are read on demand; [`sum_batches`] turns them into class
//! sums while the next ones are being read. Nothing is held but two batches, the labels of array files and the sums.

mod arrays;
mod mat;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_column;
mod sum;
mod table;

use std::path::Path;

use sqfa::Labels;

use super::{DataError, LoadOptions, OwnedPoints};
use crate::formats::Column;

pub use sum::{Summed, Summing, sum_batches};

/// Points with labels and perhaps weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// One point a row.
    pub points: OwnedPoints,
    /// One label a point.
    pub labels: Labels,
    /// How often each point counts, where the file says.
    pub weights: Option<Vec<u64>>,
}

/// A source of labelled points.
pub trait BatchReader: Send {
    /// The file, as messages show it.
    fn place(&self) -> &str;
    /// The number of dimensions.
    fn columns(&self) -> usize;
    /// The number of points, where it is known beforehand.
    fn rows(&self) -> Option<u64>;
    /// Height and width, when every point is an image.
    fn image_shape(&self) -> Option<(usize, usize)> {
        None
    }
    /// Up to so many further points; `None` after the last.
    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError>;
}

/// Opens a file of labelled points to be read batch by batch: the training part, where there are two.
///
/// Understands what [`super::load`] does, except given statistics. `weights` names a table's column of weights.
pub fn open_batches(
    path: &Path,
    options: &LoadOptions,
    weights: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    let place = path.display().to_string();
    let lower = place.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let table = place == "-" || ends(&[".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt"]);
    if weights.is_some() && !table && !ends(&[".parquet"]) {
        return Err(DataError::content(
            &place,
            "weights are a column of a table, and this is none",
        ));
    }
    if table {
        return Ok(Box::new(table::TableBatches::open(path, options, weights)?));
    }
    if path.is_dir() {
        return Ok(Box::new(arrays::idx_folder(path, options)?));
    }
    if ends(&[".npz"]) {
        return Ok(Box::new(arrays::npz(path, options)?));
    }
    if ends(&[".npy"]) {
        return Ok(Box::new(arrays::npy(path, options)?));
    }
    if ends(&[".mat"]) {
        return mat::open(path, options);
    }
    if ends(&[".parquet"]) {
        return open_parquet(path, options, weights);
    }
    Err(super::load::unknown_kind(&place))
}

#[cfg(feature = "parquet")]
fn open_parquet(
    path: &Path,
    options: &LoadOptions,
    weights: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    Ok(Box::new(parquet::ParquetBatches::open(path, options, weights)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(
    path: &Path,
    _: &LoadOptions,
    _: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    let problem = "this build cannot read parquet: build it with the cargo feature 'parquet' \
                   (cargo install … --features parquet), or convert the file to npz or csv";
    Err(DataError::content(&path.display().to_string(), problem))
}
