//! Column means of files that are read twice: first to compute the means, then to fill in missing
//! values.
//!
//! Values are added row by row in the order of the files. Samples in memory are treated in the same
//! order, so both lead to the same bits.

use std::path::Path;

use sqfa::Points;

use super::kinds::file_kind;
use super::missing::column_name;
use super::{DataError, LoadOptions, OwnedPoints};
use crate::formats::{Column, Missing};

/// The number of rows that are read at once.
const ROWS: usize = 4096;

/// The sums and counts of the values that are not missing, for each column.
#[derive(Debug, Default)]
pub struct ColumnMeans {
    sums: Vec<f64>,
    counts: Vec<u64>,
    columns: Vec<String>,
}

impl ColumnMeans {
    /// Adds the values of a file, which must be readable a second time. `weights` is a column of
    /// weights in a table.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, cannot be read twice, or has other columns.
    pub fn add(
        &mut self,
        path: &Path,
        options: &LoadOptions,
        weights: Option<&Column>,
    ) -> Result<(), DataError> {
        let place = path.display().to_string();
        if !path.is_file() {
            return Err(DataError::ReadOnce { place });
        }
        let options = LoadOptions {
            missing: Missing::Keep,
            expected: Some(self.columns.clone()).filter(|names| !names.is_empty()),
            ..options.clone()
        };
        let mut reader = (file_kind(path)?.batches)(path, &options, weights)?;
        if self.sums.is_empty() {
            self.sums = vec![0.0; reader.columns()];
            self.counts = vec![0; reader.columns()];
            self.columns = reader.names().to_vec();
        }
        if reader.columns() != self.sums.len() {
            return Err(DataError::FileDimensions {
                place,
                found: reader.columns(),
                other: "the file before".to_owned(),
                expected: self.sums.len(),
            });
        }
        while let Some(batch) = reader.next_batch(ROWS)? {
            self.add_points(&batch.points, batch.weights.as_deref());
        }
        Ok(())
    }

    fn add_points(&mut self, points: &OwnedPoints, weights: Option<&[u64]>) {
        let view = points.view();
        let value = |row: usize, column: usize| match view {
            Points::U8(table) => f64::from(table.get(row, column)),
            Points::F32(table) => f64::from(table.get(row, column)),
            Points::F64(table) => table.get(row, column),
        };
        for row in 0..points.rows() {
            let weight = weights.map_or(1, |weights| weights[row]);
            for column in 0..self.sums.len() {
                let value = value(row, column);
                if !value.is_nan() {
                    self.sums[column] += weight as f64 * value;
                    self.counts[column] = self.counts[column].saturating_add(weight);
                }
            }
        }
    }

    /// Returns the means.
    ///
    /// # Errors
    ///
    /// If a column has no value at all.
    pub fn finish(self, place: &str) -> Result<Vec<f64>, DataError> {
        if let Some(column) = self.counts.iter().position(|&count| count == 0) {
            let name = column_name(&self.columns, column);
            let problem = format!("column {name} has no value at all: leave it out");
            return Err(DataError::content(place, problem));
        }
        Ok(self.sums.iter().zip(&self.counts).map(|(sum, &count)| sum / count as f64).collect())
    }
}
