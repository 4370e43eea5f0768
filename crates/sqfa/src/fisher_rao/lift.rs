//! The lift of a pair of Gaussians to symmetric matrices of order 2d+1, for one twist W.
//!
//! In the frame of the pair, G(W) = BBᵀ with B = [1,0,0; μᵀ,1,0; W−½μμᵀ,−μ,1]·diag(e^{−h}, 1,
//! e^{h}), and d_FR is the minimum of ½‖log G‖ over skew W. B preserves the form that swaps the
//! first and third blocks. In the basis of the sums of these blocks (with the middle, d+1 rows) and
//! of their differences (d rows) it is therefore hyperbolic:
//!
//! ```text
//! B = [U, 0; 0, Z]·[cosh(ℓ/2), sinh(ℓ/2); sinh(ℓ/2), cosh(ℓ/2)]·[U', 0; 0, Z']ᵀ,   log G = [0, C; Cᵀ, 0],   C = U ℓ Zᵀ
//! ```
//!
//! Hence the lower left block of B, d×(d+1) with singular values sinh(ℓ/2), determines everything.
//! E = ¼‖log G‖² = ½ Σ ℓ², and with C = [S; √2 xᵀ] the derivative along a skew δ is ⟨S, δ⟩. W is
//! stationary if S is symmetric. Then (x, −S) is the initial velocity of the geodesic, and the same
//! block of C' = U'ℓZ'ᵀ is its final velocity.
//!
//! Cost: one Jacobi decomposition of order d and a few products, about 30 d³. References:
//! Kobayashi, *Physica Scripta* 98, 2023, for the lift; Eriksen, Aalborg University, 1987, for the
//! geodesics.

use super::frame::FramedPair;
use super::rotations::{norm, orthogonalize};

/// The decomposition of B for one twist.
#[derive(Debug, Clone)]
pub(super) struct Lift {
    pub(super) order: usize,
    /// The twist W, skew-symmetric, in the frame of the pair.
    pub(super) twist: Vec<f64>,
    /// The logarithms ℓ.
    pub(super) logs: Vec<f64>,
    /// One row per column of U, of length d+1; zero if ℓ is zero.
    pub(super) left: Vec<f64>,
    /// One row per column of Z.
    pub(super) right: Vec<f64>,
    /// One row per column of U', of length d+1 and multiplied by sinh(ℓ/2).
    rows: Vec<f64>,
    /// The square block S of C.
    pub(super) square: Vec<f64>,
    /// The last row of C.
    pub(super) last: Vec<f64>,
    /// The energy E, the square of the length.
    pub(super) energy: f64,
    /// The relative residual ‖(log G)₁₃‖/‖log G‖.
    pub(super) residual: f64,
}

/// Hyperbolic functions of the half logarithms h, computed once per pair.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    sinh: Vec<f64>,
    cosh: Vec<f64>,
    decay: Vec<f64>,
}

impl Scales {
    pub(super) fn new(pair: &FramedPair) -> Self {
        let map = |f: fn(f64) -> f64| pair.half_logs.iter().map(|&h| f(h)).collect();
        Self { sinh: map(f64::sinh), cosh: map(f64::cosh), decay: map(|h| (-h).exp()) }
    }
}

