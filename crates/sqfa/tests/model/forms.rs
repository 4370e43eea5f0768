//! Fits reach the same optimum in whatever form the covariances are kept.

use sqfa::constraint::Constraint;
use sqfa::model::{FitError, Restarts, Start};
use sqfa::optimize::{Control, Preconditioning};
use sqfa::statistics::{Covariance, Csr, Dense, LowRank, Moments, StatisticsError};
use sqfa::{ClassStatistics, Classes, Distance, Estimator, Mat, Noise, Sqfa};

use crate::common::{normals, stream};
use crate::problems::{Sample, TIGHT, bits, objective, recipe};

/// Climbs that stop at changes of 1e-13 from one start end within this of each other.
const SAME: f64 = 1e-9;
/// Single-precision passes keep the objective to about this.
const SINGLE: f64 = 2e-6;
const NOISE: f64 = 0.3;

fn block(n: usize, columns: usize, seed: u64) -> Mat<f64> {
    let values = normals(n * columns, &mut stream(seed));
    Mat::from_fn(n, columns, |i, j| values[i * columns + j])
}

fn sparse(sample: &Sample) -> Csr<f64> {
    let starts = (0..=sample.rows()).map(|row| row * sample.columns).collect();
    let indices = (0..sample.rows()).flat_map(|_| 0..sample.columns as u32).collect();
    Csr::new(sample.columns, starts, indices, sample.values.clone()).unwrap()
}

fn tight(filters: usize, distance: &str, start: &Mat<f64>) -> Sqfa {
    let start = Start::Given(start.clone());
    recipe(filters, distance).noise(Noise::Value(NOISE)).stopping(TIGHT).start(start)
}

#[test]
fn every_form_reaches_the_optimum_of_the_dense_one() {
    let sample = Sample::draw(&[30, 25, 40], 60, 31);
    let start = block(60, 2, 32);
    for distance in ["calvo-oller", "hellinger", "wasserstein"] {
        for estimator in [Estimator::Empirical, Estimator::Oas] {
            let (points, labels) = (sample.points(), &sample.labels);
            let dense = ClassStatistics::from_points(points, labels, estimator).unwrap();
            let fit = |statistics: &ClassStatistics, requested| {
                tight(2, distance, &start).preconditioning(requested).fit(statistics).unwrap()
            };
            let expected = fit(&dense, Preconditioning::Off);
            for form in [
                ClassStatistics::from_factors(points, labels, estimator).unwrap(),
                ClassStatistics::from_sparse(&sparse(&sample), labels, estimator).unwrap(),
            ] {
                let found = fit(&form, Preconditioning::Off);
                let gap = (found.objective() - expected.objective()).abs();
                assert!(gap < SAME * expected.objective(), "{distance} {estimator}: {gap:e}");
                // Its value is what the dense covariances say it is.
                let value = objective(&dense, distance, found.filters().as_ref(), NOISE);
                assert!((value - found.objective()).abs() < SAME * value);
            }
        }
    }
}

#[test]
fn leading_directions_precondition_where_nothing_can_be_factored() {
    // Variances over four decades.
    let sample = Sample::draw(&[150, 150, 150], 60, 33);
    let sample = sample.mapped(60, |row| {
        row.iter().enumerate().map(|(i, x)| x * 10f64.powf(1.0 - i as f64 / 30.0)).collect()
    });
    let statistics =
        ClassStatistics::from_factors(sample.points(), &sample.labels, Estimator::Empirical)
            .unwrap();
    let start = block(60, 2, 34);
    let fit = |requested| {
        tight(2, "calvo-oller", &start)
            .noise(Noise::Value(1e-3))
            .preconditioning(requested)
            .fit(&statistics)
    };
    let (off, on) = (fit(Preconditioning::Off).unwrap(), fit(Preconditioning::On).unwrap());
    assert!(on.preconditioned() && !off.preconditioned());
    // Different metrics may climb different hills; none is worth less than the plain one by much.
    assert!(
        on.objective() > (1.0 - 1e-2) * off.objective(),
        "{} {}",
        on.objective(),
        off.objective()
    );
    assert!(2 * on.passes() < off.passes(), "{} {}", on.passes(), off.passes());
    let value = objective(&sample.statistics(), "calvo-oller", on.filters().as_ref(), 1e-3);
    assert!((value - on.objective()).abs() < SAME * value);
}

#[test]
fn low_rank_and_dense_climb_alike() {
    let n = 30;
    let classes = 3;
    let means = block(n, classes, 35);
    let forms: Vec<LowRank> = (0..classes as u64)
        .map(|class| {
            let weights = vec![0.5, 1.0 + class as f64, 0.2];
            LowRank::new(block(n, 3, 36 + class), weights, 0.4).unwrap()
        })
        .collect();
    let dense = forms.iter().map(|form| {
        let identity = Mat::identity(n, n);
        let mut entries = Mat::zeros(n, n);
        form.multiply(identity.as_ref(), entries.as_mut(), n);
        let entries = (0..n * n).map(|at| entries[(at / n, at % n)]).collect();
        Box::new(Dense::<f64>::new(entries, n).unwrap()) as Box<dyn Covariance>
    });
    let make = |covariances| {
        let names = Classes::numbered(classes);
        ClassStatistics::from_parts(names, None, means.clone(), covariances, Moments::Central)
    };
    let dense = make(dense.collect());
    let form = make(forms.iter().map(|form| Box::new(form.clone()) as _).collect());
    for requested in [Preconditioning::Off, Preconditioning::On] {
        let recipe = tight(2, "hellinger", &block(n, 2, 40)).preconditioning(requested);
        let (found, expected) = (recipe.fit(&form).unwrap(), recipe.fit(&dense).unwrap());
        let gap = (found.objective() - expected.objective()).abs();
        assert!(gap < SAME * expected.objective(), "{gap:e}");
    }
    let pca = tight(2, "hellinger", &block(n, 2, 40)).start(Start::Pca);
    assert!(
        (pca.fit(&form).unwrap().objective() - pca.fit(&dense).unwrap().objective()).abs() < 1e-6
    );
}

