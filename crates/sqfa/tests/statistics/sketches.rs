//! Sketches of class statistics, compared with exact covariances: bounds, exactness, merges and sizes.

use sqfa::statistics::{ClassAccumulator, StatisticsError};
use sqfa::{ClassStatistics, Classes, Estimator, Labels, Mat, Points, Table};

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Samples of two classes with `rank` directions of decreasing variance, and some noise in all directions.
struct Data {
    values: Vec<f64>,
    labels: Labels,
    columns: usize,
}

impl Data {
    fn new(points: usize, columns: usize, rank: usize, noise: f64) -> Self {
        let mut state = 7_u64;
        // A linear congruential generator, which gives the same numbers on every machine.
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let directions: Vec<f64> = (0..rank * columns).map(|_| next()).collect();
        let mut values = Vec::new();
        for row in 0..points {
            let strengths: Vec<f64> = (0..rank)
                .map(|k| {
                    6.0 * next() / (1 + k) as f64 + if k == 0 { (row % 2) as f64 } else { 0.0 }
                })
                .collect();
            for column in 0..columns {
                let signal: f64 =
                    (0..rank).map(|k| strengths[k] * directions[k * columns + column]).sum();
                // Far from the origin, so that sums that are not about the mean would be inaccurate.
                values.push(100.0 + signal + noise * next());
            }
        }
        let codes: Vec<i64> = (0..points).map(|row| (row % 2) as i64).collect();
        Self { values, labels: Labels::from_integers(&codes), columns }
    }

    fn points(&self) -> Points<'_> {
        self.part(0, self.labels.len())
    }

    fn part(&self, first: usize, last: usize) -> Points<'_> {
        let values = &self.values[first * self.columns..last * self.columns];
        Table::row_major(values, last - first, self.columns).unwrap().into()
    }

    fn sketch(&self, size: usize) -> ClassAccumulator {
        self.sketch_of(0, self.labels.len(), size)
    }

    fn sketch_of(&self, first: usize, last: usize, size: usize) -> ClassAccumulator {
        let classes = self.labels.classes().clone();
        let mut sums = ClassAccumulator::sketched(classes, self.columns, size).unwrap();
        let rows: Vec<usize> = (first..last).collect();
        sums.update(self.part(first, last), &self.labels.select(&rows)).unwrap();
        sums
    }

    fn exact(&self) -> ClassStatistics {
        ClassStatistics::from_points(self.points(), &self.labels, Estimator::Empirical).unwrap()
    }
}

/// Returns all entries of a covariance, whatever its form.
fn entries(statistics: &ClassStatistics, class: usize) -> Mat<f64> {
    let n = statistics.dimension();
    let identity = Mat::<f64>::identity(n, n);
    let mut product = Mat::zeros(n, n);
    statistics.covariances()[class].multiply(identity.as_ref(), product.as_mut(), n);
    product
}

/// Returns the largest absolute eigenvalue.
fn norm(matrix: &Mat<f64>) -> f64 {
    let values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
    values.into_iter().fold(0.0, |most, value| most.max(value.abs()))
}

fn gaps(sketch: &ClassStatistics, exact: &ClassStatistics) -> Vec<f64> {
    (0..2).map(|class| norm(&(entries(sketch, class) - entries(exact, class)))).collect()
}

#[test]
fn the_bound_holds_in_spectral_norm_and_follows_the_theory() {
    for (rank, noise, size) in [(6, 0.5, 8), (20, 0.2, 8), (3, 2.0, 5), (12, 0.0, 4)] {
        let data = Data::new(160, 40, rank, noise);
        let exact = data.exact();
        let sums = data.sketch(size).settled();
        let shed = sums.shed().unwrap();
        let sketch = sums.finish(Estimator::Empirical).unwrap();
        let bounds = sketch.bounds().unwrap();
        for (class, gap) in gaps(&sketch, &exact).into_iter().enumerate() {
            assert!(
                gap > 0.0 && gap <= bounds[class],
                "rank {rank}: {gap} beyond {}",
                bounds[class]
            );
            let variances = exact.covariances()[class].diagonal();
            let mean = variances.iter().sum::<f64>() / variances.len() as f64;
            assert!(shed[class] <= bounds[class] && bounds[class] <= shed[class] + mean);
            // Δ ≤ ‖A − A_k‖²_F/(ℓ + 1 − k), with divisor N − 1 on both sides.
            let values =
                entries(&exact, class).self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
            for k in 0..=size {
                let tail: f64 = values.iter().rev().skip(k).sum();
                let limit = tail / (size + 1 - k) as f64;
                assert!(shed[class] <= limit * (1.0 + 1e-9) + 1e-9, "k = {k}");
            }
        }
    }
}

