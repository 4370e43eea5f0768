//! From arrays and tables to points and labels.

use sqfa::Labels;

use super::{DataError, OwnedPoints, Part};
use crate::formats::{Array, CsvTable, Values};

/// Labels from an array with one element per point.
pub(super) fn labels_of(array: Array, place: &str) -> Result<Labels, DataError> {
    let (shape, values) = array.into_parts();
    if shape.iter().filter(|&&length| length != 1).count() > 1 {
        let problem = format!("labels of shape {shape:?}; expected one label per point");
        return Err(DataError::content(place, problem));
    }
    let floats = |values: &[f64]| {
        Labels::from_floats(values)
            .map_err(|source| DataError::Labels { place: place.to_owned(), source })
    };
    match values {
        Values::U8(values) => {
            let wide: Vec<i64> = values.into_iter().map(i64::from).collect();
            Ok(Labels::from_integers(&wide))
        }
        Values::I64(values) => Ok(Labels::from_integers(&values)),
        Values::F32(values) => {
            let wide: Vec<f64> = values.into_iter().map(f64::from).collect();
            floats(&wide)
        }
        Values::F64(values) => floats(&values),
        Values::Text(values) => Ok(Labels::from_texts(&values)),
    }
}

/// Points and labels of a table, in single precision when asked.
pub(super) fn part_of(table: CsvTable, single: bool, place: &str) -> Result<Part, DataError> {
    let CsvTable { rows, width, values, labels, .. } = table;
    let points = if single {
        OwnedPoints::from_f32(values.into_iter().map(|v| v as f32).collect(), rows, width)
    } else {
        OwnedPoints::from_f64(values, rows, width)
    };
    let points = points
        .ok_or_else(|| DataError::content(place, "the table's size changed while reading"))?;
    let labels = labels.ok_or_else(|| DataError::content(place, "no label column was read"))?;
    Part::new(points, Labels::from_texts(&labels), place)
}
