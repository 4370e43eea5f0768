//! Covariances as factors, sparse factors and low rank, compared with the same covariances entry by entry.

use sqfa::statistics::{
    Covariance, Csr, Dense, Factor, Form, LowRank, Moments, Preprocessor, Scaling, StatisticsError,
    project,
};
use sqfa::{ClassStatistics, Classes, Estimator, Labels, Mat, Points, Table};

use crate::common::{normals, stream};
use crate::moments::{DOUBLE, SINGLE};
use crate::problems::{Sample, largest};

/// Estimators that factors support.
const ESTIMATORS: [Estimator; 4] =
    [Estimator::Empirical, Estimator::Oas, Estimator::LedoitWolf, Estimator::Shrinkage(0.3)];

fn block(n: usize, columns: usize, seed: u64) -> Mat<f64> {
    let values = normals(n * columns, &mut stream(seed));
    Mat::from_fn(n, columns, |i, j| values[i * columns + j])
}

fn product(covariance: &dyn Covariance, block: &Mat<f64>) -> Mat<f64> {
    let mut product = Mat::zeros(block.nrows(), block.ncols());
    covariance.multiply(block.as_ref(), product.as_mut(), block.ncols());
    product
}

/// Asserts that products, variances and means agree.
#[track_caller]
fn assert_same(found: &ClassStatistics, expected: &ClassStatistics, tolerance: f64) {
    assert_eq!((found.classes(), found.counts()), (expected.classes(), expected.counts()));
    let n = expected.dimension();
    assert_eq!(found.dimension(), n);
    let scale = largest((0..n).map(|i| expected.means()[(i, 0)])).max(1.0);
    assert!((found.means() - expected.means()).norm_max() <= tolerance * scale);
    for columns in [1, 3, 19] {
        let block = block(n, columns, 7);
        for (found, expected) in found.covariances().iter().zip(expected.covariances()) {
            let expected_product = product(expected.as_ref(), &block);
            let gap = (&product(found.as_ref(), &block) - &expected_product).norm_max();
            assert!(gap <= tolerance * expected_product.norm_max(), "off by {gap:e}");
            let variances = expected.diagonal();
            let gap = largest(found.diagonal().iter().zip(&variances).map(|(x, y)| x - y));
            assert!(gap <= tolerance * largest(variances), "variances off by {gap:e}");
        }
    }
}

/// Returns a sample with many zeros, and the same values as a sparse table with unordered entries.
fn sparse(counts: &[usize], columns: usize, seed: u64) -> (Sample, Csr<f64>) {
    let sample = Sample::draw(counts, columns, seed);
    let sample =
        sample.mapped(columns, |row| row.iter().map(|&x| if x > 0.7 { x } else { 0.0 }).collect());
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..sample.rows() {
        for column in (0..columns).rev().filter(|&column| sample.row(row)[column] != 0.0) {
            // Each value is split into two halves, because repeated entries are added.
            indices.extend([column as u32; 2]);
            values.extend([0.5 * sample.row(row)[column]; 2]);
        }
        starts.push(values.len());
    }
    let table = Csr::new(columns, starts, indices, values).unwrap();
    (sample, table)
}

#[test]
fn factors_are_the_covariances_of_their_samples() {
    for (counts, columns, seed) in [(vec![9, 14], 30, 1), (vec![40, 300], 11, 2)] {
        let sample = Sample::draw(&counts, columns, seed);
        for estimator in ESTIMATORS {
            let dense = ClassStatistics::from_points(sample.points(), &sample.labels, estimator);
            let factor = ClassStatistics::from_factors(sample.points(), &sample.labels, estimator);
            assert_same(&factor.unwrap(), &dense.unwrap(), DOUBLE);
            let (singles, rounded) = sample.singles();
            let points = Table::row_major(&singles, sample.rows(), columns).unwrap().into();
            let dense = ClassStatistics::from_points(rounded.points(), &rounded.labels, estimator);
            let factor = ClassStatistics::from_factors(points, &sample.labels, estimator);
            assert_same(&factor.unwrap(), &dense.unwrap(), SINGLE);
            let (bytes, rounded) = sample.bytes();
            let points = Table::row_major(&bytes, sample.rows(), columns).unwrap().into();
            let dense = ClassStatistics::from_points(rounded.points(), &rounded.labels, estimator);
            let factor = ClassStatistics::from_factors(points, &sample.labels, estimator);
            assert_same(&factor.unwrap(), &dense.unwrap(), SINGLE);
        }
    }
}

