//! Factorisations and products of small square matrices, one or eight at a time.
//!
//! Plain loops over row-major slices; inlined into the run-time dispatch so that the lanes become
//! SIMD registers. A matrix that is not positive definite leaves NaN, never a panic.

use super::real::Real;

/// Cholesky factor A = LLᵀ in place; the strict upper triangle becomes zero. Cost n³/3.
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

/// Inverse of a lower triangular matrix. Cost n³/3.
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

/// C = op(A)·op(B). Cost 2n³.
#[inline(always)]
pub(super) fn multiply<R: Real>(a: &[R], a_t: bool, b: &[R], b_t: bool, c: &mut [R], n: usize) {
    let (a, b, c) = (&a[..n * n], &b[..n * n], &mut c[..n * n]);
    let (a_row, a_col) = if a_t { (1, n) } else { (n, 1) };
    let (b_row, b_col) = if b_t { (1, n) } else { (n, 1) };
    for i in 0..n {
        let mut j = 0;
        // Four sums at once: each element of A is loaded once for four products.
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
