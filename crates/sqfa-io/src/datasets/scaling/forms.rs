//! The scaling family as class statistics, with dense covariances or with the identity plus low
//! rank.
//!
//! C − I consists of 2 × 2 blocks with known eigenvectors. Therefore Q(C − I)Qᵀ = U diag(w) Uᵀ with
//! one column of U per nonzero eigenvalue. A pass then costs 4nkm operations per class instead of
//! 2n²m.

use std::str::FromStr;

use sqfa::statistics::{Covariance, Dense, LowRank, Moments};
use sqfa::{ClassStatistics, Classes, Mat};

use super::{CLASSES, ScalingProblem};
use crate::datasets::DatasetError;

/// The difference of a variance from 1 below which its direction is omitted.
const NOTHING: f64 = 1e-12;

/// The form of the covariances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScalingForm {
    /// The identity plus low rank, with k columns of n numbers per class.
    #[default]
    LowRank,
    /// All entries in single precision, with n² numbers per class.
    Dense,
}

impl ScalingForm {
    /// Returns the name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::LowRank => "low-rank",
            Self::Dense => "dense",
        }
    }

    /// Returns the memory of the covariances of a problem in bytes.
    pub fn bytes(self, dimensions: usize, informative: usize) -> f64 {
        let (n, k) = (dimensions as f64, informative as f64);
        CLASSES as f64
            * match self {
                Self::LowRank => 8.0 * n * k,
                Self::Dense => 4.0 * n * n,
            }
    }
}

impl FromStr for ScalingForm {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::LowRank, Self::Dense]
            .into_iter()
            .find(|form| form.name() == name)
            .ok_or_else(|| format!("form '{name}': give low-rank or dense"))
    }
}

impl ScalingProblem {
    /// Returns the exact statistics of the classes.
    ///
    /// # Errors
    ///
    /// If the covariances cannot be represented in this form.
    pub fn class_statistics(&self, form: ScalingForm) -> Result<ClassStatistics, DatasetError> {
        let n = self.parameters.dimensions;
        let means = self.ambient_means();
        let means = Mat::from_fn(n, CLASSES, |i, class| means[class * n + i]);
        let mut covariances: Vec<Box<dyn Covariance>> = Vec::new();
        for class in 0..CLASSES {
            covariances.push(match form {
                ScalingForm::LowRank => Box::new(self.low_rank(class)?),
                ScalingForm::Dense => {
                    let dense = Dense::new(self.ambient_covariance_f32(class), n);
                    let expected = "at least one dimension";
                    Box::new(dense.ok_or(DatasetError::parameter("dimensions", n, expected))?)
                }
            });
        }
        let classes = Classes::numbered(CLASSES);
        Ok(ClassStatistics::from_parts(classes, None, means, covariances, Moments::Central))
    }

    fn low_rank(&self, class: usize) -> Result<LowRank, DatasetError> {
        let (n, k) = (self.parameters.dimensions, self.parameters.informative);
        let covariance = &self.covariances[class];
        let column = |j: usize| &self.basis[j * n..(j + 1) * n];
        let (mut columns, mut weights): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        for first in (0..k).step_by(2) {
            let entry = |i: usize, j: usize| covariance[(first + i) * k + first + j];
            let (xx, xy, yy) = (entry(0, 0), entry(0, 1), entry(1, 1));
            let (middle, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
            let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
            for (variance, along, across) in [(middle + half, cos, sin), (middle - half, -sin, cos)]
            {
                if (variance - 1.0).abs() > NOTHING {
                    let pair = column(first).iter().zip(column(first + 1));
                    columns.push(pair.map(|(x, y)| along * x + across * y).collect());
                    weights.push(variance - 1.0);
                }
            }
        }
        let basis = Mat::from_fn(n, columns.len(), |i, j| columns[j][i]);
        Ok(LowRank::new(basis, weights, 1.0)?)
    }
}

#[cfg(test)]
mod tests {
    use sqfa::statistics::project;

    use super::super::SyntheticFamily;
    use super::*;

    #[test]
    fn both_forms_are_the_same_covariance() {
        for parameters in [
            SyntheticFamily { dimensions: 60, ..SyntheticFamily::filter_count(12) },
            SyntheticFamily { dimensions: 60, ..SyntheticFamily::ambient(60) },
        ] {
            let problem = parameters.generate().unwrap();
            let filters = Mat::from_fn(60, 3, |i, j| ((7 * i + 13 * j) as f64).sin());
            let of = |form| {
                let statistics = problem.class_statistics(form).unwrap();
                project(&statistics, filters.as_ref(), 0.0)
            };
            let (low, dense) = (of(ScalingForm::LowRank), of(ScalingForm::Dense));
            // Entries of the dense form are rounded to single precision. Sums over 60 × 60 of them
            // have a smaller error.
            const SINGLE: f64 = 1e-3;
            for class in 0..CLASSES {
                for (a, b) in low.covariance(class).iter().zip(dense.covariance(class)) {
                    assert!((a - b).abs() < SINGLE, "{a} {b}");
                }
                assert_eq!(low.mean(class), dense.mean(class));
            }
        }
        assert!("sparse".parse::<ScalingForm>().is_err());
    }
}
