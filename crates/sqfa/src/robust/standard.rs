//! The samples of one class relative to their median, with every column divided by its median absolute deviation.
//!
//! Columns that do not vary within the class are ignored. If more than half of the values of a column are equal, its
//! standard deviation is used instead. The cost is two sorts per column, and one copy of the class.

use super::RobustError;
use crate::linalg::Element;
use crate::parallel;
use crate::points::{Scalar, Table};

/// Factor that converts the median absolute deviation to the standard deviation of a Gaussian.
const TO_DEVIATION: f64 = 1.482_602_218_505_602;
/// Largest absolute value of a standardized number, so that squares do not overflow in single precision.
const FARTHEST: f64 = 1e15;

/// The rows that belong to a class.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members {
    /// Row indices in the table.
    pub(crate) rows: Vec<usize>,
    /// Number of repetitions of each row, or `None` if each occurs once.
    pub(crate) repeats: Option<Vec<f64>>,
}

/// The samples of a class in robust units, row-major.
pub(super) struct Standard<T> {
    pub(super) columns: Vec<usize>,
    /// Medians of all columns.
    pub(super) center: Vec<f64>,
    /// Units of the columns that vary.
    pub(super) units: Vec<f64>,
    pub(super) values: Vec<T>,
    /// Smallest fraction, over all columns, of samples that differ from the column's most common value.
    pub(super) least_off: f64,
}

/// Center, unit and variation of one column.
struct Column {
    center: f64,
    unit: f64,
    off: f64,
}

impl Members {
    /// Returns the number of samples, including repetitions.
    pub(super) fn total(&self) -> f64 {
        match &self.repeats {
            Some(repeats) => repeats.iter().sum(),
            None => self.rows.len() as f64,
        }
    }

    /// Returns the number of samples, including repetitions, as an integer.
    pub(crate) fn count(&self) -> u64 {
        self.total() as u64
    }

    /// Returns the row indices, each repeated as often as it counts.
    pub(crate) fn repeated(&self) -> Vec<usize> {
        let rows = self.rows.iter().enumerate();
        rows.flat_map(|(at, &row)| std::iter::repeat_n(row, self.repeat(at) as usize)).collect()
    }

    fn repeat(&self, at: usize) -> f64 {
        self.repeats.as_ref().map_or(1.0, |repeats| repeats[at])
    }
}

impl<T: Element> Standard<T> {
    /// Standardizes the rows of one class.
    pub(super) fn new<S: Scalar>(
        table: &Table<'_, S>,
        members: &Members,
    ) -> Result<Self, RobustError> {
        let all = parallel::map(0..table.columns(), |column| {
            let value = |at: usize| table.get(members.rows[at], column).to_f64();
            describe(value, members)
        });
        let columns: Vec<usize> = (0..all.len()).filter(|&column| all[column].unit > 0.0).collect();
        if columns.is_empty() {
            return Err(RobustError::Identical { points: members.rows.len() });
        }
        let kept = || columns.iter().map(|&column| &all[column]);
        let (units, center) = (kept().map(|one| one.unit).collect::<Vec<_>>(), all.iter());
        let width = columns.len();
        let mut values = vec![T::from_f64(0.0); members.rows.len() * width];
        parallel::rows(&mut values, width, |at, target| {
            for ((target, &column), unit) in target.iter_mut().zip(&columns).zip(&units) {
                let about = table.get(members.rows[at], column).to_f64() - all[column].center;
                *target = T::from_f64((about / unit).clamp(-FARTHEST, FARTHEST));
            }
        });
        let least_off = kept().map(|one| one.off).fold(1.0, f64::min);
        let center = center.map(|one| one.center).collect();
        Ok(Self { columns, center, units, values, least_off })
    }
}

fn describe(value: impl Fn(usize) -> f64, members: &Members) -> Column {
    let total = members.total();
    let mut sorted: Vec<(f64, f64)> =
        (0..members.rows.len()).map(|at| (value(at), members.repeat(at))).collect();
    let center = median(&mut sorted, total);
    let off = sorted.iter().filter(|one| one.0 != center).map(|one| one.1).sum::<f64>() / total;
    let squares = sorted.iter().map(|one| one.1 * (one.0 - center).powi(2)).sum::<f64>();
    let mean: f64 = sorted.iter().map(|one| one.1 * (one.0 - center)).sum::<f64>() / total;
    let constant = sorted.first().map(|one| one.0) == sorted.last().map(|one| one.0);
    sorted.iter_mut().for_each(|one| one.0 = (one.0 - center).abs());
    let deviation = TO_DEVIATION * median(&mut sorted, total);
    let unit = match deviation {
        _ if constant => 0.0,
        deviation if deviation > 0.0 => deviation,
        _ => (squares / total - mean * mean).max(0.0).sqrt(),
    };
    Column { center, unit, off }
}

/// Sorts pairs of a number and its weight, and returns the weighted median of the numbers.
pub(super) fn median(numbers: &mut [(f64, f64)], total: f64) -> f64 {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, half) = (0.0, 0.5 * total);
    let mut lower = None;
    for &(number, repeats) in numbers.iter() {
        below += repeats;
        if lower.is_none() && below >= half {
            lower = Some(number);
        }
        if below > half {
            return 0.5 * (lower.unwrap_or(number) + number);
        }
    }
    lower.unwrap_or(f64::NAN)
}
