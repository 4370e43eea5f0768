//! MATLAB files of version 5 (as written by `save -v6` and `-v7`), read variable by variable.
//!
//! A file is a header of 128 bytes followed by elements: a type and a length of 32 bits each, then
//! the data, padded to eight bytes. An array is an element that contains elements (class, lengths,
//! name, numbers), and may be compressed with zlib. Arrays are in Fortran order, so images stacked
//! along the last axis are consecutive.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use super::array::product;
use super::crash::Input;
use super::decode::{Layout, read_array};
use super::dtype::{Dtype, Kind};
use super::rows::{ArrayRows, Rows};
use super::source::{expanded, place_of};
use super::{Array, FormatError, Limits};

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// The largest number of variables, more than any real file has.
const MOST_VARIABLES: usize = 10_000;
const MOST_AXES: u32 = 32;
/// The largest length of a name. MATLAB's own names have at most 63 characters.
const LONGEST_NAME: u32 = 4096;

/// A variable of a file.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    layout: Layout,
    /// The position of its element in the file.
    start: u64,
    /// The number of bytes of the element without its tag.
    length: u64,
    compressed: bool,
}

/// An open file, whose variables are read by name.
#[derive(Debug)]
pub struct MatFile {
    path: PathBuf,
    place: String,
    big_endian: bool,
    variables: Vec<Variable>,
    /// The names and kinds of variables that are not real numeric arrays.
    others: Vec<(String, &'static str)>,
    limits: Limits,
}

/// The content of an element.
enum Content {
    /// A real numeric array.
    Numbers(String, Layout),
    /// A variable of another kind, with its name and kind.
    Other(String, &'static str),
    /// An element that is not a variable.
    Nothing,
}

impl MatFile {
    /// Opens a file and lists its numeric arrays, without reading them.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a MATLAB file of version 5.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, FormatError> {
        let place = place_of(path);
        let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
        let mut file = BufReader::new(Input::open(path).map_err(fail)?);
        let size = file.get_ref().metadata().map_err(fail)?.len();
        let mut header = [0u8; 128];
        let remedy = "save it in MATLAB with -v7, or from Python with scipy.io.savemat";
        let magic =
            |remedy| FormatError::Magic { place: place.clone(), format: "a MATLAB 5 file", remedy };
        file.read_exact(&mut header).map_err(|_| magic(remedy))?;
        if header.starts_with(b"MATLAB 7.3") {
            return Err(magic("it is version 7.3, which is HDF5: save it in MATLAB with -v7"));
        }
        let big_endian = match &header[124..] {
            [_, 1, b'I', b'M'] => false,
            [1, _, b'M', b'I'] => true,
            _ => return Err(magic(remedy)),
        };
        let (mut variables, mut others) = (Vec::new(), Vec::new());
        let mut at = header.len() as u64;
        while at + 8 <= size {
            file.seek(SeekFrom::Start(at)).map_err(fail)?;
            let mut tag = Tagged { reader: &mut file, big_endian, place: &place };
            let (kind, length) = (tag.word()?, tag.word()?);
            let length = u64::from(length);
            if length > size - at - 8 {
                let declared = u128::from(length);
                return Err(FormatError::Size { place, declared, available: size - at - 8 });
            }
            let compressed = kind == COMPRESSED;
            if compressed || kind == MATRIX {
                match describe(&mut file, big_endian, compressed, length, &place)? {
                    Content::Numbers(name, layout) => {
                        variables.push(Variable { name, layout, start: at, length, compressed });
                    }
                    Content::Other(name, kind) => others.push((name, kind)),
                    Content::Nothing => {}
                }
            }
            if variables.len() + others.len() > MOST_VARIABLES {
                return Err(FormatError::header(&place, "it has more than 10 000 variables"));
            }
            at += 8 + length;
            // Compressed elements are not padded.
            if !compressed {
                at = at.next_multiple_of(8);
            }
        }
        if at < size {
            let available = size - at;
            return Err(FormatError::Size { place, declared: 8, available });
        }
        Ok(Self { path: path.to_owned(), place, big_endian, variables, others, limits })
    }

    /// Returns the names of the numeric arrays.
    pub fn names(&self) -> Vec<String> {
        self.variables.iter().map(|variable| variable.name.clone()).collect()
    }

