//! Interpretation of an output name: a file, a device or pipe, or a descriptor that the process
//! inherited.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::crash;

/// The number of links after which they are assumed to form a cycle.
const LINKS: usize = 40;
/// The folder that lists the descriptors of this process.
const DESCRIPTORS: &str = "/dev/fd";

/// The meaning of an output name after its links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The path of a regular file, a folder, or a file that does not exist yet.
    File(PathBuf),
    /// The path of a device, a pipe or a socket.
    Stream(PathBuf),
    /// The number of a descriptor of this process, such as `/dev/stdout` and `/dev/fd/3`.
    Descriptor(u32),
}

impl Place {
    /// Returns the meaning of a name.
    ///
    /// It depends only on the type of the file and not on its folder: `/dev/shm/a.csv` is a regular
    /// file.
    ///
    /// # Errors
    ///
    /// If links form a cycle, or if the system cannot query the file. A file that does not exist is
    /// not an error.
    pub fn of(name: &Path) -> io::Result<Self> {
        let mut path = name.to_owned();
        for _ in 0..LINKS {
            if let Some(number) = descriptor(&path) {
                return Ok(Self::Descriptor(number));
            }
            crash::before_operation()?;
            let about = match fs::symlink_metadata(&path) {
                Ok(about) => about,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self::File(path));
                }
                Err(error) => return Err(error),
            };
            let is_special = |about: &fs::Metadata| !about.is_file() && !about.is_dir();
            if !about.is_symlink() {
                return Ok(if is_special(&about) { Self::Stream(path) } else { Self::File(path) });
            }
            crash::before_operation()?;
            let next = fs::read_link(&path)?;
            let next = path.parent().map_or(next.clone(), |folder| folder.join(next));
            // For a pipe of another process, the link contains a description instead of a path, but
            // can be opened.
            if fs::symlink_metadata(&next).is_err()
                && descriptor(&next).is_none()
                && fs::metadata(&path).is_ok_and(|about| is_special(&about))
            {
                return Ok(Self::Stream(path));
            }
            path = next;
        }
        Err(io::Error::other("its links lead in a circle"))
    }

    /// Whether two names refer to the same file. Devices, pipes and descriptors are never the same
    /// file.
    ///
    /// Names of files that do not exist yet are compared by their folders.
    pub fn is_same_file(&self, other: &Self) -> bool {
        let (Self::File(one), Self::File(other)) = (self, other) else { return false };
        one == other
            || in_folder(one).is_some_and(|path| in_folder(other) == Some(path))
            || is_same_node(one, other)
    }

    /// Writes bytes to a stream or descriptor, and does nothing for a file.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        fn all(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
            to.write_all(bytes)?;
            to.flush()
        }
        crash::before_operation()?;
        match self {
            Self::File(_) => Ok(()),
            Self::Stream(path) => all(OpenOptions::new().write(true).open(path)?, bytes),
            // The descriptor itself is used, so that later output follows these bytes.
            Self::Descriptor(1) => all(io::stdout().lock(), bytes),
            Self::Descriptor(2) => all(io::stderr().lock(), bytes),
            // A descriptor that is opened by name has its position at the beginning of the file, so
            // bytes are appended instead of overwriting the file.
            Self::Descriptor(number) => {
                let path = Path::new(DESCRIPTORS).join(number.to_string());
                all(OpenOptions::new().append(true).open(path)?, bytes)
            }
        }
    }
}

/// Returns the number of a descriptor of this process, if the path is that of a descriptor.
fn descriptor(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = path.parent()?.canonicalize().ok()?;
    let own = Path::new(DESCRIPTORS).canonicalize().ok()?;
    (folder == own).then_some(number)
}

/// Returns the path of a file in its folder after following all links of the folder.
fn in_folder(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(unix)]
fn is_same_node(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let node = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    node(one).is_some() && node(one) == node(other)
}

#[cfg(not(unix))]
fn is_same_node(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_file_decides_and_not_its_folder() {
        let of = |name: &str| Place::of(Path::new(name)).unwrap();
        assert_eq!(of("/dev/null"), Place::Stream("/dev/null".into()));
        assert_eq!(of("/dev/stdout"), Place::Descriptor(1));
        assert_eq!(of("/dev/fd/7"), Place::Descriptor(7));
        assert_eq!(of("/dev/not-there"), Place::File("/dev/not-there".into()));
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("b", at("a")).unwrap();
        assert_eq!(Place::of(&at("a")).unwrap(), Place::File(at("b")));
        std::os::unix::fs::symlink("/dev/null", at("c")).unwrap();
        assert!(matches!(Place::of(&at("c")).unwrap(), Place::Stream(_)));
    }

    #[test]
    fn names_of_one_file_are_recognized_before_and_after_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| Place::of(&folder.path().join(name)).unwrap();
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        assert!(of("link").is_same_file(&of("file")), "a link to a file that does not exist");
        assert!(of("inner/../file").is_same_file(&of("./file")));
        assert!(!of("other").is_same_file(&of("file")));
        fs::write(folder.path().join("file"), "").unwrap();
        fs::hard_link(folder.path().join("file"), folder.path().join("hard")).unwrap();
        assert!(of("hard").is_same_file(&of("link")));
        let null = Place::of(Path::new("/dev/null")).unwrap();
        assert!(!null.is_same_file(&null));
    }
}
