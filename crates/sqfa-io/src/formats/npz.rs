//! Archives of named NumPy arrays (`.npz`), with or without compression.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::crash::Input;
use super::decode::{Layout, read_stack};
use super::latched::{Failure, Latched};
use super::npy::{read_member, verified, write_array};
use super::rows::{ArrayRows, Rows};
use super::source::{expanded, expect_end, place_of};
use super::{Array, AtomicFile, FormatError, Limits, Stack, ValuesRef};

/// The size from which a member of the archive needs the 64-bit fields of zip.
const LARGE_MEMBER: u64 = 0xf000_0000;

/// An open archive, whose arrays are read by name.
pub struct Npz {
    archive: ZipArchive<BufReader<Input>>,
    names: Vec<String>,
    path: PathBuf,
    place: String,
    limits: Limits,
}

impl std::fmt::Debug for Npz {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Npz").field("place", &self.place).field("names", &self.names).finish()
    }
}

impl Npz {
    /// Opens an archive and lists its arrays, without reading them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a zip archive.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, FormatError> {
        let place = place_of(path);
        let file = Input::open(path).map_err(|source| FormatError::Io {
            place: place.clone(),
            action: "open",
            source,
        })?;
        let archive = ZipArchive::new(BufReader::with_capacity(64 << 10, file))
            .map_err(|source| FormatError::Zip { place: place.clone(), source })?;
        let names = archive
            .file_names()
            .filter_map(|name| name.ok()?.strip_suffix(".npy").map(str::to_owned))
            .collect();
        Ok(Self { archive, names, path: path.to_owned(), place, limits })
    }

    /// Returns the names of the arrays, in the order of the archive.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether an array with this name exists.
    pub fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// Returns the name of the file in messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the memory that one array may use.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the shape of an array from its header.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if its header is invalid.
    pub fn shape(&mut self, name: &str) -> Result<Vec<usize>, FormatError> {
        self.with_member(name, |_, layout, _, _| Ok(layout.shape))
    }

    /// Reads an array.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn read(&mut self, name: &str) -> Result<Array, FormatError> {
        self.with_member(name, |reader, layout, size, place| {
            read_member(&mut { reader }, layout, size, place)
        })
    }

    /// Reads an array divided along its first axis, such as one covariance per class, without a
    /// second copy in memory.
    ///
    /// Returns the shape of the whole array and the parts. Integers are converted to double
    /// precision.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn read_stack(&mut self, name: &str) -> Result<(Vec<usize>, Stack), FormatError> {
        let limits = self.limits;
        self.with_member(name, |mut reader, layout, size, place| {
            let stack = read_stack(&mut reader, layout, limits, place)?;
            expect_end(&mut reader, size, place)?;
            Ok(stack)
        })
    }

    /// Returns a reader of the rows of an array.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn rows(&mut self, name: &str) -> Result<ArrayRows, FormatError> {
        let (limits, path) = (self.limits, self.path.clone());
        let Member { mut file, size, stored, place } = self.member(name)?;
        let layout = verified(&mut file, size, true, Limits { bytes: u64::MAX }, &place)?;
        let data = layout
            .shape
            .iter()
            .fold(layout.dtype.width() as u64, |size, &length| size.saturating_mul(length as u64));
        let header = size.saturating_sub(data);
        let start = file.data_start().ok_or_else(|| {
            FormatError::header(&place, "the archive does not say where its data begin")
        })?;
        let (crc, compressed) = (file.crc32(), file.compressed_size());
        drop(file);
        let fail = |source| FormatError::read(&place, source);
        let mut file = BufReader::with_capacity(256 << 10, Input::open(&path).map_err(fail)?);
        let source = if stored && layout.fortran && layout.shape.len() > 1 {
            Rows::Columns(file, start + header)
        } else {
            file.seek(SeekFrom::Start(start)).map_err(fail)?;
            let raw: Box<dyn Read + Send> = match stored {
                true => Box::new(file.take(compressed)),
                false => Box::new(DeflateDecoder::new(file.take(compressed))),
            };
            let mut reader = Checked { reader: raw, sum: Crc::new(), expected: crc };
            std::io::copy(&mut (&mut reader).take(header), &mut std::io::sink()).map_err(fail)?;
            Rows::Stream(Box::new(reader))
        };
        ArrayRows::new(layout, source, limits, &place)
    }

    /// Opens a member, limits its size and reads its header.
    fn with_member<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn std::io::Read, Layout, u64, &str) -> Result<T, FormatError>,
    ) -> Result<T, FormatError> {
        let limits = self.limits;
        let Member { mut file, size, place, .. } = self.member(name)?;
        let layout = verified(&mut file, size, true, limits, &place)?;
        read(&mut file, layout, size, &place)
    }

    fn member(&mut self, name: &str) -> Result<Member<'_>, FormatError> {
        let place = format!("{}[{name}]", self.place);
        let file = match self.archive.by_name(&format!("{name}.npy")) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => {
                return Err(FormatError::Missing {
                    place: self.place.clone(),
                    what: "array",
                    name: name.to_owned(),
                    names: self.names.join(", "),
                    near: FormatError::similar(name, self.names.iter().map(String::as_str)),
                });
            }
            Err(source) => return Err(FormatError::Zip { place, source }),
        };
        let size = file.size();
        let stored = file.compression() == CompressionMethod::Stored;
        let possible =
            if stored { file.compressed_size() } else { expanded(file.compressed_size()) };
        if size > possible {
            let declared = u128::from(size);
            return Err(FormatError::Size { place, declared, available: possible });
        }
        Ok(Member { file, size, stored, place })
    }
}

