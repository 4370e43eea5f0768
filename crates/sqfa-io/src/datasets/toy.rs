//! Three small problems with known statistics, on which methods find different filters.
//!
//! `toy-6d` separates SQFA from LDA and PCA, `toy-4d` SQFA from its variant with second moments,
//! and `toy-lda` SQFA from LDA. All constants are those of the paper.

use sqfa::{Classes, Labels};

use super::matrix::{cholesky, put_block, rotated, sample_gaussian, stream};
use crate::data::{GivenMoments, GivenStatistics, LabeledData, OwnedPoints, Part};
use crate::formats::Stack;

/// A toy problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toy {
    /// Six dimensions and three classes, with pairs of dimensions for rotated covariances,
    /// different means, and neither of them.
    SixD,
    /// Four dimensions and three classes, with the same directions in means and covariances.
    FourD,
    /// Two dimensions and four classes with equal covariances.
    Lda,
}

impl Toy {
    /// All toy problems.
    pub const ALL: [Self; 3] = [Self::SixD, Self::FourD, Self::Lda];

    /// Returns the name of the problem.
    pub fn name(self) -> &'static str {
        match self {
            Self::SixD => "toy-6d",
            Self::FourD => "toy-4d",
            Self::Lda => "toy-lda",
        }
    }

    /// Returns the problem with a name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toy| toy.name() == name)
    }

    /// Returns the number of dimensions.
    pub fn dimensions(self) -> usize {
        match self {
            Self::SixD => 6,
            Self::FourD => 4,
            Self::Lda => 2,
        }
    }

    /// Returns the mean and the covariance of every class.
    fn classes(self) -> Vec<(Vec<f64>, Vec<f64>)> {
        match self {
            Self::SixD => six_dimensional(),
            Self::FourD => four_dimensional(),
            Self::Lda => [[-0.8, 0.2], [-0.84, -0.2], [0.84, 0.6], [0.8, -0.6]]
                .map(|mean| (mean.to_vec(), vec![0.008, 0.0, 0.0, 0.008]))
                .to_vec(),
        }
    }

    /// Returns the exact statistics.
    pub fn statistics(self) -> GivenStatistics {
        let classes = self.classes();
        GivenStatistics {
            name: self.name().to_owned(),
            classes: Classes::numbered(classes.len()),
            dimensions: self.dimensions(),
            counts: None,
            moments: GivenMoments::Central {
                means: classes.iter().flat_map(|(mean, _)| mean.iter().copied()).collect(),
                covariances: Stack::F64(
                    classes.into_iter().map(|(_, covariance)| covariance).collect(),
                ),
            },
        }
    }

    /// Draws labeled samples from the statistics, class by class.
    pub fn sample(self, train_per_class: usize, test_per_class: usize, seed: u64) -> LabeledData {
        LabeledData {
            name: self.name().to_owned(),
            train: self.part(train_per_class, seed, 0),
            test: (test_per_class > 0).then(|| self.part(test_per_class, seed, 1)),
            image_shape: None,
        }
    }

    fn part(self, per_class: usize, seed: u64, half: u64) -> Part {
        let (classes, n) = (self.classes(), self.dimensions());
        let mut points = Vec::with_capacity(classes.len() * per_class * n);
        let mut labels = Vec::with_capacity(classes.len() * per_class);
        for (class, (mean, covariance)) in classes.iter().enumerate() {
            let lower = cholesky(covariance, n);
            let mut rng = stream(seed, 2 * class as u64 + half);
            for _ in 0..per_class {
                sample_gaussian(mean, &lower, &mut rng, &mut points);
                labels.push(class as u32);
            }
        }
        let rows = labels.len();
        Part {
            points: OwnedPoints::from_f64(points, rows, n).expect("one point per label"),
            labels: Labels::from_codes(Classes::numbered(classes.len()), labels)
                .expect("codes are below the number of classes"),
        }
    }
}

fn six_dimensional() -> Vec<(Vec<f64>, Vec<f64>)> {
    let means = [[-0.25, -0.25], [0.25, -0.25], [0.0, 0.25]];
    let angles = [10.0, 45.0, 80.0];
    let scales = [0.9, 1.0, 1.1];
    (0..3)
        .map(|class| {
            let mean = vec![0.0, 0.0, means[class][0], means[class][1], 0.0, 0.0];
            let mut covariance = vec![0.0; 36];
            put_block(&mut covariance, 6, 0, &rotated(0.9, 0.02, angles[class]), 2);
            put_block(&mut covariance, 6, 2, &[0.6, 0.0, 0.0, 0.6], 2);
            put_block(&mut covariance, 6, 4, &[scales[class], 0.0, 0.0, scales[class]], 2);
            (mean, covariance)
        })
        .collect()
}

