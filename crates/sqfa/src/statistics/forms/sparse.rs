//! A class covariance stored as sparse samples. It is never made dense; a rank-one correction centers it.
//!
//! With features Y = XV − 1(μᵀV), ΦV = (XᵀY − μ(1ᵀY))/(N−1). The samples are stored both by rows and by columns, so
//! that both products run in parallel and in a fixed order. All sums are in `f64`. A pass over w columns costs 4·w·nnz
//! flops for nnz nonzero entries.

use std::ops::Range;

use super::Spanning;
use super::diagonal::Diagonal;
use super::factor::Precision;
use super::sparse_gram::SparseVectors;
use crate::linalg::{Mat, MatMut, MatRef};
use crate::parallel;
use crate::points::Scalar;
use crate::statistics::{Covariance, StatisticsError};

/// Number of columns of a block that are processed together.
const WIDTH: usize = 8;
/// Number of rows or columns that one task processes.
const PANEL: usize = 256;

/// A sparse table in compressed sparse row format. Entries of a row may have any order, and repeated entries are added.
///
/// ```
/// use sqfa::statistics::Csr;
///
/// // Two rows of three columns: (1, 0, 2) and (0, 3, 0).
/// let table = Csr::new(3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0])?;
/// assert_eq!((table.rows(), table.columns(), table.entries()), (2, 3, 3));
/// # Ok::<(), sqfa::statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Csr<T> {
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Csr<T> {
    /// Creates a table from the position of the first entry of each row (followed by the number of entries), and the
    /// column and value of each entry.
    ///
    /// # Errors
    ///
    /// Returns an error if the arrays are inconsistent, a column index is not less than `columns`, or a value is not
    /// finite.
    pub fn new(
        columns: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> Result<Self, StatisticsError> {
        let refuse = |problem: String| Err(StatisticsError::Sparse { problem });
        if indices.len() != values.len() {
            return refuse(format!("{} column indices for {} values", indices.len(), values.len()));
        }
        if starts.first() != Some(&0) || starts.last() != Some(&values.len()) {
            return refuse(format!(
                "the row starts must begin with 0 and end with {}, the number of entries",
                values.len()
            ));
        }
        if let Some(row) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
            return refuse(format!("row {row} ends before it starts"));
        }
        if let Some(at) = indices.iter().position(|&column| column as usize >= columns) {
            return refuse(format!(
                "entry {at} has column index {}, but there are only {columns} columns",
                indices[at]
            ));
        }
        if let Some(at) = values.iter().position(|value| !value.to_f64().is_finite()) {
            let row = starts.partition_point(|&start| start <= at) - 1;
            let (column, value) = (indices[at] as usize, values[at].to_f64());
            return Err(StatisticsError::NotFinite { row, column, value });
        }
        Ok(Self { columns, starts, indices, values })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.indices[range.clone()]
            .iter()
            .zip(&self.values[range])
            .map(|(&column, value)| (column as usize, value.to_f64()))
    }
}

/// Compressed lists: the entries of each row, or of each column.
#[derive(Debug, Clone)]
struct Lists<T> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Scalar> Lists<T> {
    fn list(&self, at: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[at]..self.starts[at + 1];
        self.indices[range.clone()]
            .iter()
            .zip(&self.values[range])
            .map(|(&index, value)| (index as usize, value.to_f64()))
    }

    /// Returns the same entries grouped by the other index.
    fn turned(&self, count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        self.indices.iter().for_each(|&index| starts[index as usize + 1] += 1);
        (0..count).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut indices = vec![0; self.indices.len()];
        let mut values = self.values.clone();
        for own in 0..self.starts.len() - 1 {
            for at in self.starts[own]..self.starts[own + 1] {
                let target = &mut next[self.indices[at] as usize];
                indices[*target] = own as u32;
                values[*target] = self.values[at];
                *target += 1;
            }
        }
        Self { starts, indices, values }
    }

    fn bytes(&self) -> usize {
        8 * self.starts.len() + (4 + size_of::<T>()) * self.values.len()
    }
}

/// A covariance stored as sparse samples and their mean.
#[derive(Debug, Clone)]
pub struct SparseFactor<T> {
    rows: Lists<T>,
    columns: Lists<T>,
    mean: Vec<f64>,
    weight: f64,
    diagonal: Diagonal,
}

