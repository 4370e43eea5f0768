//! Batches from parquet tables of plain columns, read row group by row group.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;

use super::super::{DataError, LoadOptions, OwnedPoints};
use super::table::texts;
use super::{Batch, BatchReader};
use crate::formats::{Column, FormatError, usual_label};

/// Rows of a table of numbers with a column of labels.
pub(super) struct ParquetBatches {
    place: String,
    rows: RowIter<'static>,
    names: Vec<String>,
    label: usize,
    weight: Option<usize>,
    count: u64,
    next: u64,
    single: bool,
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
        let reader = SerializedFileReader::new(file).map_err(|error| refuse(&error))?;
        let metadata = reader.metadata().file_metadata();
        let count = u64::try_from(metadata.num_rows()).map_err(|error| refuse(&error))?;
        let fields = metadata.schema_descr().root_schema().get_fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
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
        let rows = RowIter::from_file_into(Box::new(reader));
        let single = options.single_precision;
        Ok(Self { place, rows, names, label, weight, count, next: 0, single })
    }

    fn problem(&self, problem: String) -> DataError {
        FormatError::Table { place: self.place.clone(), problem }.into()
    }

    fn cell(&self, column: usize, text: String) -> DataError {
        FormatError::Cell {
            place: self.place.clone(),
            line: self.next + 1,
            column: self.names[column].clone(),
            text,
        }
        .into()
    }
}

fn number(field: &Field) -> Option<f64> {
    let value = match field {
        Field::Bool(value) => f64::from(u8::from(*value)),
        Field::Byte(value) => f64::from(*value),
        Field::Short(value) => f64::from(*value),
        Field::Int(value) => f64::from(*value),
        Field::Long(value) => *value as f64,
        Field::UByte(value) => f64::from(*value),
        Field::UShort(value) => f64::from(*value),
        Field::UInt(value) => f64::from(*value),
        Field::ULong(value) => *value as f64,
        Field::Float16(value) => f64::from(*value),
        Field::Float(value) => f64::from(*value),
        Field::Double(value) => *value,
        _ => return None,
    };
    value.is_finite().then_some(value)
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

    fn next_batch(&mut self, rows: usize) -> Result<Option<Batch>, DataError> {
        let (mut values, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        while labels.len() < rows.max(1) {
            let Some(row) = self.rows.next() else { break };
            let row =
                row.map_err(|error| self.problem(format!("row {}: {error}", self.next + 1)))?;
            if row.len() != self.names.len() {
                return Err(self.problem(format!("row {} has {} cells", self.next + 1, row.len())));
            }
            for (column, (_, field)) in row.get_column_iter().enumerate() {
                if column == self.label {
                    labels.push(match field {
                        Field::Str(text) if !text.trim().is_empty() => text.trim().to_owned(),
                        other => match number(other).filter(|value| value.fract() == 0.0) {
                            Some(value) => format!("{}", value as i64),
                            None => {
                                let problem = format!(
                                    "row {} has the label {other}: labels must be text or whole numbers",
                                    self.next + 1
                                );
                                return Err(self.problem(problem));
                            }
                        },
                    });
                } else if Some(column) == self.weight {
                    let weight =
                        number(field).filter(|w| *w >= 0.0 && w.fract() == 0.0 && *w < 9e15);
                    let weight = weight.ok_or_else(|| {
                        self.problem(format!(
                            "row {}: weight '{field}' is not a whole number of at least 0; weights count repetitions",
                            self.next + 1
                        ))
                    })?;
                    weights.push(weight as u64);
                } else {
                    let value =
                        number(field).ok_or_else(|| self.cell(column, field.to_string()))?;
                    values.push(value);
                }
            }
            self.next += 1;
        }
        if labels.is_empty() {
            return Ok(None);
        }
        let (rows, columns) = (labels.len(), self.columns());
        let points = if self.single {
            OwnedPoints::from_f32(values.iter().map(|&v| v as f32).collect(), rows, columns)
        } else {
            OwnedPoints::from_f64(values, rows, columns)
        };
        let points = points.ok_or_else(|| self.problem("a row changed its length".to_owned()))?;
        let weights = self.weight.map(|_| weights);
        Ok(Some(Batch { points, labels: texts(&labels), weights }))
    }
}
