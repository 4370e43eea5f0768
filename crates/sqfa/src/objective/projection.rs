//! The computations that all objectives on projected statistics share: their forms at a point and
//! along a line, and their gradient.
//!
//! The forms are ηᵀΦ_kη, ηᵀγ_k and ηᵀη. A point keeps the products P_k = Φ_kη, so that the gradient
//! with respect to the filters, F̄ = Σ_k 2P_kTG_k + γ_kh_kᵀ (+ XᵀZ̄ for objectives that use
//! samples), needs no pass. Along η + tD one pass gives Q_k = Φ_kD. The forms at any t are then
//! polynomials: A_k(t) = A_k + t(ηᵀQ_k + Q_kᵀη) + t²DᵀQ_k, and likewise b and N. The first `frozen`
//! columns of η never change, so directions and gradients omit them.

use super::feature_problem::{FeatureGaussians, FeatureProblem, Forms};
use crate::constraint::Constraint;
use crate::distance::PairSums;
use crate::linalg::{
    Mat, MatRef, Real, WORTH_THREADS, add_products, add_rounded_products, add_scaled,
    rounded_transpose_times, tall_times, transpose_times, triangle,
};
use crate::parallel;
use crate::statistics::pass;
use crate::statistics::{ClassStatistics, Covariance};

/// Blocks per class that an optimization keeps: those of a point and of a basis of filters and
/// steps.
const BASES: usize = 8;
/// Further blocks that an optimization keeps: past steps and changes of the gradient.
const PAST: usize = 24;
/// Flops in the time that reading one byte of a matrix takes.
pub(super) const READ: f64 = 2.0;
/// Number of filters from which on products of n-dimensional blocks dominate the time.
const WIDE: usize = 128;

#[derive(Debug)]
pub(super) struct Projection<'a> {
    pub(super) statistics: &'a ClassStatistics,
    pub(super) problem: FeatureProblem,
    pub(super) frozen: usize,
}

/// The contribution of samples to a gradient: XᵀZ̄ (n × m) and FᵀXᵀZ̄ (m × m, row-major).
pub(super) struct SampleSlopes<'a> {
    pub(super) outer: MatRef<'a, f64>,
    pub(super) inner: &'a [f64],
}

impl<'a> Projection<'a> {
    pub(super) fn new(
        statistics: &'a ClassStatistics,
        constraint: Constraint,
        noise: f64,
        filters: usize,
        frozen: usize,
    ) -> Self {
        let classes = statistics.classes().len();
        Self { statistics, problem: FeatureProblem { classes, filters, noise, constraint }, frozen }
    }

