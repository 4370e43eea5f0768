//! Search for columns with numerical problems: squares that overflow or underflow, or an offset that leaves few digits.

use crate::finite::ends;
use crate::points::{Points, Strain, Strained};

/// Limits for single precision. Squares of larger values, summed over many samples, approach the largest number,
/// 3.4e38; squares of smaller differences approach the smallest normal number, 1.2e-38.
const SINGLE: (f64, f64) = (1e15, 1e-15);
/// Limits for double precision, with the largest number 1.8e308 and the smallest normal number 2.2e-308.
const DOUBLE: (f64, f64) = (1e150, 1e-145);
/// Spread of a column, in steps of its precision, below which only its last digits distinguish classes.
const STEPS: f64 = 1024.0;

impl Points<'_> {
    /// Returns the columns whose values are badly represented in their precision, in ascending order. The list is empty
    /// if a value is not finite.
    pub fn strained(&self) -> Vec<Strained> {
        self.strained_if_finite().unwrap_or_default()
    }

    /// Returns the columns whose values are badly represented in their precision, or `None` if a value is not finite.
    pub(crate) fn strained_if_finite(&self) -> Option<Vec<Strained>> {
        let ((largest, smallest), step) = match self {
            Self::U8(_) => return Some(Vec::new()),
            Self::F32(_) => (SINGLE, f64::from(f32::EPSILON)),
            Self::F64(_) => (DOUBLE, f64::EPSILON),
        };
        let ends = ends(*self)?;
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
        Some(ends.iter().enumerate().filter_map(strain).collect())
    }
}
