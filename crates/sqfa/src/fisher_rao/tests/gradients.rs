//! Tests that compare the gradient with finite differences and Taylor remainders.

use rand_chacha::ChaCha8Rng;

use super::{assert_close, gaussian, generator, normal, solve};
use crate::fisher_rao::ends::FisherRaoGradient;
use crate::fisher_rao::geodesic::GaussianPoint;
use crate::fisher_rao::solve::{FisherRaoOptions, fisher_rao};

/// Returns a random change of a Gaussian, symmetric in the covariance.
fn change(rng: &mut ChaCha8Rng, p: &GaussianPoint) -> GaussianPoint {
    let n = p.mean.len();
    let mut covariance = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let value =
                normal(rng) * 0.1 * (p.covariance[i * n + i] * p.covariance[j * n + j]).sqrt();
            covariance[i * n + j] = value;
            covariance[j * n + i] = value;
        }
    }
    let mean = (0..n).map(|i| normal(rng) * p.covariance[i * n + i].sqrt()).collect();
    GaussianPoint { mean, covariance }
}

fn moved(p: &GaussianPoint, by: &GaussianPoint, step: f64) -> GaussianPoint {
    let add = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x + step * y).collect();
    GaussianPoint { mean: add(&p.mean, &by.mean), covariance: add(&p.covariance, &by.covariance) }
}

fn slope(gradient: &FisherRaoGradient, dp: &GaussianPoint, dq: &GaussianPoint) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    dot(&gradient.mean_p, &dp.mean)
        + dot(&gradient.covariance_p, &dp.covariance)
        + dot(&gradient.mean_q, &dq.mean)
        + dot(&gradient.covariance_q, &dq.covariance)
}

fn distance(p: &GaussianPoint, q: &GaussianPoint) -> f64 {
    let options = FisherRaoOptions { tolerance: 1e-11, ..Default::default() };
    fisher_rao(p.view(), q.view(), &options).unwrap().distance
}

#[test]
fn finite_differences() {
    let mut rng = generator(60);
    for order in 1..=8 {
        for _ in 0..6 {
            let p = gaussian(&mut rng, order, 1.0, 30.0);
            let q = gaussian(&mut rng, order, 1.0, 30.0);
            let found = solve(&p, &q);
            for (dp, dq) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let (by_p, by_q) = (change(&mut rng, &p), change(&mut rng, &q));
                let at = |t: f64| distance(&moved(&p, &by_p, t * dp), &moved(&q, &by_q, t * dq));
                // Fourth-order differences: error h⁴.
                let h = 1e-3;
                let estimate = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                let zero =
                    GaussianPoint { mean: vec![0.0; order], covariance: vec![0.0; order * order] };
                let (change_p, change_q) = (moved(&zero, &by_p, dp), moved(&zero, &by_q, dq));
                let exact = slope(&found.gradient(), &change_p, &change_q);
                // The slope along a random direction may be small by chance, so the error is
                // compared with a typical slope.
                assert!((exact - estimate).abs() < 1e-6 * estimate.abs().max(0.1));
                let half = slope(&found.scaled_gradient(1.0), &change_p, &change_q);
                assert_close(half, exact * found.distance, 1e-12);
            }
        }
    }
}

#[test]
fn taylor_remainders_fall_with_the_square() {
    let mut rng = generator(61);
    for order in [2, 4, 8] {
        let p = gaussian(&mut rng, order, 1.0, 10.0);
        let q = gaussian(&mut rng, order, 1.0, 10.0);
        let (dp, dq) = (change(&mut rng, &p), change(&mut rng, &q));
        let found = solve(&p, &q);
        let first = slope(&found.gradient(), &dp, &dq);
        let remainder = |t: f64| {
            (distance(&moved(&p, &dp, t), &moved(&q, &dq, t)) - found.distance - t * first).abs()
        };
        for t in [1e-2, 1e-3] {
            let order = (remainder(t) / remainder(0.1 * t)).log10();
            assert!((1.9..2.1).contains(&order), "remainder falls with power {order}");
        }
    }
}

#[test]
fn covariance_gradients_are_symmetric_and_the_gradient_has_unit_length() {
    let mut rng = generator(62);
    let n = 5;
    let p = gaussian(&mut rng, n, 1.0, 100.0);
    let q = gaussian(&mut rng, n, 1.0, 100.0);
    let found = solve(&p, &q);
    let gradient = found.gradient();
    for i in 0..n {
        for j in 0..n {
            assert_eq!(gradient.covariance_p[i * n + j], gradient.covariance_p[j * n + i]);
            assert_eq!(gradient.covariance_q[i * n + j], gradient.covariance_q[j * n + i]);
        }
    }
    // The logarithm has the length of the distance at both ends.
    assert_close(found.velocity().length(p.view()).unwrap(), found.distance, 1e-12);
    assert_close(found.ends.end.velocity().length(q.view()).unwrap(), found.distance, 1e-12);
}
