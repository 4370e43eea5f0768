//! Reading of a whole table, with a limit on its memory.

use std::io::Read;
use std::path::Path;

use super::super::FormatError;
use super::super::source::{open, place_of};
use super::{CsvOptions, CsvRows, usual_delimiter};

/// A table of numbers with the texts of its label column.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvTable {
    /// The names of the numeric columns. Empty without a header.
    pub columns: Vec<String>,
    /// The number of rows.
    pub rows: usize,
    /// The number of numeric columns.
    pub width: usize,
    /// The numbers in row-major order.
    pub values: Vec<f64>,
    /// The label of every row, or `None` if no label column was requested.
    pub labels: Option<Vec<String>>,
}

/// Reads a table from a file, which may be compressed with gzip.
///
/// # Errors
///
/// If the file cannot be read or is not a valid table.
pub fn read_csv(path: &Path, options: &CsvOptions) -> Result<CsvTable, FormatError> {
    read_bounded(open(path)?.reader, options, &place_of(path), usual_delimiter(path))
}

/// Reads a table from any stream. `place` is its name in messages.
///
/// # Errors
///
/// If the stream cannot be read or is not a valid table.
pub fn read_csv_from(
    reader: impl Read,
    options: &CsvOptions,
    place: &str,
) -> Result<CsvTable, FormatError> {
    read_bounded(reader, options, place, b',')
}

fn read_bounded(
    reader: impl Read,
    options: &CsvOptions,
    place: &str,
    usual: u8,
) -> Result<CsvTable, FormatError> {
    let limit = options.limits.bytes;
    let mut bounded = Bounded { reader, left: limit, exceeded: false };
    let result = read_all(&mut bounded, options, place, usual);
    if bounded.exceeded {
        let needed = u128::from(limit) + 1;
        return Err(FormatError::Limit { place: place.to_owned(), needed, limit });
    }
    result
}

fn read_all(
    reader: impl Read,
    options: &CsvOptions,
    place: &str,
    usual: u8,
) -> Result<CsvTable, FormatError> {
    let mut table = CsvRows::new(reader, options, None, place, usual)?;
    let (columns, width) = (table.columns().to_vec(), table.width());
    let Some(rows) = table.next_rows(usize::MAX)? else {
        return Err(table.problem(format!("it has 0 rows of {width} numbers")));
    };
    let label = |&place: &u32| rows.names[place as usize].clone();
    let labels = table.layout.label.is_some().then(|| rows.labels.iter().map(label).collect());
    Ok(CsvTable { columns, rows: rows.rows, width, values: rows.values, labels })
}

/// A stream that fails when a limit is exceeded.
struct Bounded<R> {
    reader: R,
    left: u64,
    exceeded: bool,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let taken = self.reader.read(bytes)?;
        self.left = self.left.checked_sub(taken as u64).ok_or_else(|| {
            self.exceeded = true;
            std::io::Error::other("the table is larger than allowed")
        })?;
        Ok(taken)
    }
}
