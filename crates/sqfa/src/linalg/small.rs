//! Factorizations and products of small square matrices, one or eight at a time.
//!
//! These are plain loops over row-major slices. They are inlined into the run-time dispatch, so that lanes become SIMD
//! registers. A matrix that is not positive definite leaves NaN and never panics.

use super::real::Real;

/// Replaces A by its Cholesky factor L, A = LLᵀ, and sets the strict upper triangle to zero. Costs n³/3 flops.
#[inline(always)]
pub(super) fn cholesky<R: Real>(a: &mut [R], n: usize) {
    let a = &mut a[..n * n];
    for j in 0..n {
        let mut pivot = a[j * n + j];
        for k in 0..j {
            pivot = pivot - a[j * n + k] * a[j * n + k];
        }
        let root = pivot.sqrt();
        let inverse = R::splat(1.0) / root;
        a[j * n + j] = root;
        for i in j + 1..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum = sum - a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum * inverse;
        }
        for k in j + 1..n {
            a[j * n + k] = R::splat(0.0);
        }
    }
}

/// Computes the inverse of a lower triangular matrix. Costs n³/3 flops.
#[inline(always)]
pub(super) fn invert_lower<R: Real>(l: &[R], x: &mut [R], n: usize) {
    let (l, x) = (&l[..n * n], &mut x[..n * n]);
    for i in 0..n {
        let inverse = R::splat(1.0) / l[i * n + i];
        for j in 0..n {
            if j > i {
                x[i * n + j] = R::splat(0.0);
                continue;
            }
            let mut sum = R::splat(if i == j { 1.0 } else { 0.0 });
            for k in j..i {
                sum = sum - l[i * n + k] * x[k * n + j];
            }
            x[i * n + j] = sum * inverse;
        }
    }
}

/// Computes C = op(A)·op(B), where op transposes or does nothing. Costs 2n³ flops.
#[inline(always)]
pub(super) fn multiply<R: Real>(a: &[R], a_t: bool, b: &[R], b_t: bool, c: &mut [R], n: usize) {
    let (a, b, c) = (&a[..n * n], &b[..n * n], &mut c[..n * n]);
    let (a_row, a_col) = if a_t { (1, n) } else { (n, 1) };
    let (b_row, b_col) = if b_t { (1, n) } else { (n, 1) };
    for i in 0..n {
        let mut j = 0;
        // Four sums at once, so that each element of A is loaded once for four products.
        while j + 4 <= n {
            let mut sums = [R::splat(0.0); 4];
            for k in 0..n {
                let left = a[i * a_row + k * a_col];
                for (offset, sum) in sums.iter_mut().enumerate() {
                    *sum = *sum + left * b[k * b_row + (j + offset) * b_col];
                }
            }
            c[i * n + j..i * n + j + 4].copy_from_slice(&sums);
            j += 4;
        }
        while j < n {
            let mut sum = R::splat(0.0);
            for k in 0..n {
                sum = sum + a[i * a_row + k * a_col] * b[k * b_row + j * b_col];
            }
            c[i * n + j] = sum;
            j += 1;
        }
    }
}

/// Computes Σ weight·rrᵀ over the rows r. Costs 3n³/2 flops.
#[inline(always)]
pub(super) fn weighted_squares<R: Real>(rows: &[R], weights: &[R], result: &mut [R], n: usize) {
    let (rows, weights, result) = (&rows[..n * n], &weights[..n], &mut result[..n * n]);
    for i in 0..n {
        for j in 0..=i {
            let mut sum = R::splat(0.0);
            for k in 0..n {
                sum = sum + weights[k] * rows[k * n + i] * rows[k * n + j];
            }
            result[i * n + j] = sum;
            result[j * n + i] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::real::{LANES, Lanes};
    use super::*;

    /// Tolerance for a dozen roundings per entry at these orders and condition numbers below 100.
    const ROUNDING: f64 = 1e-13;

    /// Returns a well-conditioned positive definite matrix, a different one for each seed.
    fn positive(n: usize, seed: usize) -> Vec<f64> {
        (0..n * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                let wave = (((i + 1) * (j + 1) + seed) as f64).sin() / n as f64;
                if i == j { 2.0 + 0.1 * seed as f64 } else { wave }
            })
            .collect()
    }

    fn product(a: &[f64], b: impl Fn(usize, usize) -> f64, n: usize) -> Vec<f64> {
        let entry = |at: usize| (0..n).map(|k| a[at / n * n + k] * b(k, at % n)).sum();
        (0..n * n).map(entry).collect()
    }

    fn assert_near(x: &[f64], y: &[f64]) {
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= ROUNDING, "{x} is not {y}");
        }
    }

    #[test]
    fn a_factor_times_its_transpose_is_the_matrix_and_times_its_inverse_the_identity() {
        for n in [1, 2, 3, 8, 17, 40] {
            let matrix = positive(n, 1);
            let (mut lower, mut inverse) = (matrix.clone(), vec![f64::NAN; n * n]);
            cholesky(&mut lower, n);
            invert_lower(&lower, &mut inverse, n);
            assert_near(&product(&lower, |k, j| lower[j * n + k], n), &matrix);
            let identity: Vec<f64> = (0..n * n).map(|at| f64::from(at / n == at % n)).collect();
            assert_near(&product(&lower, |k, j| inverse[k * n + j], n), &identity);
            for i in 0..n {
                assert!((i + 1..n).all(|j| lower[i * n + j] == 0.0 && inverse[i * n + j] == 0.0));
            }
        }
    }

    #[test]
    fn products_with_either_operand_transposed() {
        for n in [1, 3, 4, 7, 12] {
            let a: Vec<f64> = (0..n * n).map(|k| (k as f64).sin()).collect();
            let b: Vec<f64> = (0..n * n).map(|k| (2.0 * k as f64).cos()).collect();
            let turned: Vec<f64> = (0..n * n).map(|at| a[at % n * n + at / n]).collect();
            for (a_t, b_t) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut c = vec![f64::NAN; n * n];
                multiply(&a, a_t, &b, b_t, &mut c, n);
                let left = if a_t { &turned } else { &a };
                let right = |k: usize, j: usize| if b_t { b[j * n + k] } else { b[k * n + j] };
                assert_near(&c, &product(left, right, n));
            }
        }
    }

    #[test]
    fn failed_factorization_leaves_nan_only_in_its_lane() {
        let n = 5;
        let failing = 3;
        let mut lanes = vec![Lanes::splat(0.0); n * n];
        for lane in 0..LANES {
            lanes.iter_mut().zip(positive(n, lane)).for_each(|(x, value)| x.set_lane(lane, value));
        }
        lanes[2 * n + 2].set_lane(failing, -1.0);
        let mut inverse = lanes.clone();
        Lanes::cholesky(&mut lanes, n);
        Lanes::invert_lower(&lanes, &mut inverse, n);
        for lane in 0..LANES {
            let finite = |m: &[Lanes]| m.iter().all(|x| x.lane(lane).is_finite());
            assert_eq!(finite(&lanes), lane != failing);
            assert_eq!(finite(&inverse), lane != failing);
            if lane != failing {
                let mut alone = positive(n, lane);
                cholesky(&mut alone, n);
                assert!(alone.iter().zip(&lanes).all(|(x, y)| *x == y.lane(lane)));
            }
        }
    }
}
