//! What DATA means: a built-in name or a file, whole, restricted to some classes, or points alone.

mod builtin;
mod features;
mod memory;
mod restrict;
mod several;

use std::path::{Path, PathBuf};

use anyhow::Result;
use sqfa::names::suggestion;
use sqfa::statistics::GivenMatrices;
use sqfa::{ClassStatistics, Classes};
use sqfa_io::data::{
    DataError, GivenMoments, GivenStatistics, Holds, LoadOptions, Loaded, Opened, file_kind,
    open_data,
};
use sqfa_io::formats::{Column, Header, Missing, Note, Remedy, Selection, Stack};

pub(crate) use builtin::{Builtin, SCALING_DIMENSIONS};
pub(crate) use features::{NamedPart, drawing, gaps, ids, incomplete, one_part, open_parts, parts};
pub(crate) use memory::{available as available_memory, check_made, check_sums};
pub(crate) use restrict::{check_counts, keep_known, restrict};
pub(crate) use several::{expand, means_of, open_all};

use crate::args::{DataFlags, HeaderArg, MissingArg, TableFlags};
use crate::failure::usage;
use crate::points::Precision;
use crate::{output, suggest};

/// Loads a data set by built-in name or from a file, and tells what was decided on the way.
pub(crate) fn open(data: &str, flags: &DataFlags) -> Result<Loaded> {
    open_named(data, flags, None).map(|opened| opened.loaded)
}

/// The same with the names of the columns and perhaps test points from another file, matched to them.
pub(crate) fn open_named(data: &str, flags: &DataFlags, test: Option<&str>) -> Result<Opened> {
    if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == data) {
        if test.is_some() {
            return usage(format!("--test goes with a file, and '{data}' is built in"));
        }
        let loaded = builtin.load()?;
        return Ok(Opened::new(loaded, Vec::new(), Vec::new()));
    }
    check_exists(data)?;
    check_flags(data, flags.labels.is_some(), &flags.table)?;
    let options = LoadOptions {
        labels: flags.labels.clone(),
        test: test.map(PathBuf::from),
        ..options(&flags.table)
    };
    if let Some(test) = test {
        check_exists(test)?;
        check_flags(test, false, &flags.table)?;
    }
    let opened = open_data(Path::new(data), &options).map_err(in_flags)?;
    tell(data, &opened.notes);
    tell(test.unwrap_or_default(), &opened.test_notes);
    Ok(opened)
}

/// Labels that may be one class, written in two ways.
pub(crate) fn alike(classes: &Classes) -> Vec<Note> {
    let note = |(one, other): (&str, &str)| Note::AlikeLabels(one.to_owned(), other.to_owned());
    classes.alike().map(note).into_iter().collect()
}

/// What the flags say to a reader.
pub(crate) fn options(flags: &TableFlags) -> LoadOptions {
    LoadOptions {
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
            Note::NoHeader => " (--header yes if it names the columns)",
            Note::NumericHeader => " (--header no if it is a point)",
            Note::Label(_) => " (use --label for another)",
            Note::Delimiter(_) => " (--delimiter says otherwise)",
            Note::Index(_) => " (--columns takes it in)",
            Note::LikeLabel(_)
            | Note::LikeIndex { .. }
            | Note::FollowsRows(_)
            | Note::TellsClass(_) => "; leave it out with --ignore",
            _ => "",
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
pub(crate) fn check_flags(data: &str, labels: bool, table: &TableFlags) -> Result<()> {
    let kind = file_kind(Path::new(data))?;
    if let Some(flag) = table.given().filter(|_| kind.holds != Holds::Table) {
        let what = if flag == "--label" { "names a column of a table" } else { "is about tables" };
        return usage(format!("{flag} {what}, and '{data}' is none"));
    }
    if labels && kind.holds != Holds::Points {
        return usage(format!("--labels goes with points in an .npy file, not with '{data}'"));
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
        Some(Remedy::Labels) => "use --labels".to_owned(),
        Some(Remedy::Ignore(columns)) => suggest::flag("--ignore", &columns.join(",")),
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
