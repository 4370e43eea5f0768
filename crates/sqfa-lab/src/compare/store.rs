//! The output folder of a comparison: `spec.json` describes the comparison, and `records.jsonl` has
//! one line per cell.
//!
//! A line is flushed to disk before the next cell begins. If the comparison is interrupted, at most
//! the last line is incomplete. The next run reports it and repeats the cell.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CompareError, Facts, Record, Spec};
use crate::folder::{LOCK, Owner};
use sqfa_io::formats::{AtomicFile, crash};

const MANIFEST: &str = "spec.json";
const RECORDS: &str = "records.jsonl";

/// The description of a comparison in its output folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The specification.
    pub spec: Spec,
    /// The facts about the data.
    pub facts: Facts,
    /// The program that started the comparison, with its version.
    pub software: String,
    /// The command line.
    pub command: String,
}

/// An output folder that is open for writing.
#[derive(Debug)]
pub struct Store {
    records: File,
    path: PathBuf,
    /// The lock, which is held while the folder is open for writing.
    _lock: File,
}

impl Store {
    /// Opens a folder that does not exist, is empty, or contains the same comparison.
    ///
    /// Returns the records that it contains, and messages about invalid lines.
    ///
    /// # Errors
    ///
    /// If the folder has other content, is in use, or cannot be written.
    pub fn open(
        folder: &Path,
        manifest: &Manifest,
    ) -> Result<(Self, Vec<Record>, Vec<String>), CompareError> {
        let io = |path: &Path, action| {
            let path = path.to_owned();
            move |source| CompareError::Io { path, action, source }
        };
        let owner = || match Owner::of(folder, MANIFEST).map_err(io(folder, "read"))? {
            Owner::Others => Err(CompareError::OtherFolder { folder: folder.to_owned() }),
            owner => Ok(owner),
        };
        // Checked before anything is created, and again when the lock is held.
        owner()?;
        let made = crash::before_operation().and_then(|()| fs::create_dir_all(folder));
        made.map_err(io(folder, "create"))?;
        let lock = lock(folder)?;
        let path = folder.join(MANIFEST);
        if owner()? == Owner::Us {
            let there = read_manifest(folder)?;
            if let Some(difference) = manifest.difference(&there) {
                return Err(CompareError::OtherSpec { folder: folder.to_owned(), difference });
            }
        } else {
            let mut file = AtomicFile::create(&path)?;
            let text = serde_json::to_string_pretty(manifest)
                .map_err(|error| io(&path, "write")(error.into()))?;
            file.write_all(text.as_bytes()).map_err(io(&path, "write"))?;
            file.commit()?;
        }
        let path = folder.join(RECORDS);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let open = || crash::before_operation().and_then(|()| options.open(&path));
        let mut records = open().map_err(io(&path, "open"))?;
        let mut bytes = Vec::new();
        let read = crash::before_operation().and_then(|()| records.read_to_end(&mut bytes));
        read.map_err(io(&path, "read"))?;
        if bytes.last().is_some_and(|&last| last != b'\n') {
            // An incomplete line must not be joined with the next one.
            crash::write_all(&mut records, b"\n").map_err(io(&path, "write"))?;
        }
        let (known, broken) = parse(&bytes, &path);
        if !broken.is_empty() {
            // Invalid lines are reported once and then removed.
            drop(records);
            rewrite(&path, &known)?;
            records = open().map_err(io(&path, "open"))?;
        }
        Ok((Self { records, path, _lock: lock }, known, broken))
    }

    /// Appends a record and waits until it is on disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&mut self, record: &Record) -> Result<(), CompareError> {
        let io = |source| CompareError::Io { path: self.path.clone(), action: "write", source };
        let mut line = serde_json::to_string(record).map_err(|error| io(error.into()))?;
        line.push('\n');
        crash::write_all(&mut self.records, line.as_bytes()).map_err(io)?;
        crash::before_operation().and_then(|()| self.records.sync_data()).map_err(io)
    }

    /// Returns the files of a comparison in its output folder.
    pub fn files(folder: &Path) -> [PathBuf; 3] {
        [MANIFEST, RECORDS, LOCK].map(|name| folder.join(name))
    }

    /// Reads the manifest and the records of a folder for a report. Also returns messages about
    /// invalid lines.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or does not contain a comparison.
    pub fn read(folder: &Path) -> Result<(Manifest, Vec<Record>, Vec<String>), CompareError> {
        let manifest = read_manifest(folder)?;
        let path = folder.join(RECORDS);
        let bytes = crash::read(&path).map_err(|source| CompareError::Io {
            path: path.clone(),
            action: "read",
            source,
        })?;
        let (records, broken) = parse(&bytes, &path);
        Ok((manifest, records, broken))
    }
}

/// Locks the folder for this process. The error contains the id of a process that holds the lock.
fn lock(folder: &Path) -> Result<File, CompareError> {
    let path = folder.join(LOCK);
    let io = |source| CompareError::Io { path: path.clone(), action: "lock", source };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let opened = crash::before_operation().and_then(|()| options.open(&path));
    let mut file = opened.map_err(io)?;
    match file.try_lock() {
        Ok(()) => {
            let emptied = crash::before_operation().and_then(|()| file.set_len(0));
            let number = std::process::id().to_string();
            emptied.and_then(|()| crash::write_all(&mut file, number.as_bytes())).map_err(io)?;
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            return Err(CompareError::Busy { folder: folder.to_owned(), holder });
        }
        // On a file system without locks, users must avoid two simultaneous runs themselves.
        Err(TryLockError::Error(_)) => {}
    }
    Ok(file)
}

