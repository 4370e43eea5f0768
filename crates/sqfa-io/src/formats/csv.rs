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
    let options = CsvOptions { delimiter: Some(delimiter(path, options)), ..options.clone() };
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
    let result = read_all(&mut bounded, options, place);
    if bounded.exceeded {
        let needed = u128::from(limit) + 1;
        return Err(FormatError::Limit { place: place.to_owned(), needed, limit });
    }
    result
}

fn read_all(reader: impl Read, options: &CsvOptions, place: &str) -> Result<CsvTable, FormatError> {
    let mut table = CsvRows::new(reader, options, None, place)?;
    let (columns, width) = (table.columns(), table.width());
    let Some(rows) = table.next_rows(usize::MAX)? else {
        return Err(table.problem(format!("it has 0 rows of {width} numbers")));
    };
    let labels = options.label.is_some().then_some(rows.labels);
    Ok(CsvTable { columns, rows: rows.rows, width, values: rows.values, labels })
}

/// Rows of a table, a few at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRows {
    /// The number of rows.
    pub rows: usize,
    /// The numbers, row after row.
    pub values: Vec<f64>,
    /// The label of every row, when a label column was asked for.
    pub labels: Vec<String>,
    /// The weight of every row, when a weight column was asked for.
    pub weights: Vec<u64>,
}

/// A table read row by row, never held whole.
pub struct CsvRows<R> {
    reader: Reader<R>,
    record: ByteRecord,
    /// Whether `record` holds a row that was read but not given out.
    pending: bool,
    first: Vec<String>,
    named: bool,
    label: Option<usize>,
    weight: Option<usize>,
    place: String,
}

impl<R> std::fmt::Debug for CsvRows<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvRows").field("place", &self.place).field("columns", &self.first).finish()
    }
}

impl CsvRows<Box<dyn Read + Send>> {
    /// Opens a table in a file, decompressing it when it is gzip; `-` is standard input.
    pub fn open(
        path: &Path,
        options: &CsvOptions,
        weight: Option<&Column>,
    ) -> Result<Self, FormatError> {
        if path == Path::new("-") {
            return Self::new(Box::new(std::io::stdin()), options, weight, "standard input");
        }
        let options = CsvOptions { delimiter: Some(delimiter(path, options)), ..options.clone() };
        Self::new(open(path)?.reader, &options, weight, &place_of(path))
    }
}

