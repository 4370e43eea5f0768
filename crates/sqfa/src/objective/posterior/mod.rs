//! The mean log posterior of the true class, (1/N) Σ_s ln p(y_s | z_s), where the class Gaussians
//! are projected by the same filters.
//!
//! The objective depends on samples only through Xη. Along a line, Z(t) = (Xη + tXD)T(t), so any
//! step costs O(Ncm²) and no pass. An iteration needs two passes over the samples, XD and XᵀZ̄, in
//! addition to the one over the class covariances.

mod confined;
mod grouped;
mod kernel;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::grouped::{Grouped, inner_products, mapped, step_along};
use self::kernel::{ClassScores, Evaluated, Targets, evaluate};
use super::feature_problem::{FeatureGaussians, Forms};
use super::projection::{Projection, SampleSlopes};
use super::{EvaluationError, Objective};
use crate::constraint::Constraint;
use crate::linalg::{Mat, MatRef, beside, inner};
use crate::points::Points;
use crate::statistics::{ClassStatistics, Preprocessor, pass};
use crate::transform::{Features, gather_rows, transform_rows_offset};

/// Labeled samples without preprocessing, with the preprocessing that the statistics contain.
#[derive(Debug, Clone)]
pub(crate) struct LabeledRows<'a> {
    pub(crate) points: Points<'a>,
    pub(crate) preprocessor: Option<&'a Preprocessor>,
    /// The rows that the objective uses.
    pub(crate) rows: Vec<usize>,
    /// The class of each of these rows.
    pub(crate) codes: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct Posterior<'a> {
    projection: Projection<'a>,
    split: LabeledRows<'a>,
    targets: Arc<Targets>,
    log_priors: Vec<f64>,
    /// The noise that is added to the total covariance in the metric of the steps.
    metric_noise: f64,
}

#[derive(Debug)]
struct Value {
    classes: FeatureGaussians,
    evaluated: Evaluated,
    /// (Xη)ᵀZ̄, row-major.
    inner: Vec<f64>,
}

/// A point, with the quantities that its gradient and the lines through it need.
#[derive(Debug)]
pub(crate) struct Point {
    free: Mat<f64>,
    products: Vec<Mat<f64>>,
    /// The features Xη.
    projected: Grouped,
    /// The features Xη as a matrix, combined from a basis; empty if the optimization proceeds along
    /// lines.
    combined: Vec<Mat<f64>>,
    forms: Forms,
    value: Value,
    gradient: Mat<f64>,
}

/// A line through a point.
#[derive(Debug)]
pub(crate) struct Line {
    direction: Mat<f64>,
    products: Vec<Mat<f64>>,
    projected: Grouped,
    first: Forms,
    second: Forms,
    last: Option<(f64, Forms, Value)>,
}

impl<'a> Posterior<'a> {
    pub(crate) fn new(
        statistics: &'a ClassStatistics,
        split: LabeledRows<'a>,
        constraint: Constraint,
        noise: f64,
        filters: usize,
        frozen: usize,
        priors: &[f64],
    ) -> Self {
        Self {
            projection: Projection::new(statistics, constraint, noise, filters, frozen),
            targets: Arc::new(Targets::new(&split.codes)),
            split,
            log_priors: priors.iter().map(|prior| prior.ln()).collect(),
            metric_noise: noise,
        }
    }

    /// Returns the same objective with another noise in the metric of the total covariance.
    pub(crate) fn measured_with(self, metric_noise: f64) -> Self {
        Self { metric_noise, ..self }
    }

    /// Returns the filters F = ηT.
    pub(crate) fn filters(&self, point: &Point) -> Mat<f64> {
        self.projection.filters(&point.free, &point.value.classes)
    }

