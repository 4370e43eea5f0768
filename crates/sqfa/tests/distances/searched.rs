//! The contract of distances that a search finds: the same axioms, to the search's tolerance.

use sqfa::distance::{PairGradient, mean_distance, registry};
use sqfa::model::Restarts;
use sqfa::statistics::{GivenMatrices, project};
use sqfa::{ClassStatistics, Classes, Distance, Noise, Sqfa};

use crate::common::{Normal, between, normals, searched, stream, symmetric};

/// Values err by the square of the residual (1e-8 relative), far below this.
const SAME_VALUE: f64 = 1e-12;
/// Derivatives err by about the residual.
const SAME_SLOPE: f64 = 1e-6;
/// Central differences of this step err by about 1e-10.
const STEP: f64 = 1e-5;

#[test]
fn every_searched_distance_is_in_the_registry_and_claims_to_be_a_metric() {
    for name in searched() {
        let entry = registry().iter().find(|entry| entry.name == name).unwrap();
        let claims = entry.claims;
        assert!(claims.symmetric && claims.triangle);
        assert!(claims.translation_invariant && claims.linear_invariant);
    }
}

#[test]
fn symmetric_zero_at_itself_and_between_its_bounds() {
    let mut rng = stream(71);
    for name in searched() {
        for order in [1, 2, 3, 5, 8] {
            let (p, q) = (Normal::random(order, &mut rng), Normal::random(order, &mut rng));
            let (forth, back) = (between(name, &p, &q), between(name, &q, &p));
            assert!((forth - back).abs() <= SAME_VALUE * forth, "{name} at order {order}");
            assert_eq!(between(name, &p, &p), 0.0);
            assert!(between("calvo-oller", &p, &q) <= forth * (1.0 + SAME_VALUE));
            assert!(forth <= between("jeffreys", &p, &q).sqrt() * (1.0 + SAME_VALUE));
        }
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let mut rng = stream(72);
    for name in searched() {
        let distance = Distance::named(name).unwrap();
        for order in [1, 2, 4, 8] {
            let (p, q) = (Normal::random(order, &mut rng), Normal::random(order, &mut rng));
            let mut slopes = PairGradient::zeros(order);
            distance.evaluate(p.view(), q.view(), Some(&mut slopes));
            let mean = normals(order, &mut rng);
            let turn = symmetric(normals(order * order, &mut rng), order);
            let moved =
                |step: f64| distance.evaluate(p.view(), q.moved(step, &mean, &turn).view(), None);
            let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let slope: f64 = slopes.mean_b.iter().zip(&mean).map(|(g, v)| g * v).sum::<f64>()
                + slopes.cov_b.iter().zip(&turn).map(|(g, v)| g * v).sum::<f64>();
            let scale = difference.abs().max(0.1);
            assert!((slope - difference).abs() <= SAME_SLOPE * scale, "{name} at order {order}");
        }
    }
}

/// Training on the exact distance reaches at least the exact distance that training on its bound reaches.
#[test]
fn training_on_the_exact_distance_beats_training_on_its_bound() {
    let mut rng = stream(73);
    let (n, classes, m) = (6, 4, 2);
    let means = normals(classes * n, &mut rng);
    let covariances = (0..classes).map(|_| Normal::random(n, &mut rng).covariance).collect();
    let statistics = ClassStatistics::from_moments(
        Classes::numbered(classes),
        None,
        &means,
        GivenMatrices::F64(covariances),
    )
    .unwrap();
    let recipe = || Sqfa::new(m).unwrap().noise(Noise::Value(0.05)).restarts(Restarts::Count(6));
    let exact = Distance::named("fisher-rao").unwrap();
    let trained = recipe().distance(exact.clone()).fit(&statistics).unwrap();
    let bound = recipe().fit(&statistics).unwrap();
    let features = project(&statistics, bound.filters().as_ref(), 0.05);
    let reached = mean_distance(&exact, &features).unwrap().value;
    assert!(trained.converged());
    assert!(trained.objective() >= reached - 1e-6 * reached);
    assert!(trained.objective() >= bound.objective());
}
