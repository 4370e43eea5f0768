//! A table of file kinds: their endings, how they are read as a whole and in batches, and their
//! help text.
//!
//! A new format needs a reader in `batches/`, a `mod` line there, and one entry in this table.

use std::io::Read;
use std::path::Path;

use super::batches::{BatchReader, arrays, mat, open_parquet, table};
use super::load::{self, LoadOptions, Loaded, Opened, PointsPart};
use super::sums::{TableSums, is_sums, read_table_sums};
use super::{DataError, archive, batches};
use crate::formats::Column;

/// The content of a kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Columns, one of which contains the labels.
    Table,
    /// Arrays of samples and labels, or of class statistics.
    Arrays,
    /// Samples without labels, which are in a separate file.
    Points,
    /// Accumulated class statistics.
    Sums,
}

type Whole = fn(&Path, String, &LoadOptions) -> Result<Opened, DataError>;
type Batches = fn(&Path, &LoadOptions, Option<&Column>) -> Result<Box<dyn BatchReader>, DataError>;
type Unlabeled = fn(&Path, &LoadOptions) -> Result<Vec<PointsPart>, DataError>;

/// A kind of file.
pub struct FileKind {
    /// The endings of file names, in lower case. A folder has no ending.
    pub endings: &'static [&'static str],
    /// The content of such files.
    pub holds: Holds,
    /// The name of the kind in help texts.
    pub title: &'static str,
    /// The lines of the help text. Empty if this build cannot read the kind.
    pub help: &'static [&'static str],
    pub(super) whole: Whole,
    pub(super) batches: Batches,
    pub(super) points: Unlabeled,
}

impl std::fmt::Debug for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileKind").field("title", &self.title).finish()
    }
}

/// All kinds of files, in the order of the help text.
pub static FILE_KINDS: &[FileKind] = &[
    FileKind {
        endings: &[".npz"],
        holds: Holds::Arrays,
        title: "FILE.npz",
        help: &[
            "arrays X_train, y_train[, X_test, y_test]; X, y; data, target; counts, labels;",
            "or others by --x-key and --y-key; or a SciPy sparse matrix, with --labels y.npy;",
            "or statistics: means, covariances[, counts, classes]; or second_moments",
        ],
        whole: archive::npz,
        batches: |path, options, _| arrays::npz(path, options),
        points: archive::npz_points,
    },
    FileKind {
        endings: &[".npy"],
        holds: Holds::Points,
        title: "FILE.npy",
        help: &["points, with --labels y.npy"],
        whole: load::npy,
        batches: |path, options, _| Ok(Box::new(arrays::npy(path, options)?)),
        points: load::npy_points,
    },
    FileKind {
        endings: &[
            ".csv", ".tsv", ".txt", ".dat", ".data", ".tab", ".csv.gz", ".tsv.gz", ".txt.gz",
            ".dat.gz", ".data.gz", ".tab.gz",
        ],
        holds: Holds::Table,
        title: "FILE.csv",
        help: &[
            "a table, with --label COLUMN; also .tsv, .txt, .dat, .data, .tab, without an ending,",
            "compressed (.csv.gz), and - for standard input",
        ],
        whole: load::from_batches,
        batches: |path, options, weights| {
            Ok(Box::new(table::TableBatches::open(path, options, weights)?))
        },
        points: load::points_from_batches,
    },
    FileKind {
        endings: &[".parquet"],
        holds: Holds::Table,
        title: "FILE.parquet",
        help: if cfg!(feature = "parquet") { &["a table, with --label COLUMN"] } else { &[] },
        whole: load::from_batches,
        batches: open_parquet,
        points: load::points_from_batches,
    },
    FileKind {
        endings: &[".mat"],
        holds: Holds::Arrays,
        title: "FILE.mat",
        help: &["MATLAB arrays X and y, or others by --x-key and --y-key; SVHN's images turn gray"],
        whole: load::from_batches,
        batches: |path, options, _| mat::open(path, options),
        points: load::points_from_batches,
    },
    FileKind {
        endings: &[".stats"],
        holds: Holds::Sums,
        title: "FILE.stats",
        help: &["class sums from sqfa stats"],
        whole: |path, name, _| {
            let TableSums { sums, columns, label } = read_table_sums(path)?;
            Ok(Opened { label, ..Opened::new(Loaded::Sums(name, sums), columns, Vec::new()) })
        },
        batches: |path, _, _| Err(no_points(path)),
        points: |path, _| Err(no_points(path)),
    },
    FileKind {
        endings: &[],
        holds: Holds::Arrays,
        title: "FOLDER",
        help: &["IDX files as MNIST is distributed, .gz or not"],
        whole: load::idx_folder,
        batches: |path, options, _| Ok(Box::new(arrays::idx_folder(path, options)?)),
        points: load::labeled_points,
    },
];

