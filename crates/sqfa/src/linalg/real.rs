//! The number type of small matrices: one `f64`, or eight `f64` in the lanes of a vector.
//!
//! Every formula of the `distance` module is written once over [`Real`]. With `R = f64` it evaluates one pair of
//! classes; with `R = Lanes` the same code evaluates eight pairs at once, one in each SIMD lane. The code never
//! branches on the value of a lane, so a factorization that fails leaves NaN in its own lane and does not affect the
//! others.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{factor, jacobi, one_sided, small, tridiagonal};

/// Number of lanes, that is, of pairs of classes that are evaluated together.
pub(crate) const LANES: usize = 8;

/// Arithmetic on one number or on [`LANES`] numbers, and matrix kernels built from it.
///
/// Matrices are square, row-major slices.
pub(crate) trait Real:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number of lanes.
    const WIDTH: usize;
    /// Returns a number with the same value in every lane.
    fn splat(value: f64) -> Self;
    /// Returns the value in one lane.
    fn lane(&self, lane: usize) -> f64;
    /// Replaces the value in one lane.
    fn set_lane(&mut self, lane: usize, value: f64);
    /// Applies a function to the value in every lane.
    fn map(self, f: impl Fn(f64) -> f64) -> Self;
    /// Returns the square root of every lane.
    fn sqrt(self) -> Self;

    /// Replaces a symmetric positive definite matrix, of which the lower triangle is read, by its lower Cholesky factor
    /// and sets the upper triangle to zero.
    fn cholesky(matrix: &mut [Self], order: usize);
    /// Writes the inverse of a lower triangular matrix to `inverse`.
    fn invert_lower(lower: &[Self], inverse: &mut [Self], order: usize);
    /// Computes `product = left · right`. Either operand can be transposed.
    fn multiply(
        left: &[Self],
        left_transposed: bool,
        right: &[Self],
        right_transposed: bool,
        product: &mut [Self],
        order: usize,
    );
    /// Whether the value of any lane is greater than zero. NaN counts as not greater.
    fn any_positive(self) -> bool;
    /// Selects `then` in lanes that are greater than zero and `otherwise` in all others, including lanes with NaN.
    fn if_positive(self, then: Self, otherwise: Self) -> Self;
    /// Returns tan(φ/2)/tan φ for x = tan φ from 0 to 10¹⁷, with the accuracy of single precision.
    fn rough_half_angle(self) -> Self;
    /// Returns 1/√x for x from 1 to 2, with the accuracy of single precision.
    fn rough_inverse_root(self) -> Self;

    /// Diagonalizes a symmetric matrix: writes the eigenvalues to its diagonal and the eigenvectors to the columns of
    /// `vectors`.
    fn eigen(matrix: &mut [Self], vectors: &mut [Self], order: usize);
    /// Diagonalizes Σ r rᵀ over the rows r of a factor. The rows are replaced by orthonormal eigenvectors, and the
    /// eigenvalues are written to `values`. The scratch space is two matrices and a vector.
    fn eigen_of_factor(
        rows: &mut [Self],
        values: &mut [Self],
        scratch: [&mut [Self]; 3],
        order: usize,
    );
    /// Computes `result = Σ weight · r rᵀ` over the rows r, symmetric to the last bit.
    fn weighted_squares(rows: &[Self], weights: &[Self], result: &mut [Self], order: usize);
}

/// Returns tan(φ/2)/tan φ = 1/(1 + √(1 + x²)) for x = tan φ.
#[inline(always)]
fn half_angle(x: f32) -> f32 {
    1.0 / (1.0 + (1.0 + x * x).sqrt())
}

/// Order from which the rows are first rotated by the eigenvectors of a tridiagonal matrix. Below it, one-sided Jacobi
/// alone is as fast.
const TRIDIAGONAL: usize = 4;

#[inline(always)]
fn eigen_of_factor<R: Real>(
    rows: &mut [R],
    values: &mut [R],
    scratch: [&mut [R]; 3],
    order: usize,
) {
    if order >= TRIDIAGONAL {
        let [gram, turn, beside] = scratch;
        tridiagonal::turn(rows, [gram, turn, values, beside], order);
    }
    one_sided::eigen(rows, values, order);
}

/// Hides the value of an index from the compiler.
///
/// Loops over entries of eight lanes would otherwise be compiled to gather one lane of eight entries at a time, which
/// is several times slower than processing one entry at a time.
#[inline(always)]
pub(super) fn opaque(index: usize) -> usize {
    std::hint::black_box(index)
}

