//! Comma- and tab-separated tables, compressed or not, with one column of labels.

use std::io::Read;
use std::path::Path;

use ::csv::{ByteRecord, Reader, ReaderBuilder};

use super::source::{open, place_of};
use super::{FormatError, Limits};

/// How much of a bad cell a message shows.
const SHOWN: usize = 40;

/// Names a label column goes by when none is given.
const USUAL_LABEL_NAMES: [&str; 5] = ["label", "labels", "class", "target", "y"];

/// A column, by its name or by its position from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// The one column called label, labels, class, target or y, in any case of letters.
    Usual,
    /// By name; the table must have a header.
    Name(String),
    /// By position, counted from 0.
    Index(usize),
}

/// Whether the first row names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does when a cell outside the label column is not a number, or a label is asked by name.
    #[default]
    Auto,
    /// It does.
    Present,
    /// It does not.
    Absent,
}

/// How to read a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The column that holds labels, if any.
    pub label: Option<Column>,
    /// Whether the first row names the columns.
    pub header: Header,
    /// The character between cells; by default a tab for `.tsv` and a comma otherwise.
    pub delimiter: Option<u8>,
    /// How large the table may be, decompressed.
    pub limits: Limits,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { label: None, header: Header::Auto, delimiter: None, limits: Limits::default() }
    }
}

/// A table of numbers with, beside it, the texts of its label column.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvTable {
    /// The names of the numeric columns; empty without a header.
    pub columns: Vec<String>,
    /// The number of rows.
    pub rows: usize,
    /// The number of numeric columns.
    pub width: usize,
    /// The numbers, row after row.
    pub values: Vec<f64>,
    /// The label of every row, when a label column was asked for.
    pub labels: Option<Vec<String>>,
}

/// Reads a table from a file, decompressing it when it is gzip.
pub fn read_csv(path: &Path, options: &CsvOptions) -> Result<CsvTable, FormatError> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let tabs = name.is_some_and(|name| name.ends_with(".tsv") || name.ends_with(".tsv.gz"));
    let delimiter = options.delimiter.unwrap_or(if tabs { b'\t' } else { b',' });
    let options = CsvOptions { delimiter: Some(delimiter), ..options.clone() };
    read_csv_from(open(path)?.reader, &options, &place_of(path))
}

/// Reads a table from any stream; `place` is what messages call it.
pub fn read_csv_from(
    reader: impl Read,
    options: &CsvOptions,
    place: &str,
) -> Result<CsvTable, FormatError> {
    let limit = options.limits.bytes;
    let mut bounded = Bounded { reader, left: limit, exceeded: false };
    let result = {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(options.delimiter.unwrap_or(b','))
            .from_reader(&mut bounded);
        read_rows(&mut reader, options, place)
    };
    if bounded.exceeded {
        let needed = u128::from(limit) + 1;
        return Err(FormatError::Limit { place: place.to_owned(), needed, limit });
    }
    result
}

fn read_rows<R: Read>(
    reader: &mut Reader<R>,
    options: &CsvOptions,
    place: &str,
) -> Result<CsvTable, FormatError> {
    let table_error = |problem: String| FormatError::Table { place: place.to_owned(), problem };
    let mut record = ByteRecord::new();
    let mut read = |record: &mut ByteRecord| {
        reader.read_byte_record(record).map_err(|error| table_error(error.to_string()))
    };
    if !read(&mut record)? {
        return Err(table_error("it is empty; expected rows of numbers".to_owned()));
    }
    let cells = record.len();
    let first: Vec<String> =
        record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
    let named = match (&options.header, &options.label) {
        (Header::Present, _) | (Header::Auto, Some(Column::Name(_) | Column::Usual)) => true,
        (Header::Absent, _) => false,
        (Header::Auto, label) => first.iter().enumerate().any(|(index, cell)| {
            label != &Some(Column::Index(index)) && cell.parse::<f64>().is_err()
        }),
    };
    let label = match &options.label {
        None => None,
        Some(column) => Some(find(column, &first, named, place)?),
    };
    let mut columns = Vec::new();
    if named {
        columns.extend((0..cells).filter(|&i| Some(i) != label).map(|i| first[i].clone()));
    }
    let column_name =
        |index: usize| if named { first[index].clone() } else { (index + 1).to_string() };

    let (mut rows, mut values, mut labels) = (0, Vec::new(), Vec::new());
    let mut more = if named { read(&mut record)? } else { true };
    while more {
        let line = record.position().map_or(0, ::csv::Position::line);
        if record.len() != cells {
            return Err(FormatError::Ragged {
                place: place.to_owned(),
                line,
                expected: cells,
                found: record.len(),
            });
        }
        for (index, cell) in record.iter().enumerate() {
            if Some(index) == label {
                labels.push(String::from_utf8_lossy(cell).trim().to_owned());
                continue;
            }
            let number = std::str::from_utf8(cell).ok().and_then(|text| text.trim().parse().ok());
            values.push(number.filter(|value: &f64| value.is_finite()).ok_or_else(|| {
                FormatError::Cell {
                    place: place.to_owned(),
                    line,
                    column: column_name(index),
                    text: String::from_utf8_lossy(cell).chars().take(SHOWN).collect(),
                }
            })?);
        }
        rows += 1;
        more = read(&mut record)?;
    }
    let width = cells - usize::from(label.is_some());
    if rows == 0 || width == 0 {
        return Err(table_error(format!("it has {rows} rows of {width} numbers")));
    }
    Ok(CsvTable { columns, rows, width, values, labels: label.map(|_| labels) })
}

/// The position of a column.
fn find(column: &Column, first: &[String], named: bool, place: &str) -> Result<usize, FormatError> {
    let found = match column {
        Column::Index(index) => Some(*index).filter(|&index| index < first.len()),
        Column::Name(name) if named => first.iter().position(|other| other == name),
        Column::Usual if named => {
            let usual = |name: &String| USUAL_LABEL_NAMES.contains(&name.to_lowercase().as_str());
            let at = first.iter().position(usual);
            // Two candidates are as ambiguous as none.
            at.filter(|_| first.iter().filter(|name| usual(name)).count() == 1)
        }
        _ => None,
    };
    found.ok_or_else(|| {
        let name = match column {
            Column::Name(name) => name.clone(),
            Column::Index(index) => index.to_string(),
            Column::Usual => "label (or class, target, y): name the column of labels".to_owned(),
        };
        let names = if named {
            first.join(", ").chars().take(1000).collect()
        } else {
            format!("positions 0 to {}, without names", first.len().saturating_sub(1))
        };
        FormatError::Missing { place: place.to_owned(), what: "column", name, names }
    })
}

/// A stream that ends with an error rather than run past a limit.
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
