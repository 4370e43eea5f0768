//! One cell of a table: a number, nothing, or something that is neither; and what is wrong with a whole table's cells.

use super::super::FormatError;

/// How much of a bad cell a message shows.
const SHOWN: usize = 40;
/// How many columns a message names.
const LISTED: usize = 12;

/// What stands in a cell where a number is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    Missing,
    Infinite,
    /// A number with a comma where its point should be.
    DecimalComma,
    Text,
}

impl Cell {
    /// Reads a cell of a table.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::Text };
        let text = text.trim();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => return Self::Number(value),
            Ok(value) if value.is_infinite() => return Self::Infinite,
            Ok(_) => return Self::Missing,
            Err(_) => {}
        }
        // The sign that typesetters write for minus.
        if let Some(rest) =
            text.strip_prefix('\u{2212}').filter(|rest| !rest.starts_with(['+', '-']))
            && let Ok(value) = rest.parse::<f64>()
            && value.is_finite()
        {
            return Self::Number(-value);
        }
        const NOTHING: [&str; 9] = ["", "na", "n/a", "#n/a", "<na>", "null", "none", "?", "-nan"];
        if NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing)) {
            return Self::Missing;
        }
        let comma = text.matches(',').count() == 1 && !text.contains('.');
        match comma && text.replace(',', ".").parse::<f64>().is_ok() {
            true => Self::DecimalComma,
            false => Self::Text,
        }
    }

    /// Whether it is written as a number, if only with a comma.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Number(_) | Self::DecimalComma | Self::Infinite)
    }
}

/// Whether a label stands for a label that is not known. Words such as "none" may well be classes.
pub(crate) fn is_missing_label(text: &str) -> bool {
    ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?"].contains(&text)
}

/// The beginning of a cell, for messages.
pub(super) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().chars().take(SHOWN).collect()
}

/// What is wrong with one column.
#[derive(Debug, Clone, Default)]
struct Trouble {
    missing: u64,
    text: u64,
    infinite: u64,
    commas: u64,
    /// The line and the beginning of the first cell that is no number.
    first: (u64, String),
}

/// What is wrong with a table, column by column, counted to its end so that one message says it all.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    columns: Vec<Trouble>,
    labels: u64,
    rows: u64,
    bad_rows: u64,
    first_missing: Option<u64>,
}

impl Troubles {
    /// Nothing wrong in so many feature columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: vec![Trouble::default(); columns], ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bad_rows == 0
    }

    /// Counts a row, which may have had something wrong.
    pub(crate) fn row(&mut self, bad: bool) {
        self.rows += 1;
        self.bad_rows += u64::from(bad);
    }

    /// Notes a missing label.
    pub(crate) fn label(&mut self, line: u64) {
        self.labels += 1;
        self.first_missing.get_or_insert(line);
    }

    /// Notes a cell that is no number.
    pub(crate) fn cell(&mut self, column: usize, cell: Cell, line: u64, bytes: &[u8]) {
        let trouble = &mut self.columns[column];
        match cell {
            Cell::Number(_) => return,
            Cell::Missing => {
                trouble.missing += 1;
                self.first_missing.get_or_insert(line);
                return;
            }
            Cell::Infinite => trouble.infinite += 1,
            Cell::DecimalComma => trouble.commas += 1,
            Cell::Text => trouble.text += 1,
        }
        if trouble.first.0 == 0 {
            trouble.first = (line, shown(bytes));
        }
    }

    /// The one error that says what is wrong.
    pub(crate) fn error(&self, place: &str, names: &dyn Fn(usize) -> String) -> FormatError {
        let place = place.to_owned();
        let all = || (0..self.columns.len()).map(|at| (at, &self.columns[at]));
        let (text, other): (Vec<_>, Vec<_>) = all()
            .filter(|(_, trouble)| trouble.text + trouble.commas + trouble.infinite > 0)
            .partition(|(_, trouble)| {
                2 * trouble.text > self.rows - trouble.missing.min(self.rows)
            });
        if !text.is_empty() {
            let columns = text.iter().map(|(at, _)| names(*at)).collect();
            let (line, example) = text[0].1.first.clone();
            return FormatError::TextColumns { place, columns, line, example };
        }
        if let Some((at, trouble)) = other.first() {
            let (line, text) = trouble.first.clone();
            let column = names(*at);
            return match trouble.commas > 0 && trouble.text == 0 {
                true => FormatError::DecimalComma { place, line, column, text },
                false => FormatError::Cell { place, line, column, text },
            };
        }
        let empty: Vec<String> = all()
            .filter(|(_, trouble)| trouble.missing == self.rows)
            .map(|(at, _)| names(at))
            .collect();
        if !empty.is_empty() {
            return FormatError::EmptyColumns { place, columns: empty };
        }
        let mut counts: Vec<(String, u64)> = all()
            .filter(|(_, trouble)| trouble.missing > 0)
            .map(|(at, trouble)| (names(at), trouble.missing))
            .collect();
        let first = format!("line {}", self.first_missing.unwrap_or(0));
        if counts.is_empty() && self.labels > 0 {
            return FormatError::MissingLabels { place, rows: self.labels, of: self.rows, first };
        }
        if self.labels > 0 {
            counts.push(("the label".to_owned(), self.labels));
        }
        FormatError::MissingValues {
            place,
            rows: self.bad_rows,
            of: self.rows,
            first,
            columns: counted(&counts),
        }
    }
}

/// Columns with how often each, as messages list them.
pub(crate) fn counted(counts: &[(String, u64)]) -> String {
    let mut listed: Vec<String> =
        counts.iter().take(LISTED).map(|(name, count)| format!("{name}: {count}")).collect();
    if counts.len() > LISTED {
        listed.push(format!("and {} more columns", counts.len() - LISTED));
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbers_gaps_commas_or_text() {
        assert_eq!(Cell::read(b" 1.5e3 "), Cell::Number(1500.0));
        for gap in ["", "NA", "nan", "NaN", "null", "?", "n/a", " "] {
            assert_eq!(Cell::read(gap.as_bytes()), Cell::Missing, "{gap}");
        }
        assert_eq!(Cell::read(b"1,5"), Cell::DecimalComma);
        assert_eq!(Cell::read(b"1,500.0"), Cell::Text);
        assert_eq!(Cell::read(b"-inf"), Cell::Infinite);
        assert_eq!(Cell::read(b"2020-01-01"), Cell::Text);
        assert!(is_missing_label("NA") && !is_missing_label("Na") && !is_missing_label("none"));
    }
}