#[test]
fn sparse_factors_are_centered_without_being_densified() {
    for (counts, columns, seed) in [(vec![9, 14], 30, 3), (vec![40, 300], 11, 4)] {
        let (sample, table) = sparse(&counts, columns, seed);
        assert_eq!((table.rows(), table.columns()), (sample.rows(), columns));
        for estimator in ESTIMATORS {
            let dense = ClassStatistics::from_points(sample.points(), &sample.labels, estimator);
            let found = ClassStatistics::from_sparse(&table, &sample.labels, estimator);
            assert_same(&found.unwrap(), &dense.unwrap(), DOUBLE);
        }
    }
}

#[test]
fn every_form_can_be_rescaled() {
    let (sample, table) = sparse(&[20, 25], 8, 5);
    for scaling in [Scaling::Common, Scaling::PerFeature] {
        for estimator in ESTIMATORS {
            let of = |found: Result<ClassStatistics, StatisticsError>| {
                let mut statistics = found.unwrap();
                Preprocessor::new(&statistics, scaling, true).unwrap().apply(&mut statistics);
                statistics
            };
            let (points, labels) = (sample.points(), &sample.labels);
            let dense = of(ClassStatistics::from_points(points, labels, estimator));
            let factor = of(ClassStatistics::from_factors(points, labels, estimator));
            assert_same(&factor, &dense, 10.0 * DOUBLE);
            let found = of(ClassStatistics::from_sparse(&table, labels, estimator));
            assert_same(&found, &dense, 10.0 * DOUBLE);
        }
    }
}

#[test]
fn low_rank_plus_identity_agrees_with_its_definition() {
    let (n, k) = (12, 3);
    let basis = block(n, k, 6);
    let weights = vec![0.8, 2.0, -0.01];
    let entry = |i: usize, j: usize| {
        let sum: f64 = (0..k).map(|c| weights[c] * basis[(i, c)] * basis[(j, c)]).sum();
        sum + if i == j { 1.5 } else { 0.0 }
    };
    let entries: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    let make = |covariance: Box<dyn Covariance>, other: Box<dyn Covariance>| {
        let means = block(n, 2, 8);
        let covariances = vec![covariance, other];
        ClassStatistics::from_parts(
            Classes::numbered(2),
            None,
            means,
            covariances,
            Moments::Central,
        )
    };
    let form = LowRank::new(basis.clone(), weights.clone(), 1.5).unwrap();
    let full = Dense::new(entries, n).unwrap();
    let mut found = make(Box::new(form.clone()), Box::new(form));
    let mut expected = make(Box::new(full.clone()), Box::new(full));
    assert_same(&found, &expected, DOUBLE);
    for statistics in [&mut found, &mut expected] {
        let factors = (0..n).map(|i| 0.5 + i as f64).collect();
        Preprocessor { offset: vec![0.0; n], factors }.apply(statistics);
    }
    assert_same(&found, &expected, DOUBLE);
}

#[test]
fn principal_components_need_no_entries() {
    let (sample, table) = sparse(&[30, 40], 25, 9);
    let (points, labels) = (sample.points(), &sample.labels);
    let dense = ClassStatistics::from_points(points, labels, Estimator::Empirical).unwrap();
    let (_, variances) = dense.principal_components(4).unwrap();
    for found in [
        ClassStatistics::from_factors(points, labels, Estimator::Empirical).unwrap(),
        ClassStatistics::from_sparse(&table, labels, Estimator::Empirical).unwrap(),
    ] {
        let (directions, own) = found.principal_components(4).unwrap();
        // The explained variance converges to a relative change of 1e-11, and single variances to its square root.
        for (own, expected) in own.iter().zip(&variances) {
            assert!((own - expected).abs() < 1e-5 * expected, "{own} {expected}");
        }
        let gram = directions.transpose() * &directions;
        assert!((&gram - Mat::<f64>::identity(4, 4)).norm_max() < 1e-12);
        assert_eq!(
            found.principal_components(26).unwrap_err(),
            StatisticsError::ComponentCount { count: 26, dimension: 25 }
        );
    }
    // Four samples span three directions. The other components have no variance but must be orthonormal.
    let few = Sample::draw(&[2, 2], 20, 10);
    let few =
        ClassStatistics::from_factors(few.points(), &few.labels, Estimator::Empirical).unwrap();
    let (directions, variances) = few.principal_components(5).unwrap();
    assert!(variances[2] > 1e-3 && variances[3].abs() < 1e-9, "{variances:?}");
    let gram = directions.transpose() * &directions;
    assert!((&gram - Mat::<f64>::identity(5, 5)).norm_max() < 1e-10);
}

