//! Crashes on request: the process ends at a chosen file operation, as a kill or a power cut would end it.
//!
//! Builds with debug assertions count their file operations; with `SQFA_CRASH_AT=K` in the environment the K-th one is the
//! last, and of a write only half is done. Nothing is cleaned up on the way out. Release builds contain none of this.

use std::io::{self, Write};

/// What a process that crashed on request returns, unlike anything else it could.
pub const CRASHED: i32 = 86;

/// A file operation is about to happen.
#[inline]
pub fn before_operation() {
    #[cfg(debug_assertions)]
    if chosen::is_next() {
        std::process::exit(CRASHED);
    }
}

/// Writes bytes to a file, whole but for a crash.
#[inline]
pub fn write(file: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    #[cfg(debug_assertions)]
    if chosen::is_next() {
        let _ = file.write_all(&bytes[..bytes.len() / 2]).and_then(|()| file.flush());
        std::process::exit(CRASHED);
    }
    file.write(bytes)
}

/// The same until all bytes are written.
#[inline]
pub fn write_all(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let written = write(file, bytes)?;
    file.write_all(&bytes[written..])
}

#[cfg(debug_assertions)]
mod chosen {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static DONE: AtomicU64 = AtomicU64::new(0);

    /// Counts an operation; whether it is the one that was asked for.
    pub(super) fn is_next() -> bool {
        static LAST: OnceLock<Option<u64>> = OnceLock::new();
        let wanted = || std::env::var("SQFA_CRASH_AT").ok().and_then(|number| number.parse().ok());
        let last = LAST.get_or_init(wanted);
        last.is_some_and(|last| DONE.fetch_add(1, Ordering::SeqCst) + 1 == last)
    }
}
