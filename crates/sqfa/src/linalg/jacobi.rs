//! Cyclic Jacobi method: eigenvalues and eigenvectors of small symmetric matrices, eight matrices at a time.
//!
//! Each rotation makes one off-diagonal element zero. Sweeps repeat until every element satisfies
//! |a_pq| ≤ tolerance·√(a_pp a_qq). With this criterion, small eigenvalues of positive definite matrices are accurate
//! relative to themselves (Demmel & Veselić, 1992). All lanes rotate together without branches, so the number of sweeps
//! is that of the slowest lane. The cost is about 6n³ flops per sweep, for 5–7 sweeps.

use super::real::Real;

/// Relative size below which an off-diagonal element is treated as zero. Sweeps converge quadratically, so elements are
/// usually far smaller after the last one, and their effect on an eigenvalue is of second order.
const TOLERANCE: f64 = 1e-13;
/// Maximum number of sweeps. Finite matrices need far fewer (at most 9 were observed up to order 64).
const MAX_SWEEPS: usize = 30;
/// Summand that prevents 0/0 in the rotation for an element that is already zero.
const TINY: f64 = 1e-300;

/// Diagonalizes `a` in place and writes the eigenvectors to the columns of `v`.
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

/// Whether the off-diagonal elements are negligible in every lane. A lane with NaN counts as finished.
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
    // Only the upper triangle is updated, because the matrix is symmetric.
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

#[cfg(test)]
mod tests {
    use super::super::real::{LANES, Lanes};
    use super::*;

    /// Tolerance for the vectors after some thousand rotations, each of which rounds in the last place.
    const ROUNDING: f64 = 1e-13;
    /// Tolerance for small eigenvalues of graded positive matrices, relative to these eigenvalues.
    const RELATIVE: f64 = 1e-12;

    /// A reproducible pseudorandom number between −1 and 1.
    fn noise(seed: usize) -> f64 {
        2.0 * ((seed as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 1.0
    }

    fn matrix(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..n * n).map(|at| entry((at / n).min(at % n), (at / n).max(at % n))).collect()
    }

    /// QDQᵀ with Q = I − 2uuᵀ/uᵀu: a dense matrix whose eigenvalues are known.
    fn reflected(values: &[f64]) -> Vec<f64> {
        let n = values.len();
        let u: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * noise(i)).collect();
        let square: f64 = u.iter().map(|u| u * u).sum();
        let q = |i: usize, j: usize| f64::from(i == j) - 2.0 * u[i] * u[j] / square;
        matrix(n, |i, j| (0..n).map(|k| q(i, k) * values[k] * q(j, k)).sum())
    }

    /// Named test matrices of order n.
    fn zoo(n: usize) -> Vec<(&'static str, Vec<f64>)> {
        let spectrum = |f: fn(usize) -> f64| reflected(&(0..n).map(f).collect::<Vec<_>>());
        vec![
            ("random", matrix(n, |i, j| noise(31 * i + j))),
            (
                "graded",
                matrix(n, |i, j| {
                    (f64::from(i == j) + 0.1 * noise(7 * i + j)) * 10.0_f64.powi(-((i + j) as i32))
                }),
            ),
            ("clustered", spectrum(|k| 1.0 + 1e-10 * k as f64)),
            ("repeated", spectrum(|k| if k % 2 == 0 { 2.0 } else { 5.0 })),
            ("near-singular", spectrum(|k| if k == 0 { 1e-15 } else { 1.0 })),
            ("rank one", matrix(n, |_, _| 1.0)),
            ("diagonal", matrix(n, |i, j| if i == j { 3.0 - i as f64 } else { 0.0 })),
            ("identity", matrix(n, |i, j| f64::from(i == j))),
            ("zero", vec![0.0; n * n]),
            ("indefinite", spectrum(|k| if k % 2 == 0 { -3.0 } else { 1.0 + k as f64 })),
            ("opposite", matrix(n, |i, j| if i + j == n - 1 { 1.0 } else { 0.0 })),
            ("large", matrix(n, |i, j| 1e100 * noise(3 * i + 5 * j))),
            ("small", matrix(n, |i, j| 1e-100 * noise(3 * i + 5 * j))),
        ]
    }

