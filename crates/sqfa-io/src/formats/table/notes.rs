//! Notes of a reader of data for the user.

use std::fmt;

/// A decision of a reader that is reported to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A first row with data instead of column names.
    NoHeader,
    /// A first row of numbers that was used as column names.
    NumericHeader,
    /// A delimiter that differs from the one that the file name suggests.
    Delimiter(char),
    /// A label column that was found by its usual name.
    Label(String),
    /// Numbers with a decimal comma.
    DecimalComma,
    /// Lines that begin with # and were ignored.
    Comments,
    /// Column names from the last comment above the first row.
    NamesInComment,
    /// A value that may represent missing values, because it occurs several times and is far from
    /// all other values of its column.
    Sentinel {
        /// The value.
        value: i64,
        /// The columns in which it may represent missing values.
        columns: Vec<String>,
        /// The number of its occurrences in these columns.
        count: u64,
    },
    /// An index column that was excluded.
    Index(String),
    /// Columns that were put into the expected order.
    Reordered,
    /// Columns that are not expected and were ignored.
    Extra(Vec<String>),
    /// Arrays that could be samples or labels but are not used.
    OtherArrays {
        /// The arrays of samples and labels that are used.
        used: Vec<String>,
        /// The other arrays.
        others: Vec<String>,
    },
    /// A table without names, so that the order of its columns could not be checked.
    Unchecked,
    /// A feature with a usual name of label columns.
    LikeLabel(String),
    /// A feature that numbers the rows: a permutation of consecutive numbers, or whole numbers that
    /// are all different.
    LikeIndex {
        /// The name of the column.
        column: String,
        /// Whether the numbers are consecutive.
        consecutive: bool,
    },
    /// A feature that increases or decreases monotonically with the row, as a time or a counter
    /// does.
    FollowsRows(String),
    /// A feature with one value per class, which determines the label.
    TellsClass(String),
    /// Two labels that may be different spellings of one class.
    AlikeLabels(String, String),
    /// Rows with missing values that were dropped.
    Dropped {
        /// The number of dropped rows.
        rows: u64,
        /// The total number of rows.
        of: u64,
    },
    /// Missing values that were replaced by the mean of their column.
    Filled {
        /// The number of replaced values.
        cells: u64,
    },
    /// Rows without a label that were dropped.
    Unlabeled(u64),
    /// A label with line ends, as caused by a quotation mark that is closed in a later row.
    LinesInLabel {
        /// The line on which it begins.
        line: u64,
        /// The number of line ends.
        lines: u64,
    },
}

impl Note {
    /// Whether the note is about a possible mistake.
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::LikeLabel(_)
                | Self::LikeIndex { .. }
                | Self::FollowsRows(_)
                | Self::TellsClass(_)
                | Self::AlikeLabels(..)
                | Self::LinesInLabel { .. }
                | Self::Sentinel { .. }
                | Self::Unchecked
        )
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader => write!(f, "the first row is used as a sample, not as column names"),
            Self::NumericHeader => write!(f, "the numbers in the first row are taken as names"),
            Self::Delimiter('\t') => write!(f, "cells are separated by tabs"),
            Self::Delimiter(' ') => write!(f, "cells are separated by blanks"),
            Self::Delimiter(mark) => write!(f, "cells are separated by '{mark}'"),
            Self::Label(name) => write!(f, "the label column is '{name}'"),
            Self::DecimalComma => write!(f, "detected a decimal comma"),
            Self::Comments => write!(f, "lines that begin with '#' are ignored as comments"),
            Self::NamesInComment => {
                write!(f, "the comment above the first row gives the names of the columns")
            }
            Self::Sentinel { value, columns, count } => write!(
                f,
                "the value {value} occurs {count} times in {}, far from all other values there: it may stand for missing \
                 values",
                match &columns[..] {
                    [name] => format!("column '{name}'"),
                    names => format!("columns {}", listed(names)),
                }
            ),
            Self::Index(name) if name.is_empty() => {
                write!(f, "the first column has no name: it is taken as an index and left out")
            }
            Self::Index(name) => write!(f, "column '{name}' is taken as an index and left out"),
            Self::Reordered => write!(f, "columns come in another order and were matched by name"),
            Self::Extra(names) => write!(f, "columns left out: {}", listed(names)),
            Self::OtherArrays { used, others } => {
                write!(f, "arrays {} are used, {} are not", listed(used), listed(others))
            }
            Self::Unchecked => write!(
                f,
                "the table has no names, so its columns are taken in their order, unchecked"
            ),
            Self::LikeLabel(name) => {
                write!(f, "column '{name}' has the name of a label, but is used as a feature")
            }
            Self::LikeIndex { column, consecutive: true } => write!(
                f,
                "column '{column}' numbers the rows: it predicts the class only if the rows are sorted"
            ),
            Self::LikeIndex { column, .. } => write!(
                f,
                "column '{column}' holds whole numbers that are all different, as an id does"
            ),
            Self::FollowsRows(column) => write!(
                f,
                "column '{column}' increases or decreases monotonically, like a time or a counter: it predicts the class only if \
                 the rows are sorted"
            ),
            Self::TellsClass(column) => {
                write!(
                    f,
                    "column '{column}' is constant within each class: it determines the label (possible leakage)"
                )
            }
            Self::AlikeLabels(one, other) => write!(
                f,
                "labels '{one}' and '{other}' are two classes: if they mean the same, write them the same way"
            ),
            Self::Dropped { rows, of } => {
                write!(f, "{rows} of {of} rows have missing values and are dropped")
            }
            Self::Filled { cells } => {
                write!(f, "{cells} missing values are replaced by the mean of their column")
            }
            Self::Unlabeled(rows) => write!(f, "{rows} rows without a label are dropped"),
            Self::LinesInLabel { line, lines } => write!(
                f,
                "line {line}: the label goes on over {lines} more lines, up to the next quotation mark: if these are rows of \
                 their own, remove the mark or write it twice"
            ),
        }
    }
}

/// Returns names in quotation marks, limited to the first few.
pub(super) fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("'{name}'")).collect();
    match names.len() {
        0..=12 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), more - 12),
    }
}
