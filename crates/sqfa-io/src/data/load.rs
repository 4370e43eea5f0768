//! One door for every file: the name's ending and the arrays inside say what it is.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sqfa::statistics::ClassAccumulator;
use sqfa::{Classes, Labels};

use super::batches::open_batches;
use super::tables::{labels_of, part_of};
use super::{DataError, GivenStatistics, LabeledData, OwnedPoints, Part};
use crate::formats::{
    AtomicFile, Column, CsvOptions, FormatError, Header, Limits, Npz, read_csv, read_csv_from,
    read_idx, read_npy,
};

/// What a file cannot say about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// The label column of a table; by default the one called label, class, target or y.
    pub label: Option<Column>,
    /// Whether a table's first row names its columns.
    pub header: Header,
    /// The character between a table's cells; by default what the name's ending says.
    pub delimiter: Option<u8>,
    /// Whether a table's numbers are kept in single precision.
    pub single_precision: bool,
    /// The labels of points in an `.npy` file: another `.npy` file.
    pub labels: Option<PathBuf>,
    /// A file of test points, for formats that hold one part (`.npy`, tables).
    pub test: Option<PathBuf>,
    /// The labels of the test points, for `.npy`.
    pub test_labels: Option<PathBuf>,
    /// Height and width of every point, when it is an image and the file holds it flat.
    pub image_shape: Option<(usize, usize)>,
    /// How much memory one array may take.
    pub limits: Limits,
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

/// Loads a data set.
///
/// Understands `.npz` (`X_train`, `y_train` and optionally `X_test`, `y_test`; or `X`, `y`; or
/// `means`, `covariances`; or `second_moments`), `.npy` with labels beside it, `.csv` and `.tsv`
/// (`.gz` too), `-` for a table on standard input, MATLAB's `.mat` with `X` and `y`, `.parquet` (with the cargo feature
/// of that name), `.stats` (class sums), and a folder with MNIST's four IDX files.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, DataError> {
    let mut loaded = open(path, options)?;
    if let (Loaded::Data(data), Some((height, width))) = (&mut loaded, options.image_shape) {
        let columns = data.train.points.columns();
        if height.checked_mul(width) != Some(columns) {
            let problem = format!(
                "points of {columns} dimensions are not images of {height} × {width}: \
                 give a height and a width whose product is {columns}"
            );
            return Err(DataError::content(&path.display().to_string(), problem));
        }
        data.image_shape = Some((height, width));
    }
    Ok(loaded)
}

fn open(path: &Path, options: &LoadOptions) -> Result<Loaded, DataError> {
    let place = path.display().to_string();
    if place == "-" {
        let table =
            read_csv_from(std::io::stdin().lock(), &csv_options(options), "standard input")?;
        let train = part_of(table, options.single_precision, "standard input")?;
        return with_test("stdin".to_owned(), train, None, "standard input", options);
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| place.clone());
    let name = file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&file).to_owned();
    if path.is_dir() {
        return idx_folder(path, name, options.limits).map(Loaded::Data);
    }
    let lower = file.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    if ends(&[".npz"]) {
        npz(path, name, options.limits)
    } else if ends(&[".npy"]) {
        let (train, image) = npy_part(path, options.labels.as_deref(), "labels", options.limits)?;
        with_test(name, train, image, &place, options)
    } else if ends(&[".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt"]) {
        let train = csv_part(path, options)?;
        with_test(name, train, None, &place, options)
    } else if ends(&[".mat", ".parquet"]) {
        let (train, image) = whole(path, options)?;
        with_test(name, train, image, &place, options)
    } else if ends(&[".stats"]) || is_sums(path) {
        read_sums(path).map(|sums| Loaded::Sums(name, sums))
    } else {
        Err(unknown_kind(&place))
    }
}

pub(super) fn unknown_kind(place: &str) -> DataError {
    let problem = "unknown kind of file; expected .npz, .npy, .csv, .tsv (or .gz of these two), .mat, \
                   .parquet, .stats, - for a table on standard input, or a folder of IDX files";
    DataError::content(place, problem)
}

/// Whether a file begins as class sums do.
pub fn is_sums(path: &Path) -> bool {
    let mut start = [0u8; 8];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == ClassAccumulator::MAGIC
}

/// Reads class sums written by [`write_sums`]; damage anywhere is noticed.
pub fn read_sums(path: &Path) -> Result<ClassAccumulator, DataError> {
    let place = path.display().to_string();
    let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
    if path.is_file() && !is_sums(path) {
        let problem = format!(
            "it holds no class statistics; if it holds points, sum them up first \
             (sqfa stats {place} --out FILE.stats)"
        );
        return Err(DataError::content(&place, problem));
    }
    let bytes = std::fs::read(path).map_err(fail)?;
    ClassAccumulator::from_bytes(&bytes).map_err(|source| DataError::Sums { place, source })
}

/// Writes class sums, whole or not at all.
pub fn write_sums(path: &Path, sums: &ClassAccumulator) -> Result<(), DataError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(&sums.to_bytes())
        .map_err(|source| FormatError::write(&path.display().to_string(), source))?;
    Ok(file.commit()?)
}

