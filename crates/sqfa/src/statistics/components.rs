//! Principal components of all samples, from class covariances in any form.
//!
//! Up to n = 8192 columns with all entries in memory, they are the leading eigenpairs of one dense matrix. If
//! covariances are stored as a few samples, the eigenproblem is solved in the span of the samples. Otherwise subspace
//! iteration with a fixed seed uses the same products as the optimizer, until the explained variance converges. One
//! iteration costs one pass with 5/4 as many columns as components (at least 8 more), and 4nw² flops for w columns.

use std::sync::Arc;

use super::{ClassStatistics, Covariance, Preprocessor, StatisticsError};
use crate::linalg::{
    Lower, Mat, MatRef, RESIDUAL, add_products, add_scaled, completed_basis, is_nearly_worth_it,
    leading_eigen, leading_of_products, leading_or_dense, lower_rows, nearly_leading, random,
    symmetric_eigen, symmetric_times, tall_times, transpose_times, triangle,
};

/// Largest number of columns for a dense eigenproblem. Beyond it, the solution would take minutes and gigabytes.
const MAX_DIMENSION: usize = 8192;
/// Number of samples up to which an eigenproblem in their span costs less than subspace iteration.
const FEW_SAMPLES: f64 = 4000.0;
/// Number of samples up to which the span is used even if there are no more columns than samples.
const VERY_FEW: f64 = 512.0;
/// Number of classes up to which adding their covariances would take a considerable part of the memory of the
/// covariances.
const FEW_CLASSES: usize = 3;
/// Number of columns up to which all entries are computed from products, if the covariances do not store them and the
/// samples span all columns.
const FEW_DIMENSIONS: usize = 4096;
/// Largest acceptable residual of an eigenpair, relative to the largest eigenvalue, if products are rounded to single
/// precision.
const RESIDUAL_SINGLE: f64 = 1e-6;
/// Number of columns of a block that are multiplied at a time to save memory.
const COLUMNS: usize = 48;
/// Maximum number of subspace iterations.
const ROUNDS: usize = 500;
/// Relative change of the explained variance below which the iteration has converged. Single-precision passes have
/// fewer digits and use the second value.
const SETTLED: f64 = 1e-11;
const SETTLED_SINGLE: f64 = 1e-8;
/// Number of consecutive iterations that must agree.
const IN_A_ROW: usize = 3;

/// The covariance of all samples as a weighted sum: Σ within_k Φ_k + Σ between_k (γ_k−γ̄)(γ_k−γ̄)ᵀ.
struct Total<'a> {
    statistics: &'a ClassStatistics,
    /// Covariances and their weights. A covariance that several classes share occurs once.
    within: Vec<(f64, &'a Arc<dyn Covariance>)>,
    /// The vectors √between_k (γ_k−γ̄), one per column.
    centered: Mat<f64>,
}

impl<'a> Total<'a> {
    fn new(statistics: &'a ClassStatistics, weights: &[f64], between: &[f64]) -> Self {
        let within = statistics.distinct_covariances(weights);
        let mean = statistics.total_mean();
        let centered = Mat::from_fn(statistics.dimension(), between.len(), |i, class| {
            between[class].sqrt() * (statistics.means()[(i, class)] - mean[i])
        });
        Self { statistics, within, centered }
    }

    /// Weights each class by its frequency.
    fn by_shares(statistics: &'a ClassStatistics) -> Self {
        let shares = statistics.shares();
        Self::new(statistics, &shares, &shares)
    }

    /// Weights the classes so that the sum is the covariance of all samples with divisor N − 1, as for each class.
    fn of_points(statistics: &'a ClassStatistics) -> Self {
        let (shares, points) = (statistics.shares(), statistics.total_count());
        let within: Vec<f64> =
            shares.iter().map(|share| (share * points - 1.0) / (points - 1.0)).collect();
        let between: Vec<f64> =
            shares.iter().map(|share| share * points / (points - 1.0)).collect();
        Self::new(statistics, &within, &between)
    }

