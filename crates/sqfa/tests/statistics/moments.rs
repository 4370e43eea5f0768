//! Counts, means and covariances of samples in every number type and layout, compared with a plain computation.

use sqfa::statistics::Moments;
use sqfa::{ClassStatistics, Estimator, Labels, Points, Table};

use crate::problems::{Sample, entries, largest, worst};

/// Tolerance for two `f64` sums of a few hundred numbers in different orders.
pub(crate) const DOUBLE: f64 = 1e-12;
/// Tolerance for products summed in single precision over short blocks, and entries stored in single precision.
pub(crate) const SINGLE: f64 = 1e-6;

/// Asserts that statistics agree with those of a sample, relative to the largest variance.
#[track_caller]
pub(crate) fn assert_matches(statistics: &ClassStatistics, sample: &Sample, tolerance: f64) {
    let naive = sample.naive();
    let counts: Vec<u64> = naive.iter().map(|(count, ..)| *count).collect();
    assert_eq!(statistics.counts().unwrap(), counts);
    assert_eq!(statistics.classes(), sample.labels.classes());
    assert_eq!(statistics.dimension(), sample.columns);
    assert_eq!(statistics.moments(), Moments::Central);
    for (class, (_, mean, covariance)) in naive.iter().enumerate() {
        let variances = || covariance.iter().step_by(sample.columns + 1).copied();
        let found: Vec<f64> = statistics.means().col(class).iter().copied().collect();
        let scale = largest(mean.iter().copied()).max(largest(variances()).sqrt());
        let gap = worst(&found, mean);
        assert!(
            gap <= DOUBLE.max(0.1 * tolerance) * scale,
            "mean of class {class} is off by {gap:e}"
        );
        let gap = worst(&entries(statistics, class), covariance) / largest(variances());
        assert!(gap <= tolerance, "covariance of class {class} is off by {gap:e}");
        let diagonal = statistics.covariances()[class].diagonal();
        assert!(
            worst(&diagonal, &variances().collect::<Vec<_>>()) <= tolerance * largest(variances())
        );
    }
}

fn statistics<'a>(points: impl Into<Points<'a>>, sample: &Sample) -> ClassStatistics {
    ClassStatistics::from_points(points.into(), &sample.labels, Estimator::Empirical).unwrap()
}

