//! A check of how many digits of the smallest variance of the features survive round-off.
//!
//! The round-off of FᵀΣF is about ε·max Σ. Relative to a variance λ of a feature it is ε·max Σ/λ:
//! with a condition number of 10¹⁴, two digits are left in double precision. Noise above the
//! round-off makes it harmless. Cost: one eigenproblem of order m per class.

use super::Warning;
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::Real;

/// Fraction of a variance above which round-off affects distances and probabilities.
const ROUND_OFF: f64 = 1e-4;

/// Returns a warning if round-off is a considerable fraction of the smallest variance of some class
/// in feature space. `largest` is the largest variance in input space.
pub(super) fn lost(
    gaussians: &Gaussians,
    classes: &Classes,
    (noise, largest): (f64, f64),
    single: bool,
) -> Option<Warning> {
    let error = largest * if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    if noise > error {
        return None;
    }
    let m = gaussians.order();
    let mut vectors = vec![0.0; m * m];
    let smallest = (0..gaussians.len()).map(|class| {
        let mut matrix = gaussians.covariance(class).to_vec();
        f64::eigen(&mut matrix, &mut vectors, m);
        (0..m).map(|i| matrix[i * m + i]).fold(f64::INFINITY, f64::min)
    });
    let (class, variance) = smallest.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let lost = error / variance.max(0.0);
    (lost > ROUND_OFF).then(|| Warning::LostDigits {
        class: classes.label(class).to_string(),
        condition: largest / variance.max(0.0),
        lost,
    })
}
