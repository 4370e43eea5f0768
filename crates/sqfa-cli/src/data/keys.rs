//! Columns and arrays beside the samples: the group or the session of each.

use std::path::Path;

use anyhow::{Result, bail};
use sqfa::Labels;
use sqfa_io::data::{Holds, file_kind, read_column};

use super::{in_flags, named, options_of};
use crate::args::DataFlags;

/// Returns the flags with which samples are read if some columns of tables are not features.
pub(crate) fn without_keys(
    files: &[String],
    flags: &DataFlags,
    keys: impl Iterator<Item = String>,
) -> DataFlags {
    let mut flags = flags.clone();
    let is_table =
        |name: &String| file_kind(Path::new(name)).is_ok_and(|kind| kind.holds == Holds::Table);
    if files.iter().all(is_table) {
        let ignore = flags.table.ignore.get_or_insert_default();
        ignore.extend(keys);
        if ignore.is_empty() {
            flags.table.ignore = None;
        }
    }
    flags
}

/// Returns the value of a column of tables, or of an array of an archive, for every sample.
pub(crate) fn key_values(
    flags: &DataFlags,
    files: &[String],
    key: &str,
    points: usize,
    columns: &[String],
) -> Result<Labels> {
    let options = options_of(flags);
    let read =
        |file: &String| read_column(Path::new(file), key, &options, columns).map_err(in_flags);
    let found = match files {
        [one] => read(one)?,
        several => {
            let mut texts = Vec::new();
            for file in several {
                let found = read(file)?;
                let text = |&code: &u32| found.classes().label(code as usize).to_string();
                texts.extend(found.codes().iter().map(text));
            }
            Labels::from_texts(&texts)
        }
    };
    if found.len() != points {
        let name = named(files);
        bail!(
            "'{key}' of {name} has {} values for {points} samples: specify one per sample",
            found.len()
        );
    }
    Ok(found)
}
