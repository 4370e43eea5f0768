//! The posterior objective within a subspace: XU replaces X, and the statistics are restricted to
//! U.

use std::sync::Arc;

use super::grouped::Grouped;
use super::{LabeledRows, Point, Posterior};
use crate::linalg::{Mat, MatRef};
use crate::objective::EvaluationError;
use crate::objective::projection::READ;
use crate::objective::restricted::{Effort, Restrictable};
use crate::parallel;
use crate::points::{Points, Table};
use crate::preconditioner::{Preconditioner, Preconditioning};
use crate::statistics::{ClassStatistics, pass_in_groups};
use crate::transform::Features;

/// Samples and statistics, restricted to the span of a basis.
pub(crate) struct Confined {
    statistics: ClassStatistics,
    /// XU for the rows that the objective uses, row-major.
    values: Vec<f64>,
}

impl Restrictable for Posterior<'_> {
    type Restricted = Confined;
    type Inner<'b>
        = Posterior<'b>
    where
        Self: 'b;

    fn free<'b>(&self, point: &'b Point) -> MatRef<'b, f64> {
        point.free.as_ref()
    }

    fn images<'b>(&self, point: &'b Point) -> Vec<&'b Mat<f64>> {
        point.products.iter().chain(&point.combined).collect()
    }

    /// Returns the products of every class, followed by XU.
    fn multiply(&self, blocks: &[MatRef<'_, f64>]) -> Vec<Vec<Mat<f64>>> {
        let columns = self.projection.moving_columns();
        let mut images = pass_in_groups(self.projection.statistics, blocks, columns);
        let seen = self.features(blocks, &columns_of);
        images.iter_mut().zip(seen).for_each(|(images, seen)| images.push(seen));
        images
    }

    fn forms(&self) -> usize {
        self.projection.problem.classes
    }

    fn restrict(
        &self,
        basis: MatRef<'_, f64>,
        images: &[Mat<f64>],
        forms: &[Mat<f64>],
    ) -> Confined {
        let (seen, width) = (&images[self.forms()], basis.ncols());
        let mut values = vec![0.0; seen.nrows() * width];
        parallel::rows(&mut values, width, |row, values| {
            values.iter_mut().enumerate().for_each(|(j, value)| *value = seen[(row, j)]);
        });
        Confined { statistics: self.projection.statistics.confined(basis, forms), values }
    }

    fn within<'b>(&'b self, restricted: &'b Confined) -> Posterior<'b> {
        let Confined { statistics, values } = restricted;
        let (rows, width) = (self.split.rows.len(), statistics.dimension());
        let points = Table::row_major(values, rows, width).expect("whole rows");
        Posterior {
            projection: self.projection.on(statistics),
            split: LabeledRows {
                points: Points::F64(points),
                preprocessor: None,
                rows: (0..rows).collect(),
                codes: Vec::new(),
            },
            targets: Arc::clone(&self.targets),
            log_priors: self.log_priors.clone(),
            metric_noise: self.metric_noise,
        }
    }

    fn metric_within(&self, restricted: &Confined) -> Preconditioner {
        let statistics = &restricted.statistics;
        Preconditioner::new(statistics, self.metric_noise, f64::INFINITY, Preconditioning::On)
    }

    fn lift(
        &self,
        free: Mat<f64>,
        mut images: Vec<Mat<f64>>,
        _: Option<&Point>,
    ) -> Result<Point, EvaluationError> {
        let combined = images.split_off(self.forms());
        let projected = Grouped::of_columns(&combined[0]);
        Ok(Point { combined, ..self.point(free, images, projected)? })
    }

    fn effort(&self) -> Effort {
        let (statistics, problem) = (self.projection.statistics, &self.projection.problem);
        let (n, points) = (statistics.dimension() as f64, self.split.rows.len() as f64);
        let columns = self.projection.moving_columns() as f64;
        let (m, classes) = (problem.filters as f64, problem.classes as f64);
        let own = self.projection.pass_effort();
        // XD and XᵀZ̄, each of which reads all samples.
        let bytes = self.split.points.bytes() as f64;
        let pass = own + 2.0 * (2.0 * points * n * columns + READ * bytes);
        // About 6m² flops and an exponential per sample and class, and within a basis both products
        // with about 5m columns.
        let evaluation = points * (classes * (6.0 * m * m + 20.0) + 20.0 * m * m);
        let column = 2.0 * n * (classes + 1.0) + 2.0 * points;
        Effort { pass, evaluation, column, columns, classes }
    }
}

/// Returns some columns of row-major features as a matrix.
fn columns_of(features: &Features, width: usize, first: usize, count: usize) -> Mat<f64> {
    fn picked<T: Copy>(
        values: &[T],
        (width, first, count): (usize, usize, usize),
        convert: impl Fn(T) -> f64,
    ) -> Mat<f64> {
        let rows = values.len().checked_div(width).unwrap_or(0);
        Mat::from_fn(rows, count, |i, j| convert(values[i * width + first + j]))
    }
    match features {
        Features::F32(values) => picked(values, (width, first, count), f64::from),
        Features::F64(values) => picked(values, (width, first, count), |value| value),
    }
}