#[test]
fn means_variances_and_the_trace_are_exact() {
    let data = Data::new(200, 30, 10, 0.3);
    let (sketch, exact) = (data.sketch(6).finish(Estimator::Empirical).unwrap(), data.exact());
    assert_eq!(sketch.counts(), exact.counts());
    for class in 0..2 {
        let trace = |statistics: &ClassStatistics| {
            let entries = entries(statistics, class);
            (0..30).map(|i| entries[(i, i)]).sum::<f64>()
        };
        let (own, right) = (trace(&sketch), trace(&exact));
        assert!((own - right).abs() < 1e-10 * right, "{own} {right}");
        let own = sketch.covariances()[class].diagonal();
        for (i, (own, exact)) in own.iter().zip(exact.covariances()[class].diagonal()).enumerate() {
            assert!((own - exact).abs() < 1e-10 * exact, "{own} {exact}");
            let (mean, right) = (sketch.means()[(i, class)], exact_mean(&data, i, class));
            assert!((mean - right).abs() < 1e-12 * right, "{mean} {right}");
        }
    }
}

#[test]
fn fits_are_reduced_to_the_span_of_the_rows() {
    let data = Data::new(200, 90, 6, 0.3);
    let sketch = data.sketch(8).finish(Estimator::Empirical).unwrap();
    assert!(sketch.bounds().unwrap()[0] > 0.0);
    let span = sketch.reduced_to_span(2).unwrap();
    assert!(span.rank() <= 18);
    let fitted = sqfa::Sqfa::new(2).unwrap().fit(&sketch).unwrap();
    assert_eq!(fitted.filters().nrows(), 90);
}

