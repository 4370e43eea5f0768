//! Delimited tables, with or without compression, with one column of labels.

mod cell;
mod columns;
mod encoding;
mod lines;
mod names;
mod notes;
mod sample;
mod sniff;
mod start;
mod whole;

use std::io::{Cursor, Read};
use std::path::Path;

use ::csv::{ByteRecord, Reader, ReaderBuilder};

use super::source::{open, place_of};
use super::{FormatError, Limits};
use lines::{COMMENT, Lines};
use start::{NamedBy, Start};

pub use cell::Decimal;
#[cfg(feature = "parquet")]
pub(crate) use cell::columns_hold_text;
use cell::{Cell, CellFormat, Troubles};
pub(crate) use cell::{counted, is_missing_label};
use columns::is_usual_label;
pub use columns::{Column, Selection};
pub(crate) use columns::{Layout, Wanted, layout};
pub use encoding::Encoding;
pub(crate) use names::Names;
pub use notes::Note;
pub use whole::{CsvTable, read_csv, read_csv_from};

/// Whether the first row of a table contains column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Detection from the first row, the following rows and the names that were specified.
    #[default]
    Auto,
    /// A first row with column names.
    Present,
    /// A first row with data.
    Absent,
}

/// The treatment of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// An error that counts them by column.
    #[default]
    Refuse,
    /// The exclusion of their rows.
    Drop,
    /// Replacement by the mean of the column.
    Mean,
    /// Representation as NaN, which the caller treats.
    Keep,
}

/// Options for reading a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The column of labels, if any.
    pub label: Option<Column>,
    /// Whether a table without a label column is accepted.
    pub label_optional: bool,
    /// Whether the first row contains column names.
    pub header: Header,
    /// The character between cells. It is detected by default.
    pub delimiter: Option<u8>,
    /// The decimal mark of numbers. It is detected by default.
    pub decimal: Option<Decimal>,
    /// Additional texts and numbers that represent missing values in feature columns.
    pub na_values: Vec<String>,
    /// The encoding of names and labels.
    pub encoding: Encoding,
    /// The columns that are used as features.
    pub select: Selection,
    /// The expected names of the columns in this order, for example those of a model.
    pub expected: Option<Vec<String>>,
    /// The treatment of missing values.
    pub missing: Missing,
    /// The largest size of the decompressed table.
    pub limits: Limits,
}

/// A batch of rows of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRows {
    /// The number of rows.
    pub rows: usize,
    /// The numbers in row-major order.
    pub values: Vec<f64>,
    /// The label of every row as an index into `names`. Empty if no label column was requested.
    pub labels: Vec<u32>,
    /// The different labels so far, in the order of their first occurrence. An empty text means
    /// that the label is missing.
    pub names: Vec<String>,
    /// The weight of every row. Empty if no weight column was requested.
    pub weights: Vec<u64>,
}

type Source<R> = Lines<std::io::Chain<Cursor<Vec<u8>>, R>>;

/// A reader of a table in batches, without the whole table in memory.
pub struct CsvRows<R> {
    reader: Reader<Source<R>>,
    record: ByteRecord,
    /// The number of cells per row.
    cells: usize,
    layout: Layout,
    /// The index of the feature in each cell, or `None` if the cell is not a feature.
    feature: Vec<Option<usize>>,
    encoding: Encoding,
    format: CellFormat,
    missing: Missing,
    troubles: Troubles,
    /// The number of comments that lead to no note, or `None` if lines that begin with # are rows.
    expected_marks: Option<u64>,
    unlabeled: u64,
    /// A note about the first label with line ends.
    folded: Option<Note>,
    /// The different labels. With few columns, a text per row would need more memory than the
    /// numbers.
    names: Names,
    /// The number of rows expected from the size of the file.
    expected: usize,
    /// The largest number of values that the limits allow.
    most_numbers: usize,
    /// The mean number of bytes per row in the first rows.
    row_bytes: f64,
    place: String,
}

