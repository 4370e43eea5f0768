//! Batches from Parquet tables with plain columns.
//!
//! All columns of a row group are read in parallel steps of a few hundred values, which are then
//! copied to the rows. Memory is needed for one page of each column and for the batch. Numbers are
//! stored in single precision if all columns are.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use sqfa::Labels;

use super::super::{DataError, LoadOptions, OwnedPoints};
use super::parquet_column::{ColumnType, read};
use super::{Batch, BatchReader};
use crate::formats::table::{Layout, Wanted, columns_hold_text, is_missing_label, layout};
use crate::formats::{Column, FormatError, Missing, Note};

/// The number of values that are copied to the rows at once, so that the destination stays in the
/// cache.
const TOGETHER: usize = 1 << 17;

/// The largest number of values that are allocated at once, however many rows a file declares.
const ROOM: usize = 1 << 24;

/// The rows of a table of numbers with a column of labels.
pub(super) struct ParquetBatches {
    place: String,
    reader: SerializedFileReader<File>,
    names: Vec<String>,
    kinds: Vec<ColumnType>,
    layout: Layout,
    /// The columns that are read, in the order of the file.
    used: Vec<usize>,
    feature: Vec<Option<usize>>,
    missing: Missing,
    unlabeled: u64,
    count: u64,
    /// The number of rows that were read so far.
    next: u64,
    single: bool,
    group: usize,
    open: Option<Group>,
}

/// A row group that is being read.
struct Group {
    columns: Vec<ColumnReader>,
    left: usize,
}

/// The rows of a batch while they are read.
#[derive(Default)]
struct Rows {
    singles: Vec<f32>,
    doubles: Vec<f64>,
    texts: Vec<String>,
    integers: Vec<i64>,
    weights: Vec<u64>,
    count: usize,
}

impl ParquetBatches {
    pub(super) fn open(
        path: &Path,
        options: &LoadOptions,
        weights: Option<&Column>,
    ) -> Result<Self, DataError> {
        let place = path.display().to_string();
        let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
        let file = File::open(path).map_err(fail)?;
        let refuse = |error: &dyn std::fmt::Display| {
            let place = place.clone();
            FormatError::Table { place, problem: format!("{error}; write it again") }
        };
        let reader = guarded(|| SerializedFileReader::new(file)).map_err(|error| refuse(&error))?;
        let metadata = reader.metadata().file_metadata();
        let count = u64::try_from(metadata.num_rows()).map_err(|error| refuse(&error))?;
        let schema = metadata.schema_descr();
        let names: Vec<String> =
            schema.root_schema().get_fields().iter().map(|field| field.name().to_owned()).collect();
        let problem = |problem: String| FormatError::Table { place: place.clone(), problem };
        let wanted = Wanted {
            label: Some(options.label.as_ref().unwrap_or(&Column::Usual)),
            optional: options.label_optional,
            weight: weights,
            select: Some(&options.select),
            expected: options.expected.as_deref(),
        };
        let layout = layout(Some(&names), names.len(), wanted, &place)?;
        let used: Vec<usize> = (0..names.len())
            .filter(|at| {
                layout.features.contains(at)
                    || layout.label == Some(*at)
                    || layout.weight == Some(*at)
            })
            .collect();
        let fields = schema.root_schema().get_fields();
        if let Some(&nested) = used.iter().find(|&&at| fields[at].is_group()) {
            let name = &names[nested];
            return Err(problem(format!(
                "column '{name}' is nested; give every number a column of its own, or leave it out"
            ))
            .into());
        }
        // Columns are numbered by leaves, so only tables without nested columns keep their order.
        if fields.iter().any(|field| field.is_group()) {
            let problem = problem("it has nested columns; write it without them".to_owned());
            return Err(problem.into());
        }
        let mut kinds = vec![ColumnType::Text; names.len()];
        for &at in &used {
            let name = &names[at];
            kinds[at] = ColumnType::of(&schema.column(at)).map_err(|found| {
                problem(format!(
                    "column '{name}' holds {found}; leave it out or write it as numbers"
                ))
            })?;
        }
        let texts = layout.features.iter().filter(|&&at| kinds[at] == ColumnType::Text);
        let columns: Vec<String> = texts.map(|&at| names[at].clone()).collect();
        if !columns.is_empty() {
            let (problems, others_missing) = (columns_hold_text(&columns), false);
            return Err(
                FormatError::TextColumns { place, problems, columns, others_missing }.into()
            );
        }
        let missing = options.missing;
        let all_single = layout.features.iter().all(|&at| kinds[at] == ColumnType::Single);
        let single = options.single_precision || all_single;
        let mut feature = vec![None; names.len()];
        for (place, &at) in layout.features.iter().enumerate() {
            feature[at] = Some(place);
        }
        Ok(Self {
            place,
            reader,
            names,
            kinds,
            layout,
            used,
            feature,
            missing,
            unlabeled: 0,
            count,
            next: 0,
            single,
            group: 0,
            open: None,
        })
    }

