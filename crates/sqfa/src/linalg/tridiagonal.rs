//! A rotation that makes the rows of a factor R nearly orthogonal: the eigenvectors of their Gram matrix, eight at a
//! time.
//!
//! Householder reflections reduce G = RRᵀ to tridiagonal form, and implicit QR steps with Wilkinson's shift diagonalize
//! it. All lanes perform the same steps until the last of them has converged. The resulting rotation is orthogonal to
//! the last digit. Eigenvalues far below the largest have lost their digits in G, so [`one_sided`](super::one_sided)
//! then runs on the rotated rows, where it usually has nothing left to do. The cost is about 2n³ flops for the
//! reflections and 4n³ for about 2.5 steps per eigenvalue, a third of the cost of one-sided Jacobi alone.
//!
//! References: Golub & Van Loan, *Matrix Computations*, 2013, sections 8.3.1 and 8.3.5.

use super::real::{Real, opaque};

/// Squared size of an off-diagonal entry, relative to the product of its diagonal neighbors, that counts as zero.
const SETTLED: f64 = 1e-27;
/// Squares below this value, relative to the squared trace, count as zero.
const FLOOR: f64 = 1e-280;
/// Maximum number of steps per eigenvalue. If it is reached, the one-sided rotations that follow do the rest.
const STEPS: usize = 6;

/// Rotates the rows until they are nearly orthogonal. The scratch space is two matrices and two vectors.
#[inline(always)]
pub(super) fn turn<R: Real>(rows: &mut [R], scratch: [&mut [R]; 4], n: usize) {
    let [gram, turn, diagonal, beside] = scratch;
    let (rows, gram, turn) = (&mut rows[..n * n], &mut gram[..n * n], &mut turn[..n * n]);
    let (diagonal, beside) = (&mut diagonal[..n], &mut beside[..n]);
    lower_gram(rows, gram, n);
    reflect(gram, turn, diagonal, beside, n);
    chase(turn, diagonal, beside, n);
    super::small::multiply(turn, false, rows, false, gram, n);
    rows.copy_from_slice(gram);
}

/// Computes the lower triangle of RRᵀ, divided by its trace so that squares of entries neither overflow nor underflow.
#[inline(always)]
fn lower_gram<R: Real>(rows: &[R], gram: &mut [R], n: usize) {
    let mut trace = R::splat(0.0);
    for i in 0..n {
        for j in 0..=i {
            let mut sum = R::splat(0.0);
            for k in 0..n {
                sum = sum + rows[i * n + k] * rows[j * n + k];
            }
            gram[i * n + j] = sum;
        }
        trace = trace + gram[i * n + i];
    }
    let inverse = R::splat(1.0) / trace;
    for at in 0..n * n {
        let at = opaque(at);
        gram[at] = gram[at] * inverse;
    }
}

/// Reduces G = QTQᵀ by reflections I − βvvᵀ, and writes the diagonal of T, its off-diagonal entries and Qᵀ. The vectors
/// v overwrite the columns of G, and each β overwrites the entry right of the diagonal.
#[inline(always)]
fn reflect<R: Real>(a: &mut [R], turn: &mut [R], diagonal: &mut [R], beside: &mut [R], n: usize) {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    for k in 0..n.saturating_sub(2) {
        let head = a[(k + 1) * n + k];
        let mut square = head * head;
        for i in k + 2..n {
            square = square + a[i * n + k] * a[i * n + k];
        }
        let norm = square.sqrt();
        let signed = head.if_positive(norm, -norm);
        a[(k + 1) * n + k] = head + signed;
        beside[k] = -signed;
        let above = square - R::splat(FLOOR);
        let beta = above.if_positive(one / (square + head * signed), zero);
        // w = βAv − ½β²(vᵀAv)v, followed by the update A ← A − vwᵀ − wvᵀ.
        let mut along = zero;
        for i in k + 1..n {
            let mut sum = zero;
            for j in k + 1..=i {
                sum = sum + a[i * n + j] * a[j * n + k];
            }
            for j in i + 1..n {
                sum = sum + a[j * n + i] * a[j * n + k];
            }
            diagonal[i] = sum * beta;
            along = along + diagonal[i] * a[i * n + k];
        }
        let half = R::splat(0.5) * beta * along;
        for i in k + 1..n {
            let i = opaque(i);
            diagonal[i] = diagonal[i] - half * a[i * n + k];
        }
        for i in k + 1..n {
            let (v, w) = (a[i * n + k], diagonal[i]);
            for j in k + 1..=i {
                let j = opaque(j);
                a[i * n + j] = a[i * n + j] - v * diagonal[j] - w * a[j * n + k];
            }
        }
        a[k * n + k + 1] = beta;
    }
    if n > 1 {
        beside[n - 2] = a[(n - 1) * n + n - 2];
    }
    for i in 0..n {
        diagonal[i] = a[i * n + i];
        for j in 0..n {
            turn[i * n + j] = if i == j { one } else { zero };
        }
    }
    for k in (0..n.saturating_sub(2)).rev() {
        let beta = a[k * n + k + 1];
        for row in turn.chunks_mut(n).skip(k + 1) {
            let mut sum = zero;
            for j in k + 1..n {
                sum = sum + row[j] * a[j * n + k];
            }
            let share = sum * beta;
            for j in k + 1..n {
                let j = opaque(j);
                row[j] = row[j] - share * a[j * n + k];
            }
        }
    }
}

