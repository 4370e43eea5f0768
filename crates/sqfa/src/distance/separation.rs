//! The directions that separate two Gaussians, with the contribution of each to the Bhattacharyya
//! distance.
//!
//! The generalized eigenvectors v with Σ₁v = λΣ₂v and vᵀΣ₂v = 1 are directions along which the
//! features of both Gaussians are independent. With δ = vᵀ(μ₁−μ₂) and s = (1+λ)/2, the
//! Bhattacharyya distance is the sum over v of δ²/(8s) + ½ ln(s/√λ). The first term is due to the
//! means and the second to the covariances. Cost: one generalized eigenproblem of order m.

use crate::features::Gaussian;
use crate::linalg::{Pencil, pencil};

/// A direction along which two Gaussians differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// The direction v in feature space, scaled so that z·v has variance 1 in the second Gaussian.
    pub direction: Vec<f64>,
    /// The variance of z·v in the first Gaussian.
    pub variance_ratio: f64,
    /// The mean of z·v in the first Gaussian minus that in the second.
    pub shift: f64,
    /// The contribution of the means to the Bhattacharyya distance.
    pub by_mean: f64,
    /// The contribution of the covariances to the Bhattacharyya distance.
    pub by_covariance: f64,
}

impl Separation {
    /// Returns the contribution of this direction to the Bhattacharyya distance.
    pub fn total(&self) -> f64 {
        self.by_mean + self.by_covariance
    }
}

/// Returns the directions that separate two Gaussians, in descending order of their contribution to
/// the Bhattacharyya distance.
///
/// Returns `None` if a covariance is singular to working precision or if the Gaussians differ in
/// dimension.
///
/// # Examples
///
/// ```
/// use sqfa::distance::separation;
/// use sqfa::features::Gaussian;
///
/// let identity = [1.0, 0.0, 0.0, 1.0];
/// let wide = [1.0, 0.0, 0.0, 9.0];
/// let first = Gaussian { order: 2, mean: &[1.0, 0.0], covariance: &wide };
/// let second = Gaussian { order: 2, mean: &[0.0, 0.0], covariance: &identity };
///
/// // The variances along the second axis separate the two more than the means along the first.
/// let found = separation(first, second).unwrap();
/// assert!((found[0].variance_ratio - 9.0).abs() < 1e-12);
/// assert!((found[1].shift.abs() - 1.0).abs() < 1e-12);
/// ```
pub fn separation(first: Gaussian<'_>, second: Gaussian<'_>) -> Option<Vec<Separation>> {
    let m = first.order;
    if second.order != m {
        return None;
    }
    let Pencil { values, vectors } = pencil(first.covariance, second.covariance, m, m).ok()?;
    let mut found = Vec::with_capacity(m);
    for k in 0..m {
        let direction: Vec<f64> = vectors.col(k).iter().copied().collect();
        let shift = (0..m).map(|i| direction[i] * (first.mean[i] - second.mean[i])).sum::<f64>();
        let variance_ratio = values[k];
        if variance_ratio.is_nan() || variance_ratio <= 0.0 {
            return None;
        }
        let middle = 0.5 * (1.0 + variance_ratio);
        found.push(Separation {
            direction,
            variance_ratio,
            shift,
            by_mean: shift * shift / (8.0 * middle),
            by_covariance: 0.5 * (middle / variance_ratio.sqrt()).ln(),
        });
    }
    found.sort_by(|a, b| b.total().total_cmp(&a.total()));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Distance, pairwise};
    use crate::features::Gaussians;

    /// Returns two well-conditioned Gaussians of order 3 with different means and covariances.
    fn pair() -> Gaussians {
        let means = vec![0.3, -1.0, 0.5, 1.0, 0.0, -0.4];
        let first = [2.0, 0.3, -0.1, 0.3, 1.0, 0.2, -0.1, 0.2, 0.5];
        let second = [1.0, -0.2, 0.0, -0.2, 1.5, 0.4, 0.0, 0.4, 3.0];
        Gaussians::new(3, means, [first, second].concat()).unwrap()
    }

    #[test]
    fn the_parts_add_up_to_the_bhattacharyya_distance() {
        let pair = pair();
        let found = separation(pair.get(0), pair.get(1)).unwrap();
        let sum: f64 = found.iter().map(Separation::total).sum();
        let distance = pairwise(&Distance::named("bhattacharyya").unwrap(), &pair).unwrap()[(0, 1)];
        // Round-off of an eigenproblem of order 3 with entries near 1.
        assert!((sum - distance).abs() < 1e-12, "{sum} is not {distance}");
        assert!(found.windows(2).all(|pair| pair[0].total() >= pair[1].total()));
    }

    #[test]
    fn directions_are_uncorrelated_in_both_gaussians() {
        let pair = pair();
        let found = separation(pair.get(0), pair.get(1)).unwrap();
        for (class, variance) in [(0, true), (1, false)] {
            let covariance = pair.covariance(class);
            for (i, a) in found.iter().enumerate() {
                for (j, b) in found.iter().enumerate() {
                    let inner: f64 = (0..9)
                        .map(|at| a.direction[at / 3] * covariance[at] * b.direction[at % 3])
                        .sum();
                    let expected = match (i == j, variance) {
                        (false, _) => 0.0,
                        (true, true) => a.variance_ratio,
                        (true, false) => 1.0,
                    };
                    assert!((inner - expected).abs() < 1e-12, "{i}, {j}: {inner}");
                }
            }
        }
    }

    #[test]
    fn a_shift_alone_is_due_to_the_means() {
        let identity = [1.0, 0.0, 0.0, 1.0];
        let pair = Gaussians::new(2, vec![0.0, 0.0, 2.0, 0.0], [identity, identity].concat());
        let pair = pair.unwrap();
        let found = separation(pair.get(0), pair.get(1)).unwrap();
        let (mean, covariance) = found
            .iter()
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.by_mean, sum.1 + one.by_covariance));
        // The means contribute |Δμ|²/8, the covariances nothing.
        assert!((mean - 0.5).abs() < 1e-14 && covariance.abs() < 1e-14);
        let singular =
            Gaussians::new(2, vec![0.0; 4], vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        let singular = singular.unwrap();
        assert!(separation(singular.get(1), singular.get(0)).is_none());
    }
}
