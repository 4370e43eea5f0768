//! Atomic writing of files: data are written to a temporary file with a random name in the same
//! folder, which is then renamed.
//!
//! Links are followed, permissions are kept, and read-only files are not replaced. Devices, pipes
//! and inherited descriptors cannot be replaced. Their data are collected in memory and written at
//! the end. A temporary file is locked while its writer exists. If a process was killed, the next
//! writer with the same target recognizes the leftover file by its free lock and removes it.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::place::Place;
use super::{FormatError, crash};

/// The ending of temporary names.
const ENDING: &str = ".part";
/// The largest number of names that are tried.
const ATTEMPTS: usize = 100;
/// The number of bytes of the target's name that a temporary name contains. Both fit into the 255
/// bytes that file systems allow.
const REPEATED: usize = 200;

/// A file that is being written. If it is dropped without [`AtomicFile::commit`], nothing remains.
#[derive(Debug)]
pub struct AtomicFile {
    /// The name of the file in messages.
    place: String,
    into: Into,
}

#[derive(Debug)]
enum Into {
    /// A temporary file next to the target.
    Neighbor { file: File, temporary: Temporary, target: PathBuf },
    /// Collected data for a device, a pipe or a descriptor.
    Stream { held: Cursor<Vec<u8>>, to: Place },
    /// Nothing, because the data were already written.
    Done,
}

/// The path of a temporary file, which is removed when this value is dropped.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // A temporary file that cannot be removed is ignored. After a rename it does not exist.
        if crash::before_operation().is_ok() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

impl AtomicFile {
    /// Creates a temporary file in the folder of the target, so that the rename stays on one file
    /// system.
    ///
    /// # Errors
    ///
    /// If the target is a folder or read-only, or if the system cannot create the file.
    pub fn create(target: &Path) -> Result<Self, FormatError> {
        let place = target.display().to_string();
        let into = Into::of(target).map_err(|source| FormatError::write(&place, source))?;
        Ok(Self { place, into })
    }

    /// Checks that the target can be written. Pipes and devices are not opened.
    ///
    /// # Errors
    ///
    /// The same errors as [`AtomicFile::create`].
    pub fn check(target: &Path) -> Result<(), FormatError> {
        Self::create(target).map(drop)
    }

    /// Replaces the target by the data written so far.
    ///
    /// # Errors
    ///
    /// If the system cannot write. The target then has either the old or the new content, never a
    /// mixture.
    pub fn commit(mut self) -> Result<(), FormatError> {
        let finished = match std::mem::replace(&mut self.into, Into::Done) {
            Into::Stream { held, to } => to.write(held.get_ref()),
            Into::Neighbor { file, temporary, target } => replace(file, temporary, &target),
            Into::Done => Ok(()),
        };
        finished.map_err(|source| FormatError::write(&self.place, source))
    }
}

