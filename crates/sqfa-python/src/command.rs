//! The command `sqfa` as the wheel ships it: the same library as the binary, in the interpreter's process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its words, the program's name first, and returns its exit code.
///
/// The caller gives Ctrl-C back to the system before: while the command runs, nobody asks the interpreter for signals.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| sqfa_cli::main(words))
}
