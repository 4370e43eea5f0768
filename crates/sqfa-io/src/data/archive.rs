//! Archives of arrays (`.npz`), with rules that find the arrays of samples and labels.

use std::path::{Path, PathBuf};

use sqfa::Labels;

use super::batches::sparse::SparseBatches;
use super::load::{LoadOptions, Loaded, Opened, PointsPart, bare, labeled_points, plain, whole};
use super::tables::labels_of;
use super::{DataError, GivenStatistics, LabeledData, OwnedPoints, Part};
use crate::formats::{ArrayRows, FormatError, Note, Npz, read_npy};

/// The usual names of arrays of samples in any letter case. The first existing one is used.
const POINTS: [&str; 4] = ["x", "data", "features", "counts"];
/// The usual names of arrays of labels in any letter case.
const LABELS: [&str; 6] = ["y", "target", "targets", "labels", "label", "class"];

/// The names of the arrays of one part of the data.
struct Keys {
    points: String,
    labels: Option<String>,
    /// The name of the part, `train` or `test`, if the names of the arrays contain it.
    part: Option<&'static str>,
}

/// An open archive of samples.
pub(super) struct Archive {
    npz: Npz,
    place: String,
    /// The path of a separate file of labels.
    labels: Option<PathBuf>,
    /// The training part, the test part or samples without a part, as far as they exist.
    parts: Vec<Keys>,
    /// The index of the part that is used for training.
    first: usize,
    /// Whether the samples are a sparse matrix in SciPy's format.
    sparse: bool,
}

impl Archive {
    /// Opens an archive and finds its samples. Archives of class statistics have none.
    pub(super) fn open(path: &Path, options: &LoadOptions) -> Result<Self, DataError> {
        let mut npz = Npz::open(path, options.limits)?;
        let place = npz.place().to_owned();
        let sparse = options.x_key.is_none() && SparseBatches::is_in(&npz);
        let parts = find(npz.names(), options, sparse).map_err(|missing| missing.at(&mut npz))?;
        let labels = options.labels.clone();
        let of = |part| parts.iter().position(|keys| keys.part == part);
        let labeled = |at: &usize| labels.is_some() || parts[*at].labels.is_some();
        let first = of(Some("train")).filter(labeled).or(of(None)).unwrap_or(0);
        Ok(Self { npz, place, labels, parts, first, sparse })
    }

    /// Returns the labels of a part, or `None` if it has none.
    fn labels(&mut self, part: usize) -> Result<Option<Labels>, DataError> {
        if let Some(file) = &self.labels {
            // A separate file of labels belongs to the training part.
            if part != self.first {
                return Ok(None);
            }
            let array = read_npy(file, self.npz.limits())?;
            return Ok(Some(labels_of(array, &file.display().to_string())?));
        }
        let Some(key) = &self.parts[part].labels else { return Ok(None) };
        Ok(Some(labels_of(self.npz.read(key)?, &format!("{}[{key}]", self.place))?))
    }

    fn needed_labels(&mut self, part: usize) -> Result<Labels, DataError> {
        let absent = DataError::NoLabelArray {
            place: self.place.clone(),
            points: self.parts[part].points.clone(),
            names: self.npz.names().join(", "),
        };
        self.labels(part)?.ok_or(absent)
    }

    /// Reads the samples of a part, with height and width if they are images.
    fn points(&mut self, part: usize) -> Result<(OwnedPoints, Image), DataError> {
        let key = &self.parts[part].points;
        OwnedPoints::from_array(self.npz.read(key)?, &format!("{}[{key}]", self.place))
    }

    fn labeled(&mut self, part: usize) -> Result<(Part, Image), DataError> {
        let labels = self.needed_labels(part)?;
        let (points, image) = self.points(part)?;
        let place = format!("{}[{}]", self.place, self.parts[part].points);
        Ok((Part::new(points, labels, &place)?, image))
    }

    /// Returns a reader of the training rows, with their labels and the name of the array for
    /// messages.
    pub(super) fn rows(mut self) -> Result<(ArrayRows, Labels, String), DataError> {
        let labels = self.needed_labels(self.first)?;
        Ok((self.npz.rows(&self.parts[self.first].points)?, labels, self.place))
    }

