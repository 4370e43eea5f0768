//! Statistics do not depend on how the samples arrive: in batches, in merged parts, or in mixed types.

use sqfa::statistics::ClassAccumulator;
use sqfa::{ClassStatistics, Estimator, Labels, Points, Table};

use crate::moments::{DOUBLE, SINGLE, assert_matches};
use crate::problems::{Sample, entries, largest, worst};

/// Ways to divide 500 rows, from one batch to many.
const CUTS: [&[usize]; 5] = [&[], &[250], &[1, 2, 3], &[77, 300, 301, 499], &[256, 400]];
const ROWS: usize = 500;

fn sample(seed: u64) -> Sample {
    Sample::draw(&[310, 150, 40], 8, seed)
}

/// Returns the row ranges of the batches.
fn batches(cut: &[usize]) -> Vec<(usize, usize)> {
    let borders = [&[0], cut, &[ROWS]].concat();
    borders.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn table<T: Copy>(values: &[T], columns: usize, (from, to): (usize, usize)) -> Table<'_, T> {
    Table::row_major(&values[from * columns..to * columns], to - from, columns).unwrap()
}

fn part(sample: &Sample, (from, to): (usize, usize)) -> Labels {
    sample.labels.select(&(from..to).collect::<Vec<_>>())
}

/// Returns an accumulator that was updated batch by batch, and one that was merged from one accumulator per batch, last
/// batch first.
fn streamed_and_merged<'a>(
    sample: &Sample,
    cut: &[usize],
    points: impl Fn((usize, usize)) -> Points<'a>,
) -> [ClassStatistics; 2] {
    let empty = || ClassAccumulator::new(sample.labels.classes().clone(), sample.columns);
    let (mut streamed, mut merged) = (empty(), empty());
    for batch in batches(cut) {
        streamed.update(points(batch), &part(sample, batch)).unwrap();
    }
    for batch in batches(cut).into_iter().rev() {
        let mut one = empty();
        one.update(points(batch), &part(sample, batch)).unwrap();
        one.merge(&merged).unwrap();
        merged = one;
    }
    assert_eq!(streamed.counts(), sample.labels.counts());
    [streamed, merged].map(|sums| sums.finish(Estimator::Empirical).unwrap())
}

#[test]
fn double_precision_batches() {
    let sample = sample(71);
    for cut in CUTS {
        for found in
            streamed_and_merged(&sample, cut, |batch| table(&sample.values, 8, batch).into())
        {
            assert_matches(&found, &sample, DOUBLE);
        }
    }
}

#[test]
fn single_precision_batches() {
    let (singles, sample) = sample(72).singles();
    for cut in CUTS {
        for found in streamed_and_merged(&sample, cut, |batch| table(&singles, 8, batch).into()) {
            assert_matches(&found, &sample, SINGLE);
        }
    }
}

#[test]
fn columns_that_are_constant_in_a_batch() {
    // Four of eight columns are constant within each half of the rows, with another value from row 250 on. Two more are
    // always constant.
    let at = |row: usize, column: usize| match column {
        0 | 5 => 0.75,
        _ => {
            if row < 250 {
                -0.5
            } else {
                0.25 * column as f64
            }
        }
    };
    let mut sample = sample(74);
    for (place, value) in sample.values.iter_mut().enumerate() {
        if place % 8 < 6 {
            *value = at(place / 8, place % 8);
        }
    }
    let (singles, single) = sample.clone().singles();
    let cuts: [&[usize]; 3] = [&[250], &[7, 250], &[100, 250, 400]];
    for cut in cuts {
        for found in
            streamed_and_merged(&sample, cut, |batch| table(&sample.values, 8, batch).into())
        {
            assert_matches(&found, &sample, DOUBLE);
        }
        for found in streamed_and_merged(&single, cut, |batch| table(&singles, 8, batch).into()) {
            assert_matches(&found, &single, SINGLE);
        }
    }
}

#[test]
fn batches_of_bytes_have_the_same_bits() {
    let (bytes, sample) = sample(73).bytes();
    let whole = ClassStatistics::from_points(
        table(&bytes, 8, (0, ROWS)).into(),
        &sample.labels,
        Estimator::Empirical,
    )
    .unwrap();
    for cut in CUTS {
        for found in streamed_and_merged(&sample, cut, |batch| table(&bytes, 8, batch).into()) {
            assert_eq!(found.means(), whole.means());
            for class in 0..3 {
                assert_eq!(entries(&found, class), entries(&whole, class), "cut at {cut:?}");
            }
        }
    }
}

