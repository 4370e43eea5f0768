//! Zero at itself, and every claim of the registry: kept where it is made, broken where it is not.

use rand_chacha::ChaCha8Rng;
use sqfa::distance::pairwise;

use crate::common::{
    Case, Normal, assert_close, every_distance, flat, gap, gradient, inverse, invertible, norm,
    normals, product, set, stream, times, transposed,
};

/// Orders on both sides of the batched path's limit.
const ORDERS: [usize; 6] = [1, 2, 3, 5, 9, 60];
/// Round-off of two evaluations at condition numbers below 20, at most order 60.
const SAME: f64 = 1e-11;
/// Mapping a covariance by a matrix of condition number 4 rounds it too, amplified by both conditions.
const MAPPED: f64 = 1e-10;
/// Values in units of 2⁻⁶⁰, some of them sums of logarithms as large as 83 that cancel.
const SCALED: f64 = 1e-10;
/// Distances between identical Gaussians, evaluated without looking whether they are identical: those
/// that are no root of anything keep the round-off of their own terms, here a sum of logarithms.
const ITSELF: f64 = 1e-13;
/// The same for derivatives, whose terms are inverse covariances of norm at most 3.
const ITSELF_SLOPE: f64 = 1e-12;
/// How far a claim that is not made must be broken: far above any round-off.
const BROKEN: f64 = 1e-3;

fn pair(order: usize, rng: &mut ChaCha8Rng) -> (Normal, Normal) {
    (Normal::random(order, rng), Normal::random(order, rng))
}

fn value(case: &Case, p: &Normal, q: &Normal) -> f64 {
    case.distance.evaluate(p.view(), q.view(), None)
}

#[test]
fn zero_at_itself() {
    let mut rng = stream(1);
    for order in ORDERS {
        let normal = Normal::random(order, &mut rng);
        let other = Normal::random(order, &mut rng);
        let classes = set(&[normal.clone(), other, normal.clone()]);
        for case in every_distance() {
            let table = pairwise(&case.distance, &classes).unwrap();
            for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 2), (2, 0)] {
                assert_eq!(table[(i, j)], 0.0, "{} at order {order}", case.name());
            }
            let (value, slopes) = gradient(&case.distance, &normal, &normal);
            assert!((0.0..=ITSELF).contains(&value), "{}: {value:e}", case.name());
            let slope = norm(&flat(&slopes));
            assert!(slope <= ITSELF_SLOPE, "{} at order {order}: {slope:e}", case.name());
        }
    }
}

#[test]
fn positive_between_different_gaussians() {
    let mut rng = stream(2);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        for case in every_distance() {
            assert!(value(&case, &p, &q) > 0.0, "{} at order {order}", case.name());
        }
    }
}

#[test]
fn symmetry() {
    let mut rng = stream(3);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        for case in every_distance() {
            let (forth, slopes) = gradient(&case.distance, &p, &q);
            let (back, turned) = gradient(&case.distance, &q, &p);
            if case.claims.symmetric {
                assert_close(forth, back, SAME, case.name());
                for (x, y) in [
                    (&slopes.mean_a, &turned.mean_b),
                    (&slopes.cov_a, &turned.cov_b),
                    (&slopes.mean_b, &turned.mean_a),
                    (&slopes.cov_b, &turned.cov_a),
                ] {
                    let change: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
                    let scale = norm(&flat(&slopes));
                    assert!(norm(&change) <= SAME * scale, "{} at order {order}", case.name());
                }
            } else {
                assert!(gap(forth, back) > BROKEN, "{} is symmetric", case.name());
            }
        }
    }
}

/// Triples of which at least one breaks the triangle inequality of whatever is not a metric.
fn corners() -> Vec<[Normal; 3]> {
    vec![
        [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)].map(|(mean, variance)| Normal::scalar(mean, variance)),
        // Between two narrow classes a broad one is near to both under the average covariance.
        [(0.0, 1.0), (1.0, 100.0), (2.0, 1.0)]
            .map(|(mean, variance)| Normal::scalar(mean, variance)),
        [(0.0, 1.0), (0.0, 3.0), (0.0, 9.0)].map(|(mean, variance)| Normal::scalar(mean, variance)),
    ]
}

#[test]
fn triangle_inequality() {
    let mut triples = corners();
    let mut rng = stream(4);
    for order in ORDERS {
        for spread in [1.0, 1e-2, 10.0] {
            triples.push(std::array::from_fn(|_| {
                let mut normal = Normal::random(order, &mut rng);
                normal.mean.iter_mut().for_each(|mean| *mean *= spread);
                normal
            }));
        }
    }
    for case in every_distance() {
        let mut worst = f64::NEG_INFINITY;
        for [p, q, r] in &triples {
            for [p, q, r] in [[p, q, r], [q, r, p], [r, p, q]] {
                let detour = value(&case, p, q) + value(&case, q, r);
                worst = worst.max(value(&case, p, r) / detour - 1.0);
            }
        }
        if case.claims.triangle {
            assert!(worst <= SAME, "{}: {worst:e} above the detour", case.name());
        } else {
            assert!(worst > BROKEN, "{} satisfies the triangle inequality", case.name());
        }
    }
}

