//! Objectives that depend on class statistics only: the weighted mean distance over pairs of
//! classes (the objective of SQFA) or another function of the class Gaussians.

use std::sync::Arc;

use super::criterion::Criterion;
use super::feature_problem::{FeatureGaussians, Forms};
use super::projection::Projection;
use super::{Effort, EvaluationError, Objective, Restrictable};
use crate::constraint::Constraint;
use crate::distance::{Hint, PairSums};
use crate::features::Gaussians;
use crate::linalg::{Mat, MatRef};
use crate::parallel;
use crate::preconditioner::{Preconditioner, Preconditioning};
use crate::statistics::ClassStatistics;
use crate::statistics::{pass, pass_in_groups};

#[derive(Debug)]
pub(crate) struct OnStatistics<'a> {
    projection: Projection<'a>,
    criterion: Arc<Criterion>,
    /// The value that counts as zero: the root mean variance, including noise, to the power of the
    /// criterion's degree.
    unit: f64,
}

/// The value of the criterion, with the quantities that its gradient needs.
#[derive(Debug)]
struct Value {
    classes: FeatureGaussians,
    sums: PairSums,
}

/// A point, with the quantities that its gradient and the lines through it need.
#[derive(Debug)]
pub(crate) struct Point {
    free: Mat<f64>,
    products: Vec<Mat<f64>>,
    forms: Forms,
    value: Value,
    gradient: Mat<f64>,
}

/// A line through a point.
#[derive(Debug)]
pub(crate) struct Line {
    direction: Mat<f64>,
    products: Vec<Mat<f64>>,
    first: Forms,
    second: Forms,
    /// The last step that was tried, which is usually the one that is made.
    last: Option<(f64, Forms, Value)>,
}

impl Point {
    /// Returns the class Gaussians in feature space, with noise added to the covariances.
    pub(crate) fn gaussians(&self) -> &Gaussians {
        &self.value.classes.gaussians
    }
}

impl<'a> OnStatistics<'a> {
    pub(crate) fn new(
        statistics: &'a ClassStatistics,
        criterion: Criterion,
        constraint: Constraint,
        noise: f64,
        filters: usize,
        frozen: usize,
    ) -> Self {
        let unit = match criterion.degree() {
            0 => 1.0,
            degree => (statistics.noise_scale() + noise).sqrt().powi(i32::from(degree)),
        };
        let criterion = Arc::new(criterion);
        let projection = Projection::new(statistics, constraint, noise, filters, frozen);
        Self { projection, criterion, unit }
    }

    /// Returns the filters F = ηT.
    pub(crate) fn filters(&self, point: &Point) -> Mat<f64> {
        self.projection.filters(&point.free, &point.value.classes)
    }

    fn evaluate(&self, forms: &Forms, hints: &[Hint]) -> Result<Value, EvaluationError> {
        let classes = self.projection.problem.place(forms)?;
        let sums = self.criterion.evaluate(&classes.gaussians, hints)?;
        Ok(Value { classes, sums })
    }

    fn point(
        &self,
        free: Mat<f64>,
        products: Vec<Mat<f64>>,
        hints: &[Hint],
    ) -> Result<Point, EvaluationError> {
        let forms = self.projection.forms(free.as_ref(), &products);
        let value = self.evaluate(&forms, hints)?;
        let gradient = self.gradient_at(free.as_ref(), &products, &value);
        Ok(Point { free, products, forms, value, gradient })
    }

    /// Returns the flops of one value with its derivatives.
    fn evaluation_flops(&self) -> f64 {
        self.criterion.terms() * (self.projection.problem.filters as f64 + 1.0).powi(3)
    }

    fn gradient_at(&self, free: MatRef<'_, f64>, products: &[Mat<f64>], value: &Value) -> Mat<f64> {
        self.projection.free_gradient(free, products, &value.classes, &value.sums, None)
    }
}

