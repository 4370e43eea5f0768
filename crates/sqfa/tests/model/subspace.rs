//! Climbing in subspaces: fewer passes to the same value, under every promise that L-BFGS keeps.

use sqfa::constraint::Constraint;
use sqfa::model::{Learning, Restarts, Start};
use sqfa::optimize::{Control, Optimizer, Preconditioning, Termination};
use sqfa::statistics::{Covariance, Csr, LowRank, Moments};
use sqfa::{ClassStatistics, Estimator, FittedSqfa, Mat, Noise, Sqfa};

use crate::common::{normals, stream};
use crate::problems::{Sample, TIGHT, bits, given, norm_gap, objective, random_classes, recipe};
use crate::starts::side_by_side_as_alone;

/// Wide enough that the span of a few steps is far from everything.
const ORDER: usize = 60;

fn subspace(filters: usize, distance: &str) -> Sqfa {
    recipe(filters, distance).optimizer(Optimizer::Subspace)
}

/// Asserts that no run loses anything but the round-off of its last recomputation.
#[track_caller]
fn assert_rises(fitted: &FittedSqfa, round_off: f64) {
    for run in fitted.restarts() {
        let last = run.trace.len() - 1;
        for (index, pair) in run.trace.windows(2).enumerate() {
            let allowed = if index + 1 == last { round_off * pair[0].abs() } else { 0.0 };
            assert!(pair[1] >= pair[0] - allowed, "{} after {}", pair[1], pair[0]);
        }
    }
}

#[test]
fn it_takes_fewer_passes_and_reaches_as_much() {
    for distance in ["calvo-oller", "hellinger", "bhattacharyya", "wasserstein"] {
        let (mut lines, mut spans) = (Vec::new(), Vec::new());
        for seed in 0..5 {
            let statistics = given(&random_classes(ORDER, 4, 300 + seed));
            let fit = |optimizer| {
                recipe(3, distance)
                    .optimizer(optimizer)
                    .restarts(Restarts::Count(4))
                    .fit(&statistics)
            };
            let (line, span) = (fit(Optimizer::Lbfgs).unwrap(), fit(Optimizer::Subspace).unwrap());
            assert_eq!(span.optimizer(), Optimizer::Subspace);
            assert!(span.converged(), "{distance}: {:?}", span.termination());
            assert_rises(&span, 1e-12);
            let value = objective(&statistics, distance, span.filters().as_ref(), span.noise());
            assert!((value - span.objective()).abs() <= 1e-12 * value);
            lines.push((line.passes(), line.objective()));
            spans.push((span.passes(), span.objective()));
        }
        let sum = |runs: &[(usize, f64)]| runs.iter().map(|run| run.0).sum::<usize>();
        assert!(3 * sum(&spans) < 2 * sum(&lines), "{distance}: {spans:?} against {lines:?}");
        // Local optima differ a little from start to start; on the whole nothing is lost.
        let mean = |runs: &[(usize, f64)]| runs.iter().map(|run| run.1).sum::<f64>();
        assert!(mean(&spans) >= (1.0 - 1e-3) * mean(&lines), "{distance}: {spans:?} {lines:?}");
    }
}

#[test]
fn restarts_side_by_side_are_those_alone() {
    side_by_side_as_alone(&subspace(3, "calvo-oller"), &random_classes(ORDER, 4, 311));
}

#[test]
fn frozen_filters_stay_as_they_are() {
    let statistics = given(&random_classes(ORDER, 4, 312));
    for constraint in [Constraint::Sphere, Constraint::Orthonormal] {
        for preconditioning in [Preconditioning::On, Preconditioning::Off] {
            let base = |filters| {
                subspace(filters, "calvo-oller")
                    .constraint(constraint)
                    .preconditioning(preconditioning)
                    .restarts(Restarts::Count(2))
            };
            let grouped = base(5).learning(Learning::Sequential(2)).fit(&statistics).unwrap();
            let alone = base(2).fit(&statistics).unwrap();
            let first = grouped.filters().subcols(0, 2).to_owned();
            assert!(norm_gap(&first, alone.filters()) <= 1e-15, "{constraint:?}");
            assert!(grouped.objective() > alone.objective());
            let value =
                objective(&statistics, "calvo-oller", grouped.filters().as_ref(), grouped.noise());
            assert!((value - grouped.objective()).abs() <= 1e-12 * value);
        }
    }
}

#[test]
fn filters_that_depend_on_each_other_are_a_start_like_any_other() {
    let statistics = given(&random_classes(ORDER, 4, 313));
    let values = normals(ORDER * 2, &mut stream(314));
    // The third is the sum of the first two: a basis of three filters has two vectors.
    let start = Mat::from_fn(ORDER, 3, |i, j| match j {
        2 => values[2 * i] + values[2 * i + 1],
        j => values[2 * i + j],
    });
    let fitted = subspace(3, "calvo-oller")
        .noise(Noise::Value(0.1))
        .start(Start::Given(start))
        .fit(&statistics)
        .unwrap();
    assert!(fitted.converged());
    assert_rises(&fitted, 1e-12);
    // Three filters tell more than the two that the start amounts to.
    let two = subspace(2, "calvo-oller").noise(Noise::Value(0.1)).restarts(Restarts::Count(4));
    assert!(fitted.objective() > two.fit(&statistics).unwrap().objective());
}

