//! One-sided Jacobi method: eigenvalues and eigenvectors of positive semidefinite matrices from a factor, eight at a
//! time.
//!
//! The matrix is A = Σ r_j r_jᵀ for the rows r_j of the factor. Each rotation turns two rows until they are orthogonal.
//! When all pairs are orthogonal, the squared lengths of the rows are the eigenvalues and their directions the
//! eigenvectors. A is never formed, so eigenvalues far below the largest keep their digits (Demmel & Veselić, 1992). A
//! triangular factor needs fewer sweeps than A (Veselić & Hari, 1989).
//!
//! A rotation is computed from an angle in single precision. The angle only decides how fast the method converges. Sine
//! and cosine are then normalized to double precision, so each rotation is orthogonal to the last digit.
//!
//! Pairs are processed in rounds of a round-robin tournament. The pairs of a round share no row, so the processor can
//! work on several at once. The cost is about 4n³ flops per sweep, for 4–6 sweeps.

use super::real::{Real, opaque};

/// Cosine of the angle between two rows below which they count as orthogonal.
const TOLERANCE: f64 = 1e-13;
/// Maximum number of sweeps; finite factors need far fewer.
const MAX_SWEEPS: usize = 40;
/// Summand that prevents 0/0 in the rotation of rows that are already orthogonal.
const TINY: f64 = 1e-300;
/// Bound for a tangent. At this size its angle is 90° in double precision, and its square is still finite in single
/// precision.
const LARGE: f64 = 1e17;

/// Maximum number of pairs in a round. It bounds the arrays of a round, so that they fit on the stack.
const TABLES: usize = 25;

/// Replaces the rows of a factor by orthonormal eigenvectors of Σ r rᵀ and writes the eigenvalues, in no particular
/// order.
///
/// The factor may have at most 50 rows.
#[inline(always)]
pub(super) fn eigen<R: Real>(rows: &mut [R], values: &mut [R], n: usize) {
    let (rows, values) = (&mut rows[..n * n], &mut values[..n]);
    // With an odd number of rows, one row pauses in each round.
    let seats = n + n % 2;
    for _ in 0..MAX_SWEEPS {
        squared_lengths(rows, values, n);
        let mut turned = false;
        for round in 1..seats {
            turned |= play(rows, values, n, round, seats);
        }
        if !turned {
            break;
        }
    }
    squared_lengths(rows, values, n);
    for (row, &value) in rows.chunks_mut(n).zip(values.iter()) {
        let inverse = R::splat(1.0) / value.sqrt();
        for k in 0..n {
            let k = opaque(k);
            row[k] = row[k] * inverse;
        }
    }
}

/// Turns all pairs of a round until they are orthogonal, unless all are already orthogonal in every lane, and returns
/// whether it turned any. A lane with NaN counts as finished. All angles are computed before all rotations, because
/// computing them alternately would wait for the latency of square roots and divisions.
#[inline(always)]
fn play<R: Real>(rows: &mut [R], values: &mut [R], n: usize, round: usize, seats: usize) -> bool {
    let tables = (seats / 2).min(TABLES);
    let mut overlaps = [R::splat(0.0); TABLES];
    let mut excess = false;
    for (seat, overlap) in overlaps[..tables].iter_mut().enumerate() {
        let (p, q) = opponents(round, seat, seats);
        if q < n {
            let (first, second) = (&rows[p * n..(p + 1) * n], &rows[q * n..(q + 1) * n]);
            for k in 0..n {
                *overlap = *overlap + first[k] * second[k];
            }
            let limit = R::splat(TOLERANCE * TOLERANCE) * values[p] * values[q];
            excess |= (*overlap * *overlap - limit).any_positive();
        }
    }
    if !excess {
        return false;
    }
    let mut angles = [(R::splat(1.0), R::splat(0.0)); TABLES];
    for (seat, (angle, &overlap)) in angles.iter_mut().zip(&overlaps[..tables]).enumerate() {
        let (p, q) = opponents(round, seat, seats);
        if q < n {
            *angle = rotation(&mut values[p..=q], overlap);
        }
    }
    for (seat, &(c, s)) in angles[..tables].iter().enumerate() {
        let (p, q) = opponents(round, seat, seats);
        if q < n {
            let (above, below) = rows.split_at_mut(q * n);
            let (first, second) = (&mut above[p * n..(p + 1) * n], &mut below[..n]);
            for k in 0..n {
                let k = opaque(k);
                let (x, y) = (first[k], second[k]);
                first[k] = c * x - s * y;
                second[k] = s * x + c * y;
            }
        }
    }
    true
}

