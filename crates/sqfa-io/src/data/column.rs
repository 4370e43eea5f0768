//! Reads an additional column of a file, such as the session or the group of every sample.

use std::path::Path;

use sqfa::Labels;

use super::DataError;
use super::kinds::{Holds, file_kind};
use super::load::{LoadOptions, Loaded, open_data, open_points};
use super::tables::labels_of;
use crate::formats::{Column, Missing, Npz, Selection};

/// Reads a column of a table or an array of an archive, with one value per training sample.
///
/// `options` are the options with which the samples were read, and `columns` are the names of their
/// columns.
///
/// # Errors
///
/// If the file cannot be read, has another format, or has no such column or array.
pub fn read_column(
    path: &Path,
    key: &str,
    options: &LoadOptions,
    columns: &[String],
) -> Result<Labels, DataError> {
    let place = path.display().to_string();
    if file_kind(path)?.holds == Holds::Table {
        let options = LoadOptions {
            label: Some(Column::Name(key.to_owned())),
            select: Selection { only: Some(columns.to_vec()), ignore: Vec::new() },
            test: Vec::new(),
            ..options.clone()
        };
        return match open_data(path, &options)?.loaded {
            Loaded::Data(data) => Ok(data.train.labels),
            _ => Err(DataError::content(&place, "it contains no samples")),
        };
    }
    if path.extension().is_none_or(|ending| ending != "npz") {
        let problem = format!("only tables and npz files can contain '{key}' next to the samples");
        return Err(DataError::content(&place, problem));
    }
    let mut npz = Npz::open(path, options.limits)?;
    if !npz.contains(key) {
        let problem = format!("there is no array '{key}'; found: {}", npz.names().join(", "));
        return Err(DataError::content(&place, problem));
    }
    labels_of(npz.read(key)?, &format!("{place}[{key}]"))
}

/// Reads a column of a table as text, one value per row. Values may all be different, and missing
/// values are empty strings.
///
/// `columns` are the names of features that are read at the same time. If it is empty, the columns
/// that `options` select are read.
///
/// # Errors
///
/// If the file is not a table, has no such column, or cannot be read.
pub fn read_ids(
    path: &Path,
    key: &str,
    options: &LoadOptions,
    columns: &[String],
) -> Result<Vec<String>, DataError> {
    let place = path.display().to_string();
    if file_kind(path)?.holds != Holds::Table {
        let problem = format!("only tables have a column '{key}' that identifies rows");
        return Err(DataError::content(&place, problem));
    }
    let select = match columns.is_empty() {
        true => options.select.clone(),
        false => Selection { only: Some(columns.to_vec()), ignore: Vec::new() },
    };
    let column = key.parse().map_or_else(|_| Column::Name(key.to_owned()), Column::Index);
    let options = LoadOptions {
        label: Some(column),
        select,
        missing: Missing::Keep,
        test: Vec::new(),
        ..options.clone()
    };
    let parts = open_points(path, &options)?;
    let labels = parts.into_iter().next().and_then(|part| part.labels);
    let Some(labels) = labels else {
        return Err(DataError::content(&place, "it holds no samples"));
    };
    let text = |&code: &u32| labels.classes().label(code as usize).to_string();
    Ok(labels.codes().iter().map(text).collect())
}
