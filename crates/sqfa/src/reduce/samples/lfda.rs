//! Local Fisher discriminant analysis: LDA that pulls together only neighbours of a class.
//!
//! Within class c, A_ab = exp(−|x_a−x_b|²/(σ_aσ_b)) with σ_a the distance of a to its k-th nearest neighbour in the
//! class. The scatters ½ΣW_ab(x_a−x_b)(x_a−x_b)ᵀ have W = A/N_c (within) and A(1/N−1/N_c) in a class, 1/N across
//! (between); the filters solve S_between v = λ S_within v. With G_c = X_cᵀ(diag(A1)−A)X_c and the scatters T of all
//! samples and S_c of a class about their means,
//!
//! S_within = Σ G_c/N_c        S_between = T + Σ_c [(1/N − 1/N_c) G_c − (N_c/N) S_c].
//!
//! A class with too few samples for k neighbours uses all it has, whatever the other classes do. A sample on top of its
//! k-th neighbour (σ = 0) has affinity to its duplicates alone, which scatter nothing.
//! Cost: 4p ΣN_c² flops in the samples' precision and tiles of memory; nothing of N_c² is kept.
//! Reference: Sugiyama, *J. Machine Learning Research* 8, 2007.

use std::str::FromStr;

use super::SampleError;
use super::gathered::check;
use crate::labels::Labels;
use crate::linalg::{
    Element, Float, Mat, add_weighted_scatter, dispatch, exponential, orthonormalize, pencil,
    rows_times_rows,
};
use crate::names::chosen;
use crate::neighbors::Reference;
use crate::parallel;
use crate::points::{Points, Scalar, Table};

/// Rows of a tile: its distances, affinities and products stay in the second-level cache.
const STRIP: usize = 256;

/// How the eigenvectors become filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Embedding {
    /// Orthonormal, spanning the same spaces.
    #[default]
    Orthonormalized,
    /// Each scaled by the root of its eigenvalue.
    Weighted,
    /// As they are: orthonormal in the metric of the within-class scatter.
    Plain,
}

/// The embeddings by name.
pub const EMBEDDINGS: [(&str, Embedding); 3] = [
    ("orthonormalized", Embedding::Orthonormalized),
    ("weighted", Embedding::Weighted),
    ("plain", Embedding::Plain),
];

impl Embedding {
    /// Its name in every flag, file and message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Orthonormalized => "orthonormalized",
            Self::Weighted => "weighted",
            Self::Plain => "plain",
        }
    }
}

impl FromStr for Embedding {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(chosen("embedding", name, &EMBEDDINGS)?)
    }
}

/// What a sample's distances are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalScale {
    /// The distance to its k-th nearest neighbour in the class: the definition.
    #[default]
    Neighbor,
    /// The distance to the class's k-th sample, counted from 0: one scale of the order of all distances in the class, with
    /// which the local method becomes nearly LDA.
    ///
    /// metric-learn (0.5 at least) partitions every column of the distances about its k-th smallest entry and then takes
    /// column k rather than row k: these numbers, up to their order. Figures made with it compare with this scale.
    Anchor,
}

/// The local scales by name.
pub const LOCAL_SCALES: [(&str, LocalScale); 2] =
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
pub struct Lfda {
    /// p × m, one filter a column; the first m′ columns are the solution for m′ filters.
    pub filters: Mat<f64>,
    /// The ratio of between- to within-class scatter along every filter, largest first.
    pub eigenvalues: Vec<f64>,
}

/// Local Fisher discriminant analysis of samples, with neighbourhoods of `neighbors` samples.
pub fn lfda(
    points: Points<'_>,
    labels: &Labels,
    neighbors: usize,
    scale: LocalScale,
    filters: usize,
    embedding: Embedding,
) -> Result<Lfda, SampleError> {
    let rows = check(points, labels, filters)?;
    if neighbors == 0 {
        return Err(SampleError::NoNeighbors);
    }
    let scatters = match points {
        Points::U8(table) => Scatters::new::<u8, f32>(&table, &rows, neighbors, scale),
        Points::F32(table) => Scatters::new::<f32, f32>(&table, &rows, neighbors, scale),
        Points::F64(table) => Scatters::new::<f64, f64>(&table, &rows, neighbors, scale),
    };
    let dimension = points.columns();
    let singular = |pivot, largest| SampleError::SingularScatter { dimension, pivot, largest };
    let solved = pencil(&scatters.between, &scatters.within, dimension, filters)
        .map_err(|deficient| singular(deficient.pivot, deficient.largest))?;
    let mut leading = solved.vectors.subcols(0, filters).to_owned();
    let eigenvalues = solved.values[..filters].to_vec();
    match embedding {
        Embedding::Plain => {}
        Embedding::Weighted => {
            for (j, value) in eigenvalues.iter().enumerate() {
                let root = value.max(0.0).sqrt();
                leading.as_mut().col_mut(j).iter_mut().for_each(|entry| *entry *= root);
            }
        }
        Embedding::Orthonormalized => {
            leading = orthonormalize(leading.as_ref()).ok_or_else(|| singular(0.0, 0.0))?;
        }
    }
    Ok(Lfda { filters: leading, eigenvalues })
}

/// The two sides of the eigenproblem, row-major.
struct Scatters {
    within: Vec<f64>,
    between: Vec<f64>,
}