impl Real for f64 {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn lane(&self, _: usize) -> f64 {
        *self
    }
    #[inline(always)]
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = value;
    }
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        f(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn any_positive(self) -> bool {
        self > 0.0
    }
    #[inline(always)]
    fn if_positive(self, then: Self, otherwise: Self) -> Self {
        if self > 0.0 { then } else { otherwise }
    }
    #[inline(always)]
    fn rough_half_angle(self) -> Self {
        f64::from(half_angle(self as f32))
    }
    #[inline(always)]
    fn rough_inverse_root(self) -> Self {
        f64::from(1.0 / (self as f32).sqrt())
    }

    fn cholesky(matrix: &mut [Self], order: usize) {
        if order > factor::SMALL_ORDER {
            factor::cholesky(matrix, order);
        } else {
            small::cholesky(matrix, order);
        }
    }
    fn invert_lower(lower: &[Self], inverse: &mut [Self], order: usize) {
        if order > factor::SMALL_ORDER {
            factor::invert_lower(lower, inverse, order);
        } else {
            small::invert_lower(lower, inverse, order);
        }
    }
    fn multiply(
        left: &[Self],
        left_transposed: bool,
        right: &[Self],
        right_transposed: bool,
        product: &mut [Self],
        order: usize,
    ) {
        if order > factor::SMALL_ORDER {
            factor::multiply(left, left_transposed, right, right_transposed, product, order);
        } else {
            small::multiply(left, left_transposed, right, right_transposed, product, order);
        }
    }
    fn eigen(matrix: &mut [Self], vectors: &mut [Self], order: usize) {
        if order > factor::SMALL_ORDER {
            factor::eigen(matrix, vectors, order);
        } else {
            jacobi::eigen(matrix, vectors, order);
        }
    }
    fn eigen_of_factor(
        rows: &mut [Self],
        values: &mut [Self],
        scratch: [&mut [Self]; 3],
        order: usize,
    ) {
        if order > factor::SMALL_ORDER {
            factor::eigen_of_factor(rows, values, order);
        } else {
            eigen_of_factor(rows, values, scratch, order);
        }
    }
    fn weighted_squares(rows: &[Self], weights: &[Self], result: &mut [Self], order: usize) {
        if order > factor::SMALL_ORDER {
            factor::weighted_squares(rows, weights, result, order);
        } else {
            small::weighted_squares(rows, weights, result, order);
        }
    }
}

/// Eight numbers on which arithmetic is performed together.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Lanes([f64; LANES]);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut result = self.0;
                for lane in 0..LANES {
                    result[lane] = self.0[lane] $operator other.0[lane];
                }
                Self(result)
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|value| -value)
    }
}

impl Real for Lanes {
    const WIDTH: usize = LANES;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> f64 {
        self.0[lane]
    }
    #[inline(always)]
    fn set_lane(&mut self, lane: usize, value: f64) {
        self.0[lane] = value;
    }
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let mut result = self.0;
        for value in &mut result {
            *value = f(*value);
        }
        Self(result)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    #[inline(always)]
    fn any_positive(self) -> bool {
        self.0.iter().fold(false, |any, &value| any | (value > 0.0))
    }
    #[inline(always)]
    fn if_positive(self, then: Self, otherwise: Self) -> Self {
        let mut result = otherwise.0;
        for lane in 0..LANES {
            result[lane] = if self.0[lane] > 0.0 { then.0[lane] } else { otherwise.0[lane] };
        }
        Self(result)
    }
    #[inline(always)]
    fn rough_half_angle(self) -> Self {
        let mut single = [0.0_f32; LANES];
        for lane in 0..LANES {
            single[lane] = self.0[lane] as f32;
        }
        for value in &mut single {
            *value = half_angle(*value);
        }
        Self(single.map(f64::from))
    }
    #[inline(always)]
    fn rough_inverse_root(self) -> Self {
        let mut single = [0.0_f32; LANES];
        for lane in 0..LANES {
            single[lane] = self.0[lane] as f32;
        }
        for value in &mut single {
            *value = 1.0 / value.sqrt();
        }
        Self(single.map(f64::from))
    }

    fn cholesky(matrix: &mut [Self], order: usize) {
        super::dispatch(
            #[inline(always)]
            || small::cholesky(matrix, order),
        );
    }
    fn invert_lower(lower: &[Self], inverse: &mut [Self], order: usize) {
        super::dispatch(
            #[inline(always)]
            || small::invert_lower(lower, inverse, order),
        );
    }
    fn multiply(
        left: &[Self],
        left_transposed: bool,
        right: &[Self],
        right_transposed: bool,
        product: &mut [Self],
        order: usize,
    ) {
        super::dispatch(
            #[inline(always)]
            || small::multiply(left, left_transposed, right, right_transposed, product, order),
        );
    }
    fn eigen(matrix: &mut [Self], vectors: &mut [Self], order: usize) {
        super::dispatch(
            #[inline(always)]
            || jacobi::eigen(matrix, vectors, order),
        );
    }
    fn eigen_of_factor(
        rows: &mut [Self],
        values: &mut [Self],
        scratch: [&mut [Self]; 3],
        order: usize,
    ) {
        super::dispatch(
            #[inline(always)]
            || eigen_of_factor(rows, values, scratch, order),
        );
    }
    fn weighted_squares(rows: &[Self], weights: &[Self], result: &mut [Self], order: usize) {
        super::dispatch(
            #[inline(always)]
            || small::weighted_squares(rows, weights, result, order),
        );
    }
}
