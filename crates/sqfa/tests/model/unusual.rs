//! What must not stop a fit: identical classes, constant features, second moments alone, no constraint.

use sqfa::constraint::Constraint;
use sqfa::distance::registry;
use sqfa::model::{Restarts, Warning};
use sqfa::optimize::{Optimizer, Termination};
use sqfa::statistics::GivenMatrices;
use sqfa::{ClassStatistics, Classes, Estimator, Noise};

use crate::common::{Normal, every_distance};
use crate::problems::{
    Sample, TIGHT, bits, centered, columns, given, objective, random_classes, recipe,
};

#[test]
fn identical_classes_do_not_stop_a_fit() {
    let mut classes = random_classes(6, 3, 81);
    classes.push(classes[1].clone());
    let statistics = given(&classes);
    for case in every_distance() {
        let fitted = recipe(2, case.name()).fit(&statistics);
        let fitted = fitted.unwrap_or_else(|error| panic!("{}: {error}", case.name()));
        assert!(fitted.objective() > 0.0 && fitted.objective().is_finite(), "{}", case.name());
        assert!(fitted.converged(), "{}: {:?}", case.name(), fitted.termination());
    }
}

#[test]
fn nothing_but_identical_classes_is_a_flat_objective() {
    let class = random_classes(5, 1, 82).remove(0);
    let statistics = given(&vec![class; 3]);
    for name in registry().iter().flat_map(|entry| entry.forms()) {
        let fitted = recipe(2, &name).fit(&statistics).unwrap();
        assert_eq!(fitted.objective(), 0.0, "{name}");
        assert_eq!(fitted.termination(), Termination::SmallGradient, "{name}");
        assert!(columns(fitted.filters().as_ref()).concat().iter().all(|x| x.is_finite()));
    }
}

#[test]
fn constant_features_are_fine_with_noise() {
    let sample = Sample::draw(&[60, 50, 40], 4, 83).mapped(6, |row| [row, &[7.5, 0.1]].concat());
    for name in ["calvo-oller", "affine-invariant", "hellinger", "jeffreys", "wasserstein"] {
        let fitted = recipe(2, name).fit(&sample.statistics()).unwrap();
        assert!(fitted.converged(), "{name}");
    }
    // Constant in every class and equal in all: useless, so no filter looks at it.
    let fitted = recipe(2, "calvo-oller").stopping(TIGHT).fit(&sample.statistics()).unwrap();
    for filter in columns(fitted.filters().as_ref()) {
        assert!(filter[4].abs() <= 1e-4 && filter[5].abs() <= 1e-4, "{filter:?}");
    }
}

#[test]
fn fewer_samples_than_dimensions_are_fine_with_noise_or_shrinkage() {
    let sample = Sample::draw(&[5, 6], 10, 84);
    let with_noise = recipe(2, "calvo-oller").fit(&sample.statistics()).unwrap();
    assert!(with_noise.converged());
    // The other remedy: shrunk covariances have full rank, so no noise is needed.
    let shrunk =
        ClassStatistics::from_points(sample.points(), &sample.labels, Estimator::Oas).unwrap();
    let without = recipe(2, "calvo-oller").noise(Noise::Value(0.0)).fit(&shrunk).unwrap();
    assert!(without.converged());
}

#[test]
fn second_moments_alone_are_covariances_of_classes_without_means() {
    let classes = centered(&random_classes(6, 3, 85));
    let matrices: Vec<Vec<f64>> = classes.iter().map(|class| class.covariance.clone()).collect();
    let moments = ClassStatistics::from_second_moments(
        Classes::numbered(3),
        None,
        6,
        GivenMatrices::F64(matrices),
    )
    .unwrap();
    let smsqfa = recipe(2, "affine-invariant").noise(Noise::Value(0.1));
    let (by_moments, by_means) =
        (smsqfa.fit(&moments).unwrap(), smsqfa.fit(&given(&classes)).unwrap());
    assert_eq!(bits(by_moments.filters()), bits(by_means.filters()));
    assert!(by_moments.warnings().is_empty());
    // A distance that wants means is told what it gets.
    let fitted = recipe(2, "hellinger").fit(&moments).unwrap();
    let distance = "hellinger".to_owned();
    assert_eq!(fitted.warnings(), [Warning::SecondMomentsAsCovariances { distance }]);
    assert!(fitted.warnings()[0].to_string().contains("second moments"));
    // Whatever acts on second moments takes them as they are, however it is spelt.
    for case in every_distance() {
        let fitted = recipe(2, case.name()).noise(Noise::Value(0.1)).fit(&moments).unwrap();
        let warned = fitted
            .warnings()
            .iter()
            .any(|warning| matches!(warning, Warning::SecondMomentsAsCovariances { .. }));
        assert_eq!(warned, !case.claims.second_moments, "{}", case.name());
    }
}

