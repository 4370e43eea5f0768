//! The binary `sqfa`: the command with an allocator that keeps freed blocks for the next product.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: sqfa_alloc::Allocator = sqfa_alloc::Allocator;

fn main() -> ExitCode {
    ExitCode::from(sqfa_cli::main(std::env::args_os().collect()))
}
