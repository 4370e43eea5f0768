//! Opening of files that may be compressed with gzip, with bounds on their decompressed size.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::FormatError;
use super::crash::Input;

/// The largest expansion factor of Deflate, a constant of the format (258 bytes per 2 bits).
pub(crate) const LARGEST_EXPANSION: u64 = 1032;
/// The additional number of bytes to which a very short gzip or Deflate stream may expand.
pub(crate) const EXPANSION_SLACK: u64 = 1 << 12;

/// An open file, which is decompressed if it is in gzip format.
pub(crate) struct FileSource {
    pub(crate) reader: Box<dyn Read + Send>,
    /// The number of bytes of the content: the exact number, or an upper bound if `exact` is false.
    pub(crate) available: u64,
    pub(crate) exact: bool,
    /// The expected number of bytes of the content. For gzip it is stored in the last member,
    /// modulo 2³².
    pub(crate) expected: u64,
}

/// Returns the name of a path in messages.
pub(crate) fn place_of(path: &Path) -> String {
    path.display().to_string()
}

/// Opens a file. Gzip is recognized by its first two bytes, not by its name.
pub(crate) fn open(path: &Path) -> Result<FileSource, FormatError> {
    let place = place_of(path);
    let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
    let mut file = Input::open(path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    let said = last_size(&mut file, length).map_err(fail)?;
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let gzip = reader.fill_buf().map_err(fail)?.starts_with(&[0x1f, 0x8b]);
    Ok(if gzip {
        FileSource {
            reader: Box::new(MultiGzDecoder::new(reader)),
            available: expanded(length),
            exact: false,
            expected: u64::from(said).max(length).min(expanded(length)),
        }
    } else {
        FileSource { reader: Box::new(reader), available: length, exact: true, expected: length }
    })
}

/// Returns the last four bytes of a regular file, in which gzip stores the size of its content.
/// Returns 0 for a pipe or a very short file.
///
/// The position is then at the beginning of the file. It is an error if that fails, because a
/// reader would otherwise miss the beginning.
fn last_size(file: &mut Input, length: u64) -> io::Result<u32> {
    if length < 4 || !file.metadata()?.is_file() {
        return Ok(0);
    }
    let mut size = [0; 4];
    file.seek(SeekFrom::End(-4))?;
    file.read_exact(&mut size)?;
    file.rewind()?;
    Ok(u32::from_le_bytes(size))
}

/// Returns the largest possible size of the content of a Deflate stream.
pub(crate) fn expanded(compressed: u64) -> u64 {
    compressed.saturating_mul(LARGEST_EXPANSION).saturating_add(EXPANSION_SLACK)
}

/// Verifies that a stream ends. Reading to the end also verifies its checksum.
pub(crate) fn expect_end(
    reader: &mut impl Read,
    declared: u64,
    place: &str,
) -> Result<(), FormatError> {
    let mut more = [0u8; 1];
    loop {
        return match reader.read(&mut more) {
            Ok(0) => Ok(()),
            Ok(_) => Err(FormatError::Size {
                place: place.to_owned(),
                declared: u128::from(declared),
                available: declared.saturating_add(1),
            }),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => Err(FormatError::read(place, source)),
        };
    }
}
