//! Tests of WDA: gradients by finite differences, both implementations of Sinkhorn iterations,
//! invariance, the limit of LDA, and errors.

use super::super::testing::{Drawn, normals, subspace_gap};
use super::loss::Transport;
use super::*;
use crate::linalg::{inner, pencil};
use crate::optimize::Control;

/// Tolerance for central differences with steps of 1e-5, whose error is 1e-10 times third
/// derivatives of order 1/reg³ at most.
const SLOPE: f64 = 1e-5;
/// Tolerance for two computations with a few hundred roundings.
const SAME: f64 = 1e-9;
/// A regularization far below the squared distances between the samples of the tests.
const SHARP: f64 = 5e-3;

fn quiet() -> impl FnMut(&Progress) -> Control {
    |_: &Progress| Control::Continue
}

fn gathered(sample: &Drawn) -> Gathered {
    Gathered::new(sample.points(), &check(sample.points(), &sample.labels, 1).unwrap())
}

fn transport(regularization: f64, iterations: usize) -> Transport {
    let (height, width) = (7, 5);
    let (x, y) = (normals(height, 2, 21), normals(width, 2, 22));
    let costs = (0..height * width)
        .map(|at| (0..2).map(|k| (x[(at / width, k)] - y[(at % width, k)] - 0.5).powi(2)).sum())
        .collect();
    Transport { costs, height, width, regularization, iterations }
}

/// Returns the cost of the plan by the definition: plain loops without stabilization.
fn naive_price(transport: &Transport) -> f64 {
    let &Transport { ref costs, height, width, regularization, iterations } = transport;
    let kernel: Vec<f64> = costs.iter().map(|cost| (-cost / regularization).exp()).collect();
    let (mut u, mut v) = (vec![1.0; height], vec![1.0; width]);
    for _ in 0..iterations {
        for b in 0..width {
            let sum: f64 = (0..height).map(|a| kernel[a * width + b] * u[a]).sum();
            v[b] = 1.0 / width as f64 / sum;
        }
        for a in 0..height {
            let sum: f64 = (0..width).map(|b| kernel[a * width + b] * v[b]).sum();
            u[a] = 1.0 / height as f64 / sum;
        }
    }
    (0..height * width).map(|at| u[at / width] * kernel[at] * v[at % width] * costs[at]).sum()
}

#[test]
fn both_forms_give_the_price_of_the_definition_and_the_same_slopes() {
    for regularization in [0.1, 1.0, 30.0] {
        for iterations in [1, 2, 10] {
            let problem = transport(regularization, iterations);
            let scaled = scaling::price(&problem).unwrap();
            let logarithmic = logarithmic::price(&problem);
            let expected = naive_price(&problem);
            assert!((scaled.price - expected).abs() < SAME * expected);
            assert!((logarithmic.price - expected).abs() < SAME * expected);
            for (x, y) in scaled.slopes.iter().zip(&logarithmic.slopes) {
                assert!((x - y).abs() < SAME, "{regularization}, {iterations}: {x} is not {y}");
            }
        }
    }
}

#[test]
fn slopes_are_the_finite_differences_of_the_definition() {
    for regularization in [0.2, 1.0, 10.0] {
        let problem = transport(regularization, 4);
        let slopes = scaling::price(&problem).unwrap().slopes;
        for at in 0..problem.costs.len() {
            let moved = |step: f64| {
                let mut moved = transport(regularization, 4);
                moved.costs[at] += step;
                naive_price(&moved)
            };
            let step = 1e-5;
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            assert!((slopes[at] - difference).abs() < SLOPE, "{} is not {difference}", slopes[at]);
        }
    }
}

#[test]
fn sharp_plans_stay_in_range() {
    // The costs are about 1. Without removing row and column minima, kernel entries would be about
    // exp(−5000).
    let problem = transport(2e-4, 10);
    let (scaled, logarithmic) = (scaling::price(&problem).unwrap(), logarithmic::price(&problem));
    assert!((scaled.price - logarithmic.price).abs() < SAME * logarithmic.price);
    for (x, y) in scaled.slopes.iter().zip(&logarithmic.slopes) {
        assert!((x - y).abs() < SAME * y.abs().max(1.0), "{x} is not {y}");
    }
    for at in 0..problem.costs.len() {
        let moved = |step: f64| {
            let mut moved = transport(2e-4, 10);
            moved.costs[at] += step;
            logarithmic::price(&moved).price
        };
        let step = 1e-8;
        let difference = (moved(step) - moved(-step)) / (2.0 * step);
        assert!((scaled.slopes[at] - difference).abs() < SLOPE, "{difference}");
    }
}

