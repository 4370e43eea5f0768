//! One door for every file: its kind says how it is read, and its points are checked here.

use std::path::{Path, PathBuf};

use sqfa::statistics::ClassAccumulator;
use sqfa::{Classes, Labels};

use super::batches::BatchReader;
use super::join;
use super::kinds::{FileKind, Holds, file_kind};
use super::missing::{column_means, settle};
use super::suspects::Suspects;
use super::tables::labels_of;
use super::{DataError, GivenStatistics, LabeledData, OwnedPoints, Part};
use crate::formats::{
    Column, CsvOptions, Decimal, Encoding, FormatError, Header, Limits, Missing, Note, Selection,
    read_idx, read_npy,
};

/// With this many labels or more, all of them different, a column is no column of labels.
pub(super) const IDS: usize = 4;

/// What a file cannot say about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// The label column of a table; by default the one called label, class, target or y.
    pub label: Option<Column>,
    /// Whether it does not matter when there are no labels.
    pub label_optional: bool,
    /// Whether a table's first row names its columns.
    pub header: Header,
    /// The character between a table's cells; by default the one it shows.
    pub delimiter: Option<u8>,
    /// The decimal mark of a table's numbers; by default the one it shows.
    pub decimal: Option<Decimal>,
    /// Texts and numbers of a table's feature columns that stand for missing values, in addition to the usual ones.
    pub na_values: Vec<String>,
    /// What the bytes of a table's names and labels mean.
    pub encoding: Encoding,
    /// Which columns of a table are points.
    pub select: Selection,
    /// The names of a table's columns, in this order, where they are known beforehand.
    pub expected: Option<Vec<String>>,
    /// What to do about missing values.
    pub missing: Missing,
    /// What stands in for missing values of every column when points are read batch by batch ([`super::ColumnMeans`]).
    pub fill: Option<Vec<f64>>,
    /// Whether a table's numbers are kept in single precision.
    pub single_precision: bool,
    /// The labels of points in an `.npy` or `.npz` file: another `.npy` file.
    pub labels: Option<PathBuf>,
    /// The array of points in an `.npz` or `.mat` file; by default the one with a usual name.
    pub x_key: Option<String>,
    /// The array of labels in an `.npz` or `.mat` file; by default the one with a usual name.
    pub y_key: Option<String>,
    /// Files of test points, for formats that hold one part (`.npy`, tables).
    pub test: Vec<PathBuf>,
    /// The labels of the test points, for `.npy`.
    pub test_labels: Option<PathBuf>,
    /// Height and width of every point, when it is an image and the file holds it flat.
    pub image_shape: Option<(usize, usize)>,
    /// How much memory one array may take.
    pub limits: Limits,
}

impl LoadOptions {
    pub(super) fn csv(&self) -> CsvOptions {
        CsvOptions {
            label: Some(self.label.clone().unwrap_or(Column::Usual)),
            label_optional: self.label_optional,
            header: self.header,
            delimiter: self.delimiter,
            decimal: self.decimal,
            na_values: self.na_values.clone(),
            encoding: self.encoding,
            select: self.select.clone(),
            expected: self.expected.clone(),
            missing: self.missing,
            limits: self.limits,
        }
    }
}

/// What a file turned out to hold.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// Points with labels.
    Data(LabeledData),
    /// Class statistics.
    Statistics(GivenStatistics),
    /// Class sums, from which any estimator can be finished, and what to call them.
    Sums(String, ClassAccumulator),
}

/// What a file holds, what its columns are called and what was decided on the way.
#[derive(Debug, Clone)]
pub struct Opened {
    /// What it holds.
    pub loaded: Loaded,
    /// The names of the columns; empty where there are none.
    pub columns: Vec<String>,
    /// The label column of a table, by name or by position where there are no names.
    pub label: Option<String>,
    /// What its user should know.
    pub notes: Vec<Note>,
    /// The same of the file of test points, where there is one.
    pub test_notes: Vec<Note>,
}

impl Opened {
    /// What one file holds.
    pub fn new(loaded: Loaded, columns: Vec<String>, notes: Vec<Note>) -> Self {
        Self { loaded, columns, label: None, notes, test_notes: Vec::new() }
    }
}

