//! What a fitted model promises: presets, unit or orthonormal filters, signs, features, the objective.

use sqfa::constraint::{CONSTRAINTS, Constraint};
use sqfa::model::{FitError, Variant};
use sqfa::{Noise, Sqfa, Table};

use crate::problems::{
    Sample, columns, dot, given, objective, random_classes, recipe, subspace_gap, worst,
};

/// Length and orthogonality are re-established after the last step.
const ORTHONORMAL: f64 = 1e-12;
/// The objective reported is recomputed from the filters reported: round-off of a few products.
const SAME: f64 = 1e-12;
/// Filters may come as close as a squared sine of 1e-6 before a step is refused: ten times round-off over that.
const FLAT: f64 = 1e-9;
/// Products in single precision, relative to the largest feature.
const SINGLE: f64 = 1e-6;

#[test]
fn presets_are_the_papers_variants() {
    let expected = [
        ("sqfa", "calvo-oller", Constraint::Sphere),
        ("smsqfa", "affine-invariant", Constraint::Sphere),
        ("sqfa-h", "hellinger", Constraint::Sphere),
        ("sqfa-b", "bhattacharyya", Constraint::Sphere),
        ("sqfa-j", "jeffreys", Constraint::Sphere),
        ("sqfa-w", "wasserstein", Constraint::Orthonormal),
    ];
    let statistics = given(&random_classes(6, 3, 1));
    for (name, distance, constraint) in expected {
        let method = Variant::named(name).unwrap();
        let fitted = Sqfa::for_variant(&method, 2).unwrap().fit(&statistics).unwrap();
        assert_eq!((fitted.distance(), fitted.constraint()), (distance, constraint));
        assert!(fitted.converged(), "{name}: {:?}", fitted.termination());
        assert!(fitted.warnings().is_empty(), "{name}: {:?}", fitted.warnings());
        assert_eq!(fitted.classes(), statistics.classes());
    }
    let default = Sqfa::new(2).unwrap().fit(&statistics).unwrap();
    assert_eq!((default.distance(), default.constraint()), ("calvo-oller", Constraint::Sphere));
    let message = Variant::named("sqfa-g").unwrap_err().to_string();
    assert!(message.contains("'sqfa-g'") && message.contains("did you mean 'sqfa"), "{message}");
    for (name, constraint) in CONSTRAINTS {
        assert_eq!((name.parse(), constraint.name()), (Ok(constraint), name));
    }
    let message = "spere".parse::<Constraint>().unwrap_err();
    assert!(message.contains("did you mean 'sphere'"), "{message}");
}

#[test]
fn filters_have_unit_length_or_are_orthonormal_and_have_fixed_signs() {
    let statistics = given(&random_classes(9, 4, 2));
    for seed in 0..4 {
        for constraint in [Constraint::Sphere, Constraint::Orthonormal] {
            let fitted = recipe(3, "calvo-oller")
                .constraint(constraint)
                .seed(seed)
                .fit(&statistics)
                .unwrap();
            let filters = columns(fitted.filters().as_ref());
            for (i, filter) in filters.iter().enumerate() {
                assert!((dot(filter, filter) - 1.0).abs() <= ORTHONORMAL);
                if constraint == Constraint::Orthonormal {
                    let along = filters[..i].iter().map(|other| dot(filter, other).abs());
                    assert!(along.fold(0.0, f64::max) <= ORTHONORMAL);
                }
                let biggest = filter.iter().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
                assert!(*biggest > 0.0, "the largest entry of filter {i} is {biggest}");
            }
        }
    }
}

