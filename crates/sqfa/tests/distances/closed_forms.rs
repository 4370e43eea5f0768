//! Values against formulas computed another way: closed forms, numeric integrals, explicit inverses.

use crate::common::{Normal, assert_close, between, inverse, normals, product, stream, times};

/// Both sides are a few dozen roundings away from the exact value.
const EXACT: f64 = 1e-12;
/// The trapezoid rule on a bell curve errs by e^(−(π·width/step)²): nothing beside the sum's round-off.
const INTEGRAL: f64 = 1e-11;
/// Half a unit of the last of four printed decimals.
const FOUR_DECIMALS: f64 = 0.5e-4;
/// Half a unit of the last of two printed decimals.
const TWO_DECIMALS: f64 = 0.5e-2;

/// The squared Mahalanobis distance by an explicit inverse of the average covariance.
fn squared_mahalanobis(p: &Normal, q: &Normal) -> f64 {
    let average: Vec<f64> =
        p.covariance.iter().zip(&q.covariance).map(|(a, b)| 0.5 * (a + b)).collect();
    quadratic(&inverse(&average, p.order()), p, q)
}

/// Δᵀ·matrix·Δ for the difference Δ of the means.
fn quadratic(matrix: &[f64], p: &Normal, q: &Normal) -> f64 {
    let delta: Vec<f64> = p.mean.iter().zip(&q.mean).map(|(a, b)| a - b).collect();
    times(matrix, &delta).iter().zip(&delta).map(|(a, b)| a * b).sum()
}

fn trace(matrix: &[f64], order: usize) -> f64 {
    matrix.iter().step_by(order + 1).sum()
}

#[test]
fn mahalanobis_is_an_explicit_solve() {
    let mut rng = stream(21);
    for order in [1, 2, 4, 9, 60] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        let square = squared_mahalanobis(&p, &q);
        assert_close(between("squared-mahalanobis", &p, &q), square, EXACT, "squared");
        assert_close(between("mahalanobis", &p, &q), square.sqrt(), EXACT, "root");
        let expected = 2.0_f64.sqrt() * (1.0 + square / 4.0).acosh();
        assert_close(between("fisher-rao-equal-covariance", &p, &q), expected, EXACT, "Fisher–Rao");
    }
}

#[test]
fn calvo_oller_at_equal_covariances() {
    let mut rng = stream(22);
    for order in [1, 2, 4, 9, 60] {
        let p = Normal::random(order, &mut rng);
        for length in [0.1, 1.0, 20.0] {
            let mean = normals(order, &mut rng).iter().map(|x| length * x).collect();
            let q = Normal { mean, covariance: p.covariance.clone() };
            let expected = (1.0 + squared_mahalanobis(&p, &q) / 2.0).acosh();
            assert_close(between("calvo-oller", &p, &q), expected, EXACT, "equal covariances");
        }
    }
}

#[test]
fn calvo_oller_at_equal_means() {
    let mut rng = stream(23);
    for order in [1, 2, 4, 9, 60] {
        let p = Normal::random(order, &mut rng);
        let q = Normal { mean: p.mean.clone(), ..Normal::random(order, &mut rng) };
        let expected = between("affine-invariant:covariances", &p, &q) / 2.0_f64.sqrt();
        assert_close(between("calvo-oller", &p, &q), expected, EXACT, "equal means");
    }
}