#[test]
fn fits_in_the_span_of_the_samples_are_exact() {
    for (estimator, outside) in [(Estimator::Empirical, 0), (Estimator::Shrinkage(0.2), 3)] {
        let (sample, table) = sparse(&[6, 9], 40, 11);
        let (points, labels) = (sample.points(), &sample.labels);
        let dense = ClassStatistics::from_points(points, labels, estimator).unwrap();
        for found in [
            ClassStatistics::from_factors(points, labels, estimator).unwrap(),
            ClassStatistics::from_sparse(&table, labels, estimator).unwrap(),
        ] {
            let span = found.reduced_to_span(3).unwrap();
            // 15 samples minus one mean per class, and two means.
            assert_eq!((span.rank(), span.statistics().dimension()), (15, 15 + outside));
            let filters = block(15 + outside, 4, 12);
            let lifted = span.lift(filters.as_ref());
            assert!((&span.lower(lifted.as_ref()) - &filters).norm_max() < 1e-9);
            assert!(
                (lifted.transpose() * &lifted - filters.transpose() * &filters).norm_max() < 1e-9
            );
            let inside = project(span.statistics(), filters.as_ref(), 0.1);
            let whole = project(&dense, lifted.as_ref(), 0.1);
            for class in 0..2 {
                let gaps = inside.covariance(class).iter().zip(whole.covariance(class));
                let means = inside.mean(class).iter().zip(whole.mean(class));
                let gap = largest(gaps.chain(means).map(|(x, y)| x - y));
                assert!(gap < 1e-9 * largest(whole.covariance(class).to_vec()).max(1.0), "{gap:e}");
            }
        }
    }
}

#[test]
fn statistics_without_a_smaller_span_are_rejected() {
    let sample = Sample::draw(&[6, 9], 10, 13);
    let problem = |statistics: &ClassStatistics| {
        statistics.reduced_to_span(2).map(|_| ()).unwrap_err().to_string()
    };
    let factor = |columns: usize, estimator| {
        let sample = Sample::draw(&[6, 9], columns, 13);
        ClassStatistics::from_factors(sample.points(), &sample.labels, estimator).unwrap()
    };
    assert!(problem(&factor(10, Estimator::Empirical)).contains("17 samples and means"));
    assert!(problem(&sample.statistics()).contains("from_factors"));
    let mut scaled = factor(40, Estimator::Shrinkage(0.5));
    Preprocessor::new(&scaled, Scaling::PerFeature, false).unwrap().apply(&mut scaled);
    assert!(problem(&scaled).contains("common"));
}

#[test]
fn sparse_tables_stay_sparse_if_dense_covariances_cost_more() {
    let decide = |entries, points, n, c| Form::decide_sparse(entries, points, n, c, 8);
    assert_eq!(decide(40_000, 2_000, 200_000, 4), Form::Factor);
    assert_eq!(decide(2_000, 200, 10, 3), Form::Dense, "hardly sparse, and small");
    assert_eq!(decide(1_000_000, 1_000, 1_000, 10), Form::Dense, "every entry is there");
    // 100 billion entries take 2.4 TB; covariances of 20 000 columns take less.
    assert_eq!(decide(100_000_000_000, 10_000_000, 20_000, 10), Form::Dense);
}

#[test]
fn the_form_follows_from_the_sizes() {
    let decide = |points, n, c| Form::decide(points, n, c, 4);
    assert_eq!(decide(60_000, 784, 10), Form::Dense);
    assert_eq!(decide(2_000, 200_000, 5), Form::Factor);
    assert_eq!(decide(1_000_000, 20_000, 10), Form::Dense, "the samples are larger still");
    assert_eq!(decide(6, 50, 2), Form::Factor);
    let sample = Sample::draw(&[3, 3], 50, 14);
    let (points, labels) = (sample.points(), &sample.labels);
    let entries = |statistics: Result<ClassStatistics, StatisticsError>| {
        statistics.unwrap().covariances()[0].entries().is_some()
    };
    assert!(entries(ClassStatistics::from_points(points, labels, Estimator::Empirical)));
    assert!(!entries(ClassStatistics::from_factors(points, labels, Estimator::Empirical)));
}

