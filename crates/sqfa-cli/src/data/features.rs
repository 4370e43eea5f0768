//! Points to apply a model to, whose labels may be missing.

use std::path::Path;

use anyhow::{Result, bail};
use sqfa::Labels;
use sqfa_io::data::{LabeledData, Loaded, OwnedPoints, Part};
use sqfa_io::formats::{Column, CsvOptions, Limits, Npz, read_csv, read_csv_from, read_npy};

use super::{Builtin, check_exists, check_flags, column, in_flags, open};
use crate::args::{DataFlags, PartArg};

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

/// The parts of a data set, training first; `wanted` leaves out the others.
pub(crate) fn parts(
    data: &str,
    flags: &DataFlags,
    wanted: Option<PartArg>,
) -> Result<Vec<NamedPart>> {
    let builtin = Builtin::ALL.iter().any(|builtin| builtin.name() == data);
    let mut parts = if builtin { labelled(data, flags)? } else { from_file(data, flags)? };
    if let Some(wanted) = wanted {
        let name = if wanted == PartArg::Train { "train" } else { "test" };
        parts.retain(|part| part.name == Some(name));
        if parts.is_empty() {
            bail!("'{data}' has no {name} part: leave --part out");
        }
    }
    Ok(parts)
}

fn from_file(data: &str, flags: &DataFlags) -> Result<Vec<NamedPart>> {
    check_exists(data)?;
    check_flags(data, flags)?;
    let (path, lower) = (Path::new(data), data.to_lowercase());
    if data == "-" || [".csv", ".tsv", ".gz", ".txt"].iter().any(|end| lower.ends_with(end)) {
        return table(data, flags);
    }
    if lower.ends_with(".npy") && flags.labels.is_none() {
        let (points, _) = OwnedPoints::from_array(read_npy(path, Limits::default())?, data)?;
        return Ok(vec![NamedPart { name: None, points, labels: None }]);
    }
    if lower.ends_with(".npz") {
        let mut npz = Npz::open(path, Limits::default())?;
        let bare = [("X_train", "y_train"), ("X_test", "y_test"), ("X", "y")]
            .into_iter()
            .find(|(x, y)| npz.contains(x) && !npz.contains(y));
        if let Some((x, _)) = bare {
            let (points, _) = OwnedPoints::from_array(npz.read(x)?, &format!("{data}[{x}]"))?;
            return Ok(vec![NamedPart { name: None, points, labels: None }]);
        }
    }
    labelled(data, flags)
}

fn table(data: &str, flags: &DataFlags) -> Result<Vec<NamedPart>> {
    let read = |label: Option<Column>| {
        let options = CsvOptions { label, ..CsvOptions::default() };
        match data {
            "-" => read_csv_from(std::io::stdin().lock(), &options, "standard input"),
            _ => read_csv(Path::new(data), &options),
        }
    };
    let table = match &flags.label {
        Some(label) => read(Some(column(label))),
        // Standard input can be read only once, so its labels must be named.
        None if data == "-" => read(None),
        None => read(Some(Column::Usual)).or_else(|_| read(None)),
    };
    let table = table.map_err(|error| in_flags(error.into()))?;
    let points = OwnedPoints::from_f64(table.values, table.rows, table.width)
        .ok_or_else(|| anyhow::anyhow!("the table's size changed while reading"))?;
    let labels = table.labels.map(|labels| Labels::from_texts(&labels));
    Ok(vec![NamedPart { name: None, points, labels }])
}

fn labelled(data: &str, flags: &DataFlags) -> Result<Vec<NamedPart>> {
    let named = |name, Part { points, labels }| NamedPart { name, points, labels: Some(labels) };
    match open(data, flags)? {
        Loaded::Data(LabeledData { train, test: None, .. }) => Ok(vec![named(None, train)]),
        Loaded::Data(LabeledData { train, test: Some(test), .. }) => {
            Ok(vec![named(Some("train"), train), named(Some("test"), test)])
        }
        Loaded::Sums(..) => bail!("'{data}' holds class sums, not points"),
        Loaded::Statistics(_) => bail!(
            "'{data}' holds class statistics, not points; for a toy, draw points first: \
             sqfa dataset {data} --train 1000 --test 1000 --out points.npz"
        ),
    }
}
