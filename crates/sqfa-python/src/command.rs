//! The command `sqfa` in the wheel. It is the same library as the binary and runs in the process of
//! the interpreter.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its arguments, starting with the program name, and returns its exit code.
///
/// The caller restores the default handling of Ctrl-C first, because the interpreter does not
/// process signals while the command runs.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| sqfa_cli::main(words))
}
