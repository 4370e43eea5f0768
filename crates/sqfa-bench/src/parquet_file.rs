//! The streamed points as a parquet table: 784 columns of numbers and one of labels.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use parquet::data_type::{FloatType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::large::{STREAMED, fill};

/// Rows of a row group.
const GROUP: usize = 10_000;

pub(crate) fn write(path: &Path, rows: usize) -> Result<()> {
    let columns: String = (0..STREAMED).map(|at| format!("required float x{at};")).collect();
    let schema = format!("message points {{ {columns} required int64 label; }}");
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut file = SerializedFileWriter::new(
        std::fs::File::create(path)?,
        Arc::new(parse_message_type(&schema)?),
        Arc::new(properties),
    )?;
    for first in (0..rows).step_by(GROUP) {
        let count = GROUP.min(rows - first);
        let mut values = vec![0.0_f32; count * STREAMED];
        fill(&mut values, first * STREAMED);
        let mut group = file.next_row_group()?;
        let mut column = vec![0.0_f32; count];
        for at in 0..STREAMED {
            for (row, value) in column.iter_mut().enumerate() {
                *value = values[row * STREAMED + at];
            }
            let mut writer = group.next_column()?.context("a column too few")?;
            writer.typed::<FloatType>().write_batch(&column, None, None)?;
            writer.close()?;
        }
        let labels: Vec<i64> = (first..first + count).map(|row| (row % 10) as i64).collect();
        let mut writer = group.next_column()?.context("no column of labels")?;
        writer.typed::<Int64Type>().write_batch(&labels, None, None)?;
        writer.close()?;
        group.close()?;
    }
    file.close()?;
    Ok(())
}