    /// Returns a reader of the rows of a sparse matrix, or `None` if the samples are dense.
    pub(super) fn sparse(&mut self, optional: bool) -> Result<Option<SparseBatches>, DataError> {
        if !self.sparse {
            return Ok(None);
        }
        let rows = SparseBatches::read(&mut self.npz)?;
        let labels = if optional { self.labels(0)? } else { Some(self.needed_labels(0)?) };
        Ok(Some(match labels {
            Some(labels) => rows.with_labels(labels)?,
            None => rows,
        }))
    }

    /// Returns a note about arrays that could be samples or labels but are not used.
    fn note(&self) -> Option<Note> {
        let keys = |part: &Keys| [Some(part.points.clone()), part.labels.clone()];
        let read = |at: &usize| *at == self.first || self.parts[*at].part == Some("test");
        let parts = (0..self.parts.len()).filter(read).map(|at| &self.parts[at]);
        let used: Vec<String> = parts.flat_map(keys).flatten().collect();
        let known = |name: &&String| {
            let name = name.to_lowercase();
            POINTS.contains(&name.as_str()) || LABELS.contains(&name.as_str())
        };
        let names = self.npz.names().iter().filter(known);
        let others: Vec<String> = names.filter(|name| !used.contains(name)).cloned().collect();
        (!others.is_empty()).then_some(Note::OtherArrays { used, others })
    }
}

type Image = Option<(usize, usize)>;

/// An array that does not exist.
enum Absent {
    /// An array with a specified name.
    Named(String),
    /// An array of samples with any of the usual names.
    Points,
}

impl Absent {
    fn at(self, npz: &mut Npz) -> DataError {
        let (place, names) = (npz.place().to_owned(), npz.names().join(", "));
        match self {
            Self::Named(name) => {
                let near = FormatError::similar(&name, npz.names().iter().map(String::as_str));
                FormatError::Missing { place, what: "array", name, names, near }.into()
            }
            Self::Points => {
                let problem = format!(
                    "expected arrays X and y, data and target, counts and labels, X_train and y_train (and X_test, \
                     y_test), means and covariances, or second_moments; it has: {names}; name other arrays"
                );
                let all = npz.names().to_vec().into_iter();
                let shapes: Vec<_> =
                    all.filter_map(|name| Some((npz.shape(&name).ok()?, name))).collect();
                DataError::NoArrays { place, problem, pair: likely_pair(&shapes) }
            }
        }
    }
}

/// Returns the only pair of arrays that can be samples and their labels, or `None` if there are
/// several pairs.
pub(super) fn likely_pair(arrays: &[(Vec<usize>, String)]) -> Option<(String, String)> {
    let length = |shape: &[usize]| {
        let long: Vec<usize> = shape.iter().copied().filter(|&length| length != 1).collect();
        if let [length] = long[..] { Some(length) } else { None }
    };
    let (vectors, others): (Vec<_>, Vec<_>) =
        arrays.iter().partition(|(shape, _)| length(shape).is_some());
    let ([(points, x)], [(labels, y)]) = (&others[..], &vectors[..]) else { return None };
    (points.len() > 1 && points.first().copied() == length(labels)).then(|| (x.clone(), y.clone()))
}

/// Finds the arrays of samples and labels: those that were specified, or those with usual names.
fn find(names: &[String], options: &LoadOptions, sparse: bool) -> Result<Vec<Keys>, Absent> {
    let like = |name: &str| names.iter().find(|own| own.eq_ignore_ascii_case(name)).cloned();
    // An exact name has precedence over one with a different letter case.
    let own = |name: &str| names.iter().find(|own| *own == name).cloned().or_else(|| like(name));
    let usual = |all: &[&str]| all.iter().find_map(|name| own(name));
    let asked = |key: &Option<String>| match key {
        Some(key) if names.contains(key) => Ok(Some(key.clone())),
        Some(key) => Err(Absent::Named(key.clone())),
        None => Ok(None),
    };
    let (x, y) = (asked(&options.x_key)?, asked(&options.y_key)?);
    if sparse {
        return Ok(vec![Keys { points: "data".to_owned(), labels: y, part: None }]);
    }
    let exact = |x: &str, y: &str| {
        let points = names.iter().find(|name| *name == x)?;
        Some((points.clone(), names.iter().find(|name| *name == y)?.clone()))
    };
    let whole = exact("X", "y").or_else(|| Some((usual(&POINTS)?, usual(&LABELS)?)));
    let whole_points = whole.as_ref().map(|(points, _)| points.clone()).or(usual(&POINTS));
    let whole_labels = whole.map(|(_, labels)| labels).or(usual(&LABELS));
    let train = own("X_train").map(|points| (points, own("y_train"), Some("train")));
    let test = own("X_test").map(|points| (points, own("y_test"), Some("test")));
    let keys = |(points, labels, part)| Keys { points, labels, part };
    if x.is_some() || y.is_some() {
        // If arrays are specified, only these are read. The other one of a pair is found by its
        // usual name.
        let points = x.or_else(|| train.map(|(points, ..)| points)).or(whole_points);
        let labels = y.or(whole_labels);
        return points.map(|points| vec![keys((points, labels, None))]).ok_or(Absent::Points);
    }
    let whole = whole_points.map(|points| (points, whole_labels, None));
    let parts: Vec<Keys> = [train, test, whole].into_iter().flatten().map(keys).collect();
    if parts.is_empty() { Err(Absent::Points) } else { Ok(parts) }
}

