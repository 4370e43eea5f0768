//! Readers of the rows of an array, from a stream or from positions in a file, without the whole
//! array in memory.
//!
//! Rows of an array in C order are consecutive in the stream. In Fortran order every column is
//! contiguous in the file, and a batch of rows needs one short read per column. Every byte is read
//! and converted once.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::array::product;
use super::crash::Input;
use super::decode::{Layout, read_array};
use super::dtype::{Dtype, Kind, half_to_f32};
use super::source::expect_end;
use super::{Array, FormatError, Limits, Values};

/// The number of bytes that are converted at once.
const BLOCK: usize = 64 << 10;

/// The source of the rows.
pub(crate) enum Rows {
    /// A stream of consecutive rows.
    Stream(Box<dyn Read + Send>),
    /// A file with an array in Fortran order, and the position of its first column.
    Columns(BufReader<Input>, u64),
}

/// A reader of the rows of an array along its first axis.
pub struct ArrayRows {
    place: String,
    layout: Layout,
    rows: usize,
    width: usize,
    next: usize,
    source: Rows,
}

impl std::fmt::Debug for ArrayRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrayRows")
            .field("place", &self.place)
            .field("layout", &self.layout)
            .finish()
    }
}

impl ArrayRows {
    /// Creates a reader for a layout that was verified. `limits` applies to data that must be in
    /// memory as a whole.
    pub(crate) fn new(
        layout: Layout,
        source: Rows,
        limits: Limits,
        place: &str,
    ) -> Result<Self, FormatError> {
        if layout.shape.len() < 2 || layout.shape.contains(&0) {
            let expected = "two or more axes, none empty, the first of which counts samples";
            return Err(FormatError::shape(place, &layout.shape, expected));
        }
        if matches!(layout.dtype.kind, Kind::Unicode(_) | Kind::Bytes(_)) {
            return Err(FormatError::Dtype {
                place: place.to_owned(),
                dtype: "text".to_owned(),
                remedy: "samples must be numbers",
            });
        }
        let rows = layout.shape[0];
        let count = product(&layout.shape)
            .ok_or_else(|| FormatError::header(place, "its shape has too many elements"))?;
        let place = place.to_owned();
        let width = count / rows;
        match source {
            // In a stream in Fortran order, rows are complete only at the end.
            Rows::Stream(mut reader) if layout.fortran && (layout.shape.len() > 2 || width > 1) => {
                layout.verify(u64::MAX, false, limits, &place)?;
                let (shape, dtype) = (layout.shape.clone(), layout.dtype);
                let array = read_array(&mut reader, layout, &place)?;
                Self::in_memory(array, Layout { dtype, fortran: false, shape }, rows, width, place)
            }
            source => Ok(Self { place, layout, rows, width, next: 0, source }),
        }
    }

