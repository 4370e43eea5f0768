//! Tables of problems with known optima, climbed by both optimizers with and without preconditioning under every constraint.

use sqfa::constraint::Constraint;
use sqfa::model::Restarts;
use sqfa::optimize::{Optimizer, Preconditioning, Stopping};
use sqfa::{ClassStatistics, FittedSqfa, Mat, Noise, Sqfa};

use crate::common::{Normal, diagonal, invertible, normals, product, rotation, stream};
use crate::problems::{
    TIGHT, centered, columns, dot, given, matrix, objective, orthonormal, pencil, random_classes,
    recipe,
};

const ORDER: usize = 8;
/// A climb that stops at changes of 1e-13 ends within a few hundred of those of the optimum.
const OPTIMUM: f64 = 1e-10;
/// A value recomputed after the last step may differ by round-off from the one on the way, but by nothing that
/// the default stopping rule could see: a hundredth of its tolerance.
const ROUND_OFF: f64 = 1e-8;
/// A step as long as the filters along a slope of this size would not move the objective by a millionth,
/// whatever the curvature of these problems: their Hessians are of order one.
const SLOPE: f64 = 1e-5;

/// Classes seen through a map whose squared singular values span four decades.
fn spread(classes: &[Normal], seed: u64) -> Vec<Normal> {
    let mut rng = stream(seed);
    let exponent = |i: usize| 2.0 * i as f64 / (ORDER as f64 - 1.0) - 1.0;
    let stretch: Vec<f64> = (0..ORDER).map(|i| 10.0_f64.powf(exponent(i))).collect();
    let map = product(&rotation(ORDER, &mut rng), &diagonal(&stretch), ORDER);
    classes.iter().map(|class| class.mapped(&map, &[0.0; ORDER])).collect()
}

/// Classes that differ in their means alone.
fn equal_covariances(count: usize, seed: u64) -> Vec<Normal> {
    let classes = random_classes(ORDER, count, seed);
    let covariance = classes[0].covariance.clone();
    let equal: Vec<Normal> = classes
        .into_iter()
        .map(|class| Normal { covariance: covariance.clone(), ..class })
        .collect();
    spread(&equal, seed)
}

/// Variances of the second class in units of the first: all above 1, so that no direction in which the second
/// is the narrower one makes a local optimum.
const RATIOS: [f64; ORDER] = [1.2, 1.5, 2.0, 3.0, 5.0, 8.0, 14.0, 40.0];

/// Two classes that differ in their covariances alone.
fn equal_means(seed: u64) -> Vec<Normal> {
    let mut rng = stream(seed);
    let map = invertible(ORDER, &mut rng);
    let classes = [[1.0; ORDER], RATIOS]
        .map(|variances| Normal::diagonal(&[0.0; ORDER], &variances).mapped(&map, &[0.0; ORDER]));
    spread(&classes, seed)
}

/// The mean over pairs of ΔΔᵀ.
fn between(classes: &[Normal]) -> Vec<f64> {
    let pairs = classes.len() * (classes.len() - 1) / 2;
    let mut scatter = vec![0.0; ORDER * ORDER];
    for i in 0..classes.len() {
        for j in 0..i {
            let delta = |k: usize| classes[i].mean[k] - classes[j].mean[k];
            for (at, entry) in scatter.iter_mut().enumerate() {
                *entry += delta(at / ORDER) * delta(at % ORDER) / pairs as f64;
            }
        }
    }
    scatter
}

/// The sum of the largest eigenvalues of the scatter of means in units of the common covariance.
fn separation(classes: &[Normal], filters: usize) -> f64 {
    let (values, _) = pencil(&classes[0].covariance, &between(classes), ORDER);
    values.iter().rev().take(filters).sum()
}

/// The sum of the largest f(λ) over the generalized eigenvalues of two covariances with noise.
fn spectral(classes: &[Normal], filters: usize, noise: f64, f: impl Fn(f64) -> f64) -> f64 {
    let noisy = |class: &Normal| {
        let mut matrix = class.covariance.clone();
        matrix.iter_mut().step_by(ORDER + 1).for_each(|value| *value += noise);
        matrix
    };
    let (values, _) = pencil(&noisy(&classes[0]), &noisy(&classes[1]), ORDER);
    let mut terms: Vec<f64> = values.into_iter().map(f).collect();
    terms.sort_by(|a, b| b.total_cmp(a));
    terms.iter().take(filters).sum()
}

struct Problem {
    distance: &'static str,
    constraint: Constraint,
    classes: Vec<Normal>,
    filters: usize,
    noise: f64,
    expected: f64,
}

