//! Files of accumulated class statistics, with the names of their columns.
//!
//! A file contains the statistics in the format of the core, which has its own checksum. If there
//! are names, they follow as JSON with their length, CRC-32 and a signature. The JSON is a list of
//! the columns or, if the label column is known, an object.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Crc;
use serde::{Deserialize, Serialize};
use sqfa::statistics::ClassAccumulator;

use super::DataError;
use crate::formats::crash::{self, Input};
use crate::formats::{AtomicFile, FormatError};

/// The signature at the end of a file with names.
const MARK: &[u8; 8] = b"SQFANAME";
/// The number of bytes after the names: their length, their checksum and the signature.
const TAIL: usize = 8 + 4 + 8;

/// The names in a file.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Names {
    /// The names of the columns.
    Columns(Vec<String>),
    /// The names of the columns and of the label column.
    Labeled { columns: Vec<String>, label: String },
}

/// Accumulated class statistics, with the names of the columns of their table.
#[derive(Debug)]
pub struct TableSums {
    /// The accumulated class statistics.
    pub sums: ClassAccumulator,
    /// The names of the columns. Empty if they have none.
    pub columns: Vec<String>,
    /// The label column by name, or by position if the table had no names.
    pub label: Option<String>,
}

/// Whether a file begins with the signature of accumulated class statistics.
pub fn is_sums(path: &Path) -> bool {
    let mut start = [0u8; 8];
    // Reading from anything but a regular file would consume its data.
    path.is_file()
        && Input::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == ClassAccumulator::MAGIC
}

/// Reads accumulated class statistics written by [`write_sums`].
///
/// # Errors
///
/// If the file cannot be read, has another format, or is damaged.
pub fn read_sums(path: &Path) -> Result<ClassAccumulator, DataError> {
    read_named_sums(path).map(|(sums, _)| sums)
}

/// Reads accumulated class statistics and the names of their columns. The names are empty if the
/// file has none.
///
/// # Errors
///
/// If the file cannot be read, has another format, or is damaged.
pub fn read_named_sums(path: &Path) -> Result<(ClassAccumulator, Vec<String>), DataError> {
    read_table_sums(path).map(|TableSums { sums, columns, .. }| (sums, columns))
}

/// Reads accumulated class statistics with the names of their columns and the label column, as far
/// as the file contains them.
///
/// # Errors
///
/// If the file cannot be read, has another format, or is damaged.
pub fn read_table_sums(path: &Path) -> Result<TableSums, DataError> {
    let place = path.display().to_string();
    let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
    if path.is_file() && !is_sums(path) {
        let problem = "it holds no class statistics; if it holds samples, accumulate them first with sqfa stats";
        return Err(DataError::content(&place, problem));
    }
    let bytes = crash::read(path).map_err(fail)?;
    let (sums, names) = match bytes.ends_with(MARK) {
        true => split(&bytes).ok_or_else(|| {
            DataError::content(&place, "the names of its columns are damaged; write it again")
        })?,
        false => (&bytes[..], Names::Columns(Vec::new())),
    };
    let (names, label) = match names {
        Names::Columns(columns) => (columns, None),
        Names::Labeled { columns, label } => (columns, Some(label)),
    };
    let sums = ClassAccumulator::from_bytes(sums)
        .map_err(|source| DataError::Sums { place: place.clone(), source })?;
    if !names.is_empty() && names.len() != sums.dimension() {
        let problem = format!("{} names for {} columns", names.len(), sums.dimension());
        return Err(DataError::content(&place, problem));
    }
    Ok(TableSums { sums, columns: names, label })
}

fn split(bytes: &[u8]) -> Option<(&[u8], Names)> {
    let (front, tail) = bytes.split_at_checked(bytes.len().checked_sub(TAIL)?)?;
    let length = usize::try_from(u64::from_le_bytes(tail[..8].try_into().ok()?)).ok()?;
    let expected = u32::from_le_bytes(tail[8..12].try_into().ok()?);
    let (sums, names) = front.split_at_checked(front.len().checked_sub(length)?)?;
    let mut crc = Crc::new();
    crc.update(names);
    (crc.sum() == expected).then_some(())?;
    Some((sums, serde_json::from_slice(names).ok()?))
}

/// Writes accumulated class statistics. The file is replaced only when it is complete.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_sums(path: &Path, sums: &ClassAccumulator) -> Result<(), DataError> {
    write_named_sums(path, sums, &[])
}

/// Writes accumulated class statistics with the names of their columns. The file is replaced only
/// when it is complete.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_named_sums(
    path: &Path,
    sums: &ClassAccumulator,
    names: &[String],
) -> Result<(), DataError> {
    write_table_sums(path, sums, names, None)
}

/// Writes accumulated class statistics with the names of their columns and the label column. The
/// file is replaced only when it is complete.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_table_sums(
    path: &Path,
    sums: &ClassAccumulator,
    names: &[String],
    label: Option<&str>,
) -> Result<(), DataError> {
    let mut bytes = sums.to_bytes();
    if !names.is_empty() || label.is_some() {
        let columns = names.to_vec();
        let names = match label {
            None => Names::Columns(columns),
            Some(label) => Names::Labeled { columns, label: label.to_owned() },
        };
        let text = serde_json::to_vec(&names)
            .map_err(|error| FormatError::write(&path.display().to_string(), error.into()))?;
        let mut crc = Crc::new();
        crc.update(&text);
        bytes.extend(&text);
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(crc.sum().to_le_bytes());
        bytes.extend(MARK);
    }
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes)
        .map_err(|source| FormatError::write(&path.display().to_string(), source))?;
    Ok(file.commit()?)
}
