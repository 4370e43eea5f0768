//! Constant columns are dropped, for every method and on every path; all others are kept.

use sqfa::pipeline::{Fitted, Pipeline};
use sqfa::reduce::{ReducerSettings, reducers};
use sqfa::statistics::{Scaling, constant_columns};

use sqfa::{Mat, Noise};

use crate::{Data, accuracy, recipe, three_classes};

/// The value of the last column of every row is replaced.
fn with_last(count: usize, seed: u64, value: impl Fn(usize) -> f64) -> Data {
    let mut data = three_classes(count, seed);
    (0..count).for_each(|row| data.values[row * 6 + 5] = value(row));
    data
}

/// The value of a column in every row.
type Column = Box<dyn Fn(usize) -> f64>;

#[test]
fn a_column_is_constant_if_it_varies_by_round_off_alone() {
    let noise = |row: usize| (row as f64 * 0.7).sin();
    let cases: [(&str, Column, bool); 7] = [
        ("one value", Box::new(|_| 7.0), true),
        ("zero", Box::new(|_| 0.0), true),
        // One unit in the last place of 0.1 is 1.4e-17.
        ("round-off", Box::new(|row| 0.1 + 1.4e-17 * (row % 2) as f64), true),
        ("one sample in ninety", Box::new(|row| f64::from(u8::from(row == 13))), false),
        (
            "one sample by little",
            Box::new(|row| 1.0 + 1e-9 * f64::from(u8::from(row == 13))),
            false,
        ),
        ("a large offset", Box::new(move |row| 1e6 + 1e-3 * noise(row)), false),
        ("tiny values", Box::new(move |row| 1e-200 * noise(row)), false),
    ];
    for (name, value, expected) in cases {
        let data = with_last(90, 1, value);
        let expected: &[usize] = if expected { &[5] } else { &[] };
        assert_eq!(constant_columns(data.points(), None), expected, "{name}, from samples");
        // Squares of 1e-200 vanish, so statistics cannot tell such a column from a constant one.
        if name != "tiny values" {
            let found = data.statistics().constant_columns();
            assert_eq!(found, expected, "{name}, from statistics");
        }
    }
}

#[test]
fn samples_of_weight_zero_do_not_make_a_column_vary() {
    let data = with_last(90, 1, |row| f64::from(u8::from(row == 13)));
    let mut weights = vec![1; 90];
    assert!(constant_columns(data.points(), Some(&weights)).is_empty());
    weights[13] = 0;
    assert_eq!(constant_columns(data.points(), Some(&weights)), [5]);
}

/// Whether round-off shows depends on the value and on the counts: 7 and 100 did with three classes of 200.
#[test]
fn class_statistics_show_constant_columns_whatever_their_value_and_counts() {
    for value in [7.0, 100.0, 0.1, -1e-7, 123_456.789, 1e9 / 3.0] {
        for count in [90, 600, 1001] {
            let data = with_last(count, 4, |_| value);
            let found = data.statistics().constant_columns();
            assert_eq!(found, [5], "{value} in {count} samples");
        }
    }
}

/// Dropping is no choice that specified settings could switch off: filters are those of the other columns.
#[test]
fn constant_columns_are_dropped_whatever_is_specified() {
    let plain = three_classes(600, 2);
    let mut wide = plain.clone();
    wide.columns = 7;
    wide.values = plain.values.chunks(6).flat_map(|row| [row, &[7.0]].concat()).collect();
    let scalings = [None, Some(Scaling::None), Some(Scaling::PerFeature)];
    for (noise, scaling) in
        [Noise::Auto, Noise::Value(0.03)].into_iter().flat_map(|n| scalings.map(|s| (n, s)))
    {
        let mut recipe = Pipeline { scaling, ..recipe("sqfa", 2) };
        recipe.settings.noise = noise;
        let (without, with) = (plain.fit(&recipe).unwrap(), wide.fit(&recipe).unwrap());
        assert_eq!(with.record.dropped, [6], "{noise:?} {scaling:?}");
        let (without, with) = (without.folded().0, with.folded().0);
        for j in 0..2 {
            assert_eq!(with[(6, j)], 0.0);
            for i in 0..6 {
                let (a, b) = (without[(i, j)], with[(i, j)]);
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{noise:?} {scaling:?} {a} {b}");
            }
        }
    }
}

#[test]
fn statistics_alone_drop_constant_columns() {
    let data = with_last(600, 2, |_| 7.0);
    let statistics = data.statistics();
    for scaling in [None, Some(Scaling::PerFeature)] {
        let recipe = Pipeline { scaling, ..recipe("sqfa", 2) };
        let fitted = recipe.fit(statistics.clone(), &mut crate::goes_on).unwrap();
        assert_eq!(fitted.record.dropped, [5]);
        assert!((0..2).all(|j| fitted.folded().0[(5, j)] == 0.0));
    }
}

