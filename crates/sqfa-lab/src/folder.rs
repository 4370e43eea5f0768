//! Folders of results: a file in them says whose they are, and the folders of others are left alone.

use std::io;
use std::path::Path;

use sqfa_io::formats::is_temporary;

/// Locked by the process that writes to a folder, and holding its number.
pub const LOCK: &str = ".lock";

/// Whose a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Nobody's: it is empty, or does not exist.
    Nobody,
    /// Ours: it holds our mark.
    Us,
    /// Somebody else's.
    Others,
}

impl Owner {
    /// The owner of a folder, where the file `mark` says that it is ours.
    pub fn of(folder: &Path, mark: &str) -> io::Result<Self> {
        if folder.join(mark).exists() {
            return Ok(Self::Us);
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                // What a killed process left half-written is not somebody else's.
                let mut names = entries.flatten().map(|entry| entry.file_name());
                let foreign = names.any(|name| !is_temporary(&name) && name != LOCK);
                Ok(if foreign { Self::Others } else { Self::Nobody })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nobody),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_our_folders_from_those_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let of = |path: &Path| Owner::of(path, "mark").unwrap();
        assert_eq!(of(&folder.path().join("new")), Owner::Nobody);
        assert_eq!(of(folder.path()), Owner::Nobody);
        std::fs::write(folder.path().join("letter.txt"), "").unwrap();
        assert_eq!(of(folder.path()), Owner::Others);
        std::fs::write(folder.path().join("mark"), "").unwrap();
        assert_eq!(of(folder.path()), Owner::Us);
        assert!(Owner::of(&folder.path().join("letter.txt"), "mark").is_err());
    }
}
