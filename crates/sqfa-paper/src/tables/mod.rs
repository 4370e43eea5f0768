//! Tables as functions of records: one file each, or each family.

pub(crate) mod accuracy;
pub(crate) mod fisher_rao;
pub(crate) mod scaling;
pub(crate) mod training_time;
pub(crate) mod variability;

/// The data sets of tables that have all of them, in the paper's order.
pub(crate) const ALL_SETS: [&str; 4] = ["svhn", "mnist", "speed", "neural"];

/// The middle of some numbers; the mean of the two middle ones when their count is even.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

/// The mean of some numbers.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
