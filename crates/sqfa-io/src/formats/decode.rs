//! Conversion of a byte stream to typed elements in C order. Data are converted in blocks, so the
//! array is never in memory twice.

use std::io::Read;

use super::array::product;
use super::dtype::{Dtype, Kind, half_to_f32, unicode, utf8};
use super::{Array, FormatError, Limits, Stack, Values};

/// The number of bytes that are read at once: large enough for few system calls and small enough
/// for the cache.
const BLOCK: usize = 64 << 10;

/// The element type, the shape and the order of the elements of an array in a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) dtype: Dtype,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
}

impl Layout {
    /// Compares the declared size with the number of available bytes and with the limit, before any
    /// allocation.
    ///
    /// `exact` is whether `available` is the exact number of bytes or only an upper bound.
    pub(crate) fn verify(
        &self,
        available: u64,
        exact: bool,
        limits: Limits,
        place: &str,
    ) -> Result<(), FormatError> {
        let count = self.shape.iter().fold(1u128, |count, &n| count.saturating_mul(n as u128));
        let declared = count.saturating_mul(self.dtype.width() as u128);
        let available_wide = u128::from(available);
        if declared > available_wide || (exact && declared != available_wide) {
            return Err(FormatError::Size { place: place.to_owned(), declared, available });
        }
        let needed = count.saturating_mul(self.dtype.width_in_memory() as u128);
        if needed > u128::from(limits.bytes) {
            let limit = limits.bytes;
            return Err(FormatError::Limit { place: place.to_owned(), needed, limit });
        }
        Ok(())
    }

    fn count(&self, place: &str) -> Result<usize, FormatError> {
        product(&self.shape)
            .ok_or_else(|| FormatError::header(place, "its shape has too many elements"))
    }
}

/// Calls a generic reader with the parser for the element type.
macro_rules! by_kind {
    ($layout:expr, $read:expr, $u8:expr, $f32:expr, $f64:expr, $i64:expr, $text:expr) => {
        match $layout.dtype.kind {
            Kind::Bool => $u8($read(|b: &[u8]| (b[0] <= 1).then_some(b[0]))?),
            Kind::U8 => $u8($read(|b: &[u8]| Some(b[0]))?),
            Kind::F16 => $f32($read(|b: &[u8]| Some(half_to_f32(u16::from_le_bytes(fixed(b)?))))?),
            Kind::F32 => $f32($read(|b: &[u8]| Some(f32::from_le_bytes(fixed(b)?)))?),
            Kind::F64 => $f64($read(|b: &[u8]| Some(f64::from_le_bytes(fixed(b)?)))?),
            Kind::I8 => $i64($read(|b: &[u8]| Some(i64::from(i8::from_le_bytes(fixed(b)?))))?),
            Kind::I16 => $i64($read(|b: &[u8]| Some(i64::from(i16::from_le_bytes(fixed(b)?))))?),
            Kind::U16 => $i64($read(|b: &[u8]| Some(i64::from(u16::from_le_bytes(fixed(b)?))))?),
            Kind::I32 => $i64($read(|b: &[u8]| Some(i64::from(i32::from_le_bytes(fixed(b)?))))?),
            Kind::U32 => $i64($read(|b: &[u8]| Some(i64::from(u32::from_le_bytes(fixed(b)?))))?),
            Kind::I64 => $i64($read(|b: &[u8]| Some(i64::from_le_bytes(fixed(b)?)))?),
            Kind::U64 => $i64($read(|b: &[u8]| i64::try_from(u64::from_le_bytes(fixed(b)?)).ok())?),
            Kind::Unicode(_) | Kind::Bytes(_) => $text,
        }
    };
}

/// Reads all elements of a layout that was verified.
pub(crate) fn read_array(
    reader: &mut impl Read,
    layout: Layout,
    place: &str,
) -> Result<Array, FormatError> {
    let mut source = Source { reader, layout: &layout, place };
    let values = by_kind!(
        layout,
        |parse| source.gather(parse),
        Values::U8,
        Values::F32,
        Values::F64,
        Values::I64,
        Values::Text(match layout.dtype.kind {
            Kind::Unicode(_) => source.gather(unicode)?,
            _ => source.gather(utf8)?,
        })
    );
    Array::new(layout.shape, values)
}

/// Reads all elements of a layout that was verified, with one floating-point buffer per index of
/// the first axis.
pub(crate) fn read_stack(
    reader: &mut impl Read,
    layout: Layout,
    limits: Limits,
    place: &str,
) -> Result<(Vec<usize>, Stack), FormatError> {
    if matches!(layout.dtype.kind, Kind::Bool | Kind::U8) {
        // The limit was compared with one byte per element, but here each becomes eight.
        layout.verify(u64::MAX, false, Limits { bytes: limits.bytes / 8 }, place)?;
    }
    if layout.shape.len() < 2 || layout.shape.contains(&0) {
        return Err(FormatError::shape(place, &layout.shape, "two or more axes, none empty"));
    }
    let mut source = Source { reader, layout: &layout, place };
    let stack = by_kind!(
        layout,
        |parse| source.gather_stack(parse),
        |parts| Stack::F64(widened(parts)),
        Stack::F32,
        Stack::F64,
        |parts: Vec<Vec<i64>>| Stack::F64(
            parts
                .into_iter()
                .map(|part| part.into_iter().map(|value| value as f64).collect())
                .collect()
        ),
        return Err(FormatError::Dtype {
            place: place.to_owned(),
            dtype: "text".to_owned(),
            remedy: "save matrices as float32 or float64",
        })
    );
    Ok((layout.shape, stack))
}

