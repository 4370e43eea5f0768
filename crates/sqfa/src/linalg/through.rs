//! Samples times a few filters, read from the caller's memory: by rows, or by columns as in Fortran order.
//!
//! Only the filters are copied. Products are summed in the samples' own precision over at most [`DEPTH`] terms and then
//! in `f64`, and each filter is computed independently of the others. The samples are read from main memory once and
//! from the caches once per sixteen filters.

use faer::MatRef;

use super::symmetric::{Element, num};
use super::thin::{DEPTH, Dispatched, Product, Right, add, packed};

/// Samples of a block as slices.
pub(crate) enum Lines<'a, T> {
    /// One slice per sample.
    Rows(Vec<&'a [T]>),
    /// One slice per column of the data, all of the same length.
    Columns(Vec<&'a [T]>),
}

/// Filters in groups of sixteen. The last group may have eight.
pub(crate) struct Packed<T> {
    filters: usize,
    groups: Vec<Group<T>>,
}

enum Group<T> {
    Eight(Vec<[T; 8]>),
    Sixteen(Vec<[T; 16]>),
}

impl<T: Element> Packed<T> {
    /// Packs n × m filters, one filter per column.
    pub(crate) fn new(filters: MatRef<'_, f64>) -> Self {
        let group = |first: usize| {
            let block = filters.subcols(first, (filters.ncols() - first).min(16));
            if block.ncols() > 8 {
                Group::Sixteen(packed(block))
            } else {
                Group::Eight(packed(block))
            }
        };
        let groups = (0..filters.ncols()).step_by(16).map(group).collect();
        Self { filters: filters.ncols(), groups }
    }

    /// Writes the features of a block of samples, row-major with one sample per row.
    pub(crate) fn apply(&self, points: &Lines<'_, T>, features: &mut [f64]) {
        for (index, group) in self.groups.iter().enumerate() {
            let first = 16 * index;
            match group {
                Group::Eight(packed) => self.write(&products(points, packed), first, features),
                Group::Sixteen(packed) => self.write(&products(points, packed), first, features),
            }
        }
    }

    fn write<const W: usize>(&self, sums: &[[f64; W]], first: usize, features: &mut [f64]) {
        let width = (self.filters - first).min(W);
        for (sums, row) in sums.iter().zip(features.chunks_mut(self.filters)) {
            row[first..first + width].copy_from_slice(&sums[..width]);
        }
    }
}

fn products<T: Element, const W: usize>(points: &Lines<'_, T>, packed: &[[T; W]]) -> Vec<[f64; W]> {
    match points {
        Lines::Rows(rows) => super::dispatch_with(Dispatched(Right { rows, packed })),
        Lines::Columns(columns) => super::dispatch_with(Dispatched(Across { columns, packed })),
    }
}

/// The product Σ_j x_j v_j for samples in Fortran order, where consecutive samples are adjacent in memory.
struct Across<'a, T, const W: usize> {
    columns: &'a [&'a [T]],
    packed: &'a [[T; W]],
}

/// Number of samples whose sums stay in registers: one cache line of single precision.
const TOGETHER: usize = 16;
/// Number of filters whose sums stay in registers.
const FILTERS: usize = 8;

impl<T: Element, const W: usize> Product for Across<'_, T, W> {
    type Sums = Vec<[f64; W]>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Self::Sums {
        let Self { columns, packed } = self;
        let points = columns.first().map_or(0, |column| column.len());
        let mut sums = vec![[0.0; W]; points];
        for start in (0..points).step_by(TOGETHER) {
            let count = TOGETHER.min(points - start);
            for group in (0..W).step_by(FILTERS) {
                let parts = columns.chunks(DEPTH).zip(packed.chunks(DEPTH));
                for (columns, packed) in parts {
                    let mut part = [[T::ZERO; TOGETHER]; FILTERS];
                    for (column, weights) in columns.iter().zip(packed) {
                        let weights = &weights[group..group + FILTERS];
                        let mut x = [T::ZERO; TOGETHER];
                        if count == TOGETHER {
                            x.copy_from_slice(&column[start..start + TOGETHER]);
                        } else {
                            x[..count].copy_from_slice(&column[start..start + count]);
                        }
                        for (sums, &weight) in part.iter_mut().zip(weights) {
                            for point in 0..TOGETHER {
                                sums[point] =
                                    num::Float::fused::<FUSED>(x[point], weight, sums[point]);
                            }
                        }
                    }
                    for (point, sums) in sums[start..start + count].iter_mut().enumerate() {
                        let own: [T; FILTERS] = std::array::from_fn(|filter| part[filter][point]);
                        if let Some(sums) = sums[group..].first_chunk_mut::<FILTERS>() {
                            add(sums, &own);
                        }
                    }
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    /// Tolerance for sums of a few thousand terms of size one in single precision.
    const SINGLE: f64 = 1e-4;
    /// Tolerance for sums of a few thousand terms of size one in double precision.
    const DOUBLE: f64 = 1e-12;

    fn check<T: Element>(rows: usize, n: usize, m: usize, tolerance: f64) {
        let entry = |i: usize, j: usize| ((i * 31 + j * 17) % 113) as f64 / 56.0 - 1.0;
        let cast = <T as num::Float>::from_f64;
        let by_rows: Vec<T> = (0..rows * n).map(|at| cast(entry(at / n, at % n))).collect();
        let by_columns: Vec<T> =
            (0..rows * n).map(|at| cast(entry(at % rows, at / rows))).collect();
        let filters = Mat::from_fn(n, m, |i, j| ((i * 5 + j * 3) % 17) as f64 / 8.0 - 1.0);
        let packed = Packed::<T>::new(filters.as_ref());
        let mut found = [vec![f64::NAN; rows * m], vec![f64::NAN; rows * m]];
        packed.apply(&Lines::Rows(by_rows.chunks(n).collect()), &mut found[0]);
        packed.apply(&Lines::Columns(by_columns.chunks(rows).collect()), &mut found[1]);
        for at in 0..rows * m {
            let expected: f64 = (0..n)
                .map(|k| num::Float::to_f64(by_rows[at / m * n + k]) * filters[(k, at % m)])
                .sum();
            for found in &found {
                assert!((found[at] - expected).abs() < tolerance, "{rows} {n} {m}: {}", found[at]);
            }
        }
    }

    #[test]
    fn rows_and_columns_agree_with_the_definition_at_awkward_sizes() {
        for (rows, n) in [(1, 1), (7, 3), (16, 1024), (17, 1025), (300, 9), (33, 2049)] {
            for m in [1, 7, 8, 9, 16, 17, 40] {
                check::<f32>(rows, n, m, SINGLE);
                check::<f64>(rows, n, m, DOUBLE);
            }
        }
    }
}
