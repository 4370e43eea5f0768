//! Features of samples that are preprocessed first. (x − μ)/s · F is computed in one pass as x ·
//! F/s − μ · F/s.

use sqfa::statistics::Preprocessor;
use sqfa::transform::Features;
use sqfa::{MatRef, Points, transform};

/// Returns the features of samples under filters for preprocessed samples.
pub fn features(
    points: Points<'_>,
    preprocessor: Option<&Preprocessor>,
    filters: MatRef<'_, f64>,
) -> Features {
    match preprocessor {
        Some(preprocessor) => {
            let (folded, offset) = preprocessor.fold(filters);
            transform(points, folded.as_ref(), Some(&offset))
        }
        None => transform(points, filters, None),
    }
}

#[cfg(test)]
mod tests {
    use sqfa::statistics::Scaling;
    use sqfa::{ClassStatistics, Estimator, Labels, Mat, Table};

    use super::*;

    #[test]
    fn a_preprocessor_is_applied_before_the_filters() {
        // The means are 3 and 4, and the filter adds both centered columns.
        let values = [1.0, 2.0, 2.0, 4.0, 4.0, 3.0, 5.0, 7.0_f64];
        let table = Table::row_major(&values, 4, 2).unwrap();
        let labels = Labels::from_integers(&[0, 0, 1, 1]);
        let statistics =
            ClassStatistics::from_points(table.into(), &labels, Estimator::Empirical).unwrap();
        let filters = Mat::from_fn(2, 1, |_, _| 1.0);
        let found = |preprocessor: Option<&Preprocessor>| -> Vec<f64> {
            let table = Table::row_major(&values, 4, 2).unwrap();
            match features(table.into(), preprocessor, filters.as_ref()) {
                Features::F64(values) => values,
                Features::F32(values) => values.into_iter().map(f64::from).collect(),
            }
        };
        assert_eq!(found(None), [3.0, 6.0, 7.0, 12.0]);
        let centered = Preprocessor::new(&statistics, Scaling::None, true);
        assert_eq!(found(centered.as_ref()), [-4.0, -1.0, 0.0, 5.0]);
    }
}