#[test]
fn second_moments_of_classes_with_means_are_what_smsqfa_sees() {
    let classes = random_classes(6, 3, 86);
    let second: Vec<Normal> = classes
        .iter()
        .map(|class| {
            let outer = |at: usize| class.mean[at / 6] * class.mean[at % 6];
            let covariance = (0..36).map(|at| class.covariance[at] + outer(at)).collect();
            Normal { mean: vec![0.0; 6], covariance }
        })
        .collect();
    let climb = |statistics: ClassStatistics| {
        let recipe = recipe(2, "affine-invariant").noise(Noise::Value(0.1));
        recipe.restarts(Restarts::Count(6)).stopping(TIGHT).fit(&statistics).unwrap()
    };
    let (with_means, without) = (climb(given(&classes)), climb(given(&second)));
    assert!((with_means.objective() - without.objective()).abs() <= 1e-9);
    // Not so on covariances alone.
    let other = recipe(2, "affine-invariant:covariances").noise(Noise::Value(0.1));
    assert_ne!(other.fit(&given(&classes)).unwrap().objective(), with_means.objective());
}

#[test]
fn no_constraint_with_noise_has_no_maximum_and_says_so() {
    let statistics = given(&random_classes(5, 3, 87));
    let free = recipe(2, "calvo-oller").constraint(Constraint::None);
    let fitted = free.clone().noise(Noise::Value(0.1)).fit(&statistics).unwrap();
    assert!(fitted.warnings().contains(&Warning::Unbounded));
    // Longer filters feel the noise less: the value without noise is the limit from below.
    let limit = objective(&statistics, "calvo-oller", fitted.filters().as_ref(), 0.0);
    assert!(fitted.objective() < limit);
    // Without noise the length does not matter.
    let fitted = free.noise(Noise::Value(0.0)).fit(&statistics).unwrap();
    assert!(fitted.warnings().is_empty() && fitted.converged());
}

#[test]
fn one_dimension_and_one_filter() {
    let classes = [Normal::scalar(0.0, 1.0), Normal::scalar(1.0, 2.0), Normal::scalar(-3.0, 0.5)];
    let statistics = given(&classes);
    for case in every_distance() {
        let fitted = recipe(1, case.name()).noise(Noise::Value(0.0)).fit(&statistics).unwrap();
        assert_eq!(columns(fitted.filters().as_ref()), [[1.0]], "{}", case.name());
    }
}

/// Scaling by a power of two is exact: a fit that judges everything relative to the data takes the same steps to the bit.
#[test]
fn a_distance_with_units_is_fitted_the_same_in_any_units() {
    let classes = random_classes(6, 4, 85);
    let scaled = |power: i32| -> Vec<Normal> {
        let unit = 2.0_f64.powi(power);
        let scale = |class: &Normal| Normal {
            mean: class.mean.iter().map(|x| unit * x).collect(),
            covariance: class.covariance.iter().map(|x| unit * unit * x).collect(),
        };
        classes.iter().map(scale).collect()
    };
    for optimizer in [Optimizer::Lbfgs, Optimizer::Subspace] {
        let fit = |power: i32| {
            let recipe = recipe(2, "wasserstein").optimizer(optimizer).noise(Noise::Fraction(1.0));
            recipe.fit(&given(&scaled(power))).unwrap()
        };
        let usual = fit(0);
        assert!(usual.objective() > 0.0 && usual.converged());
        for power in [-40, -10, 40] {
            let other = fit(power);
            assert_eq!(
                bits(other.filters()),
                bits(usual.filters()),
                "{optimizer:?}, units of 2^{power}"
            );
            assert_eq!(other.objective(), 2.0_f64.powi(power) * usual.objective());
            assert_eq!(other.iterations(), usual.iterations());
        }
    }
}
