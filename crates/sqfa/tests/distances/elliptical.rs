//! The bound between t distributions against closed forms: equal means, the line, and the Gaussian limit.

use sqfa::Distance;

use crate::common::{Normal, assert_close, between, stream};

/// Both sides are a few dozen roundings away from the exact value.
const EXACT: f64 = 1e-12;
/// Degrees of freedom, the smallest that are allowed first.
const DEGREES: [f64; 4] = [1.0, 2.5, 5.0, 40.0];

fn bound(degrees: f64, p: &Normal, q: &Normal) -> f64 {
    between(&format!("calvo-oller-t:{degrees}"), p, q)
}

/// The exact Fisher–Rao distance between t distributions on the line.
///
/// ds² = a dμ²/σ² + (3b−1) dσ²/σ² with a = b = (ν+1)/(ν+3): √(2ν/(ν+3)) times the distance of the half-plane at
/// (μ√((ν+1)/2ν), σ). Mitchell, *Biometrika* 76, 1989.
fn on_the_line(degrees: f64, p: &Normal, q: &Normal) -> f64 {
    let stretch = ((degrees + 1.0) / (2.0 * degrees)).sqrt();
    let across = stretch * (p.mean[0] - q.mean[0]);
    let [s, t] = [p, q].map(|one| one.covariance[0].sqrt());
    // acosh(1 + x) = 2 asinh √(x/2) keeps the digits of short distances.
    let x = (across.powi(2) + (s - t).powi(2)) / (2.0 * s * t);
    (2.0 * degrees / (degrees + 3.0)).sqrt() * 2.0 * (x / 2.0).sqrt().asinh()
}

#[test]
fn many_degrees_of_freedom_are_gaussian() {
    let mut rng = stream(71);
    for order in [1, 2, 5, 20] {
        let [p, q] = std::array::from_fn(|_| Normal::random(order, &mut rng));
        let gaussian = between("calvo-oller", &p, &q);
        // b differs from 1 by 2/ν, and the distance by no more than a few times as much.
        assert_close(bound(1e9, &p, &q), gaussian, 1e-7, "ν = 10⁹");
        assert!(bound(5.0, &p, &q) < gaussian, "tails hide differences");
    }
}

#[test]
fn at_equal_means_it_is_the_distance_of_scatters() {
    let mut rng = stream(72);
    for order in [1, 2, 4, 9, 30] {
        let p = Normal::random(order, &mut rng);
        let q = Normal { mean: p.mean.clone(), ..Normal::random(order, &mut rng) };
        let squares = between("squared-affine-invariant:covariances", &p, &q);
        // A multiple of a scatter has all logarithms alike.
        let doubled = Normal {
            mean: p.mean.clone(),
            covariance: p.covariance.iter().map(|entry| 2.0 * entry).collect(),
        };
        let logs = log_determinant(&q) - log_determinant(&p);
        for degrees in DEGREES {
            let d = order as f64;
            let b = (degrees + d) / (degrees + d + 2.0);
            let square = b / 2.0 * squares + (b - 1.0) / 4.0 * logs * logs;
            assert_close(bound(degrees, &p, &q), square.sqrt(), EXACT, "equal means");
            let ln2 = 2.0_f64.ln();
            let square = b / 2.0 * d * ln2 * ln2 + (b - 1.0) / 4.0 * (d * ln2).powi(2);
            assert_close(bound(degrees, &p, &doubled), square.sqrt(), EXACT, "a multiple");
        }
    }
}

/// ln det by elimination.
fn log_determinant(normal: &Normal) -> f64 {
    let n = normal.order();
    let mut rows: Vec<Vec<f64>> = normal.covariance.chunks(n).map(<[f64]>::to_vec).collect();
    let mut sum = 0.0;
    for k in 0..n {
        sum += rows[k][k].ln();
        for i in k + 1..n {
            let factor = rows[i][k] / rows[k][k];
            for j in k..n {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    sum
}

#[test]
fn on_the_line_it_stays_below_the_exact_distance_and_touches_it() {
    for degrees in DEGREES {
        // Straight up the half-plane both are the same.
        for deviation in [0.01, 0.5, 3.0, 1e3] {
            let (p, q) = (Normal::scalar(0.7, 1.0), Normal::scalar(0.7, deviation * deviation));
            let exact = on_the_line(degrees, &p, &q);
            assert_close(bound(degrees, &p, &q), exact, EXACT, "equal means");
        }
        for (mean, variance) in [(0.1, 1.0), (1.0, 1.0), (3.0, 0.2), (30.0, 5.0), (1e3, 1e-2)] {
            let (p, q) = (Normal::scalar(0.0, 1.0), Normal::scalar(mean, variance));
            let (lower, exact) = (bound(degrees, &p, &q), on_the_line(degrees, &p, &q));
            assert!(lower <= exact * (1.0 + EXACT), "ν = {degrees}: {lower} > {exact}");
            assert!(lower > 0.5 * exact, "ν = {degrees}: {lower} is far below {exact}");
        }
        // Short distances are those of the metric: they agree to second order.
        let (p, q) = (Normal::scalar(0.0, 1.0), Normal::scalar(3e-4, 1.0 + 4e-4));
        assert_close(bound(degrees, &p, &q), on_the_line(degrees, &p, &q), 1e-6, "short");
    }
}

#[test]
fn degrees_of_freedom_below_one_are_refused_with_the_reason() {
    for name in ["0.99", "0", "-3", "nan", "inf", "many", ""] {
        let message = Distance::named(&format!("calvo-oller-t:{name}")).unwrap_err().to_string();
        assert!(message.contains("a finite number of at least 1"), "{message}");
        assert!(message.contains("use calvo-oller"), "{message}");
    }
    assert!(Distance::named("calvo-oller-t").is_err(), "ν is required");
    assert_eq!(Distance::named("calvo-oller-t:1").unwrap().name(), "calvo-oller-t:1");
}
