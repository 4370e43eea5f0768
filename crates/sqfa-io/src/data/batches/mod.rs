//! Labeled samples in batches, from files of any size.
//!
//! [`super::open_batches`] opens a file whose rows and labels are read on demand. [`sum_batches`]
//! accumulates them to class statistics while the next batch is read. Only a few batches, the
//! labels of array files and the class statistics are in memory.

pub(super) mod arrays;
mod cleaned;
pub(super) mod mat;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_column;
pub(super) mod sparse;
mod sum;
pub(super) mod table;
mod watched;

use std::path::Path;

use sqfa::{Classes, Labels};

use super::{DataError, LoadOptions, OwnedPoints};
use crate::formats::table::Names;
use crate::formats::{Column, Note};

pub(super) use cleaned::cleaned;
pub use sum::{Summed, Summing, sum_batches};
pub(super) use sum::{kind_of, union};
pub(super) use watched::watched;

/// Samples with labels and optional weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The samples, one per row.
    pub points: OwnedPoints,
    /// The labels, one per sample.
    pub labels: Labels,
    /// The number of times that each sample counts, or `None` if the file has no weights.
    pub weights: Option<Vec<u64>>,
}

impl Batch {
    /// Returns samples with one text label each.
    pub fn of_texts(points: OwnedPoints, labels: &[String]) -> Self {
        let mut names = Names::default();
        let places: Vec<u32> = labels.iter().map(|label| names.place(label)).collect();
        Self { points, labels: named(places, &names.all), weights: None }
    }
}

/// Returns labels as texts, even if all of them are numbers, because a later batch may contain
/// text.
fn named(mut places: Vec<u32>, names: &[String]) -> Labels {
    let mut used = vec![false; names.len()];
    places.iter().for_each(|&place| used[place as usize] = true);
    let mut order: Vec<usize> = (0..names.len()).filter(|&place| used[place]).collect();
    order.sort_by_key(|&place| &names[place]);
    let mut codes = vec![0; names.len()];
    order.iter().enumerate().for_each(|(code, &place)| codes[place] = code as u32);
    let classes = Classes::Texts(order.iter().map(|&place| names[place].clone()).collect());
    // In place, because with few columns the labels are a large part of the table.
    places.iter_mut().for_each(|place| *place = codes[*place as usize]);
    Labels::from_codes(classes, places).unwrap_or_else(|| Labels::from_integers(&[]))
}

/// A source of labeled samples.
pub trait BatchReader: Send {
    /// Returns the name of the file in messages.
    fn place(&self) -> &str;
    /// Returns the number of features.
    fn columns(&self) -> usize;
    /// Returns the number of samples, or `None` if it is not known in advance.
    fn rows(&self) -> Option<u64>;
    /// Returns the number of samples estimated from the size of the file, or `None` without an
    /// estimate.
    fn expected_rows(&self) -> Option<u64> {
        self.rows()
    }
    /// Returns the height and width of every sample, if samples are images.
    fn image_shape(&self) -> Option<(usize, usize)> {
        None
    }
    /// Returns the names of the columns, or an empty slice if they have none.
    fn names(&self) -> &[String] {
        &[]
    }
    /// Returns the label column by name, or by position if the table has no names. Returns `None`
    /// for other files.
    fn label(&self) -> Option<&str> {
        None
    }
    /// Whether samples have labels.
    fn has_labels(&self) -> bool {
        true
    }
    /// Returns notes for the user about the rows that were read so far.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }
    /// Reads up to `rows` further samples. Returns `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or its values cannot be used.
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
    let problem = "this build cannot read parquet files: convert the file to csv or npz";
    Err(DataError::content(&path.display().to_string(), problem))
}