#[test]
fn bytes_and_reals_mix() {
    let (bytes, sample) = sample(74).bytes();
    let singles: Vec<f32> = bytes.iter().map(|&value| f32::from(value)).collect();
    for bytes_first in [true, false] {
        let found = streamed_and_merged(&sample, &[120, 130, 390], |batch| {
            if (batch.0 % 20 == 0) == bytes_first {
                table(&bytes, 8, batch).into()
            } else {
                table(&singles, 8, batch).into()
            }
        });
        for found in found {
            assert_matches(&found, &sample, SINGLE);
        }
    }
    // One batch in double precision makes the result double precision.
    let found = streamed_and_merged(&sample, &[200], |batch| match batch.0 {
        0 => table(&bytes, 8, batch).into(),
        _ => table(&sample.values, 8, batch).into(),
    });
    for found in found {
        assert!(found.covariances().iter().all(|covariance| !covariance.is_single()));
        assert_matches(&found, &sample, DOUBLE);
    }
}

#[test]
fn merging_with_nothing_changes_nothing() {
    let sample = sample(75);
    let empty = || ClassAccumulator::new(sample.labels.classes().clone(), 8);
    let mut left = empty();
    left.update(sample.points(), &sample.labels).unwrap();
    left.merge(&empty()).unwrap();
    let mut right = empty();
    let mut full = empty();
    full.update(sample.points(), &sample.labels).unwrap();
    right.merge(&full).unwrap();
    let expected = sample.statistics();
    for found in [left, right] {
        let found = found.finish(Estimator::Empirical).unwrap();
        assert_eq!(found.means(), expected.means());
        for class in 0..3 {
            assert_eq!(entries(&found, class), entries(&expected, class));
        }
    }
    let mut nothing = empty();
    nothing.merge(&empty()).unwrap();
    assert_eq!(nothing.counts(), [0, 0, 0]);
}

#[test]
fn a_batch_may_lack_classes_or_points() {
    let sample = sample(76);
    let mut sums = ClassAccumulator::new(sample.labels.classes().clone(), 8);
    let no_points = Table::row_major(&[] as &[f64], 0, 8).unwrap();
    sums.update(no_points.into(), &Labels::from_integers(&[])).unwrap();
    for class in [2, 0, 1] {
        let rows: Vec<usize> =
            (0..ROWS).filter(|&row| sample.labels.codes()[row] == class).collect();
        let values: Vec<f64> = rows.iter().flat_map(|&row| sample.row(row).to_vec()).collect();
        // These labels include one class only. It is matched to the classes of the accumulator.
        let labels = Labels::from_integers(&vec![i64::from(class); rows.len()]);
        sums.update(table(&values, 8, (0, rows.len())).into(), &labels).unwrap();
    }
    assert_matches(&sums.finish(Estimator::Empirical).unwrap(), &sample, DOUBLE);
}

#[test]
fn selected_rows() {
    let sample = sample(77);
    let rows: Vec<usize> = (0..ROWS).filter(|row| row % 3 != 1).collect();
    let mut sums = ClassAccumulator::new(sample.labels.classes().clone(), 8);
    sums.update_rows(sample.points(), &sample.labels, &rows).unwrap();
    let found = sums.finish(Estimator::Empirical).unwrap();
    let selected = Sample {
        columns: 8,
        values: rows.iter().flat_map(|&row| sample.row(row).to_vec()).collect(),
        labels: sample.labels.select(&rows),
    };
    assert_matches(&found, &selected, DOUBLE);
}

#[test]
fn nothing_is_added_if_a_batch_is_rejected() {
    let sample = sample(78);
    let mut sums = ClassAccumulator::new(sample.labels.classes().clone(), 8);
    sums.update(sample.points(), &sample.labels).unwrap();
    let mut broken = sample.values.clone();
    broken[ROWS * 8 - 1] = f64::NAN;
    sums.update(table(&broken, 8, (0, ROWS)).into(), &sample.labels).unwrap_err();
    let strange = Labels::from_integers(&[7; ROWS]);
    sums.update(sample.points(), &strange).unwrap_err();
    let found = sums.finish(Estimator::Empirical).unwrap();
    for class in 0..3 {
        let expected = entries(&sample.statistics(), class);
        let gap = worst(&entries(&found, class), &expected);
        assert_eq!(gap, 0.0, "of {}", largest(expected));
    }
}
