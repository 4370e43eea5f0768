//! Outputs looked at before the work: writable, no folder, not an input, not each other.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sqfa_io::formats::AtomicFile;

use crate::failure::usage;

/// Pipes that are open for writing, so that their readers wait for the result.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    _pipes: Vec<File>,
}

/// Refuses outputs that cannot be written or that would destroy an input or each other; waits for readers of pipes.
pub(crate) fn check(inputs: &[&Path], outputs: &[&Path]) -> Result<Ready> {
    let mut ready = Ready::default();
    for (at, output) in outputs.iter().enumerate() {
        let shown = output.display();
        if output.is_dir() {
            return usage(format!("{shown} is a folder: name a file to write"));
        }
        if inputs.iter().any(|input| same(input, output)) {
            return usage(format!("{shown} is an input: name another file to write"));
        }
        if outputs[..at].iter().any(|other| same(other, output)) {
            return usage(format!("two outputs are called {shown}: name two files"));
        }
        AtomicFile::check(output)?;
        if is_pipe(output) {
            // Opening a pipe waits for its reader; here Ctrl-C still ends the command at once.
            let pipe = std::fs::OpenOptions::new().write(true).open(output);
            ready._pipes.push(pipe.with_context(|| format!("cannot write {shown}"))?);
        }
    }
    Ok(ready)
}

/// Whether two names mean one file, through links too; devices and pipes are never the same file.
fn same(first: &Path, second: &Path) -> bool {
    let (Some(a), Some(b)) = (resolved(first), resolved(second)) else { return false };
    let regular = |path: &Path| std::fs::metadata(path).is_ok_and(|about| about.is_file());
    if a == b {
        return regular(&a) || !a.exists();
    }
    same_node(&a, &b) && regular(&a)
}

/// The file a name means; for one that is not there yet, its name in the folder it will be in.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(unix)]
fn same_node(first: &Path, second: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let node = |path: &Path| std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    node(first).is_some() && node(first) == node(second)
}

#[cfg(not(unix))]
fn same_node(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let own = path.starts_with("/dev") || path.starts_with("/proc");
    !own && std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
