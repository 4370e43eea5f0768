//! The entry point for reading data files: selects a reader by the kind of file and checks the
//! samples.

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

/// The number of labels from which a column with all different values is not used as labels.
pub(super) const IDS: usize = 4;

/// Options for reading a data file, about properties that the file does not contain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// The label column of a table. The default is the one called label, class, target or y.
    pub label: Option<Column>,
    /// Whether a file without labels is accepted.
    pub label_optional: bool,
    /// Whether the first row of a table contains column names.
    pub header: Header,
    /// The character between the cells of a table. It is detected by default.
    pub delimiter: Option<u8>,
    /// The decimal mark of the numbers in a table. It is detected by default.
    pub decimal: Option<Decimal>,
    /// Additional texts and numbers that represent missing values in feature columns.
    pub na_values: Vec<String>,
    /// The encoding of names and labels in a table.
    pub encoding: Encoding,
    /// The columns of a table that are used as features.
    pub select: Selection,
    /// The expected names of the columns in this order, for example those of a model.
    pub expected: Option<Vec<String>>,
    /// The treatment of missing values.
    pub missing: Missing,
    /// The values that replace missing values of each column when samples are read in batches (see
    /// [`super::ColumnMeans`]).
    pub fill: Option<Vec<f64>>,
    /// Whether the numbers of a table are stored in single precision.
    pub single_precision: bool,
    /// The path of an `.npy` file with the labels of samples in an `.npy` or `.npz` file.
    pub labels: Option<PathBuf>,
    /// The name of the array of samples in an `.npz` or `.mat` file. The default is a usual name.
    pub x_key: Option<String>,
    /// The name of the array of labels in an `.npz` or `.mat` file. The default is a usual name.
    pub y_key: Option<String>,
    /// The paths of files of test samples, for formats with a single part (`.npy`, tables).
    pub test: Vec<PathBuf>,
    /// The path of a file with the labels of the test samples, for `.npy`.
    pub test_labels: Option<PathBuf>,
    /// The height and width of every sample if samples are images that the file stores as rows.
    pub image_shape: Option<(usize, usize)>,
    /// The largest amount of memory that one array may use.
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

/// The content of a file.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// Samples with labels.
    Data(LabeledData),
    /// Class statistics.
    Statistics(GivenStatistics),
    /// Accumulated class statistics with their name. Any estimator can be computed from them.
    Sums(String, ClassAccumulator),
}

/// The content of a file, the names of its columns, and notes for the user.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The content of the file.
    pub loaded: Loaded,
    /// The names of the columns. Empty if they have none.
    pub columns: Vec<String>,
    /// The label column of a table by name, or by position if there are no names.
    pub label: Option<String>,
    /// The notes for the user.
    pub notes: Vec<Note>,
    /// The notes about the file of test samples. Empty if there is none.
    pub test_notes: Vec<Note>,
}

impl Opened {
    /// Returns the content of one file without a label column or test notes.
    pub fn new(loaded: Loaded, columns: Vec<String>, notes: Vec<Note>) -> Self {
        Self { loaded, columns, label: None, notes, test_notes: Vec::new() }
    }
}

/// Samples to which a model is applied.
#[derive(Debug, Clone)]
pub struct PointsPart {
    /// The name of the part, `train` or `test`, if the file has several.
    pub name: Option<&'static str>,
    /// The samples. With [`Missing::Keep`], missing values are NaN.
    pub points: OwnedPoints,
    /// The labels of the samples, if they have any.
    pub labels: Option<Labels>,
    /// The names of the columns. Empty if they have none.
    pub columns: Vec<String>,
    /// The notes for the user.
    pub notes: Vec<Note>,
}

/// Loads a data set. [`super::FILE_KINDS`] lists the supported files, and `-` is a table on
/// standard input.
///
/// # Errors
///
/// If the file cannot be read or its data cannot be used.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, DataError> {
    open_data(path, options).map(|opened| opened.loaded)
}

/// Loads a data set with the names of its columns and notes for the user.
///
/// All values of the result are finite: missing values are treated according to the options, and
/// infinite values are rejected.
///
/// # Errors
///
/// If the file cannot be read or its data cannot be used.
pub fn open_data(path: &Path, options: &LoadOptions) -> Result<Opened, DataError> {
    open_several(&[path.to_owned()], options)
}

/// Loads several files of samples as one data set, with rows in the order of the files. Each file
/// is read as by [`open_data`].
///
/// # Errors
///
/// If a file cannot be read, or if columns or labels of the files do not match.
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

/// Reads the samples of a file, training part first, with labels if there are any.
///
/// An archive of arrays may have the parts X_train, X_test and X.
///
/// # Errors
///
/// If the file cannot be read or does not contain samples.
pub fn open_points(path: &Path, options: &LoadOptions) -> Result<Vec<PointsPart>, DataError> {
    let options = LoadOptions { label_optional: true, ..options.clone() };
    (file_kind(path)?.points)(path, &options)
}

pub(super) fn place_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Returns a name for the data of a file.
pub(super) fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| path.display().to_string());
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&file).to_owned()
}

/// Checks data for missing and infinite values, labels that are identifiers, and columns that are
/// indices.
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
    // Missing values of test samples are replaced by the means of the training samples, so that
    // test data are not used.
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

/// Reads all batches of a labeled file at once.
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

/// Reads all batches of a file at once, with or without labels.
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
        return Err(DataError::content(place, "it contains no samples"));
    };
    let changed = || DataError::content(place, "its labels changed while reading");
    let labels = match batch.labels.classes() {
        // Batches keep labels as text. All labels together may be numbers.
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

/// Returns the parts of a file that always has labels.
pub(super) fn labeled_points(
    path: &Path,
    options: &LoadOptions,
) -> Result<Vec<PointsPart>, DataError> {
    let opened = (file_kind(path)?.whole)(path, name_of(path), options)?;
    let Loaded::Data(LabeledData { train, test, .. }) = opened.loaded else {
        return Err(DataError::content(
            &place_of(path),
            "it contains class statistics, not samples",
        ));
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

/// The stems of the files of images and labels in an IDX folder.
const IDX_STEMS: [(&str, &str); 2] = [("images", "idx3"), ("labels", "idx1")];

/// Returns the possible names of a file in an IDX folder, starting with the preferred one.
fn idx_names(prefix: &str, (what, axes): (&str, &str)) -> [String; 4] {
    [("-", ""), ("-", ".gz"), (".", ""), (".", ".gz")]
        .map(|(mark, end)| format!("{prefix}-{what}{mark}{axes}-ubyte{end}"))
}

/// Returns the files of images and labels of one part if both exist.
pub(super) fn idx_files(folder: &Path, prefix: &str) -> Option<(PathBuf, PathBuf)> {
    let [images, labels] = IDX_STEMS.map(|stem| {
        let files = idx_names(prefix, stem).map(|name| folder.join(name));
        files.into_iter().find(|file| file.is_file())
    });
    Some((images?, labels?))
}

/// Returns all files that loading a path may read: the path itself, or all possible names in a
/// folder.
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