impl<T: Precision> SparseFactor<T> {
    /// Creates the covariance (divisor N − 1) of some rows of a table.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer than two rows are selected or the table has no columns.
    pub fn new(table: &Csr<T>, selected: &[usize]) -> Result<Self, StatisticsError> {
        let points = selected.len();
        if points == 0 || table.columns == 0 {
            return Err(StatisticsError::Empty { points, dimension: table.columns });
        }
        if points < 2 || points > u32::MAX as usize {
            let count = points as u64;
            return Err(StatisticsError::TooFewSamples { class: "(unnamed)".to_owned(), count });
        }
        let mut rows = Lists { starts: vec![0], indices: Vec::new(), values: Vec::new() };
        let mut entries: Vec<(usize, f64)> = Vec::new();
        let mut mean = vec![0.0; table.columns];
        for &row in selected {
            entries.clear();
            entries.extend(table.row(row));
            entries.sort_by_key(|&(column, _)| column);
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                let value = T::rounded(group.iter().map(|(_, value)| value).sum());
                rows.indices.push(group[0].0 as u32);
                rows.values.push(value);
                mean[group[0].0] += value.to_f64();
            }
            rows.starts.push(rows.values.len());
        }
        mean.iter_mut().for_each(|sum| *sum /= points as f64);
        let columns = rows.turned(table.columns);
        let weight = 1.0 / (points - 1) as f64;
        Ok(Self { rows, columns, mean, weight, diagonal: Diagonal::Multiple(0.0) })
    }

    /// Returns the mean of the samples.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns (1 − share)·Φ + level·I.
    pub(super) fn shrunk(mut self, share: f64, level: f64) -> Self {
        self.weight *= 1.0 - share;
        self.diagonal = Diagonal::Multiple(level);
        self
    }

    fn points(&self) -> usize {
        self.rows.starts.len() - 1
    }

    /// Returns XV − 1(μᵀV) for a block V of at most [`WIDTH`] columns.
    fn features(&self, block: &[[f64; WIDTH]]) -> Vec<[f64; WIDTH]> {
        let mut center = [0.0; WIDTH];
        for (mean, row) in self.mean.iter().zip(block) {
            (0..WIDTH).for_each(|lane| center[lane] += mean * row[lane]);
        }
        let row = |point: usize| {
            let mut sums = [0.0; WIDTH];
            for (column, value) in self.rows.list(point) {
                (0..WIDTH).for_each(|lane| sums[lane] += value * block[column][lane]);
            }
            std::array::from_fn(|lane| sums[lane] - center[lane])
        };
        parallel::runs(self.points(), PANEL, || (), |(), point| row(point))
    }

    /// Returns XᵀY − μ(1ᵀY).
    fn back(&self, features: &[[f64; WIDTH]]) -> Vec<[f64; WIDTH]> {
        let mut total = [0.0; WIDTH];
        for row in features {
            (0..WIDTH).for_each(|lane| total[lane] += row[lane]);
        }
        let row = |column: usize| {
            let mut sums: [f64; WIDTH] =
                std::array::from_fn(|lane| -self.mean[column] * total[lane]);
            for (point, value) in self.columns.list(column) {
                (0..WIDTH).for_each(|lane| sums[lane] += value * features[point][lane]);
            }
            sums
        };
        parallel::runs(self.mean.len(), PANEL, || (), |(), column| row(column))
    }
}

/// Calls `work` with the first column and the width of each group of at most eight columns.
fn by_eights(columns: usize, mut work: impl FnMut(usize, usize)) {
    for first in (0..columns).step_by(WIDTH) {
        work(first, WIDTH.min(columns - first));
    }
}

fn packed(block: MatRef<'_, f64>, first: usize, width: usize) -> Vec<[f64; WIDTH]> {
    let mut rows = vec![[0.0; WIDTH]; block.nrows()];
    for j in 0..width {
        for (row, &value) in rows.iter_mut().zip(block.col(first + j).iter()) {
            row[j] = value;
        }
    }
    rows
}

impl<T: Precision> Covariance for SparseFactor<T> {
    fn dimension(&self) -> usize {
        self.mean.len()
    }

    fn multiply(&self, block: MatRef<'_, f64>, mut product: MatMut<'_, f64>, _: usize) {
        by_eights(block.ncols(), |first, width| {
            let sums = self.back(&self.features(&packed(block, first, width)));
            for j in 0..width {
                for (target, row) in product.as_mut().col_mut(first + j).iter_mut().zip(&sums) {
                    *target = self.weight * row[j];
                }
            }
        });
        self.diagonal.add_product(block, product);
    }

