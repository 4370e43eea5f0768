//! Owned arrays with any number of dimensions, in C order, with a small set of element types.

use super::FormatError;

/// The elements of an array in C order (the last index changes fastest).
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Bytes and Booleans.
    U8(Vec<u8>),
    /// Numbers in half or single precision.
    F32(Vec<f32>),
    /// Numbers in double precision.
    F64(Vec<f64>),
    /// Integers other than bytes.
    I64(Vec<i64>),
    /// Texts of fixed width.
    Text(Vec<String>),
}

impl Values {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.as_ref().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a view of the elements.
    pub fn as_ref(&self) -> ValuesRef<'_> {
        match self {
            Self::U8(values) => ValuesRef::U8(values),
            Self::F32(values) => ValuesRef::F32(values),
            Self::F64(values) => ValuesRef::F64(values),
            Self::I64(values) => ValuesRef::I64(values),
            Self::Text(values) => ValuesRef::Text(values),
        }
    }
}

/// A view of elements in C order, which can be written to a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValuesRef<'a> {
    /// Bytes.
    U8(&'a [u8]),
    /// Numbers in single precision.
    F32(&'a [f32]),
    /// Numbers in double precision.
    F64(&'a [f64]),
    /// Integers.
    I64(&'a [i64]),
    /// Texts.
    Text(&'a [String]),
}

impl ValuesRef<'_> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! borrowed_from {
    ($($element:ty => $variant:ident),*) => {$(
        impl<'a> From<&'a [$element]> for ValuesRef<'a> {
            fn from(values: &'a [$element]) -> Self {
                Self::$variant(values)
            }
        }
        impl<'a> From<&'a Vec<$element>> for ValuesRef<'a> {
            fn from(values: &'a Vec<$element>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}
borrowed_from!(u8 => U8, f32 => F32, f64 => F64, i64 => I64, String => Text);

/// An owned array in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Values,
}

impl Array {
    /// Creates an array.
    ///
    /// # Errors
    ///
    /// If the number of values does not match the shape.
    pub fn new(shape: Vec<usize>, values: Values) -> Result<Self, FormatError> {
        if product(&shape) != Some(values.len()) {
            let expected = format!("a shape of {} elements", values.len());
            return Err(FormatError::shape("the array", &shape, expected));
        }
        Ok(Self { shape, values })
    }

    /// Returns the length of every axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the elements.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the shape and the elements without a copy.
    pub fn into_parts(self) -> (Vec<usize>, Values) {
        (self.shape, self.values)
    }
}

/// An array divided along its first axis, with one owned buffer in C order per index.
#[derive(Debug, Clone, PartialEq)]
pub enum Stack {
    /// Buffers in single precision.
    F32(Vec<Vec<f32>>),
    /// Buffers in double precision.
    F64(Vec<Vec<f64>>),
}

impl Stack {
    /// Returns the number of buffers.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(parts) => parts.len(),
            Self::F64(parts) => parts.len(),
        }
    }

    /// Whether there are no buffers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one element as `f64`, or `None` if it does not exist.
    pub fn get(&self, part: usize, index: usize) -> Option<f64> {
        match self {
            Self::F32(parts) => parts.get(part)?.get(index).map(|&value| f64::from(value)),
            Self::F64(parts) => parts.get(part)?.get(index).copied(),
        }
    }
}

/// Returns the number of elements of a shape, or `None` if it overflows.
pub(crate) fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length))
}
