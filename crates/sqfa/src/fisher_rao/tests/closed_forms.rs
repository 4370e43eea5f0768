//! Cases whose distance is known exactly.

use super::{assert_close, gaussian, generator, rotation, solve, transformed};
use crate::fisher_rao::geodesic::GaussianPoint;
use crate::fisher_rao::solve::{Certainty, FisherRaoOptions, fisher_rao};

fn point(mean: &[f64], covariance: &[f64]) -> GaussianPoint {
    GaussianPoint { mean: mean.to_vec(), covariance: covariance.to_vec() }
}

fn one_dimensional(shift: f64, first: f64, second: f64) -> f64 {
    let (near, far) = ((first - second).powi(2), (first + second).powi(2));
    let q = ((shift * shift + 2.0 * near) / (shift * shift + 2.0 * far)).sqrt();
    std::f64::consts::SQRT_2 * (2.0 * q.atanh())
}

#[test]
fn one_dimension() {
    for (shift, first, second) in
        [(0.0, 1.0, 3.0), (2.0, 1.0, 1.0), (-1.5, 0.2, 4.0), (1e-6, 1.0, 1.0), (30.0, 2.0, 0.1)]
    {
        let found =
            solve(&point(&[1.0], &[first * first]), &point(&[1.0 + shift], &[second * second]));
        assert_close(found.distance, one_dimensional(shift, first, second), 1e-9);
        assert_eq!((found.evaluations, found.certainty), (1, Certainty::Exact));
    }
}

#[test]
fn unit_step_has_the_known_length_wherever_it_starts() {
    let identity = [1.0, 0.0, 0.0, 1.0];
    let expected = 8.0_f64.sqrt() * (1.0 / 8.0_f64.sqrt()).asinh();
    assert_close(expected, 0.9803, 1e-4);
    let here = solve(&point(&[0.0, 0.0], &identity), &point(&[1.0, 0.0], &identity));
    let there = solve(&point(&[5.0, -5.0], &identity), &point(&[6.0, -5.0], &identity));
    assert_close(here.distance, expected, 1e-15);
    assert_close(there.distance, expected, 1e-15);
    assert!(here.converged && here.evaluations == 1);
}

#[test]
fn equal_covariances() {
    let mut rng = generator(30);
    for (order, shift) in [(2, 0.01), (3, 1.0), (8, 3.0), (4, 300.0)] {
        let p = gaussian(&mut rng, order, shift, 10.0);
        let mut q = gaussian(&mut rng, order, shift, 10.0);
        q.covariance.clone_from(&p.covariance);
        let found = solve(&p, &q);
        // arccosh(1 + δ²/2) is the Calvo–Oller distance in this case; solving it gives the
        // Mahalanobis distance δ.
        let mahalanobis = 2.0 * (0.5 * found.lower).sinh();
        let expected = 8.0_f64.sqrt() * (mahalanobis / 8.0_f64.sqrt()).asinh();
        assert_close(found.distance, expected, 1e-12);
        assert_eq!((found.evaluations, found.certainty), (1, Certainty::Exact));
    }
}

#[test]
fn equal_means() {
    let mut rng = generator(31);
    for (order, condition) in [(2, 4.0), (5, 100.0), (8, 1e4)] {
        let p = gaussian(&mut rng, order, 1.0, condition);
        let mut q = gaussian(&mut rng, order, 1.0, condition);
        q.mean.clone_from(&p.mean);
        let found = solve(&p, &q);
        // The Calvo–Oller bound is exact in this case and computed independently of the search.
        assert_close(found.distance, found.lower, 1e-13);
        assert!(found.converged && found.evaluations == 1);
    }
}

#[test]
fn mean_difference_along_a_common_axis() {
    let mut rng = generator(32);
    for _ in 0..20 {
        let order = 4;
        let logs = [0.8, -0.5, 1.7, 0.1];
        let shift = 1.3;
        let mut p = point(&[0.0; 4], &[0.0; 16]);
        let mut q = point(&[shift, 0.0, 0.0, 0.0], &[0.0; 16]);
        for i in 0..order {
            p.covariance[i * order + i] = 1.0;
            q.covariance[i * order + i] = f64::exp(logs[i]);
        }
        let first = one_dimensional(shift, 1.0, f64::exp(0.5 * logs[0]));
        let rest: f64 = logs[1..].iter().map(|log| 0.5 * log * log).sum();
        let turn = rotation(&mut rng, order);
        let found = solve(
            &transformed(&p, &turn, &[1.0, 2.0, 3.0, 4.0]),
            &transformed(&q, &turn, &[1.0, 2.0, 3.0, 4.0]),
        );
        assert_close(found.distance, (first * first + rest).sqrt(), 1e-13);
        assert!(found.converged && found.evaluations == 1);
    }
}

