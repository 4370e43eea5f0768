//! What can be wrong with a file, where, by how much, and what to do about it.

use std::io;

use thiserror::Error;

/// A file that could not be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The operating system or a decompressor refused.
    #[error("cannot {action} {place}: {source}")]
    Io {
        /// The file or archive member.
        place: String,
        /// What was attempted.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The first bytes are not those of the expected format.
    #[error("{place} is not {format}: {remedy}")]
    Magic {
        /// The file or archive member.
        place: String,
        /// The expected format.
        format: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A header that cannot be understood.
    #[error("{place} has an unreadable header: {problem}; write the file again")]
    Header {
        /// The file or archive member.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// An element type outside the supported ones.
    #[error("{place} holds elements of type '{dtype}': {remedy}")]
    Dtype {
        /// The file or archive member.
        place: String,
        /// The type as the file spells it.
        dtype: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The header and the bytes there disagree.
    #[error(
        "{place} declares {declared} bytes of data but {available} are there: \
         the file is truncated or its header is wrong; fetch or write it again"
    )]
    Size {
        /// The file or archive member.
        place: String,
        /// What the header claims.
        declared: u128,
        /// What can be there at most.
        available: u64,
    },
    /// More memory needed than allowed.
    #[error("{place} needs {needed} bytes in memory, above the limit of {limit}: raise the limit")]
    Limit {
        /// The file or archive member.
        place: String,
        /// What it needs.
        needed: u128,
        /// What is allowed.
        limit: u64,
    },
    /// The system has no such amount of memory.
    #[error(
        "{place} needs {bytes} bytes in memory and the system refused them: use a smaller file"
    )]
    Memory {
        /// The file or archive member.
        place: String,
        /// What it needs.
        bytes: u128,
    },
    /// An element that does not fit the type it is read as.
    #[error("element {index} of {place} is {problem}: save it with a plain numeric or text dtype")]
    Element {
        /// The file or archive member.
        place: String,
        /// Its position in the file.
        index: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A damaged zip archive.
    #[error("{place} is not a readable zip archive ({source}): write it again with numpy.savez")]
    Zip {
        /// The archive.
        place: String,
        /// What the zip reader said.
        source: zip::result::ZipError,
    },
    /// A name that is not in the file.
    #[error("{place} has no {what} '{name}'{}; it has: {names}", meant(near.as_ref()))]
    Missing {
        /// The file.
        place: String,
        /// What kind of thing was looked for.
        what: &'static str,
        /// What it is called.
        name: String,
        /// What is there instead.
        names: String,
        /// The name that may be meant, if one is similar.
        near: Option<String>,
    },
    /// A table of which no column is called as labels usually are.
    #[error("{place} has no column called {usual}: name the column of labels; it has: {names}")]
    NoLabel {
        /// The file.
        place: String,
        /// What labels are usually called.
        usual: String,
        /// What is there instead.
        names: String,
        /// The column that is likely to hold labels, by name or position, if there is one.
        likely: Option<String>,
    },
    /// An array or table of the wrong shape.
    #[error("{place} has shape {found:?}; expected {expected}")]
    Shape {
        /// The file or archive member.
        place: String,
        /// The shape it has.
        found: Vec<usize>,
        /// What would do.
        expected: String,
    },
    /// Columns that hold something else than numbers.
    #[error("{place}: {problems}: drop these columns, or name the one that holds the labels")]
    TextColumns {
        /// The table.
        place: String,
        /// Which columns hold what, with an example of each kind.
        problems: String,
        /// The names of all columns that must be dropped, or their positions, counted from 0.
        columns: Vec<String>,
        /// Whether labels or other columns lack values.
        others_missing: bool,
    },
    /// A quotation mark that nothing closes.
    #[error(
        "{place}, line {line}: a quotation mark (\") is not closed by the end of the file, {swallowed} lines below: close it, \
         or remove it"
    )]
    OpenQuote {
        /// The file.
        place: String,
        /// The line of the row.
        line: u64,
        /// Lines below it.
        swallowed: u64,
    },
    /// Columns without a single value.
    #[error("{place}: no row has a value in {}: leave out what is empty", quoted(.columns))]
    EmptyColumns {
        /// The table.
        place: String,
        /// Their names or positions, counted from 0.
        columns: Vec<String>,
    },
    /// A number with a comma where its point should be.
    #[error(
        "{place}, line {line}, column '{column}': '{text}' has a decimal comma, or a comma between thousands. If commas \
         are decimal marks, say so; otherwise write the numbers without marks between thousands"
    )]
    DecimalComma {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or position, counted from 0.
        column: String,
        /// What stands there.
        text: String,
    },
    /// Values that are not there.
    #[error(
        "{place}: {rows} of {of} rows have missing values ({columns}; the first in {first}): leave \
         those rows out, or fill in the mean of the column"
    )]
    MissingValues {
        /// The table or array.
        place: String,
        /// Rows that lack something.
        rows: u64,
        /// Rows in all.
        of: u64,
        /// The first such row or line.
        first: String,
        /// How many values every column lacks.
        columns: String,
    },
    /// Labels that are not there, where all values are.
    #[error(
        "{place}: {rows} of {of} rows have no label (the first in {first}): leave those rows out"
    )]
    MissingLabels {
        /// The table.
        place: String,
        /// Rows without a label.
        rows: u64,
        /// Rows in all.
        of: u64,
        /// The first such row or line.
        first: String,
    },
    /// Text that is not in the encoding it is read as.
    #[error("{place}, {what} is not {encoding}: say which encoding the file has")]
    Encoding {
        /// The table.
        place: String,
        /// What and where.
        what: String,
        /// The encoding it was read as.
        encoding: super::Encoding,
    },
    /// A name that several columns have.
    #[error("{place}: several columns are called '{name}'; rename or leave out all but one")]
    RepeatedName {
        /// The table.
        place: String,
        /// The name.
        name: String,
        /// The position of one of them, counted from 0.
        at: usize,
    },
    /// Several columns that may hold the labels.
    #[error("{place}: columns {} may all be labels: name the label column", quoted(.names))]
    AmbiguousLabel {
        /// The table.
        place: String,
        /// Their names.
        names: Vec<String>,
    },
    /// A column that is called like a label and may be none.
    #[error("{place}: column '{label}' is called like a label, but {why}: name the label column")]
    DoubtfulLabel {
        /// The table.
        place: String,
        /// The column.
        label: String,
        /// What speaks against it.
        why: String,
        /// Columns that are more likely, where any are known.
        candidates: Vec<String>,
    },
    /// Columns that are expected by name and not there.
    #[error("{place} lacks the columns {columns}; it has: {names}")]
    AbsentColumns {
        /// The table.
        place: String,
        /// What is missing.
        columns: String,
        /// What is there.
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
        /// The column's name or position, counted from 0.
        column: String,
        /// The beginning of what stands there.
        text: String,
        /// Whether the same text stands in other rows as well, as marks of missing values do, and no other text.
        repeated: bool,
    },
    /// A table row with more or fewer cells than the first.
    #[error("{place}, line {line}: {found} cells where the first row has {expected}")]
    Ragged {
        /// The table.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// The cells of the first row.
        expected: usize,
        /// The cells found.
        found: usize,
    },
    /// Anything else wrong with a table.
    #[error("{place} is not a readable table: {problem}")]
    Table {
        /// The table.
        place: String,
        /// What is wrong, and what to do.
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

    /// Returns the name that may be meant instead of one that is not there; short names are similar by chance.
    pub(crate) fn similar<'a>(
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        const SHORT: usize = 4;
        let long = name.chars().count() >= SHORT;
        sqfa::names::nearest(name, known).filter(|_| long).map(str::to_owned)
    }

    /// The same error about the label column.
    pub(crate) fn of_label(self) -> Self {
        match self {
            Self::Missing { place, name, names, near, .. } => {
                Self::Missing { place, what: "label column", name, names, near }
            }
            other => other,
        }
    }

    /// The same error, with the column at some position as the one that is likely to hold labels.
    pub(crate) fn with_likely_label(self, at: Option<usize>, names: Option<&[String]>) -> Self {
        match self {
            Self::NoLabel { place, usual, names: listed, .. } => {
                let name = |at: usize| names.map_or_else(|| at.to_string(), |all| all[at].clone());
                Self::NoLabel { place, usual, names: listed, likely: at.map(name) }
            }
            other => other,
        }
    }

    /// What a user can do about it, where a setting of the reader helps.
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
            // By its position, since its name would leave out all of them.
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

/// The setting of a reader that helps against an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Fewer columns.
    FewerColumns,
    /// Leave out rows that lack a value.
    DropMissing,
    /// Name the label column, which may be one of these.
    Label(Vec<String>),
    /// Name the file of labels.
    Labels,
    /// Name the arrays of points and of labels, which are likely to be these.
    Arrays(Option<(String, String)>),
    /// Name the array or the file of labels.
    LabelArray,
    /// Drop columns.
    Ignore {
        /// Their names, or their positions, counted from 0.
        columns: Vec<String>,
        /// Whether rows with missing values must be dropped as well.
        drop_missing: bool,
    },
    /// Read a text as missing, and drop the rows that lack a value.
    NaValue(String),
    /// Say that commas are decimal marks.
    DecimalComma,
    /// Say what to do about missing values.
    Missing,
    /// Say which encoding it is.
    Encoding,
    /// Say what stands between cells.
    Delimiter,
}

/// Returns the end of a phrase that asks whether another name is meant.
fn meant(near: Option<&String>) -> String {
    near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default()
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}