#[test]
fn where_scalings_leave_the_range_logarithms_take_over() {
    // After so many iterations, the scalings approach those of the unregularized plan,
    // exp(costs/ε).
    let problem = transport(2e-4, 4000);
    assert!(scaling::price(&problem).is_none());
    let priced = logarithmic::price(&problem);
    assert!(priced.price > 0.0 && priced.slopes.iter().all(|slope| slope.is_finite()));
}

#[test]
fn gradients_in_the_free_matrix_are_finite_differences() {
    let samples = gathered(&Drawn::new(&[12, 9, 10], 5, 23));
    let (point, direction) = (normals(5, 2, 24), normals(5, 2, 25));
    for regularization in [50.0, 2.0, 0.3, SHARP] {
        let recipe = Wda { regularization, ..Wda::default() };
        let loss = |step: f64| {
            let moved = Mat::from_fn(5, 2, |i, j| point[(i, j)] + step * direction[(i, j)]);
            recipe.evaluate_free(&samples, moved.as_ref()).unwrap().0
        };
        let (_, gradient) = recipe.evaluate_free(&samples, point.as_ref()).unwrap();
        let slope = inner(gradient.as_ref(), direction.as_ref());
        let step = 1e-5 * regularization.min(1.0);
        let difference = (loss(step) - loss(-step)) / (2.0 * step);
        let gap = (slope - difference).abs();
        assert!(
            gap < SLOPE * slope.abs().max(1.0),
            "{regularization}: {slope} is not {difference}"
        );
    }
}

#[test]
fn rotations_of_filters_change_nothing() {
    let samples = gathered(&Drawn::new(&[15, 10, 12], 6, 26));
    let recipe = Wda::default();
    let (point, mix) = (normals(6, 3, 27), normals(3, 3, 28));
    let mixed = &point * &mix;
    let loss = |x: &Mat<f64>| recipe.evaluate_free(&samples, x.as_ref()).unwrap().0;
    assert!((loss(&point) - loss(&mixed)).abs() < SAME);
}

#[test]
fn large_regularization_at_one_filter_is_lda() {
    let sample = Drawn::new(&[40, 40, 40], 4, 29);
    let recipe = Wda {
        regularization: 1e7,
        stopping: Stopping { max_iterations: 1000, tolerance: 1e-14 },
        ..Wda::default()
    };
    let p = sample.columns;
    let (mut within, mut total) = (vec![0.0; p * p], vec![0.0; p * p]);
    let mean = |rows: &[usize], i: usize| {
        rows.iter().map(|&row| sample.row(row)[i]).sum::<f64>() / rows.len() as f64
    };
    let all: Vec<usize> = (0..sample.rows()).collect();
    for class in 0..3 {
        let rows: Vec<usize> =
            all.iter().copied().filter(|&row| sample.code(row) == class).collect();
        for &row in &rows {
            let x = sample.row(row);
            for at in 0..p * p {
                let (i, j) = (at / p, at % p);
                within[at] += (x[i] - mean(&rows, i)) * (x[j] - mean(&rows, j));
                total[at] += (x[i] - mean(&all, i)) * (x[j] - mean(&all, j));
            }
        }
    }
    let between: Vec<f64> =
        total.iter().zip(&within).map(|(total, within)| total - within).collect();
    let lda = pencil(&between, &within, p, p).unwrap().vectors;
    // The loss of one filter has other minima as well; the best of several initializations is that
    // of LDA.
    let best = (0..4)
        .map(|seed| {
            let recipe = Wda { seed, ..recipe.clone() };
            recipe.fit(sample.points(), &sample.labels, 1, None, &mut quiet()).unwrap()
        })
        .min_by(|a, b| a.loss.total_cmp(&b.loss))
        .unwrap();
    assert!(best.termination.converged(), "{:?}", best.termination);
    let gap = subspace_gap(best.filters.as_ref(), lda.subcols(0, 1));
    assert!(gap < 1e-4, "{gap:e}");
}