#[test]
fn affine_invariant_of_two_by_two_matrices() {
    let mut rng = stream(24);
    for _ in 0..20 {
        let [p, q] = std::array::from_fn(|_| Normal::random(2, &mut rng));
        let ratio = product(&inverse(&p.covariance, 2), &q.covariance, 2);
        let middle = 0.5 * (ratio[0] + ratio[3]);
        let determinant = ratio[0] * ratio[3] - ratio[1] * ratio[2];
        let large = middle + (middle * middle - determinant).max(0.0).sqrt();
        let logs = [large.ln(), (determinant / large).ln()];
        let square: f64 = logs.iter().map(|log| log * log).sum();
        let name = "affine-invariant:covariances";
        assert_close(between(name, &p, &q), square.sqrt(), EXACT, name);
        assert_close(between(&format!("squared-{name}"), &p, &q), square, EXACT, name);
        // With zero means second moments are covariances.
        let [p, q] = [p, q].map(|normal| Normal { mean: vec![0.0; 2], ..normal });
        assert_close(between("affine-invariant", &p, &q), square.sqrt(), EXACT, "zero means");
    }
}

#[test]
fn second_moments_on_the_line() {
    let (p, q) = (Normal::scalar(2.0, 0.5), Normal::scalar(-1.0, 3.0));
    let expected = (4.5_f64 / 4.0).ln();
    assert_close(between("affine-invariant", &p, &q), expected, EXACT, "affine-invariant");
    assert_close(between("log-euclidean", &p, &q), expected, EXACT, "log-euclidean");
    assert_close(between("squared-log-euclidean", &p, &q), expected.powi(2), EXACT, "squared");
}

/// −ln ∫ pˢ q¹⁻ˢ by the trapezoid rule.
fn chernoff_integral(p: &Normal, q: &Normal, s: f64) -> f64 {
    let log_density = |normal: &Normal, x: f64| {
        let variance = normal.covariance[0];
        -0.5 * ((x - normal.mean[0]).powi(2) / variance + (std::f64::consts::TAU * variance).ln())
    };
    let (reach, step) = (60.0, 0.01);
    let count = (2.0 * reach / step) as usize;
    let sum: f64 = (0..=count)
        .map(|k| -reach + k as f64 * step)
        .map(|x| (s * log_density(p, x) + (1.0 - s) * log_density(q, x)).exp())
        .sum();
    -(sum * step).ln()
}

#[test]
fn chernoff_is_an_integral() {
    let pairs = [
        (Normal::scalar(0.0, 1.0), Normal::scalar(1.5, 1.0)),
        (Normal::scalar(0.3, 0.4), Normal::scalar(-1.2, 5.0)),
        (Normal::scalar(0.0, 0.2), Normal::scalar(0.0, 2.0)),
    ];
    for (p, q) in &pairs {
        for s in [0.05, 0.3, 0.5, 0.9] {
            let name = format!("chernoff:{s}");
            assert_close(between(&name, p, q), chernoff_integral(p, q, s), INTEGRAL, &name);
            let turned = format!("chernoff:{}", 1.0 - s);
            assert_close(between(&name, p, q), between(&turned, q, p), INTEGRAL, "s ↔ 1 − s");
        }
        let overlap = chernoff_integral(p, q, 0.5);
        assert_close(between("bhattacharyya", p, q), overlap, INTEGRAL, "bhattacharyya");
    }
}

#[test]
fn hellinger_is_a_function_of_bhattacharyya() {
    let mut rng = stream(25);
    for order in [1, 2, 4, 9, 60] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        let overlap = (-between("bhattacharyya", &p, &q)).exp();
        assert_close(between("hellinger", &p, &q).powi(2), 1.0 - overlap, EXACT, "hellinger");
        assert_close(
            between("chernoff:0.5", &p, &q),
            between("bhattacharyya", &p, &q),
            EXACT,
            "chernoff:0.5",
        );
    }
}

#[test]
fn jeffreys_is_a_formula_of_traces() {
    let mut rng = stream(26);
    for order in [1, 2, 4, 9, 60] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        let [precision_p, precision_q] = [&p, &q].map(|normal| inverse(&normal.covariance, order));
        let expected = 0.5 * trace(&product(&precision_p, &q.covariance, order), order)
            + 0.5 * trace(&product(&precision_q, &p.covariance, order), order)
            - order as f64
            + 0.5 * quadratic(&precision_p, &p, &q)
            + 0.5 * quadratic(&precision_q, &p, &q);
        assert_close(between("jeffreys", &p, &q), expected, EXACT, "jeffreys");
    }
}

