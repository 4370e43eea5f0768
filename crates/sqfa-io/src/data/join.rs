//! Joins several files into one data set, with rows in the order of the files and common classes.

use std::path::PathBuf;

use sqfa::{Classes, Labels};

use super::batches::{kind_of, union};
use super::kinds::file_kind;
use super::load::{LoadOptions, Loaded, Opened, name_of, place_of};
use super::missing::settle;
use super::{DataError, LabeledData, OwnedPoints, Part};
use crate::formats::{Missing, Note};

/// Reads several files of samples and joins them. The values are not yet checked as a whole.
///
/// Columns are matched by name to those of the first file. A single file may contain class
/// statistics instead.
pub(super) fn read(paths: &[PathBuf], options: &LoadOptions) -> Result<Opened, DataError> {
    let Some((first, others)) = paths.split_first() else {
        return Err(DataError::content("DATA", "no file is named"));
    };
    let mut joined = (file_kind(first)?.whole)(first, name_of(first), options)?;
    if others.is_empty() {
        return Ok(joined);
    }
    let place = place_of(first);
    let columns = joined.columns.clone();
    let mut data = points_of(joined.loaded, options, &columns, &mut joined.notes, &place)?;
    let expected = Some(columns.clone()).filter(|names| !names.is_empty());
    let options = LoadOptions { expected, ..options.clone() };
    for path in others {
        let other_place = place_of(path);
        let mut other = (file_kind(path)?.whole)(path, name_of(path), &options)?;
        let loaded = other.loaded;
        let more = points_of(loaded, &options, &columns, &mut other.notes, &other_place)?;
        append(&mut data.train, more.train, &other_place, &place)?;
        match (&mut data.test, more.test) {
            (Some(test), Some(more)) => append(test, more, &other_place, &place)?,
            (none @ None, more) => *none = more,
            _ => {}
        }
        if data.image_shape != more.image_shape {
            data.image_shape = None;
        }
        let new = other.notes.into_iter().filter(|note| *note != Note::Reordered);
        let new: Vec<Note> = new.filter(|note| !joined.notes.contains(note)).collect();
        joined.notes.extend(new);
    }
    // Test labels refer to the training classes, of which there may be more after joining.
    let (train, test) = (data.train, data.test);
    let name = format!("{} and {} more", data.name, others.len());
    let data = LabeledData::new(name, train, test, data.image_shape, &place)?;
    joined.loaded = Loaded::Data(data);
    Ok(joined)
}

/// Returns a short name of one or several files for messages.
pub(super) fn places(paths: &[PathBuf]) -> String {
    match paths {
        [] => "DATA".to_owned(),
        [one] => place_of(one),
        [first, others @ ..] => format!("{} and {} more", place_of(first), others.len()),
    }
}

/// Treats the missing values of a single file and returns its samples. This is done before files
/// are joined, so that messages contain row numbers of this file.
fn points_of(
    loaded: Loaded,
    options: &LoadOptions,
    columns: &[String],
    notes: &mut Vec<Note>,
    place: &str,
) -> Result<LabeledData, DataError> {
    let Loaded::Data(mut data) = loaded else {
        let problem = "it holds class statistics; several files must all hold samples, or all be made by sqfa stats";
        return Err(DataError::content(place, problem));
    };
    // Means are computed over all files, so they cannot be filled in yet.
    if options.missing != Missing::Mean {
        let Part { points, labels } = data.train;
        let settled = settle(points, labels, options.missing, None, columns, place)?;
        data.train = Part { points: settled.points, labels: settled.labels };
        notes.extend(settled.notes);
    }
    Ok(data)
}

impl OwnedPoints {
    /// Appends the samples of another file. `place` is the name of this file in messages, and
    /// `first` the name of the previous ones.
    ///
    /// # Errors
    ///
    /// If the number of columns differs.
    pub fn join(&mut self, more: Self, place: &str, first: &str) -> Result<(), DataError> {
        let (expected, found) = (self.columns(), more.columns());
        if expected != found {
            let (place, other) = (place.to_owned(), first.to_owned());
            return Err(DataError::FileDimensions { place, found, other, expected });
        }
        self.append(more);
        Ok(())
    }
}

impl Part {
    /// Appends the labeled samples of another file. `place` is the name of this file in messages,
    /// and `first` the name of the previous ones.
    ///
    /// # Errors
    ///
    /// If the number of columns or the type of the labels differs.
    pub fn append(&mut self, more: Self, place: &str, first: &str) -> Result<(), DataError> {
        append(self, more, place, first)
    }
}

fn append(part: &mut Part, more: Part, place: &str, first: &str) -> Result<(), DataError> {
    let labels = std::mem::replace(&mut part.labels, Labels::from_integers(&[]));
    let all = in_common(labels.classes(), more.labels.classes());
    let recoded = all.and_then(|all| {
        Some((labels.recode(&all).ok()?.into_codes(), more.labels.recode(&all).ok()?, all))
    });
    let Some((mut codes, others, all)) = recoded else {
        let (theirs, ours) = (more.labels.classes(), labels.classes());
        let example = theirs.iter().next().map(|label| label.to_string()).unwrap_or_default();
        return Err(DataError::LabelTypes {
            place: place.to_owned(),
            found: kind_of(theirs),
            example,
            other: first.to_owned(),
            expected: kind_of(ours),
        });
    };
    codes.extend(others.codes());
    let changed = || DataError::content(place, "its labels changed while reading");
    part.labels = Labels::from_codes(all, codes).ok_or_else(changed)?;
    part.points.join(more.points, place, first)
}

/// Returns the union of two sets of classes. Texts that are written as numbers are joined with
/// numbers. Returns `None` if the types differ otherwise.
fn in_common(first: &Classes, second: &Classes) -> Option<Classes> {
    match (first, second) {
        (texts @ Classes::Texts(_), numbers @ Classes::Integers(_))
        | (numbers @ Classes::Integers(_), texts @ Classes::Texts(_)) => {
            let known = texts.positions_of(numbers).iter().all(Option::is_some);
            known.then(|| texts.clone())
        }
        _ => Some(union(first, second)),
    }
}
