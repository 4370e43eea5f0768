//! Samples that own their values, in the type in which they were read.

use sqfa::points::ShrinkingPoints;
use sqfa::{Points, Table};

use super::DataError;
use crate::formats::{Array, Values};

/// A table of numbers in row-major order, with one sample per row.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedPoints {
    rows: usize,
    columns: usize,
    values: Numbers,
}

#[derive(Debug, Clone, PartialEq)]
enum Numbers {
    U8(Vec<u8>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Numbers {
    fn doubles(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::U8(values) => Box::new(values.iter().map(|&value| f64::from(value))),
            Self::F32(values) => Box::new(values.iter().map(|&value| f64::from(value))),
            Self::F64(values) => Box::new(values.iter().copied()),
        }
    }
}

impl OwnedPoints {
    /// Returns samples of bytes, or `None` if there are not `rows × columns` values.
    pub fn from_u8(values: Vec<u8>, rows: usize, columns: usize) -> Option<Self> {
        fits(values.len(), rows, columns).then_some(Self {
            rows,
            columns,
            values: Numbers::U8(values),
        })
    }

    /// Returns samples in single precision, or `None` if there are not `rows × columns` values.
    pub fn from_f32(values: Vec<f32>, rows: usize, columns: usize) -> Option<Self> {
        fits(values.len(), rows, columns).then_some(Self {
            rows,
            columns,
            values: Numbers::F32(values),
        })
    }

    /// Returns samples in double precision, or `None` if there are not `rows × columns` values.
    pub fn from_f64(values: Vec<f64>, rows: usize, columns: usize) -> Option<Self> {
        fits(values.len(), rows, columns).then_some(Self {
            rows,
            columns,
            values: Numbers::F64(values),
        })
    }

    /// Returns the samples of an array with one sample per index of the first axis. With three
    /// axes, the height and width of images are returned as well.
    ///
    /// A last axis of length 1 (one color) is ignored.
    ///
    /// # Errors
    ///
    /// If the array is empty, has fewer than two axes, or is not numeric.
    pub fn from_array(
        array: Array,
        place: &str,
    ) -> Result<(Self, Option<(usize, usize)>), DataError> {
        let (shape, values) = array.into_parts();
        if shape.len() < 2 || shape.contains(&0) {
            let problem = format!("samples of shape {shape:?}; expected (samples, columns …)");
            return Err(DataError::content(place, problem));
        }
        let rows = shape[0];
        let columns = values.len() / rows;
        let image = match shape[1..] {
            [height, width] | [height, width, 1] => Some((height, width)),
            _ => None,
        };
        let values = match values {
            Values::U8(values) => Numbers::U8(values),
            Values::F32(values) => Numbers::F32(values),
            Values::F64(values) => Numbers::F64(values),
            Values::I64(values) => {
                Numbers::F64(values.into_iter().map(|value| value as f64).collect())
            }
            Values::Text(_) => {
                return Err(DataError::content(place, "the samples are text; expected numbers"));
            }
        };
        Ok((Self { rows, columns, values }, image))
    }

    /// Returns a table without samples, as a placeholder while others are moved.
    pub fn none() -> Self {
        Self { rows: 0, columns: 0, values: Numbers::F64(Vec::new()) }
    }

    /// Returns samples in which NaN is replaced by the value for its column.
    pub fn filled(self, columns: &[f64]) -> Self {
        let width = self.columns.max(1);
        let values = match self.values {
            Numbers::U8(values) => Numbers::U8(values),
            Numbers::F32(mut values) => {
                let cells = values.iter_mut().enumerate().filter(|(_, value)| value.is_nan());
                cells.for_each(|(at, value)| *value = columns[at % width] as f32);
                Numbers::F32(values)
            }
            Numbers::F64(mut values) => {
                let cells = values.iter_mut().enumerate().filter(|(_, value)| value.is_nan());
                cells.for_each(|(at, value)| *value = columns[at % width]);
                Numbers::F64(values)
            }
        };
        Self { values, ..self }
    }

