//! Comma- and tab-separated tables, compressed or not, with one column of labels.

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

/// Whether the first row names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Decided from the first row, the rows below and the names that are asked for.
    #[default]
    Auto,
    /// It does.
    Present,
    /// It does not.
    Absent,
}

/// What to do about values that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Nothing is read; the error counts them by column.
    #[default]
    Refuse,
    /// Rows that lack a value are left out.
    Drop,
    /// The mean of the column stands in for them.
    Mean,
    /// They are NaN, and whoever asked deals with them.
    Keep,
}

/// How to read a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The column that holds labels, if any.
    pub label: Option<Column>,
    /// Whether it does not matter when there is no label column.
    pub label_optional: bool,
    /// Whether the first row names the columns.
    pub header: Header,
    /// The character between cells; by default the one the table shows.
    pub delimiter: Option<u8>,
    /// The decimal mark of numbers; by default the one the table shows.
    pub decimal: Option<Decimal>,
    /// Texts and numbers of feature columns that stand for missing values, in addition to the usual ones.
    pub na_values: Vec<String>,
    /// What the bytes of names and labels mean.
    pub encoding: Encoding,
    /// Which columns are points.
    pub select: Selection,
    /// The names of the columns, in this order, where they are known beforehand.
    pub expected: Option<Vec<String>>,
    /// What to do about missing values.
    pub missing: Missing,
    /// How large the table may be, decompressed.
    pub limits: Limits,
}

/// Rows of a table, a few at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRows {
    /// The number of rows.
    pub rows: usize,
    /// The numbers, row after row.
    pub values: Vec<f64>,
    /// The label of every row as its place among `names`, when a label column was asked for.
    pub labels: Vec<u32>,
    /// The different labels so far, in the order in which they came; an empty one is missing.
    pub names: Vec<String>,
    /// The weight of every row, when a weight column was asked for.
    pub weights: Vec<u64>,
}

type Source<R> = Lines<std::io::Chain<Cursor<Vec<u8>>, R>>;

/// A table read row by row, never held whole.
pub struct CsvRows<R> {
    reader: Reader<Source<R>>,
    record: ByteRecord,
    /// The number of cells of every row.
    cells: usize,
    layout: Layout,
    /// For every cell: which feature it is.
    feature: Vec<Option<usize>>,
    encoding: Encoding,
    format: CellFormat,
    missing: Missing,
    troubles: Troubles,
    /// Lines that begin with #, if these are comments, up to which there is nothing to say.
    expected_marks: Option<u64>,
    unlabeled: u64,
    /// The first label that goes over several lines.
    folded: Option<Note>,
    /// Every label is kept once: of few columns texts would take more memory than the numbers.
    names: Names,
    /// Rows that the size of the file lets expect.
    expected: usize,
    /// Numbers that the limits allow.
    most_numbers: usize,
    /// Bytes of a row of the sample.
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
    /// Opens a table in a file, decompressing it when it is gzip; `-` is standard input.
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
        // A share more than the sample tells: room that is not used takes no memory, too little is copied.
        let tenth = source.expected / 10;
        rows.expected = ((source.expected + tenth) as f64 / rows.row_bytes) as usize + 1;
        Ok(rows)
    }
}

impl<R: Read> CsvRows<R> {
    /// Reads the beginning of a table and finds its columns; `usual` is the delimiter when nothing tells.
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

    /// The number of numeric columns.
    pub fn width(&self) -> usize {
        self.layout.features.len()
    }

    /// The names of the numeric columns; empty without a header.
    pub fn columns(&self) -> &[String] {
        &self.layout.names
    }

    /// Whether there is a column of labels.
    pub fn has_labels(&self) -> bool {
        self.layout.label.is_some()
    }

    /// The label column by name, or by position where there are no names.
    pub fn label(&self) -> Option<&str> {
        self.layout.label_name.as_deref()
    }

    /// What was decided on the way, as far as it was read.
    pub fn notes(&self) -> Vec<Note> {
        let unlabeled = (self.unlabeled > 0).then_some(Note::Unlabeled(self.unlabeled));
        let marked = self.reader.get_ref().marked();
        let comments = self.expected_marks.is_some_and(|expected| marked > expected);
        let own = self.layout.notes.iter().chain(&self.folded).cloned();
        own.chain(comments.then_some(Note::Comments)).chain(unlabeled).collect()
    }

    /// The number of further rows that the size of the file lets expect; 0 for a stream.
    pub fn expected_rows(&self) -> usize {
        self.expected
    }

    /// Up to `count` further rows; `None` after the last.
    pub fn next_rows(&mut self, count: usize) -> Result<Option<TableRows>, FormatError> {
        let mut batch = TableRows::default();
        let room = self.expected.min(count).saturating_mul(self.layout.features.len());
        // Growing would hold the numbers twice; where there is no such room, growing will say so.
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

    /// Reads to the end, so that one message tells all that is wrong.
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

    /// Columns of text next to a label that holds many numbers: the label was guessed wrong.
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

    /// The line of the file on which the record begins.
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
        // A whole number may be written as 2.0, as tables of floats do.
        let float = text.parse::<f64>().ok().filter(|w| *w >= 0.0 && w.fract() == 0.0 && *w < 9e15);
        text.parse().ok().or(float.map(|weight| weight as u64)).ok_or_else(|| {
            let (line, shown) = (self.line(), cell::shown(text.as_bytes()));
            self.problem(format!(
                "line {line}: weight '{shown}' is not a whole number of at least 0; weights count repetitions"
            ))
        })
    }

    /// A feature's name, or its place among the cells as settings count it, from 0.
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

/// Refuses a row whose quotation mark nothing closes: it would swallow all lines after it.
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

/// The character between cells that the ending of a name promises.
fn usual_delimiter(path: &Path) -> u8 {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let tabs = name.ends_with(".tsv") || name.ends_with(".tab");
    if tabs { b'\t' } else { b',' }
}