    /// Returns X times several blocks, in one pass over the samples.
    fn project(&self, blocks: &[MatRef<'_, f64>]) -> Vec<Grouped> {
        self.features(blocks, &|features, width, first, count| {
            Grouped::new(features, width, first, count)
        })
    }

    /// Computes X times several blocks in one pass over the samples and converts the features of
    /// each block with `make`.
    ///
    /// `make` receives the row-major features of all blocks, their number of columns, and the first
    /// column and the number of columns of its block.
    fn features<F>(
        &self,
        blocks: &[MatRef<'_, f64>],
        make: &dyn Fn(&Features, usize, usize, usize) -> F,
    ) -> Vec<F> {
        let split = &self.split;
        let joined = beside(blocks);
        let (filters, offset) = match split.preprocessor {
            Some(preprocessor) => {
                let (filters, offset) = preprocessor.fold(joined.as_ref());
                (filters, Some(offset))
            }
            None => (joined, None),
        };
        let (points, rows) = (split.points, &split.rows);
        let features = transform_rows_offset(points, rows, filters.as_ref(), offset.as_deref());
        let width = filters.ncols();
        let mut column = 0;
        blocks
            .iter()
            .map(|block| {
                let (first, count) = (column, block.ncols());
                column += count;
                make(&features, width, first, count)
            })
            .collect()
    }

    /// Evaluates the objective at a point or along a line from it, where the features are those of
    /// η + step·D. Along a line, it also returns (XD)ᵀZ̄.
    fn evaluate(
        &self,
        forms: &Forms,
        projected: &Grouped,
        line: Option<(&Grouped, f64)>,
    ) -> Result<(Value, Vec<f64>), EvaluationError> {
        let classes = self.projection.problem.place(forms)?;
        let scores = ClassScores::new(&classes.gaussians, &self.log_priors)?;
        let evaluated = evaluate(&scores, &mapped(projected, line, &classes.map), &self.targets);
        let mut inner = inner_products(projected, &evaluated.feature_slopes);
        let mut along = Vec::new();
        if let Some((change, step)) = line {
            along = inner_products(change, &evaluated.feature_slopes);
            let first = inner.len() - along.len();
            inner[first..].iter_mut().zip(&along).for_each(|(sum, along)| *sum += step * along);
        }
        Ok((Value { classes, evaluated, inner }, along))
    }

    fn point(
        &self,
        free: Mat<f64>,
        products: Vec<Mat<f64>>,
        projected: Grouped,
    ) -> Result<Point, EvaluationError> {
        let forms = self.projection.forms(free.as_ref(), &products);
        let (value, _) = self.evaluate(&forms, &projected, None)?;
        let gradient = self.gradient_at(free.as_ref(), &products, &value);
        let combined = Vec::new();
        Ok(Point { free, products, projected, combined, forms, value, gradient })
    }

    fn gradient_at(&self, free: MatRef<'_, f64>, products: &[Mat<f64>], value: &Value) -> Mat<f64> {
        let m = self.projection.problem.filters;
        let split = &self.split;
        let slopes = &value.evaluated.feature_slopes;
        let rows = slopes.rows(split.rows.len());
        let mut outer = gather_rows(split.points, &split.rows, &rows, m);
        if let Some(preprocessor) = split.preprocessor {
            let sums: Vec<f64> =
                (0..m).map(|j| rows.iter().skip(j).step_by(m).sum::<f64>()).collect();
            for j in 0..m {
                for (i, value) in outer.as_mut().col_mut(j).iter_mut().enumerate() {
                    *value = (*value - preprocessor.offset[i] * sums[j]) * preprocessor.factors[i];
                }
            }
            // Samples have all dimensions, filters only those that were not dropped.
            if let Some(kept) = preprocessor.kept().filter(|kept| kept.len() == free.nrows()) {
                outer = Mat::from_fn(kept.len(), m, |i, j| outer[(kept[i], j)]);
            }
        }
        // ZᵀZ̄ = Tᵀ(Xη)ᵀZ̄.
        let map = value.classes.map.dense(m);
        let entry =
            |at: usize| (0..m).map(|i| map[i * m + at / m] * value.inner[i * m + at % m]).sum();
        let inner: Vec<f64> = (0..m * m).map(entry).collect();
        let samples = SampleSlopes { outer: outer.as_ref(), inner: &inner };
        let sums = &value.evaluated.sums;
        self.projection.free_gradient(free, products, &value.classes, sums, Some(samples))
    }
}

impl Objective for Posterior<'_> {
    type Point = Point;
    type Line = Line;

    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Point, EvaluationError>> {
        let blocks: Vec<_> = free.iter().map(|block| block.as_ref()).collect();
        let products = pass(self.projection.statistics, &blocks);
        let projected = self.project(&blocks);
        free.into_iter()
            .zip(products.into_iter().zip(projected))
            .map(|(free, (products, projected))| self.point(free, products, projected))
            .collect()
    }

    fn along(&self, searches: Vec<(&Point, Mat<f64>)>) -> Vec<Line> {
        let blocks: Vec<_> = searches.iter().map(|(_, direction)| direction.as_ref()).collect();
        let products = pass(self.projection.statistics, &blocks);
        let projected = self.project(&blocks);
        searches
            .into_iter()
            .zip(products.into_iter().zip(projected))
            .map(|((point, direction), (products, projected))| {
                let (first, second) =
                    self.projection.line_forms(point.free.as_ref(), direction.as_ref(), &products);
                Line { direction, products, projected, first, second, last: None }
            })
            .collect()
    }

    fn try_step(
        &self,
        point: &Point,
        line: &mut Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError> {
        if step == 0.0 {
            // Both are known and exact: the value is that of the point, and the slope follows from
            // its gradient.
            return Ok((
                self.value(point),
                inner(point.gradient.as_ref(), line.direction.as_ref()),
            ));
        }
        let forms = point.forms.moved(step, &line.first, &line.second);
        let change = Some((&line.projected, step));
        let (value, by_points) = self.evaluate(&forms, &point.projected, change)?;
        let problem = &self.projection.problem;
        let rate = Forms::rate(step, &line.first, &line.second);
        let sums = &value.evaluated.sums;
        let mut slope = problem.slope(&forms, &rate, &value.classes, sums);
        // ⟨Z̄, Z′⟩ with Z′ = (Xη+tXD)T′ + (XD)T.
        let m = problem.filters;
        let map_slope = problem.constraint.slope(&value.classes.map, &rate.gram, m).dense(m);
        let map = value.classes.map.dense(m);
        slope += value.inner.iter().zip(&map_slope).map(|(a, b)| a * b).sum::<f64>();
        let frozen = self.projection.frozen;
        slope += by_points.iter().zip(&map[frozen * m..]).map(|(a, b)| a * b).sum::<f64>();
        let result = (value.evaluated.sums.value, slope);
        line.last = Some((step, forms, value));
        Ok(result)
    }

    fn take_step(&self, point: &mut Point, line: Line, step: f64) -> Result<(), EvaluationError> {
        let (forms, value) = match line.last {
            Some((last, forms, value)) if last == step => (forms, value),
            _ => {
                let forms = point.forms.moved(step, &line.first, &line.second);
                let change = Some((&line.projected, step));
                let (value, _) = self.evaluate(&forms, &point.projected, change)?;
                (forms, value)
            }
        };
        step_along(&mut point.projected, &line.projected, step);
        let direction = line.direction.as_ref();
        self.projection.advance(
            &mut point.free,
            &mut point.products,
            direction,
            &line.products,
            step,
        );
        point.gradient = self.gradient_at(point.free.as_ref(), &point.products, &value);
        point.forms = forms;
        point.value = value;
        Ok(())
    }

    fn refresh(&self, mut points: Vec<&mut Point>) -> Result<(), EvaluationError> {
        let parts = points.iter_mut().map(|point| (point.free.as_ref(), &mut point.products));
        self.projection.renew(parts.collect());
        let blocks: Vec<_> = points.iter().map(|point| point.free.as_ref()).collect();
        let projected = self.project(&blocks);
        for (point, projected) in points.into_iter().zip(projected) {
            let free = std::mem::replace(&mut point.free, Mat::zeros(0, 0));
            *point = self.point(free, std::mem::take(&mut point.products), projected)?;
        }
        Ok(())
    }

    fn value(&self, point: &Point) -> f64 {
        point.value.evaluated.sums.value
    }

    fn gradient<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.gradient.as_ref()
    }

    fn moving<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.free.subcols(self.projection.frozen, self.projection.moving_columns())
    }

    fn start_bytes(&self) -> usize {
        let rows = self.split.rows.len();
        // Features at the point, along a line and at the last step, and the derivatives with
        // respect to them.
        let features = 4 * size_of::<f64>() * rows * self.projection.problem.filters;
        self.projection.start_bytes().saturating_add(features)
    }

    fn evaluations_per_pass(&self) -> f64 {
        let (n, m) =
            (self.projection.statistics.dimension() as f64, self.projection.problem.filters as f64);
        // Two passes with 2nm flops per sample, compared with about 6cm² flops per sample.
        4.0 * n * m / (6.0 * self.projection.problem.classes as f64 * m * m)
    }
}