    /// Appends samples with the same number of columns. If the types differ, the wider one is used.
    pub(super) fn append(&mut self, more: Self) {
        debug_assert_eq!(self.columns, more.columns);
        self.rows += more.rows;
        let mine = std::mem::replace(&mut self.values, Numbers::F64(Vec::new()));
        self.values = match (mine, more.values) {
            (Numbers::U8(mut mine), Numbers::U8(more)) => {
                mine.extend_from_slice(&more);
                Numbers::U8(mine)
            }
            (Numbers::F64(mut mine), Numbers::F64(more)) => {
                mine.extend_from_slice(&more);
                Numbers::F64(mine)
            }
            (Numbers::F64(mut mine), more) => {
                mine.extend(more.doubles());
                Numbers::F64(mine)
            }
            (Numbers::F32(mut mine), Numbers::F32(more)) => {
                mine.extend_from_slice(&more);
                Numbers::F32(mine)
            }
            (mine, more) => Numbers::F64(mine.doubles().chain(more.doubles()).collect()),
        };
    }

    /// Returns the number of samples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns a view of the samples for the core, without a copy.
    pub fn view(&self) -> Points<'_> {
        let (rows, columns) = (self.rows, self.columns);
        // The constructors checked the lengths, so the view cannot fail.
        match &self.values {
            Numbers::U8(values) => table(values, rows, columns).into(),
            Numbers::F32(values) => table(values, rows, columns).into(),
            Numbers::F64(values) => table(values, rows, columns).into(),
        }
    }
}

impl ShrinkingPoints for OwnedPoints {
    fn view(&self) -> Points<'_> {
        Self::view(self)
    }

    fn swap_rows(&mut self, one: usize, other: usize) {
        match &mut self.values {
            Numbers::U8(values) => swap(values, self.columns, one, other),
            Numbers::F32(values) => swap(values, self.columns, one, other),
            Numbers::F64(values) => swap(values, self.columns, one, other),
        }
    }

    fn keep_rows(&mut self, rows: usize) {
        self.rows = self.rows.min(rows);
        let length = self.rows * self.columns;
        match &mut self.values {
            Numbers::U8(values) => keep(values, length),
            Numbers::F32(values) => keep(values, length),
            Numbers::F64(values) => keep(values, length),
        }
    }
}

/// Swaps two rows.
fn swap<T>(values: &mut [T], columns: usize, one: usize, other: usize) {
    let (first, second) = (one.min(other), one.max(other));
    if first < second {
        let (low, high) = values.split_at_mut(second * columns);
        low[first * columns..][..columns].swap_with_slice(&mut high[..columns]);
    }
}

/// Truncates a vector and frees the remaining memory.
fn keep<T>(values: &mut Vec<T>, length: usize) {
    values.truncate(length);
    values.shrink_to_fit();
}

fn fits(length: usize, rows: usize, columns: usize) -> bool {
    rows.checked_mul(columns) == Some(length)
}

fn table<T: Copy>(values: &[T], rows: usize, columns: usize) -> Table<'_, T> {
    Table::row_major(values, rows, columns).expect("constructors check the number of values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_change_places_and_go() {
        let mut points = OwnedPoints::from_u8((0..12).collect(), 4, 3).unwrap();
        points.swap_rows(3, 1);
        points.swap_rows(2, 2);
        let expected = vec![0, 1, 2, 9, 10, 11, 6, 7, 8, 3, 4, 5];
        assert_eq!(points, OwnedPoints::from_u8(expected.clone(), 4, 3).unwrap());
        points.keep_rows(2);
        assert_eq!(points, OwnedPoints::from_u8(expected[..6].to_vec(), 2, 3).unwrap());
        points.keep_rows(5);
        assert_eq!((points.rows(), ShrinkingPoints::view(&points).rows()), (2, 2));
    }
}