/// Points to apply a model to.
#[derive(Debug, Clone)]
pub struct PointsPart {
    /// `train` or `test` where the file has several parts.
    pub name: Option<&'static str>,
    /// The points; missing values are NaN where [`Missing::Keep`] asked for them.
    pub points: OwnedPoints,
    /// Their labels, where there are any.
    pub labels: Option<Labels>,
    /// The names of the columns; empty where there are none.
    pub columns: Vec<String>,
    /// What was decided on the way.
    pub notes: Vec<Note>,
}

/// Loads a data set; [`super::FILE_KINDS`] lists what is understood, and `-` is a table on standard input.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, DataError> {
    open_data(path, options).map(|opened| opened.loaded)
}

/// Loads a data set with the names of its columns and what was decided on the way.
///
/// Every point is finite afterwards: missing values are dealt with as the options say, and infinite ones refused.
pub fn open_data(path: &Path, options: &LoadOptions) -> Result<Opened, DataError> {
    open_several(&[path.to_owned()], options)
}

/// Loads files of points as one data set, rows in the order of the files, as [`open_data`] loads one file.
///
/// # Errors
///
/// If a file cannot be read, or if columns or labels of the files do not fit together.
pub fn open_several(paths: &[PathBuf], options: &LoadOptions) -> Result<Opened, DataError> {
    let mut opened = join::read(paths, options)?;
    let Loaded::Data(data) = &mut opened.loaded else { return Ok(opened) };
    let (kind, place) = (file_kind(&paths[0])?, join::places(paths));
    if !options.test.is_empty() {
        let tests = &options.test;
        let options = LoadOptions {
            expected: Some(opened.columns.clone()).filter(|columns| !columns.is_empty()),
            label: options.label.clone().or(opened.label.clone().map(Column::Known)),
            labels: options.test_labels.clone(),
            test: Vec::new(),
            ..options.clone()
        };
        let test_place = join::places(tests);
        let other = join::read(tests, &options)?;
        let Loaded::Data(held) = other.loaded else {
            return Err(DataError::content(&test_place, "it holds no test points"));
        };
        data.set_test(held.test.unwrap_or(held.train), &test_place)?;
        opened.test_notes = other.notes;
    }
    checked(data, kind, options, &opened.columns, &mut opened.notes, &place)?;
    if let Some((height, width)) = options.image_shape {
        let columns = data.train.points.columns();
        if height.checked_mul(width) != Some(columns) {
            let problem = format!(
                "points of {columns} dimensions are not images of {height} × {width}: \
                 give a height and a width whose product is {columns}"
            );
            return Err(DataError::content(&place, problem));
        }
        data.image_shape = Some((height, width));
    }
    Ok(opened)
}

/// The points of a file, training first, with labels where there are any.
///
/// An archive of arrays has the parts X_train, X_test and X, as many as are there.
pub fn open_points(path: &Path, options: &LoadOptions) -> Result<Vec<PointsPart>, DataError> {
    let options = LoadOptions { label_optional: true, ..options.clone() };
    (file_kind(path)?.points)(path, &options)
}

pub(super) fn place_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// What to call the data of a file.
pub(super) fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| path.display().to_string());
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&file).to_owned()
}

