//! The command `sqfa`: flags as typed become a command as meant, and one match runs it.
//!
//! A library, so that the binary and the Python package offer the same command; its one function is [`main`].

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
    sqfa_alloc::explain_failure(out_of_memory());
    let parsed = args::parser(&words).get_matches_from(&words);
    let arguments = Arguments::from_arg_matches(&parsed).unwrap_or_else(|error| error.exit());
    command::remember(words);
    failure::exit_code(run(arguments, began))
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
    output::be_quiet(arguments.quiet);
    threads::start(arguments.threads)?;
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
        Subcommand::Paper(args) => command::paper::Paper::try_from(args)?.run(),
        Subcommand::Demo(args) => command::demo::run(&args),
        Subcommand::Completions(args) => command::shell::completions(&args),
        Subcommand::Man(args) => command::shell::man(&args),
    }
}
