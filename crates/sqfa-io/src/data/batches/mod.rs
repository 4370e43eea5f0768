//! Labeled points a few thousand at a time, from files of any size.
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

impl Batch {
    /// Points whose labels are texts, one each.
    pub fn of_texts(points: OwnedPoints, labels: &[String]) -> Self {
        let mut names = Names::default();
        let places: Vec<u32> = labels.iter().map(|label| names.place(label)).collect();
        Self { points, labels: named(places, &names.all), weights: None }
    }
}

/// Labels as the texts they are, even where all of them read as numbers: a later batch may hold a word.
fn named(mut places: Vec<u32>, names: &[String]) -> Labels {
    let mut used = vec![false; names.len()];
    places.iter().for_each(|&place| used[place as usize] = true);
    let mut order: Vec<usize> = (0..names.len()).filter(|&place| used[place]).collect();
    order.sort_by_key(|&place| &names[place]);
    let mut codes = vec![0; names.len()];
    order.iter().enumerate().for_each(|(code, &place)| codes[place] = code as u32);
    let classes = Classes::Texts(order.iter().map(|&place| names[place].clone()).collect());
    // In place: of few columns the labels are a good part of the table.
    places.iter_mut().for_each(|place| *place = codes[*place as usize]);
    Labels::from_codes(classes, places).unwrap_or_else(|| Labels::from_integers(&[]))
}

/// A source of labeled points.
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
    /// The label column by name, or by position where the table has no names; nothing for other files.
    fn label(&self) -> Option<&str> {
        None
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
    let problem = "this build cannot read parquet files: convert the file to csv or npz";
    Err(DataError::content(&path.display().to_string(), problem))
}
