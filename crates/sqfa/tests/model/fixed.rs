//! Filters that the user gives stay, the others are learned beside them.

use sqfa::Mat;
use sqfa::constraint::Constraint;
use sqfa::model::{FitError, Learning, Restarts, Start};

use crate::problems::{TIGHT, bits, given, objective, random_classes, recipe};

/// Two climbs to the same optimum, each to the last digits.
const SAME_OPTIMUM: f64 = 1e-9;

/// Orthonormal filters that are no optimum of anything: axes, the first one turned over.
fn axes(dimension: usize, count: usize) -> Mat<f64> {
    Mat::from_fn(dimension, count, |i, j| match (i == j, j) {
        (true, 0) => -1.0,
        (true, _) => 1.0,
        _ => 0.0,
    })
}

#[test]
fn fixed_filters_stay_to_the_last_bit_and_in_their_sign() {
    let statistics = given(&random_classes(7, 4, 21));
    for constraint in [Constraint::Sphere, Constraint::Orthonormal, Constraint::None] {
        for learning in [Learning::Joint, Learning::Sequential(1)] {
            let recipe = recipe(4, "calvo-oller")
                .constraint(constraint)
                .learning(learning)
                .fixed(axes(7, 2));
            let fitted = recipe.fit(&statistics).unwrap();
            assert_eq!(fitted.filters().ncols(), 4);
            let kept = fitted.filters().subcols(0, 2).to_owned();
            assert_eq!(bits(&kept), bits(&axes(7, 2)), "{constraint:?}, {learning:?}");
            let reached =
                objective(&statistics, "calvo-oller", fitted.filters().as_ref(), fitted.noise());
            assert!((fitted.objective() - reached).abs() <= 1e-12 * reached);
        }
    }
}

#[test]
fn beside_part_of_an_optimum_the_rest_of_it_is_found() {
    let statistics = given(&random_classes(6, 4, 22));
    let climb = |filters| recipe(filters, "hellinger").restarts(Restarts::Count(8)).stopping(TIGHT);
    let joint = climb(3).fit(&statistics).unwrap();
    let part = joint.filters().subcols(0, 1).to_owned();
    let beside = climb(3).fixed(part).fit(&statistics).unwrap();
    let gap = (beside.objective() - joint.objective()).abs();
    assert!(gap <= SAME_OPTIMUM * joint.objective(), "off by {gap:e}");
}

#[test]
fn only_the_direction_of_a_fixed_filter_counts_under_a_constraint() {
    let statistics = given(&random_classes(6, 3, 23));
    let fit = |length: f64| {
        let given = Mat::from_fn(6, 1, |i, _| length * axes(6, 1)[(i, 0)]);
        recipe(2, "calvo-oller").fixed(given).fit(&statistics).unwrap()
    };
    // Powers of two scale without rounding.
    assert_eq!(bits(fit(1.0).filters()), bits(fit(8.0).filters()));
    assert_eq!(fit(1.0).objective(), fit(8.0).objective());
}

#[test]
fn every_group_tells_its_objective() {
    let statistics = given(&random_classes(7, 4, 24));
    let fitted = recipe(5, "calvo-oller")
        .learning(Learning::Sequential(2))
        .fixed(axes(7, 1))
        .fit(&statistics)
        .unwrap();
    let traces = fitted.group_traces();
    assert_eq!(traces.len(), 2);
    assert_eq!(traces[1], fitted.trace());
    for (trace, filters) in traces.iter().zip([3, 5]) {
        let leading = fitted.filters().subcols(0, filters);
        let reached = objective(&statistics, "calvo-oller", leading, fitted.noise());
        let told = *trace.last().unwrap();
        assert!((told - reached).abs() <= 1e-12 * reached, "{filters} filters");
    }
}

#[test]
fn a_given_start_serves_the_free_filters() {
    let statistics = given(&random_classes(6, 3, 25));
    let recipe = recipe(3, "calvo-oller").stopping(TIGHT).fixed(axes(6, 1));
    let first = recipe.clone().restarts(Restarts::Count(4)).fit(&statistics).unwrap();
    let start = Start::Given(first.filters().clone());
    let again = recipe.start(start).fit(&statistics).unwrap();
    let gap = (again.objective() - first.objective()).abs();
    assert!(gap <= SAME_OPTIMUM * first.objective(), "off by {gap:e}");
    assert!(again.iterations() <= first.iterations());
}

#[test]
fn fixed_filters_that_cannot_be_kept_are_refused() {
    let statistics = given(&random_classes(5, 3, 26));
    let fit = |fixed: Mat<f64>| recipe(3, "calvo-oller").fixed(fixed).fit(&statistics);
    for (rows, columns) in [(4, 1), (5, 3), (5, 0)] {
        let error = fit(Mat::from_fn(rows, columns, |_, _| 1.0)).unwrap_err();
        assert_eq!(error, FitError::FixedShape { rows, columns, dimension: 5, filters: 3 });
        assert!(error.to_string().contains("from 1 to 2 of the 3"), "{error}");
    }
    for value in [0.0, f64::NAN, f64::INFINITY] {
        let error = fit(Mat::from_fn(5, 1, |_, _| value)).unwrap_err();
        assert_eq!(error, FitError::FixedDegenerate, "{value}");
    }
    let twice = Mat::from_fn(5, 2, |_, _| 1.0);
    let orthonormal = recipe(3, "calvo-oller").constraint(Constraint::Orthonormal);
    assert_eq!(orthonormal.fixed(twice).fit(&statistics).unwrap_err(), FitError::FixedDegenerate);
}