/// The door: values that are missing or infinite, labels that are ids, columns that are indices.
fn checked(
    data: &mut LabeledData,
    kind: &FileKind,
    options: &LoadOptions,
    columns: &[String],
    notes: &mut Vec<Note>,
    place: &str,
) -> Result<(), DataError> {
    let count = data.train.labels.len();
    if count >= IDS && data.train.labels.classes().len() == count {
        return Err(DataError::AllDifferent { place: place.to_owned(), count });
    }
    if let Some(classes) = data.train.labels.ids() {
        return Err(DataError::Ids { place: place.to_owned(), count, classes });
    }
    if let Some((one, other)) = data.train.labels.classes().alike() {
        notes.push(Note::AlikeLabels(one.to_owned(), other.to_owned()));
    }
    // Test points lack what the training points have on average: they may not tell it themselves.
    let means = match (options.missing, &data.test) {
        (Missing::Mean, Some(_)) => Some(column_means(&data.train.points, columns, place)?),
        _ => None,
    };
    for part in std::iter::once(&mut data.train).chain(&mut data.test) {
        let points = std::mem::replace(&mut part.points, OwnedPoints::none());
        let labels = std::mem::replace(&mut part.labels, Labels::from_integers(&[]));
        let settled = settle(points, labels, options.missing, means.as_deref(), columns, place)?;
        part.points = settled.points;
        part.labels = settled.labels;
        notes.extend(settled.notes);
    }
    if kind.holds == Holds::Table {
        let Part { points, labels } = &data.train;
        let mut suspects = Suspects::new(points.columns());
        suspects.add(points.view(), labels);
        notes.extend(suspects.notes(columns));
    }
    Ok(())
}

/// All batches of a file at once.
pub(super) fn from_batches(
    path: &Path,
    name: String,
    options: &LoadOptions,
) -> Result<Opened, DataError> {
    let mut reader = (file_kind(path)?.batches)(path, options, None)?;
    let place = place_of(path);
    let (points, labels) = whole(&mut *reader, options, &place)?;
    let labels = labels.ok_or_else(|| DataError::content(&place, "no label column was read"))?;
    let train = Part::new(points, labels, &place)?;
    let data = LabeledData::new(name, train, None, reader.image_shape(), &place)?;
    let (columns, notes) = (reader.names().to_vec(), reader.notes());
    let label = reader.label().map(str::to_owned);
    Ok(Opened { label, ..Opened::new(Loaded::Data(data), columns, notes) })
}

/// The same with or without labels.
pub(super) fn points_from_batches(
    path: &Path,
    options: &LoadOptions,
) -> Result<Vec<PointsPart>, DataError> {
    let mut reader = (file_kind(path)?.batches)(path, options, None)?;
    let (points, labels) = whole(&mut *reader, options, &place_of(path))?;
    let (columns, notes) = (reader.names().to_vec(), reader.notes());
    Ok(vec![PointsPart { name: None, points, labels, columns, notes }])
}

pub(super) fn whole(
    reader: &mut dyn BatchReader,
    options: &LoadOptions,
    place: &str,
) -> Result<(OwnedPoints, Option<Labels>), DataError> {
    if let Some(rows) = reader.rows() {
        let needed = u128::from(rows) * reader.columns() as u128 * 8;
        let limit = options.limits.bytes;
        if needed > u128::from(limit) {
            let place = place.to_owned();
            return Err(FormatError::Limit { place, needed, limit }.into());
        }
    }
    let Some(batch) = reader.next_batch(usize::MAX)? else {
        return Err(DataError::content(place, "it holds no points"));
    };
    let changed = || DataError::content(place, "its labels changed while reading");
    let labels = match batch.labels.classes() {
        // Text is kept as it is batch by batch; all of it together may read as numbers.
        Classes::Texts(texts) => {
            let read = Labels::from_texts(texts);
            let mut codes = batch.labels.into_codes();
            codes.iter_mut().for_each(|code| *code = read.codes()[*code as usize]);
            Labels::from_codes(read.classes().clone(), codes).ok_or_else(changed)?
        }
        Classes::Integers(_) => batch.labels,
    };
    Ok((batch.points, reader.has_labels().then_some(labels)))
}

pub(super) fn plain(
    name: String,
    (train, image): PartAndImage,
    test: Option<Part>,
    place: &str,
) -> Result<Opened, DataError> {
    let data = LabeledData::new(name, train, test, image, place)?;
    Ok(Opened::new(Loaded::Data(data), Vec::new(), Vec::new()))
}

pub(super) type PartAndImage = (Part, Option<(usize, usize)>);

pub(super) fn npy(path: &Path, name: String, options: &LoadOptions) -> Result<Opened, DataError> {
    let place = path.display().to_string();
    let labels = options.labels.as_deref();
    let labels = labels.ok_or(DataError::NoLabels { place: place.clone() })?;
    let labels = labels_of(read_npy(labels, options.limits)?, &labels.display().to_string())?;
    let (points, image) = OwnedPoints::from_array(read_npy(path, options.limits)?, &place)?;
    plain(name, (Part::new(points, labels, &place)?, image), None, &place)
}