impl Objective for OnStatistics<'_> {
    type Point = Point;
    type Line = Line;

    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Point, EvaluationError>> {
        let blocks: Vec<_> = free.iter().map(|block| block.as_ref()).collect();
        let products = pass(self.projection.statistics, &blocks);
        parallel::map(free.into_iter().zip(products), |(free, products)| {
            self.point(free, products, &[])
        })
    }

    fn along(&self, searches: Vec<(&Point, Mat<f64>)>) -> Vec<Line> {
        let blocks: Vec<_> = searches.iter().map(|(_, direction)| direction.as_ref()).collect();
        let products = pass(self.projection.statistics, &blocks);
        parallel::map(searches.into_iter().zip(products), |((point, direction), products)| {
            let (first, second) =
                self.projection.line_forms(point.free.as_ref(), direction.as_ref(), &products);
            Line { direction, products, first, second, last: None }
        })
    }

    fn try_step(
        &self,
        point: &Point,
        line: &mut Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError> {
        if step == 0.0 {
            // The forms and the derivatives with respect to them are those of the point; only the
            // rates of the forms depend on the line.
            let Value { classes, sums } = &point.value;
            let slope = self.projection.problem.slope(&point.forms, &line.first, classes, sums);
            return Ok((sums.value, slope));
        }
        let forms = point.forms.moved(step, &line.first, &line.second);
        let nearest = line.last.as_ref().map_or(&point.value, |(_, _, value)| value);
        let value = self.evaluate(&forms, &nearest.sums.hints)?;
        let rate = Forms::rate(step, &line.first, &line.second);
        let slope = self.projection.problem.slope(&forms, &rate, &value.classes, &value.sums);
        let result = (value.sums.value, slope);
        line.last = Some((step, forms, value));
        Ok(result)
    }

    fn take_step(&self, point: &mut Point, line: Line, step: f64) -> Result<(), EvaluationError> {
        let (forms, value) = match line.last {
            Some((last, forms, value)) if last == step => (forms, value),
            _ => {
                let forms = point.forms.moved(step, &line.first, &line.second);
                let value = self.evaluate(&forms, &point.value.sums.hints)?;
                (forms, value)
            }
        };
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
        for point in points {
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
        point.free.subcols(self.projection.frozen, self.projection.moving_columns())
    }

    fn unit(&self) -> f64 {
        self.unit
    }

    fn start_bytes(&self) -> usize {
        self.projection.start_bytes()
    }

    fn evaluations_per_pass(&self) -> f64 {
        let columns = self.projection.moving_columns() as f64;
        let covariances = self.projection.statistics.covariances().iter();
        let pass: f64 = covariances.map(|covariance| covariance.flops() * columns).sum();
        pass / self.evaluation_flops()
    }
}

impl Restrictable for OnStatistics<'_> {
    type Restricted = ClassStatistics;
    type Inner<'b>
        = OnStatistics<'b>
    where
        Self: 'b;

    fn free<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.free.as_ref()
    }

    fn images<'b>(&self, point: &'b Point) -> Vec<&'b Mat<f64>> {
        point.products.iter().collect()
    }

    fn multiply(&self, blocks: &[MatRef<'_, f64>]) -> Vec<Vec<Mat<f64>>> {
        // Blocks are padded to the number of columns of a full direction. The number of columns
        // selects the kernel, so the bits would otherwise depend on how many columns a block has
        // lost.
        pass_in_groups(self.projection.statistics, blocks, self.projection.moving_columns())
    }

    fn forms(&self) -> usize {
        self.projection.problem.classes
    }

    fn restrict(
        &self,
        basis: MatRef<'_, f64>,
        _: &[Mat<f64>],
        forms: &[Mat<f64>],
    ) -> ClassStatistics {
        self.projection.statistics.confined(basis, forms)
    }

    fn within<'b>(&'b self, restricted: &'b ClassStatistics) -> OnStatistics<'b> {
        OnStatistics {
            projection: self.projection.on(restricted),
            criterion: Arc::clone(&self.criterion),
            unit: self.unit,
        }
    }

    fn metric_within(&self, restricted: &ClassStatistics) -> Preconditioner {
        let noise = self.projection.problem.noise;
        Preconditioner::new(restricted, noise, f64::INFINITY, Preconditioning::On)
    }

    fn lift(
        &self,
        free: Mat<f64>,
        images: Vec<Mat<f64>>,
        near: Option<&Point>,
    ) -> Result<Point, EvaluationError> {
        self.point(free, images, near.map_or(&[], |near| &near.value.sums.hints))
    }

    fn effort(&self) -> Effort {
        let statistics = self.projection.statistics;
        let columns = self.projection.moving_columns() as f64;
        let classes = self.projection.problem.classes as f64;
        let pass = self.projection.pass_effort();
        let column = 2.0 * statistics.dimension() as f64 * (classes + 1.0);
        Effort { pass, evaluation: self.evaluation_flops(), column, columns, classes }
    }
}