    /// Returns the names and kinds of variables that are not numeric arrays, such as structs.
    pub fn others(&self) -> &[(String, &'static str)] {
        &self.others
    }

    /// Whether a numeric array with this name exists.
    pub fn contains(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name == name)
    }

    /// Returns the shape of an array.
    ///
    /// # Errors
    ///
    /// If there is no such array.
    pub fn shape(&self, name: &str) -> Result<&[usize], FormatError> {
        Ok(&self.variable(name)?.layout.shape)
    }

    /// Returns the name of the file in messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Reads an array in C order.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn read(&self, name: &str) -> Result<Array, FormatError> {
        let variable = self.variable(name)?;
        let place = self.place_of(name);
        variable.layout.verify(u64::MAX, false, self.limits, &place)?;
        let (mut reader, _) = self.data_of(variable, &place)?;
        read_array(&mut reader, variable.layout.clone(), &place)
    }

    /// Returns a reader of the rows of an array along its first axis.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn rows(&self, name: &str) -> Result<ArrayRows, FormatError> {
        let variable = self.variable(name)?;
        let place = self.place_of(name);
        let (reader, at) = self.data_of(variable, &place)?;
        let source = match at {
            Some(at) => Rows::Columns(self.file()?, at),
            None => Rows::Stream(reader),
        };
        ArrayRows::new(variable.layout.clone(), source, self.limits, &place)
    }

    /// Returns a reader of the slices of an array along its last axis, which are contiguous in the
    /// file. Every slice is read as one row with values in Fortran order.
    ///
    /// # Errors
    ///
    /// If there is no such array, or if it cannot be read.
    pub fn slices(&self, name: &str) -> Result<ArrayRows, FormatError> {
        let variable = self.variable(name)?;
        let place = self.place_of(name);
        let (reader, _) = self.data_of(variable, &place)?;
        let mut shape = variable.layout.shape.clone();
        shape.reverse();
        let layout = Layout { shape, fortran: false, ..variable.layout.clone() };
        ArrayRows::new(layout, Rows::Stream(reader), self.limits, &place)
    }

    fn variable(&self, name: &str) -> Result<&Variable, FormatError> {
        self.variables.iter().find(|variable| variable.name == name).ok_or_else(|| {
            FormatError::Missing {
                place: self.place.clone(),
                what: "numeric array",
                name: name.to_owned(),
                names: self.names().join(", "),
                near: FormatError::similar(name, self.names().iter().map(String::as_str)),
            }
        })
    }

    fn place_of(&self, name: &str) -> String {
        format!("{}[{name}]", self.place)
    }

    fn file(&self) -> Result<BufReader<Input>, FormatError> {
        let file =
            Input::open(&self.path).map_err(|source| FormatError::read(&self.place, source))?;
        Ok(BufReader::with_capacity(64 << 10, file))
    }

    /// Returns a reader of exactly the numbers of an array. Also returns their position in the file
    /// unless they are compressed.
    fn data_of(
        &self,
        variable: &Variable,
        place: &str,
    ) -> Result<(Box<dyn Read + Send>, Option<u64>), FormatError> {
        let mut file = self.file()?;
        let fail = |source| FormatError::read(place, source);
        file.seek(SeekFrom::Start(variable.start + 8)).map_err(fail)?;
        let count = product(&variable.layout.shape)
            .ok_or_else(|| FormatError::header(place, "its shape has too many elements"))?;
        let bytes = (count as u64).saturating_mul(variable.layout.dtype.width() as u64);
        if variable.compressed {
            let mut reader = ZlibDecoder::new(file.take(variable.length));
            let mut tagged = Tagged { reader: &mut reader, big_endian: self.big_endian, place };
            tagged.word()?;
            let length = tagged.word()?;
            parse(&mut tagged, u64::from(length))?;
            return Ok((Box::new(reader.take(bytes)), None));
        }
        let mut tagged = Tagged { reader: &mut file, big_endian: self.big_endian, place };
        parse(&mut tagged, variable.length)?;
        let at = file.stream_position().map_err(fail)?;
        Ok((Box::new(file.take(bytes)), Some(at)))
    }
}

