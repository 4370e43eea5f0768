//! A column of a Parquet table: its type, and its values as numbers or text.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescriptor;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Truth,
    Whole32,
    Unsigned32,
    Whole64,
    Unsigned64,
    Single,
    Double,
    Text,
}

impl ColumnType {
    /// Returns the type of a column, or the name of a type that is neither number nor text.
    pub(super) fn of(column: &ColumnDescriptor) -> std::result::Result<Self, String> {
        let physical = column.physical_type();
        let refused = || match column.logical_type_ref() {
            Some(logical) => format!("{logical:?} ({physical})"),
            None => format!("{:?} ({physical})", column.converted_type()),
        };
        if column.max_rep_level() > 0 {
            return Err("lists".to_owned());
        }
        let plain = matches!(
            column.logical_type_ref(),
            None | Some(LogicalType::Integer(_) | LogicalType::String | LogicalType::Enum)
        );
        if !plain {
            return Err(refused());
        }
        use ConvertedType as C;
        Ok(match (physical, column.converted_type()) {
            (Type::BOOLEAN, _) => Self::Truth,
            (Type::INT32, C::UINT_8 | C::UINT_16 | C::UINT_32) => Self::Unsigned32,
            (Type::INT32, C::NONE | C::INT_8 | C::INT_16 | C::INT_32) => Self::Whole32,
            (Type::INT64, C::UINT_64) => Self::Unsigned64,
            (Type::INT64, C::NONE | C::INT_64) => Self::Whole64,
            (Type::FLOAT, _) => Self::Single,
            (Type::DOUBLE, _) => Self::Double,
            (Type::BYTE_ARRAY, C::UTF8 | C::ENUM | C::NONE) => Self::Text,
            _ => return Err(refused()),
        })
    }
}

/// The values of a column without those that are missing.
pub(super) struct Cells {
    values: Values,
    /// The rows that have a value, counted from 0, or `None` if all have one.
    rows: Option<Vec<usize>>,
    count: usize,
}

enum Values {
    Truth(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Single(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
}

/// Values, with the rows that have one if some are missing.
type Present<T> = (Vec<T>, Option<Vec<usize>>);

/// Reads the next `count` values of a column. It is an error if there are fewer.
pub(super) fn read(reader: &mut ColumnReader, count: usize) -> Result<Cells> {
    fn typed<T: DataType>(reader: &mut ColumnReaderImpl<T>, count: usize) -> Result<Present<T::T>> {
        let (mut values, mut levels) = (Vec::with_capacity(count), Vec::new());
        let mut rows = 0;
        while rows < count {
            let (more, ..) =
                reader.read_records(count - rows, Some(&mut levels), None, &mut values)?;
            if more == 0 {
                let problem = format!("{rows} values where {count} were promised");
                return Err(ParquetError::General(problem));
            }
            rows += more;
        }
        // Columns with optional values have a level for every row, which is 0 if the value is
        // missing.
        let there: Vec<usize> = (0..levels.len()).filter(|&row| levels[row] != 0).collect();
        let gaps = !levels.is_empty() && there.len() < count;
        if values.len() != if gaps { there.len() } else { count } {
            return Err(ParquetError::General("its levels do not fit its values".to_owned()));
        }
        Ok((values, gaps.then_some(there)))
    }
    macro_rules! cells {
        ($reader:expr, $variant:ident) => {{
            let (values, rows) = typed($reader, count)?;
            Cells { values: Values::$variant(values), rows, count }
        }};
    }
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => cells!(reader, Truth),
        ColumnReader::Int32ColumnReader(reader) => cells!(reader, Int32),
        ColumnReader::Int64ColumnReader(reader) => cells!(reader, Int64),
        ColumnReader::FloatColumnReader(reader) => cells!(reader, Single),
        ColumnReader::DoubleColumnReader(reader) => cells!(reader, Double),
        ColumnReader::ByteArrayColumnReader(reader) => cells!(reader, Bytes),
        _ => return Err(ParquetError::General("its type changed".to_owned())),
    })
}

impl Cells {
    /// Returns the values as text, or `None` if the column does not contain text.
    pub(super) fn texts(&self, kind: ColumnType) -> Option<Vec<Option<String>>> {
        let Values::Bytes(values) = &self.values else { return None };
        let text = |value: &ByteArray| value.as_utf8().ok().map(str::to_owned);
        (kind == ColumnType::Text).then(|| {
            let mut all = vec![None; self.count];
            for (k, value) in values.iter().enumerate() {
                all[self.row(k)] = text(value);
            }
            all
        })
    }

    /// Returns the first row without a value.
    pub(super) fn gap(&self) -> Option<usize> {
        let rows = self.rows.as_ref()?;
        Some(rows.iter().enumerate().position(|(at, &row)| at != row).unwrap_or(rows.len()))
    }

    /// Returns the row of a value.
    fn row(&self, value: usize) -> usize {
        self.rows.as_ref().map_or(value, |rows| rows[value])
    }

    /// Calls `take` with every number and its row.
    pub(super) fn each<E>(
        &self,
        kind: ColumnType,
        mut take: impl FnMut(usize, f64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        macro_rules! all {
            ($values:expr, $convert:expr) => {
                $values
                    .iter()
                    .enumerate()
                    .try_for_each(|(k, &value)| take(self.row(k), $convert(value)))
            };
        }
        match &self.values {
            Values::Truth(values) => all!(values, |value| f64::from(u8::from(value))),
            Values::Int32(values) if kind == ColumnType::Unsigned32 => {
                all!(values, |value: i32| f64::from(value.cast_unsigned()))
            }
            Values::Int32(values) => all!(values, f64::from),
            Values::Int64(values) if kind == ColumnType::Unsigned64 => {
                all!(values, |value: i64| value.cast_unsigned() as f64)
            }
            Values::Int64(values) => all!(values, |value: i64| value as f64),
            Values::Single(values) => all!(values, f64::from),
            Values::Double(values) => all!(values, |value: f64| value),
            Values::Bytes(_) => Ok(()),
        }
    }

    /// Copies every number to its row, with a distance of `stride`. Returns the first one that is
    /// not finite. If `gaps` is true, missing values become NaN.
    pub(super) fn spread<T>(
        &self,
        kind: ColumnType,
        target: &mut [T],
        stride: usize,
        gaps: bool,
        convert: impl Fn(f64) -> T,
    ) -> Option<(usize, f64)> {
        if let Some(rows) = &self.rows {
            let mut there = rows.iter().peekable();
            for row in 0..self.count {
                if there.next_if(|&&other| other == row).is_some() {
                    continue;
                }
                if !gaps {
                    return Some((row, f64::NAN));
                }
                target[row * stride] = convert(f64::NAN);
            }
        }
        self.each(kind, |k, value| {
            let sound = value.is_finite() || (gaps && value.is_nan());
            if !sound {
                return Err((k, value));
            }
            target[k * stride] = convert(value);
            Ok(())
        })
        .err()
    }
}
