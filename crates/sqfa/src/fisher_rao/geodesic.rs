//! Gaussians along geodesics of the Fisher–Rao metric, between two Gaussians or from one with a
//! velocity.
//!
//! From N(0, I) with velocity (x, B), let C = [−B; √2 xᵀ] = U ℓ Zᵀ and Λ(t) = exp t[0, C; Cᵀ, 0] in
//! the basis of sums and differences of the first and third blocks (see `lift`). Then Σ(t) = Λ₁₁⁻¹
//! and μ(t) = Λ₁₁⁻¹Λ₁₂, where Λ₁₁ = FFᵀ and F = [½(u_k+z_k)e^{tℓ_k/2}, ½(u_k−z_k)e^{−tℓ_k/2},
//! u₀/√2]. The singular value decomposition of F gives both without squaring condition numbers. A
//! geodesic between two Gaussians is followed from the nearer end.
//!
//! Cost per Gaussian: one Jacobi decomposition of order d. References: Eriksen, Aalborg University,
//! 1987; Calvo & Oller, *Statistics & Decisions* 9, 1991.

use super::ends::{Local, Velocity, symmetrize};
use super::error::FisherRaoError;
use super::frame::{Frame, dot};
use super::rotations::{identity, norm, orthogonalize};
use super::solve::FisherRao;
use crate::features::Gaussian;
use crate::linalg::Real;

/// A Gaussian that owns its mean and covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianPoint {
    /// The mean.
    pub mean: Vec<f64>,
    /// The covariance: a full row-major matrix.
    pub covariance: Vec<f64>,
}

impl GaussianPoint {
    /// Returns a borrowed view of this Gaussian.
    pub fn view(&self) -> Gaussian<'_> {
        Gaussian { order: self.mean.len(), mean: &self.mean, covariance: &self.covariance }
    }
}

/// A geodesic of the Fisher–Rao metric, traversed at constant speed.
///
/// Time 0 is the first Gaussian. Time 1 is the second Gaussian or, for [`Geodesic::shoot`], the
/// exponential of the velocity.
///
/// # Examples
///
/// ```
/// use sqfa::features::Gaussian;
/// use sqfa::fisher_rao::{FisherRaoOptions, Geodesic, fisher_rao};
///
/// let p = Gaussian { order: 1, mean: &[0.0], covariance: &[1.0] };
/// let q = Gaussian { order: 1, mean: &[0.0], covariance: &[16.0] };
/// let found = fisher_rao(p, q, &FisherRaoOptions::default())?;
///
/// // Half way between variances 1 and 16 is their geometric mean.
/// let geodesic = found.geodesic();
/// assert!((geodesic.point(0.5)?.covariance[0] - 4.0).abs() < 1e-12);
///
/// // The exponential map with the initial velocity leads to the second Gaussian.
/// let end = Geodesic::shoot(p, &found.velocity())?.point(1.0)?;
/// assert!((end.covariance[0] - 16.0).abs() < 1e-10);
/// # Ok::<(), sqfa::fisher_rao::FisherRaoError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Geodesic {
    speed: f64,
    start: Path,
    end: Option<Path>,
}

/// One end of a geodesic, with the decomposition that gives the Gaussians along it.
#[derive(Debug, Clone)]
struct Path {
    frame: Frame,
    logs: Vec<f64>,
    /// One row per column of U and a last row u₀, of length d+1.
    left: Vec<f64>,
    /// One row per column of Z.
    right: Vec<f64>,
}

/// Largest tℓ for which μ(t) is summed directly. Small means then keep their digits, and e^{tℓ} is
/// too small to spoil them.
const SHORT: f64 = 1.0;

impl Geodesic {
    /// Returns the geodesic that starts at a Gaussian with the given velocity.
    ///
    /// # Errors
    ///
    /// Returns an error if the Gaussian is not valid, if the velocity has the wrong size or values
    /// that are not finite, or if its covariance part is not symmetric.
    pub fn shoot(p: Gaussian<'_>, velocity: &Velocity) -> Result<Self, FisherRaoError> {
        let local = Local::from_velocity(p, velocity)?;
        Ok(Self { speed: local.length(), start: Path::new(&local), end: None })
    }

    /// Returns the speed, which is the length of the geodesic between times 0 and 1.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Returns the Gaussian at time `t`. Times outside [0, 1] extend the geodesic beyond its ends.
    ///
    /// # Errors
    ///
    /// Returns [`FisherRaoError::Range`] if the Gaussian is too far away for double precision.
    pub fn point(&self, t: f64) -> Result<GaussianPoint, FisherRaoError> {
        let point = match &self.end {
            Some(end) if t > 0.5 => end.at(t - 1.0),
            _ => self.start.at(t),
        };
        let finite = point.mean.iter().chain(&point.covariance).all(|value| value.is_finite());
        if finite { Ok(point) } else { Err(FisherRaoError::Range { value: t * self.speed }) }
    }

    /// Returns the Gaussian half way, at time 0.5.
    ///
    /// # Errors
    ///
    /// Returns [`FisherRaoError::Range`] if the Gaussian is too far away for double precision.
    pub fn midpoint(&self) -> Result<GaussianPoint, FisherRaoError> {
        self.point(0.5)
    }

