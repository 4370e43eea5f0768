//! What DATA means: a built-in name or a file, whole, restricted to some classes, or points alone.

mod builtin;
mod features;
mod keys;
mod memory;
mod restrict;
mod several;

use std::path::{Path, PathBuf};

use anyhow::Result;
use sqfa::names::suggestion;
use sqfa::statistics::GivenMatrices;
use sqfa::{ClassStatistics, Classes};
use sqfa_io::data::{
    DataError, GivenMoments, GivenStatistics, Holds, LoadOptions, Opened, file_kind, open_several,
};
use sqfa_io::formats::{Column, Header, Missing, Note, Remedy, Selection, Stack};

pub(crate) use builtin::{Builtin, SCALING_DIMENSIONS};
pub(crate) use features::{LabelUse, NamedPart, Samples, drawing, gaps, ids, incomplete};
pub(crate) use keys::{key_values, without_keys};
pub(crate) use memory::{available as available_memory, check_made, check_sums};
pub(crate) use restrict::{check_counts, keep_known, restrict};
pub(crate) use several::{expand, means_of, open_all};

use crate::args::{ArrayFlags, DataFlags, HeaderArg, MissingArg, TableFlags};
use crate::failure::usage;
use crate::points::Precision;
use crate::{output, suggest};

/// Loads a data set with the names of its columns and perhaps test samples from other files, matched to them.
pub(crate) fn open_named(data: &str, flags: &DataFlags, test: &[String]) -> Result<Opened> {
    if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == data) {
        if !test.is_empty() {
            return usage(format!("--test goes with a file, and '{data}' is built in"));
        }
        let loaded = builtin.load()?;
        return Ok(Opened::new(loaded, Vec::new(), Vec::new()));
    }
    open_joined(&[data.to_owned()], flags, test)
}

/// Loads one or several files, or a built-in data set, with all samples in memory.
pub(crate) fn open_samples(files: &[String], flags: &DataFlags) -> Result<Opened> {
    match files {
        [one] => open_named(one, flags, &[]),
        several if flags.labels.is_some() => {
            usage(format!("--labels goes with one .npy or .npz file, not with {}", several.len()))
        }
        several => open_joined(several, flags, &[]),
    }
}

/// Loads files as one data set, rows in their order.
pub(crate) fn open_joined(files: &[String], flags: &DataFlags, test: &[String]) -> Result<Opened> {
    for file in files {
        check_exists(file)?;
        check_flags(file, flags.labels.is_some(), &flags.arrays, &flags.table)?;
    }
    for file in test {
        check_exists(file)?;
        check_flags(file, false, &flags.arrays, &flags.table)?;
    }
    let paths = |files: &[String]| files.iter().map(PathBuf::from).collect::<Vec<_>>();
    let options = LoadOptions { test: paths(test), ..options_of(flags) };
    let opened = open_several(&paths(files), &options).map_err(in_flags)?;
    tell(&named(files), &opened.notes);
    tell(&named(test), &opened.test_notes);
    Ok(opened)
}

