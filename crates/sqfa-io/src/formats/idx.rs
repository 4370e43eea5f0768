//! The IDX format of MNIST, with or without gzip compression.
//!
//! A file contains two zero bytes, a type, the number of axes, the lengths as big-endian 32-bit
//! integers, and the data.

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use super::array::product;
use super::decode::{Layout, read_array};
use super::dtype::{Dtype, Kind};
use super::rows::{ArrayRows, Rows};
use super::source::{FileSource, expect_end, open, place_of};
use super::{Array, AtomicFile, FormatError, Limits};

/// Reads an array from an IDX file.
///
/// # Errors
///
/// If the file cannot be read, is damaged, or exceeds the limits.
pub fn read_idx(path: &Path, limits: Limits) -> Result<Array, FormatError> {
    let place = place_of(path);
    let mut source = open(path)?;
    let layout = verified(&mut source, limits, &place)?;
    let declared = product(&layout.shape).unwrap_or(0) * layout.dtype.width();
    let array = read_array(&mut source.reader, layout, &place)?;
    expect_end(&mut source.reader, declared as u64, &place)?;
    Ok(array)
}

/// Returns a reader of the rows of an array in an IDX file.
///
/// # Errors
///
/// If the file cannot be read or its header is invalid.
pub fn idx_rows(path: &Path, limits: Limits) -> Result<ArrayRows, FormatError> {
    let place = place_of(path);
    let mut source = open(path)?;
    let layout = verified(&mut source, Limits { bytes: u64::MAX }, &place)?;
    ArrayRows::new(layout, Rows::Stream(source.reader), limits, &place)
}

/// Reads the header and compares it with the number of bytes in the file.
fn verified(source: &mut FileSource, limits: Limits, place: &str) -> Result<Layout, FormatError> {
    let fail = |source| FormatError::read(place, source);
    let mut start = [0u8; 4];
    source.reader.read_exact(&mut start).map_err(fail)?;
    let kind = match start {
        [0, 0, 0x08, _] => Kind::U8,
        [0, 0, 0x09, _] => Kind::I8,
        [0, 0, 0x0b, _] => Kind::I16,
        [0, 0, 0x0c, _] => Kind::I32,
        [0, 0, 0x0d, _] => Kind::F32,
        [0, 0, 0x0e, _] => Kind::F64,
        _ => {
            return Err(FormatError::Magic {
                place: place.to_owned(),
                format: "an IDX file",
                remedy: "expected two zero bytes and a type between 8 and 14",
            });
        }
    };
    let axes = usize::from(start[3]);
    let mut lengths = vec![0u8; 4 * axes];
    source.reader.read_exact(&mut lengths).map_err(fail)?;
    let (lengths, _) = lengths.as_chunks::<4>();
    let shape = lengths.iter().map(|&bytes| u32::from_be_bytes(bytes) as usize).collect();
    let layout = Layout { dtype: Dtype { kind, big_endian: true }, fortran: false, shape };
    let available = source.available.saturating_sub(4 + 4 * axes as u64);
    layout.verify(available, source.exact, limits, place)?;
    Ok(layout)
}

/// Writes an uncompressed IDX file of bytes. The file is replaced only when it is complete.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_idx_u8(path: &Path, shape: &[usize], values: &[u8]) -> Result<(), FormatError> {
    let place = place_of(path);
    let lengths: Option<Vec<u32>> =
        shape.iter().map(|&length| u32::try_from(length).ok()).collect();
    let (Some(lengths), true, Ok(axes)) =
        (lengths, product(shape) == Some(values.len()), u8::try_from(shape.len()))
    else {
        let expected = format!("a shape of {} elements, each length 32 bits", values.len());
        return Err(FormatError::shape(&place, shape, expected));
    };
    let mut writer = BufWriter::new(AtomicFile::create(path)?);
    let mut write = || {
        writer.write_all(&[0, 0, 0x08, axes])?;
        for length in &lengths {
            writer.write_all(&length.to_be_bytes())?;
        }
        writer.write_all(values)
    };
    write().map_err(|source| FormatError::write(&place, source))?;
    let file = writer.into_inner();
    file.map_err(|error| FormatError::write(&place, error.into_error()))?.commit()
}