    /// Returns the same problem for other statistics.
    pub(super) fn on<'b>(&self, statistics: &'b ClassStatistics) -> Projection<'b> {
        let FeatureProblem { filters, noise, constraint, .. } = self.problem;
        Projection::new(statistics, constraint, noise, filters, self.frozen)
    }

    /// Returns the cost of one pass over the class covariances in flops, including the time to read
    /// them.
    pub(super) fn pass_effort(&self) -> f64 {
        let columns = self.moving_columns() as f64;
        let covariances = self.statistics.covariances().iter();
        // Products read one triangle only. The count ignores a second stored triangle, so that
        // storage does not decide which optimizer is selected.
        let read = |one: &dyn Covariance| match one.entries() {
            Some(_) => (if one.is_single() { 4 } else { 8 }) * triangle(one.dimension()),
            None => one.bytes(),
        };
        covariances.map(|one| one.flops() * columns + READ * read(&**one) as f64).sum()
    }

    /// Returns the bytes of the n-dimensional blocks of an optimization: the point with its
    /// products, those of a line or a basis, and past steps.
    pub(super) fn start_bytes(&self) -> usize {
        let block = size_of::<f64>() * self.statistics.dimension() * self.problem.filters;
        block.saturating_mul(BASES * (self.problem.classes + 1) + PAST)
    }

    pub(super) fn moving_columns(&self) -> usize {
        self.problem.filters - self.frozen
    }

    /// Returns whether to round products to single precision: the covariances have single precision
    /// and there are so many filters that it saves time.
    fn rounds(&self) -> bool {
        let single =
            || self.statistics.covariances().iter().all(|covariance| covariance.is_single());
        self.problem.filters >= WIDE && single()
    }

    /// Returns ηᵀX for the product X of every class, in parallel over the classes. `symmetric`
    /// means that X are products of η itself.
    fn against(
        &self,
        left: MatRef<'_, f64>,
        products: &[Mat<f64>],
        symmetric: bool,
    ) -> Vec<Mat<f64>> {
        if self.rounds() {
            return parallel::map(products, |product| {
                rounded_transpose_times(left, product.as_ref(), symmetric)
            });
        }
        let flops =
            products.iter().map(|product| 2 * left.ncols() * product.nrows() * product.ncols());
        let times = |product: &Mat<f64>| transpose_times(left, product.as_ref());
        if (flops.sum::<usize>() as f64) < WORTH_THREADS {
            products.iter().map(times).collect()
        } else {
            parallel::map(products, times)
        }
    }

    pub(super) fn forms(&self, free: MatRef<'_, f64>, products: &[Mat<f64>]) -> Forms {
        let m = self.problem.filters;
        let mut forms = Forms::zeros(self.problem.classes, m);
        let linear = transpose_times(free, self.statistics.means().as_ref());
        let gram = transpose_times(free, free);
        for (class, quadratic) in self.against(free, products, true).iter().enumerate() {
            for i in 0..m {
                forms.linear[class * m + i] = linear[(i, class)];
                for j in 0..m {
                    forms.quadratic[class * m * m + i * m + j] =
                        0.5 * (quadratic[(i, j)] + quadratic[(j, i)]);
                }
            }
        }
        (0..m * m).for_each(|at| forms.gram[at] = gram[(at / m, at % m)]);
        forms
    }

    /// Returns the linear and quadratic coefficients of the forms along a direction, as polynomials
    /// in the step.
    pub(super) fn line_forms(
        &self,
        free: MatRef<'_, f64>,
        direction: MatRef<'_, f64>,
        products: &[Mat<f64>],
    ) -> (Forms, Forms) {
        let (m, frozen) = (self.problem.filters, self.frozen);
        let mut first = Forms::zeros(self.problem.classes, m);
        let mut second = Forms::zeros(self.problem.classes, m);
        let linear = transpose_times(direction, self.statistics.means().as_ref());
        let cross = self.against(free, products, false);
        let square = self.against(direction, products, true);
        for class in 0..self.problem.classes {
            let own = class * m * m..(class + 1) * m * m;
            place_cross(&mut first.quadratic[own.clone()], &cross[class], m, frozen);
            place_square(&mut second.quadratic[own], &square[class], m, frozen);
            for j in 0..direction.ncols() {
                first.linear[class * m + frozen + j] = linear[(j, class)];
            }
        }
        let cross = transpose_times(free, direction);
        let square = transpose_times(direction, direction);
        place_cross(&mut first.gram, &cross, m, frozen);
        place_square(&mut second.gram, &square, m, frozen);
        (first, second)
    }

    /// Moves a free matrix and its products along a line.
    pub(super) fn advance(
        &self,
        free: &mut Mat<f64>,
        products: &mut [Mat<f64>],
        direction: MatRef<'_, f64>,
        changes: &[Mat<f64>],
        step: f64,
    ) {
        let (frozen, moving) = (self.frozen, self.moving_columns());
        add_scaled(free.as_mut().subcols_mut(frozen, moving), step, direction);
        let flops = 2 * changes.len() * free.nrows() * moving;
        let move_on = |(product, change): (&mut Mat<f64>, &Mat<f64>)| {
            add_scaled(product.as_mut().subcols_mut(frozen, moving), step, change.as_ref());
        };
        if (flops as f64) < WORTH_THREADS {
            products.iter_mut().zip(changes).for_each(move_on);
        } else {
            parallel::for_each(products.iter_mut().zip(changes), move_on);
        }
    }

    /// Recomputes the products of the columns that may change, for several points. Cost: one pass.
    pub(super) fn renew(&self, points: Vec<(MatRef<'_, f64>, &mut Vec<Mat<f64>>)>) {
        let (frozen, moving) = (self.frozen, self.moving_columns());
        let products = {
            let blocks: Vec<_> =
                points.iter().map(|(free, _)| free.subcols(frozen, moving)).collect();
            pass(self.statistics, &blocks)
        };
        for ((_, kept), fresh) in points.into_iter().zip(products) {
            for (kept, fresh) in kept.iter_mut().zip(&fresh) {
                kept.as_mut().subcols_mut(frozen, moving).copy_from(fresh);
            }
        }
    }

    /// Returns the filters F = ηT.
    pub(super) fn filters(&self, free: &Mat<f64>, classes: &FeatureGaussians) -> Mat<f64> {
        let m = self.problem.filters;
        let map = classes.map.dense(m);
        tall_times(free.as_ref(), MatRef::from_row_major_slice(&map, m, m))
    }

    /// Returns ∂L/∂η for the columns that may change: (F̄ − F·S)·Tᵀ.
    pub(super) fn free_gradient(
        &self,
        free: MatRef<'_, f64>,
        products: &[Mat<f64>],
        classes: &FeatureGaussians,
        slopes: &PairSums,
        samples: Option<SampleSlopes<'_>>,
    ) -> Mat<f64> {
        let (m, moving, frozen) = (self.problem.filters, self.moving_columns(), self.frozen);
        let count = self.problem.classes;
        let t = classes.map.dense(m);
        // All factors of each n-dimensional block are multiplied first, because products of order m
        // are cheap. With K = S restricted and Tᵀ included, the gradient is Σ P_k·(2TG_kTᵀ) +
        // Γ·(HTᵀ) − η·(TSTᵀ), trailing columns.
        let fold = |matrix: &[f64]| {
            let mut folded = vec![0.0; m * m];
            f64::multiply(matrix, false, &t, true, &mut folded, m);
            Mat::from_fn(m, moving, |i, j| folded[i * m + frozen + j])
        };
        let class_factors: Vec<Mat<f64>> = (0..count)
            .map(|class| {
                let g = &slopes.cov_slopes[class * m * m..][..m * m];
                let mut factor = classes.map.times(g, m);
                factor.iter_mut().for_each(|entry| *entry *= 2.0);
                fold(&factor)
            })
            .collect();
        let mean_factor = Mat::from_fn(count, moving, |class, j| {
            (0..m).map(|k| slopes.mean_slopes[class * m + k] * t[(frozen + j) * m + k]).sum::<f64>()
        });
        let mut inner = self.problem.inner_gradient(classes, slopes);
        if let Some(samples) = &samples {
            inner.iter_mut().zip(samples.inner).for_each(|(total, own)| *total += own);
        }
        let correction = self.problem.constraint.correction(&inner, m);
        let mut own = classes.map.times(&correction, m);
        own.iter_mut().for_each(|entry| *entry = -*entry);
        let own_factor = fold(&own);
        let mut terms: Vec<(MatRef<'_, f64>, MatRef<'_, f64>)> = products
            .iter()
            .zip(&class_factors)
            .map(|(product, factor)| (product.as_ref(), factor.as_ref()))
            .collect();
        terms.push((self.statistics.means().as_ref(), mean_factor.as_ref()));
        terms.push((free, own_factor.as_ref()));
        // The contribution of the samples is mapped in the same way: XᵀZ̄·Tᵀ.
        let transposed = Mat::from_fn(m, moving, |i, j| t[(frozen + j) * m + i]);
        if let Some(samples) = &samples {
            terms.push((samples.outer, transposed.as_ref()));
        }
        let mut gradient = Mat::zeros(free.nrows(), moving);
        if self.rounds() {
            add_rounded_products(gradient.as_mut(), &terms);
        } else {
            add_products(gradient.as_mut(), &terms);
        }
        gradient
    }
}

/// Adds X + Xᵀ, where the columns of X belong to the filters that may change.
fn place_cross(target: &mut [f64], cross: &Mat<f64>, m: usize, frozen: usize) {
    for j in 0..cross.ncols() {
        for i in 0..m {
            target[i * m + frozen + j] += cross[(i, j)];
            target[(frozen + j) * m + i] += cross[(i, j)];
        }
    }
}

/// Writes a symmetric block that belongs to the filters that may change.
fn place_square(target: &mut [f64], square: &Mat<f64>, m: usize, frozen: usize) {
    for i in 0..square.nrows() {
        for j in 0..square.ncols() {
            target[(frozen + i) * m + frozen + j] = 0.5 * (square[(i, j)] + square[(j, i)]);
        }
    }
}
