//! Batches in which rows with missing values are dropped, or missing values are replaced by means.

use sqfa::Points;

use super::super::{DataError, LoadOptions};
use super::{Batch, BatchReader};
use crate::formats::{Missing, Note};

/// Wraps a reader so that rows with missing values are dropped or missing values are filled in, if
/// the options require it.
pub(in super::super) fn cleaned(
    reader: Box<dyn BatchReader>,
    options: &LoadOptions,
) -> Result<Box<dyn BatchReader>, DataError> {
    let fill = match (options.missing, &options.fill) {
        (Missing::Refuse | Missing::Keep, _) => return Ok(reader),
        (Missing::Drop, _) => None,
        (Missing::Mean, Some(means)) if means.len() == reader.columns() => Some(means.clone()),
        (Missing::Mean, _) => {
            return Err(DataError::ReadOnce { place: reader.place().to_owned() });
        }
    };
    Ok(Box::new(Cleaned { reader, fill, changed: 0, seen: 0 }))
}

struct Cleaned {
    reader: Box<dyn BatchReader>,
    /// The replacements of missing values, or `None` to drop their rows.
    fill: Option<Vec<f64>>,
    /// The number of rows that were dropped, or of cells that were filled in.
    changed: u64,
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

    fn label(&self) -> Option<&str> {
        self.reader.label()
    }

    fn has_labels(&self) -> bool {
        self.reader.has_labels()
    }

    fn notes(&self) -> Vec<Note> {
        let note = match self.fill {
            Some(_) => Note::Filled { cells: self.changed },
            None => Note::Dropped { rows: self.changed, of: self.seen },
        };
        self.reader.notes().into_iter().chain((self.changed > 0).then_some(note)).collect()
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        while let Some(batch) = self.reader.next_batch(rows)? {
            let count = batch.points.rows();
            let width = batch.points.columns();
            let gaps = |row: usize| match batch.points.view() {
                Points::U8(_) => 0,
                Points::F32(table) => (0..width).filter(|&j| table.get(row, j).is_nan()).count(),
                Points::F64(table) => (0..width).filter(|&j| table.get(row, j).is_nan()).count(),
            };
            if let Some(means) = &self.fill {
                let cells: usize = (0..count).map(gaps).sum();
                self.changed += cells as u64;
                let points = if cells > 0 { batch.points.filled(means) } else { batch.points };
                return Ok(Some(Batch { points, ..batch }));
            }
            let kept: Vec<usize> = (0..count).filter(|&row| gaps(row) == 0).collect();
            self.seen += count as u64;
            self.changed += (count - kept.len()) as u64;
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
