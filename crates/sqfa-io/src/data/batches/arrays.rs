//! Batches from array files. Rows are read in batches, while all labels are stored.

use std::path::Path;

use sqfa::Labels;

use super::super::archive::Archive;
use super::super::load::idx_files;
use super::super::tables::labels_of;
use super::super::{DataError, LoadOptions, OwnedPoints};
use super::{Batch, BatchReader};
use crate::formats::{Array, ArrayRows, Values, idx_rows, npy_rows, read_idx, read_npy};

/// The rows of an array with their labels.
pub(in super::super) struct ArrayBatches {
    place: String,
    rows: ArrayRows,
    labels: Labels,
    next: usize,
    image: Option<(usize, usize)>,
    /// The map from rows in the file to samples.
    map: Option<Map>,
}

/// A map from rows in the file to samples, which may have fewer values.
pub(super) struct Map {
    /// The number of values per sample.
    pub(super) width: usize,
    /// The function that converts the values of rows to those of the same number of samples.
    pub(super) turn: Box<dyn Fn(Values) -> Values + Send>,
}

impl ArrayBatches {
    pub(super) fn new(rows: ArrayRows, labels: Labels, place: &str) -> Result<Self, DataError> {
        let image = match rows.shape()[1..] {
            [height, width] | [height, width, 1] => Some((height, width)),
            _ => None,
        };
        if rows.rows() != labels.len() {
            return Err(DataError::Lengths {
                place: place.to_owned(),
                points: rows.rows(),
                labels: labels.len(),
            });
        }
        Ok(Self { place: place.to_owned(), rows, labels, next: 0, image, map: None })
    }

    pub(super) fn mapped(mut self, map: Map, image: Option<(usize, usize)>) -> Self {
        self.map = Some(map);
        self.image = image;
        self
    }
}

impl BatchReader for ArrayBatches {
    fn place(&self) -> &str {
        &self.place
    }

    fn columns(&self) -> usize {
        self.map.as_ref().map_or(self.rows.width(), |map| map.width)
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows.rows() as u64)
    }

    fn image_shape(&self) -> Option<(usize, usize)> {
        self.image
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        let Some((count, mut values)) = self.rows.next_rows(rows)? else { return Ok(None) };
        if let Some(map) = &self.map {
            values = (map.turn)(values);
        }
        let array = Array::new(vec![count, self.columns()], values)?;
        let (points, _) = OwnedPoints::from_array(array, &self.place)?;
        let selected: Vec<usize> = (self.next..self.next + count).collect();
        self.next += count;
        Ok(Some(Batch { points, labels: self.labels.select(&selected), weights: None }))
    }
}

pub(in super::super) fn npy(path: &Path, options: &LoadOptions) -> Result<ArrayBatches, DataError> {
    let place = path.display().to_string();
    let labels = options.labels.as_deref();
    let labels = labels.ok_or(DataError::NoLabels { place: place.clone() })?;
    let labels = labels_of(read_npy(labels, options.limits)?, &labels.display().to_string())?;
    ArrayBatches::new(npy_rows(path, options.limits)?, labels, &place)
}

pub(in super::super) fn npz(
    path: &Path,
    options: &LoadOptions,
) -> Result<Box<dyn BatchReader>, DataError> {
    let mut archive = Archive::open(path, options)?;
    if let Some(sparse) = archive.sparse(options.label_optional)? {
        return Ok(Box::new(sparse));
    }
    let (rows, labels, place) = archive.rows()?;
    Ok(Box::new(ArrayBatches::new(rows, labels, &place)?))
}

pub(in super::super) fn idx_folder(
    folder: &Path,
    options: &LoadOptions,
) -> Result<ArrayBatches, DataError> {
    let place = folder.display().to_string();
    let Some((images, labels)) = idx_files(folder, "train") else {
        return Err(DataError::content(&place, super::super::load::IDX_FILES));
    };
    let labels = labels_of(read_idx(&labels, options.limits)?, &labels.display().to_string())?;
    ArrayBatches::new(idx_rows(&images, options.limits)?, labels, &images.display().to_string())
}
