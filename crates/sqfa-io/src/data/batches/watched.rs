//! Batches of a table with the same warnings about suspicious columns as for a table that is read
//! at once.

use super::super::DataError;
use super::super::suspects::Suspects;
use super::{Batch, BatchReader};
use crate::formats::Note;

/// Wraps a reader so that suspicious columns are among its notes at the end.
pub(in super::super) fn watched(reader: Box<dyn BatchReader>) -> Box<dyn BatchReader> {
    let suspects = Suspects::new(reader.columns());
    Box::new(Watched { reader, suspects })
}

struct Watched {
    reader: Box<dyn BatchReader>,
    suspects: Suspects,
}

impl BatchReader for Watched {
    fn place(&self) -> &str {
        self.reader.place()
    }

    fn columns(&self) -> usize {
        self.reader.columns()
    }

    fn rows(&self) -> Option<u64> {
        self.reader.rows()
    }

    fn expected_rows(&self) -> Option<u64> {
        self.reader.expected_rows()
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
        let own = self.suspects.notes(self.reader.names());
        self.reader.notes().into_iter().chain(own).collect()
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        let batch = self.reader.next_batch(rows)?;
        if let Some(batch) = &batch {
            self.suspects.add(batch.points.view(), &batch.labels);
        }
        Ok(batch)
    }
}
