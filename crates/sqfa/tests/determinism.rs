//! Results have the same bits at any number of threads, for statistics and fits in both precisions.

#![allow(clippy::unwrap_used)]

mod common;
mod problems;

use sqfa::constraint::Constraint;
use sqfa::model::{Learning, Restarts};
use sqfa::optimize::{Optimizer, Preconditioning, Stopping};
use sqfa::{ClassStatistics, Estimator, Noise, Points, Table};

use common::{normals, stream};
use problems::{Sample, bits, entries, recipe};

const COLUMNS: usize = 600;
const THREADS: [usize; 3] = [1, 2, 5];

/// Three classes whose variances decrease over the columns, like those of images.
fn sample() -> Sample {
    let mut rng = stream(601);
    let counts = [650, 700, 620];
    let shared = normals(COLUMNS, &mut rng);
    let mut values = Vec::new();
    let mut names = Vec::new();
    for (class, count) in counts.into_iter().enumerate() {
        let mean = normals(COLUMNS, &mut rng);
        for _ in 0..count {
            let point = normals(COLUMNS, &mut rng);
            let common = point[0] * (1.0 + class as f64);
            values.extend((0..COLUMNS).map(|i| {
                let scale = 3.0 / (1.0 + 0.1 * i as f64);
                scale
                    * (0.3 * mean[i] + point[i] + 0.5 * common * shared[(i * 7 + class) % COLUMNS])
            }));
            names.push(class as i64);
        }
    }
    Sample { columns: COLUMNS, values, labels: sqfa::Labels::from_integers(&names) }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn statistics(points: Points<'_>, sample: &Sample) -> Vec<ClassStatistics> {
    THREADS
        .iter()
        .map(|&threads| {
            on_threads(threads, || {
                ClassStatistics::from_points(points, &sample.labels, Estimator::Oas).unwrap()
            })
        })
        .collect()
}

/// Computes statistics at several numbers of threads, asserts that their bits are equal, and returns one result.
fn same_statistics(points: Points<'_>, sample: &Sample) -> ClassStatistics {
    let mut all = statistics(points, sample);
    let last = all.pop().unwrap();
    for other in &all {
        assert_eq!(other.means(), last.means());
        for class in 0..3 {
            assert!(entries(other, class) == entries(&last, class), "class {class}");
        }
    }
    last
}

#[test]
fn statistics_and_filters_have_the_same_bits_at_any_number_of_threads() {
    let sample = sample();
    let (singles, _) = sample.singles();
    let (bytes, _) = sample.bytes();
    let rows = sample.rows();
    same_statistics(Table::row_major(&bytes, rows, COLUMNS).unwrap().into(), &sample);
    let double = same_statistics(sample.points(), &sample);
    let single =
        same_statistics(Table::row_major(&singles, rows, COLUMNS).unwrap().into(), &sample);
    let stopping = Stopping { max_iterations: 12, ..Stopping::default() };
    for statistics in [&double, &single] {
        for preconditioning in [Preconditioning::On, Preconditioning::Off] {
            for (filters, learning, constraint, optimizer) in [
                (3, Learning::Joint, Constraint::Sphere, Optimizer::Lbfgs),
                (3, Learning::Sequential(2), Constraint::Sphere, Optimizer::Lbfgs),
                (3, Learning::Joint, Constraint::Orthonormal, Optimizer::Lbfgs),
                (3, Learning::Joint, Constraint::Sphere, Optimizer::Subspace),
                (3, Learning::Sequential(2), Constraint::Orthonormal, Optimizer::Subspace),
                (20, Learning::Joint, Constraint::Sphere, Optimizer::Lbfgs),
            ] {
                let recipe = recipe(filters, "calvo-oller")
                    .constraint(constraint)
                    .optimizer(optimizer)
                    .preconditioning(preconditioning)
                    .learning(learning)
                    .noise(Noise::Value(0.05))
                    .restarts(Restarts::Count(2))
                    .stopping(stopping);
                let fits =
                    THREADS.map(|threads| on_threads(threads, || recipe.fit(statistics).unwrap()));
                for other in &fits[1..] {
                    assert_eq!(bits(other.filters()), bits(fits[0].filters()));
                    assert_eq!(other.trace(), fits[0].trace());
                    assert_eq!(
                        (other.passes(), other.evaluations(), other.best()),
                        (fits[0].passes(), fits[0].evaluations(), fits[0].best())
                    );
                }
                let preconditioned = preconditioning == Preconditioning::On;
                assert_eq!(fits[0].preconditioned(), preconditioned);
            }
        }
    }
}

#[test]
fn features_have_the_same_bits_at_any_number_of_threads() {
    let sample = sample();
    let (singles, _) = sample.singles();
    let filters = problems::axes(COLUMNS, &[3, 99, 300]);
    for points in
        [sample.points(), Table::row_major(&singles, sample.rows(), COLUMNS).unwrap().into()]
    {
        let runs = THREADS
            .map(|threads| on_threads(threads, || sqfa::transform(points, filters.as_ref(), None)));
        assert!(runs[0] == runs[1] && runs[0] == runs[2]);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_another_start() {
    let sample = Sample::draw(&[80, 70, 90], 30, 602);
    let statistics = sample.statistics();
    let fit = |seed| recipe(3, "hellinger").seed(seed).fit(&statistics).unwrap();
    let (first, again, other) = (fit(4), fit(4), fit(5));
    assert_eq!(bits(first.filters()), bits(again.filters()));
    assert_eq!(first.trace(), again.trace());
    let start = |fitted: &sqfa::FittedSqfa| fitted.restarts()[0].trace[0];
    assert_ne!(start(&first), start(&other));
    // Initializations within one fit differ from each other as well.
    assert_ne!(first.restarts()[0].trace[0], first.restarts()[1].trace[0]);
}

#[test]
fn robust_statistics_have_the_same_bits_at_any_number_of_threads() {
    let sample = Sample::draw(&[700, 900, 650], 30, 605);
    let (singles, _) = sample.singles();
    let table = Table::row_major(&singles, sample.rows(), 30).unwrap();
    for points in [sample.points(), table.into()] {
        for estimator in ["t:5", "t:auto", "tyler", "mcd:0.8"] {
            let estimator: Estimator = estimator.parse().unwrap();
            let all = THREADS.map(|threads| {
                on_threads(threads, || {
                    ClassStatistics::from_points(points, &sample.labels, estimator).unwrap()
                })
            });
            for other in &all[1..] {
                assert_eq!(bits(other.means()), bits(all[0].means()), "{estimator}");
                assert!((0..3).all(|class| entries(other, class) == entries(&all[0], class)));
                assert_eq!(other.degrees(), all[0].degrees());
            }
        }
    }
}
