//! The command `sqfa`: flags as typed become a command as meant, and one match runs it.
//!
//! A library, so that the binary and the Python package offer the same command: [`main`]. [`terminal`] is for the other
//! command of the project.

#![cfg_attr(test, allow(clippy::unwrap_used))] // a test that unwraps fails, as it should

mod args;
mod command;
mod data;
mod failure;
mod files;
mod interrupt;
mod output;
mod points;
mod progress;
mod suggest;
mod threads;
mod warnings;

use std::ffi::OsString;
use std::time::Instant;

use args::{Arguments, Subcommand};
use clap::FromArgMatches;
use sqfa_io::memory::AddressSpace;

pub use threads::usable_threads;

/// Runs the command with the words of a command line, the name of the program first; returns the exit code.
///
/// Help and wrong usage end the process, as Ctrl-C does.
pub fn main(words: Vec<OsString>) -> u8 {
    let began = Instant::now();
    terminal::explain_out_of_memory();
    let parsed = args::parser(&words).get_matches_from(&words);
    let arguments = Arguments::from_arg_matches(&parsed).unwrap_or_else(|error| error.exit());
    command::remember(words);
    failure::exit_code(run(arguments, began))
}

/// How commands of this project start, print, stop and end: shared with `sqfa-paper`.
pub mod terminal {
    pub use crate::args::{GlobalFlags, positive};
    pub use crate::failure::{Paused, Usage, exit_code, usage};
    pub use crate::interrupt::{Guard, asked, listen};
    pub use crate::output::{say, say_json, table, warn};
    pub use crate::progress::StatusLine;

    /// Prepares the message for the case that memory runs out.
    pub fn explain_out_of_memory() {
        sqfa_alloc::explain_failure(crate::out_of_memory());
    }

    /// Does what the flags of all commands ask for: starts the threads, and prints results and errors only.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn begin(flags: &GlobalFlags) -> anyhow::Result<()> {
        crate::output::be_quiet(flags.quiet);
        crate::threads::start(flags.threads)
    }
}

/// The message for the case that memory runs out.
fn out_of_memory() -> String {
    let remedy =
        "error: out of memory: use a smaller file, fewer columns or fewer threads (--threads)";
    match AddressSpace::of_process() {
        None => remedy.to_owned(),
        Some(AddressSpace { limit, .. }) => {
            let limit = limit as f64 / 1e9;
            format!("{remedy}, or raise the limit of the address space, {limit:.2} GB (ulimit -v)")
        }
    }
}

fn run(arguments: Arguments, began: Instant) -> anyhow::Result<()> {
    terminal::begin(&arguments.global)?;
    match arguments.command {
        Subcommand::Dataset(args) => command::dataset::Dataset::try_from(args)?.run(),
        Subcommand::Fit(args) => command::fit::Fit::try_from(*args)?.run(began),
        Subcommand::Stats(args) => command::stats::Stats::try_from(args)?.run(),
        Subcommand::Clean(args) => command::clean::Clean::try_from(args)?.run(),
        Subcommand::Transform(args) => command::transform::Transform::try_from(args)?.run(),
        Subcommand::Predict(args) => command::predict::Predict::try_from(args)?.run(),
        Subcommand::Evaluate(args) => command::evaluate::Evaluate::try_from(args)?.run(),
        Subcommand::Distances(args) => command::distances::Distances::try_from(args)?.run(),
        Subcommand::Inspect(args) => command::inspect::run(&args),
        Subcommand::Export(args) => command::export::Export::try_from(args)?.run(),
        Subcommand::Compare(args) => command::compare::Compare::try_from(*args)?.run(),
        Subcommand::Demo(args) => command::demo::run(&args),
        Subcommand::Completions(args) => command::shell::completions(&args),
        Subcommand::Man(args) => command::shell::man(&args),
    }
}
