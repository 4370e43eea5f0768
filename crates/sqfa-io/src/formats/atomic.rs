//! Writing so that a file is either whole or absent: a temporary neighbour, then a rename.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::FormatError;

static SERIAL: AtomicU64 = AtomicU64::new(0);

/// A file under construction; dropped without [`AtomicFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    committed: bool,
    /// Whether the target is a device or a pipe, which cannot be replaced: it is written to as it is.
    direct: bool,
}

impl AtomicFile {
    /// Begins a file beside its target, in the same folder so that the rename cannot cross disks.
    pub fn create(target: &Path) -> Result<Self, FormatError> {
        let place = target.display().to_string();
        let name = target.file_name().ok_or_else(|| {
            FormatError::write(&place, io::Error::new(io::ErrorKind::InvalidInput, "no file name"))
        })?;
        let special = |kind: fs::FileType| !kind.is_file() && !kind.is_dir();
        if fs::metadata(target).is_ok_and(|about| special(about.file_type())) {
            let file = OpenOptions::new().write(true).open(target);
            let file = file.map_err(|source| FormatError::write(&place, source))?;
            let target = target.to_owned();
            return Ok(Self {
                file,
                temporary: PathBuf::new(),
                target,
                committed: false,
                direct: true,
            });
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{serial}.part", process::id()));
        let temporary = target.with_file_name(hidden);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|source| FormatError::write(&place, source))?;
        Ok(Self { file, temporary, target: target.to_owned(), committed: false, direct: false })
    }

    /// Makes everything written so far the target file, replacing what was there.
    pub fn commit(mut self) -> Result<(), FormatError> {
        if self.direct {
            let flushed = self.file.flush();
            return flushed
                .map_err(|source| FormatError::write(&self.target.display().to_string(), source));
        }
        let finished = self
            .file
            .flush()
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.temporary, &self.target));
        self.committed = finished.is_ok();
        finished.map_err(|source| FormatError::write(&self.target.display().to_string(), source))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed && !self.direct {
            // Nothing more can be done about a temporary file that refuses to go.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_when_writing_is_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.bin");
        fs::write(&target, b"old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_is_written_to_and_not_replaced() {
        let mut full = AtomicFile::create(Path::new("/dev/full")).unwrap();
        assert!(full.write_all(b"new").is_err(), "a full disk says so");
        drop(full);
        let mut null = AtomicFile::create(Path::new("/dev/null")).unwrap();
        null.write_all(b"new").unwrap();
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }

    #[test]
    fn commit_replaces_the_target() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.bin");
        fs::write(&target, b"old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
