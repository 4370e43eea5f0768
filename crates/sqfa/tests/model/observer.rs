//! An observer is told every iteration and may cancel; running out of iterations is told, too.

use sqfa::model::{Learning, Restarts, Warning};
use sqfa::optimize::{Control, Progress, Stopping, Termination};

use crate::problems::{given, random_classes, recipe};

#[test]
fn every_iteration_is_told() {
    let statistics = given(&random_classes(8, 3, 31));
    let mut told: Vec<Progress> = Vec::new();
    let fitted = recipe(2, "calvo-oller")
        .restarts(Restarts::Count(3))
        .fit_observed(&statistics, &mut |progress| {
            told.push(*progress);
            Control::Continue
        })
        .unwrap();
    let longest = fitted.restarts().iter().map(|run| run.iterations).max().unwrap();
    assert_eq!(told.len(), longest);
    for (index, progress) in told.iter().enumerate() {
        assert_eq!((progress.iteration, progress.starts, progress.frozen), (index + 1, 3, 0));
        assert!(progress.active <= 3);
    }
    for pair in told.windows(2) {
        assert!(pair[1].objective >= pair[0].objective * (1.0 - 1e-12));
        assert!(pair[1].passes > pair[0].passes && pair[1].active <= pair[0].active);
    }
    assert_eq!(told.last().unwrap().active, 0);
    // One more pass recomputes what is reported.
    assert_eq!(told.last().unwrap().passes + 1, fitted.passes());
}

#[test]
fn observing_changes_nothing() {
    let statistics = given(&random_classes(8, 3, 32));
    let recipe = recipe(2, "calvo-oller");
    let silent = recipe.fit(&statistics).unwrap();
    let watched = recipe.fit_observed(&statistics, &mut |_| Control::Continue).unwrap();
    assert_eq!(crate::problems::bits(silent.filters()), crate::problems::bits(watched.filters()));
}

#[test]
fn a_fit_can_be_cancelled() {
    let statistics = given(&random_classes(8, 3, 33));
    for last in [1, 3] {
        let mut calls = 0;
        let fitted = recipe(2, "calvo-oller")
            .fit_observed(&statistics, &mut |progress| {
                calls += 1;
                if progress.iteration == last { Control::Cancel } else { Control::Continue }
            })
            .unwrap();
        assert_eq!((calls, fitted.iterations()), (last, last));
        assert_eq!(fitted.termination(), Termination::Cancelled);
        assert!(!fitted.converged());
        let termination = Termination::Cancelled;
        assert_eq!(fitted.warnings(), [Warning::NotConverged { iterations: last, termination }]);
        // What there is, is sound.
        assert_eq!(fitted.filters().ncols(), 2);
        assert!(fitted.objective() >= fitted.trace()[0]);
    }
}

#[test]
fn cancelling_a_group_ends_sequential_learning() {
    let statistics = given(&random_classes(8, 4, 34));
    let recipe =
        recipe(6, "calvo-oller").learning(Learning::Sequential(2)).restarts(Restarts::Count(3));
    let mut longest = 0;
    recipe
        .fit_observed(&statistics, &mut |progress| {
            if progress.frozen == 2 {
                longest = progress.iteration;
            }
            Control::Continue
        })
        .unwrap();
    // Early, and in the very iteration in which the last start of the group converges.
    for when in [1, longest / 2, longest] {
        let mut later = 0;
        let fitted = recipe
            .fit_observed(&statistics, &mut |progress| {
                later += usize::from(progress.frozen > 2);
                match (progress.frozen, progress.iteration) {
                    (2, iteration) if iteration == when => Control::Cancel,
                    _ => Control::Continue,
                }
            })
            .unwrap();
        assert_eq!(later, 0, "cancelled at iteration {when}, but the next group began");
        assert_eq!(fitted.filters().ncols(), 4);
        assert!(fitted.warnings().contains(&Warning::CancelledAfter { learned: 4, filters: 6 }));
    }
}

#[test]
fn running_out_of_iterations_is_told() {
    let statistics = given(&random_classes(8, 3, 36));
    for most in [0, 1, 4] {
        let stopping = Stopping { max_iterations: most, tolerance: 0.0 };
        let fitted = recipe(2, "calvo-oller").stopping(stopping).fit(&statistics).unwrap();
        assert_eq!(fitted.termination(), Termination::MaxIterations);
        assert_eq!((fitted.iterations(), fitted.converged()), (most, false));
        let warning = fitted.warnings()[0].to_string();
        let expected = format!("stopped after {most} iterations (max-iterations)");
        assert!(warning.contains(&expected), "{warning}");
    }
}
