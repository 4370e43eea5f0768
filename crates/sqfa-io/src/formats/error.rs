//! Errors of file formats, with the file, the position, the values and the remedy.

use std::io;

use thiserror::Error;

/// An error of a file that could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// An error of the operating system or of a decompressor.
    #[error("cannot {action} {place}: {source}")]
    Io {
        /// The file or archive member.
        place: String,
        /// The operation that was attempted.
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// Signature bytes that do not match the expected format.
    #[error("{place} is not {format}: {remedy}")]
    Magic {
        /// The file or archive member.
        place: String,
        /// The expected format.
        format: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// An invalid header.
    #[error("{place} has an unreadable header: {problem}; write the file again")]
    Header {
        /// The file or archive member.
        place: String,
        /// The problem.
        problem: String,
    },
    /// An unsupported element type.
    #[error("{place} holds elements of type '{dtype}': {remedy}")]
    Dtype {
        /// The file or archive member.
        place: String,
        /// The type in the notation of the file.
        dtype: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A header that does not match the number of bytes in the file.
    #[error(
        "{place} declares {declared} bytes of data but {available} are there: \
         the file is truncated or its header is wrong; fetch or write it again"
    )]
    Size {
        /// The file or archive member.
        place: String,
        /// The number of bytes according to the header.
        declared: u128,
        /// The largest possible number of bytes in the file.
        available: u64,
    },
    /// Data that need more memory than the limit allows.
    #[error("{place} needs {needed} bytes in memory, above the limit of {limit}: raise the limit")]
    Limit {
        /// The file or archive member.
        place: String,
        /// The number of bytes that are needed.
        needed: u128,
        /// The number of bytes that are allowed.
        limit: u64,
    },
    /// Data that need more memory than the system provides.
    #[error(
        "{place} needs {bytes} bytes in memory and the system refused them: use a smaller file"
    )]
    Memory {
        /// The file or archive member.
        place: String,
        /// The number of bytes that are needed.
        bytes: u128,
    },
    /// An element that is not valid for its type.
    #[error("element {index} of {place} is {problem}: save it with a plain numeric or text dtype")]
    Element {
        /// The file or archive member.
        place: String,
        /// The position of the element in the file.
        index: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A damaged zip archive.
    #[error("{place} is not a readable zip archive ({source}): write it again with numpy.savez")]
    Zip {
        /// The archive.
        place: String,
        /// The error of the zip reader.
        source: zip::result::ZipError,
    },
    /// A name that does not exist in the file.
    #[error("{place} has no {what} '{name}'{}; it has: {names}", meant(near.as_ref()))]
    Missing {
        /// The file.
        place: String,
        /// The kind of object that was looked for.
        what: &'static str,
        /// The name that was looked for.
        name: String,
        /// The names that exist.
        names: String,
        /// A similar name, if there is one.
        near: Option<String>,
    },
    /// A table without a column that has a usual name of labels.
    #[error("{place} has no column called {usual}: name the column of labels; it has: {names}")]
    NoLabel {
        /// The table.
        place: String,
        /// The usual names of labels.
        usual: String,
        /// The names of the columns.
        names: String,
        /// The name or position of the column that is likely to contain labels, if there is one.
        likely: Option<String>,
    },
    /// An array or table with an unexpected shape.
    #[error("{place} has shape {found:?}; expected {expected}")]
    Shape {
        /// The file or archive member.
        place: String,
        /// The shape.
        found: Vec<usize>,
        /// The expected shape.
        expected: String,
    },
    /// Feature columns that contain something other than numbers.
    #[error("{place}: {problems}: drop these columns, or name the one that holds the labels")]
    TextColumns {
        /// The table.
        place: String,
        /// The content of these columns, with an example of each kind.
        problems: String,
        /// The names of all columns that must be dropped, or their positions, counted from 0.
        columns: Vec<String>,
        /// Whether labels or other columns have missing values.
        others_missing: bool,
    },
    /// A quotation mark that is never closed.
    #[error(
        "{place}, line {line}: a quotation mark (\") is not closed by the end of the file, {swallowed} lines below: close it, \
         or remove it"
    )]
    OpenQuote {
        /// The file.
        place: String,
        /// The line on which the row begins.
        line: u64,
        /// The number of lines after this line.
        swallowed: u64,
    },
    /// Columns without any value.
    #[error("{place}: no row has a value in {}: leave out what is empty", quoted(.columns))]
    EmptyColumns {
        /// The table.
        place: String,
        /// The names of the columns, or their positions, counted from 0.
        columns: Vec<String>,
    },
    /// A number with a comma instead of a decimal point.
    #[error(
        "{place}, line {line}, column '{column}': '{text}' has a decimal comma, or a comma between thousands. If commas \
         are decimal marks, say so; otherwise write the numbers without marks between thousands"
    )]
    DecimalComma {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The name of the column, or its position, counted from 0.
        column: String,
        /// The content of the cell.
        text: String,
    },
    /// Missing values.
    #[error(
        "{place}: {rows} of {of} rows have missing values ({columns}; the first in {first}): leave \
         those rows out, or fill in the mean of the column"
    )]
    MissingValues {
        /// The table or array.
        place: String,
        /// The number of rows with missing values.
        rows: u64,
        /// The total number of rows.
        of: u64,
        /// The first such row or line.
        first: String,
        /// The number of missing values per column.
        columns: String,
    },
    /// Missing labels in rows whose values are complete.
    #[error(
        "{place}: {rows} of {of} rows have no label (the first in {first}): leave those rows out"
    )]
    MissingLabels {
        /// The table.
        place: String,
        /// The number of rows without a label.
        rows: u64,
        /// The total number of rows.
        of: u64,
        /// The first such row or line.
        first: String,
    },
    /// Text that is invalid in its encoding.
    #[error("{place}, {what} is not {encoding}: say which encoding the file has")]
    Encoding {
        /// The table.
        place: String,
        /// The kind and the position of the text.
        what: String,
        /// The encoding that was used.
        encoding: super::Encoding,
    },
    /// A name that several columns have.
    #[error("{place}: several columns are called '{name}'; rename or leave out all but one")]
    RepeatedName {
        /// The table.
        place: String,
        /// The name.
        name: String,
        /// The position of one of the columns, counted from 0.
        at: usize,
    },
    /// Several columns that could be the labels.
    #[error("{place}: columns {} may all be labels: name the label column", quoted(.names))]
    AmbiguousLabel {
        /// The table.
        place: String,
        /// The names of these columns.
        names: Vec<String>,
    },
    /// A column with a usual name of labels that may not be the labels.
    #[error("{place}: column '{label}' is called like a label, but {why}: name the label column")]
    DoubtfulLabel {
        /// The table.
        place: String,
        /// The name of the column.
        label: String,
        /// The reason for the doubt.
        why: String,
        /// Columns that are more likely to be the labels. May be empty.
        candidates: Vec<String>,
    },
    /// Expected columns that do not exist.
    #[error("{place} lacks the columns {columns}; it has: {names}")]
    AbsentColumns {
        /// The table.
        place: String,
        /// The names of the missing columns.
        columns: String,
        /// The names of the existing columns.
        names: String,
    },
    /// A table cell that is not a finite number.
    #[error(
        "{place}, line {line}, column '{column}': '{text}' is not a finite number; \
         correct it, {}remove the line{}",
        if *repeated { "" } else { "or " },
        if *repeated { ", or read it as missing" } else { "" }
    )]
    Cell {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The name of the column, or its position, counted from 0.
        column: String,
        /// The beginning of the cell.
        text: String,
        /// Whether this is the only invalid text and occurs several times, as marks of missing
        /// values do.
        repeated: bool,
    },
    /// A table row with a different number of cells than the first row.
    #[error("{place}, line {line}: {found} cells where the first row has {expected}")]
    Ragged {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The number of cells in the first row.
        expected: usize,
        /// The number of cells in this row.
        found: usize,
    },
    /// Any other error of a table.
    #[error("{place} is not a readable table: {problem}")]
    Table {
        /// The table.
        place: String,
        /// The problem and its remedy.
        problem: String,
    },
}

