//! Points to apply a model to, matched to it by the names of their columns; their labels may be missing.

use std::path::Path;

use anyhow::{Result, bail};
use sqfa::{Labels, Points};
use sqfa_io::data::{
    LabeledData, LoadOptions, Loaded, OwnedPoints, Part, PointsPart, open_points, read_ids,
};
use sqfa_io::formats::{Column, Missing};
use sqfa_io::model_file::Model;

use super::{Builtin, check_exists, check_flags, in_flags, named, options_of, tell};
use crate::args::{DataFlags, MissingArg, PartArg};
use crate::failure::usage;
use crate::{output, suggest};

/// Points under the name of their part, with labels where there are any.
#[derive(Debug)]
pub(crate) struct NamedPart {
    /// `train`, `test`, or nothing when the file has no parts.
    pub(crate) name: Option<&'static str>,
    /// The points.
    pub(crate) points: OwnedPoints,
    /// Their labels.
    pub(crate) labels: Option<Labels>,
}

/// What a command does with the labels of its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelUse {
    /// It does not look at them.
    None,
    /// All samples have labels, or none has.
    AllOrNone,
}

/// Samples for a model: one or several files, which are one data set.
#[derive(Debug)]
pub(crate) struct Samples<'a> {
    /// The files, or the name of a built-in data set.
    pub(crate) files: &'a [String],
    /// How they are read.
    pub(crate) flags: &'a DataFlags,
    /// The part that is wanted, if not all are.
    pub(crate) part: Option<PartArg>,
    /// What becomes of their labels.
    pub(crate) labels: LabelUse,
}

impl Samples<'_> {
    /// Returns the parts for a model, training first, the rows of each in the order of the files.
    ///
    /// Columns are matched by name, to those of the model or of the first file. With --missing, samples that lack a value
    /// are there as NaN (drop) or filled in with the model's mean (mean).
    pub(crate) fn parts(&self, model: &Model) -> Result<Vec<NamedPart>> {
        self.read(model, self.flags.table.missing.is_some())
    }

    /// Returns the same parts; samples that lack a value are there as NaN whether or not --missing was typed.
    pub(crate) fn open_parts(&self, model: &Model) -> Result<Vec<NamedPart>> {
        self.read(model, true)
    }

    /// Returns one part: the test part if there are several, which a note reports.
    pub(crate) fn one_part(&self, model: &Model) -> Result<NamedPart> {
        let data = &named(self.files);
        let mut parts = self.parts(model)?;
        let names: Vec<&str> = parts.iter().filter_map(|part| part.name).collect();
        let at = match (parts.len(), names.iter().position(|&name| name == "test")) {
            (0, _) => bail!("'{data}' contains no samples"),
            (1, _) => 0,
            (_, Some(at)) => {
                output::complain(
                    "note",
                    &format!(
                        "{data} has several parts: its test points are taken (--part train for the others)"
                    ),
                );
                at
            }
            (count, None) => count - 1,
        };
        Ok(parts.swap_remove(at))
    }

    fn read(&self, model: &Model, keep: bool) -> Result<Vec<NamedPart>> {
        if self.files.len() > 1 && self.flags.labels.is_some() {
            return usage(
                "--labels goes with one .npy or .npz file: apply the model to one file at a time",
            );
        }
        let mut expected = model.feature_names().map(<[String]>::to_vec);
        let mut all: Vec<NamedPart> = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let mut parts = self.one_file(file, model, keep, &mut expected)?;
            if at == 0 {
                all = parts;
                continue;
            }
            // Rows without a part are neither training nor test samples.
            let whole = |parts: &[NamedPart]| parts.iter().any(|part| part.name.is_none());
            if whole(&all) != whole(&parts) {
                bail!(
                    "some of the files have a training or a test part and others, as '{file}' or the one before it, \
                     have none: apply the model to one file at a time"
                );
            }
            for part in parts.drain(..) {
                match all.iter_mut().find(|other| other.name == part.name) {
                    Some(other) => append(other, part, file)?,
                    None => all.push(part),
                }
            }
        }
        all.sort_by_key(|part| part.name == Some("test"));
        Ok(all)
    }

    /// Returns the parts of one file.
    fn one_file(
        &self,
        data: &str,
        model: &Model,
        keep: bool,
        expected: &mut Option<Vec<String>>,
    ) -> Result<Vec<NamedPart>> {
        let builtin = Builtin::ALL.into_iter().find(|builtin| builtin.name() == data);
        let mut parts = match builtin {
            Some(builtin) => built_in(builtin, data)?,
            None => from_file(data, self.flags, model, keep, expected)?,
        };
        if let Some(wanted) = self.part {
            let name = if wanted == PartArg::Train { "train" } else { "test" };
            parts.retain(|part| part.name == Some(name));
            if parts.is_empty() {
                bail!("'{data}' has no {name} part: leave --part out");
            }
        }
        if self.labels == LabelUse::None {
            parts.iter_mut().for_each(|part| part.labels = None);
        }
        Ok(parts)
    }
}

