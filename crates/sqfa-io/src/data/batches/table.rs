//! Batches from delimited tables, with or without compression.

use std::io::Read;
use std::path::Path;

use super::super::{DataError, LoadOptions, OwnedPoints};
use super::{Batch, BatchReader, named};
use crate::formats::{Column, CsvRows, Note};

/// The rows of a table. Labels remain text until all of them are known.
pub(in super::super) struct TableBatches {
    place: String,
    rows: CsvRows<Box<dyn Read + Send>>,
    single: bool,
    weighted: bool,
}

impl TableBatches {
    pub(in super::super) fn open(
        path: &Path,
        options: &LoadOptions,
        weights: Option<&Column>,
    ) -> Result<Self, DataError> {
        let rows = CsvRows::open(path, &options.csv(), weights)?;
        let place = match path == Path::new("-") {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        let weighted = weights.is_some();
        Ok(Self { place, rows, single: options.single_precision, weighted })
    }
}

impl BatchReader for TableBatches {
    fn place(&self) -> &str {
        &self.place
    }

    fn columns(&self) -> usize {
        self.rows.width()
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn expected_rows(&self) -> Option<u64> {
        Some(self.rows.expected_rows() as u64)
    }

    fn names(&self) -> &[String] {
        self.rows.columns()
    }

    fn label(&self) -> Option<&str> {
        self.rows.label()
    }

    fn has_labels(&self) -> bool {
        self.rows.has_labels()
    }

    fn notes(&self) -> Vec<Note> {
        self.rows.notes()
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        let Some(batch) = self.rows.next_rows(rows)? else { return Ok(None) };
        let width = self.rows.width();
        let points = if self.single {
            let values = batch.values.into_iter().map(|value| value as f32).collect();
            OwnedPoints::from_f32(values, batch.rows, width)
        } else {
            OwnedPoints::from_f64(batch.values, batch.rows, width)
        };
        let points = points
            .ok_or_else(|| DataError::content(&self.place, "the table changed while reading"))?;
        let weights = self.weighted.then_some(batch.weights);
        Ok(Some(Batch { points, labels: named(batch.labels, &batch.names), weights }))
    }
}
