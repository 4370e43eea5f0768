//! Simulated crashes and failures: a selected file operation ends the process, as a kill or a power
//! failure would, or returns an error, as a defective disk would.
//!
//! Builds with debug assertions count their file operations, including reads. With
//! `SQFA_CRASH_AT=K` in the environment, the process ends in operation K: a write is half done, and
//! nothing is cleaned up. With `SQFA_FAIL_AT=K:CODE`, operation K is not performed and returns the
//! system error CODE, which is reported on standard error. Release builds contain none of this.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The exit code of a process that crashed on request. No other failure has this code.
pub const CRASHED: i32 = 86;

/// Counts a file operation, which is about to be performed.
///
/// # Errors
///
/// The error that was requested for this operation. The caller treats it like an error of the
/// operation.
#[inline]
pub fn before_operation() -> io::Result<()> {
    #[cfg(debug_assertions)]
    match chosen::fate() {
        chosen::Fate::Done => {}
        chosen::Fate::Crash => std::process::exit(CRASHED),
        chosen::Fate::Fail(error) => return Err(error),
    }
    Ok(())
}

/// Writes bytes to a file and returns their number. A simulated crash happens after half of them.
///
/// # Errors
///
/// An error of the file, or the error that was requested for this operation.
#[inline]
pub fn write(file: &mut impl Write, bytes: &[u8]) -> io::Result<usize> {
    #[cfg(debug_assertions)]
    match chosen::fate() {
        chosen::Fate::Done => {}
        chosen::Fate::Crash => {
            let _ = file.write_all(&bytes[..bytes.len() / 2]).and_then(|()| file.flush());
            std::process::exit(CRASHED);
        }
        chosen::Fate::Fail(error) => return Err(error),
    }
    file.write(bytes)
}

/// Writes all bytes to a file. Interrupted operations are repeated.
///
/// # Errors
///
/// An error of the file, or the error that was requested for one of its operations.
pub fn write_all(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    struct Announced<'a, W>(&'a mut W);
    impl<W: Write> Write for Announced<'_, W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            write(self.0, bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    Announced(file).write_all(bytes)
}

/// A file open for reading whose operations are counted.
#[derive(Debug)]
pub struct Input(File);

impl Input {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// An error of the system, or the error that was requested for this operation.
    pub fn open(path: &Path) -> io::Result<Self> {
        before_operation()?;
        File::open(path).map(Self)
    }

    /// Returns the metadata of the file.
    ///
    /// # Errors
    ///
    /// An error of the system, or the error that was requested for this operation.
    pub fn metadata(&self) -> io::Result<Metadata> {
        before_operation()?;
        self.0.metadata()
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        before_operation()?;
        self.0.read(bytes)
    }
}

impl Seek for Input {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        before_operation()?;
        self.0.seek(position)
    }
}

/// Reads a whole file.
///
/// # Errors
///
/// An error of the system, or the error that was requested for one of its operations.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Input::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole text file.
///
/// # Errors
///
/// An error of the system, the error that was requested for one of its operations, or an error if
/// the text is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    Input::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(debug_assertions)]
mod chosen {
    use std::io::{self, Write};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static DONE: AtomicU64 = AtomicU64::new(0);

    /// The outcome of an operation.
    pub(super) enum Fate {
        Done,
        Crash,
        Fail(io::Error),
    }

    /// Returns the number of the selected operation, with the code of the error that it returns.
    /// Without a code, the process ends.
    fn asked() -> Option<(u64, Option<i32>)> {
        if let Ok(number) = std::env::var("SQFA_CRASH_AT") {
            return Some((number.parse().ok()?, None));
        }
        let fail = std::env::var("SQFA_FAIL_AT").ok()?;
        let (number, code) = fail.split_once(':')?;
        Some((number.parse().ok()?, Some(code.parse().ok()?)))
    }

    /// Counts an operation and determines its outcome.
    pub(super) fn fate() -> Fate {
        static ASKED: OnceLock<Option<(u64, Option<i32>)>> = OnceLock::new();
        let Some((number, code)) = *ASKED.get_or_init(asked) else { return Fate::Done };
        match code {
            _ if DONE.fetch_add(1, Ordering::SeqCst) + 1 != number => Fate::Done,
            None => Fate::Crash,
            Some(code) => {
                let error = io::Error::from_raw_os_error(code);
                // A test can verify that there was such an operation, even if its failure has no
                // effect.
                let _ = writeln!(io::stderr(), "file operation {number} fails on request");
                Fate::Fail(error)
            }
        }
    }
}