/// Twenty columns that each mark 3 of the 60 samples of a rare class: nothing else identifies that class.
#[test]
fn rare_columns_that_identify_a_class_are_kept() {
    let (count, columns) = (3060, 26);
    let mut data = three_classes(count, 5);
    let narrow = std::mem::take(&mut data.values);
    let rare = |row: usize| row >= count - 60;
    data.columns = columns;
    data.values = narrow
        .chunks(6)
        .enumerate()
        .flat_map(|(row, values)| {
            let mark = rare(row).then(|| (row - (count - 60)) / 3);
            let marks = (0..20).map(move |column| f64::from(u8::from(mark == Some(column))));
            values.iter().copied().chain(marks).collect::<Vec<_>>()
        })
        .collect();
    data.labels[count - 60..].fill(3);
    let fitted = data.fit(&recipe("sqfa", 4)).unwrap();
    assert!(fitted.record.dropped.is_empty());
    let features = fitted.features_of(data.points());
    let guess = fitted.classifier().unwrap().predict(features.as_points(4)).unwrap();
    let found = (count - 60..count).filter(|&row| guess[row] == 3).count();
    assert!(found >= 54, "{found} of 60 samples of the rare class");
}

#[test]
fn every_method_fits_next_to_constant_columns() {
    let mut data = three_classes(150, 2);
    let plain = data.clone();
    for row in 0..150 {
        data.values[row * 6 + 4] = 3.0;
        data.values[row * 6 + 5] = -0.1;
    }
    for method in reducers().iter().map(|entry| entry.name) {
        let fitted = data.fit(&recipe(method, 2)).unwrap();
        assert_eq!(fitted.record.dropped, [4, 5], "{method}");
        assert_eq!(fitted.filters().nrows(), 6);
        for j in 0..2 {
            assert_eq!((fitted.filters()[(4, j)], fitted.filters()[(5, j)]), (0.0, 0.0));
        }
        let alone = plain.fit(&recipe(method, 2)).unwrap();
        assert!(alone.record.dropped.is_empty());
        assert!(accuracy(&fitted, &data) > 0.4, "{method} {}", accuracy(&fitted, &data));
    }
}

#[test]
fn methods_on_points_climb_the_same_way_next_to_a_constant_column() {
    let plain = three_classes(120, 3);
    // The same columns with a constant one before the third.
    let mut wide = plain.clone();
    wide.columns = 7;
    wide.values =
        plain.values.chunks(6).flat_map(|row| [&row[..2], &[5.0], &row[2..]].concat()).collect();
    for method in ["ama", "lmnn", "pca+refine", "sqfa-h+refine"] {
        let (first, second) =
            (plain.fit(&recipe(method, 2)).unwrap(), wide.fit(&recipe(method, 2)).unwrap());
        assert_eq!(second.record.dropped, [2]);
        for i in 0..6 {
            let own = if i < 2 { i } else { i + 1 };
            for j in 0..2 {
                let (a, b) = (first.folded().0[(i, j)], second.folded().0[(own, j)]);
                assert!((a - b).abs() <= 1e-6 * (a.abs() + b.abs()), "{method} {a} {b}");
            }
        }
    }
}

/// Columns that vary among many that are constant, every hundredth column of all.
fn among_constants(data: &Data, columns: usize) -> Data {
    let row = |row: usize| {
        (0..columns).map(move |column| match column % 100 {
            0 if column / 100 < data.columns => data.values[row * data.columns + column / 100],
            _ => (column % 7) as f64,
        })
    };
    Data { values: (0..data.rows()).flat_map(row).collect(), columns, labels: data.labels.clone() }
}

/// Class statistics of all columns would take 5 GB here.
#[test]
fn many_constant_columns_change_nothing() {
    const COLUMNS: usize = 20_000;
    let data = three_classes(150, 12);
    let wide = among_constants(&data, COLUMNS);
    let fixed = Mat::from_fn(6, 1, |i, _| [0.5, 0.001, 3.0, 0.0, 0.0, 0.0][i]);
    let of_all = |own: &Mat<f64>| {
        Mat::from_fn(COLUMNS, own.ncols(), |i, j| match (i % 100, i / 100) {
            (0, at) if at < 6 => own[(at, j)],
            _ => 0.0,
        })
    };
    let with_fixed = |fixed: Mat<f64>| {
        let settings = ReducerSettings { fixed: Some(fixed), ..ReducerSettings::default() };
        Pipeline { settings, ..recipe("sqfa", 2) }
    };
    let scale = |scaling| Pipeline { scaling: Some(scaling), ..recipe("sqfa-h", 2) };
    for (narrow, recipe) in [
        (recipe("sqfa", 2), recipe("sqfa", 2)),
        (recipe("sqfa-h+refine", 2), recipe("sqfa-h+refine", 2)),
        (scale(Scaling::None), scale(Scaling::None)),
        (with_fixed(fixed.clone()), with_fixed(of_all(&fixed))),
    ] {
        let (one, other) = (data.fit(&narrow).unwrap(), wide.fit(&recipe).unwrap());
        assert_eq!(other.filters(), of_all(&one.filters().to_owned()).as_ref());
        assert_eq!(other.record.dropped.len(), COLUMNS - 6);
        assert_eq!(other.mean.len(), COLUMNS);
        let features = |fitted: &Fitted, data: &Data| fitted.features_of(data.points()).to_f64();
        // Sums of more columns are added in another order.
        for (a, b) in features(&one, &data).iter().zip(features(&other, &wide)) {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}
