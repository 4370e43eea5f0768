//! Geodesics: ends, speed, exponential and logarithm.

use super::{assert_close, gaussian, generator, solve};
use crate::fisher_rao::geodesic::{GaussianPoint, Geodesic};
use crate::fisher_rao::solve::{FisherRaoOptions, fisher_rao};

/// Returns the largest difference between two Gaussians, relative to the largest entry of the mean
/// or covariance.
fn gap(found: &GaussianPoint, expected: &GaussianPoint) -> f64 {
    let part = |x: &[f64], y: &[f64]| {
        let size = y.iter().fold(1e-300_f64, |size, value| size.max(value.abs()));
        x.iter().zip(y).fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs() / size))
    };
    part(&found.mean, &expected.mean).max(part(&found.covariance, &expected.covariance))
}

#[test]
fn ends_midpoint_and_constant_speed() {
    let mut rng = generator(70);
    for order in [1, 2, 4, 8] {
        for _ in 0..10 {
            let p = gaussian(&mut rng, order, 1.0, 50.0);
            let q = gaussian(&mut rng, order, 1.0, 50.0);
            let found = solve(&p, &q);
            let geodesic = found.geodesic();
            assert_eq!(geodesic.speed(), found.distance);
            assert!(gap(&geodesic.point(0.0).unwrap(), &p) < 1e-12);
            assert!(gap(&geodesic.point(1.0).unwrap(), &q) < 1e-12);
            for t in [0.1, 0.3, 0.5, 0.5 + 1e-9, 0.8] {
                let point = geodesic.point(t).unwrap();
                assert_close(solve(&p, &point).distance, t * found.distance, 1e-9);
                assert_close(solve(&point, &q).distance, (1.0 - t) * found.distance, 1e-9);
            }
            let back = solve(&q, &p).geodesic();
            assert!(gap(&back.midpoint().unwrap(), &geodesic.midpoint().unwrap()) < 1e-7);
            let curve = geodesic.curve(5).unwrap();
            assert_eq!(curve.len(), 5);
            assert_eq!(curve[2], geodesic.midpoint().unwrap());
        }
    }
}

#[test]
fn the_two_ends_tell_of_the_same_curve() {
    let mut rng = generator(71);
    for order in [2, 5] {
        let p = gaussian(&mut rng, order, 1.0, 20.0);
        let q = gaussian(&mut rng, order, 1.0, 20.0);
        let found = solve(&p, &q);
        let both = found.geodesic();
        let shot = Geodesic::shoot(p.view(), &found.velocity()).unwrap();
        for t in [-0.3, 0.2, 0.7, 1.0, 1.2] {
            assert!(gap(&shot.point(t).unwrap(), &both.point(t).unwrap()) < 1e-6);
        }
    }
}

#[test]
fn logarithm_undoes_exponential_and_back() {
    let mut rng = generator(72);
    let options = FisherRaoOptions { tolerance: 1e-11, ..Default::default() };
    for order in [1, 3, 6] {
        for scale in [1e-6, 1e-2, 1.0] {
            let p = gaussian(&mut rng, order, 1.0, 10.0);
            let mut q = gaussian(&mut rng, order, 1.0, 10.0);
            let whole = fisher_rao(p.view(), q.view(), &options).unwrap().velocity();
            let mut velocity = whole.clone();
            velocity.mean.iter_mut().for_each(|value| *value *= scale);
            velocity.covariance.iter_mut().for_each(|value| *value *= scale);
            q = Geodesic::shoot(p.view(), &velocity).unwrap().point(1.0).unwrap();
            let again = fisher_rao(p.view(), q.view(), &options).unwrap().velocity();
            let asked = GaussianPoint {
                mean: velocity.mean.clone(),
                covariance: velocity.covariance.clone(),
            };
            let found = GaussianPoint { mean: again.mean, covariance: again.covariance };
            // In addition to the residual, round-off in q itself limits the accuracy.
            assert!(gap(&found, &asked) < 1e-8 + 1e-14 / scale, "{}", gap(&found, &asked));
            let length = velocity.length(p.view()).unwrap();
            assert_close(solve(&p, &q).distance, length, 1e-9 + 1e-14 / scale);
        }
    }
}

#[test]
fn a_standing_geodesic_stays() {
    let mut rng = generator(73);
    let p = gaussian(&mut rng, 3, 1.0, 10.0);
    let geodesic = solve(&p, &p.clone()).geodesic();
    assert_eq!(geodesic.speed(), 0.0);
    assert!(gap(&geodesic.point(0.3).unwrap(), &p) < 1e-14);
}

#[test]
fn a_degenerate_velocity_is_followed() {
    // Only one of three variances changes: two of the logarithms are zero.
    let p = GaussianPoint {
        mean: vec![1.0, 2.0, 3.0],
        covariance: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    let mut q = p.clone();
    q.covariance[4] = 4.0;
    let middle = solve(&p, &q).geodesic().midpoint().unwrap();
    let mut expected = p.clone();
    expected.covariance[4] = 2.0;
    assert!(gap(&middle, &expected) < 1e-14);
}
