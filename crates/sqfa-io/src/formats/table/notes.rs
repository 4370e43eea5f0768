//! What a reader of a table decided on the way.

use std::fmt;

/// What a reader decided that its user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The first row is a point.
    NoHeader,
    /// The first row, all numbers, was taken as names.
    NumericHeader,
    /// The character between cells is not the one the name of the file promises.
    Delimiter(char),
    /// The label column that was found by its name.
    Label(String),
    /// Numbers have a decimal comma.
    DecimalComma,
    /// Lines that begin with # were ignored.
    Comments,
    /// The columns have the names that the last comment above the first row lists.
    NamesInComment,
    /// A value that may stand for missing ones: it repeats, and all other values of the column are far from it.
    Sentinel {
        /// The value.
        value: i64,
        /// The columns in which it does.
        columns: Vec<String>,
        /// How often it occurs in them.
        count: u64,
    },
    /// An index column was left out.
    Index(String),
    /// Columns were put into the expected order.
    Reordered,
    /// Columns that nobody asked for were left out.
    Extra(Vec<String>),
    /// Arrays that could be points or labels and are not read.
    OtherArrays {
        /// The array of points and that of labels.
        used: Vec<String>,
        /// The others.
        others: Vec<String>,
    },
    /// The table has no names, so the order of its columns could not be checked.
    Unchecked,
    /// A feature is called as label columns are.
    LikeLabel(String),
    /// A feature numbers the rows: a permutation of consecutive numbers, or whole numbers that are all different.
    LikeIndex {
        /// The column.
        column: String,
        /// Whether the numbers are consecutive.
        consecutive: bool,
    },
    /// A feature goes one way from the first row to the last, as a time or a counter does.
    FollowsRows(String),
    /// A feature is the same for all points of every class: it is the label in other words.
    TellsClass(String),
    /// Two labels that may be one class, written in two ways.
    AlikeLabels(String, String),
    /// Rows with missing values were left out.
    Dropped {
        /// How many.
        rows: u64,
        /// Of how many.
        of: u64,
    },
    /// Missing values were replaced by the mean of their column.
    Filled {
        /// How many.
        cells: u64,
    },
    /// Rows without a label were left out.
    Unlabeled(u64),
    /// A label holds line ends, as it does where a quotation mark is closed by that of a later row.
    LinesInLabel {
        /// Where it begins.
        line: u64,
        /// How many line ends.
        lines: u64,
    },
}

impl Note {
    /// Whether it may be a mistake, rather than just a fact.
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
            Self::NoHeader => write!(f, "the first row is taken as a point, not as names"),
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
                write!(f, "column '{name}' is called like a label and is used as a feature")
            }
            Self::LikeIndex { column, consecutive: true } => write!(
                f,
                "column '{column}' numbers the rows: it says nothing about a class unless the rows are sorted"
            ),
            Self::LikeIndex { column, .. } => write!(
                f,
                "column '{column}' holds whole numbers that are all different, as an id does"
            ),
            Self::FollowsRows(column) => write!(
                f,
                "column '{column}' goes one way from the first row to the last, as a time or a counter does: \
                 it says nothing about a class unless the rows are sorted"
            ),
            Self::TellsClass(column) => {
                write!(
                    f,
                    "column '{column}' is the same for all points of every class: it is the label in other words"
                )
            }
            Self::AlikeLabels(one, other) => write!(
                f,
                "labels '{one}' and '{other}' are taken as two classes: if they are one, write them the same way"
            ),
            Self::Dropped { rows, of } => {
                write!(f, "{rows} of {of} rows have missing values and are left out")
            }
            Self::Filled { cells } => {
                write!(f, "{cells} missing values are replaced by the mean of their column")
            }
            Self::Unlabeled(rows) => write!(f, "{rows} rows without a label are left out"),
            Self::LinesInLabel { line, lines } => write!(
                f,
                "line {line}: the label goes on over {lines} more lines, up to the next quotation mark: if these are rows of \
                 their own, remove the mark or write it twice"
            ),
        }
    }
}

/// Names in quotes, the first of many.
pub(super) fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("'{name}'")).collect();
    match names.len() {
        0..=12 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), more - 12),
    }
}
