//! Ownership of output folders. A file identifies the folders of this program, and other folders
//! are not changed.

use std::io;
use std::path::Path;

use sqfa_io::formats::is_temporary;

/// The name of the lock file, which contains the id of the process that writes to the folder.
pub const LOCK: &str = ".lock";

/// The owner of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// No owner: the folder is empty or does not exist.
    Nobody,
    /// This program: the folder contains its marker file.
    Us,
    /// Another program or user.
    Others,
}

impl Owner {
    /// Returns the owner of a folder, where the file `mark` identifies the folders of this program.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn of(folder: &Path, mark: &str) -> io::Result<Self> {
        if folder.join(mark).exists() {
            return Ok(Self::Us);
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                // Leftovers of a killed process do not count as files of others.
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
