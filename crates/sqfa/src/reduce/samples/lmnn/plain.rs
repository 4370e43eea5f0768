//! Gradient descent with a growing step, halved whenever the loss would rise.

use super::super::SampleError;
use crate::linalg::{Mat, MatRef, add_scaled};
use crate::optimize::{Control, Descended, Observer, Progress, Termination};

/// Growth of the step after every success.
const GROWTH: f64 = 1.01;
/// Halvings of one step at most: 2⁻¹⁰⁰ of it moves nothing.
const HALVINGS: usize = 100;

/// When and how far plain gradient descent goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlainDescent {
    /// The first step, as a multiple of the gradient.
    pub step: f64,
    /// Iterations before a small change may end the descent.
    pub min_iterations: usize,
    /// Iterations at most.
    pub max_iterations: usize,
    /// The change of the loss that counts as small.
    pub tolerance: f64,
}

impl Default for PlainDescent {
    fn default() -> Self {
        Self { step: 1e-6, min_iterations: 50, max_iterations: 2000, tolerance: 1.0 }
    }
}

impl PlainDescent {
    /// Descends from a start; `evaluate` gives loss and gradient.
    pub(super) fn run(
        &self,
        start: Mat<f64>,
        mut evaluate: impl FnMut(MatRef<'_, f64>) -> Result<(f64, Mat<f64>), SampleError>,
        observer: &mut Observer<'_>,
    ) -> Result<Descended, SampleError> {
        let mut step = self.step;
        if !(step > 0.0 && step.is_finite()) {
            return Err(SampleError::Step { step });
        }
        let mut point = start;
        let (mut loss, mut gradient) = evaluate(point.as_ref())?;
        let (mut trace, mut iterations, mut evaluations) = (vec![loss], 0, 1);
        let termination = 'descent: loop {
            if iterations >= self.max_iterations {
                break Termination::MaxIterations;
            }
            iterations += 1;
            let mut halvings = 0;
            let change = loop {
                let mut trial = point.clone();
                add_scaled(trial.as_mut(), -step, gradient.as_ref());
                evaluations += 1;
                match evaluate(trial.as_ref()) {
                    Ok((next, slope)) if next <= loss => {
                        let change = loss - next;
                        (point, loss, gradient) = (trial, next, slope);
                        break change;
                    }
                    _ => {}
                }
                step /= 2.0;
                halvings += 1;
                if halvings > HALVINGS {
                    break 'descent Termination::NoProgress;
                }
            };
            step *= GROWTH;
            trace.push(loss);
            if iterations > self.min_iterations && change < self.tolerance {
                break Termination::SmallChange;
            }
            let progress = Progress::of_one(iterations, evaluations, loss);
            if observer(&progress) == Control::Cancel {
                break Termination::Cancelled;
            }
        };
        Ok(Descended { point, loss, trace, iterations, evaluations, termination })
    }
}
