//! Conversion of arrays to labels.

use sqfa::Labels;

use super::DataError;
use crate::formats::table::is_missing_label;
use crate::formats::{Array, Values};

/// Returns labels from an array with one element per sample.
pub(super) fn labels_of(array: Array, place: &str) -> Result<Labels, DataError> {
    let (shape, values) = array.into_parts();
    if shape.iter().filter(|&&length| length != 1).count() > 1 {
        let problem = format!("labels of shape {shape:?}; expected one label per sample");
        return Err(DataError::content(place, problem));
    }
    let floats = |values: &[f64]| {
        Labels::from_floats(values)
            .map_err(|source| DataError::Labels { place: place.to_owned(), source })
    };
    let whole = |values: &[f64]| values.iter().all(|value| value.fract() == 0.0);
    match values {
        Values::U8(values) => {
            let wide: Vec<i64> = values.into_iter().map(i64::from).collect();
            Ok(Labels::from_integers(&wide))
        }
        Values::I64(values) => Ok(Labels::from_integers(&values)),
        Values::F32(values) => {
            let wide: Vec<f64> = values.iter().copied().map(f64::from).collect();
            let names = if whole(&wide) { None } else { repeated_numbers(&values) };
            names.map_or_else(|| floats(&wide), Ok)
        }
        Values::F64(values) => {
            let names = if whole(&values) { None } else { repeated_numbers(&values) };
            names.map_or_else(|| floats(&values), Ok)
        }
        Values::Text(values) => {
            let gaps =
                || values.iter().enumerate().filter(|(_, text)| is_missing_label(text.trim()));
            if let Some((row, text)) = gaps().next() {
                let (missing, all) = (gaps().count(), values.len());
                let problem = format!(
                    "{missing} of {all} labels are missing ('{text}' at row {row}, counted from 0): leave out these samples"
                );
                return Err(DataError::content(place, problem));
            }
            Ok(Labels::from_texts(&values))
        }
    }
}

/// Returns labels for numbers with fractions, such as orientations of 22.5°, if every number occurs
/// several times. Otherwise returns `None`.
fn repeated_numbers<T: Copy + ToString + Into<f64>>(values: &[T]) -> Option<Labels> {
    if !values.iter().all(|&value| value.into().is_finite()) {
        return None;
    }
    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
    let labels = Labels::from_texts(&names);
    labels.counts().into_iter().all(|count| count > 1).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_are_labels_and_measurements_are_not() {
        let of = |values: Vec<f64>| {
            labels_of(Array::new(vec![values.len()], Values::F64(values)).unwrap(), "y.npy")
        };
        let labels = of(vec![22.5, 0.0, 22.5, 0.0, 45.0, 45.0]).unwrap();
        let names: Vec<String> = labels.classes().iter().map(|label| label.to_string()).collect();
        assert_eq!(names, ["0", "22.5", "45"]);
        assert_eq!(labels.codes(), [1, 0, 1, 0, 2, 2]);
        for bad in [vec![0.31, 0.52, 0.31, 0.9], vec![22.5, 22.5, f64::NAN, f64::NAN]] {
            let error = of(bad).unwrap_err().to_string();
            assert!(error.contains("is not a whole number"), "{error}");
        }
    }
}
