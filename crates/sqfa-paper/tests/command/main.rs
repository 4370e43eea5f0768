//! The command as people use it, with the tools of the tests of `sqfa`.
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

#[path = "../../../sqfa-cli/tests/command/common/mod.rs"]
mod common;

mod paper;
#[cfg(feature = "png")]
mod png;

/// The command that these tests run.
const COMMAND: &str = env!("CARGO_BIN_EXE_sqfa-paper");