#[test]
fn the_span_of_the_data_holds_the_optimum() {
    let sample = Sample::draw(&[12, 9, 15], 120, 41);
    let (points, labels) = (sample.points(), &sample.labels);
    for (distance, constraint) in [
        ("calvo-oller", Constraint::Sphere),
        ("hellinger", Constraint::Sphere),
        ("affine-invariant", Constraint::Sphere),
        ("wasserstein", Constraint::Orthonormal),
    ] {
        for estimator in [Estimator::Empirical, Estimator::Shrinkage(0.3)] {
            let dense = ClassStatistics::from_points(points, labels, estimator).unwrap();
            let factor = ClassStatistics::from_factors(points, labels, estimator).unwrap();
            let span = factor.reduced_to_span(2).unwrap();
            // From a start inside, both climb the same hill.
            let start = span.lift(block(span.statistics().dimension(), 2, 42).as_ref());
            let recipe = tight(2, distance, &start)
                .constraint(constraint)
                .preconditioning(Preconditioning::Off);
            let expected = recipe.fit(&dense).unwrap();
            let found = recipe.fit_in_span(&factor, &mut |_| Control::Continue).unwrap();
            let gap = (found.objective() - expected.objective()).abs();
            assert!(gap < SAME * expected.objective(), "{distance} {estimator}: {gap:e}");
            let value = objective(&dense, distance, found.filters().as_ref(), NOISE);
            assert!((value - found.objective()).abs() < SAME * value, "{distance}");
        }
    }
    // From random starts in the whole space nothing better is found outside.
    let dense = ClassStatistics::from_points(points, labels, Estimator::Empirical).unwrap();
    let factor = ClassStatistics::from_factors(points, labels, Estimator::Empirical).unwrap();
    let recipe = recipe(1, "calvo-oller").restarts(Restarts::Count(12)).stopping(TIGHT);
    let whole = recipe.fit(&dense).unwrap();
    let inside = recipe.fit_in_span(&factor, &mut |_| Control::Continue).unwrap();
    assert!((whole.noise() - inside.noise()).abs() < 1e-12, "the noise is that of the whole space");
    assert!(
        (whole.objective() - inside.objective()).abs() < 1e-7,
        "{} {}",
        whole.objective(),
        inside.objective()
    );
}

#[test]
fn what_the_span_cannot_hold_is_refused() {
    let sample = Sample::draw(&[4, 4], 40, 43);
    let statistics =
        ClassStatistics::from_factors(sample.points(), &sample.labels, Estimator::Empirical)
            .unwrap();
    let problem = |recipe: Sqfa| match recipe
        .fit_in_span(&statistics, &mut |_| Control::Continue)
        .unwrap_err()
    {
        FitError::Statistics(StatisticsError::NoSpan { problem }) => problem,
        other => panic!("{other}"),
    };
    assert!(problem(recipe(2, "log-euclidean")).contains("log-euclidean"));
    assert!(problem(recipe(2, "hellinger").constraint(Constraint::None)).contains("sphere"));
    assert!(problem(recipe(9, "hellinger")).contains("at most 8"));
    let bare = recipe(2, "hellinger").noise(Noise::Value(0.0));
    let error = bare.fit_in_span(&statistics, &mut |_| Control::Continue).unwrap_err();
    assert!(matches!(error, FitError::RankDeficient { count: 4, dimension: 40, .. }), "{error}");
    assert!(Distance::named("log-euclidean").is_ok());
}

#[test]
fn bits_of_every_form_are_the_same_at_any_thread_count_and_beside_any_start() {
    let sample = Sample::draw(&[80, 90], 150, 44);
    let (singles, _) = sample.singles();
    let table = sqfa::Table::row_major(&singles, sample.rows(), 150).unwrap();
    let factor =
        ClassStatistics::from_factors(table.into(), &sample.labels, Estimator::Empirical).unwrap();
    let csr = sparse(&sample);
    let sparse = ClassStatistics::from_sparse(&csr, &sample.labels, Estimator::Oas).unwrap();
    for statistics in [&factor, &sparse] {
        let fit = |threads, starts| {
            let recipe = recipe(3, "calvo-oller").restarts(Restarts::Count(starts)).seed(5);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| recipe.fit(statistics)).unwrap()
        };
        let one = fit(1, 3);
        assert_eq!(bits(one.filters()), bits(fit(3, 3).filters()));
        assert_eq!(one.restarts()[0].trace, fit(2, 1).restarts()[0].trace);
    }
    let double = recipe(3, "calvo-oller").seed(5).restarts(Restarts::Count(1));
    let exact = double.fit(&factor.in_double_precision()).unwrap().objective();
    assert!((double.fit(&factor).unwrap().objective() - exact).abs() < SINGLE * exact);
}