#[test]
fn wasserstein_of_commuting_covariances() {
    let (a, b) = ([4.0, 0.25, 2.0], [1.0, 0.25, 9.0]);
    let p = Normal::diagonal(&[1.0, -2.0, 0.5], &a);
    let q = Normal::diagonal(&[0.0, 1.0, 0.5], &b);
    let roots: f64 =
        a.iter().zip(&b).map(|(a, b): (&f64, &f64)| (a.sqrt() - b.sqrt()).powi(2)).sum();
    assert_close(between("wasserstein", &p, &q), (10.0 + roots).sqrt(), EXACT, "commuting");
}

/// The square root of a positive 2 × 2 matrix: (M + √det·I)/√(tr + 2√det).
fn root_of_two_by_two(matrix: &[f64]) -> Vec<f64> {
    let determinant = (matrix[0] * matrix[3] - matrix[1] * matrix[2]).sqrt();
    let scale = (matrix[0] + matrix[3] + 2.0 * determinant).sqrt();
    [matrix[0] + determinant, matrix[1], matrix[2], matrix[3] + determinant]
        .iter()
        .map(|value| value / scale)
        .collect()
}

#[test]
fn wasserstein_of_covariances_that_do_not_commute() {
    let mut rng = stream(27);
    for _ in 0..20 {
        let [p, q] = std::array::from_fn(|_| Normal::random(2, &mut rng));
        let root = root_of_two_by_two(&p.covariance);
        let inner = root_of_two_by_two(&product(&product(&root, &q.covariance, 2), &root, 2));
        let identity = [1.0, 0.0, 0.0, 1.0];
        let square =
            quadratic(&identity, &p, &q) + trace(&p.covariance, 2) + trace(&q.covariance, 2)
                - 2.0 * trace(&inner, 2);
        assert_close(between("wasserstein", &p, &q), square.sqrt(), EXACT, "not commuting");
    }
}

#[test]
fn log_euclidean_of_diagonal_matrices() {
    let (a, b) = ([4.0, 0.25, 2.0, 2.0], [1.0, 0.25, 9.0, 0.1]);
    let p = Normal::diagonal(&[0.0; 4], &a);
    let q = Normal::diagonal(&[0.0; 4], &b);
    let square: f64 = a.iter().zip(&b).map(|(a, b): (&f64, &f64)| (a / b).ln().powi(2)).sum();
    for name in ["log-euclidean", "log-euclidean:covariances", "affine-invariant"] {
        assert_close(between(name, &p, &q), square.sqrt(), EXACT, name);
    }
}

#[test]
fn how_much_a_far_pair_outweighs_a_near_one() {
    let origin = Normal::diagonal(&[0.0; 4], &[1.0; 4]);
    let near = Normal::diagonal(&[0.6, 0.0, 0.8, 0.0], &[1.0; 4]);
    let far = Normal::diagonal(&[4.8, 0.0, 6.4, 0.0], &[1.0; 4]);
    // Distance at Mahalanobis 1 and 8, and the ratio of the two.
    for (name, one, eight, ratio) in [
        ("bhattacharyya", 0.125, 8.0, 64.0),
        ("fisher-rao-equal-covariance", 0.9803, 4.9858, 5.09),
        ("hellinger", 0.3428, 0.9998, 2.92),
    ] {
        let (low, high) = (between(name, &origin, &near), between(name, &origin, &far));
        assert!((low - one).abs() <= FOUR_DECIMALS, "{name} at 1: {low}");
        assert!((high - eight).abs() <= FOUR_DECIMALS, "{name} at 8: {high}");
        assert!((high / low - ratio).abs() <= TWO_DECIMALS, "{name}: {}", high / low);
    }
}