    /// Returns Gaussians at equally spaced times from 0 to 1, including both ends. If `points` is
    /// 1, the result is the midpoint.
    ///
    /// # Errors
    ///
    /// Returns [`FisherRaoError::Range`] if a Gaussian is too far away for double precision.
    pub fn curve(&self, points: usize) -> Result<Vec<GaussianPoint>, FisherRaoError> {
        if points == 1 {
            return Ok(vec![self.midpoint()?]);
        }
        (0..points).map(|i| self.point(i as f64 / (points - 1) as f64)).collect()
    }
}

impl FisherRao {
    /// Returns the geodesic from the first Gaussian to the second.
    pub fn geodesic(&self) -> Geodesic {
        let (start, end) = (Path::new(&self.ends.start), Path::new(&self.ends.end));
        Geodesic { speed: self.distance, start, end: Some(end) }
    }
}

impl Path {
    fn new(local: &Local) -> Self {
        let n = local.frame.order;
        let width = n + 1;
        // These are the rows of Cᵀ. Orthogonalizing them with Zᵀ leaves ℓ times the columns of U.
        let mut left = vec![0.0; width * width];
        for i in 0..n {
            for j in 0..n {
                left[i * width + j] = -local.covariance[j * n + i];
            }
            left[i * width + n] = std::f64::consts::SQRT_2 * local.mean[i];
        }
        let mut right = identity(n);
        orthogonalize(&mut left[..n * width], width, &mut right, n, n);
        let logs: Vec<f64> = left[..n * width].chunks_exact(width).map(norm).collect();
        for (row, &log) in left.chunks_exact_mut(width).zip(&logs) {
            let scale = if log > 0.0 { 1.0 / log } else { 0.0 };
            row.iter_mut().for_each(|value| *value *= scale);
        }
        complete(&mut left, width);
        Self { frame: local.frame.clone(), logs, left, right }
    }

    fn at(&self, t: f64) -> GaussianPoint {
        let n = self.frame.order;
        let (width, columns) = (n + 1, 2 * n + 1);
        let root = std::f64::consts::FRAC_1_SQRT_2;
        let mut rows = vec![0.0; n * columns];
        let mut center = vec![0.0; columns];
        // √2 Λ₁₂, in which every term vanishes at t = 0.
        let mut direct = vec![0.0; n];
        for k in 0..n {
            let (u, z) = (&self.left[k * width..][..width], &self.right[k * n..][..n]);
            let angle = t * self.logs[k];
            let (grow, decay) = ((0.5 * angle).exp(), (-0.5 * angle).exp());
            let (bend, pull) = (2.0 * (0.5 * angle).sinh().powi(2), angle.sinh());
            for i in 0..n {
                rows[i * columns + k] = 0.5 * (u[i] + z[i]) * grow;
                rows[i * columns + n + k] = 0.5 * (u[i] - z[i]) * decay;
                direct[i] += u[n] * (u[i] * bend + z[i] * pull);
            }
            center[k] = root * u[n] * grow;
            center[n + k] = root * u[n] * decay;
        }
        let null = &self.left[n * width..][..width];
        for i in 0..n {
            rows[i * columns + 2 * n] = root * null[i];
        }
        center[2 * n] = null[n];

        let mut turn = identity(n);
        orthogonalize(&mut rows, columns, &mut turn, n, n);
        let short = self.logs.iter().all(|log| (t * log).abs() < SHORT);
        let mut shift = vec![0.0; n];
        // The rows of `turn` become those of s⁻¹Qᵀ, whose Gram matrix is Λ₁₁⁻¹.
        for k in 0..n {
            let row = &rows[k * columns..][..columns];
            let scale = 1.0 / norm(row);
            let axis = &mut turn[k * n..][..n];
            axis.iter_mut().for_each(|value| *value *= scale);
            let along = if short { root * dot(axis, &direct) } else { scale * dot(row, &center) };
            for i in 0..n {
                shift[i] += along * axis[i];
            }
        }
        let mut factor = vec![0.0; n * n];
        let mut covariance = vec![0.0; n * n];
        f64::multiply(&self.frame.factor, false, &turn, true, &mut factor, n);
        f64::multiply(&factor, false, &factor, true, &mut covariance, n);
        symmetrize(&mut covariance, n);
        let moved = self.frame.factor.chunks_exact(n).map(|row| dot(row, &shift));
        let mean = self.frame.mean.iter().zip(moved).map(|(mean, move_)| mean + move_).collect();
        GaussianPoint { mean, covariance }
    }
}

/// Replaces the zero rows of a square matrix so that all rows are orthonormal. The other rows
/// already are.
fn complete(rows: &mut [f64], order: usize) {
    for k in 0..order {
        if rows[k * order..][..order].iter().any(|&value| value != 0.0) {
            continue;
        }
        // The coordinate axis that the existing rows cover least.
        let covered = |i: usize| (0..order).map(|j| rows[j * order + i].powi(2)).sum::<f64>();
        let axis = (0..order).min_by(|&i, &j| covered(i).total_cmp(&covered(j))).unwrap_or(0);
        let mut fresh = vec![0.0; order];
        fresh[axis] = 1.0;
        // Two rounds of orthogonalization are enough to remove round-off.
        for _ in 0..2 {
            for row in rows.chunks_exact(order) {
                let share = dot(row, &fresh);
                fresh.iter_mut().zip(row).for_each(|(value, part)| *value -= share * part);
            }
        }
        let scale = 1.0 / norm(&fresh);
        rows[k * order..][..order].iter_mut().zip(&fresh).for_each(|(to, from)| *to = scale * from);
    }
}
