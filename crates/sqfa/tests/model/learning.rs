//! Joint and sequential learning, and the weights of pairs.

use sqfa::Noise;
use sqfa::constraint::Constraint;
use sqfa::model::{Learning, Restarts};
use sqfa::optimize::Preconditioning;

use crate::problems::{TIGHT, given, norm_gap, objective, random_classes, recipe, subspace_gap};

/// A learned group is only brought to unit length again: a rounding a number.
const FROZEN: f64 = 1e-15;
/// Two climbs to the same optimum, each to the last digits.
const SAME_OPTIMUM: f64 = 1e-9;

#[test]
fn the_first_group_is_the_fit_of_that_size_alone() {
    let statistics = given(&random_classes(8, 4, 11));
    for constraint in [Constraint::Sphere, Constraint::Orthonormal] {
        for preconditioning in [Preconditioning::On, Preconditioning::Off] {
            // Seven filters: groups of 2, 2, 2, 1; of 3, 3, 1; of 1 each; of 5 and 2; of more than all.
            for size in [1, 2, 3, 5, 9] {
                let base = |filters| {
                    recipe(filters, "calvo-oller")
                        .constraint(constraint)
                        .preconditioning(preconditioning)
                        .restarts(Restarts::Count(2))
                        .seed(3)
                };
                let fitted = base(7).learning(Learning::Sequential(size)).fit(&statistics).unwrap();
                let alone = base(size.min(7)).fit(&statistics).unwrap();
                assert_eq!(fitted.filters().ncols(), 7);
                let first = fitted.filters().subcols(0, size.min(7)).to_owned();
                assert!(norm_gap(&first, alone.filters()) <= FROZEN, "groups of {size}");
                let expected = objective(
                    &statistics,
                    "calvo-oller",
                    fitted.filters().as_ref(),
                    fitted.noise(),
                );
                assert!((fitted.objective() - expected).abs() <= 1e-12 * expected);
            }
        }
    }
}

#[test]
fn later_groups_only_add() {
    let statistics = given(&random_classes(8, 4, 12));
    let fit = |filters| {
        recipe(filters, "calvo-oller")
            .learning(Learning::Sequential(2))
            .restarts(Restarts::Count(1))
            .fit(&statistics)
            .unwrap()
    };
    let (four, five) = (fit(4), fit(5));
    let first = five.filters().subcols(0, 4).to_owned();
    assert!(norm_gap(&first, four.filters()) <= FROZEN);
    // The last filter alone was free: no other filter in its place does better nearby.
    assert!(five.objective() > four.objective());
    assert!(five.passes() > four.passes());
}

#[test]
fn sequential_learning_of_everything_at_once_is_joint_learning() {
    let statistics = given(&random_classes(6, 3, 13));
    let joint = recipe(3, "hellinger").fit(&statistics).unwrap();
    let grouped =
        recipe(3, "hellinger").learning(Learning::Sequential(3)).fit(&statistics).unwrap();
    assert_eq!(crate::problems::bits(joint.filters()), crate::problems::bits(grouped.filters()));
}

#[test]
fn equal_weights_change_nothing() {
    let statistics = given(&random_classes(6, 4, 14));
    let plain = recipe(2, "calvo-oller").fit(&statistics).unwrap();
    for weight in [1.0, 7.0] {
        let mut weights = vec![weight; 16];
        // The diagonal is ignored.
        (0..4).for_each(|class| weights[class * 5] = 0.0);
        let fitted = recipe(2, "calvo-oller").weights(weights).fit(&statistics).unwrap();
        assert_eq!(crate::problems::bits(fitted.filters()), crate::problems::bits(plain.filters()));
        assert_eq!(fitted.objective(), plain.objective());
    }
}

#[test]
fn a_pair_of_weight_zero_is_dropped() {
    let classes = random_classes(6, 3, 15);
    let noise = Noise::Value(0.1);
    // Only the pair of the first two classes counts: the third might not be there.
    let mut weights = vec![0.0; 9];
    (weights[1], weights[3]) = (0.25, 0.25);
    let climb =
        |recipe: sqfa::Sqfa| recipe.noise(noise).restarts(Restarts::Count(8)).stopping(TIGHT);
    let weighted = climb(recipe(2, "calvo-oller")).weights(weights).fit(&given(&classes)).unwrap();
    let two = climb(recipe(2, "calvo-oller")).fit(&given(&classes[..2])).unwrap();
    let gap = (weighted.objective() - two.objective()).abs();
    assert!(gap <= SAME_OPTIMUM * two.objective(), "off by {gap:e}");
    assert!(subspace_gap(weighted.filters().as_ref(), two.filters().as_ref()) <= 1e-3);
}

#[test]
fn weights_weigh() {
    let classes = random_classes(6, 3, 16);
    let statistics = given(&classes);
    let weights = vec![0.0, 1.0, 2.0, 1.0, 0.0, 5.0, 2.0, 5.0, 0.0];
    let fitted = recipe(2, "hellinger").weights(weights).fit(&statistics).unwrap();
    let pair = |i: usize, j: usize| {
        let two = given(&[classes[i].clone(), classes[j].clone()]);
        objective(&two, "hellinger", fitted.filters().as_ref(), fitted.noise())
    };
    let expected = (pair(0, 1) + 2.0 * pair(0, 2) + 5.0 * pair(1, 2)) / 8.0;
    assert!((fitted.objective() - expected).abs() <= 1e-12);
}
