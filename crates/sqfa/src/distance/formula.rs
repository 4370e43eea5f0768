//! The trait that the file of a distance implements: value and gradient for one pair, for any
//! [`Real`].

use crate::linalg::Real;

/// Two Gaussians; covariances are full row-major matrices.
pub(crate) struct Pair<'a, R> {
    pub(crate) order: usize,
    pub(crate) mean_a: &'a [R],
    pub(crate) cov_a: &'a [R],
    pub(crate) mean_b: &'a [R],
    pub(crate) cov_b: &'a [R],
}

/// The derivatives of a value with respect to the means and covariances of two Gaussians.
///
/// The derivatives with respect to covariances are symmetric matrices.
#[derive(Debug, Clone)]
pub struct Slopes<R> {
    /// The derivative with respect to the first mean.
    pub mean_a: Vec<R>,
    /// The derivative with respect to the first covariance, row-major.
    pub cov_a: Vec<R>,
    /// The derivative with respect to the second mean.
    pub mean_b: Vec<R>,
    /// The derivative with respect to the second covariance, row-major.
    pub cov_b: Vec<R>,
}

impl Slopes<f64> {
    /// Returns zero derivatives for Gaussians of dimension `order`.
    pub fn zeros(order: usize) -> Self {
        filled(order, 0.0)
    }
}

pub(super) fn filled<R: Copy>(order: usize, value: R) -> Slopes<R> {
    Slopes {
        mean_a: vec![value; order],
        cov_a: vec![value; order * order],
        mean_b: vec![value; order],
        cov_b: vec![value; order * order],
    }
}

/// Multiplies every derivative by a factor, as the chain rule requires.
#[inline(always)]
pub(super) fn scale<R: Real>(slopes: &mut Slopes<R>, factor: R) {
    let Slopes { mean_a, cov_a, mean_b, cov_b } = slopes;
    for value in [mean_a, cov_a, mean_b, cov_b].into_iter().flatten() {
        *value = *value * factor;
    }
}

/// Scratch matrices of order m + 1 and vectors of length m + 1, which are reused from pair to pair.
pub(crate) struct Work<R> {
    pub(crate) matrices: [Vec<R>; 7],
    pub(crate) vectors: [Vec<R>; 3],
}

impl<R: Real> Work<R> {
    pub(crate) fn new(order: usize) -> Self {
        let size = order + 1;
        Self {
            matrices: std::array::from_fn(|_| vec![R::splat(0.0); size * size]),
            vectors: std::array::from_fn(|_| vec![R::splat(0.0); size]),
        }
    }
}

/// A distance, or the quantity that a distance is a function of, written once for any number of
/// lanes.
///
/// The two Gaussians are called a and b, and Δ = μ_b − μ_a (see [`difference`]).
pub(crate) trait Formula: Send + Sync {
    /// Returns the value for one pair and, if `slopes` is given, replaces its values by the
    /// derivatives.
    ///
    /// If a covariance, or a matrix derived from it, is not positive definite, the value is NaN or
    /// infinite and nothing panics. Roots and logarithms of negative numbers produce NaN without
    /// branches, so one lane does not disturb the others; the loop over pairs then finds the class.
    /// Values are never negative, and at a = b value and derivatives are 0 up to round-off.
    ///
    /// Mark implementations, and the functions they call, as `#[inline(always)]`: only then is the
    /// code for eight pairs compiled with the widest vector instructions.
    fn pair<R: Real>(
        &self,
        pair: &Pair<'_, R>,
        work: &mut Work<R>,
        slopes: Option<&mut Slopes<R>>,
    ) -> R;

    /// Returns the value of a clear separation: 1 for a value that does not depend on the scale of
    /// the data.
    fn unit<R: Real>(&self, _: &Pair<'_, R>) -> R {
        R::splat(1.0)
    }
}

/// Writes Δ = μ_b − μ_a.
#[inline(always)]
pub(super) fn difference<R: Real>(pair: &Pair<'_, R>, delta: &mut [R]) {
    for i in 0..pair.order {
        delta[i] = pair.mean_b[i] - pair.mean_a[i];
    }
}

