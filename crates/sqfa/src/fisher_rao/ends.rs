//! The velocities of a geodesic at both ends: the logarithm map and the gradient of the distance.
//!
//! In the frame z ↦ μ₀ + Az of an end the velocity is (x, B), with log G = [0, C; Cᵀ, 0], C = [−B; √2 xᵀ].
//! The gradient of ½d² is minus the logarithm towards the other end, lowered by the metric: with the
//! sign − at the start and + at the end (whose velocity points away), ∂μ = ∓A⁻ᵀx, ∂Σ = ∓½A⁻ᵀBA⁻¹.
//! Both ends come from their own singular vectors; neither divides by the other's covariance.
//! Cost: a few products of order d.

use super::error::{FisherRaoError, Side, check_argument, symmetrized};
use super::frame::{Frame, FramedPair, congruence, dot};
use super::lift::{Lift, Scales};
use super::rotations::norm;
use super::solve::FisherRao;
use crate::features::Gaussian;

/// A tangent vector at a Gaussian: how fast its mean and covariance change.
#[derive(Debug, Clone, PartialEq)]
pub struct Velocity {
    /// Change of the mean.
    pub mean: Vec<f64>,
    /// Change of the covariance, row-major and symmetric.
    pub covariance: Vec<f64>,
}

/// Derivatives with respect to both Gaussians; those of covariances are symmetric.
#[derive(Debug, Clone, PartialEq)]
pub struct FisherRaoGradient {
    /// With respect to the first mean.
    pub mean_p: Vec<f64>,
    /// With respect to the first covariance.
    pub covariance_p: Vec<f64>,
    /// With respect to the second mean.
    pub mean_q: Vec<f64>,
    /// With respect to the second covariance.
    pub covariance_q: Vec<f64>,
}

/// A velocity in the frame of its Gaussian.
#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) frame: Frame,
    /// x.
    pub(super) mean: Vec<f64>,
    /// B, symmetric.
    pub(super) covariance: Vec<f64>,
}

/// Both ends of a geodesic; the velocities point from the first Gaussian to the second.
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
    /// The velocity of log G with the blocks S and √2 xᵀ; what is not symmetric in S is the residual.
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

    /// A velocity given from outside.
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

    /// √(|x|² + ½‖B‖²).
    pub(super) fn length(&self) -> f64 {
        norm(&self.mean).hypot(norm(&self.covariance) * std::f64::consts::FRAC_1_SQRT_2)
    }

    /// (Ax, ABAᵀ).
    pub(super) fn velocity(&self) -> Velocity {
        let n = self.frame.order;
        let mean = self.frame.factor.chunks_exact(n).map(|row| dot(row, &self.mean)).collect();
        let mut covariance = congruence(&self.frame.factor, false, &self.covariance, n);
        symmetrize(&mut covariance, n);
        Velocity { mean, covariance }
    }

    /// (scale·A⁻ᵀx, ½scale·A⁻ᵀBA⁻¹).
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
    /// The Fisher–Rao length of the velocity at a Gaussian.
    pub fn length(&self, at: Gaussian<'_>) -> Result<f64, FisherRaoError> {
        Ok(Local::from_velocity(at, self)?.length())
    }
}

impl FisherRao {
    /// The gradient of the distance; zero between identical Gaussians, where there is none.
    pub fn gradient(&self) -> FisherRaoGradient {
        self.scaled_gradient(if self.distance > 0.0 { 1.0 / self.distance } else { 0.0 })
    }

    /// The logarithm of the second Gaussian at the first: the initial velocity of the geodesic.
    pub fn velocity(&self) -> Velocity {
        self.ends.start.velocity()
    }

    /// The gradient of some multiple of half the squared distance, which is smooth everywhere.
    pub(super) fn scaled_gradient(&self, scale: f64) -> FisherRaoGradient {
        let (mean_p, covariance_p) = self.ends.start.lowered(-scale);
        let (mean_q, covariance_q) = self.ends.end.lowered(scale);
        FisherRaoGradient { mean_p, covariance_p, mean_q, covariance_q }
    }
}

/// Averages a matrix with its transpose.
pub(super) fn symmetrize(matrix: &mut [f64], order: usize) {
    for i in 0..order {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * order + j] + matrix[j * order + i]);
            matrix[i * order + j] = mean;
            matrix[j * order + i] = mean;
        }
    }
}
