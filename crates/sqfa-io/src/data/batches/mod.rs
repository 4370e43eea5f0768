//! Labelled points a few thousand at a time, from files of any size.
//!
//! [`super::open_batches`] opens a file as rows and labels that are read on demand; [`sum_batches`] turns them into class
//! sums while the next ones are being read. Nothing is held but two batches, the labels of array files and the sums.

pub(super) mod arrays;
mod cleaned;
pub(super) mod mat;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_column;
mod sum;
pub(super) mod table;

use std::path::Path;

use sqfa::Labels;

use super::{DataError, LoadOptions, OwnedPoints};
use crate::formats::{Column, Note};

pub(super) use cleaned::cleaned;
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
    /// The number of points that the size of the file lets expect, where that is all there is.
    fn expected_rows(&self) -> Option<u64> {
        self.rows()
    }
    /// Height and width, when every point is an image.
    fn image_shape(&self) -> Option<(usize, usize)> {
        None
    }
    /// The names of the columns; empty where there are none.
    fn names(&self) -> &[String] {
        &[]
    }
    /// Whether points have labels.
    fn has_labels(&self) -> bool {
        true
    }
    /// What was decided on the way, as far as it was read.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }
    /// Up to so many further points; `None` after the last.
    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError>;
}

#[cfg(feature = "parquet")]
pub(super) fn open_parquet(
    path: &Path,
    options: &LoadOptions,
    weights: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    Ok(Box::new(parquet::ParquetBatches::open(path, options, weights)?))
}

#[cfg(not(feature = "parquet"))]
pub(super) fn open_parquet(
    path: &Path,
    _: &LoadOptions,
    _: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    let problem = "this build cannot read parquet: build it with the cargo feature 'parquet' \
                   (cargo install … --features parquet), or convert the file to npz or csv";
    Err(DataError::content(&path.display().to_string(), problem))
}