impl<R: Read> CsvRows<R> {
    /// Reads the first row and finds the columns.
    pub fn new(
        reader: R,
        options: &CsvOptions,
        weight: Option<&Column>,
        place: &str,
    ) -> Result<Self, FormatError> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(options.delimiter.unwrap_or(b','))
            .from_reader(reader);
        let mut record = ByteRecord::new();
        let table_error = |problem: String| FormatError::Table { place: place.to_owned(), problem };
        if !reader.read_byte_record(&mut record).map_err(|error| table_error(error.to_string()))? {
            return Err(table_error("it is empty; expected rows of numbers".to_owned()));
        }
        let first: Vec<String> =
            record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        let by_name = |column: &Column| matches!(column, Column::Name(_) | Column::Usual);
        let named = match (&options.header, &options.label) {
            (Header::Present, _) => true,
            (Header::Absent, _) => false,
            (Header::Auto, label) if label.iter().chain(weight).any(by_name) => true,
            (Header::Auto, label) => first.iter().enumerate().any(|(index, cell)| {
                label != &Some(Column::Index(index)) && cell.parse::<f64>().is_err()
            }),
        };
        let find = |column: &Column| find(column, &first, named, place);
        let label = options.label.as_ref().map(find).transpose()?;
        let weight = weight.map(find).transpose()?;
        if label.is_some() && label == weight {
            return Err(table_error("labels and weights are the same column".to_owned()));
        }
        let rows = Self {
            reader,
            record,
            pending: !named,
            first,
            named,
            label,
            weight,
            place: place.to_owned(),
        };
        if rows.width() == 0 {
            return Err(rows.problem("it has rows of 0 numbers".to_owned()));
        }
        Ok(rows)
    }

    /// The number of numeric columns.
    pub fn width(&self) -> usize {
        self.first.len() - usize::from(self.label.is_some()) - usize::from(self.weight.is_some())
    }

    /// The names of the numeric columns; empty without a header.
    pub fn columns(&self) -> Vec<String> {
        let numeric = |&i: &usize| Some(i) != self.label && Some(i) != self.weight;
        let named = if self.named { self.first.len() } else { 0 };
        (0..named).filter(numeric).map(|i| self.first[i].clone()).collect()
    }

    /// Up to `count` further rows; `None` after the last.
    pub fn next_rows(&mut self, count: usize) -> Result<Option<TableRows>, FormatError> {
        let mut batch = TableRows::default();
        while batch.rows < count.max(1) {
            if !std::mem::take(&mut self.pending) {
                let more = self.reader.read_byte_record(&mut self.record);
                if !more.map_err(|error| self.problem(error.to_string()))? {
                    break;
                }
            }
            self.add_row(&mut batch)?;
        }
        Ok((batch.rows > 0).then_some(batch))
    }

    fn add_row(&self, batch: &mut TableRows) -> Result<(), FormatError> {
        let line = self.record.position().map_or(0, ::csv::Position::line);
        if self.record.len() != self.first.len() {
            return Err(FormatError::Ragged {
                place: self.place.clone(),
                line,
                expected: self.first.len(),
                found: self.record.len(),
            });
        }
        for (index, cell) in self.record.iter().enumerate() {
            if Some(index) == self.label {
                let label = String::from_utf8_lossy(cell).trim().to_owned();
                if label.is_empty() {
                    let problem = format!("line {line} has no label; fill it in or remove the row");
                    return Err(self.problem(problem));
                }
                batch.labels.push(label);
                continue;
            }
            let text = std::str::from_utf8(cell).ok().map(str::trim);
            if Some(index) == self.weight {
                batch.weights.push(self.weight_of(text.unwrap_or(""), line)?);
                continue;
            }
            let number = text.and_then(|text| text.parse().ok());
            batch.values.push(number.filter(|value: &f64| value.is_finite()).ok_or_else(|| {
                FormatError::Cell {
                    place: self.place.clone(),
                    line,
                    column: self.column_name(index),
                    text: String::from_utf8_lossy(cell).chars().take(SHOWN).collect(),
                }
            })?);
        }
        batch.rows += 1;
        Ok(())
    }

    fn weight_of(&self, text: &str, line: u64) -> Result<u64, FormatError> {
        // A whole number may be written as 2.0, as tables of floats do.
        let float = text.parse::<f64>().ok().filter(|w| *w >= 0.0 && w.fract() == 0.0 && *w < 9e15);
        text.parse().ok().or(float.map(|weight| weight as u64)).ok_or_else(|| {
            let shown: String = text.chars().take(SHOWN).collect();
            self.problem(format!(
                "line {line}: weight '{shown}' is not a whole number of at least 0; weights count repetitions"
            ))
        })
    }

    fn column_name(&self, index: usize) -> String {
        if self.named { self.first[index].clone() } else { (index + 1).to_string() }
    }

    fn problem(&self, problem: String) -> FormatError {
        FormatError::Table { place: self.place.clone(), problem }
    }
}

/// The character between cells: as told, or as the name's ending says.
fn delimiter(path: &Path, options: &CsvOptions) -> u8 {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let tabs = name.is_some_and(|name| name.ends_with(".tsv") || name.ends_with(".tsv.gz"));
    options.delimiter.unwrap_or(if tabs { b'\t' } else { b',' })
}

/// The position of a column.
fn find(column: &Column, first: &[String], named: bool, place: &str) -> Result<usize, FormatError> {
    let found = match column {
        Column::Index(index) => Some(*index).filter(|&index| index < first.len()),
        Column::Name(name) if named => first.iter().position(|other| other == name),
        Column::Usual if named => usual_label(first),
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

/// The one column that is called as label columns are; two candidates are as ambiguous as none.
pub(crate) fn usual_label(names: &[String]) -> Option<usize> {
    let usual = |name: &String| USUAL_LABEL_NAMES.contains(&name.to_lowercase().as_str());
    let at = names.iter().position(usual);
    at.filter(|_| names.iter().filter(|name| usual(name)).count() == 1)
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