/// Returns a short name of one or several files for messages.
pub(crate) fn named(files: &[String]) -> String {
    match files {
        [] => String::new(),
        [one] => one.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

/// Labels that may be one class, written in two ways.
pub(crate) fn alike(classes: &Classes) -> Vec<Note> {
    let note = |(one, other): (&str, &str)| Note::AlikeLabels(one.to_owned(), other.to_owned());
    classes.alike().map(note).into_iter().collect()
}

/// Returns the reader's options from all flags about data.
pub(crate) fn options_of(flags: &DataFlags) -> LoadOptions {
    LoadOptions { labels: flags.labels.clone(), ..options(&flags.arrays, &flags.table) }
}

/// Returns the reader's options from the flags about arrays and tables.
pub(crate) fn options(arrays: &ArrayFlags, flags: &TableFlags) -> LoadOptions {
    LoadOptions {
        x_key: arrays.x_key.clone(),
        y_key: arrays.y_key.clone(),
        decimal: flags.decimal,
        na_values: flags.na_values.clone().unwrap_or_default(),
        label: flags.label.as_deref().map(column),
        header: match flags.header {
            None => Header::Auto,
            Some(HeaderArg::Yes) => Header::Present,
            Some(HeaderArg::No) => Header::Absent,
        },
        delimiter: flags.delimiter,
        encoding: flags.encoding.unwrap_or_default(),
        select: Selection {
            only: flags.columns.clone(),
            ignore: flags.ignore.clone().unwrap_or_default(),
        },
        missing: match flags.missing {
            None => Missing::Refuse,
            Some(MissingArg::Drop) => Missing::Drop,
            Some(MissingArg::Mean) => Missing::Mean,
        },
        ..LoadOptions::default()
    }
}

/// Tells what a reader decided, with the flag that decides otherwise.
pub(crate) fn tell(data: &str, notes: &[Note]) {
    for note in notes {
        let flag = match note {
            Note::NoHeader => " (--header yes if it names the columns)".to_owned(),
            Note::NumericHeader => " (use --header no if it is a sample)".to_owned(),
            Note::Label(_) => " (use --label for another)".to_owned(),
            Note::Delimiter(_) => " (--delimiter says otherwise)".to_owned(),
            Note::DecimalComma => "; override with --decimal point".to_owned(),
            Note::Sentinel { value, .. } => {
                let value = suggest::flag("--na-values", &value.to_string());
                format!("; if so, use {value} --missing drop (or --missing mean)")
            }
            Note::OtherArrays { .. } => "; override with --x-key and --y-key".to_owned(),
            Note::Index(_) => " (--columns takes it in)".to_owned(),
            Note::LikeLabel(_)
            | Note::LikeIndex { .. }
            | Note::FollowsRows(_)
            | Note::TellsClass(_) => "; leave it out with --ignore".to_owned(),
            _ => String::new(),
        };
        match note.is_warning() {
            true => output::warn(&format!("{data}: {note}{flag}")),
            false => output::complain("note", &format!("{data}: {note}{flag}")),
        }
    }
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
pub(crate) fn check_flags(
    data: &str,
    labels: bool,
    arrays: &ArrayFlags,
    table: &TableFlags,
) -> Result<()> {
    let kind = file_kind(Path::new(data))?;
    if let Some(flag) = table.given().filter(|_| kind.holds != Holds::Table) {
        let what = if flag == "--label" { "names a column of a table" } else { "is about tables" };
        return usage(format!("{flag} {what}, and '{data}' is none"));
    }
    let ends = |ending: &str| kind.endings.contains(&ending);
    if labels && !ends(".npy") && !ends(".npz") {
        return usage(format!("--labels goes with an .npy or .npz file, not with '{data}'"));
    }
    if let Some(flag) = arrays.given().filter(|_| !ends(".npz") && !ends(".mat")) {
        return usage(format!(
            "{flag} names an array of an .npz or .mat file, and '{data}' is none"
        ));
    }
    Ok(())
}

/// An error with the flag that helps.
pub(crate) fn in_flags(error: DataError) -> anyhow::Error {
    let flag = match error.remedy() {
        Some(Remedy::Label(columns)) if columns.is_empty() => "--label COLUMN".to_owned(),
        Some(Remedy::Label(columns)) => {
            let each = columns.iter().map(|column| suggest::flag("--label", column));
            each.collect::<Vec<_>>().join(" or ")
        }
        Some(Remedy::Labels) => "--labels FILE.npy".to_owned(),
        Some(Remedy::Arrays(None)) => "--x-key NAME --y-key NAME".to_owned(),
        Some(Remedy::Arrays(Some((x, y)))) => {
            format!("{} {}", suggest::flag("--x-key", &x), suggest::flag("--y-key", &y))
        }
        Some(Remedy::LabelArray) => "--y-key NAME or --labels FILE.npy".to_owned(),
        Some(Remedy::NaValue(text)) => {
            format!("{} --missing drop", suggest::flag("--na-values", &text))
        }
        Some(Remedy::DecimalComma) => "--decimal comma".to_owned(),
        Some(Remedy::Ignore { columns, drop_missing }) => {
            let missing = if drop_missing { " --missing drop" } else { "" };
            format!("{}{missing}", suggest::flag("--ignore", &columns.join(",")))
        }
        Some(Remedy::FewerColumns) => "--columns or --ignore".to_owned(),
        Some(Remedy::DropMissing) => "--missing drop".to_owned(),
        Some(Remedy::Missing) => "--missing drop or --missing mean".to_owned(),
        Some(Remedy::Encoding) => "--encoding latin-1 or --encoding windows-1252".to_owned(),
        Some(Remedy::Delimiter) => {
            "use --delimiter if another character separates cells".to_owned()
        }
        _ => return error.into(),
    };
    Advised { error, flag }.into()
}

/// An error of a reader and the flag that helps against it.
#[derive(Debug, thiserror::Error)]
#[error("{error} ({flag})")]
struct Advised {
    error: DataError,
    flag: String,
}

/// Class statistics from numbers in a file, in the precision asked for.
pub(crate) fn class_statistics(
    given: GivenStatistics,
    precision: Option<Precision>,
) -> Result<ClassStatistics> {
    let GivenStatistics { classes, dimensions, counts, moments, .. } = given;
    let statistics = match moments {
        GivenMoments::Central { means, covariances } => {
            ClassStatistics::from_moments(classes, counts, &means, matrices(covariances, precision))
        }
        GivenMoments::Second(stack) => ClassStatistics::from_second_moments(
            classes,
            counts,
            dimensions,
            matrices(stack, precision),
        ),
    };
    Ok(statistics?)
}

fn matrices(stack: Stack, precision: Option<Precision>) -> GivenMatrices<'static> {
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