impl Scatters {
    fn new<S: Scalar, T: Element + Scalar>(
        table: &Table<'_, S>,
        rows: &[Vec<usize>],
        neighbors: usize,
        scale: LocalScale,
    ) -> Self {
        let (p, total) = (table.columns(), table.rows() as f64);
        let mut within = vec![0.0; p * p];
        let mut between = vec![0.0; p * p];
        let mut means = Vec::new();
        for rows in rows.iter().filter(|rows| !rows.is_empty()) {
            let count = rows.len() as f64;
            let class = Reference::<T>::of_rows(table, rows.iter().copied());
            means.push((count, class.centre().to_vec()));
            // Σ(x−μ)(x−μ)ᵀ: of T = Σ_c S_c + spread of the means, the share 1 − N_c/N remains.
            let ones = vec![T::from_f64(1.0); rows.len()];
            add_weighted_scatter(class.centred(), &ones, p, 1.0 - count / total, &mut between);
            let local = local_scatter(&class, neighbors, scale);
            for ((within, between), local) in within.iter_mut().zip(&mut between).zip(local) {
                *within += local / count;
                *between += local * (1.0 / total - 1.0 / count);
            }
        }
        let centre: Vec<f64> = (0..p)
            .map(|i| means.iter().map(|(count, mean)| count * mean[i]).sum::<f64>() / total)
            .collect();
        for (count, mean) in &means {
            for i in 0..p {
                for j in 0..p {
                    between[i * p + j] += count * (mean[i] - centre[i]) * (mean[j] - centre[j]);
                }
            }
        }
        symmetrize(&mut within, p);
        symmetrize(&mut between, p);
        Self { within, between }
    }
}

fn symmetrize(matrix: &mut [f64], p: usize) {
    for i in 0..p {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * p + j] + matrix[j * p + i]);
            matrix[i * p + j] = mean;
            matrix[j * p + i] = mean;
        }
    }
}

/// X ᵀ(diag(A1)−A)X of one class, up to its antisymmetric part.
///
/// Only tiles on and below the diagonal of A are made; those below count twice.
fn local_scatter<T: Element + Scalar>(
    class: &Reference<T>,
    neighbors: usize,
    scale: LocalScale,
) -> Vec<f64> {
    let (count, p) = (class.len(), class.columns());
    let mut sum = vec![0.0; p * p];
    let reach = neighbors.min(count - 1);
    if reach == 0 {
        return sum;
    }
    let squares: Vec<f64> = match scale {
        LocalScale::Neighbor => {
            class.nearest_others(reach).chunks(reach).map(|all| all[reach - 1].square).collect()
        }
        LocalScale::Anchor => class.squares_to(reach),
    };
    // 1/σ, infinite for a sample on top of its measure.
    let inverse: Vec<f64> = squares.iter().map(|square| square.sqrt().recip()).collect();
    let strips: Vec<(Vec<f64>, Vec<f64>)> =
        parallel::map(0..count.div_ceil(STRIP), |strip| strip_scatter(class, &inverse, strip));
    let mut degrees = vec![0.0; count];
    for (scatter, partial) in strips {
        sum.iter_mut().zip(scatter).for_each(|(sum, value)| *sum -= value);
        degrees.iter_mut().zip(partial).for_each(|(sum, value)| *sum += value);
    }
    let degrees: Vec<T> = degrees.into_iter().map(T::from_f64).collect();
    add_weighted_scatter(class.centred(), &degrees, p, 1.0, &mut sum);
    sum
}

/// Of one strip of rows: XᵀAX over its tiles, and what they add to A's row sums.
fn strip_scatter<T: Element>(
    class: &Reference<T>,
    inverse: &[f64],
    strip: usize,
) -> (Vec<f64>, Vec<f64>) {
    let p = class.columns();
    let first = strip * STRIP;
    let height = STRIP.min(class.len() - first);
    let own = &class.centred()[first * p..][..height * p];
    let mut degrees = vec![0.0; first + height];
    let mut affinities = vec![T::ZERO; height * STRIP];
    // Σ_b A_ab x_b over tiles, those off the diagonal twice.
    let mut pulled = vec![T::ZERO; height * p];
    for start in (0..=first).step_by(STRIP) {
        let width = STRIP.min(class.len() - start);
        let other = &class.centred()[start * p..][..width * p];
        let tile = &mut affinities[..height * width];
        rows_times_rows(own, height, other, width, p, tile);
        let factor = if start == first { 1.0 } else { 2.0 };
        for (a, row) in tile.chunks_mut(width).enumerate() {
            let square = Float::to_f64(class.squares()[first + a]);
            let squares = &class.squares()[start..start + width];
            affinity_row(row, square, squares, inverse[first + a], &inverse[start..start + width]);
            let sums = &mut degrees[start..start + width];
            let mut sum = 0.0;
            for (value, degree) in row.iter().zip(sums) {
                let value = Float::to_f64(*value);
                sum += value;
                if start != first {
                    *degree += value;
                }
            }
            degrees[first + a] += sum;
        }
        crate::linalg::add_rows_product(tile, height, other, width, p, factor, &mut pulled);
    }
    let mut scatter = vec![0.0; p * p];
    crate::linalg::add_rows_inner(own, &pulled, height, p, &mut scatter);
    (scatter, degrees)
}

/// Turns inner products into exp(−|a−b|²/(σ_aσ_b)).
fn affinity_row<T: Element>(
    row: &mut [T],
    square: f64,
    squares: &[T],
    inverse: f64,
    inverses: &[f64],
) {
    dispatch(
        #[inline(always)]
        || {
            for ((value, other), scale) in row.iter_mut().zip(squares).zip(inverses) {
                let gap = square + Float::to_f64(*other) - 2.0 * Float::to_f64(*value);
                let exponent = -gap.max(0.0) * (inverse * scale);
                let affinity = exponential(exponent);
                // 0·∞: a duplicate at σ = 0, which scatters nothing whatever its affinity.
                *value = T::from_f64(if affinity.is_nan() { 0.0 } else { affinity });
            }
        },
    );
}

#[cfg(test)]
mod tests;
