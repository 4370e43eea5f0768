//! Batches from parquet tables of plain columns.
//!
//! Every column of a row group is read side by side, a few hundred values at a time, and put in its place in the rows: what
//! is held is a page of each column and the batch. Numbers stay in single precision where all columns are.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use sqfa::Labels;

use super::super::{DataError, LoadOptions, OwnedPoints};
use super::parquet_column::{Kind, read};
use super::table::texts;
use super::{Batch, BatchReader};
use crate::formats::{Column, FormatError, usual_label};

/// Numbers that are put in their places while those places are in the cache.
const TOGETHER: usize = 1 << 17;

/// Numbers room is made for at once, however many rows a file claims to have.
const ROOM: usize = 1 << 24;

/// Rows of a table of numbers with a column of labels.
pub(super) struct ParquetBatches {
    place: String,
    reader: SerializedFileReader<File>,
    names: Vec<String>,
    kinds: Vec<Kind>,
    label: usize,
    weight: Option<usize>,
    count: u64,
    /// Rows read so far.
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

/// Rows as they come in.
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
        let find = |column: &Column| {
            let found = match column {
                Column::Index(index) => Some(*index).filter(|&index| index < names.len()),
                Column::Name(name) => names.iter().position(|other| other == name),
                Column::Usual => usual_label(&names),
            };
            found.ok_or_else(|| FormatError::Missing {
                place: place.clone(),
                what: "column",
                name: match column {
                    Column::Name(name) => name.clone(),
                    Column::Index(index) => index.to_string(),
                    Column::Usual => {
                        "label (or class, target, y): name the column of labels".to_owned()
                    }
                },
                names: names.join(", "),
            })
        };
        let label = find(options.label.as_ref().unwrap_or(&Column::Usual))?;
        let weight = weights.map(find).transpose()?;
        if names.len() < 2 + usize::from(weight.is_some()) || weight == Some(label) {
            return Err(refuse(&"it needs a column of labels and at least one of numbers").into());
        }
        let problem = |problem: String| FormatError::Table { place: place.clone(), problem };
        let nested = schema.root_schema().get_fields().iter().position(|field| field.is_group());
        if let Some(nested) = nested {
            let name = &names[nested];
            return Err(problem(format!(
                "column '{name}' is nested; give every number a column of its own"
            ))
            .into());
        }
        let mut kinds = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let kind = Kind::of(&schema.column(at)).map_err(|found| {
                problem(format!(
                    "column '{name}' holds {found}; leave it out or write it as numbers"
                ))
            })?;
            if kind == Kind::Text && at != label {
                return Err(problem(format!(
                    "column '{name}' holds text; leave it out, write it as numbers, or name it as the label column"
                ))
                .into());
            }
            kinds.push(kind);
        }
        let features = || (0..kinds.len()).filter(|&at| at != label && Some(at) != weight);
        let single = options.single_precision || features().all(|at| kinds[at] == Kind::Single);
        let (next, group, open) = (0, 0, None);
        Ok(Self { place, reader, names, kinds, label, weight, count, next, single, group, open })
    }

    fn problem(&self, problem: String) -> DataError {
        FormatError::Table { place: self.place.clone(), problem }.into()
    }

    /// The row group that has rows left, or `None` after the last.
    fn group(&mut self) -> Result<Option<Group>, DataError> {
        if let Some(group) = self.open.take().filter(|group| group.left > 0) {
            return Ok(Some(group));
        }
        while self.group < self.reader.num_row_groups() {
            let opened = guarded(|| {
                let group = self.reader.get_row_group(self.group)?;
                let columns = (0..self.names.len()).map(|at| group.get_column_reader(at));
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

    /// Reads so many rows of a group, which has at least as many.
    fn take(&self, group: &mut Group, take: usize, rows: &mut Rows) -> Result<(), DataError> {
        let width = self.columns();
        let first = rows.count;
        if self.single {
            rows.singles.resize((first + take) * width, 0.0);
        } else {
            rows.doubles.resize((first + take) * width, 0.0);
        }
        let mut feature = 0;
        for (at, reader) in group.columns.iter_mut().enumerate() {
            let cells = guarded(|| read(reader, take)).map_err(|error| {
                let row = self.next + first as u64 + 1;
                self.problem(format!("column '{}' from row {row} on: {error}", self.names[at]))
            })?;
            let row = |k: usize| self.next + (first + k) as u64 + 1;
            if let Some(missing) = cells.missing {
                return Err(self.cell(at, row(missing), "null".to_owned()));
            }
            if at == self.label {
                if let Some(found) = cells.texts(self.kinds[at]) {
                    for (k, text) in found.iter().enumerate() {
                        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
                        let text = text.ok_or_else(|| self.label_problem(row(k), "no text"))?;
                        rows.texts.push(text.to_owned());
                    }
                } else {
                    cells.each(self.kinds[at], |k, value| {
                        // Beyond 2⁵³ whole numbers are no longer told apart.
                        if value.fract() != 0.0 || value.abs() > 9e15 {
                            return Err(self.label_problem(row(k), &value.to_string()));
                        }
                        rows.integers.push(value as i64);
                        Ok(())
                    })?;
                }
            } else if Some(at) == self.weight {
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
            } else {
                let place = first * width + feature;
                let bad = if self.single {
                    cells.spread(self.kinds[at], &mut rows.singles[place..], width, |value| {
                        value as f32
                    })
                } else {
                    cells.spread(self.kinds[at], &mut rows.doubles[place..], width, |value| value)
                };
                if let Some((k, value)) = bad {
                    return Err(self.cell(at, row(k), value.to_string()));
                }
                feature += 1;
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

    fn cell(&self, column: usize, line: u64, text: String) -> DataError {
        let column = self.names[column].clone();
        FormatError::Cell { place: self.place.clone(), line, column, text }.into()
    }
}

/// Runs the parquet reader, which may panic on damaged files, and makes an error of that.
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
        self.names.len() - 1 - usize::from(self.weight.is_some())
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
        let labels = match self.kinds[self.label] {
            Kind::Text => texts(&rows.texts),
            _ => Labels::from_integers(&rows.integers),
        };
        let weights = self.weight.map(|_| rows.weights);
        Ok(Some(Batch { points, labels, weights }))
    }
}
