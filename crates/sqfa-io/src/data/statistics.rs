//! Class statistics that are read instead of samples: means and covariances, or second moments.

use sqfa::{Classes, Labels};

use super::DataError;
use super::tables::labels_of;
use crate::formats::{Npz, Stack, Values};

/// The moments of every class.
#[derive(Debug, Clone, PartialEq)]
pub enum GivenMoments {
    /// One mean and one covariance per class.
    Central {
        /// The means in row-major order, classes × features.
        means: Vec<f64>,
        /// The covariances, each features × features.
        covariances: Stack,
    },
    /// One second-moment matrix E[x xᵀ] per class, without means.
    Second(Stack),
}

/// The statistics of every class as plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenStatistics {
    /// The name of the statistics.
    pub name: String,
    /// The classes, in the order of all other fields.
    pub classes: Classes,
    /// The number of features.
    pub dimensions: usize,
    /// The number of samples per class, if known.
    pub counts: Option<Vec<u64>>,
    /// The moments of the classes.
    pub moments: GivenMoments,
}

impl GivenStatistics {
    /// Reads `means` and `covariances`, or `second_moments`, with optional `counts` and `classes`.
    ///
    /// # Errors
    ///
    /// If arrays are missing or their shapes do not match.
    pub(crate) fn from_npz(name: String, npz: &mut Npz) -> Result<Self, DataError> {
        let place = npz.place().to_owned();
        let central = npz.contains("covariances");
        let matrices = if central { "covariances" } else { "second_moments" };
        let (shape, mut stack) = npz.read_stack(matrices)?;
        let [count, dimensions, width] = shape[..] else {
            return Err(shape_error(&place, matrices, &shape));
        };
        if dimensions != width {
            return Err(shape_error(&place, matrices, &shape));
        }

        let labels = if npz.contains("classes") {
            labels_of(npz.read("classes")?, &format!("{place}[classes]"))?
        } else {
            let numbers: Vec<i64> = (0..count as i64).collect();
            Labels::from_integers(&numbers)
        };
        if labels.len() != count || labels.classes().len() != count {
            let problem = format!(
                "{count} {matrices} and {} distinct classes: give every class one name",
                labels.classes().len()
            );
            return Err(DataError::content(&place, problem));
        }
        // The position in the file of each class in sorted order.
        let mut order = vec![0; count];
        for (at, &code) in labels.codes().iter().enumerate() {
            order[code as usize] = at;
        }
        match &mut stack {
            Stack::F32(parts) => reorder(parts, &order),
            Stack::F64(parts) => reorder(parts, &order),
        }

        let counts = if npz.contains("counts") {
            let counts = whole_numbers(npz.read("counts")?.values()).filter(|c| c.len() == count);
            let counts = counts.ok_or_else(|| {
                DataError::content(&place, format!("counts must be {count} whole numbers"))
            })?;
            Some(order.iter().map(|&at| counts[at]).collect())
        } else {
            None
        };
        let moments = if central {
            let means = npz.read("means")?;
            if means.shape() != [count, dimensions] {
                return Err(shape_error(&place, "means", means.shape()));
            }
            let means = floats(means.values())
                .ok_or_else(|| DataError::content(&place, "means are text; expected numbers"))?;
            let means = order
                .iter()
                .flat_map(|&at| means[at * dimensions..][..dimensions].iter().copied())
                .collect();
            GivenMoments::Central { means, covariances: stack }
        } else {
            GivenMoments::Second(stack)
        };
        Ok(Self { name, classes: labels.classes().clone(), dimensions, counts, moments })
    }
}

fn shape_error(place: &str, name: &str, shape: &[usize]) -> DataError {
    let problem = format!(
        "{name} has shape {shape:?}; expected means (classes, n), \
         covariances or second_moments (classes, n, n)"
    );
    DataError::content(place, problem)
}

fn reorder<T>(parts: &mut Vec<Vec<T>>, order: &[usize]) {
    *parts = order.iter().map(|&at| std::mem::take(&mut parts[at])).collect();
}

fn floats(values: &Values) -> Option<Vec<f64>> {
    match values {
        Values::U8(values) => Some(values.iter().map(|&value| f64::from(value)).collect()),
        Values::F32(values) => Some(values.iter().map(|&value| f64::from(value)).collect()),
        Values::F64(values) => Some(values.clone()),
        Values::I64(values) => Some(values.iter().map(|&value| value as f64).collect()),
        Values::Text(_) => None,
    }
}

fn whole_numbers(values: &Values) -> Option<Vec<u64>> {
    if let Values::I64(values) = values {
        return values.iter().map(|&value| u64::try_from(value).ok()).collect();
    }
    let whole = |value: f64| {
        (value >= 0.0 && value.fract() == 0.0 && value < 9.0e15).then_some(value as u64)
    };
    floats(values)?.into_iter().map(whole).collect()
}