    fn problem(&self, problem: String) -> DataError {
        FormatError::Table { place: self.place.clone(), problem }.into()
    }

    /// Returns the row group with rows left, or `None` after the last one.
    fn group(&mut self) -> Result<Option<Group>, DataError> {
        if let Some(group) = self.open.take().filter(|group| group.left > 0) {
            return Ok(Some(group));
        }
        while self.group < self.reader.num_row_groups() {
            let opened = guarded(|| {
                let group = self.reader.get_row_group(self.group)?;
                let columns = self.used.iter().map(|&at| group.get_column_reader(at));
                let left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
                Ok(Group { columns: columns.collect::<Result<_, _>>()?, left })
            });
            self.group += 1;
            let number = self.group;
            let opened =
                opened.map_err(|error| self.problem(format!("row group {number}: {error}")))?;
            if opened.left > 0 {
                return Ok(Some(opened));
            }
        }
        Ok(None)
    }

    /// Reads a number of rows of a group, which must have at least this many.
    fn take(&self, group: &mut Group, take: usize, rows: &mut Rows) -> Result<(), DataError> {
        let width = self.columns();
        let first = rows.count;
        if self.single {
            rows.singles.resize((first + take) * width, 0.0);
        } else {
            rows.doubles.resize((first + take) * width, 0.0);
        }
        for (reader, &at) in group.columns.iter_mut().zip(&self.used) {
            let cells = guarded(|| read(reader, take)).map_err(|error| {
                let row = self.next + first as u64 + 1;
                self.problem(format!("column '{}' from row {row} on: {error}", self.names[at]))
            })?;
            let row = |k: usize| self.next + (first + k) as u64 + 1;
            if Some(at) == self.layout.label {
                if let Some(found) = cells.texts(self.kinds[at]) {
                    for (k, text) in found.iter().enumerate() {
                        let text = text.as_deref().map(str::trim).unwrap_or_default();
                        let known = !is_missing_label(text);
                        if !known && self.missing == Missing::Refuse {
                            return Err(self.label_problem(row(k), "that is missing"));
                        }
                        rows.texts.push(if known { text.to_owned() } else { String::new() });
                    }
                } else if let Some(gap) = cells.gap() {
                    return Err(self.label_problem(row(gap), "that is missing"));
                } else {
                    cells.each(self.kinds[at], |k, value| {
                        // Above 2⁵³ different whole numbers may be equal as doubles.
                        if value.fract() != 0.0 || value.abs() > 9e15 {
                            return Err(self.label_problem(row(k), &value.to_string()));
                        }
                        rows.integers.push(value as i64);
                        Ok(())
                    })?;
                }
            } else if Some(at) == self.layout.weight {
                if let Some(gap) = cells.gap() {
                    return Err(self.gap(at, row(gap)));
                }
                cells.each(self.kinds[at], |k, value| {
                    if !(value >= 0.0 && value.fract() == 0.0 && value < 9e15) {
                        return Err(self.problem(format!(
                            "row {}: weight '{value}' is not a whole number of at least 0; weights count repetitions",
                            row(k)
                        )));
                    }
                    rows.weights.push(value as u64);
                    Ok(())
                })?;
            } else if let Some(feature) = self.feature[at] {
                let place = first * width + feature;
                let gaps = self.missing != Missing::Refuse;
                let bad = if self.single {
                    cells.spread(self.kinds[at], &mut rows.singles[place..], width, gaps, |value| {
                        value as f32
                    })
                } else {
                    cells.spread(self.kinds[at], &mut rows.doubles[place..], width, gaps, |v| v)
                };
                if let Some((k, value)) = bad {
                    return Err(match value.is_nan() {
                        true => self.gap(at, row(k)),
                        false => self.cell(at, row(k), value.to_string()),
                    });
                }
            }
        }
        rows.count += take;
        Ok(())
    }