/// Diagonalizes T from its last entry upwards and applies the same rotations to the rows of Qᵀ.
#[inline(always)]
fn chase<R: Real>(turn: &mut [R], diagonal: &mut [R], beside: &mut [R], n: usize) {
    let mut last = n - 1;
    for _ in 0..STEPS * n {
        while last > 0 && settled(diagonal[last - 1], beside[last - 1], diagonal[last]) {
            last -= 1;
        }
        if last == 0 {
            return;
        }
        let shift = wilkinson(diagonal[last - 1], beside[last - 1], diagonal[last]);
        step(turn, diagonal, beside, shift, last, n);
    }
}

/// Whether an off-diagonal entry is negligible in every lane. A lane with NaN counts as converged.
#[inline(always)]
fn settled<R: Real>(above: R, between: R, below: R) -> bool {
    let limit = R::splat(SETTLED) * (above * below).map(f64::abs) + R::splat(FLOOR);
    !(between * between - limit).any_positive()
}

/// Returns the eigenvalue of [a, b; b, c] that is closer to c.
#[inline(always)]
fn wilkinson<R: Real>(a: R, b: R, c: R) -> R {
    let half = R::splat(0.5) * (a - c);
    let square = b * b;
    let root = (half * half + square).sqrt();
    let far = half.if_positive(half + root, half - root);
    (square - R::splat(FLOOR)).if_positive(c - square / far, c)
}