/// Whether an archive contains class statistics.
fn holds_statistics(npz: &Npz) -> bool {
    (npz.contains("covariances") && npz.contains("means")) || npz.contains("second_moments")
}

/// Whether the labels of a file must come from another file.
pub fn needs_labels(path: &Path, options: &LoadOptions) -> bool {
    let lower = path.to_string_lossy().to_lowercase();
    let labeled = || {
        let archive = Archive::open(path, &LoadOptions { labels: None, ..options.clone() }).ok()?;
        Some(archive.parts[0].labels.is_some())
    };
    lower.ends_with(".npy") || (lower.ends_with(".npz") && labeled() == Some(false))
}

pub(super) fn npz(path: &Path, name: String, options: &LoadOptions) -> Result<Opened, DataError> {
    if options.x_key.is_none() {
        let mut npz = Npz::open(path, options.limits)?;
        if holds_statistics(&npz) {
            let loaded = Loaded::Statistics(GivenStatistics::from_npz(name, &mut npz)?);
            return Ok(Opened::new(loaded, Vec::new(), Vec::new()));
        }
    }
    let mut archive = Archive::open(path, options)?;
    let place = archive.place.clone();
    if let Some(mut rows) = archive.sparse(false)? {
        let (points, labels) = whole(&mut rows, options, &place)?;
        let labels = labels.ok_or_else(|| DataError::content(&place, "it has no labels"))?;
        let train = Part::new(points, labels, &place)?;
        let data = LabeledData::new(name, train, None, None, &place)?;
        return Ok(Opened::new(Loaded::Data(data), Vec::new(), Vec::new()));
    }
    let test = archive.parts.iter().position(|keys| keys.part == Some("test"));
    let test = test.filter(|&test| test != archive.first);
    if test.is_some_and(|test| archive.parts[test].labels.is_none())
        || (test.is_none() && archive.npz.contains("y_test"))
    {
        return Err(DataError::content(&place, "give both X_test and y_test, or neither"));
    }
    let train = archive.labeled(archive.first)?;
    let test = test.map(|test| archive.labeled(test)).transpose()?.map(|(part, _)| part);
    let mut opened = plain(name, train, test, &place)?;
    opened.notes.extend(archive.note());
    Ok(opened)
}

pub(super) fn npz_points(path: &Path, options: &LoadOptions) -> Result<Vec<PointsPart>, DataError> {
    if options.x_key.is_none() && holds_statistics(&Npz::open(path, options.limits)?) {
        return labeled_points(path, options);
    }
    let mut archive = Archive::open(path, options)?;
    if let Some(mut rows) = archive.sparse(true)? {
        let (points, labels) = whole(&mut rows, options, &archive.place)?;
        return Ok(vec![bare(None, points, labels)]);
    }
    let several = archive.parts.len() > 1;
    let mut parts = Vec::new();
    for part in 0..archive.parts.len() {
        let labels = archive.labels(part)?;
        let (points, _) = archive.points(part)?;
        if let Some(labels) = &labels
            && labels.len() != points.rows()
        {
            let place = format!("{}[{}]", archive.place, archive.parts[part].points);
            let (points, labels) = (points.rows(), labels.len());
            return Err(DataError::Lengths { place, points, labels });
        }
        parts.push(bare(archive.parts[part].part.filter(|_| several), points, labels));
    }
    Ok(parts)
}
