//! Parsing of table cells, and a summary of all invalid cells of a table.

use std::collections::HashSet;

use super::super::FormatError;

/// The number of characters of an invalid cell that messages show.
const SHOWN: usize = 40;
/// The number of columns that messages list.
const LISTED: usize = 12;

/// The decimal mark of the numbers in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimal {
    /// The point, as in 1.5.
    #[default]
    Point,
    /// The comma, as in 1,5.
    Comma,
}

/// The format of the cells in a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellFormat {
    decimal: Decimal,
    /// Additional numbers and texts that represent missing values.
    missing_numbers: Vec<f64>,
    missing_texts: Vec<String>,
}

impl CellFormat {
    /// Returns a format with a decimal mark and additional texts that represent missing values.
    pub(super) fn new(decimal: Decimal, na_values: &[String]) -> Self {
        let mut format = Self { decimal, ..Self::default() };
        for text in na_values {
            match format.read(text.as_bytes()) {
                Cell::Number(value) => format.missing_numbers.push(value),
                _ => format.missing_texts.push(text.trim().to_owned()),
            }
        }
        format
    }

    /// Parses a cell of a feature column.
    #[inline]
    pub(super) fn read(&self, bytes: &[u8]) -> Cell {
        let cell = match self.decimal {
            Decimal::Comma if bytes.contains(&b'.') => Cell::Text,
            Decimal::Comma if bytes.contains(&b',') => {
                let point = |&byte: &u8| if byte == b',' { b'.' } else { byte };
                Cell::read(&bytes.iter().map(point).collect::<Vec<u8>>())
            }
            _ => Cell::read(bytes),
        };
        let missing = match cell {
            Cell::Number(value) => self.missing_numbers.contains(&value),
            _ => self.missing_texts.iter().any(|text| text.as_bytes() == bytes.trim_ascii()),
        };
        if missing { Cell::Missing } else { cell }
    }
}

/// The content of a cell in which a number is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    /// The text true or false in any letter case, which is read as 1 or 0.
    Boolean(bool),
    Missing,
    Infinite,
    /// A number with a comma instead of a decimal point.
    DecimalComma,
    Text,
}

impl Cell {
    /// Parses a cell of a table.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::Text };
        let text = text.trim();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => return Self::Number(value),
            Ok(value) if value.is_infinite() => return Self::Infinite,
            Ok(_) => return Self::Missing,
            Err(_) => {}
        }
        // The typographic minus sign.
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
        for (word, value) in [("true", true), ("false", false)] {
            if text.eq_ignore_ascii_case(word) {
                return Self::Boolean(value);
            }
        }
        let comma = text.matches(',').count() == 1 && !text.contains('.');
        match comma && text.replace(',', ".").parse::<f64>().is_ok() {
            true => Self::DecimalComma,
            false => Self::Text,
        }
    }

    /// Whether the content is a number, possibly with a comma.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Number(_) | Self::Boolean(_) | Self::DecimalComma | Self::Infinite)
    }
}

/// Whether a comma in a number could separate thousands, as in 1,234 but not in 0,123 or 1,5.
pub(super) fn may_mark_thousands(bytes: &[u8]) -> bool {
    let digits = bytes.trim_ascii();
    let digits = digits.strip_prefix(b"-").or(digits.strip_prefix(b"+")).unwrap_or(digits);
    let Some(comma) = digits.iter().position(|&byte| byte == b',') else { return false };
    let (whole, rest) = (&digits[..comma], &digits[comma + 1..]);
    (1..=3).contains(&whole.len())
        && !whole.starts_with(b"0")
        && rest.len() == 3
        && rest.iter().all(u8::is_ascii_digit)
}

/// Whether a label is missing. Words such as "none" are not treated as missing, because they may be
/// classes.
pub(crate) fn is_missing_label(text: &str) -> bool {
    ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "?"].contains(&text)
}

/// Returns the beginning of a cell for messages.
pub(super) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().chars().take(SHOWN).collect()
}

/// The invalid cells of one column.
#[derive(Debug, Clone, Default)]
struct Trouble {
    missing: u64,
    text: u64,
    infinite: u64,
    commas: u64,
    /// The line and the beginning of the first cell that is not a number.
    first: (u64, String),
    /// Whether other invalid cells have different texts, or texts that are too long to compare.
    several: bool,
}

/// The invalid cells of a table by column. They are counted to the end of the table, so that a
/// single message describes all of them.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    columns: Vec<Trouble>,
    labels: u64,
    rows: u64,
    bad_rows: u64,
    first_missing: Option<u64>,
}

