//! The velocities of a geodesic at both ends, which give the logarithm map and the gradient of the
//! distance.
//!
//! In the frame z ↦ μ₀ + Az of an end, the velocity is (x, B), where log G = [0, C; Cᵀ, 0] and C =
//! [−B; √2 xᵀ]. The gradient of ½d² is minus the logarithm towards the other end, with its index
//! lowered by the metric: ∂μ = ∓A⁻ᵀx and ∂Σ = ∓½A⁻ᵀBA⁻¹. The sign is − at the start and + at the
//! end, where the velocity points away from the start. Both velocities follow from the singular
//! vectors of their own end, so neither is divided by the covariance of the other.
//!
//! Cost: a few products of order d.

use super::error::{FisherRaoError, Side, check_argument, symmetrized};
use super::frame::{Frame, FramedPair, congruence, dot};
use super::lift::{Lift, Scales};
use super::rotations::norm;
use super::solve::FisherRao;
use crate::features::Gaussian;

/// A tangent vector at a Gaussian: the rates of change of its mean and covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Velocity {
    /// The rate of change of the mean.
    pub mean: Vec<f64>,
    /// The rate of change of the covariance, row-major and symmetric.
    pub covariance: Vec<f64>,
}

/// The derivatives of a distance with respect to both Gaussians; those with respect to covariances
/// are symmetric.
#[derive(Debug, Clone, PartialEq)]
pub struct FisherRaoGradient {
    /// The derivative with respect to the first mean.
    pub mean_p: Vec<f64>,
    /// The derivative with respect to the first covariance, row-major.
    pub covariance_p: Vec<f64>,
    /// The derivative with respect to the second mean.
    pub mean_q: Vec<f64>,
    /// The derivative with respect to the second covariance, row-major.
    pub covariance_q: Vec<f64>,
}

/// A velocity in the frame of its Gaussian.
#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) frame: Frame,
    /// The velocity x of the mean.
    pub(super) mean: Vec<f64>,
    /// The velocity B of the covariance, symmetric.
    pub(super) covariance: Vec<f64>,
}

/// The two ends of a geodesic, with velocities that point from the first Gaussian to the second.
#[derive(Debug, Clone)]
pub(super) struct Ends {
    pub(super) start: Local,
    pub(super) end: Local,
}

impl Ends {
    pub(super) fn new(lift: &Lift, scales: &Scales, pair: FramedPair) -> Self {
        let (square, last) = lift.arrival(scales, &pair);
        let end = Local::new(pair.end(), &square, &last);
        Self { start: Local::new(pair.start, &lift.square, &lift.last), end }
    }
}

impl Local {
    /// Returns the velocity for log G with the blocks S and √2 xᵀ. The skew part of S is the
    /// residual and is dropped.
    fn new(frame: Frame, square: &[f64], last: &[f64]) -> Self {
        let n = frame.order;
        let mut covariance = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                covariance[i * n + j] = -0.5 * (square[i * n + j] + square[j * n + i]);
            }
        }
        let mean = last.iter().map(|value| value * std::f64::consts::FRAC_1_SQRT_2).collect();
        Self { frame, mean, covariance }
    }

    /// Checks a velocity that the user specified and transforms it to the frame of its Gaussian.
    pub(super) fn from_velocity(
        p: Gaussian<'_>,
        velocity: &Velocity,
    ) -> Result<Self, FisherRaoError> {
        let frame = Frame::triangular(p, Side::First)?;
        let n = frame.order;
        check_argument("the velocity of the mean", &velocity.mean, n)?;
        check_argument("the velocity of the covariance", &velocity.covariance, n * n)?;
        let symmetric = symmetrized(&velocity.covariance, n, Side::First)?;
        let covariance = congruence(&frame.inverse, false, &symmetric, n);
        let mean = frame.inverse.chunks_exact(n).map(|row| dot(row, &velocity.mean)).collect();
        Ok(Self { frame, mean, covariance })
    }

    /// Returns the length √(|x|² + ½‖B‖²).
    pub(super) fn length(&self) -> f64 {
        norm(&self.mean).hypot(norm(&self.covariance) * std::f64::consts::FRAC_1_SQRT_2)
    }

    /// Returns the velocity (Ax, ABAᵀ) in the original coordinates.
    pub(super) fn velocity(&self) -> Velocity {
        let n = self.frame.order;
        let mean = self.frame.factor.chunks_exact(n).map(|row| dot(row, &self.mean)).collect();
        let mut covariance = congruence(&self.frame.factor, false, &self.covariance, n);
        symmetrize(&mut covariance, n);
        Velocity { mean, covariance }
    }

    /// Returns (scale·A⁻ᵀx, ½scale·A⁻ᵀBA⁻¹), the velocity with its index lowered by the metric.
    fn lowered(&self, scale: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.frame.order;
        let mut mean = vec![0.0; n];
        for (row, x) in self.frame.inverse.chunks_exact(n).zip(&self.mean) {
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += scale * x * value;
            }
        }
        let mut covariance = congruence(&self.frame.inverse, true, &self.covariance, n);
        symmetrize(&mut covariance, n);
        covariance.iter_mut().for_each(|value| *value *= 0.5 * scale);
        (mean, covariance)
    }
}

impl Velocity {
    /// Returns the Fisher–Rao length of this velocity at a Gaussian.
    ///
    /// # Errors
    ///
    /// Returns an error if the Gaussian is not valid, if the velocity has the wrong size or values
    /// that are not finite, or if its covariance part is not symmetric.
    pub fn length(&self, at: Gaussian<'_>) -> Result<f64, FisherRaoError> {
        Ok(Local::from_velocity(at, self)?.length())
    }
}

impl FisherRao {
    /// Returns the gradient of the distance, or zeros if the two Gaussians are identical, where the
    /// distance is not differentiable.
    pub fn gradient(&self) -> FisherRaoGradient {
        self.scaled_gradient(if self.distance > 0.0 { 1.0 / self.distance } else { 0.0 })
    }

    /// Returns the logarithm of the second Gaussian at the first, which is the initial velocity of
    /// the geodesic.
    pub fn velocity(&self) -> Velocity {
        self.ends.start.velocity()
    }

    /// Returns `scale` times the gradient of half the squared distance, which is smooth everywhere.
    pub(super) fn scaled_gradient(&self, scale: f64) -> FisherRaoGradient {
        let (mean_p, covariance_p) = self.ends.start.lowered(-scale);
        let (mean_q, covariance_q) = self.ends.end.lowered(scale);
        FisherRaoGradient { mean_p, covariance_p, mean_q, covariance_q }
    }
}

/// Replaces a matrix by its symmetric part.
pub(super) fn symmetrize(matrix: &mut [f64], order: usize) {
    for i in 0..order {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * order + j] + matrix[j * order + i]);
            matrix[i * order + j] = mean;
            matrix[j * order + i] = mean;
        }
    }
}
