//! Samples as borrowed rows of numbers, which are never copied as a whole.

/// Number types of data: `u8`, `f32` or `f64`.
pub trait Scalar: Copy + Send + Sync + 'static {
    /// Returns the value as `f32`. Exact for `u8` and `f32`.
    fn to_f32(self) -> f32;
    /// Returns the value as `f64`. Always exact.
    fn to_f64(self) -> f64;
}

impl Scalar for u8 {
    fn to_f32(self) -> f32 {
        f32::from(self)
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f32 {
    fn to_f32(self) -> f32 {
        self
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Scalar for f64 {
    fn to_f32(self) -> f32 {
        self as f32
    }
    fn to_f64(self) -> f64 {
        self
    }
}

/// A borrowed table of numbers with one sample per row and any strides.
///
/// ```
/// use sqfa::Table;
///
/// let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let table = Table::row_major(&values, 2, 3).expect("2 rows of 3 numbers");
/// assert_eq!(table.row(1), Some(&[4.0, 5.0, 6.0][..]));
///
/// // The same numbers in Fortran order: two rows, three columns.
/// let table = Table::column_major(&values, 2, 3).expect("3 columns of 2 numbers");
/// assert_eq!(table.get(1, 0), 2.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Table<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T: Copy> Table<'a, T> {
    /// Creates a table whose rows are contiguous, or returns `None` if `values` does not have `rows × columns` numbers.
    pub fn row_major(values: &'a [T], rows: usize, columns: usize) -> Option<Self> {
        Self::strided(values, rows, columns, columns, 1)
            .filter(|_| rows.checked_mul(columns) == Some(values.len()))
    }

    /// Creates a table whose columns are contiguous (Fortran order), or returns `None` if `values` does not have `rows
    /// × columns` numbers.
    pub fn column_major(values: &'a [T], rows: usize, columns: usize) -> Option<Self> {
        Self::strided(values, rows, columns, 1, rows)
            .filter(|_| rows.checked_mul(columns) == Some(values.len()))
    }

    /// Creates a table from the distances between adjacent rows and between adjacent columns, in numbers. Returns
    /// `None` if the last number lies outside `values`.
    pub fn strided(
        values: &'a [T],
        rows: usize,
        columns: usize,
        row_stride: usize,
        column_stride: usize,
    ) -> Option<Self> {
        if rows > 0 && columns > 0 {
            let last = (rows - 1)
                .checked_mul(row_stride)?
                .checked_add((columns - 1).checked_mul(column_stride)?)?;
            if last >= values.len() {
                return None;
            }
        }
        Some(Self { values, rows, columns, row_stride, column_stride })
    }

    /// Returns a range of consecutive rows. Rows beyond the last one are left out.
    pub fn rows_between(&self, rows: std::ops::Range<usize>) -> Self {
        let end = rows.end.min(self.rows);
        let start = rows.start.min(end);
        let first = if start == end { self.values.len() } else { start * self.row_stride };
        Self { values: &self.values[first..], rows: end - start, ..*self }
    }

    /// Returns the number of rows, that is, of samples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number in a row and a column.
    ///
    /// # Panics
    ///
    /// Panics if the position lies outside the table's values.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.values[row * self.row_stride + column * self.column_stride]
    }

    /// Returns a row as a slice, or `None` if its numbers are not contiguous.
    pub fn row(&self, row: usize) -> Option<&'a [T]> {
        (self.column_stride == 1)
            .then(|| &self.values[row * self.row_stride..row * self.row_stride + self.columns])
    }
}

impl<'a, T> Table<'a, T> {
    /// Returns some rows as one slice, or `None` if the rows are not consecutive or not contiguous.
    pub(crate) fn block(&self, rows: &[usize]) -> Option<&'a [T]> {
        let (first, last) = (*rows.first()?, *rows.last()?);
        let follow = rows.windows(2).all(|pair| pair[1] == pair[0] + 1);
        (follow && self.column_stride == 1 && self.row_stride == self.columns)
            .then(|| &self.values[first * self.columns..(last + 1) * self.columns])
    }

    /// Returns one column of some consecutive rows as a slice, or `None` if its numbers are not contiguous.
    pub(crate) fn column(&self, rows: std::ops::Range<usize>, column: usize) -> Option<&'a [T]> {
        let first = column * self.column_stride;
        (self.row_stride == 1).then(|| &self.values[first + rows.start..first + rows.end])
    }
}

