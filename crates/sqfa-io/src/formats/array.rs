//! Arrays of any number of dimensions, owned, in C order, in the few element types the lab works with.

use super::FormatError;

/// The elements of an array, in C order (the last index moves fastest).
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Bytes and booleans.
    U8(Vec<u8>),
    /// Half and single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// All integers other than bytes.
    I64(Vec<i64>),
    /// Fixed-width text.
    Text(Vec<String>),
}

impl Values {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.as_ref().len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same elements, borrowed.
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

/// Borrowed elements, in C order, ready to be written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValuesRef<'a> {
    /// Bytes.
    U8(&'a [u8]),
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
    /// Integers.
    I64(&'a [i64]),
    /// Text.
    Text(&'a [String]),
}

impl ValuesRef<'_> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there is no element.
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
    /// An array of a given shape; an error when the number of values is another.
    pub fn new(shape: Vec<usize>, values: Values) -> Result<Self, FormatError> {
        if product(&shape) != Some(values.len()) {
            let expected = format!("a shape of {} elements", values.len());
            return Err(FormatError::shape("the array", &shape, expected));
        }
        Ok(Self { shape, values })
    }

    /// The length along every axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The shape and the elements, without a copy.
    pub fn into_parts(self) -> (Vec<usize>, Values) {
        (self.shape, self.values)
    }
}

/// An array cut along its first axis: one owned buffer for every index, in C order.
#[derive(Debug, Clone, PartialEq)]
pub enum Stack {
    /// Single precision.
    F32(Vec<Vec<f32>>),
    /// Double precision.
    F64(Vec<Vec<f64>>),
}

impl Stack {
    /// The number of buffers.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(parts) => parts.len(),
            Self::F64(parts) => parts.len(),
        }
    }

    /// Whether there is no buffer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One element as `f64`; `None` outside.
    pub fn get(&self, part: usize, index: usize) -> Option<f64> {
        match self {
            Self::F32(parts) => parts.get(part)?.get(index).map(|&value| f64::from(value)),
            Self::F64(parts) => parts.get(part)?.get(index).copied(),
        }
    }
}

/// The number of elements of a shape, unless it overflows.
pub(crate) fn product(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length))
}