fn exact_mean(data: &Data, column: usize, class: usize) -> f64 {
    let rows = (0..data.labels.len()).filter(|row| row % 2 == class);
    let values: Vec<f64> = rows.map(|row| data.values[row * data.columns + column]).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn rank_up_to_the_size_is_exact_streamed_merged_and_weighted() {
    // Five directions without noise. The difference of the means does not add a direction of its own.
    let data = Data::new(120, 50, 5, 0.0);
    let exact = data.exact();
    let mut parts = data.sketch_of(0, 31, 5);
    for (first, last) in [(31, 32), (32, 90), (90, 120)] {
        parts.merge(&data.sketch_of(first, last, 5)).unwrap();
    }
    for sums in [data.sketch(5), parts] {
        let sketch = sums.finish(Estimator::Empirical).unwrap();
        assert_eq!(sketch.bounds(), Some(vec![0.0, 0.0]));
        let scale = norm(&entries(&exact, 0));
        gaps(&sketch, &exact).iter().for_each(|gap| assert!(*gap < 1e-11 * scale, "{gap}"));
    }
    let weights: Vec<u64> = (0..120).map(|row| 1 + row % 3).collect();
    let classes = data.labels.classes().clone();
    let mut dense = ClassAccumulator::new(classes.clone(), 50);
    dense.update_weighted(data.points(), &data.labels, &weights).unwrap();
    let mut sketch = ClassAccumulator::sketched(classes, 50, 5).unwrap();
    sketch.update_weighted(data.points(), &data.labels, &weights).unwrap();
    assert_eq!(sketch.counts(), dense.counts());
    let (sketch, dense) =
        (sketch.finish(Estimator::Empirical).unwrap(), dense.finish(Estimator::Empirical).unwrap());
    gaps(&sketch, &dense).iter().for_each(|gap| assert!(*gap < 1e-10, "{gap}"));
}

#[test]
fn parts_merge_within_the_bound_and_a_tree_has_its_bits() {
    let data = Data::new(300, 40, 15, 0.4);
    let exact = data.exact();
    let tree = || {
        let part = |k: usize| data.sketch_of(75 * k, 75 * (k + 1), 10);
        let (mut left, mut right) = (part(0), part(2));
        left.merge(&part(1)).unwrap();
        right.merge(&part(3)).unwrap();
        left.merge(&right).unwrap();
        left
    };
    let merged = tree();
    assert_eq!(merged.to_bytes(), tree().to_bytes());
    let merged = merged.finish(Estimator::Empirical).unwrap();
    let bounds = merged.bounds().unwrap();
    for (gap, bound) in gaps(&merged, &exact).into_iter().zip(bounds) {
        assert!(gap <= bound, "{gap} {bound}");
    }
    // Samples wait until a block is complete, so the division into batches does not matter.
    let mut batches = data.sketch_of(0, 7, 10);
    for (first, last) in [(7, 100), (100, 101), (101, 300)] {
        let rows: Vec<usize> = (first..last).collect();
        batches.update(data.part(first, last), &data.labels.select(&rows)).unwrap();
    }
    assert_eq!(batches.to_bytes(), data.sketch(10).to_bytes());
}

#[test]
fn bits_do_not_depend_on_threads() {
    let data = Data::new(150, 3000, 10, 0.4);
    let bytes = |threads| pool(threads).install(|| data.sketch(20).to_bytes());
    assert_eq!(bytes(1), bytes(3));
}

#[test]
fn precision_and_shrinkage_follow_the_samples() {
    let data = Data::new(100, 20, 8, 0.4);
    let values: Vec<f32> = data.values.iter().map(|&value| value as f32).collect();
    let points = Table::row_major(&values, 100, 20).unwrap().into();
    let mut sums = ClassAccumulator::sketched(data.labels.classes().clone(), 20, 6).unwrap();
    sums.update(points, &data.labels).unwrap();
    let sketch = sums.finish(Estimator::Empirical).unwrap();
    assert!(sketch.covariances().iter().all(|covariance| covariance.is_single()));
    let (plain, shrunk) = (
        data.sketch(6).finish(Estimator::Empirical).unwrap(),
        data.sketch(6).finish(Estimator::Shrinkage(0.25)).unwrap(),
    );
    let exact = data.exact();
    for class in 0..2 {
        let level = 0.25 * (0..20).map(|i| entries(&exact, class)[(i, i)]).sum::<f64>() / 20.0;
        let (plain, shrunk) = (entries(&plain, class), entries(&shrunk, class));
        for i in 0..20 {
            for j in 0..20 {
                let expected = 0.75 * plain[(i, j)] + if i == j { level } else { 0.0 };
                assert!((shrunk[(i, j)] - expected).abs() < 1e-10, "({i}, {j})");
            }
        }
    }
    let scaled = shrunk.with_scaled_covariances(9.0).bounds().unwrap();
    let (before, after) = (plain.bounds().unwrap(), shrunk.bounds().unwrap());
    for class in 0..2 {
        assert!((after[class] - 0.75 * before[class]).abs() < 1e-12);
        assert!((scaled[class] - 9.0 * after[class]).abs() < 1e-12);
    }
}

#[test]
fn unsupported_operations_are_rejected_with_numbers() {
    let data = Data::new(40, 6, 3, 0.1);
    for size in [0, 5000] {
        let error = ClassAccumulator::sketched(Classes::numbered(2), 3, size).unwrap_err();
        assert_eq!(error, StatisticsError::SketchSize { size, largest: 4096 });
    }
    for estimator in [Estimator::Oas, Estimator::LedoitWolf] {
        let error = data.sketch(3).finish(estimator).unwrap_err();
        assert!(error.to_string().contains("cannot be computed from sketches"), "{error}");
    }
    let mut dense = ClassAccumulator::new(data.labels.classes().clone(), 6);
    let error = dense.merge(&data.sketch(3)).unwrap_err().to_string();
    assert!(
        error.contains("sketches of 3 rows cannot be merged with sums of all entries"),
        "{error}"
    );
    let error = data.sketch(4).merge(&data.sketch(3)).unwrap_err().to_string();
    assert!(error.contains("3 rows cannot be merged with sketches of 4 rows"), "{error}");
    let huge = vec![1e200, -1e200, 1e200, 1e180, 3e200, 1e200, -1e199, 1e200];
    let labels = Labels::from_integers(&[0, 1, 0, 1]);
    let mut sums = ClassAccumulator::sketched(labels.classes().clone(), 2, 1).unwrap();
    sums.update(Table::row_major(&huge, 4, 2).unwrap().into(), &labels).unwrap();
    assert_eq!(sums.finish(Estimator::Empirical).unwrap_err(), StatisticsError::SketchOverflow);
}
