//! Batches without the rows that lack a value.

use sqfa::Points;

use super::super::DataError;
use super::{Batch, BatchReader};
use crate::formats::{Missing, Note};

/// Leaves out rows with missing values, where that was asked for.
pub(in super::super) fn cleaned(
    reader: Box<dyn BatchReader>,
    missing: Missing,
) -> Result<Box<dyn BatchReader>, DataError> {
    match missing {
        Missing::Refuse | Missing::Keep => Ok(reader),
        Missing::Drop => Ok(Box::new(Cleaned { reader, dropped: 0, seen: 0 })),
        Missing::Mean => {
            let problem = "the mean of a column is known only once all points are: fill values in \
                           only for one file that fits into memory, or leave those rows out";
            Err(DataError::content(reader.place(), problem))
        }
    }
}

struct Cleaned {
    reader: Box<dyn BatchReader>,
    dropped: u64,
    seen: u64,
}

impl BatchReader for Cleaned {
    fn place(&self) -> &str {
        self.reader.place()
    }

    fn columns(&self) -> usize {
        self.reader.columns()
    }

    fn rows(&self) -> Option<u64> {
        self.reader.rows()
    }

    fn image_shape(&self) -> Option<(usize, usize)> {
        self.reader.image_shape()
    }

    fn names(&self) -> &[String] {
        self.reader.names()
    }

    fn has_labels(&self) -> bool {
        self.reader.has_labels()
    }

    fn notes(&self) -> Vec<Note> {
        let dropped = Note::Dropped { rows: self.dropped, of: self.seen };
        self.reader.notes().into_iter().chain((self.dropped > 0).then_some(dropped)).collect()
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        while let Some(batch) = self.reader.next_batch(rows)? {
            let count = batch.points.rows();
            let width = batch.points.columns();
            let gap = |row: usize| match batch.points.view() {
                Points::U8(_) => false,
                Points::F32(table) => (0..width).any(|column| table.get(row, column).is_nan()),
                Points::F64(table) => (0..width).any(|column| table.get(row, column).is_nan()),
            };
            let kept: Vec<usize> = (0..count).filter(|&row| !gap(row)).collect();
            self.seen += count as u64;
            self.dropped += (count - kept.len()) as u64;
            if kept.len() == count {
                return Ok(Some(batch));
            }
            if !kept.is_empty() {
                let weights = batch.weights;
                return Ok(Some(Batch {
                    points: batch.points.select(&kept),
                    labels: batch.labels.select(&kept),
                    weights: weights.map(|all| kept.iter().map(|&row| all[row]).collect()),
                }));
            }
        }
        Ok(None)
    }
}
