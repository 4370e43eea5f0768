//! Cyclic Jacobi: eigenvalues and eigenvectors of small symmetric matrices, eight at a time.
//!
//! Each rotation annihilates one off-diagonal element; sweeps repeat until every element satisfies
//! |a_pq| ≤ tolerance·√(a_pp a_qq), which gives small eigenvalues of positive matrices their own
//! digits (Demmel & Veselić, 1992). All lanes rotate together without branches, so the number of
//! sweeps is that of the slowest lane. Cost about 6n³ a sweep, 5–7 sweeps.

use super::real::Real;

/// Relative size below which an off-diagonal element counts as zero. Sweeps converge quadratically, so
/// the last one usually ends far below; the value's error is second order in it.
const TOLERANCE: f64 = 1e-13;
/// Far more sweeps than any finite matrix needs (observed: at most 9 up to order 64).
const MAX_SWEEPS: usize = 30;
/// Keeps 0/0 out of the rotation of an element that is already zero.
const TINY: f64 = 1e-300;

/// Diagonalises `a` in place and writes the eigenvectors to the columns of `v`.
#[inline(always)]
pub(super) fn eigen<R: Real>(a: &mut [R], v: &mut [R], n: usize) {
    let (a, v) = (&mut a[..n * n], &mut v[..n * n]);
    for i in 0..n {
        for j in 0..n {
            v[i * n + j] = R::splat(if i == j { 1.0 } else { 0.0 });
        }
    }
    for _ in 0..MAX_SWEEPS {
        if is_diagonal(a, n) {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, v, n, p, q);
            }
        }
    }
}

/// Whether every lane's off-diagonal elements are negligible; a lane holding NaN counts as done.
#[inline(always)]
fn is_diagonal<R: Real>(a: &[R], n: usize) -> bool {
    let mut worst = [0.0_f64; super::real::LANES];
    for p in 0..n {
        for q in p + 1..n {
            let off = a[p * n + q];
            let excess = off * off
                - R::splat(TOLERANCE * TOLERANCE) * (a[p * n + p] * a[q * n + q]).map(f64::abs)
                - R::splat(TINY);
            for lane in 0..R::WIDTH {
                worst[lane] = worst[lane].max(excess.lane(lane));
            }
        }
    }
    worst.iter().all(|&excess| excess <= 0.0)
}

#[inline(always)]
fn rotate<R: Real>(a: &mut [R], v: &mut [R], n: usize, p: usize, q: usize) {
    let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
    let difference = aqq - app;
    let two = apq + apq;
    let root = (difference * difference + two * two).sqrt();
    let t = two / (difference.map(f64::abs) + root + R::splat(TINY))
        * difference.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let c = R::splat(1.0) / (R::splat(1.0) + t * t).sqrt();
    let s = t * c;
    a[p * n + p] = app - t * apq;
    a[q * n + q] = aqq + t * apq;
    a[p * n + q] = R::splat(0.0);
    // Only the upper triangle is kept.
    for k in 0..p {
        turn(a, k * n + p, k * n + q, c, s);
    }
    for k in p + 1..q {
        turn(a, p * n + k, k * n + q, c, s);
    }
    for k in q + 1..n {
        turn(a, p * n + k, q * n + k, c, s);
    }
    for k in 0..n {
        turn(v, k * n + p, k * n + q, c, s);
    }
}

#[inline(always)]
fn turn<R: Real>(values: &mut [R], x: usize, y: usize, c: R, s: R) {
    let (first, second) = (values[x], values[y]);
    values[x] = c * first - s * second;
    values[y] = s * first + c * second;
}