/// Returns the two rows that form a pair in a round of a round-robin tournament. The first row keeps its seat, and the
/// others move on by one seat per round, so that every pair meets exactly once per sweep.
#[inline(always)]
fn opponents(round: usize, seat: usize, seats: usize) -> (usize, usize) {
    let moved = |at: usize| match at + round {
        _ if at == 0 => 0,
        ahead if ahead < seats => ahead,
        ahead => ahead + 1 - seats,
    };
    let (p, q) = (moved(seat), moved(seats - 1 - seat));
    (p.min(q), p.max(q))
}

#[inline(always)]
fn squared_lengths<R: Real>(rows: &[R], values: &mut [R], n: usize) {
    for (row, value) in rows.chunks(n).zip(values) {
        let mut sum = R::splat(0.0);
        for &entry in row {
            sum = sum + entry * entry;
        }
        *value = sum;
    }
}

/// Returns the cosine and sine of the angle that makes two rows orthogonal.
///
/// The first and the last entry of `values` are the squared lengths of the rows and are replaced by those of the
/// rotated rows; `overlap` is the inner product of the rows.
#[inline(always)]
fn rotation<R: Real>(values: &mut [R], overlap: R) -> (R, R) {
    let last = values.len() - 1;
    let (alpha, beta) = (values[0], values[last]);
    let (difference, twice) = (beta - alpha, overlap + overlap);
    // |tan 2θ|, bounded: beyond the bound, θ is 45° to the last digit.
    let double = twice.map(f64::abs) / (difference.map(f64::abs) + R::splat(TINY));
    let double = double.map(|tangent| if tangent < LARGE { tangent } else { LARGE });
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    let t = double * double.rough_half_angle() * difference.map(sign) * twice.map(sign);
    let square = R::splat(1.0) + t * t;
    let (half, three_halves) = (R::splat(0.5) * square, R::splat(1.5));
    // Two Newton steps from single precision reach the last digit of 1/√(1 + t²).
    let mut c = square.rough_inverse_root();
    c = c * (three_halves - half * c * c);
    c = c * (three_halves - half * c * c);
    values[0] = alpha - t * overlap;
    values[last] = beta + t * overlap;
    (c, t * c)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::real::{LANES, Lanes};
    use super::*;

    /// Tolerance for inner products: rows count as orthogonal at `TOLERANCE`, and products of up to 49 entries round by
    /// about 49ε.
    const ROUNDING: f64 = 2.0 * TOLERANCE;

    /// A reproducible pseudorandom number between −1 and 1.
    pub(in super::super) fn noise(seed: usize) -> f64 {
        2.0 * ((seed as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 1.0
    }

    pub(in super::super) fn factor(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..n * n).map(|at| entry(at / n, at % n)).collect()
    }

    /// Named factors of order n.
    pub(in super::super) fn zoo(n: usize) -> Vec<(&'static str, Vec<f64>)> {
        let same = |i: usize, j: usize| f64::from(u8::from(i == j));
        vec![
            ("random", factor(n, |i, j| noise(31 * i + j))),
            (
                "graded",
                factor(n, |i, j| {
                    (same(i, j) + 0.1 * noise(7 * i + j)) * 10.0_f64.powi(-(i as i32))
                }),
            ),
            (
                "graded downwards",
                factor(n, |i, j| {
                    (same(i, j) + 0.1 * noise(7 * i + j)) * 10.0_f64.powi(-(j as i32))
                }),
            ),
            ("triangular", factor(n, |i, j| if j <= i { 1.5 + noise(5 * i + j) } else { 0.0 })),
            ("near identity", factor(n, |i, j| same(i, j) + 1e-9 * noise(3 * i + j))),
            ("identity", factor(n, same)),
            ("repeated", factor(n, |i, j| same(i, j) * if i % 2 == 0 { 2.0 } else { 5.0 })),
            ("nearly dependent", factor(n, |i, j| 1.0 + 1e-6 * noise(11 * i + j))),
            ("large", factor(n, |i, j| 1e60 * noise(3 * i + 5 * j + 1))),
            ("small", factor(n, |i, j| 1e-60 * noise(3 * i + 5 * j + 1))),
        ]
    }

    /// Checks that each row of the factor is reproduced by its coordinates in the eigenvectors, and that the sums of
    /// squares of these coordinates are the eigenvalues.
    fn check(name: &str, factor: &[f64], vectors: &[f64], values: &[f64], n: usize) {
        let scale = factor.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        for i in 0..n {
            for j in 0..n {
                let inner: f64 = (0..n).map(|k| vectors[i * n + k] * vectors[j * n + k]).sum();
                let expected = f64::from(u8::from(i == j));
                assert!((inner - expected).abs() <= ROUNDING, "{name} of order {n}: {inner:e}");
                // uᵢᵀ(Σ r rᵀ)uⱼ, computed without forming the sum.
                let coordinate = |r: usize, v: usize| -> f64 {
                    (0..n).map(|k| factor[r * n + k] / scale * vectors[v * n + k]).sum()
                };
                let form: f64 = (0..n).map(|r| coordinate(r, i) * coordinate(r, j)).sum();
                let expected = if i == j { values[i] / scale / scale } else { 0.0 };
                assert!(
                    (form - expected).abs() <= n as f64 * ROUNDING * n as f64,
                    "{name} of order {n}: {form:e} is not {expected:e}"
                );
            }
        }
    }

    #[test]
    fn single_factors_are_diagonalized() {
        for n in [1, 2, 3, 5, 9, 16, 17, 33, 49] {
            for (name, factor) in zoo(n) {
                let (mut rows, mut values) = (factor.clone(), vec![0.0; n]);
                eigen(&mut rows, &mut values, n);
                check(name, &factor, &rows, &values, n);
            }
        }
    }

    /// Diagonalizes all named factors, eight at a time.
    pub(in super::super) fn check_eight(
        n: usize,
        diagonalise: impl Fn(&mut [Lanes], &mut [Lanes], usize),
    ) {
        for batch in zoo(n).chunks(LANES) {
            let mut rows = vec![Lanes::splat(0.0); n * n];
            for lane in 0..LANES {
                let (_, factor) = &batch[lane % batch.len()];
                rows.iter_mut().zip(factor).for_each(|(x, &value)| x.set_lane(lane, value));
            }
            let mut values = vec![Lanes::splat(0.0); n];
            diagonalise(&mut rows, &mut values, n);
            for (lane, (name, factor)) in batch.iter().enumerate() {
                let [vectors, values] =
                    [&rows, &values].map(|m| m.iter().map(|x| x.lane(lane)).collect::<Vec<_>>());
                check(name, factor, &vectors, &values, n);
            }
        }
    }

    #[test]
    fn eight_different_factors_are_diagonalized() {
        for n in [1, 2, 5, 9, 16, 33] {
            check_eight(n, eigen);
        }
    }

    #[test]
    fn every_pair_of_rows_meets_once_per_sweep() {
        for seats in [2, 4, 8, 10, 18] {
            let mut met = vec![0; seats * seats];
            for round in 1..seats {
                let mut seen = vec![false; seats];
                for seat in 0..seats / 2 {
                    let (p, q) = opponents(round, seat, seats);
                    assert!(p < q && !seen[p] && !seen[q]);
                    (seen[p], seen[q]) = (true, true);
                    met[p * seats + q] += 1;
                }
            }
            assert_eq!(met.iter().sum::<usize>(), seats * (seats - 1) / 2);
            assert!(met.iter().all(|&times| times <= 1));
        }
    }

    #[test]
    fn eigenvalues_far_below_the_largest_are_accurate() {
        // Rows (1, 2⁻³⁰) and (0, 2⁻⁶⁰): the product of the eigenvalues is the squared determinant, exactly 2⁻¹²⁰. The
        // smaller eigenvalue is about 2⁻¹²⁰, so the rounded entries of Σ r rᵀ have lost it completely.
        let (small, smaller) = (2.0_f64.powi(-30), 2.0_f64.powi(-60));
        let (mut rows, mut values) = (vec![1.0, small, 0.0, smaller], vec![0.0; 2]);
        eigen(&mut rows, &mut values, 2);
        let (least, most) = (values[0].min(values[1]), values[0].max(values[1]));
        assert!((most - (1.0 + small * small)).abs() <= 1e-15);
        assert!((least * most / (smaller * smaller) - 1.0).abs() <= 1e-14, "{least:e}");
    }

    #[test]
    fn nan_in_one_lane_does_not_affect_other_lanes() {
        let n = 5;
        let sound = factor(n, |i, j| noise(31 * i + j));
        let mut rows: Vec<Lanes> = sound.iter().map(|&x| Lanes::splat(x)).collect();
        rows[1].set_lane(2, f64::NAN);
        let mut values = vec![Lanes::splat(0.0); n];
        eigen(&mut rows, &mut values, n);
        for lane in (0..LANES).filter(|&lane| lane != 2) {
            let [vectors, values] =
                [&rows, &values].map(|m| m.iter().map(|x| x.lane(lane)).collect::<Vec<_>>());
            check("next to NaN", &sound, &vectors, &values, n);
        }
        assert!(values.iter().any(|value| value.lane(2).is_nan()));
    }
}