impl<R> std::fmt::Debug for CsvRows<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = &self.layout.names;
        f.debug_struct("CsvRows").field("place", &self.place).field("columns", names).finish()
    }
}

impl CsvRows<Box<dyn Read + Send>> {
    /// Opens a table in a file, which may be compressed with gzip. `-` is standard input.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or its columns cannot be determined.
    pub fn open(
        path: &Path,
        options: &CsvOptions,
        weight: Option<&Column>,
    ) -> Result<Self, FormatError> {
        if path == Path::new("-") {
            return Self::new(Box::new(std::io::stdin()), options, weight, "standard input", b',');
        }
        let source = open(path)?;
        let place = place_of(path);
        let mut rows = Self::new(source.reader, options, weight, &place, usual_delimiter(path))?;
        // Ten percent more than estimated. Unused capacity needs no memory, while too little leads
        // to a copy.
        let tenth = source.expected / 10;
        rows.expected = ((source.expected + tenth) as f64 / rows.row_bytes) as usize + 1;
        Ok(rows)
    }
}

impl<R: Read> CsvRows<R> {
    /// Reads the beginning of a table and finds its columns. `usual` is the delimiter if it cannot
    /// be detected.
    ///
    /// # Errors
    ///
    /// If the table cannot be read or its columns cannot be determined.
    pub fn new(
        mut reader: R,
        options: &CsvOptions,
        weight: Option<&Column>,
        place: &str,
        usual: u8,
    ) -> Result<Self, FormatError> {
        let table_error = |problem: String| FormatError::Table { place: place.to_owned(), problem };
        let start = Start::read(&mut reader, options, weight, place, usual)?;
        let Start { sample, delimiter, comments, decimal, names, named_by, cells, .. } = start;
        let source = Lines::new(Cursor::new(sample).chain(reader), delimiter == b' ');
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .comment(comments.then_some(COMMENT))
            .from_reader(source);
        let mut record = ByteRecord::new();
        if matches!(named_by, NamedBy::FirstRow | NamedBy::Numbers) {
            let skipped = reader.read_byte_record(&mut record);
            skipped.map_err(|error| table_error(error.to_string()))?;
            check_closed(&reader, &record, place)?;
        }
        let wanted = Wanted {
            label: options.label.as_ref(),
            optional: options.label_optional,
            weight,
            select: Some(&options.select),
            expected: options.expected.as_deref(),
        };
        let mut layout = layout(names.as_deref(), cells, wanted, place)
            .map_err(|error| error.with_likely_label(start.classes, names.as_deref()))?;
        if options.delimiter.is_none() && delimiter != usual {
            layout.notes.push(Note::Delimiter(char::from(delimiter)));
        }
        if options.decimal.is_none() && decimal == Decimal::Comma {
            layout.notes.push(Note::DecimalComma);
        }
        match (options.header, named_by) {
            (_, NamedBy::Comment) => layout.notes.push(Note::NamesInComment),
            (Header::Auto, NamedBy::Numbers) => layout.notes.push(Note::NumericHeader),
            (Header::Auto, NamedBy::Nothing) => layout.notes.push(Note::NoHeader),
            _ => {}
        }
        let mut feature = vec![None; cells];
        for (at, &cell) in layout.features.iter().enumerate() {
            feature[cell] = Some(at);
        }
        Ok(Self {
            reader,
            record,
            cells,
            troubles: Troubles::new(layout.features.len()),
            layout,
            feature,
            encoding: options.encoding,
            format: CellFormat::new(decimal, &options.na_values),
            missing: options.missing,
            expected_marks: comments.then_some(u64::from(named_by == NamedBy::Comment)),
            unlabeled: 0,
            folded: None,
            names: Names::default(),
            expected: 0,
            most_numbers: usize::try_from(options.limits.bytes / 8).unwrap_or(usize::MAX),
            row_bytes: start.row_bytes,
            place: place.to_owned(),
        })
    }

    /// Returns the number of numeric columns.
    pub fn width(&self) -> usize {
        self.layout.features.len()
    }

