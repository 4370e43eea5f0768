//! Where fits begin: restarts that do not know of each other, principal components, given filters, seeds.

use sqfa::Sqfa;
use sqfa::model::{Restarts, Start};
use sqfa::optimize::{Preconditioning, Stopping};

use crate::common::{Normal, diagonal};
use crate::problems::{axes, bits, given, given_single, objective, random_classes, recipe};

#[test]
fn restarts_side_by_side_are_those_alone() {
    side_by_side_as_alone(&recipe(3, "calvo-oller"), &random_classes(10, 4, 21));
}

/// Every restart has the bits that it has beside fewer others, and passes are shared.
pub(crate) fn side_by_side_as_alone(recipe: &Sqfa, classes: &[Normal]) {
    for statistics in [given(classes), given_single(classes)] {
        for preconditioning in [Preconditioning::On, Preconditioning::Off] {
            let fit = |count| {
                recipe
                    .clone()
                    .preconditioning(preconditioning)
                    .restarts(Restarts::Count(count))
                    .seed(9)
                    .fit(&statistics)
                    .unwrap()
            };
            let three = fit(3);
            assert_eq!(three.restarts().len(), 3);
            for restart in 0..3 {
                let fewer = fit(restart + 1);
                let (here, there) = (&three.restarts()[restart], &fewer.restarts()[restart]);
                let exact = |trace: &[f64]| trace.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(exact(&here.trace), exact(&there.trace), "restart {restart}");
                assert_eq!(here.objective.to_bits(), there.objective.to_bits());
                assert_eq!(
                    (here.iterations, here.passes, here.evaluations, here.termination),
                    (there.iterations, there.passes, there.evaluations, there.termination)
                );
                if three.best() == fewer.best() {
                    assert_eq!(bits(three.filters()), bits(fewer.filters()));
                }
            }
            let best = three.restarts().iter().map(|run| run.objective).fold(0.0, f64::max);
            assert_eq!(three.objective(), best);
            // A shared pass serves every start that is still climbing.
            let most = three.restarts().iter().map(|run| run.passes).max().unwrap();
            let sum: usize = three.restarts().iter().map(|run| run.passes).sum();
            assert!(three.passes() >= most && three.passes() < sum);
        }
    }
}

#[test]
fn automatic_restarts_are_sixteen_filters_worth() {
    let statistics = given(&random_classes(20, 3, 22));
    for (filters, starts) in [(1, 16), (2, 8), (3, 5), (5, 3), (8, 2), (9, 1), (16, 1), (17, 1)] {
        let short = Stopping { max_iterations: 2, ..Stopping::default() };
        let fitted = recipe(filters, "calvo-oller").stopping(short).fit(&statistics).unwrap();
        assert_eq!(fitted.restarts().len(), starts, "{filters} filters");
    }
    let given = recipe(2, "calvo-oller").start(Start::Pca).fit(&statistics).unwrap();
    assert_eq!(given.restarts().len(), 1);
}

/// No iteration at all: the filters are the start.
const STAY: Stopping = Stopping { max_iterations: 0, tolerance: 1e-6 };

#[test]
fn given_filters_are_where_the_fit_starts() {
    let statistics = given(&random_classes(5, 3, 23));
    let start = axes(5, &[1, 3]);
    let recipe = recipe(2, "hellinger").start(Start::Given(start.clone()));
    let unmoved = recipe.clone().stopping(STAY).fit(&statistics).unwrap();
    assert_eq!(unmoved.filters(), &start);
    let fitted = recipe.fit(&statistics).unwrap();
    let first = objective(&statistics, "hellinger", start.as_ref(), fitted.noise());
    assert!((fitted.trace()[0] - first).abs() <= 1e-13);
    assert!(fitted.objective() > first);
    // Filters of another length are the same start on the sphere.
    let long = sqfa::Mat::from_fn(5, 2, |i, j| 250.0 * start[(i, j)]);
    let unmoved = crate::problems::recipe(2, "hellinger")
        .start(Start::Given(long))
        .stopping(STAY)
        .fit(&statistics)
        .unwrap();
    assert_eq!(unmoved.filters(), &start);
}

#[test]
fn principal_components_are_where_the_fit_starts() {
    // Twelve rounds of subspace iteration on variances that fall by a factor of four: 4⁻¹² and less.
    let tolerance = 1e-6;
    let falling: Vec<f64> = (0..12).map(|i| 0.5_f64.powi(i)).collect();
    let classes: Vec<Normal> = random_classes(12, 3, 24)
        .iter()
        .map(|class| class.mapped(&diagonal(&falling), &[0.0; 12]))
        .collect();
    let statistics = given(&classes);
    let fitted =
        recipe(2, "calvo-oller").start(Start::Pca).stopping(STAY).fit(&statistics).unwrap();
    let (components, _) = statistics.principal_components(2).unwrap();
    let gap = crate::problems::subspace_gap(fitted.filters().as_ref(), components.as_ref());
    assert!(gap <= tolerance, "{gap:e}");
}

#[test]
fn the_seed_decides_the_start() {
    let statistics = given(&random_classes(6, 3, 25));
    let start = |seed| {
        let recipe = recipe(2, "calvo-oller").seed(seed).restarts(Restarts::Count(1));
        recipe.stopping(STAY).fit(&statistics).unwrap().filters().clone()
    };
    assert_eq!(bits(&start(1)), bits(&start(1)));
    assert_ne!(bits(&start(1)), bits(&start(2)));
}

/// Two random filters in the plane are within a thousandth of parallel about once in 1600 starts; that must not end a fit.
#[test]
fn no_seed_gives_a_degenerate_start() {
    let statistics = given(&random_classes(2, 3, 33));
    let briefly = Stopping { max_iterations: 1, ..Stopping::default() };
    for seed in 0..400 {
        let recipe = recipe(2, "hellinger").restarts(Restarts::Count(8)).stopping(briefly);
        let orthonormal = recipe.constraint(sqfa::constraint::Constraint::Orthonormal).seed(seed);
        assert!(orthonormal.fit(&statistics).is_ok(), "seed {seed}");
    }
}

#[test]
fn inverse_regression_is_where_the_fit_starts() {
    let statistics = given(&random_classes(6, 3, 26));
    for name in ["save", "directional-regression"] {
        let start = Start::named(name).unwrap();
        let recipe = recipe(2, "calvo-oller").start(start);
        let unmoved = recipe.clone().stopping(STAY).fit(&statistics).unwrap();
        let settings = sqfa::reduce::ReducerSettings {
            noise: sqfa::Noise::Value(unmoved.noise()),
            ..Default::default()
        };
        let closed = sqfa::reduce::reducer(name, &settings).unwrap();
        let training = sqfa::reduce::Training::from_statistics(&statistics);
        let closed =
            closed.fit_one(&training, 2, &mut |_| sqfa::optimize::Control::Continue).unwrap();
        // A start is brought to unit length once more, which may turn a last bit.
        let apart = unmoved.filters() - &closed.filters;
        assert!(apart.norm_max() <= 4.0 * f64::EPSILON, "{name}: {:e}", apart.norm_max());
        let fitted = recipe.fit(&statistics).unwrap();
        assert_eq!((fitted.restarts().len(), fitted.converged()), (1, true));
        assert!(fitted.objective() > unmoved.objective());
    }
    assert!(Start::NAMES.iter().all(|name| Start::named(name).is_some()));
    assert!(Start::named("sage").is_none());
}
