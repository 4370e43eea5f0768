//! Batches from sparse matrices in archives written by `scipy.sparse.save_npz`.
//!
//! Nonzero entries are stored. Rows are converted to dense rows batch by batch.

use sqfa::Labels;

use super::super::{DataError, OwnedPoints};
use super::{Batch, BatchReader};
use crate::formats::{FormatError, Npz, Values};

/// The rows of a sparse matrix.
pub(in super::super) struct SparseBatches {
    place: String,
    rows: usize,
    columns: usize,
    /// The row, column and value of each entry, sorted by row. Rows without entries need no memory,
    /// however many the file declares.
    entries: Vec<(usize, u32, f64)>,
    single: bool,
    labels: Option<Labels>,
    next: usize,
}

impl SparseBatches {
    /// Whether an archive contains a sparse matrix.
    pub(in super::super) fn is_in(npz: &Npz) -> bool {
        ["format", "shape", "data"].iter().all(|name| npz.contains(name))
    }

    /// Reads the matrix of an archive.
    pub(in super::super) fn read(npz: &mut Npz) -> Result<Self, DataError> {
        let place = npz.place().to_owned();
        let problem = |problem: String| DataError::content(&place, problem);
        let format = match npz.read("format")?.values() {
            Values::Text(texts) => texts.first().cloned().unwrap_or_default(),
            _ => String::new(),
        };
        let (rows, columns) = match whole_numbers(npz, "shape")?[..] {
            [rows, columns] if rows > 0 && columns > 0 && u32::try_from(columns).is_ok() => {
                (rows, columns)
            }
            ref other => {
                let shape =
                    format!("its sparse matrix has shape {other:?}; expected rows and columns");
                return Err(problem(shape));
            }
        };
        let (row_of, column_of) = match format.as_str() {
            "coo" => (whole_numbers(npz, "row")?, whole_numbers(npz, "col")?),
            "csr" => (spread(npz, rows)?, whole_numbers(npz, "indices")?),
            "csc" => {
                let column_of = spread(npz, columns)?;
                (whole_numbers(npz, "indices")?, column_of)
            }
            other => {
                return Err(problem(format!(
                    "its sparse matrix has the format '{other}'; save it as csr, csc or coo, as in \
                     scipy.sparse.save_npz(FILE, matrix.tocsr())"
                )));
            }
        };
        let data = npz.read("data")?;
        let single = matches!(data.values(), Values::F32(_));
        let values: Vec<f64> = match data.into_parts().1 {
            Values::U8(values) => values.into_iter().map(f64::from).collect(),
            Values::F32(values) => values.into_iter().map(f64::from).collect(),
            Values::F64(values) => values,
            Values::I64(values) => values.into_iter().map(|value| value as f64).collect(),
            Values::Text(_) => return Err(problem("its sparse matrix holds text".to_owned())),
        };
        if row_of.len() != values.len() || column_of.len() != values.len() {
            return Err(problem(format!(
                "its sparse matrix has {} entries, {} rows of entries and {} columns of entries: write it again",
                values.len(),
                row_of.len(),
                column_of.len()
            )));
        }
        let outside = row_of.iter().any(|&row| row >= rows);
        if outside || column_of.iter().any(|&column| column >= columns) {
            return Err(problem(format!(
                "its sparse matrix has entries outside {rows} rows and {columns} columns: write it again"
            )));
        }
        let places = row_of.into_iter().zip(column_of).zip(values);
        let mut entries: Vec<(usize, u32, f64)> =
            places.map(|((row, column), value)| (row, column as u32, value)).collect();
        // The sort is stable, so entries of a row stay in the order of the file.
        entries.sort_by_key(|&(row, ..)| row);
        Ok(Self { place, rows, columns, entries, single, labels: None, next: 0 })
    }

    /// Adds labels to the rows. It is an error if their number differs.
    pub(in super::super) fn with_labels(self, labels: Labels) -> Result<Self, DataError> {
        let (points, count) = (self.rows, labels.len());
        if points != count {
            return Err(DataError::Lengths { place: self.place, points, labels: count });
        }
        Ok(Self { labels: Some(labels), ..self })
    }

    fn dense<T: Copy + Default + std::ops::AddAssign>(
        &self,
        rows: std::ops::Range<usize>,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>, DataError> {
        let count = rows.len().saturating_mul(self.columns);
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(count).map_err(|_| FormatError::Memory {
            place: self.place.clone(),
            bytes: count as u128 * size_of::<T>() as u128,
        })?;
        values.resize(count, T::default());
        let first = self.entries.partition_point(|&(row, ..)| row < rows.start);
        let entries = self.entries[first..].iter().take_while(|(row, ..)| *row < rows.end);
        for &(row, column, value) in entries {
            // Duplicate entries are added, as in SciPy.
            values[(row - rows.start) * self.columns + column as usize] += convert(value);
        }
        Ok(values)
    }
}

/// Returns the row of every entry of a CSR matrix, or the column of every entry of a CSC matrix.
fn spread(npz: &mut Npz, count: usize) -> Result<Vec<usize>, DataError> {
    let bounds = whole_numbers(npz, "indptr")?;
    let entries = npz.shape("data")?.iter().product::<usize>();
    let ascending = bounds.windows(2).all(|pair| pair[0] <= pair[1]);
    if bounds.len() != count + 1 || bounds[0] != 0 || bounds[count] != entries || !ascending {
        let problem = format!(
            "indptr of its sparse matrix does not fit {count} rows or columns and {entries} entries: write it again"
        );
        return Err(DataError::content(npz.place(), problem));
    }
    let of = |at: usize| std::iter::repeat_n(at, bounds[at + 1] - bounds[at]);
    Ok((0..count).flat_map(of).collect())
}

fn whole_numbers(npz: &mut Npz, name: &str) -> Result<Vec<usize>, DataError> {
    let array = npz.read(name)?;
    let numbers: Option<Vec<usize>> = match array.values() {
        Values::I64(values) => values.iter().map(|&value| usize::try_from(value).ok()).collect(),
        Values::U8(values) => Some(values.iter().map(|&value| usize::from(value)).collect()),
        _ => None,
    };
    numbers.ok_or_else(|| {
        let problem =
            format!("'{name}' of its sparse matrix must hold whole numbers: write it again");
        DataError::content(npz.place(), problem)
    })
}

impl BatchReader for SparseBatches {
    fn place(&self) -> &str {
        &self.place
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows as u64)
    }

    fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        let count = rows.max(1).min(self.rows - self.next);
        if count == 0 {
            return Ok(None);
        }
        let range = self.next..self.next + count;
        let points = if self.single {
            OwnedPoints::from_f32(
                self.dense(range.clone(), |value| value as f32)?,
                count,
                self.columns,
            )
        } else {
            OwnedPoints::from_f64(self.dense(range.clone(), |value| value)?, count, self.columns)
        };
        let changed = || DataError::content(&self.place, "the matrix changed while reading");
        let points = points.ok_or_else(changed)?;
        let selected: Vec<usize> = range.collect();
        let labels = match &self.labels {
            Some(labels) => labels.select(&selected),
            None => Labels::from_integers(&[]),
        };
        self.next += count;
        Ok(Some(Batch { points, labels, weights: None }))
    }
}
