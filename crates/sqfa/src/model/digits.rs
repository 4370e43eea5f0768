//! How many digits of the smallest variance behind the filters survive rounding.
//!
//! FᵀΣF carries an error of about ε·max Σ, so of a variance λ behind unit filters the share ε·max Σ/λ is round-off: with
//! condition 10¹⁴ two digits are left in double precision. Noise above that error makes it harmless.
//! Cost: one eigenproblem of order m a class.

use super::Warning;
use crate::features::Gaussians;
use crate::labels::Classes;
use crate::linalg::Real;

/// Round-off beyond this share of a variance shows in distances and probabilities.
const ROUND_OFF: f64 = 1e-4;

/// A warning when round-off is a visible share of some class's smallest variance; `largest` is the largest in input space.
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
