//! One Gaussian per class in feature space: what every distance acts on.

use thiserror::Error;

/// What is wrong with Gaussians given from outside.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GaussianError {
    /// The arrays do not fit together.
    #[error(
        "{means} mean values and {covariances} covariance values do not make Gaussians of dimension {order}"
    )]
    Shape {
        /// Numbers of means given.
        means: usize,
        /// Numbers of covariances given.
        covariances: usize,
        /// The dimension they were said to have.
        order: usize,
    },
    /// A number that is not finite.
    #[error("Gaussian {class} holds {value}: remove or replace non-finite values")]
    NotFinite {
        /// Which Gaussian.
        class: usize,
        /// The value.
        value: f64,
    },
    /// A covariance that differs from its transpose.
    #[error(
        "the covariance of Gaussian {class} is not symmetric: entries ({row}, {column}) differ by {gap:e}"
    )]
    NotSymmetric {
        /// Which Gaussian.
        class: usize,
        /// Row of the worst entry.
        row: usize,
        /// Column of the worst entry.
        column: usize,
        /// How much it differs.
        gap: f64,
    },
}

/// A set of Gaussians of one dimension; matrices are row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussians {
    order: usize,
    means: Vec<f64>,
    covariances: Vec<f64>,
}

/// One Gaussian, borrowed; the covariance is row-major and full.
#[derive(Debug, Clone, Copy)]
pub struct Gaussian<'a> {
    /// The dimension.
    pub order: usize,
    /// The mean.
    pub mean: &'a [f64],
    /// The covariance.
    pub covariance: &'a [f64],
}

/// Relative asymmetry of a covariance that is taken for round-off and averaged away.
const ASYMMETRY: f64 = 1e-6;

impl Gaussians {
    /// Returns the Gaussians of the first features alone.
    pub fn leading(&self, count: usize) -> Self {
        let (order, count) = (self.order, count.min(self.order));
        let means = self.means.chunks(order).flat_map(|mean| mean[..count].to_vec()).collect();
        let row = |row: &[f64]| row[..count].to_vec();
        let rows =
            |matrix: &[f64]| matrix.chunks(order).take(count).flat_map(row).collect::<Vec<_>>();
        let covariances = self.covariances.chunks(order * order).flat_map(rows).collect();
        Self { order: count, means, covariances }
    }

    /// Returns Gaussians with the same means, whose common covariance is the mean of all covariances weighted by `shares`.
    pub(crate) fn with_pooled_covariance(&self, shares: &[f64]) -> Self {
        let mut pooled = vec![0.0; self.order * self.order];
        for (covariance, share) in self.covariances.chunks(pooled.len()).zip(shares) {
            pooled.iter_mut().zip(covariance).for_each(|(sum, value)| *sum += share * value);
        }
        let covariances = pooled.repeat(self.len());
        Self { order: self.order, means: self.means.clone(), covariances }
    }

    /// Gaussians from their numbers: means one after the other, then covariances row by row.
    pub fn new(
        order: usize,
        means: Vec<f64>,
        mut covariances: Vec<f64>,
    ) -> Result<Self, GaussianError> {
        let count = means.len().checked_div(order).unwrap_or(0);
        if count == 0 || means.len() != count * order || covariances.len() != means.len() * order {
            return Err(GaussianError::Shape {
                means: means.len(),
                covariances: covariances.len(),
                order,
            });
        }
        for class in 0..count {
            let mean = &means[class * order..][..order];
            let covariance = &mut covariances[class * order * order..][..order * order];
            if let Some(&value) =
                mean.iter().chain(covariance.iter()).find(|value| !value.is_finite())
            {
                return Err(GaussianError::NotFinite { class, value });
            }
            symmetrize(class, covariance, order)?;
        }
        Ok(Self { order, means, covariances })
    }

    /// Gaussians whose numbers are known to be sound.
    pub(crate) fn trusted(order: usize, means: Vec<f64>, covariances: Vec<f64>) -> Self {
        debug_assert_eq!(means.len() * order, covariances.len());
        Self { order, means, covariances }
    }

    /// The dimension.
    pub fn order(&self) -> usize {
        self.order
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.means.len() / self.order
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.means.is_empty()
    }

    /// The mean of one of them.
    pub fn mean(&self, class: usize) -> &[f64] {
        &self.means[class * self.order..][..self.order]
    }

    /// The covariance of one of them, row-major.
    pub fn covariance(&self, class: usize) -> &[f64] {
        &self.covariances[class * self.order * self.order..][..self.order * self.order]
    }

    /// One of them.
    pub fn get(&self, class: usize) -> Gaussian<'_> {
        Gaussian { order: self.order, mean: self.mean(class), covariance: self.covariance(class) }
    }
}

fn symmetrize(class: usize, matrix: &mut [f64], order: usize) -> Result<(), GaussianError> {
    let scale = matrix.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for row in 0..order {
        for column in 0..row {
            let (lower, upper) = (matrix[row * order + column], matrix[column * order + row]);
            let gap = (lower - upper).abs();
            if gap > ASYMMETRY * scale {
                return Err(GaussianError::NotSymmetric { class, row, column, gap });
            }
            let mean = 0.5 * (lower + upper);
            matrix[row * order + column] = mean;
            matrix[column * order + row] = mean;
        }
    }
    Ok(())
}