/// Samples in any supported number type, borrowed. The core never copies all of them.
///
/// ```
/// use sqfa::{Points, Table};
///
/// let pixels = [0_u8, 128, 255, 64];
/// let samples = Points::from(Table::row_major(&pixels, 2, 2).expect("2 rows of 2 numbers"));
/// assert_eq!((samples.rows(), samples.columns()), (2, 2));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Points<'a> {
    /// Samples of bytes, such as pixels.
    U8(Table<'a, u8>),
    /// Samples in single precision.
    F32(Table<'a, f32>),
    /// Samples in double precision.
    F64(Table<'a, f64>),
}

/// Samples that own their numbers and can free the memory of the last ones.
pub trait ShrinkingPoints {
    /// Returns a view of the current samples.
    fn view(&self) -> Points<'_>;
    /// Swaps two samples.
    fn swap_rows(&mut self, one: usize, other: usize);
    /// Keeps the first `rows` samples and frees the others and their memory.
    fn keep_rows(&mut self, rows: usize);
}

impl<P: ShrinkingPoints + ?Sized> ShrinkingPoints for Box<P> {
    fn view(&self) -> Points<'_> {
        (**self).view()
    }

    fn swap_rows(&mut self, one: usize, other: usize) {
        (**self).swap_rows(one, other);
    }

    fn keep_rows(&mut self, rows: usize) {
        (**self).keep_rows(rows);
    }
}

/// Evaluates a generic expression for the table of some [`Points`](crate::Points), whatever its number type.
#[macro_export]
macro_rules! with_table {
    ($points:expr, $table:ident => $body:expr) => {
        match $points {
            $crate::Points::U8($table) => $body,
            $crate::Points::F32($table) => $body,
            $crate::Points::F64($table) => $body,
        }
    };
}

/// A column whose values cause numerical problems in their precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strained {
    /// Index of the column.
    pub column: usize,
    /// Kind of the problem.
    pub how: Strain,
}

/// A numerical problem of the values in a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strain {
    /// Values so large that sums of their squares would overflow.
    Overflow {
        /// The largest absolute value, with its sign.
        value: f64,
    },
    /// Values so close together that squares of their differences would underflow.
    Vanish {
        /// Difference between the largest and the smallest value.
        spread: f64,
        /// Whether other columns have a larger spread.
        alone: bool,
    },
    /// Values with a large offset, which leaves few digits for their differences.
    Digits {
        /// The smallest value.
        low: f64,
        /// Difference between the largest and the smallest value.
        spread: f64,
        /// Difference between the largest and the smallest value, in steps of the precision.
        steps: f64,
    },
}

impl Points<'_> {
    /// Returns the number of samples.
    pub fn rows(&self) -> usize {
        with_table!(self, table => table.rows())
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        with_table!(self, table => table.columns())
    }

    /// Returns the size in bytes of a number in covariances of these samples.
    pub fn width(&self) -> usize {
        match self {
            Self::U8(_) | Self::F32(_) => size_of::<f32>(),
            Self::F64(_) => size_of::<f64>(),
        }
    }

    /// Returns the memory that the numbers occupy, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let size = match self {
            Self::U8(_) => size_of::<u8>(),
            Self::F32(_) => size_of::<f32>(),
            Self::F64(_) => size_of::<f64>(),
        };
        self.rows() * self.columns() * size
    }

    /// Returns a range of consecutive samples. Rows beyond the last one are left out.
    pub fn rows_between(&self, rows: std::ops::Range<usize>) -> Self {
        match self {
            Self::U8(table) => Self::U8(table.rows_between(rows)),
            Self::F32(table) => Self::F32(table.rows_between(rows)),
            Self::F64(table) => Self::F64(table.rows_between(rows)),
        }
    }
}

impl<'a> From<Table<'a, u8>> for Points<'a> {
    fn from(table: Table<'a, u8>) -> Self {
        Self::U8(table)
    }
}

impl<'a> From<Table<'a, f32>> for Points<'a> {
    fn from(table: Table<'a, f32>) -> Self {
        Self::F32(table)
    }
}

impl<'a> From<Table<'a, f64>> for Points<'a> {
    fn from(table: Table<'a, f64>) -> Self {
        Self::F64(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_lose_digits_are_reported() {
        let told = |values: &[f64]| {
            let pairs: Vec<f64> =
                values.iter().enumerate().flat_map(|(i, v)| [*v, i as f64]).collect();
            Points::from(Table::row_major(&pairs, values.len(), 2).unwrap()).strained()
        };
        let single = |values: &[f32]| {
            Points::from(Table::row_major(values, values.len(), 1).unwrap()).strained()
        };
        let of = |how| vec![Strained { column: 0, how }];
        assert_eq!(told(&[1.0, 2.0, 1e-12, -1e100]), []);
        assert_eq!(told(&[1.0, -1e151]), of(Strain::Overflow { value: -1e151 }));
        assert_eq!(told(&[0.0, 1e-150]), of(Strain::Vanish { spread: 1e-150, alone: true }));
        let offset = 2.0_f64.powi(60);
        assert!(matches!(
            told(&[offset, offset + 4096.0])[..],
            [Strained { column: 0, how: Strain::Digits { spread: 4096.0, .. } }]
        ));
        assert_eq!(told(&[5.0, 5.0]), [], "a constant column is no matter of precision");
        assert_eq!(
            single(&[0.0, 1e-16]),
            of(Strain::Vanish { spread: f64::from(1e-16_f32), alone: false })
        );
        assert!(matches!(
            single(&[1e7, 1e7 + 20.0])[..],
            [Strained { how: Strain::Digits { .. }, .. }]
        ));
        assert_eq!(single(&[1e6, 1e6 + 1000.0]), []);
    }
}