#[test]
fn a_climb_within_a_subspace_can_be_cancelled() {
    let statistics = given(&random_classes(ORDER, 3, 315));
    let recipe = subspace(3, "calvo-oller").restarts(Restarts::Count(2));
    let mut told = Vec::new();
    let whole = recipe
        .fit_observed(&statistics, &mut |progress| {
            told.push((progress.iteration, progress.passes));
            Control::Continue
        })
        .unwrap();
    assert_eq!(bits(whole.filters()), bits(recipe.fit(&statistics).unwrap().filters()));
    assert!(told.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(
        told.last().unwrap().0,
        whole.restarts().iter().map(|r| r.iterations).max().unwrap()
    );
    // The first iteration has steps of its own, and its third is not its last.
    assert!(told.iter().filter(|told| told.0 == 1).count() > 4);
    for stop in [1, 3, 30] {
        let mut calls = 0;
        let fitted = recipe
            .fit_observed(&statistics, &mut |_| {
                calls += 1;
                if calls == stop { Control::Cancel } else { Control::Continue }
            })
            .unwrap();
        assert_eq!(calls, stop, "told again after it was cancelled");
        assert_eq!(fitted.termination(), Termination::Cancelled);
        // What had been gained is kept.
        assert!(fitted.objective() > fitted.trace()[0]);
        assert!(fitted.objective() < whole.objective());
        let value =
            objective(&statistics, "calvo-oller", fitted.filters().as_ref(), fitted.noise());
        assert!((value - fitted.objective()).abs() <= 1e-12 * value);
    }
}

#[test]
fn every_form_and_constraint_is_climbed_to_the_same_optimum() {
    let sample = Sample::draw(&[30, 25, 40], ORDER, 316);
    let (points, labels) = (sample.points(), &sample.labels);
    let dense = ClassStatistics::from_points(points, labels, Estimator::Oas).unwrap();
    let starts = (0..=sample.rows()).map(|row| row * sample.columns).collect();
    let indices = (0..sample.rows()).flat_map(|_| 0..sample.columns as u32).collect();
    let table = Csr::new(sample.columns, starts, indices, sample.values.clone()).unwrap();
    let values = normals(ORDER * 2, &mut stream(317));
    let start = Mat::from_fn(ORDER, 2, |i, j| values[2 * i + j]);
    for (distance, constraint) in [
        ("calvo-oller", Constraint::Sphere),
        ("hellinger", Constraint::Orthonormal),
        ("affine-invariant", Constraint::None),
    ] {
        // Without a constraint only the noise-free objective has a maximum.
        let noise = if constraint == Constraint::None { 0.0 } else { 0.3 };
        let fit = |statistics: &ClassStatistics, optimizer| {
            recipe(2, distance)
                .constraint(constraint)
                .noise(Noise::Value(noise))
                .start(Start::Given(start.clone()))
                .stopping(TIGHT)
                .optimizer(optimizer)
                .fit(statistics)
                .unwrap()
        };
        let expected = fit(&dense, Optimizer::Subspace);
        for form in [
            ClassStatistics::from_factors(points, labels, Estimator::Oas).unwrap(),
            ClassStatistics::from_sparse(&table, labels, Estimator::Oas).unwrap(),
        ] {
            let found = fit(&form, Optimizer::Subspace);
            let gap = (found.objective() - expected.objective()).abs();
            assert!(gap < 1e-9 * expected.objective(), "{distance}: {gap:e}");
        }
        assert_rises(&expected, 1e-10);
    }
    // Low rank: three axes a class on top of the identity.
    let covariances = (0..3)
        .map(|class| {
            let axes = normals(ORDER * 3, &mut stream(318 + class));
            let axes = Mat::from_fn(ORDER, 3, |i, j| axes[3 * i + j]);
            Box::new(LowRank::new(axes, vec![0.4; 3], 1.0).unwrap()) as Box<dyn Covariance>
        })
        .collect();
    let classes = sqfa::Classes::numbered(3);
    let means = Mat::zeros(ORDER, 3);
    let low = ClassStatistics::from_parts(classes, None, means, covariances, Moments::Central);
    let fit = |optimizer| {
        let recipe = recipe(3, "calvo-oller").noise(Noise::Value(0.1)).optimizer(optimizer);
        recipe.restarts(Restarts::Count(6)).stopping(TIGHT).fit(&low).unwrap().objective()
    };
    let (line, span) = (fit(Optimizer::Lbfgs), fit(Optimizer::Subspace));
    assert!((line - span).abs() < 1e-9 * line, "{span} against {line}");
}

#[test]
fn the_choice_follows_the_counted_work_alone() {
    let chosen = |order: usize, classes: usize, filters: usize, starts: usize| {
        let statistics = given(&random_classes(order, classes, 320));
        let stopping = sqfa::optimize::Stopping { max_iterations: 1, ..Default::default() };
        let recipe = recipe(filters, "calvo-oller").restarts(Restarts::Count(starts));
        recipe.stopping(stopping).fit(&statistics).unwrap().optimizer()
    };
    for starts in [1, 5] {
        // Large matrices, one pair: a pass costs hundreds of evaluations.
        assert_eq!(chosen(200, 2, 2, starts), Optimizer::Subspace);
        // Small ones, 435 pairs: an evaluation costs several passes.
        assert_eq!(chosen(12, 30, 2, starts), Optimizer::Lbfgs);
        // Nearly as many filters as dimensions: nothing is left for a subspace.
        assert_eq!(chosen(20, 2, 10, starts), Optimizer::Lbfgs);
    }
    for (name, optimizer) in sqfa::optimize::OPTIMIZERS {
        assert_eq!(optimizer.name(), name);
    }
}