    /// Returns the names of the numeric columns, or an empty slice without a header.
    pub fn columns(&self) -> &[String] {
        &self.layout.names
    }

    /// Whether there is a column of labels.
    pub fn has_labels(&self) -> bool {
        self.layout.label.is_some()
    }

    /// Returns the label column by name, or by position if there are no names.
    pub fn label(&self) -> Option<&str> {
        self.layout.label_name.as_deref()
    }

    /// Returns notes for the user about the rows that were read so far.
    pub fn notes(&self) -> Vec<Note> {
        let unlabeled = (self.unlabeled > 0).then_some(Note::Unlabeled(self.unlabeled));
        let marked = self.reader.get_ref().marked();
        let comments = self.expected_marks.is_some_and(|expected| marked > expected);
        let own = self.layout.notes.iter().chain(&self.folded).cloned();
        own.chain(comments.then_some(Note::Comments)).chain(unlabeled).collect()
    }

    /// Returns the number of further rows estimated from the size of the file, or 0 for a stream.
    pub fn expected_rows(&self) -> usize {
        self.expected
    }

    /// Returns up to `count` further rows, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// If a row is invalid. The error then describes all invalid rows of the table.
    pub fn next_rows(&mut self, count: usize) -> Result<Option<TableRows>, FormatError> {
        let mut batch = TableRows::default();
        let room = self.expected.min(count).saturating_mul(self.layout.features.len());
        // Growing a vector would temporarily need twice the memory. If the reservation fails,
        // growing will report the error.
        let _ = batch.values.try_reserve_exact(room.min(self.most_numbers));
        let _ = batch.labels.try_reserve_exact(self.expected.min(count));
        while batch.rows < count.max(1) {
            self.reader.get_mut().begin_record();
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|error| self.problem(error.to_string()))? {
                break;
            }
            self.add_row(&mut batch)?;
            if !self.troubles.is_empty() {
                return Err(self.whole_trouble());
            }
        }
        self.expected = self.expected.saturating_sub(batch.rows);
        batch.names.clone_from(&self.names.all);
        Ok((batch.rows > 0).then_some(batch))
    }

    /// Reads to the end of the table, so that one message describes all problems.
    fn whole_trouble(&mut self) -> FormatError {
        let mut batch = TableRows::default();
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return self.problem(error.to_string()),
            }
            if let Err(error) = self.add_row(&mut batch) {
                return error;
            }
            batch = TableRows::default();
        }
        let name = |at: usize| self.feature_name(at);
        let error = self.troubles.error(&self.place, &name);
        self.doubtful(&error).unwrap_or(error)
    }

    /// Returns an error about a label column that was found by its name, if it contains many
    /// numbers while other columns contain text. One of these is then more likely to be the label.
    fn doubtful(&self, error: &FormatError) -> Option<FormatError> {
        let FormatError::TextColumns { columns, .. } = error else { return None };
        let label = self.layout.label_name.as_ref().filter(|_| self.layout.guessed)?;
        let values = &self.names.all;
        let numbers = values.iter().all(|value| value.parse::<f64>().is_ok());
        (numbers && values.len() >= sqfa::Labels::ENOUGH).then(|| FormatError::DoubtfulLabel {
            place: self.place.clone(),
            label: label.clone(),
            why: format!(
                "it holds {} different numbers, and {} text",
                values.len(),
                match &columns[..] {
                    [one] => format!("column '{one}' holds"),
                    all => format!("columns {} hold", notes::listed(all)),
                }
            ),
            candidates: columns.clone(),
        })
    }

    /// Returns the line of the file on which the row begins.
    fn line(&self) -> u64 {
        let inside = self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.reader.position().line().saturating_sub(1 + inside)
    }

    fn add_row(&mut self, batch: &mut TableRows) -> Result<(), FormatError> {
        check_closed(&self.reader, &self.record, &self.place)?;
        if !sniff::has_width(&self.record, self.cells) {
            return Err(FormatError::Ragged {
                place: self.place.clone(),
                line: self.line(),
                expected: self.cells,
                found: self.record.len(),
            });
        }
        let label = match self.layout.label {
            None => None,
            Some(at) => Some(self.label_of(&self.record[at])?),
        };
        let lines = label.as_ref().map_or(0, |label| label.matches('\n').count() as u64);
        if lines > 0 && self.folded.is_none() {
            self.folded = Some(Note::LinesInLabel { line: self.line(), lines });
        }
        let unlabeled = label.as_ref().is_some_and(|label| is_missing_label(label));
        if unlabeled && matches!(self.missing, Missing::Drop | Missing::Mean) {
            self.unlabeled += 1;
            return Ok(());
        }
        let mut bad = unlabeled && self.missing == Missing::Refuse;
        if bad {
            self.troubles.label(self.line());
        }
        let start = batch.values.len();
        batch.values.resize(start + self.layout.features.len(), f64::NAN);
        for (cell, feature) in self.record.iter().zip(&self.feature) {
            let Some(feature) = *feature else { continue };
            match self.format.read(cell) {
                Cell::Number(value) => batch.values[start + feature] = value,
                Cell::Boolean(value) => batch.values[start + feature] = f64::from(u8::from(value)),
                Cell::Missing if self.missing != Missing::Refuse => {}
                trouble => {
                    bad = true;
                    let line = self.line();
                    self.troubles.cell(feature, trouble, line, cell);
                }
            }
        }
        if let Some(at) = self.layout.weight {
            let text = String::from_utf8_lossy(&self.record[at]).trim().to_owned();
            batch.weights.push(self.weight_of(&text)?);
        }
        if let Some(label) = &label {
            batch.labels.push(self.names.place(if unlabeled { "" } else { label }));
        }
        batch.rows += 1;
        self.troubles.row(bad);
        Ok(())
    }

    fn label_of(&self, cell: &[u8]) -> Result<String, FormatError> {
        let label = self.encoding.decode(cell).ok_or_else(|| FormatError::Encoding {
            place: self.place.clone(),
            what: format!("line {}: the label", self.line()),
            encoding: self.encoding,
        })?;
        Ok(label.trim().to_owned())
    }

    fn weight_of(&self, text: &str) -> Result<u64, FormatError> {
        // A whole number may be written as 2.0, as in tables of floating-point numbers.
        let float = text.parse::<f64>().ok().filter(|w| *w >= 0.0 && w.fract() == 0.0 && *w < 9e15);
        text.parse().ok().or(float.map(|weight| weight as u64)).ok_or_else(|| {
            let (line, shown) = (self.line(), cell::shown(text.as_bytes()));
            self.problem(format!(
                "line {line}: weight '{shown}' is not a whole number of at least 0; weights count repetitions"
            ))
        })
    }

    /// Returns the name of a feature, or its position among the cells, counted from 0.
    fn feature_name(&self, feature: usize) -> String {
        match self.layout.names.get(feature) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => self.layout.features[feature].to_string(),
        }
    }

    fn problem(&self, problem: String) -> FormatError {
        FormatError::Table { place: self.place.clone(), problem }
    }
}

/// Rejects a row with a quotation mark that is never closed, because it would contain all following
/// lines.
fn check_closed<R: Read>(
    reader: &Reader<Lines<R>>,
    record: &ByteRecord,
    place: &str,
) -> Result<(), FormatError> {
    let (last, end) = (record.iter().next_back().unwrap_or(b""), reader.position());
    if !reader.get_ref().ends_in_quotes(last, end.byte()) {
        return Ok(());
    }
    let lines = record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
    let line = end.line().saturating_sub(lines);
    Err(FormatError::OpenQuote {
        place: place.to_owned(),
        line,
        swallowed: lines.saturating_sub(1),
    })
}

/// Returns the delimiter that the ending of a file name suggests.
fn usual_delimiter(path: &Path) -> u8 {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let tabs = name.ends_with(".tsv") || name.ends_with(".tab");
    if tabs { b'\t' } else { b',' }
}
