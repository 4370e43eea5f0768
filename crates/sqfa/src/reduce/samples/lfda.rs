//! Local Fisher discriminant analysis: LDA that pulls together only neighbors of a class.
//!
//! Within class c, A_ab = exp(−|x_a−x_b|²/(σ_aσ_b)) with σ_a the distance of a to its k-th nearest neighbor in the
//! class. The scatters ½ΣW_ab(x_a−x_b)(x_a−x_b)ᵀ have W = A/N_c (within) and A(1/N−1/N_c) in a class, 1/N across
//! (between); the filters solve S_between v = λ S_within v. With G_c = X_cᵀ(diag(A1)−A)X_c and the scatters T of all
//! samples and S_c of a class about their means,
//!
//! S_within = Σ G_c/N_c        S_between = T + Σ_c [(1/N − 1/N_c) G_c − (N_c/N) S_c].
//!
//! A class with too few samples for k neighbors uses all it has, whatever the other classes do. A sample on top of its
//! k-th neighbor (σ = 0) has affinity to its duplicates alone, which scatter nothing.
//! Cost: 4p ΣN_c² flops in the samples' precision and tiles of memory; nothing of N_c² is kept.
//! Reference: Sugiyama, *J. Machine Learning Research* 8, 2007.

mod scatters;

use std::str::FromStr;

use self::scatters::Scatters;
use super::SampleError;
use super::gathered::check;
use crate::labels::Labels;
use crate::linalg::{Mat, orthonormalize, pencil};
use crate::names::chosen;
use crate::points::Points;

/// What a sample's distances are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalScale {
    /// The distance to its k-th nearest neighbor in the class: the definition.
    #[default]
    Neighbor,
    /// The distance to the class's k-th sample, counted from 0: one scale of the order of all distances in the class, with
    /// which the local method becomes nearly LDA. Results depend on the order of samples.
    ///
    /// metric-learn (0.5 at least) partitions every column of the distances about its k-th smallest entry and then takes
    /// column k rather than row k: these numbers, up to their order. Figures made with it compare with this scale.
    Anchor,
}

/// The local scales by name.
pub(crate) const LOCAL_SCALES: [(&str, LocalScale); 2] =
    [("neighbor", LocalScale::Neighbor), ("anchor", LocalScale::Anchor)];

impl LocalScale {
    /// Its name in every flag, file and message.
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

/// What LFDA found.
#[derive(Debug, Clone)]
pub(crate) struct Lfda {
    /// p × m, one filter a column, orthonormal; the first m′ columns are the solution for m′ filters.
    pub(crate) filters: Mat<f64>,
    /// The ratio of between- to within-class scatter along every filter, largest first.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare it with the definition"))]
    pub(crate) eigenvalues: Vec<f64>,
}

/// How large a sample's neighborhood is: which neighbor measures it, and how.
pub(crate) type Neighborhood = (usize, LocalScale);

/// Local Fisher discriminant analysis of samples, with several neighborhoods, which share distances and neighbors: each further
/// one costs half of the first.
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

/// Returns the leading eigenvectors, orthonormalized, so that every leading few span the same space as before.
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