    fn label_problem(&self, row: u64, found: &str) -> DataError {
        self.problem(format!(
            "row {row} has the label {found}: labels must be text or whole numbers"
        ))
    }

    fn gap(&self, column: usize, row: u64) -> DataError {
        FormatError::MissingValues {
            place: self.place.clone(),
            rows: 1,
            of: self.count,
            first: format!("row {row}"),
            columns: format!("column '{}', and perhaps more", self.names[column]),
        }
        .into()
    }

    fn cell(&self, column: usize, line: u64, text: String) -> DataError {
        let column = self.names[column].clone();
        FormatError::Cell { place: self.place.clone(), line, column, text, repeated: false }.into()
    }
}

/// Runs the Parquet reader and converts a panic, which damaged files may cause, to an error.
fn guarded<T>(read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the file is damaged".to_owned()),
    }
}

impl BatchReader for ParquetBatches {
    fn place(&self) -> &str {
        &self.place
    }

    fn columns(&self) -> usize {
        self.layout.features.len()
    }

    fn names(&self) -> &[String] {
        &self.layout.names
    }

    fn label(&self) -> Option<&str> {
        self.layout.label_name.as_deref()
    }

    fn has_labels(&self) -> bool {
        self.layout.label.is_some()
    }

    fn notes(&self) -> Vec<Note> {
        let unlabeled = (self.unlabeled > 0).then_some(Note::Unlabeled(self.unlabeled));
        self.layout.notes.iter().cloned().chain(unlabeled).collect()
    }

    fn rows(&self) -> Option<u64> {
        Some(self.count)
    }

    fn next_batch(&mut self, most: usize) -> Result<Option<Batch>, DataError> {
        let mut rows = Rows::default();
        let together = (TOGETHER / self.columns()).clamp(64, 8192);
        let left = usize::try_from(self.count.saturating_sub(self.next)).unwrap_or(usize::MAX);
        let room = most.min(left).saturating_mul(self.columns()).min(ROOM);
        if self.single {
            rows.singles.reserve_exact(room);
        } else {
            rows.doubles.reserve_exact(room);
        }
        while rows.count < most.max(1) {
            let Some(mut group) = self.group()? else { break };
            let take = group.left.min(most - rows.count).min(together);
            self.take(&mut group, take, &mut rows)?;
            group.left -= take;
            self.open = Some(group);
        }
        if rows.count == 0 {
            return Ok(None);
        }
        self.next += rows.count as u64;
        let columns = self.columns();
        let points = if self.single {
            OwnedPoints::from_f32(rows.singles, rows.count, columns)
        } else {
            OwnedPoints::from_f64(rows.doubles, rows.count, columns)
        };
        let points = points.ok_or_else(|| self.problem("a row changed its length".to_owned()))?;
        let weights = self.layout.weight.map(|_| rows.weights);
        if matches!(self.missing, Missing::Drop | Missing::Mean)
            && rows.texts.iter().any(String::is_empty)
        {
            let kept: Vec<usize> =
                (0..rows.count).filter(|&row| !rows.texts[row].is_empty()).collect();
            self.unlabeled += (rows.count - kept.len()) as u64;
            if kept.is_empty() {
                return self.next_batch(most);
            }
            let texts_kept: Vec<String> = kept.iter().map(|&row| rows.texts[row].clone()).collect();
            let weights = weights.map(|all| kept.iter().map(|&row| all[row]).collect());
            let points = points.select(&kept);
            return Ok(Some(Batch { weights, ..Batch::of_texts(points, &texts_kept) }));
        }
        let batch = match self.layout.label.map(|at| self.kinds[at]) {
            Some(ColumnType::Text) | None => Batch::of_texts(points, &rows.texts),
            Some(_) => {
                Batch { points, labels: Labels::from_integers(&rows.integers), weights: None }
            }
        };
        Ok(Some(Batch { weights, ..batch }))
    }
}