impl FormatError {
    pub(crate) fn read(place: &str, source: io::Error) -> Self {
        Self::Io { place: place.to_owned(), action: "read", source }
    }

    pub(crate) fn write(place: &str, source: io::Error) -> Self {
        Self::Io { place: place.to_owned(), action: "write", source }
    }

    pub(crate) fn header(place: &str, problem: impl Into<String>) -> Self {
        Self::Header { place: place.to_owned(), problem: problem.into() }
    }

    pub(crate) fn shape(place: &str, found: &[usize], expected: impl Into<String>) -> Self {
        Self::Shape { place: place.to_owned(), found: found.to_vec(), expected: expected.into() }
    }

    /// Returns a similar name for one that does not exist. Short names are similar by chance, so
    /// they are ignored.
    pub(crate) fn similar<'a>(
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        const SHORT: usize = 4;
        let long = name.chars().count() >= SHORT;
        sqfa::names::nearest(name, known).filter(|_| long).map(str::to_owned)
    }

    /// Converts the error to one about the label column.
    pub(crate) fn of_label(self) -> Self {
        match self {
            Self::Missing { place, name, names, near, .. } => {
                Self::Missing { place, what: "label column", name, names, near }
            }
            other => other,
        }
    }

    /// Adds the column at a position to the error as the one that is likely to contain labels.
    pub(crate) fn with_likely_label(self, at: Option<usize>, names: Option<&[String]>) -> Self {
        match self {
            Self::NoLabel { place, usual, names: listed, .. } => {
                let name = |at: usize| names.map_or_else(|| at.to_string(), |all| all[at].clone());
                Self::NoLabel { place, usual, names: listed, likely: at.map(name) }
            }
            other => other,
        }
    }

    /// Returns the setting of the reader that avoids the error, if there is one.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::Missing { what: "label column", near, .. } => {
                Remedy::Label(near.iter().cloned().collect())
            }
            Self::NoLabel { likely, .. } => Remedy::Label(likely.iter().cloned().collect()),
            Self::Cell { text, repeated: true, .. } => Remedy::NaValue(text.clone()),
            Self::AmbiguousLabel { names, .. } => Remedy::Label(names.clone()),
            Self::DoubtfulLabel { candidates, .. } => Remedy::Label(candidates.clone()),
            Self::TextColumns { columns, others_missing, .. } => {
                Remedy::Ignore { columns: columns.clone(), drop_missing: *others_missing }
            }
            Self::EmptyColumns { columns, .. } => {
                Remedy::Ignore { columns: columns.clone(), drop_missing: false }
            }
            // The position is used, because the name would exclude all of these columns.
            Self::RepeatedName { at, .. } => {
                Remedy::Ignore { columns: vec![at.to_string()], drop_missing: false }
            }
            Self::DecimalComma { .. } => Remedy::DecimalComma,
            Self::MissingValues { .. } => Remedy::Missing,
            Self::MissingLabels { .. } => Remedy::DropMissing,
            Self::Encoding { .. } => Remedy::Encoding,
            Self::Ragged { .. } => Remedy::Delimiter,
            _ => return None,
        })
    }
}

/// A setting of a reader that avoids an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// A selection of fewer columns.
    FewerColumns,
    /// The exclusion of rows with missing values.
    DropMissing,
    /// The name of the label column, with likely names.
    Label(Vec<String>),
    /// The path of a file of labels.
    Labels,
    /// The names of the arrays of samples and labels, with likely names.
    Arrays(Option<(String, String)>),
    /// The name of the array or the path of the file of labels.
    LabelArray,
    /// The exclusion of columns.
    Ignore {
        /// The names of the columns, or their positions, counted from 0.
        columns: Vec<String>,
        /// Whether rows with missing values must be excluded as well.
        drop_missing: bool,
    },
    /// A text that represents a missing value, with the exclusion of rows with missing values.
    NaValue(String),
    /// The comma as the decimal mark.
    DecimalComma,
    /// The treatment of missing values.
    Missing,
    /// The encoding.
    Encoding,
    /// The delimiter of cells.
    Delimiter,
}

/// Returns the end of a sentence that suggests a similar name.
fn meant(near: Option<&String>) -> String {
    near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default()
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}
