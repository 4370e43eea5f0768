//! How much memory is at hand, and what does not fit into it, before it is asked for.

use anyhow::{Result, bail};
use sqfa_io::formats::Limits;

use crate::failure::usage;

/// The environment variable that says how many bytes of memory are at hand where the system cannot know, as in containers.
const MEMORY: &str = "SQFA_MEMORY";
/// Bytes in a GB.
const GIGA: f64 = 1e9;

/// Bytes of memory at hand: what the environment says, or else the system.
pub(crate) fn available() -> Result<Option<u64>> {
    if let Some(given) = std::env::var_os(MEMORY) {
        let Some(bytes) = given.to_str().and_then(|text| text.trim().parse().ok()) else {
            let given = given.to_string_lossy();
            return usage(format!("{MEMORY} is '{given}': give a whole number of bytes"));
        };
        return Ok(Some(bytes));
    }
    Ok(sqfa_io::memory::available())
}

/// Refuses sums with all entries of so many classes and columns where they do not fit into memory.
///
/// `otherwise` is what the command can do instead, as a phrase that ends the message.
pub(crate) fn check_sums(classes: usize, columns: usize, otherwise: &str) -> Result<()> {
    // Eight bytes an entry of one triangle; an allocation that fails could not be told.
    let needed = 8.0 * classes as f64 * (columns as f64) * (columns as f64 + 1.0) / 2.0;
    match available()? {
        Some(available) if needed > available as f64 => bail!(
            "{classes} covariances of {columns} columns take {:.1} GB, and {:.1} GB are at hand: \
             choose fewer columns (--columns, --ignore){otherwise}",
            needed / GIGA,
            available as f64 / GIGA
        ),
        _ => Ok(()),
    }
}

/// Rejects a data set that `flag` makes larger than memory, before any of it is made.
pub(crate) fn check_made(flag: &str, needed: f64) -> Result<()> {
    let available = available()?.unwrap_or(Limits::default().bytes) as f64;
    if needed > available {
        let (needed, available) = (needed / GIGA, available / GIGA);
        bail!(
            "{flag}: the data set would take {needed:.1} GB, and {available:.1} GB are available; use a smaller number"
        );
    }
    Ok(())
}
