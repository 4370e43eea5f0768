//! An output folder: `spec.json` says what it holds, `records.jsonl` grows by one line a cell.
//!
//! A line is written whole and flushed to disk before the next cell begins. An interrupted run leaves at most
//! a broken last line, which the next run reports and does again.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{CompareError, Facts, Record, Spec};
use crate::folder::{LOCK, Owner};
use sqfa_io::formats::{AtomicFile, crash};

const MANIFEST: &str = "spec.json";
const RECORDS: &str = "records.jsonl";

/// What a comparison is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// What is compared.
    pub spec: Spec,
    /// What it is compared on.
    pub facts: Facts,
    /// The program that began it, with its version.
    pub software: String,
    /// The command as typed.
    pub command: String,
}

/// An output folder that is open for writing.
#[derive(Debug)]
pub struct Store {
    records: File,
    path: PathBuf,
    /// Held as long as the folder is written to.
    _lock: File,
}

impl Store {
    /// Opens a folder: a new one, an empty one, or one that holds the same comparison.
    ///
    /// Returns the records that are already there and, in words, the lines that could not be used.
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
        // Asked before anything is made there, and again by whoever holds the lock.
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
            // A line that was cut off must not swallow the next one.
            crash::write_all(&mut records, b"\n").map_err(io(&path, "write"))?;
        }
        let (known, broken) = parse(&bytes, &path);
        if !broken.is_empty() {
            // Announced once: what cannot be used is not kept.
            drop(records);
            rewrite(&path, &known)?;
            records = open().map_err(io(&path, "open"))?;
        }
        Ok((Self { records, path, _lock: lock }, known, broken))
    }

    /// Adds a record and waits until it is on disk.
    pub fn keep(&mut self, record: &Record) -> Result<(), CompareError> {
        let io = |source| CompareError::Io { path: self.path.clone(), action: "write", source };
        let mut line = serde_json::to_string(record).map_err(|error| io(error.into()))?;
        line.push('\n');
        crash::write_all(&mut self.records, line.as_bytes()).map_err(io)?;
        crash::before_operation().and_then(|()| self.records.sync_data()).map_err(io)
    }

    /// Returns the files that a comparison keeps in its output folder.
    pub fn files(folder: &Path) -> [PathBuf; 3] {
        [MANIFEST, RECORDS, LOCK].map(|name| folder.join(name))
    }

    /// Everything a folder holds, for a report: its manifest, its records, and the lines that could not be used.
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

/// Takes the folder for this process; an error names the one that has it.
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
        // A file system without locks: two runs at once are then the user's to avoid.
        Err(TryLockError::Error(_)) => {}
    }
    Ok(file)
}

/// Writes the records that can be used, whole or not at all.
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
    /// The first thing that makes records of one comparison useless for another; versions and commands may differ.
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
    // What was written had been checked; what was changed since is checked here.
    manifest.spec.clone().resolved(&manifest.facts.name)?;
    Ok(manifest)
}

/// The records of a file, the last of each cell, and a sentence about every line that is none.
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
        // A line cut off in the middle, as a full disk or a killed process leaves it.
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
        // As a process leaves it that was killed while it wrote the manifest.
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