/// Adds the samples of another file.
fn append(part: &mut NamedPart, more: NamedPart, file: &str) -> Result<()> {
    const BEFORE: &str = "the files before it";
    let points = std::mem::replace(&mut part.points, OwnedPoints::none());
    let (labels, others) = match (part.labels.take(), more.labels) {
        (Some(labels), Some(others)) => (labels, others),
        (None, None) => {
            part.points = points;
            return Ok(part.points.join(more.points, file, BEFORE)?);
        }
        _ => bail!(
            "'{file}' or a file before it has no labels, and others have: name the label column with --label"
        ),
    };
    let mut joined = Part::new(points, labels, file)?;
    joined.append(Part::new(more.points, others, file)?, file, BEFORE)?;
    part.points = joined.points;
    part.labels = Some(joined.labels);
    Ok(())
}

/// Reads one file; `expected` are the names of columns as far as they are known, from the model or from a file before.
fn from_file(
    data: &str,
    flags: &DataFlags,
    model: &Model,
    keep: bool,
    expected: &mut Option<Vec<String>>,
) -> Result<Vec<NamedPart>> {
    check_exists(data)?;
    check_flags(data, flags.labels.is_some(), &flags.arrays, &flags.table)?;
    let asked = flags.table.missing;
    let given = options_of(flags);
    let known = model.description().data.label.clone();
    let options = LoadOptions {
        label: given.label.clone().or(known.map(Column::Known)),
        expected: expected.clone(),
        missing: if keep { Missing::Keep } else { Missing::Refuse },
        ..given
    };
    let means = match asked {
        Some(MissingArg::Mean) => Some(model.column_means().ok_or_else(|| {
            anyhow::anyhow!(
                "--missing mean: the model does not contain the mean of its training samples"
            )
        })?),
        _ => None,
    };
    let parts = open_points(Path::new(data), &options).map_err(in_flags)?;
    let with_means = |part: PointsPart| {
        let PointsPart { name, points, labels, columns, notes } = part;
        tell(data, &notes);
        if expected.is_none() && !columns.is_empty() {
            *expected = Some(columns);
            output::warn(&format!(
                "the model does not know the names of its columns: those of {data} are taken in their order, unchecked"
            ));
        }
        let fits = points.columns() == model.columns();
        let points = match means.filter(|_| fits) {
            Some(means) => points.filled(means),
            None => points,
        };
        NamedPart { name, points, labels }
    };
    Ok(parts.into_iter().map(with_means).collect())
}

fn built_in(builtin: Builtin, data: &str) -> Result<Vec<NamedPart>> {
    let Loaded::Data(LabeledData { train, test, .. }) = builtin.load()? else {
        bail!("'{data}' contains class statistics, not samples{}", drawing(data));
    };
    let several = test.is_some();
    let named = |(name, part): (&'static str, Option<sqfa_io::data::Part>)| {
        let part = part?;
        let name = several.then_some(name);
        Some(NamedPart { name, points: part.points, labels: Some(part.labels) })
    };
    Ok([("train", Some(train)), ("test", test)].into_iter().filter_map(named).collect())
}

/// The command that draws points of a built-in toy, where it is one.
pub(crate) fn drawing(data: &str) -> String {
    let toy = |builtin: &Builtin| matches!(builtin, Builtin::Toy(_)) && builtin.name() == data;
    match Builtin::ALL.iter().any(toy) {
        true => {
            let words =
                ["dataset", data, "--train", "1000", "--test", "1000", "--out", "points.npz"];
            format!("; draw some with: {}", suggest::command(words))
        }
        false => String::new(),
    }
}

/// The rows that lack a value or a label, ascending; an error when nobody said what to do about them.
pub(crate) fn incomplete(part: &NamedPart, flags: &DataFlags) -> Result<Vec<usize>> {
    if flags.table.missing.is_none() {
        return Ok(Vec::new());
    }
    let rows = gaps(part);
    if rows.len() == part.points.rows() {
        return usage("every row lacks a value: nothing is left");
    }
    Ok(rows)
}

/// Returns the values of a column of tables, one per row, which identify their rows.
pub(crate) fn ids(
    files: &[String],
    id: &str,
    flags: &DataFlags,
    model: &Model,
) -> Result<Vec<String>> {
    let columns = model.feature_names().unwrap_or_default();
    let options = options_of(flags);
    let mut all = Vec::new();
    for file in files {
        all.extend(read_ids(Path::new(file), id, &options, columns).map_err(in_flags)?);
    }
    Ok(all)
}

/// The rows that lack a value, ascending.
pub(crate) fn gaps(part: &NamedPart) -> Vec<usize> {
    let columns = part.points.columns();
    let gap = |row: usize| match part.points.view() {
        Points::U8(_) => false,
        Points::F32(table) => (0..columns).any(|column| table.get(row, column).is_nan()),
        Points::F64(table) => (0..columns).any(|column| table.get(row, column).is_nan()),
    };
    (0..part.points.rows()).filter(|&row| gap(row)).collect()
}
