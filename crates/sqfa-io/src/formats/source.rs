//! Opening a file that may be compressed with gzip, and knowing how many bytes it can yield.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::FormatError;
use super::crash::Input;

/// Deflate cannot expand a byte to more than this many (a format constant: 258 bytes per 2 bits).
pub(crate) const LARGEST_EXPANSION: u64 = 1032;
/// What a gzip or deflate stream of almost nothing may still expand to.
pub(crate) const EXPANSION_SLACK: u64 = 1 << 12;

/// An opened file, decompressed on the way when it is gzip.
pub(crate) struct FileSource {
    pub(crate) reader: Box<dyn Read + Send>,
    /// The bytes it yields: exactly, or at most when `exact` is false.
    pub(crate) available: u64,
    pub(crate) exact: bool,
    /// The bytes it most likely yields: for gzip what its last member says, modulo 2³².
    pub(crate) expected: u64,
}

/// A path as messages show it.
pub(crate) fn place_of(path: &Path) -> String {
    path.display().to_string()
}

/// Opens a file, recognizing gzip by its first two bytes rather than by its name.
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

/// The last four bytes of a file that can be wound back, where gzip keeps the size of what it holds; otherwise 0.
///
/// The file is at its beginning afterwards: a failure must not let a reader take the end of a file for all of it.
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

/// The most bytes a deflated stream of this length can expand to.
pub(crate) fn expanded(compressed: u64) -> u64 {
    compressed.saturating_mul(LARGEST_EXPANSION).saturating_add(EXPANSION_SLACK)
}

/// Makes sure a stream ends here; reaching the end also verifies its checksum.
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
