//! Batches from delimited tables, compressed or not.

use std::io::Read;
use std::path::Path;

use sqfa::{Classes, Labels};

use super::super::{DataError, LoadOptions, OwnedPoints};
use super::{Batch, BatchReader};
use crate::formats::{Column, CsvRows, Note};

/// Rows of a table; labels are text until all of them are known.
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
        Ok(Some(Batch { points, labels: named(&batch.labels, &batch.names), weights }))
    }
}

/// Labels as the texts they are, even where all of them read as numbers: a later batch may hold a word.
fn named(places: &[u32], names: &[String]) -> Labels {
    let mut used = vec![false; names.len()];
    places.iter().for_each(|&place| used[place as usize] = true);
    let mut order: Vec<usize> = (0..names.len()).filter(|&place| used[place]).collect();
    order.sort_by_key(|&place| &names[place]);
    let mut codes = vec![0; names.len()];
    order.iter().enumerate().for_each(|(code, &place)| codes[place] = code as u32);
    let classes = Classes::Texts(order.iter().map(|&place| names[place].clone()).collect());
    let codes = places.iter().map(|&place| codes[place as usize]).collect();
    Labels::from_codes(classes, codes).unwrap_or_else(|| Labels::from_integers(&[]))
}

/// The same for labels that are texts already.
#[cfg(feature = "parquet")]
pub(super) fn texts(labels: &[String]) -> Labels {
    let classes: Vec<String> =
        labels.iter().collect::<std::collections::BTreeSet<_>>().into_iter().cloned().collect();
    let code = |label: &String| classes.binary_search(label).unwrap_or(0) as u32;
    let codes = labels.iter().map(code).collect();
    Labels::from_codes(Classes::Texts(classes), codes).unwrap_or_else(|| Labels::from_integers(&[]))
}
