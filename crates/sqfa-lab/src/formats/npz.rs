//! Archives of named NumPy arrays (`.npz`), stored or deflated.

use std::fs::File;
use std::io::BufReader;
use std::io::BufWriter;
use std::path::Path;

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::decode::{Layout, read_stack};
use super::npy::{read_member, verified, write_array};
use super::source::{expanded, expect_end, place_of};
use super::{Array, AtomicFile, FormatError, Limits, Stack, ValuesRef};

/// Above this a member's sizes need the 64-bit fields of zip.
const LARGE_MEMBER: u64 = 0xf000_0000;

/// An opened archive; arrays are read one by one, by name.
pub struct Npz {
    archive: ZipArchive<BufReader<File>>,
    names: Vec<String>,
    place: String,
    limits: Limits,
}

impl std::fmt::Debug for Npz {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Npz").field("place", &self.place).field("names", &self.names).finish()
    }
}

impl Npz {
    /// Opens an archive and lists what is in it; no array is read yet.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, FormatError> {
        let place = place_of(path);
        let file = File::open(path).map_err(|source| FormatError::Io {
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
        Ok(Self { archive, names, place, limits })
    }

    /// The names of the arrays, in the archive's order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// The file as messages show it.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The shape of an array, from its header alone.
    pub fn shape(&mut self, name: &str) -> Result<Vec<usize>, FormatError> {
        self.with_member(name, |_, layout, _, _| Ok(layout.shape))
    }

    /// Reads an array.
    pub fn read(&mut self, name: &str) -> Result<Array, FormatError> {
        self.with_member(name, |reader, layout, size, place| {
            read_member(&mut { reader }, layout, size, place)
        })
    }

    /// Reads an array cut along its first axis, such as one covariance per class, never holding it twice.
    ///
    /// Returns the whole array's shape and the parts; integers become double precision.
    pub fn read_stack(&mut self, name: &str) -> Result<(Vec<usize>, Stack), FormatError> {
        let limits = self.limits;
        self.with_member(name, |mut reader, layout, size, place| {
            let stack = read_stack(&mut reader, layout, limits, place)?;
            expect_end(&mut reader, size, place)?;
            Ok(stack)
        })
    }

    /// Opens a member, bounds it and reads its header.
    fn with_member<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn std::io::Read, Layout, u64, &str) -> Result<T, FormatError>,
    ) -> Result<T, FormatError> {
        let place = format!("{}[{name}]", self.place);
        let mut member = match self.archive.by_name(&format!("{name}.npy")) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => {
                return Err(FormatError::Missing {
                    place: self.place.clone(),
                    what: "array",
                    name: name.to_owned(),
                    names: self.names.join(", "),
                });
            }
            Err(source) => return Err(FormatError::Zip { place, source }),
        };
        let size = member.size();
        let possible = match member.compression() {
            CompressionMethod::Stored => member.compressed_size(),
            _ => expanded(member.compressed_size()),
        };
        if size > possible {
            let declared = u128::from(size);
            return Err(FormatError::Size { place, declared, available: possible });
        }
        let layout = verified(&mut member, size, true, self.limits, &place)?;
        read(&mut member, layout, size, &place)
    }
}

/// An archive under construction; nothing appears at its path before [`NpzWriter::finish`].
pub struct NpzWriter {
    zip: ZipWriter<BufWriter<AtomicFile>>,
    place: String,
    method: CompressionMethod,
}

impl NpzWriter {
    /// Begins an archive, its members deflated when `compress` is set and stored otherwise.
    pub fn create(path: &Path, compress: bool) -> Result<Self, FormatError> {
        let method = if compress { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let file = BufWriter::with_capacity(64 << 10, AtomicFile::create(path)?);
        Ok(Self { zip: ZipWriter::new(file), place: place_of(path), method })
    }

    /// Adds an array; the same arrays always give the same bytes, whatever the clock says.
    pub fn add<'a>(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl Into<ValuesRef<'a>>,
    ) -> Result<(), FormatError> {
        let values = values.into();
        let place = format!("{}[{name}]", self.place);
        // Eight bytes an element bound every numeric type; long texts are bounded by their own width.
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
            .map_err(|source| FormatError::Zip { place: place.clone(), source })?;
        write_array(&mut self.zip, shape, values, &place)
    }

    /// Writes the directory and moves the archive to its place.
    pub fn finish(self) -> Result<(), FormatError> {
        let Self { zip, place, .. } = self;
        let buffer =
            zip.finish().map_err(|source| FormatError::Zip { place: place.clone(), source })?;
        let file =
            buffer.into_inner().map_err(|error| FormatError::write(&place, error.into_error()))?;
        file.commit()
    }
}