/// All batches of a file at once.
fn whole(path: &Path, options: &LoadOptions) -> Result<PartAndImage, DataError> {
    let mut reader = open_batches(path, options, None)?;
    let place = path.display().to_string();
    if let Some(rows) = reader.rows() {
        let needed = u128::from(rows) * reader.columns() as u128 * 8;
        let limit = options.limits.bytes;
        if needed > u128::from(limit) {
            return Err(FormatError::Limit { place, needed, limit }.into());
        }
    }
    let image = reader.image_shape();
    let Some(batch) = reader.next_batch(usize::MAX)? else {
        return Err(DataError::content(&place, "it holds no points"));
    };
    let labels = match batch.labels.classes() {
        // Text is kept as it is batch by batch; all of it together may read as numbers.
        Classes::Texts(texts) => {
            let codes = batch.labels.codes().iter();
            Labels::from_texts(&codes.map(|&code| &texts[code as usize]).collect::<Vec<_>>())
        }
        Classes::Integers(_) => batch.labels,
    };
    Ok((Part::new(batch.points, labels, &place)?, image))
}

/// Joins a training part with the test file the options name, if any.
fn with_test(
    name: String,
    train: Part,
    image: Option<(usize, usize)>,
    place: &str,
    options: &LoadOptions,
) -> Result<Loaded, DataError> {
    let test = match &options.test {
        None => None,
        Some(path) if path.extension().is_some_and(|ending| ending == "npy") => {
            let labels = options.test_labels.as_deref();
            Some(npy_part(path, labels, "test_labels", options.limits)?.0)
        }
        Some(path) if path.extension().is_some_and(|end| end == "mat" || end == "parquet") => {
            Some(whole(path, options)?.0)
        }
        Some(path) => Some(csv_part(path, options)?),
    };
    LabeledData::new(name, train, test, image, place).map(Loaded::Data)
}

type PartAndImage = (Part, Option<(usize, usize)>);

fn npy_part(
    path: &Path,
    labels: Option<&Path>,
    option: &str,
    limits: Limits,
) -> Result<PartAndImage, DataError> {
    let place = path.display().to_string();
    let labels = labels.ok_or_else(|| {
        let problem = format!("an npy file holds no labels: name a second npy file ({option})");
        DataError::content(&place, problem)
    })?;
    let labels = labels_of(read_npy(labels, limits)?, &labels.display().to_string())?;
    let (points, image) = OwnedPoints::from_array(read_npy(path, limits)?, &place)?;
    Ok((Part::new(points, labels, &place)?, image))
}

fn csv_options(options: &LoadOptions) -> CsvOptions {
    CsvOptions {
        label: Some(options.label.clone().unwrap_or(Column::Usual)),
        header: options.header,
        delimiter: options.delimiter,
        limits: options.limits,
    }
}

fn csv_part(path: &Path, options: &LoadOptions) -> Result<Part, DataError> {
    let table = read_csv(path, &csv_options(options))?;
    part_of(table, options.single_precision, &path.display().to_string())
}

fn npz(path: &Path, name: String, limits: Limits) -> Result<Loaded, DataError> {
    let mut npz = Npz::open(path, limits)?;
    if (npz.contains("covariances") && npz.contains("means")) || npz.contains("second_moments") {
        return GivenStatistics::from_npz(name, &mut npz).map(Loaded::Statistics);
    }
    let pairs = [("X_train", "y_train"), ("X", "y")];
    let pair = pairs.into_iter().find(|(x, y)| npz.contains(x) && npz.contains(y));
    let place = npz.place().to_owned();
    let Some((x, y)) = pair else {
        let problem = format!(
            "expected arrays X_train and y_train (and X_test, y_test), or X and y, or means and \
             covariances, or second_moments; found: {}",
            npz.names().join(", ")
        );
        return Err(DataError::content(&place, problem));
    };
    let (train, image) = npz_part(&mut npz, x, y)?;
    let test = match (npz.contains("X_test"), npz.contains("y_test")) {
        (true, true) => Some(npz_part(&mut npz, "X_test", "y_test")?.0),
        (false, false) => None,
        _ => return Err(DataError::content(&place, "give both X_test and y_test, or neither")),
    };
    LabeledData::new(name, train, test, image, &place).map(Loaded::Data)
}

fn npz_part(npz: &mut Npz, x: &str, y: &str) -> Result<PartAndImage, DataError> {
    let place = format!("{}[{x}]", npz.place());
    let labels = labels_of(npz.read(y)?, &format!("{}[{y}]", npz.place()))?;
    let (points, image) = OwnedPoints::from_array(npz.read(x)?, &place)?;
    Ok((Part::new(points, labels, &place)?, image))
}

pub(super) const IDX_FILES: &str = "a folder must hold train-images-idx3-ubyte and \
    train-labels-idx1-ubyte (or .gz), as MNIST is distributed";

fn idx_folder(folder: &Path, name: String, limits: Limits) -> Result<LabeledData, DataError> {
    let place = folder.display().to_string();
    let Some((train, image)) = idx_part(folder, "train", limits)? else {
        return Err(DataError::content(&place, IDX_FILES));
    };
    let test = idx_part(folder, "t10k", limits)?.map(|(part, _)| part);
    LabeledData::new(name, train, test, image, &place)
}

/// The files of images and labels of one part, where both are there.
pub(super) fn idx_files(folder: &Path, prefix: &str) -> Option<(PathBuf, PathBuf)> {
    let find = |stem: &str| {
        ["-", "."].iter().flat_map(|mark| ["", ".gz"].map(|end| (mark, end))).find_map(
            |(mark, end)| {
                let (what, axes) = stem.split_once('/')?;
                let file = folder.join(format!("{prefix}-{what}{mark}{axes}-ubyte{end}"));
                file.is_file().then_some(file)
            },
        )
    };
    Some((find("images/idx3")?, find("labels/idx1")?))
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