pub(super) fn npy_points(path: &Path, options: &LoadOptions) -> Result<Vec<PointsPart>, DataError> {
    if options.labels.is_some() {
        return labeled_points(path, options);
    }
    let place = path.display().to_string();
    let (points, _) = OwnedPoints::from_array(read_npy(path, options.limits)?, &place)?;
    Ok(vec![bare(None, points, None)])
}

pub(super) fn bare(
    name: Option<&'static str>,
    points: OwnedPoints,
    labels: Option<Labels>,
) -> PointsPart {
    PointsPart { name, points, labels, columns: Vec::new(), notes: Vec::new() }
}

/// The parts of a file that always has labels.
pub(super) fn labeled_points(
    path: &Path,
    options: &LoadOptions,
) -> Result<Vec<PointsPart>, DataError> {
    let opened = (file_kind(path)?.whole)(path, name_of(path), options)?;
    let Loaded::Data(LabeledData { train, test, .. }) = opened.loaded else {
        return Err(DataError::content(&place_of(path), "it holds class statistics, not points"));
    };
    let several = test.is_some();
    let parts = [("train", Some(train)), ("test", test)];
    let part = |(name, part): (&'static str, Option<Part>)| {
        let Part { points, labels } = part?;
        Some(bare(several.then_some(name), points, Some(labels)))
    };
    Ok(parts.into_iter().filter_map(part).collect())
}

pub(super) const IDX_FILES: &str = "a folder must hold train-images-idx3-ubyte and \
    train-labels-idx1-ubyte (or .gz), as MNIST is distributed";

pub(super) fn idx_folder(
    folder: &Path,
    name: String,
    options: &LoadOptions,
) -> Result<Opened, DataError> {
    let place = folder.display().to_string();
    let Some(train) = idx_part(folder, "train", options.limits)? else {
        return Err(DataError::content(&place, IDX_FILES));
    };
    let test = idx_part(folder, "t10k", options.limits)?.map(|(part, _)| part);
    plain(name, train, test, &place)
}

/// The images and the labels of an IDX folder, as the names of their files have them.
const IDX_STEMS: [(&str, &str); 2] = [("images", "idx3"), ("labels", "idx1")];

/// The names that a file of an IDX folder can have, the preferred one first.
fn idx_names(prefix: &str, (what, axes): (&str, &str)) -> [String; 4] {
    [("-", ""), ("-", ".gz"), (".", ""), (".", ".gz")]
        .map(|(mark, end)| format!("{prefix}-{what}{mark}{axes}-ubyte{end}"))
}

/// The files of images and labels of one part, where both are there.
pub(super) fn idx_files(folder: &Path, prefix: &str) -> Option<(PathBuf, PathBuf)> {
    let [images, labels] = IDX_STEMS.map(|stem| {
        let files = idx_names(prefix, stem).map(|name| folder.join(name));
        files.into_iter().find(|file| file.is_file())
    });
    Some((images?, labels?))
}

/// Returns every file that loading a path may read: the path itself, or all names that a reader looks for in a folder.
pub fn files_read(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let stems = ["train", "t10k"].into_iter().flat_map(|part| IDX_STEMS.map(|stem| (part, stem)));
    stems.flat_map(|(part, stem)| idx_names(part, stem)).map(|name| path.join(name)).collect()
}

fn idx_part(
    folder: &Path,
    prefix: &str,
    limits: Limits,
) -> Result<Option<PartAndImage>, DataError> {
    let Some((images, labels)) = idx_files(folder, prefix) else { return Ok(None) };
    let place = images.display().to_string();
    let labels = labels_of(read_idx(&labels, limits)?, &labels.display().to_string())?;
    let (points, image) = OwnedPoints::from_array(read_idx(&images, limits)?, &place)?;
    Ok(Some((Part::new(points, labels, &place)?, image)))
}