fn no_points(path: &Path) -> DataError {
    DataError::content(&path.display().to_string(), "it contains class statistics, not samples")
}

/// Returns the kind of a file by the ending of its name. Without an ending, the first bytes decide.
/// `-` is a table on standard input.
///
/// # Errors
///
/// If the ending is unknown.
pub fn file_kind(path: &Path) -> Result<&'static FileKind, DataError> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let table = || FILE_KINDS.iter().find(|kind| kind.endings.contains(&".csv"));
    let folder = || FILE_KINDS.iter().find(|kind| kind.endings.is_empty());
    let sums = || FILE_KINDS.iter().find(|kind| kind.holds == Holds::Sums);
    let ends = |kind: &&FileKind| kind.endings.iter().any(|ending| name.ends_with(ending));
    let found = if path == Path::new("-") {
        table()
    } else if path.is_dir() {
        folder()
    } else {
        let found = FILE_KINDS.iter().find(ends).or_else(|| sums().filter(|_| is_sums(path)));
        found.or_else(|| by_first_bytes(path).filter(|_| !name.contains('.')))
    };
    found.ok_or_else(|| {
        let readable = FILE_KINDS.iter().filter(|kind| !kind.help.is_empty());
        let endings: Vec<&str> = readable.flat_map(|kind| kind.endings).copied().collect();
        let problem = format!(
            "unknown kind of file; expected {}, a table without an ending, - for a table on standard input, or a folder \
             of IDX files",
            endings.join(", ")
        );
        DataError::content(&path.display().to_string(), problem)
    })
}

/// Returns the kind of a file without an ending. An array file has a signature at its beginning,
/// and any other file is a table.
fn by_first_bytes(path: &Path) -> Option<&'static FileKind> {
    const MARKS: [(&[u8], &str); 4] = [
        (b"PK\x03\x04", ".npz"),
        (b"\x93NUMPY", ".npy"),
        (b"MATLAB", ".mat"),
        (b"PAR1", ".parquet"),
    ];
    if !path.exists() {
        return None;
    }
    let mut start = Vec::new();
    // Reading from anything but a regular file would consume its data.
    if path.is_file() {
        std::fs::File::open(path).ok()?.take(8).read_to_end(&mut start).ok()?;
    }
    let mark = MARKS.iter().find(|(mark, _)| start.starts_with(mark));
    let ending = mark.map_or(".csv", |(_, ending)| ending);
    FILE_KINDS.iter().find(|kind| kind.endings.contains(&ending))
}

/// Returns the help text about data files, with names in one column and explanations in the next.
pub fn file_kinds_help() -> String {
    let mut text = String::new();
    for kind in FILE_KINDS {
        for (at, line) in kind.help.iter().enumerate() {
            let title = if at == 0 { kind.title } else { "" };
            text.push_str(&format!("  {title:<13} {line}\n"));
        }
    }
    text
}

/// Opens a file of labeled samples for reading in batches. Of several parts, the training part is
/// opened.
///
/// All files that [`super::load`] accepts can be read, except for class statistics. `weights` is a
/// column of weights in a table.
///
/// # Errors
///
/// If the file cannot be opened or does not contain samples.
pub fn open_batches(
    path: &Path,
    options: &LoadOptions,
    weights: Option<&Column>,
) -> Result<Box<dyn BatchReader>, DataError> {
    let kind = file_kind(path)?;
    if weights.is_some() && kind.holds != Holds::Table {
        let problem = "weights are a column of a table, and this is none";
        return Err(DataError::content(&path.display().to_string(), problem));
    }
    let reader = batches::cleaned((kind.batches)(path, options, weights)?, options)?;
    Ok(if kind.holds == Holds::Table { batches::watched(reader) } else { reader })
}

/// Returns the memory of the samples of a file in double precision, estimated from its beginning,
/// or `None` if it cannot be estimated.
pub fn decoded_bytes(path: &Path, options: &LoadOptions) -> Option<u64> {
    let reader = (file_kind(path).ok()?.batches)(path, options, None).ok()?;
    Some(reader.expected_rows()?.saturating_mul(reader.columns() as u64).saturating_mul(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart_and_belong_to_one_kind() {
        for (name, title) in [
            ("a.npz", "FILE.npz"),
            ("A.CSV", "FILE.csv"),
            ("b.tsv.gz", "FILE.csv"),
            ("b.txt", "FILE.csv"),
            ("iris.data", "FILE.csv"),
            ("scan.DAT.gz", "FILE.csv"),
            ("-", "FILE.csv"),
            ("c.parquet", "FILE.parquet"),
            (".", "FOLDER"),
        ] {
            assert_eq!(file_kind(Path::new(name)).unwrap().title, title, "{name}");
        }
        assert!(file_kind(Path::new("a.gz")).is_err() && file_kind(Path::new("npz")).is_err());
        let mut all: Vec<&str> = FILE_KINDS.iter().flat_map(|kind| kind.endings).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
