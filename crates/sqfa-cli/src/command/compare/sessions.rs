//! The data of a comparison: one data set in one or several files, one session per file, or samples that name their sessions.

use anyhow::{Result, bail};
use sqfa::Labels;
use sqfa_io::data::{DataError, LabeledData, Loaded as File, Opened, Part};
use sqfa_io::formats::FormatError;
use sqfa_lab::compare::Session;

use crate::args::CompareArgs;
use crate::data;
use crate::failure::usage;
use crate::points::{check_size, select};

/// A session as it came.
pub(super) struct Loaded {
    name: String,
    data: LabeledData,
    groups: Option<Labels>,
    features: Vec<String>,
}

impl Loaded {
    /// The session as a comparison sees it.
    pub(super) fn session(&self) -> Session<'_> {
        Session {
            name: self.name.clone(),
            data: &self.data,
            groups: self.groups.as_ref(),
            features: &self.features,
        }
    }
}

/// Reads all sessions.
pub(super) fn load(args: &CompareArgs) -> Result<Vec<Loaded>> {
    let parts = if args.per_file { 1 } else { args.data.len() };
    let mut all = Vec::new();
    for files in args.data.chunks(parts) {
        let data = read(args, files)?;
        match &args.sessions {
            Some(key) => all.extend(by_session(args, files, key, data)?),
            None => all.push(data),
        }
    }
    Ok(all)
}

/// Reads files as one data set.
fn open(args: &CompareArgs, files: &[String]) -> Result<Opened> {
    let keys = args.sessions.iter().chain(&args.group).cloned();
    let flags = data::without_keys(&args.data, &args.flags, keys);
    if let [one] = files {
        return data::open_named(one, &flags, &args.test);
    }
    if flags.labels.is_some() {
        return usage("--labels goes with one .npy file: compare one, or join them first");
    }
    data::open_joined(files, &flags, &args.test).map_err(|error| {
        let differ = matches!(
            error.downcast_ref(),
            Some(
                DataError::FileDimensions { .. }
                    | DataError::Format(FormatError::AbsentColumns { .. })
            )
        );
        match differ {
            true => {
                error.context("several files are one data set; with --per-file each is a session")
            }
            false => error,
        }
    })
}

fn read(args: &CompareArgs, files: &[String]) -> Result<Loaded> {
    let name = &data::named(files);
    let points = |loaded: File, name: &str| match loaded {
        File::Data(data) => Ok(data),
        File::Statistics(_) | File::Sums(..) => bail!(
            "'{name}' holds class statistics, and a comparison needs samples{}",
            data::drawing(name)
        ),
    };
    let Opened { mut loaded, columns, .. } = open(args, files)?;
    if let Some(names) = &args.classes {
        loaded = data::restrict(loaded, names)?;
    }
    let mut data = points(loaded, name)?;
    check_size(&data.train.points, &columns, false)?;
    data::check_counts(&data.train.labels)?;
    if data.test.is_some() {
        let held = [
            ("--cv", args.cv.is_some()),
            ("--splits", args.splits.is_some()),
            ("--sessions", args.sessions.is_some()),
            ("--group", args.group.is_some()),
        ];
        if let Some((flag, _)) = held.iter().find(|(_, given)| *given) {
            return usage(format!(
                "{flag} holds out the training points, and DATA has test points: leave {flag} out"
            ));
        }
        if args.test_fraction.is_some() {
            return usage("--test-fraction: DATA has test points of its own");
        }
    }
    if let Some((width, height)) = args.image {
        let dimensions = data.train.points.columns();
        if width.checked_mul(height) != Some(dimensions) {
            return usage(format!(
                "--image {width}x{height} has {} pixels, but the samples have {dimensions} columns",
                width.saturating_mul(height)
            ));
        }
        data.image_shape = Some((height, width));
    }
    let points = data.train.labels.len();
    let values = |key: &String| data::key_values(&args.flags, files, key, points, &columns);
    let groups = args.group.as_ref().map(values).transpose()?;
    Ok(Loaded { name: data.name.clone(), data, groups, features: columns })
}

/// One data set as the sessions that its samples name, in the order of their names.
fn by_session(
    args: &CompareArgs,
    files: &[String],
    key: &str,
    file: Loaded,
) -> Result<Vec<Loaded>> {
    let points = file.data.train.labels.len();
    let of_point = data::key_values(&args.flags, files, key, points, &file.features)?;
    let several = args.per_file && args.data.len() > 1;
    (0..of_point.classes().len())
        .map(|session| {
            let codes = of_point.codes().iter().enumerate();
            let rows: Vec<usize> =
                codes.filter(|(_, code)| **code as usize == session).map(|(row, _)| row).collect();
            let Part { points, labels } = &file.data.train;
            let own = of_point.classes().label(session).to_string();
            let name = if several { format!("{} {own}", file.name) } else { own };
            let groups = file.groups.as_ref().map(|groups| groups.select(&rows));
            let train = Part { points: select(points, &rows)?, labels: labels.select(&rows) };
            let data = LabeledData { train, ..file.data.clone() };
            Ok(Loaded { name, data, groups, features: file.features.clone() })
        })
        .collect()
}
