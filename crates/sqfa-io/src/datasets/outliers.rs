//! Training samples of which a fraction is replaced by outliers, for experiments on robustness.
//!
//! Gross noise replaces x by mean + 10·sd·z in every column, where z is standard normal and mean
//! and sd are those of all samples. Heavy tails multiply the difference between x and its class
//! mean by 5/|z|, with one z per sample. This factor has no finite mean. Wrong labels are another
//! class with equal probabilities.

use rand::RngExt;
use rand::seq::SliceRandom;
use sqfa::Labels;
use sqfa::points::Scalar;
use sqfa::with_table;

use super::DatasetError;
use super::matrix::{normal, stream};
use crate::data::{OwnedPoints, Part};

/// The standard deviation of gross noise, relative to that of the column.
const GROSS: f64 = 10.0;
/// The scale of heavy tails.
const HEAVY: f64 = 5.0;

/// A kind of outlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outliers {
    /// A sample with the label of another class.
    Labels,
    /// Noise that replaces the sample.
    Gross,
    /// A sample that is moved away from its class mean.
    Tails,
}

impl Outliers {
    /// All kinds of outliers.
    pub const ALL: [Self; 3] = [Self::Labels, Self::Gross, Self::Tails];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Labels => "wrong labels",
            Self::Gross => "gross noise",
            Self::Tails => "heavy tails",
        }
    }

    /// Replaces a fraction of the samples. The result is in single precision.
    ///
    /// # Errors
    ///
    /// If the fraction is outside of its allowed range.
    pub fn replace(self, part: &Part, share: f64, seed: u64) -> Result<Part, DatasetError> {
        if !(0.0..=1.0).contains(&share) {
            return Err(DatasetError::parameter("share", share, "a number from 0 to 1"));
        }
        let (rows, columns) = (part.points.rows(), part.points.columns());
        let mut values: Vec<f64> = with_table!(part.points.view(), table => {
            (0..rows * columns).map(|at| table.get(at / columns, at % columns).to_f64()).collect()
        });
        let mut codes = part.labels.codes().to_vec();
        let classes = part.labels.classes().len() as u32;
        let mut rng = stream(seed, 11);
        let mut order: Vec<usize> = (0..rows).collect();
        order.shuffle(&mut rng);
        order.truncate((share * rows as f64).round() as usize);
        let (means, deviations) = moments(&values, columns, None);
        let by_class: Vec<Vec<f64>> = match self {
            Self::Tails => (0..classes)
                .map(|class| moments(&values, columns, Some((&codes, class))).0)
                .collect(),
            _ => Vec::new(),
        };
        for row in order {
            let point = &mut values[row * columns..][..columns];
            match self {
                Self::Labels => codes[row] = (codes[row] + rng.random_range(1..classes)) % classes,
                Self::Gross => {
                    for (at, value) in point.iter_mut().enumerate() {
                        *value = means[at] + GROSS * deviations[at] * normal(&mut rng);
                    }
                }
                Self::Tails => {
                    let factor = HEAVY / normal(&mut rng).abs();
                    let mean = &by_class[codes[row] as usize];
                    for (value, mean) in point.iter_mut().zip(mean) {
                        *value = mean + factor * (*value - mean);
                    }
                }
            }
        }
        let values = values.into_iter().map(|value| value as f32).collect();
        let points = OwnedPoints::from_f32(values, rows, columns);
        let labels = Labels::from_codes(part.labels.classes().clone(), codes);
        match (points, labels) {
            (Some(points), Some(labels)) => Ok(Part { points, labels }),
            _ => Err(DatasetError::parameter("points", rows, "as many labels as samples")),
        }
    }
}

/// Returns the means and standard deviations of the columns, over all samples or those of one
/// class.
fn moments(values: &[f64], columns: usize, class: Option<(&[u32], u32)>) -> (Vec<f64>, Vec<f64>) {
    let own = |row: usize| class.is_none_or(|(codes, class)| codes[row] == class);
    let rows = || values.chunks(columns).enumerate().filter(|(row, _)| own(*row)).map(|one| one.1);
    let count = rows().count().max(1) as f64;
    let mut means = vec![0.0; columns];
    rows().for_each(|row| means.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / count));
    let mut squares = vec![0.0; columns];
    for row in rows() {
        for ((sum, value), mean) in squares.iter_mut().zip(row).zip(&means) {
            *sum += (value - mean).powi(2) / count;
        }
    }
    (means, squares.into_iter().map(f64::sqrt).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        let values: Vec<f64> = (0..400).map(|at| f64::from(at % 37) - f64::from(at % 5)).collect();
        let labels = Labels::from_integers(&(0..100).map(|row| row % 4).collect::<Vec<_>>());
        Part { points: OwnedPoints::from_f64(values, 100, 4).unwrap(), labels }
    }

    fn changed(a: &Part, b: &Part) -> (usize, usize) {
        let row = |part: &Part, row: usize| -> Vec<f64> {
            with_table!(part.points.view(), table => {
                (0..4).map(|column| table.get(row, column).to_f64()).collect()
            })
        };
        let points = (0..100).filter(|&at| row(a, at) != row(b, at)).count();
        let codes = a.labels.codes().iter().zip(b.labels.codes());
        (points, codes.filter(|(a, b)| a != b).count())
    }

    #[test]
    fn a_share_is_replaced_and_the_rest_is_left_alone() {
        let clean = part();
        for kind in Outliers::ALL {
            let spoilt = kind.replace(&clean, 0.2, 3).unwrap();
            let expected = if kind == Outliers::Labels { (0, 20) } else { (20, 0) };
            assert_eq!(changed(&clean, &spoilt), expected, "{}", kind.name());
            assert_eq!(spoilt, kind.replace(&clean, 0.2, 3).unwrap(), "seeded");
            assert_eq!(changed(&clean, &kind.replace(&clean, 0.0, 3).unwrap()), (0, 0));
            assert!(kind.replace(&clean, 1.5, 3).is_err());
        }
    }
}