    fn times(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut total = Mat::zeros(block.nrows(), block.ncols());
        let mut product = Mat::zeros(block.nrows(), block.ncols());
        for (weight, covariance) in &self.within {
            covariance.multiply(block, product.as_mut(), block.ncols());
            add_scaled(total.as_mut(), *weight, product.as_ref());
        }
        let inner = transpose_times(self.centered.as_ref(), block);
        add_products(total.as_mut(), &[(self.centered.as_ref(), inner.as_ref())]);
        total
    }

    /// Performs one iteration: returns the best directions within a basis, their variances in descending order, and the
    /// product of the covariance and the basis.
    fn ritz(&self, basis: MatRef<'_, f64>) -> Option<(Mat<f64>, Vec<f64>, Mat<f64>)> {
        let image = self.times(basis);
        let small = transpose_times(basis, image.as_ref());
        let width = basis.ncols();
        let small = Mat::from_fn(width, width, |i, j| 0.5 * (small[(i, j)] + small[(j, i)]));
        let (values, vectors) = symmetric_eigen(small.as_ref())?;
        let turned = Mat::from_fn(width, width, |i, j| vectors[(i, width - 1 - j)]);
        let directions = tall_times(basis, turned.as_ref());
        let image = tall_times(image.as_ref(), turned.as_ref());
        Some((directions, values.into_iter().rev().collect(), image))
    }

    /// Returns the packed lower triangle of the total covariance, or `None` if a covariance does not store its entries.
    fn lower(&self) -> Option<Vec<f64>> {
        let n = self.statistics.dimension();
        let mut total = vec![0.0_f64; triangle(n)];
        for (weight, covariance) in &self.within {
            covariance.entries()?.add_lower_to(*weight, &mut total);
        }
        let columns: Vec<Vec<f64>> = (0..self.centered.ncols())
            .map(|class| self.centered.col(class).iter().copied().collect())
            .collect();
        lower_rows(&mut total, n, |i, row| {
            for column in &columns {
                let factor = column[i];
                row.iter_mut().zip(column).for_each(|(sum, other)| *sum += factor * other);
            }
        });
        Some(total)
    }

    /// Returns the leading eigenpairs from stored entries. With few classes, products with their covariances are used,
    /// because the sum of the covariances would need considerable extra memory.
    fn dense(&self, count: usize) -> Option<(Mat<f64>, Vec<f64>)> {
        let n = self.statistics.dimension();
        let single = self.within.iter().any(|(_, own)| own.is_single());
        if self.is_dense() && !single && self.within.len() <= FEW_CLASSES {
            let times = |block: MatRef<'_, f64>| self.times(block);
            if let Some((values, vectors)) = leading_of_products(&times, n, count, RESIDUAL) {
                return Some((vectors, values));
            }
        }
        let lower = self.lower()?;
        let (values, vectors) = leading_eigen(Lower::new(&lower, n), count)?;
        Some((vectors, values))
    }

    fn is_dense(&self) -> bool {
        self.within.iter().all(|(_, own)| own.entries().is_some())
    }

