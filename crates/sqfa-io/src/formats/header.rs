//! The header of npy files: a signature, a version, and a Python dictionary with three keys.

use std::io::{Read, Write};

use super::FormatError;
use super::decode::Layout;
use super::dtype::Dtype;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The largest length of a header. NumPy rejects headers above 10 000 bytes by default, and plain
/// arrays need 128 bytes.
const LONGEST_HEADER: usize = 64 << 10;
/// The largest number of dimensions, as in NumPy.
const MOST_DIMENSIONS: usize = 64;
/// The alignment of the data: the header is padded so that its length is a multiple of this number.
const ALIGNMENT: usize = 64;

/// Reads a header. Returns the layout and the length of the header in bytes.
pub(crate) fn read_header(
    reader: &mut impl Read,
    place: &str,
) -> Result<(Layout, u64), FormatError> {
    let mut start = [0u8; 8];
    let not_npy = || FormatError::Magic {
        place: place.to_owned(),
        format: "an npy array",
        remedy: "write it with numpy.save or numpy.savez",
    };
    let got = read_up_to(reader, &mut start, place)?;
    if got < start.len() || &start[..6] != MAGIC {
        return Err(not_npy());
    }
    let (length, taken) = match start[6] {
        1 => {
            let mut bytes = [0u8; 2];
            read_exactly(reader, &mut bytes, place)?;
            (usize::from(u16::from_le_bytes(bytes)), 10)
        }
        2 | 3 => {
            let mut bytes = [0u8; 4];
            read_exactly(reader, &mut bytes, place)?;
            (u32::from_le_bytes(bytes) as usize, 12)
        }
        version => {
            return Err(FormatError::header(place, format!("npy version {version} is unknown")));
        }
    };
    if length > LONGEST_HEADER {
        let problem = format!("it is {length} bytes long, above {LONGEST_HEADER}");
        return Err(FormatError::header(place, problem));
    }
    let mut bytes = vec![0u8; length];
    read_exactly(reader, &mut bytes, place)?;
    let text = String::from_utf8_lossy(&bytes);
    let layout = Parser { rest: text.trim_end(), place }.dictionary()?;
    Ok((layout, taken + length as u64))
}

/// Writes a header for elements of a type in C order.
pub(crate) fn write_header(
    writer: &mut impl Write,
    descr: &str,
    shape: &[usize],
) -> std::io::Result<()> {
    let lengths: String = shape.iter().map(|length| format!("{length},")).collect();
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    writer.write_all(MAGIC)?;
    writer.write_all(&[1, 0])?;
    // The text has at most 64 lengths of 20 digits, far below the 65 535 bytes that version 1
    // allows.
    writer.write_all(&(text.len() as u16).to_le_bytes())?;
    writer.write_all(text.as_bytes())
}

fn read_exactly(reader: &mut impl Read, bytes: &mut [u8], place: &str) -> Result<(), FormatError> {
    reader.read_exact(bytes).map_err(|source| FormatError::read(place, source))
}

fn read_up_to(reader: &mut impl Read, bytes: &mut [u8], place: &str) -> Result<usize, FormatError> {
    let mut taken = 0;
    while taken < bytes.len() {
        match reader.read(&mut bytes[taken..]) {
            Ok(0) => break,
            Ok(more) => taken += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(source) => return Err(FormatError::read(place, source)),
        }
    }
    Ok(taken)
}

/// A parser of the dictionary in npy headers, without recursion.
struct Parser<'a> {
    rest: &'a str,
    place: &'a str,
}

impl<'a> Parser<'a> {
    fn dictionary(mut self) -> Result<Layout, FormatError> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.string()?;
            self.expect(':')?;
            match key {
                "descr" => dtype = Some(self.dtype()?),
                "fortran_order" => fortran = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return Err(self.fail("it has a key other than descr, fortran_order, shape")),
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim().is_empty() {
            return Err(self.fail("something follows its dictionary"));
        }
        match (dtype, fortran, shape) {
            (Some(dtype), Some(fortran), Some(shape)) => Ok(Layout { dtype, fortran, shape }),
            _ => Err(self.fail("descr, fortran_order or shape is missing")),
        }
    }

    fn dtype(&mut self) -> Result<Dtype, FormatError> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return Err(FormatError::Dtype {
                place: self.place.to_owned(),
                dtype: "record".to_owned(),
                remedy: "save every field of a structured array as an array of its own",
            });
        }
        let text = self.string()?;
        Dtype::parse(text, self.place)
    }

    fn string(&mut self) -> Result<&'a str, FormatError> {
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|mark| matches!(mark, '\'' | '"'));
        let Some(quote) = quote else { return Err(self.fail("a quoted text is missing")) };
        let body = &self.rest[1..];
        let Some(end) = body.find(quote) else { return Err(self.fail("a quote is not closed")) };
        self.rest = &body[end + 1..];
        Ok(&body[..end])
    }

    fn boolean(&mut self) -> Result<bool, FormatError> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.fail("fortran_order is neither True nor False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, FormatError> {
        let mut lengths = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let length = self.rest[..digits].parse();
            lengths.push(length.map_err(|_| self.fail("a length in shape is not a number"))?);
            // Python 2 appended an L to long integers.
            self.rest = self.rest[digits..].trim_start_matches('L');
            if lengths.len() > MOST_DIMENSIONS {
                return Err(self.fail("shape has more than 64 dimensions"));
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(lengths)
    }

    fn take(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, mark: char) -> Result<(), FormatError> {
        if self.take(mark) { Ok(()) } else { Err(self.fail(&format!("'{mark}' is missing"))) }
    }

    fn fail(&self, problem: &str) -> FormatError {
        FormatError::header(self.place, problem)
    }
}