impl Into {
    fn of(target: &Path) -> io::Result<Self> {
        let target = match Place::of(target)? {
            Place::File(target) => target,
            to => return Ok(Self::Stream { held: Cursor::new(Vec::new()), to }),
        };
        crash::before_operation()?;
        let there = match fs::metadata(&target) {
            Ok(about) => Some(about),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        refuse(there.as_ref())?;
        let name = target.file_name().ok_or_else(|| io::Error::other("no file name"))?;
        let name = name.to_string_lossy();
        let end = (0..=REPEATED.min(name.len())).rev().find(|&at| name.is_char_boundary(at));
        let start = format!(".{}.", &name[..end.unwrap_or(0)]);
        remove_stale(&target, &start);
        let (file, temporary) = begin(&target, &start)?;
        if let Some(about) = there {
            // Permissions are set before anything is written, so that private data are never
            // readable by others.
            crash::before_operation()?;
            file.set_permissions(about.permissions())?;
        }
        Ok(Self::Neighbor { file, temporary, target })
    }
}

/// Renames a temporary file to the target. Data are flushed to disk, so that the change survives a
/// power failure.
fn replace(mut file: File, temporary: Temporary, target: &Path) -> io::Result<()> {
    file.flush()?;
    crash::before_operation()?;
    file.sync_all()?;
    crash::before_operation()?;
    fs::rename(&temporary.0, target)?;
    std::mem::forget(temporary);
    sync_folder(folder_of(target))
}

/// Flushes the entries of a folder to disk, if the system and the file system support it.
fn sync_folder(folder: &Path) -> io::Result<()> {
    crash::before_operation()?;
    // A folder that may be written but not listed cannot be opened.
    let Ok(folder) = File::open(folder) else { return Ok(()) };
    match folder.sync_all() {
        Err(error) if is_serious(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Whether an error of a flush means that data may be lost, rather than that folders cannot be
/// flushed.
fn is_serious(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    !matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
}

/// Returns the folder of a file.
fn folder_of(target: &Path) -> &Path {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Whether a file name is that of a temporary file.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(ENDING)
}

fn refuse(there: Option<&fs::Metadata>) -> io::Result<()> {
    match there {
        Some(about) if about.is_dir() => Err(io::Error::other("it is a folder; name a file")),
        Some(about) if about.permissions().readonly() => {
            Err(io::Error::other("it is read-only; name another file, or make it writable"))
        }
        _ => Ok(()),
    }
}

/// Creates a file with a new name and locks it, if the file system supports locks.
fn begin(target: &Path, start: &str) -> io::Result<(File, Temporary)> {
    for _ in 0..ATTEMPTS {
        let number = RandomState::new().build_hasher().finish();
        let temporary = target.with_file_name(format!("{start}{number:016x}{ENDING}"));
        crash::before_operation()?;
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&temporary)
        {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        let temporary = Temporary(temporary);
        if crash::before_operation().is_ok() {
            let _ = file.lock();
        }
        // Another process may have removed the file as a leftover between creation and lock.
        crash::before_operation()?;
        if temporary.0.try_exists()? {
            return Ok((file, temporary));
        }
    }
    Err(io::Error::other("no temporary name is free"))
}

/// Removes temporary files that killed writers of this target left behind.
fn remove_stale(target: &Path, start: &str) {
    if crash::before_operation().is_err() {
        return;
    }
    let Ok(entries) = fs::read_dir(folder_of(target)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_string_lossy().starts_with(start) && is_temporary(&name);
        // Only regular files are opened, because opening a pipe would block until it has a writer.
        if ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            && crash::before_operation().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.into {
            Into::Neighbor { file, .. } => crash::write(file, bytes),
            Into::Stream { held, .. } => held.write(bytes),
            Into::Done => Err(io::Error::other("the file is finished")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.into {
            Into::Neighbor { file, .. } => file.flush(),
            Into::Stream { .. } | Into::Done => Ok(()),
        }
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match &mut self.into {
            Into::Neighbor { file, .. } => {
                crash::before_operation()?;
                file.seek(position)
            }
            Into::Stream { held, .. } => held.seek(position),
            Into::Done => Err(io::Error::other("the file is finished")),
        }
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
        full.write_all(b"new").unwrap();
        assert!(full.commit().is_err(), "a full disk says so");
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

    #[test]
    fn what_a_killed_writer_left_is_no_obstacle_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.bin");
        // The first name is one of earlier versions, the second one of this version.
        fs::write(folder.path().join(".a.bin.1-0.part"), b"half").unwrap();
        fs::write(folder.path().join(".a.bin.0123456789abcdef.part"), b"half").unwrap();
        fs::write(folder.path().join(".b.bin.1-0.part"), b"another's").unwrap();
        let mut living = AtomicFile::create(&target).unwrap();
        living.write_all(b"living").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        living.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"living", "a living writer keeps its file");
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        names.sort_by_key(|entry| entry.file_name());
        assert_eq!(names.len(), 2);
        assert_eq!(names[0].file_name(), ".b.bin.1-0.part");
        assert!(is_temporary(&names[0].file_name()) && !is_temporary(&names[1].file_name()));
    }

    #[test]
    fn the_longest_legal_names_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["n".repeat(244), "n".repeat(255), "é".repeat(127)] {
            let target = folder.path().join(name);
            for text in [b"old", b"new"] {
                let mut file = AtomicFile::create(&target).unwrap();
                file.write_all(text).unwrap();
                file.commit().unwrap();
            }
            assert_eq!(fs::read(&target).unwrap(), b"new");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_named_like_a_temporary_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(".a.bin.0123456789abcdef.part");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // If the pipe had a writer, opening it would not block but remove the pipe as a leftover.
        AtomicFile::create(&folder.path().join("a.bin")).unwrap().commit().unwrap();
        assert!(pipe.exists());
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_modes_kept_and_read_only_files_left_alone() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |path: &Path| -> Result<(), FormatError> {
            let mut file = AtomicFile::create(path)?;
            file.write_all(b"new").unwrap();
            file.commit()
        };
        fs::write(at("real"), b"old").unwrap();
        fs::set_permissions(at("real"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real", at("link")).unwrap();
        write(&at("link")).unwrap();
        assert_eq!(fs::read(at("real")).unwrap(), b"new");
        assert!(at("link").is_symlink());
        assert_eq!(fs::metadata(at("real")).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("not-yet", at("early")).unwrap();
        write(&at("early")).unwrap();
        assert_eq!(fs::read(at("not-yet")).unwrap(), b"new");
        symlink("round", at("round")).unwrap();
        assert!(write(&at("round")).unwrap_err().to_string().contains("circle"));
        fs::write(at("fixed"), b"old").unwrap();
        fs::set_permissions(at("fixed"), fs::Permissions::from_mode(0o444)).unwrap();
        assert!(write(&at("fixed")).unwrap_err().to_string().contains("read-only"));
        assert_eq!(fs::read(at("fixed")).unwrap(), b"old");
        fs::create_dir(at("folder")).unwrap();
        assert!(write(&at("folder")).unwrap_err().to_string().contains("folder"));
    }
}
