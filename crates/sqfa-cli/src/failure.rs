//! How the command ends: 0 when all went well, 1 for a failure, 2 for wrong usage, 130 after Ctrl-C.

use std::io;

use sqfa_lab::compare::CompareError;
use thiserror::Error;

use crate::output;

/// Flags that do not fit together, or values no data could make sense of.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// The user asked to stop.
#[derive(Debug, Error)]
#[error("interrupted; nothing was written")]
pub(crate) struct Interrupted;

/// The user asked to stop, and something was kept.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Paused(pub String);

/// Returns a usage error.
///
/// # Errors
///
/// Always.
pub fn usage<T>(message: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(message.into()).into())
}

/// Prints to standard error what went wrong, if anything, and returns the exit code.
pub fn exit_code(result: anyhow::Result<()>) -> u8 {
    let Err(error) = result else { return 0 };
    if is_closed_pipe(&error) {
        // Whoever read our output has seen enough, as with `| head`.
        return 0;
    }
    output::complain_in_lines("error", &told(&error));
    if error.is::<Usage>() {
        output::hint("For more information, try '--help'.");
        return 2;
    }
    let stopped = error.is::<Interrupted>() || error.is::<Paused>();
    if stopped { 130 } else { 1 }
}

/// An error and its causes, each reason once: some errors already end with their cause.
///
/// Names from files may hold line breaks, so an error is one line. Only what is wrong with a spec is shown below its line.
fn told(error: &anyhow::Error) -> String {
    let lines = matches!(error.downcast_ref(), Some(CompareError::Spec { .. }));
    error.chain().fold(String::new(), |told, cause| {
        let reason = cause.to_string();
        match if lines { reason } else { output::printable(&reason) } {
            reason if told.is_empty() => reason,
            reason if told.contains(&reason) => told,
            reason => format!("{told}: {reason}"),
        }
    })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