#[test]
fn the_objective_is_that_of_the_filters() {
    let statistics = given(&random_classes(7, 4, 3));
    for (name, _) in CONSTRAINTS {
        let recipe = recipe(2, "hellinger").constraint(name.parse().unwrap());
        let fitted = recipe.noise(Noise::Value(0.2)).fit(&statistics).unwrap();
        let expected = objective(&statistics, "hellinger", fitted.filters().as_ref(), 0.2);
        let found = fitted.objective();
        assert!((found - expected).abs() <= SAME * expected, "{name}: {found} and {expected}");
        assert_eq!(fitted.trace().last(), Some(&found));
        let best = &fitted.restarts()[fitted.best()];
        assert_eq!(best.objective.to_bits(), found.to_bits());
        assert_eq!(fitted.noise(), 0.2);
        assert!(fitted.passes() >= best.passes && fitted.evaluations() > fitted.iterations());
        assert!(fitted.seconds() >= 0.0);
    }
}

#[test]
fn orthogonalised_filters_span_the_same_subspace() {
    let fitted = recipe(3, "calvo-oller").fit(&given(&random_classes(8, 4, 4))).unwrap();
    let turned = fitted.orthogonalized().unwrap();
    let filters = columns(turned.as_ref());
    for i in 0..3 {
        for j in 0..3 {
            let expected = f64::from(u8::from(i == j));
            assert!((dot(&filters[i], &filters[j]) - expected).abs() <= ORTHONORMAL);
        }
    }
    assert!(subspace_gap(turned.as_ref(), fitted.filters().as_ref()) <= ORTHONORMAL);
}

#[test]
fn features_are_products_with_the_filters() {
    let sample = Sample::draw(&[60, 50], 6, 5);
    let fitted = recipe(2, "calvo-oller").fit(&sample.statistics()).unwrap();
    let filters = columns(fitted.filters().as_ref());
    let naive = |sample: &Sample| -> Vec<f64> {
        let features = |row: usize| filters.iter().map(move |filter| dot(sample.row(row), filter));
        (0..sample.rows()).flat_map(features).collect()
    };
    let found = fitted.transform(sample.points()).unwrap().to_f64();
    assert!(worst(&found, &naive(&sample)) <= SAME * 10.0);
    let (bytes, whole) = sample.bytes();
    let by_columns: Vec<u8> = (0..6 * 110).map(|at| bytes[at % 110 * 6 + at / 110]).collect();
    for table in [
        Table::row_major(&bytes, 110, 6).unwrap(),
        Table::column_major(&by_columns, 110, 6).unwrap(),
    ] {
        let found = fitted.transform(table.into()).unwrap().to_f64();
        assert!(worst(&found, &naive(&whole)) <= SINGLE * 255.0);
    }
    let narrow = Table::row_major(&bytes, 132, 5).unwrap();
    let error = fitted.transform(narrow.into()).unwrap_err();
    assert_eq!(error, FitError::Dimension { expected: 6, found: 5 });
}

#[test]
fn feature_statistics_are_those_of_the_features() {
    let sample = Sample::draw(&[40, 70, 30], 6, 6);
    let statistics = sample.statistics();
    let fitted = recipe(2, "hellinger").fit(&statistics).unwrap();
    let features = fitted.transform(sample.points()).unwrap().to_f64();
    let small = Sample { columns: 2, values: features, labels: sample.labels.clone() };
    let gaussians = fitted.feature_statistics(&statistics);
    for (class, (_, mean, covariance)) in small.naive().iter().enumerate() {
        assert!(worst(gaussians.mean(class), mean) <= SAME * 10.0);
        assert!(worst(gaussians.covariance(class), covariance) <= SAME * 10.0);
    }
}

#[test]
fn as_many_filters_as_dimensions() {
    let statistics = given(&random_classes(3, 3, 7));
    // Without noise any basis of the whole space keeps everything: the objective is flat.
    let identity = crate::problems::axes(3, &[0, 1, 2]);
    let expected = objective(&statistics, "calvo-oller", identity.as_ref(), 0.0);
    for seed in 0..4 {
        let recipe = recipe(3, "calvo-oller").noise(Noise::Value(0.0)).seed(seed);
        let whole = recipe.fit(&statistics).unwrap();
        for run in whole.restarts() {
            assert!((run.objective - expected).abs() <= FLAT * expected, "{}", run.objective);
        }
    }
}