    /// ‖AV − VΛ‖ and ‖VᵀV − I‖, the first relative to ‖A‖.
    fn errors(a: &[f64], values: &[f64], v: &[f64], n: usize) -> (f64, f64) {
        let (mut backward, mut orthogonal) = (0.0_f64, 0.0_f64);
        let scale = a.iter().fold(f64::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
        for i in 0..n {
            for j in 0..n {
                let product: f64 = (0..n).map(|k| a[i * n + k] / scale * v[k * n + j]).sum();
                backward = backward.max((product - values[j] / scale * v[i * n + j]).abs());
                let inner: f64 = (0..n).map(|k| v[k * n + i] * v[k * n + j]).sum();
                orthogonal = orthogonal.max((inner - f64::from(i == j)).abs());
            }
        }
        (backward, orthogonal)
    }

    fn check(name: &str, a: &[f64], result: &[f64], v: &[f64], n: usize) {
        let values: Vec<f64> = (0..n).map(|i| result[i * n + i]).collect();
        let (backward, orthogonal) = errors(a, &values, v, n);
        // Each neglected element may be as large as the tolerance, and a column has n of them.
        assert!(
            backward <= n as f64 * TOLERANCE,
            "{name} of order {n}: backward error {backward:e}"
        );
        assert!(orthogonal <= ROUNDING, "{name} of order {n}: not orthogonal by {orthogonal:e}");
    }

    #[test]
    fn single_matrices_are_diagonalized_backward_stably() {
        for n in [1, 2, 3, 5, 9, 17, 33, 49] {
            for (name, a) in zoo(n) {
                let (mut result, mut v) = (a.clone(), vec![0.0; n * n]);
                eigen(&mut result, &mut v, n);
                check(name, &a, &result, &v, n);
            }
        }
    }

    #[test]
    fn eight_different_matrices_are_diagonalized_backward_stably() {
        for n in [1, 2, 5, 9, 17, 33] {
            for batch in zoo(n).chunks(LANES) {
                let mut a = vec![Lanes::splat(0.0); n * n];
                let mut v = a.clone();
                for lane in 0..LANES {
                    let (_, matrix) = &batch[lane % batch.len()];
                    a.iter_mut().zip(matrix).for_each(|(a, &value)| a.set_lane(lane, value));
                }
                Lanes::eigen(&mut a, &mut v, n);
                for (lane, (name, matrix)) in batch.iter().enumerate() {
                    let [result, vectors] =
                        [&a, &v].map(|m| m.iter().map(|x| x.lane(lane)).collect::<Vec<_>>());
                    check(name, matrix, &result, &vectors, n);
                }
            }
        }
    }

    #[test]
    fn small_eigenvalues_of_graded_matrices_are_accurate() {
        // D·C·D with D = diag(1, 2⁻²⁰) is exact, so the quadratic formula gives the eigenvalues.
        let (a, b, c) = (1.0, 0.5 * 2.0_f64.powi(-20), 2.0_f64.powi(-40));
        let (mut matrix, mut v) = (vec![a, b, b, c], vec![0.0; 4]);
        f64::eigen(&mut matrix, &mut v, 2);
        let large = 0.5 * (a + c + ((a - c) * (a - c) + 4.0 * b * b).sqrt());
        let small = (a * c - b * b) / large;
        assert!((matrix[3] / small - 1.0).abs() <= RELATIVE, "{:e} is not {small:e}", matrix[3]);
        assert!((matrix[0] / large - 1.0).abs() <= RELATIVE);
    }

    #[test]
    fn nan_in_one_lane_does_not_affect_other_lanes() {
        let n = 4;
        let sound = matrix(n, |i, j| noise(31 * i + j));
        let mut a: Vec<Lanes> = sound.iter().map(|&x| Lanes::splat(x)).collect();
        let mut v = a.clone();
        a[1].set_lane(2, f64::NAN);
        Lanes::eigen(&mut a, &mut v, n);
        for lane in (0..LANES).filter(|&lane| lane != 2) {
            let [result, vectors] =
                [&a, &v].map(|m| m.iter().map(|x| x.lane(lane)).collect::<Vec<_>>());
            check("next to NaN", &sound, &result, &vectors, n);
        }
        assert!((0..n).any(|i| a[i * n + i].lane(2).is_nan()));
    }
}
