//! A sample of the pairs of classes: nothing changes where they are few, and what is reported looks at all.

use sqfa::distance::Pairs;
use sqfa::model::Restarts;

use crate::problems::{bits, given, objective, random_classes, recipe};

#[test]
fn few_classes_are_always_looked_at_in_all_pairs() {
    let statistics = given(&random_classes(6, 9, 401));
    let fit = |pairs| recipe(2, "calvo-oller").pairs(pairs).fit(&statistics).unwrap();
    let all = fit(Pairs::All);
    for pairs in [Pairs::Auto, Pairs::Count(36), Pairs::Count(1000)] {
        assert_eq!(bits(fit(pairs).filters()), bits(all.filters()));
    }
    assert_ne!(bits(fit(Pairs::Count(9)).filters()), bits(all.filters()));
}

#[test]
fn what_is_reported_of_a_sample_looks_at_all_pairs() {
    let statistics = given(&random_classes(10, 120, 402));
    for distance in ["calvo-oller", "hellinger"] {
        let recipe = recipe(2, distance).restarts(Restarts::Count(6)).pairs(Pairs::Count(1200));
        let some = recipe.fit(&statistics).unwrap();
        let value = objective(&statistics, distance, some.filters().as_ref(), some.noise());
        assert!((value - some.objective()).abs() <= 1e-12 * value);
        assert_eq!(some.trace().last(), Some(&some.objective()));
        // It decides between the starts, too.
        assert!(some.restarts().iter().all(|run| run.objective <= some.objective()));
    }
}