fn widened(parts: Vec<Vec<u8>>) -> Vec<Vec<f64>> {
    parts.into_iter().map(|part| part.into_iter().map(f64::from).collect()).collect()
}

fn fixed<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

struct Source<'a, R> {
    reader: &'a mut R,
    layout: &'a Layout,
    place: &'a str,
}

impl<R: Read> Source<'_, R> {
    fn gather<T: Clone + Default>(
        &mut self,
        parse: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<T>, FormatError> {
        let count = self.layout.count(self.place)?;
        let mut values = reserved(count, self.place)?;
        if count == 0 {
            // The other axes of an empty array may have any length, so strides along them could
            // overflow.
            return Ok(values);
        }
        if self.layout.fortran && self.layout.shape.len() > 1 {
            values.resize(count, T::default());
            let mut odometer = Odometer::new(&self.layout.shape);
            self.stream(count, parse, |block| {
                for value in block.drain(..) {
                    values[odometer.step()] = value;
                }
            })?;
        } else {
            self.stream(count, parse, |block| values.append(block))?;
        }
        Ok(values)
    }

    fn gather_stack<T: Clone + Default>(
        &mut self,
        parse: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<Vec<T>>, FormatError> {
        let count = self.layout.count(self.place)?;
        let parts_count = self.layout.shape[0];
        let each = count / parts_count;
        let mut parts: Vec<Vec<T>> = reserved(parts_count, self.place)?;
        for _ in 0..parts_count {
            parts.push(reserved(each, self.place)?);
        }
        if self.layout.fortran {
            for part in &mut parts {
                part.resize(each, T::default());
            }
            let mut odometer = Odometer::new(&self.layout.shape);
            self.stream(count, parse, |block| {
                for value in block.drain(..) {
                    let at = odometer.step();
                    parts[at / each][at % each] = value;
                }
            })?;
        } else {
            let mut at = 0;
            self.stream(count, parse, |block| {
                while !block.is_empty() {
                    let fitting = (each - parts[at].len()).min(block.len());
                    parts[at].extend(block.drain(..fitting));
                    at += usize::from(parts[at].len() == each);
                }
            })?;
        }
        Ok(parts)
    }

    /// Parses `count` elements in the order of the file and passes them on in blocks.
    fn stream<T>(
        &mut self,
        count: usize,
        parse: impl Fn(&[u8]) -> Option<T>,
        mut sink: impl FnMut(&mut Vec<T>),
    ) -> Result<(), FormatError> {
        let dtype = self.layout.dtype;
        let (width, swap) = (dtype.width(), dtype.swap_width());
        let per_block = (BLOCK / width).max(1).min(count);
        let mut bytes = vec![0u8; per_block * width];
        let mut block = Vec::with_capacity(per_block);
        let mut done = 0;
        while done < count {
            let now = per_block.min(count - done);
            let bytes = &mut bytes[..now * width];
            self.reader
                .read_exact(bytes)
                .map_err(|source| FormatError::read(self.place, source))?;
            if dtype.big_endian && swap > 1 {
                bytes.chunks_exact_mut(swap).for_each(<[u8]>::reverse);
            }
            block.clear();
            for (index, element) in bytes.chunks_exact(width).enumerate() {
                block.push(parse(element).ok_or_else(|| FormatError::Element {
                    place: self.place.to_owned(),
                    index: done + index,
                    problem: "outside what its type can hold",
                })?);
            }
            sink(&mut block);
            done += now;
        }
        Ok(())
    }
}

fn reserved<T>(count: usize, place: &str) -> Result<Vec<T>, FormatError> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| FormatError::Memory {
        place: place.to_owned(),
        bytes: count as u128 * size_of::<T>() as u128,
    })?;
    Ok(values)
}

/// A counter of C-order positions for elements in Fortran order.
struct Odometer {
    shape: Vec<usize>,
    strides: Vec<usize>,
    index: Vec<usize>,
    at: usize,
}

impl Odometer {
    fn new(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (0..shape.len().saturating_sub(1)).rev() {
            strides[axis] = strides[axis + 1] * shape[axis + 1];
        }
        Self { shape: shape.to_vec(), strides, index: vec![0; shape.len()], at: 0 }
    }

    /// Returns the position of the next element.
    fn step(&mut self) -> usize {
        let now = self.at;
        for axis in 0..self.shape.len() {
            self.index[axis] += 1;
            self.at += self.strides[axis];
            if self.index[axis] < self.shape[axis] {
                break;
            }
            self.at -= self.shape[axis] * self.strides[axis];
            self.index[axis] = 0;
        }
        now
    }
}
