//! From arrays to labels.

use sqfa::Labels;

use super::DataError;
use crate::formats::table::is_missing_label;
use crate::formats::{Array, Values};

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
        Values::Text(values) => {
            let gaps =
                || values.iter().enumerate().filter(|(_, text)| is_missing_label(text.trim()));
            if let Some((row, text)) = gaps().next() {
                let (missing, all) = (gaps().count(), values.len());
                let problem = format!(
                    "{missing} of {all} labels are missing ('{text}' at row {row}, counted from 0): leave those points out"
                );
                return Err(DataError::content(place, problem));
            }
            Ok(Labels::from_texts(&values))
        }
    }
}
