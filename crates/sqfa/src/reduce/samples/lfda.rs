//! Local Fisher discriminant analysis (LFDA): discriminant analysis that keeps only neighbors of
//! the same class together.
//!
//! Within class c, the affinity is A_ab = exp(−|x_a−x_b|²/(σ_aσ_b)), where σ_a is the distance of
//! sample a to its k-th nearest neighbor in the class. The two scatters ½ΣW_ab(x_a−x_b)(x_a−x_b)ᵀ
//! have the weights W = A/N_c (within), and A(1/N−1/N_c) for samples of the same class or 1/N for
//! others (between). The filters solve S_between v = λ S_within v. With G_c = X_cᵀ(diag(A1)−A)X_c,
//! and the scatters T of all samples and S_c of a class about their means,
//!
//! ```text
//! S_within = Σ G_c/N_c        S_between = T + Σ_c [(1/N − 1/N_c) G_c − (N_c/N) S_c]
//! ```
//!
//! A class with too few samples for k neighbors uses all that it has, independently of the other
//! classes. A sample that coincides with its k-th neighbor (σ = 0) has affinity only to its
//! duplicates, which contribute nothing to the scatters.
//!
//! Cost: 4p ΣN_c² flops in the precision of the samples. Affinities are computed in tiles, so no
//! N_c × N_c matrix is stored. Reference: Sugiyama, *J. Machine Learning Research* 8, 2007.

mod scatters;

use std::str::FromStr;

use self::scatters::Scatters;
use super::SampleError;
use super::gathered::check;
use crate::labels::Labels;
use crate::linalg::{Mat, orthonormalize, pencil};
use crate::names::chosen;
use crate::points::Points;

/// The local scale of LFDA, relative to which the distances between the samples of a class are
/// measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalScale {
    /// The distance of a sample to its k-th nearest neighbor in the class, as LFDA is defined.
    #[default]
    Neighbor,
    /// The distance of a sample to the k-th sample of its class, counted from 0.
    ///
    /// This scale has the order of magnitude of all distances in the class, so that LFDA becomes
    /// nearly LDA. Results depend on the order of the samples. It exists for comparisons with
    /// metric-learn (version 0.5 and later), which partitions every column of the distances about
    /// its k-th smallest entry and then uses column k instead of row k. This gives the same values
    /// up to their order.
    Anchor,
}

/// The local scales with their names.
pub(crate) const LOCAL_SCALES: [(&str, LocalScale); 2] =
    [("neighbor", LocalScale::Neighbor), ("anchor", LocalScale::Anchor)];

impl LocalScale {
    /// Returns the name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Neighbor => "neighbor",
            Self::Anchor => "anchor",
        }
    }
}

impl FromStr for LocalScale {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("local scale", name, &LOCAL_SCALES)?)
    }
}

/// The result of LFDA.
#[derive(Debug, Clone)]
pub(crate) struct Lfda {
    /// Orthonormal filters: a p × m matrix with one filter per column. The first m′ columns are the
    /// solution for m′ filters.
    pub(crate) filters: Mat<f64>,
    /// The ratio of between-class to within-class scatter along every generalized eigenvector,
    /// largest first.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare it with the definition"))]
    pub(crate) eigenvalues: Vec<f64>,
}

/// The number of neighbors k, and how the local scale follows from it.
pub(crate) type Neighborhood = (usize, LocalScale);

/// Computes LFDA of samples for several neighborhoods.
///
/// The neighborhoods share distances and neighbors, so each further one costs half as much as the
/// first.
pub(crate) fn lfda_of_each(
    points: Points<'_>,
    labels: &Labels,
    neighborhoods: &[Neighborhood],
    filters: usize,
) -> Result<Vec<Result<Lfda, SampleError>>, SampleError> {
    let rows = check(points, labels, filters)?;
    if neighborhoods.iter().any(|(neighbors, _)| *neighbors == 0) {
        return Err(SampleError::NoNeighbors);
    }
    let all = match points {
        Points::U8(table) => Scatters::of_each::<u8, f32>(&table, &rows, neighborhoods),
        Points::F32(table) => Scatters::of_each::<f32, f32>(&table, &rows, neighborhoods),
        Points::F64(table) => Scatters::of_each::<f64, f64>(&table, &rows, neighborhoods),
    };
    let dimension = points.columns();
    Ok(all.iter().map(|scatters| solve(scatters, dimension, filters)).collect())
}

/// Returns the leading eigenvectors, orthonormalized in order, so that the span of any number of
/// leading ones is unchanged.
fn solve(scatters: &Scatters, dimension: usize, filters: usize) -> Result<Lfda, SampleError> {
    let singular = |pivot, largest| SampleError::SingularScatter { dimension, pivot, largest };
    let solved = pencil(&scatters.between, &scatters.within, dimension, filters)
        .map_err(|deficient| singular(deficient.pivot, deficient.largest))?;
    let leading =
        orthonormalize(solved.vectors.subcols(0, filters)).ok_or_else(|| singular(0.0, 0.0))?;
    Ok(Lfda { filters: leading, eigenvalues: solved.values[..filters].to_vec() })
}

#[cfg(test)]
mod tests;
