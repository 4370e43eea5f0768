//! What DATA means: a built-in name or a file, whole, restricted to some classes, or points alone.

mod builtin;
mod features;
mod restrict;
mod several;

use std::path::Path;

use anyhow::Result;
use sqfa::ClassStatistics;
use sqfa::names::suggestion;
use sqfa::statistics::GivenMatrices;
use sqfa_io::data::{GivenStatistics, LoadOptions, Loaded, Moments, load};
use sqfa_io::formats::{Column, Stack};

pub(crate) use builtin::{Builtin, SCALING_DIMENSIONS};
pub(crate) use features::{NamedPart, parts};
pub(crate) use restrict::{keep_known, restrict};
pub(crate) use several::{expand, open_all};

use crate::args::DataFlags;
use crate::failure::usage;
use crate::points::Precision;

/// Loads a data set by built-in name or from a file.
pub(crate) fn open(data: &str, flags: &DataFlags) -> Result<Loaded> {
    if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == data) {
        return builtin.load();
    }
    check_exists(data)?;
    check_flags(data, flags)?;
    let options = LoadOptions {
        label: flags.label.as_deref().map(column),
        labels: flags.labels.clone(),
        ..LoadOptions::default()
    };
    load(Path::new(data), &options).map_err(|error| in_flags(error.into()))
}

/// A column by position when it is a number, else by name.
pub(crate) fn column(text: &str) -> Column {
    text.parse().map_or_else(|_| Column::Name(text.to_owned()), Column::Index)
}

/// An error that suggests a built-in name when there is no such file.
pub(crate) fn check_exists(data: &str) -> Result<()> {
    if data == "-" || Path::new(data).exists() {
        return Ok(());
    }
    let near = match data.contains(['.', '/']) {
        true => String::new(),
        false => suggestion(data, Builtin::ALL.iter().map(|builtin| builtin.name())),
    };
    let names = Builtin::ALL.map(Builtin::name).join(", ");
    anyhow::bail!("there is no file '{data}'{near}; built-in data sets are {names}")
}

/// Refuses flags that say nothing about this kind of file.
pub(crate) fn check_flags(data: &str, flags: &DataFlags) -> Result<()> {
    let lower = data.to_lowercase();
    let table = data == "-" || [".csv", ".tsv", ".gz", ".txt"].iter().any(|e| lower.ends_with(e));
    if flags.label.is_some() && !table {
        return usage(format!("--label names a column of a table, and '{data}' is none"));
    }
    if flags.labels.is_some() && !lower.ends_with(".npy") {
        return usage(format!("--labels goes with points in an .npy file, not with '{data}'"));
    }
    Ok(())
}

/// Says which flag a loader's remedy means.
pub(crate) fn in_flags(error: anyhow::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    let clear = text
        .replace("name a second npy file (labels)", "name a second npy file with --labels")
        .replace("name the label column", "name the label column with --label")
        .replace("name the column of labels", "name the column of labels with --label");
    anyhow::anyhow!(clear)
}

/// Class statistics from numbers in a file, in the precision asked for.
pub(crate) fn class_statistics(
    given: GivenStatistics,
    precision: Option<Precision>,
) -> Result<ClassStatistics> {
    let GivenStatistics { classes, dimensions, counts, moments, .. } = given;
    let statistics = match moments {
        Moments::Central { means, covariances } => {
            ClassStatistics::from_moments(classes, counts, &means, matrices(covariances, precision))
        }
        Moments::Second(stack) => ClassStatistics::from_second_moments(
            classes,
            counts,
            dimensions,
            matrices(stack, precision),
        ),
    };
    Ok(statistics?)
}

fn matrices(stack: Stack, precision: Option<Precision>) -> GivenMatrices {
    fn each<S: Copy, T>(parts: Vec<Vec<S>>, convert: impl Fn(S) -> T) -> Vec<Vec<T>> {
        parts.into_iter().map(|part| part.into_iter().map(&convert).collect()).collect()
    }
    match (stack, precision) {
        (Stack::F32(parts), Some(Precision::F64)) => GivenMatrices::F64(each(parts, f64::from)),
        (Stack::F64(parts), Some(Precision::F32)) => {
            GivenMatrices::F32(each(parts, |value| value as f32))
        }
        (Stack::F32(parts), _) => GivenMatrices::F32(parts),
        (Stack::F64(parts), _) => GivenMatrices::F64(parts),
    }
}