    /// Returns directions close to the leading components of preprocessed samples. The map is applied to the sum of all
    /// classes instead of to each class; with few classes it is applied to products, which saves the memory of the sum.
    fn dense_after(&self, map: Option<&Preprocessor>, count: usize) -> Option<Mat<f64>> {
        let n = self.statistics.dimension();
        let all = || (0..n).collect::<Vec<_>>();
        let kept = map.map_or_else(all, |map| map.kept().unwrap_or_else(all));
        let factor = |column: usize| map.map_or(1.0, |map| map.factors[column]);
        let order = kept.len();
        if is_nearly_worth_it(order, count)
            && (!self.is_dense() || self.within.len() <= FEW_CLASSES)
        {
            let times = |block: MatRef<'_, f64>| {
                let mut product = Mat::zeros(order, block.ncols());
                // A few columns at a time, because intermediate results need several times the memory of the columns.
                for first in (0..block.ncols()).step_by(COLUMNS) {
                    let width = COLUMNS.min(block.ncols() - first);
                    let mut spread = Mat::zeros(n, width);
                    for j in 0..width {
                        for (i, &column) in kept.iter().enumerate() {
                            spread[(column, j)] = factor(column) * block[(i, first + j)];
                        }
                    }
                    let some = self.times(spread.as_ref());
                    for j in 0..width {
                        for (i, &column) in kept.iter().enumerate() {
                            product[(i, first + j)] = factor(column) * some[(column, j)];
                        }
                    }
                }
                product
            };
            return nearly_leading(&times, order, count);
        }
        let mut lower = self.lower()?;
        // The kept entries move to the front in place. This is safe because an entry never moves behind one that is
        // still to be read.
        for (i, &row) in kept.iter().enumerate() {
            for (j, &column) in kept[..=i].iter().enumerate() {
                lower[triangle(i) + j] =
                    lower[triangle(row) + column] * factor(row) * factor(column);
            }
        }
        lower.truncate(triangle(order));
        let lower = Lower::new(&lower, order);
        let count = count.min(order);
        nearly_leading(&|block| symmetric_times(lower, block), order, count)
            .or_else(|| leading_eigen(lower, count).map(|(_, vectors)| vectors))
    }

    fn iterated(&self, count: usize) -> Result<(Mat<f64>, Vec<f64>), StatisticsError> {
        let n = self.statistics.dimension();
        let single = self.statistics.covariances().iter().any(|covariance| covariance.is_single());
        let tolerance = if single { SETTLED_SINGLE } else { SETTLED };
        let width = (count + (count / 4).max(8)).min(n);
        let mut basis = completed_basis(random(n, width, 0, u64::MAX).as_ref(), 0);
        let (mut held, mut agreed, mut change) = (0.0, 0, f64::INFINITY);
        for _ in 0..ROUNDS {
            let Some((directions, variances, image)) = self.ritz(basis.as_ref()) else { break };
            let now: f64 = variances.iter().take(count).sum();
            change = (now - held).abs() / now.abs().max(f64::MIN_POSITIVE);
            agreed = if change <= tolerance { agreed + 1 } else { 0 };
            if agreed == IN_A_ROW || width == n || now <= 0.0 {
                let leading = directions.subcols(0, count).to_owned();
                return Ok((leading, variances.into_iter().take(count).collect()));
            }
            held = now;
            basis = completed_basis(image.as_ref(), 0);
        }
        Err(StatisticsError::Components { count, rounds: ROUNDS, change })
    }
}

impl ClassStatistics {
    /// Returns the leading `count` principal components of all samples, one per column, and their variances in
    /// descending order.
    ///
    /// # Errors
    ///
    /// Returns an error if `count` exceeds the number of columns or the iteration does not converge.
    pub fn principal_components(
        &self,
        count: usize,
    ) -> Result<(Mat<f64>, Vec<f64>), StatisticsError> {
        let dimension = self.dimension();
        if count > dimension {
            return Err(StatisticsError::ComponentCount { count, dimension });
        }
        let total = Total::of_points(self);
        if dimension <= MAX_DIMENSION
            && let Some(found) = total.dense(count)
        {
            return Ok(found);
        }
        if let Some(found) = self.components_in_span(count) {
            return Ok(found);
        }
        if dimension <= FEW_DIMENSIONS {
            let single = self.covariances().iter().any(|covariance| covariance.is_single());
            let residual = if single { RESIDUAL_SINGLE } else { RESIDUAL };
            let times = |block: MatRef<'_, f64>| total.times(block);
            let found = leading_or_dense(&times, dimension, count, residual);
            if let Some((values, vectors)) = found {
                return Ok((vectors, values));
            }
        }
        total.iterated(count)
    }

