//! Confidence intervals for the difference between two classifiers on the same test samples.
//!
//! Of N samples, b are classified correctly only by the first classifier and c only by the second,
//! so the difference of accuracies is (b − c)/N. The interval is Wald's for paired proportions
//! after adding 1/2 to each of the four counts (Agresti & Min, *Statistics in Medicine* 24, 2005),
//! which is accurate for small b + c as well.

/// A difference with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The observed difference.
    pub difference: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;
/// The number that is added to each of the four counts.
const ADDED: f64 = 0.5;

impl Interval {
    /// Whether the interval contains zero, so that the difference is not significant.
    pub fn holds_zero(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// Returns the accuracy of the first classifier minus that of the second, with its interval.
/// Returns `None` without test samples or if their numbers differ.
pub fn paired_difference(first: &[bool], second: &[bool]) -> Option<Interval> {
    if first.is_empty() || first.len() != second.len() {
        return None;
    }
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && !**b).count() as f64;
    let (b, c, count) = (only(first, second), only(second, first), first.len() as f64);
    let (more, less, total) = (b + ADDED, c + ADDED, count + 4.0 * ADDED);
    let center = (more - less) / total;
    let variance = (more + less - (more - less).powi(2) / total) / (total * total);
    let reach = NORMAL * variance.max(0.0).sqrt();
    Some(Interval {
        difference: (b - c) / count,
        low: (center - reach).max(-1.0),
        high: (center + reach).min(1.0),
    })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    fn outcomes(both: usize, b: usize, c: usize, neither: usize) -> (Vec<bool>, Vec<bool>) {
        let pairs = [
            ((true, true), both),
            ((true, false), b),
            ((false, true), c),
            ((false, false), neither),
        ];
        pairs.into_iter().flat_map(|(pair, count)| std::iter::repeat_n(pair, count)).unzip()
    }

    #[test]
    fn the_interval_is_that_of_the_formula() {
        let (first, second) = outcomes(53, 16, 8, 9);
        let interval = paired_difference(&first, &second).unwrap();
        // Calculated by hand: N* = 88, b* − c* = 8, b* + c* = 25.
        let reach = 1.959_963_984_540_054 * ((25.0 - 64.0 / 88.0_f64) / 88.0 / 88.0).sqrt();
        assert_eq!(interval.difference, 8.0 / 86.0);
        assert!((interval.low - (8.0 / 88.0 - reach)).abs() < 1e-15);
        assert!((interval.high - (8.0 / 88.0 + reach)).abs() < 1e-15);
        let swapped = paired_difference(&second, &first).unwrap();
        assert_eq!((swapped.low, swapped.high), (-interval.high, -interval.low));
        assert!(paired_difference(&first, &second[1..]).is_none());
        assert!(paired_difference(&[], &[]).is_none());
    }

    #[test]
    fn the_interval_covers_the_truth_about_as_often_as_it_says() {
        const TRIALS: usize = 4000;
        // The true probabilities are 0.10 (only the first is correct) and 0.06 (only the second is
        // correct).
        let mut generator = ChaCha12Rng::seed_from_u64(3);
        let covered = (0..TRIALS).filter(|_| {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for _ in 0..200 {
                let draw: f64 = generator.random();
                first.push(!(0.10..0.16).contains(&draw));
                second.push((0.10..0.16).contains(&draw) || draw >= 0.16);
            }
            let interval = paired_difference(&first, &second).unwrap();
            (interval.low..=interval.high).contains(&0.04)
        });
        let share = covered.count() as f64 / TRIALS as f64;
        // Four standard errors of the fraction at the nominal level.
        let room = 4.0 * (0.95_f64 * 0.05 / TRIALS as f64).sqrt();
        assert!((share - 0.95).abs() < room, "{share}");
    }
}
