//! The weighted mean distance over all pairs of classes: SQFA's objective.
//!
//! At a point the products P_k = Φ_kη are kept, so that the gradient with respect to the filters,
//! F̄ = Σ_k 2P_kTG_k + γ_kh_kᵀ, needs no pass. Along η + tD one pass gives Q_k = Φ_kD, and then the forms
//! at any t are polynomials: A_k(t) = A_k + t(ηᵀQ_k + Q_kᵀη) + t²DᵀQ_k, and likewise b and N.
//! The first `frozen` columns of η never move; directions and gradients leave them out.

use rayon::prelude::*;

use super::small::{Forms, SmallProblem, SmallValue};
use super::{EvaluationError, Objective};
use crate::constraint::Constraint;
use crate::distance::{Distance, Hint, PairPlan};
use crate::features::{Gaussians, pass};
use crate::linalg::{Mat, MatRef, Real, add_products, add_scaled, tall_times, transpose_times};
use crate::statistics::ClassStatistics;

/// Flops of one pair's value and gradient relative to m³: a Cholesky, a Jacobi eigenproblem and
/// six products, as measured; only the order of magnitude matters.
const PAIR_FLOPS: f64 = 60.0;

#[derive(Debug)]
pub(crate) struct MeanDistance<'a> {
    statistics: &'a ClassStatistics,
    small: SmallProblem,
    frozen: usize,
}

/// A point, with everything its gradient and the lines through it need.
#[derive(Debug)]
pub(crate) struct Point {
    free: Mat<f64>,
    products: Vec<Mat<f64>>,
    forms: Forms,
    value: SmallValue,
    gradient: Mat<f64>,
}

/// A line through a point.
#[derive(Debug)]
pub(crate) struct Line {
    direction: Mat<f64>,
    products: Vec<Mat<f64>>,
    first: Forms,
    second: Forms,
    /// The last step tried: usually the one that is taken.
    last: Option<(f64, Forms, SmallValue)>,
}

impl Point {
    /// The class Gaussians in feature space, noise included.
    pub(crate) fn gaussians(&self) -> &Gaussians {
        &self.value.gaussians
    }

    /// F = ηT.
    pub(crate) fn filters(&self) -> Mat<f64> {
        let m = self.free.ncols();
        let map = self.value.map.dense(m);
        tall_times(self.free.as_ref(), MatRef::from_row_major_slice(&map, m, m))
    }
}

impl<'a> MeanDistance<'a> {
    pub(crate) fn new(
        statistics: &'a ClassStatistics,
        distance: Distance,
        constraint: Constraint,
        noise: f64,
        filters: usize,
        frozen: usize,
        weights: Option<&[f64]>,
    ) -> Self {
        let classes = statistics.classes().len();
        let plan = PairPlan::new(classes, weights);
        let small = SmallProblem { classes, filters, noise, constraint, distance, plan };
        Self { statistics, small, frozen }
    }

    fn moving_columns(&self) -> usize {
        self.small.filters - self.frozen
    }

    /// ηᵀX for every class, in parallel over classes.
    fn against(&self, left: MatRef<'_, f64>, products: &[Mat<f64>]) -> Vec<Mat<f64>> {
        products.par_iter().map(|product| transpose_times(left, product.as_ref())).collect()
    }