    /// Returns directions close to the leading `count` or fewer components of preprocessed samples, in the columns that
    /// the map keeps. If covariances store their entries, no preprocessed statistics are computed.
    pub(crate) fn components_after(
        &self,
        map: Option<&Preprocessor>,
        count: usize,
    ) -> Result<Mat<f64>, StatisticsError> {
        if self.dimension() <= MAX_DIMENSION
            && !self.is_few_samples()
            && let Some(found) = Total::of_points(self).dense_after(map, count)
        {
            return Ok(found);
        }
        let applied = map.map(|map| map.applied(self));
        let applied = applied.as_ref().unwrap_or(self);
        Ok(applied.principal_components(count.min(applied.dimension()))?.0)
    }

    /// Whether an eigenproblem in the span of the samples costs less than products with them. That is the case for at
    /// most some hundred samples, and if there are few samples compared with columns.
    fn is_few_samples(&self) -> bool {
        let (count, n) = (self.total_count(), self.dimension() as f64);
        self.is_kept_as_samples() && (count <= VERY_FEW || 4.0 * count <= n)
    }

    /// Computes the components from a dense eigenproblem in the span of the samples, if covariances are stored as few
    /// samples.
    fn components_in_span(&self, count: usize) -> Option<(Mat<f64>, Vec<f64>)> {
        if !self.is_kept_as_samples() || self.total_count() > FEW_SAMPLES {
            return None;
        }
        let span = self.reduced_to_span(count).ok()?;
        let inside = span.statistics();
        let known = count.min(inside.dimension());
        let (components, mut variances) = Total::of_points(inside).dense(known)?;
        let lifted = span.lift(components.as_ref());
        // The variance outside the span is 0, so arbitrary orthonormal directions complete the components.
        variances.resize(count, 0.0);
        let padded =
            Mat::from_fn(
                self.dimension(),
                count,
                |i, j| {
                    if j < known { lifted[(i, j)] } else { 0.0 }
                },
            );
        Some((completed_basis(padded.as_ref(), 0), variances))
    }

    /// Computes the components by subspace iteration, whatever the form and size of the covariances.
    pub(crate) fn iterated_components(&self, count: usize) -> Result<Mat<f64>, StatisticsError> {
        Ok(Total::of_points(self).iterated(count)?.0)
    }
}

/// Returns the product of the total covariance Σ π_k(Φ_k + (γ_k−γ̄)(γ_k−γ̄)ᵀ) and a block.
pub(crate) fn total_times(statistics: &ClassStatistics, block: MatRef<'_, f64>) -> Mat<f64> {
    Total::by_shares(statistics).times(block)
}

/// Returns the trace of the total covariance, where classes are weighted by frequency.
pub(crate) fn total_variance(statistics: &ClassStatistics) -> f64 {
    let total = Total::by_shares(statistics);
    let traces = total.within.iter().map(|(w, own)| w * own.diagonal().iter().sum::<f64>());
    let within: f64 = traces.sum();
    let columns = 0..total.centered.ncols();
    within + columns.map(|j| total.centered.col(j).iter().map(|x| x * x).sum::<f64>()).sum::<f64>()
}

/// Returns approximate leading directions of the total covariance and their variances after `rounds` iterations.
pub(crate) fn leading_directions(
    statistics: &ClassStatistics,
    width: usize,
    rounds: usize,
) -> Option<(Mat<f64>, Vec<f64>)> {
    let n = statistics.dimension();
    let total = Total::by_shares(statistics);
    let mut basis = completed_basis(random(n, width.min(n), 0, u64::MAX).as_ref(), 0);
    for _ in 0..rounds {
        basis = completed_basis(total.times(basis.as_ref()).as_ref(), 0);
    }
    let (directions, variances, _) = total.ritz(basis.as_ref())?;
    Some((directions, variances))
}