/// Performs one implicit QR step: chases the bulge next to the tridiagonal from its beginning to `last`.
#[inline(always)]
fn step<R: Real>(
    turn: &mut [R],
    diagonal: &mut [R],
    beside: &mut [R],
    shift: R,
    last: usize,
    n: usize,
) {
    let (zero, one, floor) = (R::splat(0.0), R::splat(1.0), R::splat(FLOOR));
    let (mut x, mut bulge) = (diagonal[0] - shift, beside[0]);
    for k in 0..last {
        let mut square = x * x + bulge * bulge;
        if k > 0 {
            beside[k - 1] = square.sqrt();
            // If an off-diagonal entry of T vanishes, the bulge vanishes with it, and the next part starts a bulge of
            // its own.
            let alive = square - floor;
            x = alive.if_positive(x, diagonal[k] - shift);
            bulge = alive.if_positive(bulge, beside[k]);
            square = x * x + bulge * bulge;
        }
        let alive = square - floor;
        let inverse = one / alive.if_positive(square, one).sqrt();
        let (c, s) =
            (alive.if_positive(x * inverse, one), alive.if_positive(bulge * inverse, zero));
        let (above, between, below) = (diagonal[k], beside[k], diagonal[k + 1]);
        let (cc, ss, cs) = (c * c, s * s, c * s);
        let twice = (cs + cs) * between;
        diagonal[k] = cc * above + twice + ss * below;
        diagonal[k + 1] = ss * above - twice + cc * below;
        beside[k] = cs * (below - above) + (cc - ss) * between;
        x = beside[k];
        if k + 1 < last {
            bulge = s * beside[k + 1];
            beside[k + 1] = c * beside[k + 1];
        }
        let (before, after) = turn.split_at_mut((k + 1) * n);
        let (first, second) = (&mut before[k * n..], &mut after[..n]);
        for j in 0..n {
            let j = opaque(j);
            let (a, b) = (first[j], second[j]);
            first[j] = c * a + s * b;
            second[j] = c * b - s * a;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::one_sided::tests::{check_eight, factor, noise, zoo};
    use super::super::real::{LANES, Lanes};
    use super::*;

    /// Tolerance for some hundred roundings in the Gram matrix, the reflections and the steps.
    const ROUNDING: f64 = 1e-13;

    fn turned(rows: &[f64], n: usize) -> Vec<f64> {
        let mut result = rows.to_vec();
        let mut scratch = [n * n, n * n, n, n].map(|length| vec![f64::NAN; length]);
        turn(&mut result, scratch.each_mut().map(|part| part.as_mut_slice()), n);
        result
    }

    fn inner(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| x * y).sum()
    }

    /// Checks that the rotated rows are orthogonal and have the same Σ r rᵀ as the original rows, both relative to the
    /// largest entry.
    fn assert_turned(name: &str, rows: &[f64], n: usize) {
        let result = turned(rows, n);
        let most = (0..n).map(|i| inner(&rows[i * n..][..n], &rows[i * n..][..n])).sum::<f64>();
        for i in 0..n {
            for j in 0..n {
                let square = |m: &[f64]| (0..n).map(|k| m[k * n + i] * m[k * n + j]).sum::<f64>();
                let gap = (square(&result) - square(rows)) / most;
                assert!(gap.abs() <= ROUNDING, "{name} of order {n}: {gap:e}");
                let cosine = inner(&result[i * n..][..n], &result[j * n..][..n]) / most;
                assert!(i == j || cosine.abs() <= ROUNDING, "{name} of order {n}: {cosine:e}");
            }
        }
    }

    #[test]
    fn rows_become_orthogonal_and_keep_their_gram_sum() {
        for n in [1, 2, 3, 4, 5, 9, 16, 17, 33, 49] {
            for (name, rows) in zoo(n) {
                assert_turned(name, &rows, n);
            }
        }
    }

    #[test]
    fn block_diagonal_matrices_are_diagonalized_block_by_block() {
        // Blocks of three, so that some off-diagonal entries vanish. Half of the blocks are equal to each other.
        for n in [6, 9, 12, 17] {
            let rows = factor(n, |i, j| match i / 3 == j / 3 {
                true => noise(5 * (i % 3) + j % 3 + 40 * (i / 6)),
                false => 0.0,
            });
            assert_turned("blocks", &rows, n);
        }
    }

    #[test]
    fn eight_different_factors_are_diagonalized_accurately() {
        for n in [3, 4, 5, 9, 16, 33] {
            check_eight(n, |rows, values, n| {
                let mut scratch = [n * n, n * n, n].map(|length| vec![Lanes::splat(0.0); length]);
                let scratch = scratch.each_mut().map(|part| part.as_mut_slice());
                Lanes::eigen_of_factor(rows, values, scratch, n);
            });
        }
    }

    #[test]
    fn nan_in_one_lane_does_not_affect_other_lanes() {
        let n = 6;
        let sound = factor(n, |i, j| noise(31 * i + j));
        let mut rows: Vec<Lanes> = sound.iter().map(|&x| Lanes::splat(x)).collect();
        rows[7].set_lane(5, f64::NAN);
        let mut scratch = [n * n, n * n, n, n].map(|length| vec![Lanes::splat(0.0); length]);
        turn(&mut rows, scratch.each_mut().map(|part| part.as_mut_slice()), n);
        let expected = turned(&sound, n);
        for lane in (0..LANES).filter(|&lane| lane != 5) {
            let own: Vec<f64> = rows.iter().map(|x| x.lane(lane)).collect();
            assert!(own.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= ROUNDING));
        }
    }
}
