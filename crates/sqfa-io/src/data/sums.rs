//! Class sums in files, with the names of the columns they were made of.
//!
//! A file is the sums as the core writes them (with a checksum of their own); where there are names, JSON with them, its
//! length, its CRC-32 and a mark follow. The JSON is a list of the columns or, where the label column is known, an object.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Crc;
use serde::{Deserialize, Serialize};
use sqfa::statistics::ClassAccumulator;

use super::DataError;
use crate::formats::crash::{self, Input};
use crate::formats::{AtomicFile, FormatError};

/// How a file with names ends.
const MARK: &[u8; 8] = b"SQFANAME";
/// Bytes after the names: their length, their checksum and the mark.
const TAIL: usize = 8 + 4 + 8;

/// The names in a file.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Names {
    /// Those of the columns.
    Columns(Vec<String>),
    /// Those of the columns and of the label column.
    Labeled { columns: Vec<String>, label: String },
}

/// Class sums with the names of the table they were made of.
#[derive(Debug)]
pub struct TableSums {
    /// The sums.
    pub sums: ClassAccumulator,
    /// The names of the columns; empty where they have none.
    pub columns: Vec<String>,
    /// The label column, by name or by position where the table had no names.
    pub label: Option<String>,
}

/// Whether a file begins as class sums do.
pub fn is_sums(path: &Path) -> bool {
    let mut start = [0u8; 8];
    // Only a file can be looked into without taking something out of it.
    path.is_file()
        && Input::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == ClassAccumulator::MAGIC
}

/// Reads class sums written by [`write_sums`]; damage anywhere is noticed.
pub fn read_sums(path: &Path) -> Result<ClassAccumulator, DataError> {
    read_named_sums(path).map(|(sums, _)| sums)
}

/// Reads class sums and the names of their columns, none where they have none.
pub fn read_named_sums(path: &Path) -> Result<(ClassAccumulator, Vec<String>), DataError> {
    read_table_sums(path).map(|TableSums { sums, columns, .. }| (sums, columns))
}

/// Reads class sums with the names of their columns and the label column, as far as the file has them.
///
/// # Errors
///
/// If the file cannot be read, holds no class sums, or is damaged.
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

/// Writes class sums, whole or not at all.
pub fn write_sums(path: &Path, sums: &ClassAccumulator) -> Result<(), DataError> {
    write_named_sums(path, sums, &[])
}

/// Writes class sums with the names of their columns, whole or not at all.
pub fn write_named_sums(
    path: &Path,
    sums: &ClassAccumulator,
    names: &[String],
) -> Result<(), DataError> {
    write_table_sums(path, sums, names, None)
}

/// Writes class sums with the names of their columns and the label column, whole or not at all.
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
