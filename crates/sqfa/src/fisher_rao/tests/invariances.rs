//! Symmetry, triangle inequality, translation and affine invariance.

use super::{assert_close, gaussian, generator, rotation, solve, transformed};
use crate::fisher_rao::solve::{FisherRaoOptions, fisher_rao};

/// Returns a random matrix with the given condition number.
fn map(rng: &mut rand_chacha::ChaCha8Rng, order: usize, condition: f64) -> Vec<f64> {
    let (left, right) = (rotation(rng, order), rotation(rng, order));
    let mut matrix = vec![0.0; order * order];
    for k in 0..order {
        let share = k as f64 / (order - 1).max(1) as f64 - 0.5;
        for i in 0..order {
            for j in 0..order {
                matrix[i * order + j] +=
                    condition.powf(share) * left[k * order + i] * right[k * order + j];
            }
        }
    }
    matrix
}

fn check(condition: f64, tolerance: f64, seed: u64) {
    let mut rng = generator(seed);
    for order in [2, 3, 5, 8] {
        for _ in 0..20 {
            let p = gaussian(&mut rng, order, 1.0, condition);
            let q = gaussian(&mut rng, order, 1.0, condition);
            let found = solve(&p, &q);
            assert!(found.converged, "residual {:e}", found.residual);
            let swapped = solve(&q, &p);
            assert_close(swapped.distance, found.distance, tolerance);
            let identity = super::super::rotations::identity(order);
            let shift: Vec<f64> = (0..order).map(|i| 7.0 * i as f64 - 11.0).collect();
            let moved =
                solve(&transformed(&p, &identity, &shift), &transformed(&q, &identity, &shift));
            assert_close(moved.distance, found.distance, tolerance);
        }
    }
}

fn check_affine(condition: f64, tolerance: f64, seed: u64) {
    let mut rng = generator(seed);
    for order in [2, 3, 5, 8] {
        for _ in 0..20 {
            let p = gaussian(&mut rng, order, 1.0, 10.0);
            let q = gaussian(&mut rng, order, 1.0, 10.0);
            // The covariances' condition grows with the square of the map's.
            let matrix = map(&mut rng, order, (condition / 10.0).sqrt());
            let shift = vec![3.0; order];
            let found = solve(&p, &q);
            let moved = solve(&transformed(&p, &matrix, &shift), &transformed(&q, &matrix, &shift));
            assert!(found.converged && moved.converged);
            assert_close(moved.distance, found.distance, tolerance);
            assert_close(moved.lower, found.lower, tolerance);
            assert_close(moved.upper, found.upper, tolerance);
        }
    }
}

#[test]
fn symmetry_and_translation() {
    check(10.0, 1e-13, 40);
    check(1e4, 1e-9, 41);
    check(1e8, 1e-6, 42);
}

#[test]
fn affine_maps() {
    check_affine(100.0, 1e-12, 43);
    check_affine(1e4, 1e-9, 44);
    check_affine(1e8, 1e-6, 45);
}

#[test]
fn a_large_common_shift_costs_only_the_digits_of_the_means() {
    let mut rng = generator(46);
    let p = gaussian(&mut rng, 4, 1.0, 10.0);
    let q = gaussian(&mut rng, 4, 1.0, 10.0);
    let identity = super::super::rotations::identity(4);
    let moved =
        solve(&transformed(&p, &identity, &[1e6; 4]), &transformed(&q, &identity, &[1e6; 4]));
    assert_close(moved.distance, solve(&p, &q).distance, 1e-9);
}

#[test]
fn triangle_inequality() {
    let mut rng = generator(47);
    for _ in 0..300 {
        let order = 4;
        let [p, q, r] = [(); 3].map(|()| gaussian(&mut rng, order, 2.0, 100.0));
        let (pq, qr, pr) = (solve(&p, &q).distance, solve(&q, &r).distance, solve(&p, &r).distance);
        assert!(pr <= (pq + qr) * (1.0 + 1e-12));
    }
}

#[test]
fn the_twist_changes_sign_with_the_order_and_moves_with_the_coordinates() {
    let mut rng = generator(48);
    let n = 4;
    let p = gaussian(&mut rng, n, 1.0, 10.0);
    let q = gaussian(&mut rng, n, 1.0, 10.0);
    let (found, swapped) = (solve(&p, &q), solve(&q, &p));
    let size = super::super::rotations::norm(&found.twist);
    for (a, b) in found.twist.iter().zip(&swapped.twist) {
        assert!((a + b).abs() < 1e-7 * size);
    }
    let matrix = map(&mut rng, n, 5.0);
    let moved = solve(&transformed(&p, &matrix, &[0.0; 4]), &transformed(&q, &matrix, &[0.0; 4]));
    let expected = super::super::frame::congruence(&matrix, false, &found.twist, n);
    for (a, b) in expected.iter().zip(&moved.twist) {
        assert!((a - b).abs() < 1e-6 * size * 5.0);
    }
}

#[test]
fn a_warm_start_finds_the_same_minimum_with_fewer_evaluations() {
    let mut rng = generator(49);
    let (mut cold, mut warm) = (0, 0);
    for _ in 0..30 {
        let p = gaussian(&mut rng, 8, 1.0, 20.0);
        let q = gaussian(&mut rng, 8, 1.0, 20.0);
        let before = solve(&p, &q);
        let mut near = q.clone();
        near.mean.iter_mut().for_each(|value| *value *= 1.001);
        let again = solve(&p, &near);
        let options = FisherRaoOptions {
            warm_start: Some(&before.twist),
            bounds: false,
            ..Default::default()
        };
        let found = fisher_rao(p.view(), near.view(), &options).unwrap();
        assert!(found.converged);
        assert_close(found.distance, again.distance, 1e-13);
        cold += again.evaluations;
        warm += found.evaluations;
    }
    assert!(3 * warm < 2 * cold, "{warm} evaluations after a warm start, {cold} cold");
}
