//! Bad input gives errors that name the Gaussian and the value.

use super::super::{
    FisherRaoError, FisherRaoOptions, Geodesic, Side, Velocity, fisher_rao, fisher_rao_pairwise,
};
use crate::features::{Gaussian, Gaussians};

const MEAN: [f64; 2] = [0.0, 0.0];
const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

fn standard() -> Gaussian<'static> {
    Gaussian { order: 2, mean: &MEAN, covariance: &IDENTITY }
}

fn failure(q: Gaussian<'_>) -> FisherRaoError {
    fisher_rao(standard(), q, &FisherRaoOptions::default()).unwrap_err()
}

#[test]
fn every_mistake_is_named() {
    let error = failure(Gaussian { order: 2, mean: &MEAN, covariance: &[1.0, 2.0, 2.0, 1.0] });
    let FisherRaoError::NotPositive { side: Side::Second, eigenvalue } = error else {
        panic!("{error}")
    };
    super::assert_close(eigenvalue, -1.0, 1e-12);
    assert!(error.to_string().contains("second Gaussian is not positive definite"));

    let error = failure(Gaussian { order: 2, mean: &MEAN, covariance: &[1.0, 1.0, 1.0, 1.0] });
    assert!(matches!(error, FisherRaoError::NotPositive { .. }), "singular: {error}");

    let error = failure(Gaussian { order: 2, mean: &MEAN, covariance: &[1.0, 0.25, 0.0, 1.0] });
    assert_eq!(
        error,
        FisherRaoError::NotSymmetric { side: Side::Second, row: 1, column: 0, gap: 0.25 }
    );

    let error = failure(Gaussian { order: 1, mean: &[0.0], covariance: &[1.0] });
    assert_eq!(error, FisherRaoError::Dimensions { first: 2, second: 1 });

    let error = failure(Gaussian { order: 2, mean: &[0.0, f64::INFINITY], covariance: &IDENTITY });
    assert_eq!(error, FisherRaoError::NotFinite { side: Side::Second, value: f64::INFINITY });

    let error = failure(Gaussian { order: 2, mean: &[0.0], covariance: &IDENTITY });
    assert!(matches!(error, FisherRaoError::Shape { mean: 1, .. }));

    let error = fisher_rao(
        Gaussian { order: 2, mean: &MEAN, covariance: &[-1.0, 0.0, 0.0, 1.0] },
        standard(),
        &FisherRaoOptions::default(),
    )
    .unwrap_err();
    assert_eq!(error, FisherRaoError::NotPositive { side: Side::First, eigenvalue: -1.0 });

    let empty = Gaussian { order: 0, mean: &[], covariance: &[] };
    assert!(fisher_rao(empty, empty, &FisherRaoOptions::default()).is_err());
}

#[test]
fn warm_starts_and_velocities_are_checked() {
    let options = FisherRaoOptions { warm_start: Some(&[1.0]), ..Default::default() };
    let error = fisher_rao(standard(), standard(), &options).unwrap_err();
    assert!(matches!(error, FisherRaoError::Length { expected: 4, found: 1, .. }));
    let velocity = Velocity { mean: vec![0.0, f64::NAN], covariance: vec![0.0; 4] };
    let error = Geodesic::shoot(standard(), &velocity).and_then(|g| g.point(1.0)).unwrap_err();
    assert!(matches!(error, FisherRaoError::BadNumber { .. }));
    let velocity = Velocity { mean: vec![1e9, 0.0], covariance: vec![0.0; 4] };
    assert!(matches!(
        Geodesic::shoot(standard(), &velocity).and_then(|g| g.point(1.0)),
        Err(FisherRaoError::Range { .. })
    ));
}

#[test]
fn numbers_beyond_double_precision_are_refused_or_admitted() {
    let mean = [1e200, 1.0];
    let result = fisher_rao(
        standard(),
        Gaussian { order: 2, mean: &mean, covariance: &IDENTITY },
        &FisherRaoOptions::default(),
    );
    match result {
        Err(FisherRaoError::Range { .. }) => {}
        Err(error) => panic!("{error}"),
        Ok(found) => assert!(!found.converged),
    }
}

#[test]
fn the_pair_is_named() {
    let means = vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0];
    let mut covariances = [IDENTITY, IDENTITY, IDENTITY].concat();
    covariances[4] = 2.0;
    let sound = Gaussians::new(2, means.clone(), covariances.clone()).unwrap();
    let options = FisherRaoOptions::default();
    let all = fisher_rao_pairwise(&sound, &options, &[]).unwrap();
    assert_eq!(all.len(), 3);
    let twists: Vec<Vec<f64>> = all.iter().map(|found| found.twist.clone()).collect();
    let again = fisher_rao_pairwise(&sound, &options, &twists).unwrap();
    super::assert_close(again[0].distance, all[0].distance, 1e-14);
    covariances[8] = -3.0;
    let broken = Gaussians::new(2, means, covariances).unwrap();
    let error = fisher_rao_pairwise(&broken, &options, &[]).unwrap_err();
    assert!(error.to_string().contains("Gaussians 0 and 2"), "{error}");
    assert!(fisher_rao_pairwise(&sound, &options, &[vec![0.0; 4]]).is_err());
}
