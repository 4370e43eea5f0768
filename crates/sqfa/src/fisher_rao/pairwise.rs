//! The Fisher–Rao distances between all pairs of a set of Gaussians.
//!
//! Pairs run in parallel and independently, so the results do not depend on the number of threads.
//! Cost: c(c−1)/2 distances.

use super::error::FisherRaoError;
use super::solve::{FisherRao, FisherRaoOptions, fisher_rao};
use crate::features::Gaussians;
use crate::parallel;

/// Computes the distance of every pair i < j, in the order (0,1), (0,2), …, (1,2), ….
///
/// `twists`, when not empty, holds one warm start per pair in the same order and replaces the one of `options`.
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
