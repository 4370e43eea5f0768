//! Bytes as a file in memory-backed storage, since the readers take paths.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Writes bytes to a file that every run of one process reuses.
pub fn with_file(ending: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    static FOLDER: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let shared = Path::new("/dev/shm");
        if shared.is_dir() { tempfile::tempdir_in(shared).ok() } else { tempfile::tempdir().ok() }
    });
    let Some(folder) = folder else { return };
    let path: PathBuf = folder.path().join(format!("input.{ending}"));
    if std::fs::write(&path, bytes).is_ok() {
        read(&path);
    }
}