fn four_dimensional() -> Vec<(Vec<f64>, Vec<f64>)> {
    // The angle and the sign of the direction u in the mean and the covariance of each class.
    [(0.0, 1.0), (40.0, -1.0), (80.0, 1.0)]
        .map(|(degrees, sign): (f64, f64)| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let mean = vec![sign * cos, sign * sin, 0.0, 0.0];
            let mut covariance = vec![0.0; 16];
            put_block(&mut covariance, 4, 0, &[0.05, 0.0, 0.0, 0.05], 2);
            put_block(&mut covariance, 4, 2, &rotated(1.045, 0.045, degrees), 2);
            (mean, covariance)
        })
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn central(toy: Toy) -> (Vec<f64>, Vec<Vec<f64>>) {
        match toy.statistics().moments {
            GivenMoments::Central { means, covariances: Stack::F64(parts) } => (means, parts),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the Calvo–Oller distance ½ Σ ln² λ of two symmetric 2 × 2 matrices with equal means.
    fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
        let determinant = a[0] * a[3] - a[1] * a[2];
        let inverse = [a[3], -a[1], -a[2], a[0]].map(|value| value / determinant);
        let product = [
            inverse[0] * b[0] + inverse[1] * b[2],
            inverse[0] * b[1] + inverse[1] * b[3],
            inverse[2] * b[0] + inverse[3] * b[2],
            inverse[2] * b[1] + inverse[3] * b[3],
        ];
        let half = (product[0] + product[3]) / 2.0;
        let root = (half * half - (product[0] * product[3] - product[1] * product[2])).sqrt();
        let logs = [(half + root).ln(), (half - root).ln()];
        (0.5 * (logs[0] * logs[0] + logs[1] * logs[1])).sqrt()
    }

    #[test]
    fn constants_match_the_published_ones() {
        let (means, parts) = central(Toy::SixD);
        assert_eq!(means[..6], [0.0, 0.0, -0.25, -0.25, 0.0, 0.0]);
        for (class, block) in
            [[0.873465, 0.150489, 0.046535], [0.46, 0.44, 0.46], [0.046535, 0.150489, 0.873465]]
                .iter()
                .enumerate()
        {
            let part = &parts[class];
            for (value, expected) in [part[0], part[1], part[7]].iter().zip(block) {
                assert!((value - expected).abs() < 5e-7);
            }
        }
        let (means, parts) = central(Toy::FourD);
        for (value, expected) in
            [(means[4], -0.766044), (means[5], -0.642788), (means[8], 0.173648)]
        {
            assert!((value - expected).abs() < 5e-7);
        }
        let last = &parts[2];
        for (value, expected) in [(last[10], 0.075154), (last[11], 0.17101), (last[15], 1.014846)] {
            assert!((value - expected).abs() < 5e-7);
        }
    }

    #[test]
    fn distances_match_the_published_sanity_targets() {
        let (_, parts) = central(Toy::SixD);
        let noise = 0.002;
        let block = |class: usize| {
            let part: &Vec<f64> = &parts[class];
            [part[0] + noise, part[1], part[6], part[7] + noise]
        };
        for (i, j, expected) in [(0, 1, 2.692661), (0, 2, 3.595446), (1, 2, 2.692661)] {
            assert!((distance(block(i), block(j)) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn samples_have_the_statistics_and_depend_on_the_seed_alone() {
        let data = Toy::Lda.sample(4000, 10, 3);
        assert_eq!(data, Toy::Lda.sample(4000, 10, 3));
        assert_ne!(data, Toy::Lda.sample(4000, 10, 4));
        let sqfa::Points::F64(table) = data.train.points.view() else { panic!() };
        let mean: f64 = (0..4000).map(|row| table.get(row, 0)).sum::<f64>() / 4000.0;
        // The tolerance is five standard errors: √0.008 / √4000 = 0.0014.
        assert!((mean + 0.8).abs() < 0.007);
    }
}