/// Returns the content of an element up to its numbers.
fn describe(
    file: &mut BufReader<Input>,
    big_endian: bool,
    compressed: bool,
    length: u64,
    place: &str,
) -> Result<Content, FormatError> {
    if !compressed {
        return parse(&mut Tagged { reader: file, big_endian, place }, length);
    }
    let mut reader = ZlibDecoder::new(file.take(length));
    let mut tagged = Tagged { reader: &mut reader, big_endian, place };
    if tagged.word()? != MATRIX {
        return Ok(Content::Nothing);
    }
    let inner = u64::from(tagged.word()?);
    let available = expanded(length);
    if inner > available {
        let declared = u128::from(inner);
        return Err(FormatError::Size { place: place.to_owned(), declared, available });
    }
    parse(&mut tagged, inner)
}

/// Parses an array element of `length` bytes up to its numbers.
fn parse<R: Read>(tagged: &mut Tagged<'_, R>, length: u64) -> Result<Content, FormatError> {
    let place = tagged.place;
    let (_, flags) = tagged.small(16)?;
    let Some(&[a, b, c, d]) = flags.first_chunk::<4>() else {
        return Err(FormatError::header(place, "an array has no flags"));
    };
    let flags = tagged.number([a, b, c, d]);
    // Classes 6 to 15 are numeric, bit 11 means complex, and bit 9 means logical.
    let (class, complex) = (flags & 0xff, flags & 0x800 != 0);
    let other = match class {
        1 => Some("a cell array"),
        2 => Some("a struct"),
        3 => Some("an object"),
        4 => Some("text"),
        5 => Some("a sparse matrix"),
        6..=15 => complex.then_some("a complex array"),
        // Functions and tables do not have a name at this position.
        _ => return Ok(Content::Nothing),
    };
    let (_, lengths) = tagged.small(4 * MOST_AXES)?;
    let mut shape = Vec::new();
    for &bytes in lengths.as_chunks::<4>().0 {
        let length = tagged.number(bytes) as i32;
        let length = usize::try_from(length)
            .map_err(|_| FormatError::header(place, format!("a length is {length}")))?;
        shape.push(length);
    }
    let (_, name) = tagged.small(LONGEST_NAME)?;
    let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
    if let Some(kind) = other {
        return Ok(Content::Other(name, kind));
    }
    let (storage, bytes, inline) = tagged.tag()?;
    let kind = match storage {
        1 => Kind::I8,
        2 => Kind::U8,
        3 => Kind::I16,
        4 => Kind::U16,
        5 => Kind::I32,
        6 => Kind::U32,
        7 => Kind::F32,
        9 => Kind::F64,
        12 => Kind::I64,
        13 => Kind::U64,
        other => {
            return Err(FormatError::header(place, format!("'{name}' is stored as type {other}")));
        }
    };
    let layout =
        Layout { dtype: Dtype { kind, big_endian: tagged.big_endian }, fortran: true, shape };
    let available = u64::from(bytes).min(length.saturating_sub(if inline { 4 } else { 0 }));
    layout.verify(available, true, Limits { bytes: u64::MAX }, &format!("{place}[{name}]"))?;
    Ok(Content::Numbers(name, layout))
}

/// A stream of elements.
struct Tagged<'a, R> {
    reader: &'a mut R,
    big_endian: bool,
    place: &'a str,
}

impl<R: Read> Tagged<'_, R> {
    fn number(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    fn word(&mut self) -> Result<u32, FormatError> {
        let mut bytes = [0; 4];
        self.reader
            .read_exact(&mut bytes)
            .map_err(|source| FormatError::read(self.place, source))?;
        Ok(self.number(bytes))
    }

    /// Reads the type and the length of an element, and whether its data are inside the tag.
    fn tag(&mut self) -> Result<(u32, u32, bool), FormatError> {
        let word = self.word()?;
        match word >> 16 {
            0 => Ok((word, self.word()?, false)),
            length if length <= 4 => Ok((word & 0xffff, length, true)),
            length => {
                Err(FormatError::header(self.place, format!("a short element has {length} bytes")))
            }
        }
    }

    /// Reads the data of an element that must be short, without padding.
    fn small(&mut self, most: u32) -> Result<(u32, Vec<u8>), FormatError> {
        let (kind, length, inline) = self.tag()?;
        if length > most {
            return Err(FormatError::header(
                self.place,
                format!("an element has {length} bytes, above {most}"),
            ));
        }
        let padded = if inline { 4 } else { length.next_multiple_of(8) };
        let mut bytes = vec![0; padded as usize];
        self.reader
            .read_exact(&mut bytes)
            .map_err(|source| FormatError::read(self.place, source))?;
        bytes.truncate(length as usize);
        Ok((kind, bytes))
    }
}