fn problems() -> Vec<Problem> {
    use Constraint::{None, Orthonormal, Sphere};
    let four = equal_covariances(4, 101);
    let two = equal_covariances(2, 102);
    let zero = equal_means(103);
    let square = separation(&two, 1);
    let apart = dot(&two[0].mean, &two[0].mean) + dot(&two[1].mean, &two[1].mean)
        - 2.0 * dot(&two[0].mean, &two[1].mean);
    let log = |x: f64| x.ln().powi(2);
    let overlap = |x: f64| 0.5 * (0.5 * (x.sqrt() + 1.0 / x.sqrt())).ln();
    let exchange = |x: f64| 0.5 * (x + 1.0 / x) - 1.0;
    let problem = |distance, constraint, classes: &[Normal], filters, noise, expected| Problem {
        distance,
        constraint,
        classes: classes.to_vec(),
        filters,
        noise,
        expected,
    };
    let mut problems = vec![
        // Equal covariances: linear discriminant analysis, or the one direction Σ⁻¹Δ.
        problem("squared-mahalanobis", Sphere, &four, 2, 0.0, separation(&four, 2)),
        problem("squared-mahalanobis", Orthonormal, &four, 3, 0.0, separation(&four, 3)),
        problem("squared-mahalanobis", None, &four, 2, 0.0, separation(&four, 2)),
        problem("calvo-oller", Sphere, &two, 1, 0.0, (1.0 + square / 2.0).acosh()),
        problem("bhattacharyya", Sphere, &two, 1, 0.0, square / 8.0),
        problem("jeffreys", Sphere, &two, 1, 0.0, square),
        problem("hellinger", Sphere, &two, 1, 0.0, (1.0 - (-square / 8.0).exp()).sqrt()),
        problem("wasserstein", Orthonormal, &two, 1, 0.5, apart.sqrt()),
        // Equal means, no noise: the generalized eigenvectors that differ most from 1.
        problem("affine-invariant", Sphere, &zero, 3, 0.0, spectral(&zero, 3, 0.0, log).sqrt()),
        problem("calvo-oller", None, &zero, 2, 0.0, (0.5 * spectral(&zero, 2, 0.0, log)).sqrt()),
        problem("bhattacharyya", Sphere, &zero, 2, 0.0, spectral(&zero, 2, 0.0, overlap)),
        problem("jeffreys", Sphere, &zero, 2, 0.0, spectral(&zero, 2, 0.0, exchange)),
    ];
    // Orthonormal filters carry the noise into the pencil.
    for noise in [0.01, 1.0] {
        let logs = spectral(&zero, 2, noise, log);
        problems.extend([
            problem("affine-invariant", Orthonormal, &zero, 2, noise, logs.sqrt()),
            problem("squared-affine-invariant", Orthonormal, &zero, 2, noise, logs),
            problem("calvo-oller", Orthonormal, &zero, 2, noise, (0.5 * logs).sqrt()),
        ]);
        let overlaps = spectral(&zero, 3, noise, overlap);
        problems.push(problem("bhattacharyya", Orthonormal, &zero, 3, noise, overlaps));
    }
    problems
}

fn recipe_of(problem: &Problem) -> Sqfa {
    recipe(problem.filters, problem.distance)
        .constraint(problem.constraint)
        .noise(Noise::Value(problem.noise))
}

/// Both optimizers, with and without preconditioning.
const WAYS: [(Optimizer, Preconditioning); 4] = [
    (Optimizer::Lbfgs, Preconditioning::On),
    (Optimizer::Lbfgs, Preconditioning::Off),
    (Optimizer::Subspace, Preconditioning::On),
    (Optimizer::Subspace, Preconditioning::Off),
];

fn climb(
    problem: &Problem,
    optimizer: Optimizer,
    preconditioning: Preconditioning,
    starts: usize,
) -> FittedSqfa {
    recipe_of(problem)
        .optimizer(optimizer)
        .preconditioning(preconditioning)
        .restarts(Restarts::Count(starts))
        .stopping(TIGHT)
        .fit(&given(&problem.classes))
        .unwrap()
}

#[test]
fn known_optima_are_reached_with_and_without_preconditioning() {
    for problem in problems() {
        for (optimizer, preconditioning) in WAYS {
            let fitted = climb(&problem, optimizer, preconditioning, 12);
            assert_eq!(fitted.preconditioned(), preconditioning == Preconditioning::On);
            let gap = (fitted.objective() - problem.expected).abs() / problem.expected;
            assert!(
                gap <= OPTIMUM,
                "{} {:?} with noise {}, {optimizer:?}, preconditioning {preconditioning:?}: {} of {}, off by {gap:e}",
                problem.distance,
                problem.constraint,
                problem.noise,
                fitted.objective(),
                problem.expected
            );
        }
    }
}