/// Replaces the records by the valid ones. The file is replaced only when it is complete.
fn rewrite(path: &Path, records: &[Record]) -> Result<(), CompareError> {
    let io = |source| CompareError::Io { path: path.to_owned(), action: "write", source };
    let mut file = AtomicFile::create(path)?;
    for record in records {
        let line = serde_json::to_string(record).map_err(|error| io(error.into()))?;
        writeln!(file, "{line}").map_err(io)?;
    }
    Ok(file.commit()?)
}

impl Manifest {
    /// Returns the first difference because of which records of one comparison cannot be used for
    /// another. Versions and commands may differ.
    fn difference(&self, there: &Self) -> Option<String> {
        self.spec.difference(&there.spec).or_else(|| {
            (self.facts.fingerprint != there.facts.fingerprint)
                .then(|| format!("it is about other data, '{}'", there.facts.name))
        })
    }
}

fn read_manifest(folder: &Path) -> Result<Manifest, CompareError> {
    let path = folder.join(MANIFEST);
    let text = crash::read_to_string(&path).map_err(|source| CompareError::Io {
        path: path.clone(),
        action: "read",
        source,
    })?;
    let refused =
        |problem: String| CompareError::Spec { place: path.display().to_string(), problem };
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    if !manifest.facts.fit_together() {
        return Err(refused("what it says of the data does not fit together".to_owned()));
    }
    // The file may have been changed since it was written, so the specification is checked again.
    manifest.spec.clone().resolved(&manifest.facts.name)?;
    Ok(manifest)
}

/// Returns the records of a file (the last one of each cell), and a message about each invalid
/// line.
fn parse(bytes: &[u8], path: &Path) -> (Vec<Record>, Vec<String>) {
    let (mut records, mut broken): (Vec<Record>, _) = (Vec::new(), Vec::new());
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Record>(line) {
            Ok(record) => {
                records.retain(|known| !known.is_cell(&record));
                records.push(record);
            }
            Err(error) => broken.push(format!(
                "line {} of {} is no record ({error}); its cell is run again",
                index + 1,
                path.display()
            )),
        }
    }
    (records, broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Outcome;
    use sqfa_io::model_file::ClassNames;

    fn manifest() -> Manifest {
        Manifest {
            spec: Spec::default(),
            facts: Facts {
                name: "toy".to_owned(),
                dimensions: 3,
                classes: ClassNames::Integers(vec![0, 1]),
                train_counts: vec![5, 5],
                test_counts: None,
                image_shape: None,
                fingerprint: "1".to_owned(),
                warnings: Vec::new(),
                features: Vec::new(),
                sessions: Vec::new(),
            },
            software: "sqfa 0".to_owned(),
            command: "sqfa compare toy".to_owned(),
        }
    }

    fn record(seed: u64) -> Record {
        let outcome = Outcome::Failed { error: "no".to_owned() };
        Record { method: "sqfa".to_owned(), filters: 2, seed, fold: 0, session: 0, outcome }
    }

    #[test]
    fn records_come_back_and_a_broken_line_is_named_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let (mut store, known, _) = Store::open(&target, &manifest()).unwrap();
        assert!(known.is_empty());
        store.keep(&record(0)).unwrap();
        drop(store);
        // An incomplete line, as after a full disk or a killed process.
        let path = target.join(RECORDS);
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str("{\"method\":\"sq");
        fs::write(&path, text).unwrap();
        let (mut store, known, broken) = Store::open(&target, &manifest()).unwrap();
        assert_eq!(known, [record(0)]);
        assert!(broken.len() == 1 && broken[0].starts_with("line 2 of "), "{broken:?}");
        store.keep(&record(1)).unwrap();
        let (_, known, broken) = Store::read(&target).unwrap();
        assert_eq!(known, [record(0), record(1)]);
        assert_eq!(broken.len(), 0, "what was announced is gone");
    }

    #[test]
    fn a_folder_has_one_writer_at_a_time_and_survives_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        fs::create_dir(&target).unwrap();
        // A leftover of a process that was killed while it wrote the manifest.
        fs::write(target.join(".spec.json.0123456789abcdef.part"), "{").unwrap();
        let (store, ..) = Store::open(&target, &manifest()).unwrap();
        let error = Store::open(&target, &manifest()).unwrap_err().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        drop(store);
        assert!(Store::open(&target, &manifest()).is_ok());
        assert!(!target.join(".spec.json.0123456789abcdef.part").exists());
    }

    #[test]
    fn two_comparisons_never_share_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        drop(Store::open(&target, &manifest()).unwrap());
        let mut other = manifest();
        other.spec.seeds = 99;
        let error = Store::open(&target, &other).unwrap_err().to_string();
        assert!(error.contains("seeds is 3 there and 99 here"), "{error}");
        let mut other = manifest();
        other.facts.fingerprint = "2".to_owned();
        assert!(Store::open(&target, &other).unwrap_err().to_string().contains("other data"));
        let mut other = manifest();
        other.command = "typed differently".to_owned();
        assert!(Store::open(&target, &other).is_ok());
        fs::write(folder.path().join("a.txt"), "").unwrap();
        let error = Store::open(folder.path(), &manifest()).unwrap_err();
        assert!(matches!(error, CompareError::OtherFolder { .. }));
    }

    #[test]
    fn a_later_record_of_the_same_cell_replaces_the_earlier() {
        let line = |record: &Record| serde_json::to_string(record).unwrap() + "\n";
        let later = Record { outcome: Outcome::Failed { error: "yes".to_owned() }, ..record(0) };
        let text = line(&record(0)) + &line(&record(1)) + &line(&later);
        let (records, _) = parse(text.as_bytes(), Path::new("r"));
        assert_eq!(records, [record(1), later]);
    }
}