    fn forms(&self, free: MatRef<'_, f64>, products: &[Mat<f64>]) -> Forms {
        let m = self.small.filters;
        let mut forms = Forms::zeros(self.small.classes, m);
        let linear = transpose_times(free, self.statistics.means().as_ref());
        let gram = transpose_times(free, free);
        for (class, quadratic) in self.against(free, products).iter().enumerate() {
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

    fn point(
        &self,
        free: Mat<f64>,
        products: Vec<Mat<f64>>,
        hints: &[Hint],
    ) -> Result<Point, EvaluationError> {
        let forms = self.forms(free.as_ref(), &products);
        let value = self.small.evaluate(&forms, hints)?;
        let gradient = self.free_gradient(free.as_ref(), &products, &value);
        Ok(Point { free, products, forms, value, gradient })
    }

    /// ∂L/∂η for the columns that move: (F̄ − F·S)·Tᵀ.
    fn free_gradient(
        &self,
        free: MatRef<'_, f64>,
        products: &[Mat<f64>],
        value: &SmallValue,
    ) -> Mat<f64> {
        let (m, moving, frozen) = (self.small.filters, self.moving_columns(), self.frozen);
        let classes = self.small.classes;
        let t = value.map.dense(m);
        // Everything that multiplies an n-dimensional block is combined first: with K = S restricted and
        // Tᵀ folded in, the gradient is Σ P_k·(2TG_kTᵀ) + Γ·(HTᵀ) − η·(TSTᵀ), trailing columns.
        let fold = |matrix: &[f64]| {
            let mut folded = vec![0.0; m * m];
            f64::multiply(matrix, false, &t, true, &mut folded, m);
            Mat::from_fn(m, moving, |i, j| folded[i * m + frozen + j])
        };
        let class_factors: Vec<Mat<f64>> = (0..classes)
            .map(|class| {
                let g = &value.sums.cov_slopes[class * m * m..][..m * m];
                let mut factor = value.map.times(g, m);
                factor.iter_mut().for_each(|entry| *entry *= 2.0);
                fold(&factor)
            })
            .collect();
        let mean_factor = Mat::from_fn(classes, moving, |class, j| {
            (0..m)
                .map(|k| value.sums.mean_slopes[class * m + k] * t[(frozen + j) * m + k])
                .sum::<f64>()
        });
        let correction = self.small.constraint.correction(&self.small.inner_gradient(value), m);
        let mut own = value.map.times(&correction, m);
        own.iter_mut().for_each(|entry| *entry = -*entry);
        let own_factor = fold(&own);
        let mut terms: Vec<(MatRef<'_, f64>, MatRef<'_, f64>)> = products
            .iter()
            .zip(&class_factors)
            .map(|(product, factor)| (product.as_ref(), factor.as_ref()))
            .collect();
        terms.push((self.statistics.means().as_ref(), mean_factor.as_ref()));
        terms.push((free, own_factor.as_ref()));
        let mut gradient = Mat::zeros(free.nrows(), moving);
        add_products(gradient.as_mut(), &terms);
        gradient
    }
}

impl Objective for MeanDistance<'_> {
    type Point = Point;
    type Line = Line;

    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Point, EvaluationError>> {
        let blocks: Vec<_> = free.iter().map(|block| block.as_ref()).collect();
        let products = pass(self.statistics, &blocks);
        free.into_par_iter()
            .zip(products)
            .map(|(free, products)| self.point(free, products, &[]))
            .collect()
    }

    fn along(&self, searches: Vec<(&Point, Mat<f64>)>) -> Vec<Line> {
        let blocks: Vec<_> = searches.iter().map(|(_, direction)| direction.as_ref()).collect();
        let products = pass(self.statistics, &blocks);
        let (m, frozen) = (self.small.filters, self.frozen);
        searches
            .into_par_iter()
            .zip(products)
            .map(|((point, direction), products)| {
                let mut first = Forms::zeros(self.small.classes, m);
                let mut second = Forms::zeros(self.small.classes, m);
                let linear = transpose_times(direction.as_ref(), self.statistics.means().as_ref());
                let cross = self.against(point.free.as_ref(), &products);
                let square = self.against(direction.as_ref(), &products);
                for class in 0..self.small.classes {
                    place_cross(
                        &mut first.quadratic[class * m * m..][..m * m],
                        &cross[class],
                        m,
                        frozen,
                    );
                    place_square(
                        &mut second.quadratic[class * m * m..][..m * m],
                        &square[class],
                        m,
                        frozen,
                    );
                    for j in 0..direction.ncols() {
                        first.linear[class * m + frozen + j] = linear[(j, class)];
                    }
                }
                let cross = transpose_times(point.free.as_ref(), direction.as_ref());
                let square = transpose_times(direction.as_ref(), direction.as_ref());
                place_cross(&mut first.gram, &cross, m, frozen);
                place_square(&mut second.gram, &square, m, frozen);
                Line { direction, products, first, second, last: None }
            })
            .collect()
    }

    fn try_step(
        &self,
        point: &Point,
        line: &mut Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError> {
        let forms = point.forms.moved(step, &line.first, &line.second);
        let nearest = line.last.as_ref().map_or(&point.value, |(_, _, value)| value);
        let value = self.small.evaluate(&forms, &nearest.sums.hints)?;
        let rate = Forms::rate(step, &line.first, &line.second);
        let slope = self.small.slope(&forms, &rate, &value);
        let result = (value.sums.value, slope);
        line.last = Some((step, forms, value));
        Ok(result)
    }

    fn take_step(&self, point: &mut Point, line: Line, step: f64) -> Result<(), EvaluationError> {
        let (forms, value) = match line.last {
            Some((last, forms, value)) if last == step => (forms, value),
            _ => {
                let forms = point.forms.moved(step, &line.first, &line.second);
                let value = self.small.evaluate(&forms, &point.value.sums.hints)?;
                (forms, value)
            }
        };
        let (frozen, moving) = (self.frozen, self.moving_columns());
        add_scaled(point.free.as_mut().subcols_mut(frozen, moving), step, line.direction.as_ref());
        point.products.par_iter_mut().zip(&line.products).for_each(|(product, change)| {
            add_scaled(product.as_mut().subcols_mut(frozen, moving), step, change.as_ref());
        });
        point.gradient = self.free_gradient(point.free.as_ref(), &point.products, &value);
        point.forms = forms;
        point.value = value;
        Ok(())
    }

    fn refresh(&self, points: Vec<&mut Point>) -> Result<(), EvaluationError> {
        let (frozen, moving) = (self.frozen, self.moving_columns());
        let products = {
            let blocks: Vec<_> =
                points.iter().map(|point| point.free.subcols(frozen, moving)).collect();
            pass(self.statistics, &blocks)
        };
        for (point, products) in points.into_iter().zip(products) {
            for (kept, fresh) in point.products.iter_mut().zip(&products) {
                kept.as_mut().subcols_mut(frozen, moving).copy_from(fresh);
            }
            let fresh = self.point(
                std::mem::replace(&mut point.free, Mat::zeros(0, 0)),
                std::mem::take(&mut point.products),
                &point.value.sums.hints,
            )?;
            *point = fresh;
        }
        Ok(())
    }

    fn value(&self, point: &Point) -> f64 {
        point.value.sums.value
    }

    fn gradient<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.gradient.as_ref()
    }

    fn moving<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.free.subcols(self.frozen, self.moving_columns())
    }

    fn evaluations_per_pass(&self) -> f64 {
        let m = self.small.filters as f64;
        let columns = self.moving_columns() as f64;
        let pass: f64 = self.statistics.covariances().iter().map(|c| c.flops() * columns).sum();
        let evaluation = PAIR_FLOPS * self.small.plan.len() as f64 * (m + 1.0).powi(3);
        pass / evaluation
    }
}

/// Adds X + Xᵀ, where X's columns belong to the moving filters.
fn place_cross(target: &mut [f64], cross: &Mat<f64>, m: usize, frozen: usize) {
    for j in 0..cross.ncols() {
        for i in 0..m {
            target[i * m + frozen + j] += cross[(i, j)];
            target[(frozen + j) * m + i] += cross[(i, j)];
        }
    }
}

/// Writes a symmetric block of the moving filters.
fn place_square(target: &mut [f64], square: &Mat<f64>, m: usize, frozen: usize) {
    for i in 0..square.nrows() {
        for j in 0..square.ncols() {
            target[(frozen + i) * m + frozen + j] = 0.5 * (square[(i, j)] + square[(j, i)]);
        }
    }
}
