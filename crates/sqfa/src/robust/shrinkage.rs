//! Oracle-approximating shrinkage (OAS): the fraction of a multiple of the identity for the covariance of few samples.
//!
//! ρ = min(1, [(1−2/p) tr S² + tr² S] / [(N+1−2/p)(tr S² − tr² S/p)]), Chen, Wiesel, Eldar & Hero, *IEEE Trans. Signal
//! Processing* 58, 2010.

use crate::linalg::{Element, Float, Lower};

/// Returns ρ for N samples in p columns with traces tr S and tr S². It is 1 for a multiple of the identity.
pub(crate) fn oracle_approximating(count: f64, dimension: f64, trace: f64, square: f64) -> f64 {
    let spread = square - trace * trace / dimension;
    if spread <= 0.0 {
        return 1.0;
    }
    let above = (1.0 - 2.0 / dimension) * square + trace * trace;
    (above / ((count + 1.0 - 2.0 / dimension) * spread)).clamp(0.0, 1.0)
}

/// Returns tr S² for a symmetric matrix S, from its lower triangle.
pub(crate) fn squared_norm<T: Element>(lower: Lower<'_, T>) -> f64 {
    let square = |value: &T| Float::to_f64(*value).powi(2);
    (0..lower.order())
        .map(|i| {
            let row = lower.row(i);
            square(&row[i]) + 2.0 * row[..i].iter().map(square).sum::<f64>()
        })
        .sum()
}
