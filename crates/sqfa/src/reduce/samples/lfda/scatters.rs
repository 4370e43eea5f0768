//! The two scatters of LFDA, for several neighborhoods at once.
//!
//! Distances within a class are computed once for all neighborhoods, one tile at a time. Affinities
//! and scatters are computed for each neighborhood.

use super::{LocalScale, Neighborhood};
use crate::linalg::{
    Element, Float, add_rows_inner, add_rows_product, add_weighted_scatter, dispatch, exponential,
    rows_times_rows,
};
use crate::neighbors::Reference;
use crate::parallel;
use crate::points::{Scalar, Table};

/// Rows of a tile, whose distances, affinities and products stay in the second-level cache.
const STRIP: usize = 256;
/// Number of strips whose scatters are stored at a time.
const GROUP: usize = 64;

/// The two matrices of the eigenproblem, row-major.
#[derive(Clone)]
pub(super) struct Scatters {
    pub(super) within: Vec<f64>,
    pub(super) between: Vec<f64>,
}

impl Scatters {
    /// Returns the scatters of every neighborhood.
    pub(super) fn of_each<S: Scalar, T: Element + Scalar>(
        table: &Table<'_, S>,
        rows: &[Vec<usize>],
        neighborhoods: &[Neighborhood],
    ) -> Vec<Self> {
        let (p, total) = (table.columns(), table.rows() as f64);
        let empty = Self { within: vec![0.0; p * p], between: vec![0.0; p * p] };
        let mut all = vec![empty; neighborhoods.len()];
        // The total scatter T is the sum of S_c over the classes and of the scatter of the means.
        // The fraction 1 − N_c/N of S_c remains, which is the same for every neighborhood.
        let mut shared = vec![0.0; p * p];
        let mut means = Vec::new();
        for rows in rows.iter().filter(|rows| !rows.is_empty()) {
            let count = rows.len() as f64;
            let class = Reference::<T>::of_rows(table, rows.iter().copied());
            means.push((count, class.center().to_vec()));
            let ones = vec![T::from_f64(1.0); rows.len()];
            add_weighted_scatter(class.centered(), &ones, p, 1.0 - count / total, &mut shared);
            for (own, local) in all.iter_mut().zip(local_scatters(&class, neighborhoods)) {
                for ((within, between), local) in
                    own.within.iter_mut().zip(&mut own.between).zip(local)
                {
                    *within += local / count;
                    *between += local * (1.0 / total - 1.0 / count);
                }
            }
        }
        let center: Vec<f64> = (0..p)
            .map(|i| means.iter().map(|(count, mean)| count * mean[i]).sum::<f64>() / total)
            .collect();
        for (count, mean) in &means {
            for i in 0..p {
                for j in 0..p {
                    shared[i * p + j] += count * (mean[i] - center[i]) * (mean[j] - center[j]);
                }
            }
        }
        for own in &mut all {
            own.between.iter_mut().zip(&shared).for_each(|(sum, value)| *sum += value);
            symmetrize(&mut own.within, p);
            symmetrize(&mut own.between, p);
        }
        all
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

/// Returns Xᵀ(diag(A1)−A)X of one class for every neighborhood, up to an antisymmetric part.
///
/// Only the tiles on and below the diagonal of A are computed; those below count twice.
fn local_scatters<T: Element + Scalar>(
    class: &Reference<T>,
    neighborhoods: &[Neighborhood],
) -> Vec<Vec<f64>> {
    let (count, p) = (class.len(), class.columns());
    let mut sums = vec![vec![0.0; p * p]; neighborhoods.len()];
    if count < 2 {
        return sums;
    }
    let inverses = inverse_scales(class, neighborhoods);
    let mut degrees = vec![vec![0.0; count]; neighborhoods.len()];
    let strips: Vec<usize> = (0..count.div_ceil(STRIP)).collect();
    for group in strips.chunks(GROUP) {
        for strip in parallel::map(group, |&strip| strip_scatters(class, &inverses, strip)) {
            for ((sum, degrees), (scatter, partial)) in sums.iter_mut().zip(&mut degrees).zip(strip)
            {
                sum.iter_mut().zip(scatter).for_each(|(sum, value)| *sum -= value);
                degrees.iter_mut().zip(partial).for_each(|(sum, value)| *sum += value);
            }
        }
    }
    for (sum, degrees) in sums.iter_mut().zip(degrees) {
        let degrees: Vec<T> = degrees.into_iter().map(T::from_f64).collect();
        add_weighted_scatter(class.centered(), &degrees, p, 1.0, sum);
    }
    sums
}

/// Returns 1/σ of every sample for every neighborhood; infinite if σ = 0.
fn inverse_scales<T: Element + Scalar>(
    class: &Reference<T>,
    neighborhoods: &[Neighborhood],
) -> Vec<Vec<f64>> {
    let reach = |neighbors: usize| neighbors.min(class.len() - 1);
    let counted = neighborhoods.iter().filter(|(_, scale)| *scale == LocalScale::Neighbor);
    let farthest = counted.map(|(neighbors, _)| reach(*neighbors)).max().unwrap_or(0);
    // The nearest neighbors for the largest number contain those for smaller numbers.
    let nearest = class.nearest_others(farthest);
    let of = |&(neighbors, scale): &Neighborhood| {
        let reach = reach(neighbors);
        let squares: Vec<f64> = match scale {
            LocalScale::Neighbor => {
                nearest.chunks(farthest).map(|all| all[reach - 1].square).collect()
            }
            LocalScale::Anchor => class.squares_to(reach),
        };
        squares.iter().map(|square| square.sqrt().recip()).collect()
    };
    neighborhoods.iter().map(of).collect()
}

/// Returns, for one strip of rows and every neighborhood, XᵀAX over its tiles and their
/// contribution to the row sums of A.
fn strip_scatters<T: Element>(
    class: &Reference<T>,
    inverses: &[Vec<f64>],
    strip: usize,
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let p = class.columns();
    let first = strip * STRIP;
    let height = STRIP.min(class.len() - first);
    let own = &class.centered()[first * p..][..height * p];
    let mut degrees = vec![vec![0.0; first + height]; inverses.len()];
    let mut products = vec![T::ZERO; height * STRIP];
    let mut affinities = vec![T::ZERO; height * STRIP];
    // Σ_b A_ab x_b over the tiles, with those off the diagonal twice.
    let mut pulled = vec![vec![T::ZERO; height * p]; inverses.len()];
    for start in (0..=first).step_by(STRIP) {
        let width = STRIP.min(class.len() - start);
        let other = &class.centered()[start * p..][..width * p];
        let products = &mut products[..height * width];
        rows_times_rows(own, height, other, width, p, products);
        let factor = if start == first { 1.0 } else { 2.0 };
        for ((inverse, degrees), pulled) in inverses.iter().zip(&mut degrees).zip(&mut pulled) {
            let tile = &mut affinities[..height * width];
            for (a, (row, products)) in
                tile.chunks_mut(width).zip(products.chunks(width)).enumerate()
            {
                let square = Float::to_f64(class.squares()[first + a]);
                let squares = &class.squares()[start..start + width];
                let scales = (inverse[first + a], &inverse[start..start + width]);
                affinity_row(row, products, square, squares, scales);
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
            add_rows_product(tile, height, other, width, p, factor, pulled);
        }
    }
    let scatter = |pulled: Vec<T>| {
        let mut scatter = vec![0.0; p * p];
        add_rows_inner(own, &pulled, height, p, &mut scatter);
        scatter
    };
    pulled.into_iter().map(scatter).zip(degrees).collect()
}

/// Computes exp(−|a−b|²/(σ_aσ_b)) from inner products.
fn affinity_row<T: Element>(
    row: &mut [T],
    products: &[T],
    square: f64,
    squares: &[T],
    (inverse, inverses): (f64, &[f64]),
) {
    dispatch(
        #[inline(always)]
        || {
            for (((value, product), other), scale) in
                row.iter_mut().zip(products).zip(squares).zip(inverses)
            {
                let gap = square + Float::to_f64(*other) - 2.0 * Float::to_f64(*product);
                let exponent = -gap.max(0.0) * (inverse * scale);
                let affinity = exponential(exponent);
                // 0·∞ for duplicates with σ = 0. Duplicates contribute nothing to the scatters,
                // whatever their affinity.
                *value = T::from_f64(if affinity.is_nan() { 0.0 } else { affinity });
            }
        },
    );
}
