//! The scaling family as class statistics: covariances entry by entry, or as the identity plus low rank.
//!
//! C − I is made of 2 × 2 blocks, whose eigenvectors are known: Q(C − I)Qᵀ = U diag(w) Uᵀ with one column of U for
//! every eigenvalue that is not zero. A pass then costs 4nkm operations a class instead of 2n²m.

use std::str::FromStr;

use sqfa::statistics::{Covariance, Dense, LowRank, Moments};
use sqfa::{ClassStatistics, Classes, Mat};

use super::{CLASSES, ScalingProblem};
use crate::datasets::DatasetError;

/// Directions whose variance is as close to that of the identity as this are not kept.
const NOTHING: f64 = 1e-12;

/// How the covariances of the scaling family are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScalingForm {
    /// The identity plus low rank: k columns of n numbers a class.
    #[default]
    LowRank,
    /// Entry by entry in single precision: n² numbers a class.
    Dense,
}

impl ScalingForm {
    /// Its name in every flag, file and message.
    pub fn name(self) -> &'static str {
        match self {
            Self::LowRank => "low-rank",
            Self::Dense => "dense",
        }
    }

    /// Bytes of the covariances of a problem.
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
    /// The known statistics of the classes.
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
            // Entries of the dense form are rounded to single precision; sums over 60 × 60 of them stay below this.
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
