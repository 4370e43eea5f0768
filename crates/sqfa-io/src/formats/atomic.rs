//! Writing so that a file is either whole or absent: a temporary neighbour under a random name, then a rename.
//!
//! Links are followed, permissions kept and read-only files left alone. Devices and pipes cannot be replaced: what they
//! get is held in memory and written when it is complete. A temporary file is locked while its writer lives, so one
//! that a killed process left behind is recognised by its free lock and removed by the next writer of that name.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{FormatError, crash};

/// How temporary names end.
const ENDING: &str = ".part";
/// Names that are tried before giving up.
const ATTEMPTS: usize = 100;
/// Links that are followed before they count as a circle.
const LINKS: usize = 40;

/// A file under construction; dropped without [`AtomicFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    /// What messages call it.
    place: String,
    into: Into,
}

#[derive(Debug)]
enum Into {
    /// A file beside the target.
    Neighbour { file: File, temporary: PathBuf },
    /// What a device or a pipe will get.
    Stream(Cursor<Vec<u8>>),
    /// Nothing more: it is where it belongs.
    Done,
}

impl AtomicFile {
    /// Begins a file beside its target, in the same folder so that the rename cannot cross disks.
    pub fn create(target: &Path) -> Result<Self, FormatError> {
        let place = target.display().to_string();
        let fail = |source| FormatError::write(&place, source);
        let target = resolved(target).map_err(fail)?;
        if is_stream(&target) {
            let into = Into::Stream(Cursor::new(Vec::new()));
            return Ok(Self { target, place, into });
        }
        let there = fs::metadata(&target).ok();
        refuse(there.as_ref()).map_err(fail)?;
        let name = target.file_name().ok_or_else(|| fail(io::Error::other("no file name")))?;
        let start = format!(".{}.", name.to_string_lossy());
        remove_stale(&target, &start);
        let (file, temporary) = begin(&target, &start).map_err(fail)?;
        let created = Self { target, place, into: Into::Neighbour { file, temporary } };
        if let (Some(about), Into::Neighbour { file, .. }) = (there, &created.into) {
            // Before anything is written: what was private must not be readable for a moment.
            crash::before_operation();
            let kept = file.set_permissions(about.permissions());
            kept.map_err(|source| FormatError::write(&created.place, source))?;
        }
        Ok(created)
    }

    /// An error when the target cannot be written; pipes and devices are not opened.
    pub fn check(target: &Path) -> Result<(), FormatError> {
        Self::create(target).map(drop)
    }

    /// Makes everything written so far the target file, replacing what was there.
    pub fn commit(mut self) -> Result<(), FormatError> {
        let fail = |source| FormatError::write(&self.place, source);
        match std::mem::replace(&mut self.into, Into::Done) {
            Into::Stream(bytes) => {
                crash::before_operation();
                let mut stream = OpenOptions::new().write(true).open(&self.target).map_err(fail)?;
                stream.write_all(bytes.get_ref()).and_then(|()| stream.flush()).map_err(fail)
            }
            Into::Neighbour { mut file, temporary } => {
                crash::before_operation();
                let finished = file.flush().and_then(|()| file.sync_all()).and_then(|()| {
                    crash::before_operation();
                    fs::rename(&temporary, &self.target)
                });
                crash::before_operation();
                if finished.is_err() {
                    let _ = fs::remove_file(&temporary);
                }
                finished.map_err(fail)
            }
            Into::Done => Ok(()),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Into::Neighbour { temporary, .. } = &self.into {
            crash::before_operation();
            // Nothing more can be done about a temporary file that refuses to go.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Whether a name in a folder is that of a temporary file, finished or not.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(ENDING)
}

/// The file that a name means: where its links lead, there yet or not.
fn resolved(target: &Path) -> io::Result<PathBuf> {
    let mut path = target.to_owned();
    for _ in 0..LINKS {
        // What the process has open is written to as it is, wherever its links lead.
        if path.starts_with("/dev") || path.starts_with("/proc") {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().map_or(next.clone(), |folder| folder.join(next)),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Whether a target is written to as it is: a device, a pipe, or something the process has open.
fn is_stream(target: &Path) -> bool {
    let Ok(about) = fs::metadata(target) else { return false };
    let own = target.starts_with("/dev") || target.starts_with("/proc");
    !about.is_dir() && (!about.is_file() || own)
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

/// Creates a file of a new name and locks it; a file system without locks does without.
fn begin(target: &Path, start: &str) -> io::Result<(File, PathBuf)> {
    for _ in 0..ATTEMPTS {
        let number = RandomState::new().build_hasher().finish();
        let temporary = target.with_file_name(format!("{start}{number:016x}{ENDING}"));
        crash::before_operation();
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&temporary)
        {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        crash::before_operation();
        let _ = file.lock();
        // Between creation and lock another process may have taken it for a leftover.
        if temporary.exists() {
            return Ok((file, temporary));
        }
    }
    Err(io::Error::other("no temporary name is free"))
}

/// Removes what killed writers of this name left behind.
fn remove_stale(target: &Path, start: &str) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_string_lossy().starts_with(start) && is_temporary(&name);
        if ours
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            crash::before_operation();
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.into {
            Into::Neighbour { file, .. } => crash::write(file, bytes),
            Into::Stream(held) => held.write(bytes),
            Into::Done => Err(io::Error::other("the file is finished")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.into {
            Into::Neighbour { file, .. } => file.flush(),
            Into::Stream(_) | Into::Done => Ok(()),
        }
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        match &mut self.into {
            Into::Neighbour { file, .. } => file.seek(position),
            Into::Stream(held) => held.seek(position),
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
        // As earlier versions named it in a container, and as this one does.
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