/// Calls `check` with the values in three layouts: by rows, by columns, and with gaps between all numbers.
fn layouts<T: Copy>(values: &[T], columns: usize, check: impl Fn(Table<'_, T>)) {
    let rows = values.len() / columns;
    check(Table::row_major(values, rows, columns).unwrap());
    let by_columns: Vec<T> =
        (0..columns * rows).map(|at| values[at % rows * columns + at / rows]).collect();
    check(Table::column_major(&by_columns, rows, columns).unwrap());
    let (row_stride, column_stride) = (3 * columns + 2, 3);
    let mut spread = vec![values[0]; rows * row_stride];
    for (at, &value) in values.iter().enumerate() {
        spread[at / columns * row_stride + at % columns * column_stride] = value;
    }
    check(Table::strided(&spread, rows, columns, row_stride, column_stride).unwrap());
}

#[test]
fn double_precision_points_in_any_layout() {
    for (counts, columns, seed) in
        [(vec![2, 3], 1, 51), (vec![40, 7, 19], 5, 52), (vec![300, 513], 11, 53)]
    {
        let sample = Sample::draw(&counts, columns, seed);
        layouts(&sample.values, columns, |table| {
            assert_matches(&statistics(table, &sample), &sample, DOUBLE);
        });
    }
}

#[test]
fn single_precision_points_in_any_layout() {
    for (counts, columns, seed) in
        [(vec![2, 3], 1, 54), (vec![40, 7, 19], 5, 55), (vec![700, 513], 11, 56)]
    {
        let (singles, sample) = Sample::draw(&counts, columns, seed).singles();
        layouts(&singles, columns, |table| {
            let found = statistics(table, &sample);
            assert!(found.covariances().iter().all(|covariance| covariance.is_single()));
            assert_matches(&found, &sample, SINGLE);
        });
    }
}

/// Returns covariances of integers from integer sums: (N Σxy − Σx Σy) / N(N − 1).
fn exact_covariance(rows: &[&[f64]], i: usize, j: usize) -> f64 {
    let whole = |value: f64| value as i128;
    let count = rows.len() as i128;
    let cross: i128 = rows.iter().map(|row| whole(row[i]) * whole(row[j])).sum();
    let (first, second): (i128, i128) =
        (rows.iter().map(|row| whole(row[i])).sum(), rows.iter().map(|row| whole(row[j])).sum());
    (count * cross - first * second) as f64 / (count * (count - 1)) as f64
}

#[test]
fn bytes_in_any_layout_are_summed_exactly() {
    // The last case has more than one block of 1024 samples.
    for (counts, columns, seed) in
        [(vec![2, 3], 1, 57), (vec![40, 7, 19], 5, 58), (vec![2500, 90], 6, 59)]
    {
        let (bytes, sample) = Sample::draw(&counts, columns, seed).bytes();
        layouts(&bytes, columns, |table| {
            let found = statistics(table, &sample);
            assert_matches(&found, &sample, SINGLE);
            for class in 0..counts.len() {
                let rows: Vec<&[f64]> = (0..sample.rows())
                    .filter(|&row| sample.labels.codes()[row] as usize == class)
                    .map(|row| sample.row(row))
                    .collect();
                let matrix = entries(&found, class);
                let variance = largest(matrix.iter().step_by(columns + 1).copied());
                for at in 0..columns * columns {
                    let exact = exact_covariance(&rows, at / columns, at % columns);
                    // Tolerance for rounding the entry to single precision, and one division in double precision.
                    let allowed = f64::from(f32::EPSILON) / 2.0 * exact.abs() + 1e-14 * variance;
                    assert!((matrix[at] - exact).abs() <= allowed, "{} and {exact}", matrix[at]);
                }
            }
        });
    }
}

#[test]
fn bits_do_not_depend_on_the_layout() {
    let sample = Sample::draw(&[300, 270], 9, 60);
    let expected = statistics(Table::row_major(&sample.values, 570, 9).unwrap(), &sample);
    layouts(&sample.values, 9, |table| {
        let found = statistics(table, &sample);
        for class in 0..2 {
            assert_eq!(entries(&found, class), entries(&expected, class));
        }
    });
}

#[test]
fn means_far_from_zero_cost_no_digits_of_the_covariance() {
    for offset in [1e2, 1e4] {
        let far = Sample::draw(&[600, 400], 7, 61)
            .mapped(7, |row| row.iter().map(|value| value + offset).collect());
        let (singles, sample) = far.singles();
        let table = Table::row_major(&singles, sample.rows(), 7).unwrap();
        assert_matches(&statistics(table, &sample), &sample, SINGLE);
        let table = Table::row_major(&far.values, far.rows(), 7).unwrap();
        assert_matches(&statistics(table, &far), &far, DOUBLE);
    }
}

#[test]
fn a_constant_dimension_has_no_variance_at_all() {
    // 0.1 has no finite binary expansion, so a mean with round-off would differ from it.
    let sample = Sample::draw(&[900, 333], 3, 62).mapped(4, |row| [row, &[0.1]].concat());
    let (singles, _) = sample.singles();
    let (bytes, _) = sample.bytes();
    let rows = sample.rows();
    for found in [
        statistics(Table::row_major(&sample.values, rows, 4).unwrap(), &sample),
        statistics(Table::row_major(&singles, rows, 4).unwrap(), &sample),
        statistics(Table::row_major(&bytes, rows, 4).unwrap(), &sample),
    ] {
        for class in 0..2 {
            assert_eq!(found.covariances()[class].diagonal()[3], 0.0, "class {class}");
        }
    }
}

#[test]
fn a_single_class_has_statistics() {
    let table = Table::row_major(&[1.0, 2.0, 3.0, 5.0, 2.0, 8.0], 3, 2).unwrap();
    let found = ClassStatistics::from_points(
        Points::F64(table),
        &Labels::from_integers(&[4, 4, 4]),
        Estimator::Empirical,
    )
    .unwrap();
    assert_eq!(found.counts().unwrap(), [3]);
    let mean: Vec<f64> = found.means().col(0).iter().copied().collect();
    assert_eq!(mean, [2.0, 5.0]);
    // Deviations (−1, −3), (1, 0) and (0, 3), divided by 3 − 1.
    assert_eq!(entries(&found, 0), [1.0, 1.5, 1.5, 9.0]);
}
