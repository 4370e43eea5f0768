//! Labelled data as the mathematics sees it: borrowed rows of numbers, never copied as a whole.

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

    /// A table with given distances between neighbours; `None` when its last element lies outside `values`.
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

/// Squares of larger numbers, summed over many points, come near the end of single precision, 3.4e38; squares of smaller
/// differences near its beginning, 1.2e-38.
const SINGLE: (f64, f64) = (1e15, 1e-15);
/// And of double precision, 1.8e308 and 2.2e-308.
const DOUBLE: (f64, f64) = (1e150, 1e-145);
/// A column that spans fewer steps of its precision than this tells classes apart by its last digits alone.
const STEPS: f64 = 1024.0;

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

    /// Some rows in a row; those beyond the last are not there.
    pub fn rows_between(&self, rows: std::ops::Range<usize>) -> Self {
        match self {
            Self::U8(table) => Self::U8(table.rows_between(rows)),
            Self::F32(table) => Self::F32(table.rows_between(rows)),
            Self::F64(table) => Self::F64(table.rows_between(rows)),
        }
    }

    /// What the precision of the numbers cannot hold of their columns, in order.
    pub fn strained(&self) -> Vec<Strained> {
        let ((largest, smallest), step) = match self {
            Self::U8(_) => return Vec::new(),
            Self::F32(_) => (SINGLE, f64::from(f32::EPSILON)),
            Self::F64(_) => (DOUBLE, f64::EPSILON),
        };
        let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); self.columns()];
        with_table!(self, table => {
            for row in 0..table.rows() {
                for (column, (low, high)) in ends.iter_mut().enumerate() {
                    let value = table.get(row, column).to_f64();
                    *low = low.min(value);
                    *high = high.max(value);
                }
            }
        });
        let alone = ends.iter().any(|(low, high)| high - low >= smallest);
        let strain = |(column, &(low, high)): (usize, &(f64, f64))| {
            let (size, spread) = (high.max(-low), high - low);
            let steps = spread / (step * size);
            if size > largest {
                let value = if high >= -low { high } else { low };
                Some(Strained { column, how: Strain::Overflow { value } })
            } else if spread > 0.0 && spread < smallest {
                Some(Strained { column, how: Strain::Vanish { spread, alone } })
            } else if spread > 0.0 && steps < STEPS {
                Some(Strained { column, how: Strain::Digits { low, spread, steps } })
            } else {
                None
            }
        };
        ends.iter().enumerate().filter_map(strain).collect()
    }

    /// The first number that is not finite: its row, its column and itself.
    pub(crate) fn first_not_finite(&self) -> Option<(usize, usize, f64)> {
        if matches!(self, Self::U8(_)) {
            return None;
        }
        with_table!(self, table => (0..table.rows()).find_map(|row| {
            let mut values = (0..table.columns()).map(|column| table.get(row, column).to_f64());
            let column = values.position(|value| !value.is_finite())?;
            Some((row, column, table.get(row, column).to_f64()))
        }))
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