impl Lift {
    /// Decomposes the lift for the given twist. The rows of `guess` are approximate columns of Z,
    /// which save sweeps.
    pub(super) fn new(
        pair: &FramedPair,
        scales: &Scales,
        twist: Vec<f64>,
        guess: Option<&[f64]>,
    ) -> Self {
        let n = pair.order();
        let width = n + 1;
        let half = std::f64::consts::FRAC_1_SQRT_2;
        // ½(W − ½μμᵀ)e^{−h}, which the upper and lower blocks of B have in common.
        let mut shared = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let corner = twist[i * n + j] - 0.5 * pair.mean[i] * pair.mean[j];
                shared[i * n + j] = 0.5 * corner * scales.decay[j];
            }
        }
        let mut block = vec![0.0; n * width];
        for i in 0..n {
            for j in 0..n {
                block[i * width + j] = -shared[i * n + j];
            }
            block[i * width + i] -= scales.sinh[i];
            block[i * width + n] = half * pair.mean[i];
        }
        let (mut rows, mut right) = match guess {
            Some(guess) => {
                let mut rows = vec![0.0; n * width];
                for (row, weights) in rows.chunks_exact_mut(width).zip(guess.chunks_exact(n)) {
                    for (weight, line) in weights.iter().zip(block.chunks_exact(width)) {
                        for (sum, value) in row.iter_mut().zip(line) {
                            *sum += weight * value;
                        }
                    }
                }
                (rows, guess.to_vec())
            }
            None => (block, super::rotations::identity(n)),
        };
        orthogonalize(&mut rows, width, &mut right, n, n);

        let mut lift = Self {
            order: n,
            twist,
            logs: vec![0.0; n],
            left: vec![0.0; n * width],
            right,
            rows: Vec::new(),
            square: vec![0.0; n * n],
            last: vec![0.0; n],
            energy: 0.0,
            residual: 0.0,
        };
        for k in 0..n {
            let row = &rows[k * width..][..width];
            let sinh = norm(row);
            let cosh = sinh.hypot(1.0);
            let log = 2.0 * sinh.asinh();
            lift.logs[k] = log;
            lift.energy += 0.5 * log * log;
            if sinh == 0.0 {
                continue;
            }
            let scale = 1.0 / (sinh * cosh);
            let left = &mut lift.left[k * width..][..width];
            left[n] = row[n];
            for i in 0..n {
                let mut sum = scales.cosh[i] * row[i] - half * pair.mean[i] * row[n];
                for j in 0..n {
                    sum += shared[i * n + j] * row[j];
                }
                left[i] = sum * scale;
                left[n] += half * pair.mean[i] * scales.decay[i] * row[i];
            }
            left[n] *= scale;
            let right = &lift.right[k * n..][..n];
            for i in 0..n {
                for j in 0..n {
                    lift.square[i * n + j] += log * left[i] * right[j];
                }
                lift.last[i] += log * left[n] * right[i];
            }
        }
        lift.rows = rows;
        lift.residual = lift.relative_residual();
        lift
    }

    /// Returns ‖S − Sᵀ‖/2 relative to ‖log G‖, which measures how far S is from symmetric.
    fn relative_residual(&self) -> f64 {
        let n = self.order;
        let mut skew = 0.0;
        for i in 0..n {
            for j in 0..i {
                let gap = self.square[i * n + j] - self.square[j * n + i];
                skew += 0.5 * gap * gap;
            }
        }
        // ‖log G‖² = 4E.
        if self.energy > 0.0 { (skew / (4.0 * self.energy)).sqrt() } else { 0.0 }
    }

    /// Returns the part of the residual that is round-off, which the largest singular value
    /// magnifies.
    pub(super) fn noise(&self) -> f64 {
        let largest = self.logs.iter().fold(0.0_f64, |largest, &log| largest.max(log));
        let magnified = f64::EPSILON * (0.5 * largest).exp();
        if self.energy > 0.0 { magnified / (2.0 * self.length()) } else { 0.0 }
    }

    /// Returns the length ½‖log G‖, which is an upper bound on the distance for every twist.
    pub(super) fn length(&self) -> f64 {
        self.energy.sqrt()
    }

    /// Returns the block S' and the last row of C', which contain the final velocity.
    pub(super) fn arrival(&self, scales: &Scales, pair: &FramedPair) -> (Vec<f64>, Vec<f64>) {
        let n = self.order;
        let width = n + 1;
        let (mut square, mut last) = (vec![0.0; n * n], vec![0.0; n]);
        let mut end = vec![0.0; n];
        for k in 0..n {
            let row = &self.rows[k * width..][..width];
            let sinh = norm(row);
            if sinh == 0.0 {
                continue;
            }
            let right = &self.right[k * n..][..n];
            // The k-th column of Z', from the lower right block of B, divided by sinh(ℓ/2).
            let scale = self.logs[k] / (sinh * sinh.hypot(1.0));
            for j in 0..n {
                let mut sum = scales.cosh[j] * right[j];
                for i in 0..n {
                    let corner = self.twist[i * n + j] - 0.5 * pair.mean[i] * pair.mean[j];
                    sum -= 0.5 * corner * scales.decay[j] * right[i];
                }
                end[j] = sum * scale;
            }
            for i in 0..n {
                for j in 0..n {
                    square[i * n + j] += row[i] * end[j];
                }
                last[i] += row[n] * end[i];
            }
        }
        (square, last)
    }
}