impl Troubles {
    /// Returns an empty summary for a number of feature columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: vec![Trouble::default(); columns], ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bad_rows == 0
    }

    /// Counts a row, which is invalid if `bad` is true.
    pub(crate) fn row(&mut self, bad: bool) {
        self.rows += 1;
        self.bad_rows += u64::from(bad);
    }

    /// Records a missing label.
    pub(crate) fn label(&mut self, line: u64) {
        self.labels += 1;
        self.first_missing.get_or_insert(line);
    }

    /// Records a cell that is not a number.
    pub(crate) fn cell(&mut self, column: usize, cell: Cell, line: u64, bytes: &[u8]) {
        let trouble = &mut self.columns[column];
        match cell {
            Cell::Number(_) | Cell::Boolean(_) => return,
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
        trouble.several |= trouble.first.1.as_bytes() != bytes.trim_ascii();
    }

    /// Returns a single error that describes all invalid cells.
    pub(crate) fn error(&self, place: &str, names: &dyn Fn(usize) -> String) -> FormatError {
        let place = place.to_owned();
        let all = || (0..self.columns.len()).map(|at| (at, &self.columns[at]));
        let bad: Vec<(usize, &Trouble)> = all()
            .filter(|(_, trouble)| trouble.text + trouble.commas + trouble.infinite > 0)
            .collect();
        let empty: Vec<usize> =
            all().filter(|(_, trouble)| trouble.missing == self.rows).map(|(at, _)| at).collect();
        if let [(at, trouble)] = bad[..]
            && !self.is_text(trouble)
        {
            let (line, text) = trouble.first.clone();
            let column = names(at);
            return match trouble.commas > 0 && trouble.text == 0 {
                true => FormatError::DecimalComma { place, line, column, text },
                false => {
                    let repeated = trouble.text > 1 && !trouble.several && trouble.infinite == 0;
                    FormatError::Cell { place, line, column, text, repeated }
                }
            };
        }
        if let Some((at, trouble)) = bad.first()
            && bad.iter().all(|(_, trouble)| trouble.commas > 0 && trouble.text == 0)
        {
            let ((line, text), column) = (trouble.first.clone(), names(*at));
            return FormatError::DecimalComma { place, line, column, text };
        }
        if !bad.is_empty() {
            let dropped: Vec<usize> = bad.iter().map(|(at, _)| *at).chain(empty).collect();
            let set: HashSet<usize> = dropped.iter().copied().collect();
            let gaps = |(at, trouble): (usize, &Trouble)| trouble.missing > 0 && !set.contains(&at);
            return FormatError::TextColumns {
                place,
                problems: self.problems(&bad, names),
                columns: dropped.iter().map(|&at| names(at)).collect(),
                others_missing: self.labels > 0 || all().any(gaps),
            };
        }
        if !empty.is_empty() {
            let columns = empty.into_iter().map(names).collect();
            return FormatError::EmptyColumns { place, columns };
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

    /// Whether most values of a column are text.
    fn is_text(&self, trouble: &Trouble) -> bool {
        2 * trouble.text > self.rows - trouble.missing.min(self.rows)
    }

    /// Describes all text columns, and other columns with a few values that are not numbers.
    fn problems(&self, bad: &[(usize, &Trouble)], names: &dyn Fn(usize) -> String) -> String {
        let (text, other): (Vec<_>, Vec<_>) =
            bad.iter().partition(|(_, trouble)| self.is_text(trouble));
        let mut said = Vec::new();
        if let Some((_, first)) = text.first() {
            let names: Vec<String> = text.iter().map(|(at, _)| names(*at)).collect();
            let (line, example) = &first.first;
            said.push(format!("{} (line {line}: '{example}')", columns_hold_text(&names)));
        }
        for (at, trouble) in other {
            let count = trouble.text + trouble.commas + trouble.infinite;
            let what = match count {
                1 => "value that is not a number",
                _ => "values that are not numbers",
            };
            let (line, example) = &trouble.first;
            said.push(format!(
                "column '{}' has {count} {what} (line {line}: '{example}')",
                names(at)
            ));
        }
        said.join("; ")
    }
}

/// Returns the names of text columns as the beginning of a sentence.
pub(crate) fn columns_hold_text(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match &quoted[..] {
        [name] => format!("column {name} holds text"),
        _ => format!("columns {} hold text", quoted.join(", ")),
    }
}

/// Returns columns with their counts as text for messages.
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
        assert_eq!(Cell::read(b"TRUE"), Cell::Boolean(true));
        assert_eq!(Cell::read(b" False "), Cell::Boolean(false));
        assert!(is_missing_label("NA") && !is_missing_label("Na") && !is_missing_label("none"));
    }

    #[test]
    fn decimal_commas_and_further_missing_values() {
        let comma = CellFormat::new(Decimal::Comma, &[]);
        assert_eq!(comma.read(b"-1,5e2"), Cell::Number(-150.0));
        assert_eq!(comma.read(b"7"), Cell::Number(7.0));
        assert_eq!(comma.read(b"1.5"), Cell::Text);
        assert_eq!(comma.read(b"1.234,5"), Cell::Text);
        let na = ["-999", "unknown", "0,5"].map(str::to_owned);
        let point = CellFormat::new(Decimal::Point, &na);
        assert_eq!(point.read(b"-999.0"), Cell::Missing);
        assert_eq!(point.read(b" unknown "), Cell::Missing);
        assert_eq!(point.read(b"Unknown"), Cell::Text);
        assert_eq!(point.read(b"999"), Cell::Number(999.0));
        assert_eq!(CellFormat::new(Decimal::Comma, &na).read(b"0,50"), Cell::Missing);
        for (text, may) in [("1,234", true), ("-12,345", true), ("0,123", false), ("1,5", false)] {
            assert_eq!(may_mark_thousands(text.as_bytes()), may, "{text}");
        }
    }
}
