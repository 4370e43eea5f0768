//! The format of a table: delimiter, decimal mark, comments, header and number of columns, as
//! specified or as detected in the first rows.

use std::io::Read;

use ::csv::ByteRecord;

use super::super::FormatError;
use super::sample::Sample;
use super::sniff::{self, First};
use super::{Column, CsvOptions, Decimal, Header, cell};

/// The largest number of columns. It limits the memory for a first row that consists only of
/// delimiters.
const MOST_COLUMNS: usize = 1 << 22;

/// The source of the column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// The first row.
    FirstRow,
    /// A first row that consists of numbers.
    Numbers,
    /// A comment above the first row.
    Comment,
    /// No source, because the first row contains data.
    Nothing,
}

/// The format of a table and its first bytes.
pub(super) struct Start {
    /// The first bytes.
    pub(super) sample: Vec<u8>,
    pub(super) delimiter: u8,
    /// Whether lines that begin with # are comments.
    pub(super) comments: bool,
    pub(super) decimal: Decimal,
    pub(super) names: Option<Vec<String>>,
    pub(super) named_by: NamedBy,
    /// The number of columns.
    pub(super) cells: usize,
    /// The mean number of bytes per row.
    pub(super) row_bytes: f64,
    /// The only column whose values look like names of classes, if there is one.
    pub(super) classes: Option<usize>,
}

impl Start {
    /// Reads the first rows of a table. `usual` is the delimiter if it cannot be detected.
    pub(super) fn read(
        reader: &mut impl Read,
        options: &CsvOptions,
        weight: Option<&Column>,
        place: &str,
        usual: u8,
    ) -> Result<Self, FormatError> {
        let table_error = |problem: String| FormatError::Table { place: place.to_owned(), problem };
        let Sample { bytes: mut sample, whole } =
            Sample::read(reader).map_err(|error| table_error(error.to_string()))?;
        if sample.starts_with(&[0xff, 0xfe]) || sample.starts_with(&[0xfe, 0xff]) {
            return Err(table_error("it is UTF-16 or UTF-32; save it as UTF-8".to_owned()));
        }
        if sample.contains(&0) {
            let problem =
                "it has zero bytes, as UTF-16 and binary files do; save it as text in UTF-8";
            return Err(table_error(problem.to_owned()));
        }
        if sample.starts_with(&[0xef, 0xbb, 0xbf]) {
            sample.drain(..3);
        }
        let comments = sniff::has_comments(&sample);
        let delimiter = options
            .delimiter
            .unwrap_or_else(|| sniff::delimiter(&sample, whole, usual, comments, options.decimal));
        let mut rows = sniff::rows(&sample, whole, delimiter, comments);
        if rows.is_empty() {
            return Err(table_error("it is empty; expected rows of numbers".to_owned()));
        }
        let in_comment = match sniff::last_comment(&sample, delimiter).filter(|_| comments) {
            Some(names) => names_columns(&names, &rows, options, weight),
            None => None,
        };
        let names_in_comment = in_comment.is_some();
        rows.splice(0..0, in_comment);
        let decimal = options.decimal.unwrap_or_else(|| sniff::decimal(&rows));
        let first = &rows[0];
        let cells = match options.label {
            // An empty label column is kept, because it may be filled in later.
            Some(Column::Index(at)) => {
                sniff::width(&rows).max(first.len().min(at.saturating_add(1)))
            }
            _ => sniff::width(&rows),
        };
        if cells > MOST_COLUMNS {
            return Err(table_error(format!(
                "its first row has {cells} cells, and at most {MOST_COLUMNS} columns are read"
            )));
        }
        if let Some(width) = sniff::below_a_title(&rows) {
            return Err(table_error(format!(
                "line 1 is '{}', and rows of {width} cells stand below: remove what stands above the names of the \
                 columns (titles, comments)",
                cell::shown(first.as_slice())
            )));
        }
        let bytes: usize = rows.iter().map(|row| row.as_slice().len() + row.len()).sum();
        let row_bytes = bytes as f64 / rows.len() as f64;
        let named_by = match first_row(&rows, options, weight) {
            _ if names_in_comment => NamedBy::Comment,
            First::Names => NamedBy::FirstRow,
            First::Numbers => NamedBy::Numbers,
            First::Point => NamedBy::Nothing,
        };
        let named = named_by != NamedBy::Nothing;
        let mut names = Vec::new();
        for (at, cell) in first.iter().take(cells).enumerate().filter(|_| named) {
            let name = options.encoding.decode(cell).ok_or_else(|| FormatError::Encoding {
                place: place.to_owned(),
                what: format!("line 1: the name of column {}", at + 1),
                encoding: options.encoding,
            })?;
            // A column without a name gets the one that pandas uses. If it is the first column, it
            // is an index.
            names.push(match name.trim() {
                "" if at > 0 => format!("Unnamed: {at}"),
                name => name.to_owned(),
            });
        }
        let names = named.then_some(names);
        let classes = sniff::column_of_classes(&rows[usize::from(named)..], cells);
        Ok(Self {
            sample,
            delimiter,
            comments,
            decimal,
            names,
            named_by,
            cells,
            row_bytes,
            classes,
        })
    }
}

/// Returns the cells of a comment if they are the names of the columns below it. The first row
/// must not contain names itself.
fn names_columns(
    comment: &ByteRecord,
    rows: &[ByteRecord],
    options: &CsvOptions,
    weight: Option<&Column>,
) -> Option<ByteRecord> {
    let below = first_row(rows, options, weight);
    if below != First::Point || options.header != Header::Auto {
        return None;
    }
    let width = rows.first().map_or(0, ByteRecord::len);
    let all: Vec<ByteRecord> = std::iter::once(comment).chain(rows).cloned().collect();
    let names = comment.len() == width && width > 1;
    (names && first_row(&all, options, weight) != First::Point).then(|| comment.clone())
}

/// Returns the content of the first row: as specified, as required by specified names, or as
/// detected.
fn first_row(rows: &[ByteRecord], options: &CsvOptions, weight: Option<&Column>) -> First {
    let named = |cell: &[u8], name: &str| {
        options.encoding.decode(cell).is_some_and(|cell| cell.trim() == name)
    };
    let has = |name: &str| rows[0].iter().any(|cell| named(cell, name));
    let asked = options.label.iter().chain(weight).any(|column| match column {
        Column::Name(name) | Column::Known(name) => has(name),
        _ => false,
    });
    match options.header {
        Header::Present => First::Names,
        Header::Absent => First::Point,
        Header::Auto if asked => First::Names,
        Header::Auto => sniff::first_row(rows),
    }
}