#[test]
fn translation_invariance() {
    let mut rng = stream(5);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        let still = vec![0.0; order * order];
        let shift = normals(order, &mut rng);
        let [moved_p, moved_q] = [&p, &q].map(|normal| normal.moved(3.0, &shift, &still));
        for case in every_distance() {
            let (before, slopes) = gradient(&case.distance, &p, &q);
            let after = value(&case, &moved_p, &moved_q);
            if case.claims.translation_invariant {
                assert_close(before, after, SAME, case.name());
                // The same in derivatives: pulls on the two means cancel.
                let sum: Vec<f64> =
                    slopes.mean_a.iter().zip(&slopes.mean_b).map(|(a, b)| a + b).collect();
                assert!(norm(&sum) <= SAME * norm(&flat(&slopes)), "{}", case.name());
            } else {
                assert!(gap(before, after) > BROKEN, "{} is shift invariant", case.name());
            }
        }
    }
}

#[test]
fn linear_invariance() {
    let mut rng = stream(6);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        let map = invertible(order, &mut rng);
        let back = inverse(&map, order);
        let origin = vec![0.0; order];
        let [mapped_p, mapped_q] = [&p, &q].map(|normal| normal.mapped(&map, &origin));
        for case in every_distance().iter().filter(|case| case.claims.linear_invariant) {
            let (before, slopes) = gradient(&case.distance, &p, &q);
            let (after, mapped) = gradient(&case.distance, &mapped_p, &mapped_q);
            assert_close(before, after, MAPPED, case.name());
            // Derivatives map the other way: h ↦ M⁻ᵀh and G ↦ M⁻ᵀGM⁻¹.
            let turned = transposed(&back, order);
            let mean = times(&turned, &slopes.mean_a);
            let covariance = product(&product(&turned, &slopes.cov_b, order), &back, order);
            for (expected, found) in [(mean, &mapped.mean_a), (covariance, &mapped.cov_b)] {
                let change: Vec<f64> = expected.iter().zip(found).map(|(x, y)| x - y).collect();
                let scale = norm(&flat(&mapped));
                assert!(norm(&change) <= MAPPED * scale, "{} at order {order}", case.name());
            }
        }
    }
}

#[test]
fn what_claims_no_linear_invariance_has_none() {
    let p = Normal { mean: vec![0.5, -1.0], covariance: vec![2.0, 0.3, 0.3, 1.0] };
    let q = Normal { mean: vec![-0.2, 0.4], covariance: vec![0.7, -0.1, -0.1, 3.0] };
    let shear = [1.0, 1.5, 0.0, 1.0];
    let [sheared_p, sheared_q] = [&p, &q].map(|normal| normal.mapped(&shear, &[0.0, 0.0]));
    let mut broken = 0;
    for case in every_distance().iter().filter(|case| !case.claims.linear_invariant) {
        let change = gap(value(case, &p, &q), value(case, &sheared_p, &sheared_q));
        assert!(change > BROKEN, "{} changes by {change:e} only", case.name());
        broken += 1;
    }
    assert!(broken > 0, "the registry holds no distance without this claim");
}

/// Powers of two are exact, so values scale to within the round-off of one evaluation, however small the units.
#[test]
fn values_scale_with_the_units_as_claimed() {
    let mut rng = stream(8);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        for power in [-60, -40, 40] {
            let unit = 2.0_f64.powi(power);
            let [scaled_p, scaled_q] = [&p, &q].map(|normal| Normal {
                mean: normal.mean.iter().map(|x| unit * x).collect(),
                covariance: normal.covariance.iter().map(|x| unit * unit * x).collect(),
            });
            for case in every_distance() {
                let expected = unit.powi(i32::from(case.claims.degree)) * value(&case, &p, &q);
                let found = value(&case, &scaled_p, &scaled_q);
                assert_close(expected, found, SCALED, &format!("{} 2^{power}", case.name()));
            }
        }
    }
}

#[test]
fn second_moments_say_all_or_they_do_not() {
    let mut rng = stream(7);
    for order in ORDERS {
        let (p, q) = pair(order, &mut rng);
        let [bare_p, bare_q] = [&p, &q].map(|normal| {
            let outer = |at: usize| normal.mean[at / order] * normal.mean[at % order];
            let entries = normal.covariance.iter().enumerate();
            let covariance = entries.map(|(at, value)| value + outer(at)).collect();
            Normal { mean: vec![0.0; order], covariance }
        });
        for case in every_distance() {
            let change = gap(value(&case, &p, &q), value(&case, &bare_p, &bare_q));
            if case.claims.second_moments {
                assert!(change <= SAME, "{} at order {order}: {change:e}", case.name());
            } else {
                assert!(change > BROKEN, "{} acts on second moments", case.name());
            }
        }
    }
}

#[test]
fn means_matter_or_they_do_not() {
    let mut rng = stream(8);
    for order in ORDERS {
        // From itself a little apart: bounded distances would not tell one large distance from another.
        let (p, _) = pair(order, &mut rng);
        let shift = normals(order, &mut rng);
        let mean = p.mean.iter().zip(shift).map(|(mean, shift)| mean + 0.1 * shift).collect();
        let moved = Normal { mean, ..p.clone() };
        for case in every_distance() {
            let change = gap(value(&case, &p, &p), value(&case, &p, &moved));
            if case.claims.blind_to_means {
                assert_eq!(change, 0.0, "{}", case.name());
            } else {
                assert!(change > BROKEN, "{} is blind to means", case.name());
            }
        }
    }
}
