//! One Gaussian per class in feature space, the input of every distance.

use thiserror::Error;

/// An error in the numbers of Gaussians.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GaussianError {
    /// Arrays whose lengths do not fit together.
    #[error(
        "{means} mean values and {covariances} covariance values do not make Gaussians of dimension {order}: pass {order} and {order}² values per Gaussian"
    )]
    Shape {
        /// Number of mean values.
        means: usize,
        /// Number of covariance values.
        covariances: usize,
        /// Specified dimension.
        order: usize,
    },
    /// A value that is NaN or infinite.
    #[error("Gaussian {class} contains {value}: remove or replace non-finite values")]
    NotFinite {
        /// Index of the Gaussian.
        class: usize,
        /// The value.
        value: f64,
    },
    /// A covariance that differs from its transpose.
    #[error(
        "the covariance of Gaussian {class} is not symmetric: entries ({row}, {column}) and ({column}, {row}) differ by {gap:e}; pass symmetric matrices"
    )]
    NotSymmetric {
        /// Index of the Gaussian.
        class: usize,
        /// Row of the entry with the largest difference.
        row: usize,
        /// Column of the entry with the largest difference.
        column: usize,
        /// Absolute difference between the two entries.
        gap: f64,
    },
}

/// A set of Gaussians of the same dimension.
///
/// ```
/// use sqfa::Gaussians;
///
/// // Two Gaussians of one feature: N(0, 1) and N(3, 4).
/// let gaussians = Gaussians::new(1, vec![0.0, 3.0], vec![1.0, 4.0])?;
/// assert_eq!((gaussians.len(), gaussians.mean(1), gaussians.covariance(1)), (2, &[3.0][..], &[4.0][..]));
/// # Ok::<(), sqfa::features::GaussianError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussians {
    order: usize,
    means: Vec<f64>,
    covariances: Vec<f64>,
}

/// A borrowed Gaussian. Its covariance is a full matrix, row-major.
#[derive(Debug, Clone, Copy)]
pub struct Gaussian<'a> {
    /// Dimension, the number of features.
    pub order: usize,
    /// Mean, one number per feature.
    pub mean: &'a [f64],
    /// Covariance, row-major.
    pub covariance: &'a [f64],
}

/// Largest relative asymmetry of a covariance that counts as round-off and is averaged away.
const ASYMMETRY: f64 = 1e-6;

impl Gaussians {
    /// Returns the Gaussians of the first `count` features.
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

    /// Creates Gaussians from their means (one after the other) and their covariances (one after the other, each
    /// row-major).
    ///
    /// # Errors
    ///
    /// Returns an error if the lengths do not fit together, a value is not finite, or a covariance is not symmetric.
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

    /// Creates Gaussians from numbers that are known to be valid.
    pub(crate) fn trusted(order: usize, means: Vec<f64>, covariances: Vec<f64>) -> Self {
        debug_assert_eq!(means.len() * order, covariances.len());
        Self { order, means, covariances }
    }

    /// Returns the dimension, that is, the number of features.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns the number of Gaussians.
    pub fn len(&self) -> usize {
        self.means.len() / self.order
    }

    /// Whether the set has no Gaussian.
    pub fn is_empty(&self) -> bool {
        self.means.is_empty()
    }

    /// Returns the mean of the Gaussian of a class.
    pub fn mean(&self, class: usize) -> &[f64] {
        &self.means[class * self.order..][..self.order]
    }

    /// Returns the covariance of the Gaussian of a class, row-major.
    pub fn covariance(&self, class: usize) -> &[f64] {
        &self.covariances[class * self.order * self.order..][..self.order * self.order]
    }

    /// Returns the Gaussian of a class.
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