/// Writes the second moment Σ + μμᵀ.
#[inline(always)]
fn second_moment<R: Real>(mean: &[R], cov: &[R], moment: &mut [R], order: usize) {
    for i in 0..order {
        for j in 0..order {
            moment[i * order + j] = cov[i * order + j] + mean[i] * mean[j];
        }
    }
}

/// The matrices that a distance between positive definite matrices compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// The second moments Σ + μμᵀ.
    Second,
    /// The covariances Σ.
    Central,
}

impl Compared {
    /// Writes the matrix that the distance compares.
    #[inline(always)]
    pub(crate) fn write<R: Real>(self, mean: &[R], cov: &[R], matrix: &mut [R], order: usize) {
        match self {
            Self::Second => second_moment(mean, cov, matrix, order),
            Self::Central => matrix[..order * order].copy_from_slice(&cov[..order * order]),
        }
    }

    /// Writes the derivative with respect to the mean, 2Gμ, where G is the derivative with respect
    /// to the second moment; writes 0 for covariances.
    #[inline(always)]
    pub(crate) fn chain<R: Real>(self, g: &[R], mean: &[R], slope: &mut [R], order: usize) {
        match self {
            Self::Second => {
                apply(g, false, mean, slope, order);
                for value in slope.iter_mut() {
                    *value = *value + *value;
                }
            }
            Self::Central => slope.fill(R::splat(0.0)),
        }
    }
}

/// Writes matrix · x, or matrixᵀ · x if `transposed`.
#[inline(always)]
pub(super) fn apply<R: Real>(matrix: &[R], transposed: bool, x: &[R], y: &mut [R], order: usize) {
    let (row, column) = if transposed { (1, order) } else { (order, 1) };
    for i in 0..order {
        let mut sum = R::splat(0.0);
        for j in 0..order {
            sum = sum + matrix[i * row + j * column] * x[j];
        }
        y[i] = sum;
    }
}

/// Returns the inner product of two vectors.
#[inline(always)]
pub(super) fn dot<R: Real>(x: &[R], y: &[R], length: usize) -> R {
    let mut sum = R::splat(0.0);
    for i in 0..length {
        sum = sum + x[i] * y[i];
    }
    sum
}

/// Writes V diag(f(λ)) Vᵀ, where λ are the diagonal entries of `diagonal` and V are the `vectors`.
#[inline(always)]
pub(super) fn spectral<R: Real>(
    diagonal: &[R],
    vectors: &[R],
    f: impl Fn(R) -> R,
    scratch: &mut [R],
    result: &mut [R],
    order: usize,
) {
    for j in 0..order {
        let factor = f(diagonal[j * order + j]);
        for i in 0..order {
            scratch[i * order + j] = vectors[i * order + j] * factor;
        }
    }
    R::multiply(scratch, false, vectors, true, result, order);
}

/// Writes XᵀMX if `transposed`, otherwise XMXᵀ. The result is exactly symmetric.
#[inline(always)]
pub(super) fn congruence<R: Real>(
    x: &[R],
    transposed: bool,
    matrix: &[R],
    scratch: &mut [R],
    result: &mut [R],
    order: usize,
) {
    R::multiply(x, transposed, matrix, false, scratch, order);
    R::multiply(scratch, false, x, !transposed, result, order);
    symmetrize(result, order);
}

/// Replaces a matrix by its symmetric part.
#[inline(always)]
pub(super) fn symmetrize<R: Real>(matrix: &mut [R], order: usize) {
    for i in 0..order {
        for j in 0..i {
            let mean = (matrix[i * order + j] + matrix[j * order + i]) * R::splat(0.5);
            matrix[i * order + j] = mean;
            matrix[j * order + i] = mean;
        }
    }
}

/// Replaces a symmetric positive definite matrix by its Cholesky factor, writes the inverse of the
/// factor and returns the log-determinant of the matrix.
#[inline(always)]
pub(super) fn factor<R: Real>(matrix: &mut [R], inverse_lower: &mut [R], order: usize) -> R {
    R::cholesky(matrix, order);
    R::invert_lower(matrix, inverse_lower, order);
    let mut log_det = R::splat(0.0);
    for i in 0..order {
        log_det = log_det + matrix[i * order + i].map(f64::ln);
    }
    log_det + log_det
}