#[test]
fn inconsistent_arrays_are_rejected_with_numbers() {
    let message = |error: StatisticsError| error.to_string();
    let csr = |columns, starts: &[usize], indices: &[u32], values: &[f64]| {
        let found = Csr::new(columns, starts.to_vec(), indices.to_vec(), values.to_vec());
        found.map(|_| ()).unwrap_err().to_string()
    };
    assert!(csr(3, &[0, 2], &[0, 3], &[1.0, 1.0]).contains("column index 3"));
    assert!(csr(3, &[0, 2], &[0], &[1.0, 1.0]).contains("1 column indices for 2 values"));
    assert!(csr(3, &[0, 1], &[0, 1], &[1.0, 1.0]).contains("end with 2"));
    assert!(csr(3, &[], &[], &[]).contains("begin with 0"));
    assert!(csr(3, &[0, 2, 1, 2], &[0, 1], &[1.0, 1.0]).contains("row 1 ends before"));
    assert!(csr(3, &[0, 0, 2], &[0, 2], &[1.0, f64::NAN]).contains("row 1, column 2"));
    assert!(message(Factor::new(vec![1.0_f64; 7], 3).unwrap_err()).contains("at least 1"));
    assert!(Factor::new(vec![1.0_f32; 3], 3).is_err() && Factor::new(vec![1.0_f32; 0], 0).is_err());
    let basis = Mat::from_fn(4, 2, |i, j| (i + j) as f64);
    assert!(LowRank::new(basis.clone(), vec![1.0], 1.0).is_err());
    assert!(LowRank::new(basis.clone(), vec![1.0, f64::NAN], 1.0).is_err());
    let negative = LowRank::new(basis, vec![-5.0, 0.0], 1.0).unwrap_err();
    assert!(matches!(negative, StatisticsError::NegativeVariance { dimension: 1, .. }));

    let sample = Sample::draw(&[4, 4], 6, 15);
    let mut values = sample.values.clone();
    values[3 * 6 + 2] = f64::INFINITY;
    let points: Points<'_> = Table::row_major(&values, 8, 6).unwrap().into();
    let error = ClassStatistics::from_factors(points, &sample.labels, Estimator::Empirical);
    assert_eq!(
        error.unwrap_err(),
        StatisticsError::NotFinite { row: 3, column: 2, value: f64::INFINITY }
    );
    let short = Labels::from_integers(&[0, 1]);
    let error = ClassStatistics::from_factors(sample.points(), &short, Estimator::Empirical);
    assert_eq!(error.unwrap_err(), StatisticsError::LabelCount { labels: 2, points: 8 });
    let lonely = Labels::from_integers(&[0, 0, 0, 0, 0, 0, 0, 9]);
    let error = ClassStatistics::from_factors(sample.points(), &lonely, Estimator::Empirical);
    assert!(message(error.unwrap_err()).contains("class '9' has 1 sample"));
}

/// With more samples than columns, the samples span everything. Components are found in a small subspace if variances
/// decay, and from all products otherwise.
#[test]
fn components_of_samples_that_span_everything_are_those_of_entries() {
    const COLUMNS: usize = 260;
    for falls in [0.9_f64, 1.0] {
        let mut sample = Sample::draw(&[150, 120, 80], COLUMNS, 15);
        for row in sample.values.chunks_mut(COLUMNS) {
            row.iter_mut().enumerate().for_each(|(j, value)| *value *= falls.powi(j as i32));
        }
        let (points, labels) = (sample.points(), &sample.labels);
        let entries = ClassStatistics::from_points(points, labels, Estimator::Empirical);
        let samples = ClassStatistics::from_factors(points, labels, Estimator::Empirical);
        let entries = entries.unwrap().principal_components(3).unwrap();
        let samples = samples.unwrap().principal_components(3).unwrap();
        let overlap = (entries.0.transpose() * &samples.0).norm_l2().powi(2);
        assert!((overlap - 3.0).abs() < 1e-8, "{falls}: {overlap}");
        for (one, other) in entries.1.iter().zip(&samples.1) {
            assert!((one - other).abs() < 1e-9 * entries.1[0], "{falls}: {one} {other}");
        }
    }
}
