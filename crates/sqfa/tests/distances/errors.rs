//! What is refused, and what the refusal says.

use sqfa::distance::{Dissimilarity, DistanceError, PairError, PairGradient, pairwise, registry};
use sqfa::features::{Gaussian, GaussianError};
use sqfa::names::Unknown;
use sqfa::{Distance, Gaussians};

use crate::common::{Normal, diagonal, every_distance, set, stream};

#[test]
fn an_indefinite_covariance_is_named() {
    let mut rng = stream(41);
    for order in [2, 5, 60] {
        let mut normals: Vec<Normal> = (0..10).map(|_| Normal::random(order, &mut rng)).collect();
        let mut variances = vec![1.0; order];
        // Negative enough to show through any mean and any average with another class.
        variances[order - 1] = -1e3;
        normals[7].covariance = diagonal(&variances);
        let classes = set(&normals);
        for case in every_distance() {
            match pairwise(&case.distance, &classes) {
                Err(PairError::NotPositiveDefinite { class: 7, pivot }) => {
                    assert_eq!(pivot, -1e3, "{}", case.name());
                }
                other => panic!("{} at order {order}: {:?}", case.name(), other.err()),
            }
        }
    }
}

#[test]
fn a_singular_covariance_is_named() {
    // A feature that never varies in one class.
    let constant = Normal::diagonal(&[0.0, 1.0], &[1.0, 0.0]);
    for neighbors in [1, 9] {
        let mut normals = vec![Normal::diagonal(&[0.3, 0.2], &[2.0, 1.0]); neighbors];
        normals.push(constant.clone());
        let classes = set(&normals);
        for name in ["calvo-oller", "bhattacharyya", "jeffreys", "wasserstein"] {
            let error = pairwise(&Distance::named(name).unwrap(), &classes).unwrap_err();
            let expected = PairError::NotPositiveDefinite { class: neighbors, pivot: 0.0 };
            assert_eq!(error, expected, "{name}");
        }
        // A Gaussian on a line and one on the plane do not overlap: Hellinger's distance is 1, its limit.
        let table = pairwise(&Distance::named("hellinger").unwrap(), &classes).unwrap();
        assert_eq!(table[(0, neighbors)], 1.0);
    }
}

/// A user's distance that fails when the second mean is 2.
struct Fails;

impl Dissimilarity for Fails {
    fn name(&self) -> String {
        "fails".to_owned()
    }
    fn evaluate(&self, p: Gaussian<'_>, q: Gaussian<'_>, _: Option<&mut PairGradient>) -> f64 {
        if q.mean[0] == 2.0 { f64::NAN } else { (p.mean[0] - q.mean[0]).abs() }
    }
}

#[test]
fn a_users_distance_that_fails_is_named_with_its_pair() {
    let distance = Distance::custom(Fails);
    assert_eq!(distance.name(), "fails");
    let classes = set(&[0.0, 1.0, 2.0].map(|mean| Normal::scalar(mean, 1.0)));
    match pairwise(&distance, &classes).unwrap_err() {
        PairError::NotFinite { distance, first: 0, second: 2, value } => {
            assert_eq!(distance, "fails");
            assert!(value.is_nan());
        }
        other => panic!("{other:?}"),
    }
    let sound = set(&[0.0, 1.0, 5.0].map(|mean| Normal::scalar(mean, 1.0)));
    let table = pairwise(&distance, &sound).unwrap();
    assert_eq!((table[(0, 2)], table[(2, 1)], table[(1, 1)]), (5.0, 4.0, 0.0));
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    for (given, meant) in [
        ("helinger", Some("hellinger")),
        ("Calvo-Oller", Some("calvo-oller")),
        ("chernof:0.3", Some("chernoff")),
        ("bhattacharya", Some("bhattacharyya")),
        ("cosine", None),
    ] {
        match Distance::named(given).unwrap_err() {
            DistanceError::Unknown(Unknown { name, nearest, choices, .. }) => {
                assert_eq!((name.as_str(), nearest.as_deref()), (given, meant));
                assert_eq!(choices.len(), registry().len());
            }
            other => panic!("{given}: {other:?}"),
        }
    }
    let message = Distance::named("helinger").unwrap_err().to_string();
    assert!(message.contains("did you mean 'hellinger'?"), "{message}");
    assert!(!Distance::named("cosine").unwrap_err().to_string().contains("did you mean"));
}

#[test]
fn a_parameter_that_does_not_fit_is_refused() {
    for name in [
        "chernoff",
        "chernoff:",
        "chernoff:0",
        "chernoff:1",
        "chernoff:-0.5",
        "chernoff:nan",
        "chernoff:inf",
        "chernoff:half",
        "hellinger:0.5",
        "hellinger:",
        "affine-invariant:",
        "affine-invariant:means",
        "log-euclidean:0.3",
    ] {
        match Distance::named(name).unwrap_err() {
            DistanceError::Parameter { name: base, parameter, .. } => {
                assert_eq!(base, name.split(':').next().unwrap());
                assert_eq!(parameter, name.split_once(':').map_or("", |(_, rest)| rest));
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn every_name_parses_to_itself() {
    for case in every_distance() {
        let parsed: Distance = case.name().parse().unwrap();
        assert_eq!(parsed.name(), case.name());
    }
}

#[test]
fn gaussians_of_wrong_shape_are_refused() {
    for (order, means, covariances) in
        [(0, 0, 0), (0, 2, 4), (2, 0, 0), (2, 3, 4), (2, 2, 3), (2, 2, 8), (2, 4, 4), (2, 1, 4)]
    {
        let error = Gaussians::new(order, vec![0.0; means], vec![0.0; covariances]).unwrap_err();
        assert_eq!(error, GaussianError::Shape { means, covariances, order });
    }
}

#[test]
fn gaussians_that_are_not_finite_are_refused() {
    let sound = (vec![0.0; 4], vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut means, covariances) = sound.clone();
        means[3] = value;
        let error = Gaussians::new(2, means, covariances).unwrap_err();
        assert!(matches!(error, GaussianError::NotFinite { class: 1, .. }), "{error:?}");
        let (means, mut covariances) = sound.clone();
        covariances[1] = value;
        let error = Gaussians::new(2, means, covariances).unwrap_err();
        assert!(matches!(error, GaussianError::NotFinite { class: 0, .. }), "{error:?}");
    }
}

#[test]
fn asymmetric_covariances_are_refused_and_round_off_is_averaged() {
    let asymmetric = vec![1.0, 0.5, 0.25, 1.0];
    let error = Gaussians::new(2, vec![0.0; 2], asymmetric).unwrap_err();
    assert_eq!(error, GaussianError::NotSymmetric { class: 0, row: 1, column: 0, gap: 0.25 });
    let nearly = vec![1.0, 0.5, 0.5 + 1e-9, 1.0];
    let kept = Gaussians::new(2, vec![0.0; 2], nearly).unwrap();
    assert_eq!(kept.covariance(0)[1], kept.covariance(0)[2]);
}