#[test]
fn subspaces_reach_as_much_with_fewer_passes() {
    for problem in problems() {
        for preconditioning in [Preconditioning::On, Preconditioning::Off] {
            let fit = |optimizer| climb(&problem, optimizer, preconditioning, 12);
            let (line, span) = (fit(Optimizer::Lbfgs), fit(Optimizer::Subspace));
            assert!(span.objective() >= (1.0 - OPTIMUM) * line.objective());
            assert!(span.passes() < line.passes(), "{} {}", problem.distance, span.passes());
        }
    }
}

/// Asserts that no run of a fit loses more than a share of its objective from one iteration to the next.
#[track_caller]
fn assert_rises(problem: &Problem, fitted: &FittedSqfa, share: f64) {
    for run in fitted.restarts() {
        for pair in run.trace.windows(2) {
            let lost = (pair[0] - pair[1]) / pair[0].max(1.0);
            assert!(
                lost <= share,
                "{} {:?} with noise {}: {} after {}, {lost:e} less",
                problem.distance,
                problem.constraint,
                problem.noise,
                pair[1],
                pair[0]
            );
        }
    }
}

#[test]
fn the_objective_never_decreases() {
    for problem in problems() {
        for (optimizer, preconditioning) in WAYS {
            assert_rises(&problem, &climb(&problem, optimizer, preconditioning, 3), ROUND_OFF);
        }
    }
}

#[test]
fn filters_that_nearly_coincide_do_not_make_the_objective_drift() {
    // Without preconditioning all filters first run along the same steep directions.
    let random = spread(&centered(&random_classes(ORDER, 2, 103)), 103);
    for problem in problems() {
        if problem.classes[0].mean != [0.0; ORDER] {
            continue;
        }
        let problem = Problem { classes: random.clone(), ..problem };
        for optimizer in [Optimizer::Lbfgs, Optimizer::Subspace] {
            let fitted = climb(&problem, optimizer, Preconditioning::Off, 12);
            // What is reported in the end is what the climb saw, to the default tolerance.
            assert_rises(&problem, &fitted, Stopping::default().tolerance);
        }
    }
}

/// The filters a step away, brought back to the constraint.
fn moved(
    filters: &Mat<f64>,
    direction: &[Vec<f64>],
    step: f64,
    constraint: Constraint,
) -> Mat<f64> {
    let mut away = columns(filters.as_ref());
    for (column, change) in away.iter_mut().zip(direction) {
        column.iter_mut().zip(change).for_each(|(value, change)| *value += step * change);
    }
    match constraint {
        Constraint::None => matrix(&away),
        Constraint::Orthonormal => matrix(&orthonormal(matrix(&away).as_ref())),
        Constraint::Sphere => {
            away.iter_mut().for_each(|column| {
                let length = dot(column, column).sqrt();
                column.iter_mut().for_each(|value| *value /= length);
            });
            matrix(&away)
        }
    }
}

/// The steepest of some random slopes of the objective, by central differences.
fn steepest(
    statistics: &ClassStatistics,
    distance: &str,
    constraint: Constraint,
    noise: f64,
    filters: &Mat<f64>,
) -> f64 {
    let mut rng = stream(110);
    let step = 1e-5;
    (0..12)
        .map(|_| {
            let direction: Vec<Vec<f64>> = (0..filters.ncols())
                .map(|_| {
                    let column = normals(filters.nrows(), &mut rng);
                    let length = dot(&column, &column).sqrt();
                    column.iter().map(|value| value / length).collect()
                })
                .collect();
            let value = |step: f64| {
                let there = moved(filters, &direction, step, constraint);
                objective(statistics, distance, there.as_ref(), noise)
            };
            ((value(step) - value(-step)) / (2.0 * step)).abs()
        })
        .fold(0.0, f64::max)
}

#[test]
fn no_direction_leads_up_from_the_optimum() {
    let statistics = given(&random_classes(9, 4, 111));
    for distance in ["calvo-oller", "affine-invariant", "hellinger", "bhattacharyya", "wasserstein"]
    {
        for constraint in [Constraint::Sphere, Constraint::Orthonormal] {
            let recipe = recipe(3, distance).constraint(constraint).noise(Noise::Value(0.1));
            let fitted = recipe
                .clone()
                .restarts(Restarts::Count(1))
                .stopping(Stopping { tolerance: 1e-12, ..TIGHT })
                .fit(&statistics)
                .unwrap();
            assert!(fitted.converged(), "{distance}: {:?}", fitted.termination());
            let slope = |filters| steepest(&statistics, distance, constraint, 0.1, filters);
            let there = slope(fitted.filters());
            assert!(there <= SLOPE, "{distance} {constraint:?}: slope {there:e}");
            // The same test sees the slope of a start.
            let start = recipe
                .restarts(Restarts::Count(1))
                .stopping(Stopping { max_iterations: 0, ..TIGHT })
                .fit(&statistics)
                .unwrap();
            assert!(slope(start.filters()) > 100.0 * SLOPE);
        }
    }
}