    fn in_memory(
        array: Array,
        layout: Layout,
        rows: usize,
        width: usize,
        place: String,
    ) -> Result<Self, FormatError> {
        let (_, values) = array.into_parts();
        let (kind, bytes): (Kind, Vec<u8>) = match values {
            Values::U8(values) => (Kind::U8, values),
            Values::F32(values) => {
                (Kind::F32, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            Values::F64(values) => {
                (Kind::F64, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            Values::I64(values) => {
                (Kind::I64, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            Values::Text(_) => return Err(FormatError::header(&place, "samples must be numbers")),
        };
        let layout = Layout { dtype: Dtype { kind, big_endian: false }, ..layout };
        let source = Rows::Stream(Box::new(std::io::Cursor::new(bytes)));
        Ok(Self { place, layout, rows, width, next: 0, source })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of values per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the shape of the array.
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Returns the values of up to `count` further rows in row-major order, or `None` after the
    /// last row. Integers are converted to double precision.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged.
    pub fn next_rows(&mut self, count: usize) -> Result<Option<(usize, Values)>, FormatError> {
        let now = count.max(1).min(self.rows - self.next);
        if now == 0 {
            return Ok(None);
        }
        let values = self.layout.dtype.kind;
        let values = match values {
            Kind::Bool | Kind::U8 => Values::U8(self.gather(now, |b: [u8; 1]| b[0])?),
            Kind::F16 => Values::F32(self.gather(now, |b| half_to_f32(u16::from_le_bytes(b)))?),
            Kind::F32 => Values::F32(self.gather(now, f32::from_le_bytes)?),
            Kind::F64 => Values::F64(self.gather(now, f64::from_le_bytes)?),
            Kind::I8 => Values::F64(self.gather(now, |b| f64::from(i8::from_le_bytes(b)))?),
            Kind::I16 => Values::F64(self.gather(now, |b| f64::from(i16::from_le_bytes(b)))?),
            Kind::U16 => Values::F64(self.gather(now, |b| f64::from(u16::from_le_bytes(b)))?),
            Kind::I32 => Values::F64(self.gather(now, |b| f64::from(i32::from_le_bytes(b)))?),
            Kind::U32 => Values::F64(self.gather(now, |b| f64::from(u32::from_le_bytes(b)))?),
            Kind::I64 => Values::F64(self.gather(now, |b| i64::from_le_bytes(b) as f64)?),
            Kind::U64 => Values::F64(self.gather(now, |b| u64::from_le_bytes(b) as f64)?),
            Kind::Unicode(_) | Kind::Bytes(_) => {
                return Err(FormatError::header(&self.place, "samples must be numbers"));
            }
        };
        self.next += now;
        if self.next == self.rows
            && let Rows::Stream(reader) = &mut self.source
        {
            // Reading to the end also verifies checksums.
            let declared = self.rows as u64 * self.width as u64 * self.layout.dtype.width() as u64;
            expect_end(reader, declared, &self.place)?;
        }
        Ok(Some((now, values)))
    }

    fn gather<T: Copy + Default, const N: usize>(
        &mut self,
        rows: usize,
        parse: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, FormatError> {
        let count = rows * self.width;
        let big_endian = self.layout.dtype.big_endian;
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(count).map_err(|_| FormatError::Memory {
            place: self.place.clone(),
            bytes: count as u128 * size_of::<T>() as u128,
        })?;
        let mut bytes = vec![0u8; BLOCK.min(count * N)];
        let place = &self.place;
        let fail = |source| FormatError::read(place, source);
        match &mut self.source {
            Rows::Stream(reader) => {
                while values.len() < count {
                    let now = (BLOCK / N).min(count - values.len()) * N;
                    reader.read_exact(&mut bytes[..now]).map_err(fail)?;
                    let elements = in_order::<N>(&mut bytes[..now], big_endian);
                    values.extend(elements.iter().map(|element| parse(*element)));
                }
            }
            Rows::Columns(file, first) => {
                values.resize(count, T::default());
                let (width, all) = (self.width, self.rows as u64);
                let strides = column_places(&self.layout.shape);
                for column in 0..width {
                    let start = *first + (column as u64 * all + self.next as u64) * N as u64;
                    file.seek(SeekFrom::Start(start)).map_err(fail)?;
                    let target = place_in_row(column, &self.layout.shape, &strides);
                    let mut row = 0;
                    while row < rows {
                        let now = (BLOCK / N).min(rows - row) * N;
                        let part = &mut bytes[..now.min(BLOCK)];
                        file.read_exact(part).map_err(fail)?;
                        for element in in_order::<N>(part, big_endian) {
                            values[row * width + target] = parse(*element);
                            row += 1;
                        }
                    }
                }
            }
        }
        Ok(values)
    }
}

/// Reverses the bytes of each element if they are big-endian, and returns the elements.
fn in_order<const N: usize>(bytes: &mut [u8], big_endian: bool) -> &[[u8; N]] {
    if big_endian && N > 1 {
        bytes.chunks_exact_mut(N).for_each(<[u8]>::reverse);
    }
    bytes.as_chunks::<N>().0
}

/// Returns the C-order strides of all axes except for the first.
fn column_places(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1] * shape[axis + 1];
    }
    strides
}

/// Returns the position in a C-order row of a column that is counted in Fortran order.
fn place_in_row(mut column: usize, shape: &[usize], strides: &[usize]) -> usize {
    let mut place = 0;
    for axis in 1..shape.len() {
        place += column % shape[axis] * strides[axis];
        column /= shape[axis];
    }
    place
}
