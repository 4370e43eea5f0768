//! The command `sqfa-paper`: the paper's tables and figures by name, beside the printed numbers.

mod command;

use std::process::ExitCode;

use clap::Parser;
use sqfa_cli::terminal;

use command::{Arguments, Paper};

#[global_allocator]
static ALLOCATOR: sqfa_alloc::Allocator = sqfa_alloc::Allocator;

fn main() -> ExitCode {
    terminal::explain_out_of_memory();
    ExitCode::from(terminal::exit_code(run(Arguments::parse())))
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    terminal::begin(&arguments.global)?;
    Paper::try_from(arguments)?.run()
}
