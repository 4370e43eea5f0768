//! Quantiles with linear interpolation.

/// Returns a quantile of numbers in ascending order. There must be at least one number.
pub fn quantile(ascending: &[f64], share: f64) -> f64 {
    let at = share * (ascending.len() - 1) as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    ascending[low] + (at - at.floor()) * (ascending[high] - ascending[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbors() {
        assert_eq!(quantile(&[3.0], 0.7), 3.0);
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&[0.0, 1.0, 4.0], share)),
            [0.0, 0.5, 1.0, 2.5, 4.0]
        );
    }
}
