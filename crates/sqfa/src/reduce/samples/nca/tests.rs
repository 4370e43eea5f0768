//! Tests that compare NCA with its definition, finite differences and a problem with a known
//! solution, for different scales and numbers of threads.

use super::super::testing::{Drawn, normals};
use super::*;
use crate::linalg::inner;
use crate::optimize::{Control, Progress};

/// Tolerance for sums of a few thousand terms in another order.
const SAME: f64 = 1e-12;
/// Tolerance for central differences with steps of 1e-6.
const SLOPE: f64 = 1e-8;

fn quiet() -> impl FnMut(&Progress) -> Control {
    |_: &Progress| Control::Continue
}

/// Returns the loss by its definition.
fn defined(sample: &Drawn, filters: &Mat<f64>) -> f64 {
    let z = sample.mapped(|x| {
        let feature = |j: usize| x.iter().enumerate().map(|(i, x)| x * filters[(i, j)]).sum();
        (0..filters.ncols()).map(feature).collect()
    });
    let rows = sample.rows();
    let stray: f64 = (0..rows)
        .map(|i| {
            let weight = |j: usize| if i == j { 0.0 } else { (-z.square(i, j)).exp() };
            let other = |j: &usize| sample.code(*j) != sample.code(i);
            let all: f64 = (0..rows).map(weight).sum();
            (0..rows).filter(other).map(weight).sum::<f64>() / all
        })
        .sum();
    stray / rows as f64
}

fn evaluate(sample: &Drawn, filters: &Mat<f64>) -> (f64, Mat<f64>) {
    let rows = check(sample.points(), &sample.labels, 1).unwrap();
    loss::evaluate(&Gathered::new(sample.points(), &rows), filters.as_ref())
}

#[test]
fn the_loss_is_the_expected_share_of_strange_neighbors() {
    for counts in [vec![9, 7, 5], vec![60, 50], vec![1, 40]] {
        let sample = Drawn::new(&counts, 4, 61);
        for seed in [62, 63] {
            let filters = normals(4, 2, seed);
            let (found, expected) = (evaluate(&sample, &filters).0, defined(&sample, &filters));
            assert!((found - expected).abs() < SAME, "{found} is not {expected}");
        }
    }
}

#[test]
fn gradients_are_finite_differences_of_the_definition() {
    let sample = Drawn::new(&[12, 10, 40], 5, 64);
    for m in [1, 3] {
        let (filters, direction) = (normals(5, m, 65), normals(5, m, 66));
        let slope = inner(evaluate(&sample, &filters).1.as_ref(), direction.as_ref());
        let loss = |step: f64| {
            let moved = Mat::from_fn(5, m, |i, j| filters[(i, j)] + step * direction[(i, j)]);
            defined(&sample, &moved)
        };
        let difference = (loss(1e-6) - loss(-1e-6)) / 2e-6;
        assert!((slope - difference).abs() < SLOPE, "{slope} is not {difference}");
    }
}

#[test]
fn samples_far_apart_keep_their_nearest_neighbor() {
    // All weights except for that of the nearest neighbor underflow, which still counts.
    let sample = Drawn::new(&[8, 8], 3, 67);
    let filters = Mat::from_fn(3, 3, |i, j| if i == j { 1e6 } else { 0.0 });
    let nearest = |i: usize| {
        let others = (0..sample.rows()).filter(|&j| j != i);
        others.min_by(|&a, &b| sample.square(i, a).total_cmp(&sample.square(i, b))).unwrap()
    };
    let strays = (0..sample.rows()).filter(|&i| sample.code(i) != sample.code(nearest(i)));
    let expected = strays.count() as f64 / sample.rows() as f64;
    assert_eq!(evaluate(&sample, &filters).0, expected);
}

#[test]
fn classes_are_parted_below_the_largest_variance_and_units_do_not_matter() {
    // The class shifts the second coordinate by four standard deviations, and the first coordinate
    // has the largest variance.
    let plain = Drawn::new(&[120, 120], 3, 68);
    let fit = |unit: f64, max_iterations: usize| {
        let at = std::cell::Cell::new(0);
        let sample = plain.mapped(|_| {
            let row = at.replace(at.get() + 1);
            let class = f64::from(plain.code(row)) * 4.0;
            let noise = normals(1, 3, 1000 + row as u64);
            vec![unit * 5.0 * noise[(0, 0)], unit * (class + noise[(0, 1)]), unit * noise[(0, 2)]]
        });
        let recipe = Nca { stopping: Stopping { max_iterations, tolerance: 1e-6 } };
        let fit = recipe.fit(sample.points(), &sample.labels, 1, &mut quiet()).unwrap();
        assert!(fit.trace.windows(2).all(|pair| pair[1] <= pair[0]));
        let first = Mat::from_fn(3, 1, |i, _| if i == 0 { 1.0 / unit } else { 0.0 });
        let before = defined(&sample, &first);
        assert!(before > 0.4 && fit.loss < 0.06, "{before} → {}", fit.loss);
        fit.filters
    };
    fit(1.0, 500);
    // Long optimizations diverge by rounding alone, so only the first steps are compared.
    let here = fit(1.0, 8);
    for unit in [1e-9, 1e9] {
        let there = fit(unit, 8);
        let scaled = Mat::from_fn(3, 1, |i, _| there[(i, 0)] * unit);
        let gap = (&scaled - &here).norm_l2() / here.norm_l2();
        assert!(gap < 1e-6, "unit {unit}: {gap:e}");
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let sample = Drawn::new(&[200, 150], 5, 69);
    let recipe = Nca { stopping: Stopping { max_iterations: 8, tolerance: 1e-9 } };
    let fit = || recipe.fit(sample.points(), &sample.labels, 2, &mut quiet()).unwrap().filters;
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(fit), pool(3).install(fit));
}

#[test]
fn samples_without_spread_are_refused() {
    let sample = Drawn::new(&[5, 5], 2, 70).mapped(|_| vec![1.0, 2.0]);
    let error = Nca::default().fit(sample.points(), &sample.labels, 1, &mut quiet()).unwrap_err();
    assert_eq!(error, SampleError::NoSpread);
}