    fn diagonal(&self) -> Vec<f64> {
        let variance = |column: usize| {
            let (mean, mut sum, mut entries) = (self.mean[column], 0.0, 0);
            for (_, value) in self.columns.list(column) {
                sum += (value - mean) * (value - mean);
                entries += 1;
            }
            sum += (self.points() - entries) as f64 * mean * mean;
            self.weight * sum + self.diagonal.at(column)
        };
        parallel::runs(self.mean.len(), PANEL, || (), |(), column| variance(column))
    }

    fn clone_boxed(&self) -> Box<dyn Covariance> {
        Box::new(self.clone())
    }

    fn rescale(&mut self, factors: &[f64]) {
        let scaled = |value: T, column: usize| T::rounded(value.to_f64() * factors[column]);
        for (value, &column) in self.rows.values.iter_mut().zip(&self.rows.indices) {
            *value = scaled(*value, column as usize);
        }
        self.columns = self.rows.turned(self.mean.len());
        // The mean is recomputed from the rescaled samples as they are rounded, so that they remain exactly centered.
        let points = self.points() as f64;
        for (column, mean) in self.mean.iter_mut().enumerate() {
            *mean = self.columns.list(column).map(|(_, value)| value).sum::<f64>() / points;
        }
        self.diagonal.rescale(factors);
    }

    fn shrunk(&self, fraction: f64, level: f64) -> Option<Box<dyn Covariance>> {
        self.diagonal.multiple()?;
        Some(Box::new(self.clone().shrunk(fraction, level)))
    }
    fn bytes(&self) -> usize {
        self.rows.bytes() + self.columns.bytes() + 8 * self.mean.len() + self.diagonal.bytes()
    }

    fn flops(&self) -> f64 {
        4.0 * (self.rows.values.len() + self.mean.len() + self.points()) as f64
    }

    fn spanning(&self) -> Option<&dyn Spanning> {
        Some(self)
    }
}

impl<T: Precision> Spanning for SparseFactor<T> {
    fn vectors(&self) -> usize {
        self.points()
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn ridge(&self) -> Option<f64> {
        self.diagonal.multiple()
    }

    fn copy_columns(&self, columns: Range<usize>, block: &mut [f64], stride: usize) {
        for (j, column) in columns.enumerate() {
            let row = &mut block[j * stride..][..self.points()];
            row.fill(-self.mean[column]);
            self.columns.list(column).for_each(|(point, value)| row[point] += value);
        }
    }

    fn times(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut product = Mat::zeros(self.points(), block.ncols());
        by_eights(block.ncols(), |first, width| {
            let rows = self.features(&packed(block, first, width));
            for (i, row) in rows.iter().enumerate() {
                (0..width).for_each(|j| product[(i, first + j)] = row[j]);
            }
        });
        product
    }

    fn add_combination(&self, weights: MatRef<'_, f64>, mut target: MatMut<'_, f64>) {
        by_eights(weights.ncols(), |first, width| {
            let sums = self.back(&packed(weights, first, width));
            for j in 0..width {
                for (target, row) in target.as_mut().col_mut(first + j).iter_mut().zip(&sums) {
                    *target += row[j];
                }
            }
        });
    }

    fn sparse(&self) -> Option<&dyn SparseVectors> {
        Some(self)
    }
}

impl<T: Precision> SparseVectors for SparseFactor<T> {
    fn entries(&self, column: usize) -> usize {
        self.columns.starts[column + 1] - self.columns.starts[column]
    }

    fn each_entry(&self, vector: usize, work: &mut dyn FnMut(usize, f64)) {
        self.rows.list(vector).for_each(|(column, value)| work(column, value));
    }

    fn add_column(&self, column: usize, factor: f64, sums: &mut [f64]) {
        for (vector, value) in self.columns.list(column) {
            // Vectors come in ascending order, so the loop ends at the first one that is not requested.
            let Some(sum) = sums.get_mut(vector) else { return };
            *sum += factor * value;
        }
    }
}

/// Returns the means of several sparse factors, one per column of a dense matrix.
pub(super) fn means<T: Precision>(factors: &[SparseFactor<T>]) -> Mat<f64> {
    let n = factors.first().map_or(0, |factor| factor.mean.len());
    Mat::from_fn(n, factors.len(), |i, class| factors[class].mean[i])
}
