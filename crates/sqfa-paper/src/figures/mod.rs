//! Figures, one file each, or each family.

pub(crate) mod bayes;
pub(crate) mod bayes_2d;
pub(crate) mod equal_covariance;
pub(crate) mod filters;
pub(crate) mod geometry;
pub(crate) mod growth;
mod levels;
mod look;
pub(crate) mod scatter;
pub(crate) mod sensitivity;
pub(crate) mod toys;
pub(crate) mod two_variances;
pub(crate) mod videos;

use sqfa::distance::pairwise;
use sqfa::{Distance, Gaussians};

use super::PaperError;

/// A distance between two Gaussians with diagonal covariances.
pub(super) fn distance(
    name: &str,
    means: [&[f64]; 2],
    variances: [&[f64]; 2],
) -> Result<f64, PaperError> {
    let order = means[0].len();
    let fail = |problem: String| PaperError::numbers(format!("the {name} distance"), problem);
    let diagonal = |variances: &[f64]| {
        let mut matrix = vec![0.0; order * order];
        for (at, &variance) in variances.iter().enumerate() {
            matrix[at * (order + 1)] = variance;
        }
        matrix
    };
    let gaussians = Gaussians::new(order, means.concat(), variances.map(diagonal).concat())
        .map_err(|error| fail(error.to_string()))?;
    let distance = Distance::named(name).map_err(|error| fail(error.to_string()))?;
    Ok(pairwise(&distance, &gaussians).map_err(|error| fail(error.to_string()))?[(0, 1)])
}

/// So many numbers from one to another.
fn evenly(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| low + (high - low) * k as f64 / (count - 1) as f64).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Rounding of a few operations on numbers of order one, and the root of the registry's 10⁻⁶ under it.
    const CLOSE: f64 = 2e-6;

    #[test]
    fn distances_are_those_of_the_closed_forms() {
        for d in [1.0_f64, 8.0] {
            let of = |name| distance(name, [&[0.0, 0.0], &[d, 0.0]], [&[1.0, 1.0], &[1.0, 1.0]]);
            let exact = 2f64.sqrt() * (1.0 + d * d / 4.0).acosh();
            assert!((of("fisher-rao").unwrap() - exact).abs() < CLOSE);
            assert!((of("bhattacharyya").unwrap() - d * d / 8.0).abs() < CLOSE);
            let hellinger = (1.0 - (-d * d / 8.0).exp()).sqrt();
            assert!((of("hellinger").unwrap() - hellinger).abs() < CLOSE);
        }
    }

    #[test]
    fn pairs_at_1_and_8_weigh_1_to_64_5_and_3() {
        let weight = |name: &str| {
            let at = |d: f64| distance(name, [&[0.0], &[d]], [&[1.0], &[1.0]]).unwrap();
            at(8.0) / at(1.0)
        };
        // What the paper says, to the digits of an independent computation.
        for (name, expected) in [("bhattacharyya", 64.0), ("fisher-rao", 5.09), ("hellinger", 2.92)]
        {
            assert!((weight(name) - expected).abs() < 0.005, "{name}: {}", weight(name));
        }
    }

    /// A picture that is whole.
    pub(crate) fn renders(svg: &str, name: &str) {
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
        assert!(!svg.contains("NaN") && svg.matches("<path").count() > 5, "{name}");
    }
}
