//! The guard over all files of a command: outputs are writable, no folders, no inputs, and different from each other.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sqfa_io::data::files_read;
use sqfa_io::formats::{AtomicFile, Place};

use crate::failure::usage;

/// Pipes that are open for writing, so that their readers wait for the result.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    _pipes: Vec<File>,
}

/// Rejects outputs that cannot be written or that would destroy an input or each other; waits for readers of pipes.
///
/// `inputs` are all files and folders that the command reads, standard input and built-in names included. A folder stands
/// for the files that a reader looks for in it.
pub(crate) fn check(inputs: &[&Path], outputs: &[&Path]) -> Result<Ready> {
    let mut ready = Ready::default();
    let read: Vec<PathBuf> = inputs.iter().flat_map(|input| files_read(input)).collect();
    let read: Vec<Place> = read.iter().filter_map(|input| Place::of(input).ok()).collect();
    let mut written: Vec<Place> = Vec::new();
    for output in outputs {
        let shown = output.display();
        if output.is_dir() {
            return usage(format!("{shown} is a folder: name a file to write"));
        }
        let place = Place::of(output).with_context(|| format!("cannot write {shown}"))?;
        if read.iter().any(|input| input.is_same_file(&place)) {
            return usage(format!("{shown} is an input: name another file to write"));
        }
        if written.iter().any(|other| other.is_same_file(&place)) {
            return usage(format!("two outputs are called {shown}: name two files"));
        }
        AtomicFile::check(output)?;
        if let Place::Stream(path) = &place
            && is_pipe(path)
        {
            // Opening a pipe waits for its reader; here Ctrl-C still ends the command at once.
            let pipe = std::fs::OpenOptions::new().write(true).open(path);
            ready._pipes.push(pipe.with_context(|| format!("cannot write {shown}"))?);
        }
        written.push(place);
    }
    Ok(ready)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}