/// A member of an archive whose declared size was compared with the number of bytes in the file.
struct Member<'a> {
    file: ZipFile<'a, BufReader<Input>>,
    size: u64,
    stored: bool,
    place: String,
}

/// A stream whose checksum is verified at its end.
struct Checked {
    reader: Box<dyn Read + Send>,
    sum: Crc,
    expected: u32,
}

impl Read for Checked {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let taken = self.reader.read(bytes)?;
        self.sum.update(&bytes[..taken]);
        if taken == 0 && !bytes.is_empty() && self.sum.sum() != self.expected {
            return Err(std::io::Error::other("the checksum differs: the archive is damaged"));
        }
        Ok(taken)
    }
}

/// Converts an error of the zip writer, which is usually caused by the disk.
fn unwritten(place: &str, error: ZipError) -> FormatError {
    match error {
        ZipError::Io(source) => FormatError::write(place, source),
        other => FormatError::write(place, std::io::Error::other(other)),
    }
}

/// An archive that is being written. No file exists at its path before [`NpzWriter::finish`].
pub struct NpzWriter {
    zip: ZipWriter<BufWriter<Latched>>,
    failure: Failure,
    place: String,
    method: CompressionMethod,
}

impl NpzWriter {
    /// Creates an archive. Its members are compressed if `compress` is true.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path, compress: bool) -> Result<Self, FormatError> {
        let method = if compress { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let (file, failure) = Latched::new(AtomicFile::create(path)?);
        let zip = ZipWriter::new(BufWriter::with_capacity(64 << 10, file));
        Ok(Self { zip, failure, place: place_of(path), method })
    }

    /// Adds an array. The archive contains no time stamps, so equal arrays always lead to equal
    /// bytes.
    ///
    /// # Errors
    ///
    /// If the array cannot be written.
    pub fn add<'a>(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl Into<ValuesRef<'a>>,
    ) -> Result<(), FormatError> {
        let values = values.into();
        let place = format!("{}[{name}]", self.place);
        // Numeric types have at most eight bytes per element, while texts have their own width.
        let widest = match values {
            ValuesRef::Text(texts) => 4 * texts.iter().map(String::len).max().unwrap_or(1),
            _ => 8,
        };
        let large = (values.len() as u64).saturating_mul(widest as u64) > LARGE_MEMBER;
        let options = SimpleFileOptions::default()
            .compression_method(self.method)
            .last_modified_time(DateTime::default())
            .large_file(large);
        self.zip
            .start_file(format!("{name}.npy"), options)
            .map_err(|error| unwritten(&place, error))?;
        write_array(&mut self.zip, shape, values, &place)?;
        self.failure.check(&self.place)
    }

    /// Writes the directory and moves the archive to its path.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), FormatError> {
        let Self { zip, failure, place, .. } = self;
        let buffer = zip.finish().map_err(|error| unwritten(&place, error))?;
        let file =
            buffer.into_inner().map_err(|error| FormatError::write(&place, error.into_error()))?;
        failure.check(&place)?;
        match file.into_file() {
            Some(file) => file.commit(),
            None => {
                let error = std::io::Error::other("an earlier failure has discarded the archive");
                Err(FormatError::write(&place, error))
            }
        }
    }
}
