//! One more column of a file beside points and labels: the session or the group of every point.

use std::path::Path;

use sqfa::Labels;

use super::DataError;
use super::kinds::{Holds, file_kind};
use super::load::{LoadOptions, Loaded, open_data, open_points};
use super::tables::labels_of;
use crate::formats::{Column, Missing, Npz, Selection};

/// The values of a column of a table, or of an array of an archive, one a training point.
///
/// `options` are those the points were read with, `columns` the names of their columns.
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
            _ => Err(DataError::content(&place, "it holds no points")),
        };
    }
    if path.extension().is_none_or(|ending| ending != "npz") {
        let problem = format!("only tables and npz files can name '{key}' beside their points");
        return Err(DataError::content(&place, problem));
    }
    let mut npz = Npz::open(path, options.limits)?;
    if !npz.contains(key) {
        let problem = format!("there is no array '{key}'; found: {}", npz.names().join(", "));
        return Err(DataError::content(&place, problem));
    }
    labels_of(npz.read(key)?, &format!("{place}[{key}]"))
}

/// The values of a column of a table as text, one per row; they may all be different, and missing ones are empty.
///
/// `columns` are the names of features, which are read along; those that `options` select where they are empty.
///
/// # Errors
///
/// If the file is no table, has no such column, or cannot be read.
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