#[test]
fn a_fit_descends_is_orthonormal_and_repeats_bit_by_bit() {
    let sample = Drawn::new(&[30, 25, 20], 6, 30);
    let recipe = Wda { regularization: 3.0, seed: 5, ..Wda::default() };
    let fit = || recipe.fit(sample.points(), &sample.labels, 2, None, &mut quiet()).unwrap();
    let found = fit();
    assert!(found.termination.converged(), "{:?}", found.termination);
    assert!(found.trace.windows(2).all(|pair| pair[1] <= pair[0]));
    assert!(found.loss > 0.0 && found.loss < 0.9 * found.trace[0]);
    assert_eq!(found.trace.last(), Some(&found.loss));
    let gram = found.filters.transpose() * &found.filters;
    assert!((gram - Mat::<f64>::identity(2, 2)).norm_max() < 1e-12);
    let samples = gathered(&sample);
    let again = recipe.evaluate_free(&samples, found.filters.as_ref()).unwrap().0.exp();
    assert!((again - found.loss).abs() < SAME * again, "{again:e} is not {:e}", found.loss);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(fit).filters, pool(3).install(fit).filters);
    let mut calls = 0;
    let stopped = recipe.fit(sample.points(), &sample.labels, 2, None, &mut |progress| {
        calls += 1;
        assert!(progress.objective > 0.0 && progress.objective < found.trace[0]);
        Control::Cancel
    });
    assert_eq!((calls, stopped.unwrap().termination.name()), (1, "cancelled"));
}

#[test]
fn bad_settings_are_named() {
    let sample = Drawn::new(&[8, 8], 3, 31);
    let fit = |recipe: &Wda| {
        recipe.fit(sample.points(), &sample.labels, 2, None, &mut quiet()).map(|_| ()).unwrap_err()
    };
    for regularization in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = fit(&Wda { regularization, ..Wda::default() });
        assert!(matches!(error, SampleError::Regularization { .. }), "{error}");
    }
    let error = fit(&Wda { sinkhorn_iterations: 0, ..Wda::default() });
    assert_eq!(error, SampleError::NoIterations);
    let error = fit(&Wda { regularization: 1e-12, ..Wda::default() });
    assert!(matches!(error, SampleError::TooSharp { .. }), "{error}");
    let message = error.to_string();
    for part in ["1e-12", "squared distances up to", "use at least"] {
        assert!(message.contains(part), "{message}");
    }
    let error = fit(&Wda { regularization: 1e-7, ..Wda::default() });
    assert!(matches!(error, SampleError::NoTransport { .. }), "{error}");
    assert!(error.to_string().contains("mean squared distance within classes"), "{error}");
    let same = sample.mapped(|_| vec![1.0, 2.0, 3.0]);
    let error = Wda::default().fit(same.points(), &same.labels, 1, None, &mut quiet()).unwrap_err();
    assert_eq!(error, SampleError::NoSpread);
}

#[test]
fn the_metric_is_the_covariance_lifted_by_its_average() {
    let samples = gathered(&Drawn::new(&[20, 15], 4, 32));
    let metric = Metric::new(&samples).unwrap();
    let (free, rows) = (normals(4, 2, 33), samples.rows());
    let x = MatRef::from_row_major_slice(&samples.values, rows, 4);
    let covariance = transpose_times(x, x);
    let average = (0..4).map(|i| covariance[(i, i)]).sum::<f64>() / 4.0;
    // ζᵀζ = ηᵀMη up to the scale of M.
    let measured = metric.measured(free.as_ref());
    let expected = free.transpose() * (&covariance * &free) + (free.transpose() * &free) * average;
    let found = measured.transpose() * &measured * average;
    assert!((&found - &expected).norm_max() < SAME * expected.norm_max());
    let back = metric.plain(measured.as_ref());
    assert!((&back - &free).norm_max() < SAME);
}
