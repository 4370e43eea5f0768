//! Limited-memory BFGS directions with a preconditioner as the initial inverse Hessian.
//!
//! The initial inverse Hessian is γM⁻¹ with γ = sᵀy / yᵀM⁻¹y. With this γ, the iteration is
//! equivalent to plain L-BFGS for ζ, where η = Wζ and WWᵀ = M⁻¹. M⁻¹y is stored with every pair, so
//! one application of M⁻¹ per iteration is enough. Cost of a direction: about 6·memory·n·m flops
//! and no pass. Reference: Nocedal & Wright, *Numerical Optimization*, 2006, section 7.2.

use std::collections::VecDeque;

use crate::linalg::{Mat, MatRef, add_scaled, inner};

/// Number of pairs that are kept. Twenty are cheap compared with a pass and need fewer passes than
/// ten.
const MEMORY: usize = 20;

#[derive(Debug)]
struct Curvature {
    step: Mat<f64>,
    change: Mat<f64>,
    /// M⁻¹·change; `None` without a preconditioner.
    preconditioned: Option<Mat<f64>>,
    inverse: f64,
}

/// The curvature information of an optimization.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pairs: VecDeque<Curvature>,
    scale: f64,
}

impl Memory {
    /// Returns whether there is no curvature information, so that directions have no natural
    /// length.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Adds a step, the change of the gradient over it, and M⁻¹ times this change if M is not the
    /// identity.
    pub(super) fn push(
        &mut self,
        step: Mat<f64>,
        change: Mat<f64>,
        preconditioned: Option<Mat<f64>>,
    ) {
        let product = inner(step.as_ref(), change.as_ref());
        let metric = inner(change.as_ref(), preconditioned.as_ref().unwrap_or(&change).as_ref());
        if product.is_nan() || metric.is_nan() || product <= 1e-14 * metric || metric <= 0.0 {
            return;
        }
        if self.pairs.len() == MEMORY {
            self.pairs.pop_front();
        }
        self.scale = product / metric;
        self.pairs.push_back(Curvature { step, change, preconditioned, inverse: 1.0 / product });
    }

    /// Returns the descent direction −H·gradient, given the gradient and M⁻¹ times it if M is not
    /// the identity.
    pub(super) fn direction(
        &self,
        gradient: MatRef<'_, f64>,
        preconditioned: Option<MatRef<'_, f64>>,
    ) -> Mat<f64> {
        let mut residual = gradient.to_owned();
        let mut solved = preconditioned.map(|block| block.to_owned());
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = pair.inverse * inner(pair.step.as_ref(), residual.as_ref());
            add_scaled(residual.as_mut(), -share, pair.change.as_ref());
            if let (Some(solved), Some(change)) = (&mut solved, &pair.preconditioned) {
                add_scaled(solved.as_mut(), -share, change.as_ref());
            }
            shares.push(share);
        }
        let mut direction = solved.unwrap_or(residual);
        if !self.pairs.is_empty() {
            scale(&mut direction, self.scale);
        }
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = pair.inverse * inner(pair.change.as_ref(), direction.as_ref());
            add_scaled(direction.as_mut(), share - back, pair.step.as_ref());
        }
        scale(&mut direction, -1.0);
        direction
    }
}

fn scale(block: &mut Mat<f64>, factor: f64) {
    for j in 0..block.ncols() {
        block.as_mut().col_mut(j).iter_mut().for_each(|value| *value *= factor);
    }
}
