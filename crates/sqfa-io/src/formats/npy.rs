//! NumPy arrays in `.npy` files, versions 1 to 3.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use super::array::product;
use super::crash::Input;
use super::decode::{Layout, read_array, read_stack};
use super::header::{read_header, write_header};
use super::rows::{ArrayRows, Rows};
use super::source::{expect_end, place_of};
use super::{Array, AtomicFile, FormatError, Limits, Stack, ValuesRef};

/// Reads an array from a file.
///
/// # Errors
///
/// If the file cannot be read, is damaged, or exceeds the limits.
pub fn read_npy(path: &Path, limits: Limits) -> Result<Array, FormatError> {
    let (mut reader, available, place) = open(path)?;
    let layout = verified(&mut reader, available, true, limits, &place)?;
    read_array(&mut reader, layout, &place)
}

/// Returns a reader of the rows of an array in a file.
///
/// # Errors
///
/// If the file cannot be read or its header is invalid.
pub fn npy_rows(path: &Path, limits: Limits) -> Result<ArrayRows, FormatError> {
    let (mut reader, available, place) = open(path)?;
    let (layout, taken) = read_header(&mut reader, &place)?;
    layout.verify(available.saturating_sub(taken), true, Limits { bytes: u64::MAX }, &place)?;
    let source = if layout.fortran && layout.shape.len() > 1 {
        Rows::Columns(reader, taken)
    } else {
        Rows::Stream(Box::new(reader))
    };
    ArrayRows::new(layout, source, limits, &place)
}

/// Reads an array divided along its first axis, such as one covariance per class, without a second
/// copy in memory.
///
/// Returns the shape of the whole array and the parts. Integers are converted to double precision.
///
/// # Errors
///
/// If the file cannot be read, is damaged, or exceeds the limits.
pub fn read_npy_stack(path: &Path, limits: Limits) -> Result<(Vec<usize>, Stack), FormatError> {
    let (mut reader, available, place) = open(path)?;
    let layout = verified(&mut reader, available, true, limits, &place)?;
    read_stack(&mut reader, layout, limits, &place)
}

/// Writes an array. The file is replaced only when it is complete.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_npy<'a>(
    path: &Path,
    shape: &[usize],
    values: impl Into<ValuesRef<'a>>,
) -> Result<(), FormatError> {
    let place = place_of(path);
    let mut writer = BufWriter::new(AtomicFile::create(path)?);
    write_array(&mut writer, shape, values.into(), &place)?;
    let file = writer.into_inner();
    file.map_err(|error| FormatError::write(&place, error.into_error()))?.commit()
}

fn open(path: &Path) -> Result<(BufReader<Input>, u64, String), FormatError> {
    let place = place_of(path);
    let fail = |source| FormatError::Io { place: place.clone(), action: "open", source };
    let file = Input::open(path).map_err(fail)?;
    let available = file.metadata().map_err(fail)?.len();
    Ok((BufReader::with_capacity(64 << 10, file), available, place))
}

/// Reads a header and compares it with the number of available bytes, including the header.
pub(crate) fn verified(
    reader: &mut impl Read,
    available: u64,
    exact: bool,
    limits: Limits,
    place: &str,
) -> Result<Layout, FormatError> {
    let (layout, taken) = read_header(reader, place)?;
    layout.verify(available.saturating_sub(taken), exact, limits, place)?;
    Ok(layout)
}

/// Reads an array that must end at the end of the stream.
pub(crate) fn read_member(
    reader: &mut impl Read,
    layout: Layout,
    size: u64,
    place: &str,
) -> Result<Array, FormatError> {
    let array = read_array(reader, layout, place)?;
    expect_end(reader, size, place)?;
    Ok(array)
}

/// Writes a header and elements to a stream.
pub(crate) fn write_array(
    writer: &mut impl Write,
    shape: &[usize],
    values: ValuesRef<'_>,
    place: &str,
) -> Result<(), FormatError> {
    if product(shape) != Some(values.len()) {
        let expected = format!("a shape of {} elements", values.len());
        return Err(FormatError::shape(place, shape, expected));
    }
    write_elements(writer, shape, values).map_err(|source| FormatError::write(place, source))
}

fn write_elements(
    writer: &mut impl Write,
    shape: &[usize],
    values: ValuesRef<'_>,
) -> io::Result<()> {
    match values {
        ValuesRef::U8(values) => {
            write_header(writer, "|u1", shape)?;
            writer.write_all(values)
        }
        ValuesRef::F32(values) => {
            write_header(writer, "<f4", shape)?;
            write_blocks(writer, values, |value| value.to_le_bytes())
        }
        ValuesRef::F64(values) => {
            write_header(writer, "<f8", shape)?;
            write_blocks(writer, values, |value| value.to_le_bytes())
        }
        ValuesRef::I64(values) => {
            write_header(writer, "<i8", shape)?;
            write_blocks(writer, values, |value| value.to_le_bytes())
        }
        ValuesRef::Text(values) => {
            let width = values.iter().map(|text| text.chars().count()).max().unwrap_or(1).max(1);
            write_header(writer, &format!("<U{width}"), shape)?;
            for text in values {
                let codes = text.chars().map(u32::from).chain(std::iter::repeat(0));
                for code in codes.take(width) {
                    writer.write_all(&code.to_le_bytes())?;
                }
            }
            Ok(())
        }
    }
}

fn write_blocks<T: Copy, const N: usize>(
    writer: &mut impl Write,
    values: &[T],
    bytes_of: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(8192 * N);
    for block in values.chunks(8192) {
        bytes.clear();
        bytes.extend(block.iter().flat_map(|&value| bytes_of(value)));
        writer.write_all(&bytes)?;
    }
    Ok(())
}
