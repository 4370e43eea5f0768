//! What the precision of points cannot hold of their columns: squares that overflow or vanish, digits lost to an offset.

use crate::finite::ends;
use crate::points::{Points, Strain, Strained};

/// Squares of larger numbers, summed over many points, come near the end of single precision, 3.4e38; squares of smaller
/// differences near its beginning, 1.2e-38.
const SINGLE: (f64, f64) = (1e15, 1e-15);
/// And of double precision, 1.8e308 and 2.2e-308.
const DOUBLE: (f64, f64) = (1e150, 1e-145);
/// A column that spans fewer steps of its precision than this tells classes apart by its last digits alone.
const STEPS: f64 = 1024.0;

impl Points<'_> {
    /// What the precision of the numbers cannot hold of their columns, in order; nothing where not all of them are finite.
    pub fn strained(&self) -> Vec<Strained> {
        self.strained_if_finite().unwrap_or_default()
    }

    /// The same; `None` where not all of them are finite.
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
