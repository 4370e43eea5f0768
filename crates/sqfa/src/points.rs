//! Labeled data as the mathematics sees it: borrowed rows of numbers, never copied as a whole.

/// A number type that data may come in: `u8`, `f32` or `f64`.
pub trait Scalar: Copy + Send + Sync + 'static {
    /// The value as `f32`; exact for `u8` and `f32`.
    fn to_f32(self) -> f32;
    /// The value as `f64`; always exact.
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

/// A borrowed table of numbers, one point a row, with any strides.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T: Copy> Table<'a, T> {
    /// A table whose rows lie one after the other; `None` when `values` is not `rows × columns` long.
    pub fn row_major(values: &'a [T], rows: usize, columns: usize) -> Option<Self> {
        Self::strided(values, rows, columns, columns, 1)
            .filter(|_| rows.checked_mul(columns) == Some(values.len()))
    }

    /// A table whose columns lie one after the other (Fortran order).
    pub fn column_major(values: &'a [T], rows: usize, columns: usize) -> Option<Self> {
        Self::strided(values, rows, columns, 1, rows)
            .filter(|_| rows.checked_mul(columns) == Some(values.len()))
    }

    /// A table with given distances between neighbors; `None` when its last element lies outside `values`.
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

    /// Some rows in a row; those beyond the last are not there.
    pub fn rows_between(&self, rows: std::ops::Range<usize>) -> Self {
        let end = rows.end.min(self.rows);
        let start = rows.start.min(end);
        let first = if start == end { self.values.len() } else { start * self.row_stride };
        Self { values: &self.values[first..], rows: end - start, ..*self }
    }

    /// The number of points.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of dimensions.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One number.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.values[row * self.row_stride + column * self.column_stride]
    }

    /// One point as a slice, when its numbers lie side by side.
    pub fn row(&self, row: usize) -> Option<&'a [T]> {
        (self.column_stride == 1)
            .then(|| &self.values[row * self.row_stride..row * self.row_stride + self.columns])
    }
}

impl<'a, T> Table<'a, T> {
    /// Some rows that follow each other as one slice, when all their numbers lie side by side.
    pub(crate) fn block(&self, rows: &[usize]) -> Option<&'a [T]> {
        let (first, last) = (*rows.first()?, *rows.last()?);
        let follow = rows.windows(2).all(|pair| pair[1] == pair[0] + 1);
        (follow && self.column_stride == 1 && self.row_stride == self.columns)
            .then(|| &self.values[first * self.columns..(last + 1) * self.columns])
    }

    /// One dimension of some points in a row as a slice, when their numbers lie side by side.
    pub(crate) fn column(&self, rows: std::ops::Range<usize>, column: usize) -> Option<&'a [T]> {
        let first = column * self.column_stride;
        (self.row_stride == 1).then(|| &self.values[first + rows.start..first + rows.end])
    }
}

/// Points in whichever number type they came; the core never makes a copy of all of them.
#[derive(Debug, Clone, Copy)]
pub enum Points<'a> {
    /// Bytes, such as pixels.
    U8(Table<'a, u8>),
    /// Single precision.
    F32(Table<'a, f32>),
    /// Double precision.
    F64(Table<'a, f64>),
}

/// Points that own their numbers and can give the last of them back.
pub trait ShrinkingPoints {
    /// The points that are there.
    fn view(&self) -> Points<'_>;
    /// Lets two points change places.
    fn swap_rows(&mut self, one: usize, other: usize);
    /// Lets all points but the first ones go, and their memory with them.
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

/// Runs one generic expression on whichever table the points hold.
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

/// A column whose numbers their precision cannot hold well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strained {
    /// Which column.
    pub column: usize,
    /// In which way.
    pub how: Strain,
}

/// How numbers strain their precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strain {
    /// Sums of squares would overflow.
    Overflow {
        /// The largest number.
        value: f64,
    },
    /// Squares of differences would vanish.
    Vanish {
        /// From the lowest number to the highest.
        spread: f64,
        /// Whether other columns span enough.
        alone: bool,
    },
    /// An offset took most digits.
    Digits {
        /// The lowest number.
        low: f64,
        /// From there to the highest.
        spread: f64,
        /// The same in steps of the precision.
        steps: f64,
    },
}

impl Points<'_> {
    /// The number of points.
    pub fn rows(&self) -> usize {
        with_table!(self, table => table.rows())
    }

    /// The number of dimensions.
    pub fn columns(&self) -> usize {
        with_table!(self, table => table.columns())
    }

    /// Bytes of a number in covariances of these points.
    pub fn width(&self) -> usize {
        match self {
            Self::U8(_) | Self::F32(_) => size_of::<f32>(),
            Self::F64(_) => size_of::<f64>(),
        }
    }

    /// Memory that the numbers occupy.
    pub(crate) fn bytes(&self) -> usize {
        let size = match self {
            Self::U8(_) => size_of::<u8>(),
            Self::F32(_) => size_of::<f32>(),
            Self::F64(_) => size_of::<f64>(),
        };
        self.rows() * self.columns() * size
    }

    /// Some rows in a row; those beyond the last are not there.
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
    fn columns_that_strain_their_precision_are_named() {
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
