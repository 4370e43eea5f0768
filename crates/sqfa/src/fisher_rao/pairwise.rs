//! The Fisher–Rao distances between all pairs of a set of Gaussians.
//!
//! Pairs are computed in parallel and independently of each other, so the results do not depend on
//! the number of threads. Cost: c(c−1)/2 distances.

use super::error::FisherRaoError;
use super::solve::{FisherRao, FisherRaoOptions, fisher_rao};
use crate::features::Gaussians;
use crate::parallel;

/// Computes the Fisher–Rao distance of every pair i < j, in the order (0,1), (0,2), …, (1,2), ….
///
/// If `twists` is not empty, it contains one warm start per pair in this order, which replace the
/// one in `options`.
///
/// # Errors
///
/// Returns [`FisherRaoError::InPair`], which names the pair, if a distance cannot be computed, and
/// [`FisherRaoError::Length`] if the number of warm starts differs from the number of pairs.
pub fn fisher_rao_pairwise(
    gaussians: &Gaussians,
    options: &FisherRaoOptions<'_>,
    twists: &[Vec<f64>],
) -> Result<Vec<FisherRao>, FisherRaoError> {
    let count = gaussians.len();
    let pairs: Vec<(usize, usize)> =
        (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).collect();
    if !twists.is_empty() && twists.len() != pairs.len() {
        return Err(FisherRaoError::Length {
            name: "the list of warm starts",
            expected: pairs.len(),
            found: twists.len(),
        });
    }
    parallel::try_map(pairs.into_iter().enumerate(), |(at, (i, j))| {
        let warm_start = twists.get(at).map(Vec::as_slice).or(options.warm_start);
        let options = FisherRaoOptions { warm_start, ..*options };
        fisher_rao(gaussians.get(i), gaussians.get(j), &options).map_err(|source| {
            FisherRaoError::InPair { first: i, second: j, source: Box::new(source) }
        })
    })
}
