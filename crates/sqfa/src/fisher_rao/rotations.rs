//! One-sided Jacobi: the singular value decomposition of a small matrix with high relative
//! accuracy.
//!
//! Rotations Qᵀ make the rows of A orthogonal, QᵀA = diag(s) Vᵀ. Then the norms of the rows are the
//! singular values, Q contains the left singular vectors, and the normalized rows are the right
//! ones. Small singular values of a matrix with badly scaled rows keep their relative accuracy,
//! which would be lost by forming AAᵀ.
//!
//! Cost: about 6n³ per sweep; 5–8 sweeps, or 2–3 if the rows are nearly orthogonal at first.
//! Reference: Demmel & Veselić, *SIAM J. Matrix Analysis* 13, 1992.

/// Largest cosine of the angle between two rows that count as orthogonal: a few units of round-off.
const ORTHOGONAL: f64 = 1e-15;
/// Limit on the number of sweeps, far more than a finite matrix needs (at most 12 were observed up
/// to order 64).
const MAX_SWEEPS: usize = 40;

/// Makes the rows of `rows` (`count` rows of `width`) orthogonal and applies the same rotations to
/// the rows of `turned`.
#[inline(always)]
pub(super) fn orthogonalize(
    rows: &mut [f64],
    width: usize,
    turned: &mut [f64],
    turned_width: usize,
    count: usize,
) {
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..count {
            for q in p + 1..count {
                let Some((c, s)) = angle(&rows[p * width..][..width], &rows[q * width..][..width])
                else {
                    continue;
                };
                rotated = true;
                turn(rows, width, p, q, c, s);
                turn(turned, turned_width, p, q, c, s);
            }
        }
        if !rotated {
            break;
        }
    }
}

/// Returns cosine and sine of the rotation that makes two rows orthogonal, or `None` if they
/// already are.
#[inline(always)]
fn angle(first: &[f64], second: &[f64]) -> Option<(f64, f64)> {
    let (mut alpha, mut beta, mut gamma) = (0.0, 0.0, 0.0);
    for (x, y) in first.iter().zip(second) {
        alpha += x * x;
        beta += y * y;
        gamma += x * y;
    }
    let cosine_bound = ORTHOGONAL * ORTHOGONAL * alpha * beta;
    // NaN counts as orthogonal, so that the sweeps end.
    if gamma * gamma <= cosine_bound || gamma.is_nan() || cosine_bound.is_nan() {
        return None;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    Some((c, t * c))
}

#[inline(always)]
fn turn(rows: &mut [f64], width: usize, p: usize, q: usize, c: f64, s: f64) {
    let (head, tail) = rows.split_at_mut(q * width);
    let first = &mut head[p * width..][..width];
    for (x, y) in first.iter_mut().zip(&mut tail[..width]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

/// Returns the identity matrix.
pub(super) fn identity(order: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; order * order];
    for i in 0..order {
        matrix[i * order + i] = 1.0;
    }
    matrix
}

/// Returns the Euclidean norm.
pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
