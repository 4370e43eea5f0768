//! Objectives within a subspace.
//!
//! For η = UC, where U is an orthonormal basis, an objective becomes one of the same kind in as
//! many dimensions as U has columns. The Gram matrix of C is that of η, and μ_k and Σ_k depend on C
//! as on the filters of a fit to the class statistics (Uᵀγ_k, UᵀΦ_kU). So the same optimizer
//! applies, and passes over these small statistics cost next to nothing.

use super::{EvaluationError, Objective};
use crate::linalg::{Mat, MatRef};
use crate::parallel;
use crate::preconditioner::Preconditioner;

/// The cost of the parts of an optimization, in flops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effort {
    /// One pass for one initialization, including the time to read the matrices.
    pub(crate) pass: f64,
    /// One value with its derivatives, from small matrices.
    pub(crate) evaluation: f64,
    /// One column of a block and all its products, added to another column.
    pub(crate) column: f64,
    /// The number of columns that may change.
    pub(crate) columns: f64,
    /// The number of classes.
    pub(crate) classes: f64,
}

/// An objective that can be restricted to a subspace.
pub(crate) trait Restrictable: Objective {
    /// The data of a restricted problem.
    type Restricted: Send + Sync;
    /// The restricted problem.
    type Inner<'b>: Objective
    where
        Self: 'b;

    /// Returns the free matrix, with the frozen columns first.
    fn free<'b>(&self, point: &'b Self::Point) -> MatRef<'b, f64>;
    /// Returns the products of the free matrix, which are the images of its columns.
    fn images<'b>(&self, point: &'b Self::Point) -> Vec<&'b Mat<f64>>;
    /// Returns the images of several blocks, each with at most as many columns as a free matrix.
    /// Cost: one pass.
    fn multiply(&self, blocks: &[MatRef<'_, f64>]) -> Vec<Vec<Mat<f64>>>;
    /// Returns the number of leading images whose forms UᵀΦU the restricted problem needs.
    fn forms(&self) -> usize;
    /// Restricts the data to the span of an orthonormal basis.
    fn restrict(
        &self,
        basis: MatRef<'_, f64>,
        images: &[Mat<f64>],
        forms: &[Mat<f64>],
    ) -> Self::Restricted;
    /// Returns the problem on restricted data.
    fn within<'b>(&'b self, restricted: &'b Self::Restricted) -> Self::Inner<'b>;
    /// Returns the metric M of the whole problem within the span.
    fn metric_within(&self, restricted: &Self::Restricted) -> Preconditioner;
    /// Creates a point from a free matrix and its images, using the hints of a point nearby. Cost:
    /// no pass.
    fn lift(
        &self,
        free: Mat<f64>,
        images: Vec<Mat<f64>>,
        near: Option<&Self::Point>,
    ) -> Result<Self::Point, EvaluationError>;
    /// Returns the cost of the parts of an optimization.
    fn effort(&self) -> Effort;
}

/// Several objectives that are optimized in step, one per initialization.
#[derive(Debug)]
pub(crate) struct Beside<O>(pub(crate) Vec<O>);

impl<O: Objective> Objective for Beside<O> {
    type Point = (usize, O::Point);
    type Line = O::Line;

    fn at(&self, free: Vec<Mat<f64>>) -> Vec<Result<Self::Point, EvaluationError>> {
        parallel::map(free.into_iter().enumerate(), |(own, free)| {
            Ok((own, self.0[own].at(vec![free]).remove(0)?))
        })
    }

    fn along(&self, searches: Vec<(&Self::Point, Mat<f64>)>) -> Vec<O::Line> {
        parallel::map(searches, |((own, point), direction)| {
            self.0[*own].along(vec![(point, direction)]).remove(0)
        })
    }

    fn try_step(
        &self,
        (own, point): &Self::Point,
        line: &mut O::Line,
        step: f64,
    ) -> Result<(f64, f64), EvaluationError> {
        self.0[*own].try_step(point, line, step)
    }

    fn take_step(
        &self,
        (own, point): &mut Self::Point,
        line: O::Line,
        step: f64,
    ) -> Result<(), EvaluationError> {
        self.0[*own].take_step(point, line, step)
    }

    fn refresh(&self, points: Vec<&mut Self::Point>) -> Result<(), EvaluationError> {
        parallel::try_map(points, |(own, point)| self.0[*own].refresh(vec![point])).map(|_| ())
    }

    fn value(&self, (own, point): &Self::Point) -> f64 {
        self.0[*own].value(point)
    }

    fn gradient<'b>(&self, (own, point): &'b Self::Point) -> MatRef<'b, f64> {
        self.0[*own].gradient(point)
    }

    fn moving<'b>(&self, (own, point): &'b Self::Point) -> MatRef<'b, f64> {
        self.0[*own].moving(point)
    }

    fn unit(&self) -> f64 {
        self.0.first().map_or(1.0, Objective::unit)
    }

    fn evaluations_per_pass(&self) -> f64 {
        self.0.iter().map(Objective::evaluations_per_pass).fold(0.0, f64::max)
    }
}
