//! Tests that compare LMNN with a loop over all triples, finite differences and gradient descent,
//! and test its invariance and its errors.

use super::super::testing::{Drawn, normals};
use super::*;
use crate::linalg::inner;
use crate::optimize::{Control, Progress};

/// Relative tolerance for sums of a few thousand terms in another order.
const SAME: f64 = 1e-11;
/// Tolerance for central differences with steps of 1e-6, between kinks.
const SLOPE: f64 = 1e-6;

fn quiet() -> impl FnMut(&Progress) -> Control {
    |_: &Progress| Control::Continue
}

/// Returns the loss by its definition, with neighbors by sorting and a loop over all triples.
fn defined(sample: &Drawn, filters: &Mat<f64>, neighbors: usize, push: f64) -> f64 {
    let (rows, m) = (sample.rows(), filters.ncols());
    let z: Vec<Vec<f64>> = (0..rows)
        .map(|row| {
            let x = sample.row(row);
            (0..m).map(|j| x.iter().enumerate().map(|(i, x)| x * filters[(i, j)]).sum()).collect()
        })
        .collect();
    let square =
        |a: usize, b: usize| -> f64 { z[a].iter().zip(&z[b]).map(|(x, y)| (x - y).powi(2)).sum() };
    let mut loss = 0.0;
    for i in 0..rows {
        let mut own: Vec<usize> =
            (0..rows).filter(|&j| j != i && sample.code(j) == sample.code(i)).collect();
        own.sort_by(|&a, &b| sample.square(i, a).total_cmp(&sample.square(i, b)));
        for &j in &own[..neighbors] {
            loss += (1.0 - push) * square(i, j);
            for l in (0..rows).filter(|&l| sample.code(l) != sample.code(i)) {
                loss += push * (1.0 + square(i, j) - square(i, l)).max(0.0);
            }
        }
    }
    loss
}

struct Prepared {
    samples: Gathered,
    targets: Vec<u32>,
    push: f64,
}

impl Prepared {
    fn new(sample: &Drawn, neighbors: usize, push: f64) -> Self {
        let rows = check(sample.points(), &sample.labels, 1).unwrap();
        let samples = Gathered::new(sample.points(), &rows);
        let targets = targets(&samples, neighbors);
        Self { samples, targets, push }
    }

    fn evaluate(&self, filters: &Mat<f64>) -> (f64, Mat<f64>) {
        let problem = Problem { samples: &self.samples, targets: &self.targets, push: self.push };
        problem.evaluate(filters.as_ref())
    }
}

#[test]
fn the_loss_is_that_of_all_triples() {
    // More samples than a tile and than the number of parts. The classes alternate, so that rows
    // are reordered.
    for (counts, neighbors, push) in
        [(vec![9, 7, 5], 3, 0.5), (vec![60, 50], 2, 0.3), (vec![700, 400], 1, 1.0)]
    {
        let sample = Drawn::new(&counts, 4, 41);
        let prepared = Prepared::new(&sample, neighbors, push);
        for seed in [42, 43] {
            let filters = normals(4, 2, seed);
            let expected = defined(&sample, &filters, neighbors, push);
            let found = prepared.evaluate(&filters).0;
            assert!((found - expected).abs() < SAME * expected, "{found} is not {expected}");
        }
    }
}

#[test]
fn gradients_are_finite_differences_of_the_definition() {
    let sample = Drawn::new(&[12, 10, 9], 5, 44);
    for push in [0.0, 0.5, 1.0] {
        let prepared = Prepared::new(&sample, 3, push);
        let (filters, direction) = (normals(5, 2, 45), normals(5, 2, 46));
        let slope = inner(prepared.evaluate(&filters).1.as_ref(), direction.as_ref());
        let loss = |step: f64| {
            let moved = Mat::from_fn(5, 2, |i, j| filters[(i, j)] + step * direction[(i, j)]);
            defined(&sample, &moved, 3, push)
        };
        let difference = (loss(1e-6) - loss(-1e-6)) / 2e-6;
        let gap = (slope - difference).abs();
        assert!(gap < SLOPE * slope.abs().max(1.0), "push {push}: {slope} is not {difference}");
    }
}

#[test]
fn a_shift_of_all_samples_changes_nothing() {
    let sample = Drawn::new(&[20, 20], 3, 47);
    let shifted = sample.mapped(|row| row.iter().map(|x| x + 100.0).collect());
    let filters = normals(3, 2, 48);
    let (here, there) = (Prepared::new(&sample, 3, 0.5), Prepared::new(&shifted, 3, 0.5));
    let (loss, moved) = (here.evaluate(&filters).0, there.evaluate(&filters).0);
    // The shift costs two digits of the samples.
    assert!((loss - moved).abs() < 100.0 * SAME * loss);
}

/// Minimizes the loss by gradient descent as in metric-learn: the step grows by 1 % after every success and is halved if
/// the loss would increase.
fn gradient_descent(prepared: &Prepared, start: Mat<f64>) -> f64 {
    let (mut point, mut step) = (start, 1e-4);
    let (mut loss, mut gradient) = prepared.evaluate(&point);
    for iteration in 0..2000 {
        let trial = Mat::from_fn(point.nrows(), point.ncols(), |i, j| {
            point[(i, j)] - step * gradient[(i, j)]
        });
        let (next, slope) = prepared.evaluate(&trial);
        if next > loss {
            step /= 2.0;
            continue;
        }
        let change = loss - next;
        (point, loss, gradient, step) = (trial, next, slope, 1.01 * step);
        if iteration > 50 && change < 1e-3 {
            break;
        }
    }
    loss
}

#[test]
fn a_fit_ends_no_higher_than_gradient_descent() {
    let sample = Drawn::new(&[40, 35, 30], 6, 49);
    let fit = Lmnn::default().fit(sample.points(), &sample.labels, 2, &mut quiet()).unwrap();
    let prepared = Prepared::new(&sample, 3, 0.5);
    assert!(fit.trace.windows(2).all(|pair| pair[1] <= pair[0]));
    assert_eq!(prepared.evaluate(&fit.filters).0, fit.loss);
    // Both use the first coordinates as initial filters.
    let start = Mat::from_fn(6, 2, |i, j| f64::from(u8::from(i == j)));
    assert_eq!(fit.trace[0], prepared.evaluate(&start).0);
    let plain = gradient_descent(&prepared, start);
    assert!(plain < fit.trace[0] && fit.loss <= plain, "{} above {plain}", fit.loss);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let sample = Drawn::new(&[300, 250], 5, 50);
    let recipe =
        Lmnn { stopping: Stopping { max_iterations: 8, tolerance: 1e-9 }, ..Lmnn::default() };
    let fit = || recipe.fit(sample.points(), &sample.labels, 2, &mut quiet()).unwrap().filters;
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(fit), pool(3).install(fit));
}

#[test]
fn bad_settings_are_named() {
    let sample = Drawn::new(&[10, 3], 3, 51);
    let fit = |recipe: Lmnn| {
        recipe.fit(sample.points(), &sample.labels, 2, &mut quiet()).map(|_| ()).unwrap_err()
    };
    let error = fit(Lmnn::default());
    assert_eq!(error, SampleError::SmallClass { class: "1".into(), count: 3, neighbors: 3 });
    for part in ["class '1' has 3 samples", "at least 4 samples", "at most 2 neighbors"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(fit(Lmnn { neighbors: 0, ..Lmnn::default() }), SampleError::NoNeighbors);
    let error = fit(Lmnn { neighbors: 1, push: 1.5, ..Lmnn::default() });
    assert_eq!(error, SampleError::Weight { push: 1.5 });
}
