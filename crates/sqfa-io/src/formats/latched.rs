//! A file that stores its first error for later. The writer of an archive sees no error, and its
//! caller checks for one at the end.
//!
//! The zip writer finishes its archive when it is dropped, even after an error, and would then use
//! positions that are wrong. It therefore gets a file that never fails. After the first error all
//! data are discarded, and only positions are tracked.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::{AtomicFile, FormatError};

/// The first error of a file, which can be retrieved once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Returns the error, if there was one.
    pub(crate) fn check(&self, place: &str) -> Result<(), FormatError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.map_or(Ok(()), |error| Err(FormatError::write(place, error)))
    }

    fn keep(&self, error: io::Error) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// A file whose operations never fail.
#[derive(Debug)]
pub(crate) struct Latched {
    /// The file, or `None` after an error, which removes the temporary file.
    file: Option<AtomicFile>,
    failure: Failure,
    position: u64,
    end: u64,
}

impl Latched {
    /// Wraps a file. The second value receives its first error.
    pub(crate) fn new(file: AtomicFile) -> (Self, Failure) {
        let failure = Failure::default();
        let latched = Self { file: Some(file), failure: failure.clone(), position: 0, end: 0 };
        (latched, failure)
    }

    /// Returns the file, or `None` after an error.
    pub(crate) fn into_file(self) -> Option<AtomicFile> {
        self.file
    }

    fn fail(&mut self, error: io::Error) {
        self.file = None;
        self.failure.keep(error);
    }
}

impl Write for Latched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.file.as_mut().map(|file| file.write(bytes)) {
            Some(Ok(written)) => written,
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Some(Err(error)) => {
                self.fail(error);
                bytes.len()
            }
            None => bytes.len(),
        };
        self.position += written as u64;
        self.end = self.end.max(self.position);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(Err(error)) = self.file.as_mut().map(AtomicFile::flush) {
            self.fail(error);
        }
        Ok(())
    }
}

impl Seek for Latched {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.position = position.ok_or_else(|| io::Error::other("a seek before the beginning"))?;
        let to = SeekFrom::Start(self.position);
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.seek(to)) {
            self.fail(error);
        }
        Ok(self.position)
    }
}