#[test]
fn identical_gaussians_are_at_exactly_zero() {
    let mut rng = generator(33);
    for order in [1, 3, 8] {
        let p = gaussian(&mut rng, order, 10.0, 1e3);
        let found = solve(&p, &p.clone());
        assert_eq!((found.distance, found.lower, found.upper), (0.0, 0.0, 0.0));
        assert!(found.converged && found.residual == 0.0);
        for gradient in [found.gradient(), found.scaled_gradient(1.0)] {
            let parts =
                [gradient.mean_p, gradient.mean_q, gradient.covariance_p, gradient.covariance_q];
            assert!(parts.concat().iter().all(|&value| value == 0.0));
        }
    }
}

#[test]
fn close_pairs_keep_their_digits() {
    let mut rng = generator(34);
    let p = gaussian(&mut rng, 5, 1.0, 10.0);
    let change = gaussian(&mut rng, 5, 1.0, 10.0);
    for step in [1e-3, 1e-5, 1e-7] {
        let mut q = p.clone();
        q.mean.iter_mut().zip(&change.mean).for_each(|(a, b)| *a += step * b);
        q.covariance.iter_mut().zip(&change.covariance).for_each(|(a, b)| *a += step * b);
        let found = solve(&p, &q);
        let velocity = crate::fisher_rao::Velocity {
            mean: q.mean.iter().zip(&p.mean).map(|(b, a)| b - a).collect(),
            covariance: q.covariance.iter().zip(&p.covariance).map(|(b, a)| b - a).collect(),
        };
        assert!(found.converged);
        assert_close(found.distance, velocity.length(p.view()).unwrap(), 2.0 * step + 1e-8);
        assert_close(found.distance, solve(&q, &p).distance, 1e-9);
    }
}

#[test]
fn two_geodesics() {
    let p = point(&[0.0, 0.0], &[1.0, 0.0, 0.0, 1.0]);
    let q = point(
        &[-128.04954644, 54.04902644],
        &[305.29950636, -97.82564143, -97.82564143, 31.35020429],
    );
    let shorter = solve(&p, &q);
    assert_close(shorter.distance, 13.336229, 1e-7);
    assert_close(shorter.twist[1], -731.45, 1e-4);
    assert!(shorter.converged);
    assert_eq!(shorter.certainty, Certainty::UpperBound);
    let options = FisherRaoOptions {
        warm_start: Some(&[0.0, -249.0, 249.0, 0.0]),
        ..FisherRaoOptions::default()
    };
    let longer = fisher_rao(p.view(), q.view(), &options).unwrap();
    assert_close(longer.distance, 13.336545, 1e-7);
    assert_close(longer.twist[1], -249.73, 1e-4);
}

#[test]
fn equal_covariances_have_no_second_minimum_even_far_apart() {
    // The shortcut for equal covariances, which reports these results as exact, relies on this
    // property.
    let mut rng = generator(35);
    for order in [2, 3, 5] {
        for shift in [10.0, 100.0, 1e4] {
            let p = gaussian(&mut rng, order, shift, 10.0);
            let mut q = gaussian(&mut rng, order, shift, 10.0);
            q.covariance.clone_from(&p.covariance);
            let exact = solve(&p, &q);
            // The covariances are not quite equal, so that the search really runs.
            q.covariance.iter_mut().for_each(|value| *value *= 1.0 + 1e-12);
            for scale in [1e-3, 0.1, 1.0, 10.0, 1e3] {
                let mut twist = super::square(&mut rng, order);
                for i in 0..order {
                    for j in 0..order {
                        twist[i * order + j] *= scale * shift * shift;
                    }
                }
                let options = FisherRaoOptions {
                    warm_start: Some(&twist),
                    bounds: false,
                    ..FisherRaoOptions::default()
                };
                let found = fisher_rao(p.view(), q.view(), &options).unwrap();
                assert!(found.distance >= exact.distance * (1.0 - 1e-11));
                if found.converged {
                    assert_close(found.distance, exact.distance, 1e-9);
                }
            }
        }
    }
}
