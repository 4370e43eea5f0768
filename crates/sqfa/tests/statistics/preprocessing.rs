//! Scaling, centering and reduction of statistics agree with the same operations on samples.

use sqfa::statistics::{Preprocessor, SCALINGS, Scaling};
use sqfa::transform::Features;
use sqfa::{ClassStatistics, Estimator, Table, transform};

use crate::common::{normals, stream};
use crate::moments::{DOUBLE, SINGLE, assert_matches};
use crate::problems::{Sample, dot, eigen, matrix, orthonormal, worst};

/// Returns the standard deviation (divisor count − 1) of all values together.
fn spread(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// Returns the sample, scaled and centered value by value.
fn preprocessed(sample: &Sample, scaling: Scaling, center: bool) -> Sample {
    let (mean, covariance) = sample.naive_total();
    let n = sample.columns;
    let overall = spread(&sample.values);
    sample.mapped(n, |row| {
        (0..n)
            .map(|i| {
                let unit = match scaling {
                    Scaling::None => 1.0,
                    Scaling::Common => overall,
                    Scaling::PerFeature | Scaling::WithinClass if covariance[i * n + i] < 1e-20 => {
                        1.0
                    }
                    // The part of within-class scaling that treats columns separately.
                    Scaling::PerFeature | Scaling::WithinClass => covariance[i * n + i].sqrt(),
                };
                (row[i] - if center { mean[i] } else { 0.0 }) / unit
            })
            .collect()
    })
}

/// Returns samples of classes with different sizes, scales and offsets, and a constant column.
fn sample() -> Sample {
    Sample::draw(&[90, 210, 33], 5, 101)
        .mapped(6, |row| vec![row[0], 10.0 * row[1] + 4.0, 0.1 * row[2], row[3] - 7.0, row[4], 0.1])
}

#[test]
fn preprocessed_statistics_are_those_of_preprocessed_points() {
    let sample = sample();
    let (singles, rounded) = sample.singles();
    for (name, scaling) in SCALINGS {
        assert_eq!((name.parse::<Scaling>(), scaling.name()), (Ok(scaling), name));
        for center in [false, true] {
            let mut double = sample.statistics();
            let points = Table::row_major(&singles, sample.rows(), 6).unwrap().into();
            let mut single =
                ClassStatistics::from_points(points, &sample.labels, Estimator::Empirical).unwrap();
            match Preprocessor::new(&double, scaling, center) {
                None => assert_eq!((scaling, center), (Scaling::None, false)),
                Some(map) => {
                    map.apply(&mut double);
                    assert_matches(&double, &preprocessed(&sample, scaling, center), 10.0 * DOUBLE);
                    let map = Preprocessor::new(&single, scaling, center).unwrap();
                    map.apply(&mut single);
                    let expected = preprocessed(&rounded, scaling, center);
                    for class in 0..3 {
                        let (_, _, covariance) = &expected.naive()[class];
                        let found = crate::problems::entries(&single, class);
                        let scale = crate::problems::largest(covariance.iter().copied());
                        assert!(worst(&found, covariance) <= 2.0 * SINGLE * scale, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn folded_filters_give_the_same_features_from_raw_samples() {
    let sample = sample();
    let filters = matrix(&[normals(6, &mut stream(102)), normals(6, &mut stream(103))]);
    for (name, scaling) in SCALINGS {
        for center in [false, true] {
            let Some(map) = Preprocessor::new(&sample.statistics(), scaling, center) else {
                continue;
            };
            let (folded, offset) = map.fold(filters.as_ref());
            let raw = transform(sample.points(), folded.as_ref(), Some(&offset)).to_f64();
            let cooked = preprocessed(&sample, scaling, center);
            let expected = transform(cooked.points(), filters.as_ref(), None).to_f64();
            // Offsets of about 10 cancel in features of size about 1.
            assert!(worst(&raw, &expected) <= 100.0 * DOUBLE, "{name}");
            let back = map.unfold(folded.as_ref(), folded.nrows());
            for (i, j) in
                (0..filters.nrows()).flat_map(|i| (0..filters.ncols()).map(move |j| (i, j)))
            {
                assert!((back[(i, j)] - filters[(i, j)]).abs() <= 4.0 * f64::EPSILON, "{name}");
            }
        }
    }
}

#[test]
fn features_are_products_with_the_filters_in_any_type_and_layout() {
    let sample = Sample::draw(&[700, 400], 9, 104);
    let filters = matrix(&[normals(9, &mut stream(105)), normals(9, &mut stream(106))]);
    let naive = |sample: &Sample| -> Vec<f64> {
        (0..sample.rows())
            .flat_map(|row| {
                [0, 1].map(|j| {
                    let filter: Vec<f64> = filters.col(j).iter().copied().collect();
                    dot(sample.row(row), &filter)
                })
            })
            .collect()
    };
    let (singles, rounded) = sample.singles();
    let (bytes, whole) = sample.bytes();
    let rows = sample.rows();
    let by_columns: Vec<f64> =
        (0..9 * rows).map(|at| sample.values[at % rows * 9 + at / rows]).collect();
    let spread: Vec<f64> = sample.values.iter().flat_map(|&value| [value, f64::NAN]).collect();
    let run = |points| transform(points, filters.as_ref(), None);
    let double = run(sample.points());
    assert!(matches!(double, Features::F64(_)));
    assert!(worst(&double.to_f64(), &naive(&sample)) <= 10.0 * DOUBLE);
    assert_eq!(run(Table::column_major(&by_columns, rows, 9).unwrap().into()), double);
    assert_eq!(run(Table::strided(&spread, rows, 9, 18, 2).unwrap().into()), double);
    let single = run(Table::row_major(&singles, rows, 9).unwrap().into());
    assert!(matches!(single, Features::F32(_)));
    let scale = crate::problems::largest(naive(&rounded));
    assert!(worst(&single.to_f64(), &naive(&rounded)) <= SINGLE * scale);
    let byte = run(Table::row_major(&bytes, rows, 9).unwrap().into());
    let scale = crate::problems::largest(naive(&whole));
    assert!(worst(&byte.to_f64(), &naive(&whole)) <= SINGLE * scale);
    assert_eq!(byte.as_points(2).rows(), rows);
}

#[test]
fn reduced_statistics_are_those_of_reduced_points() {
    let sample = Sample::draw(&[50, 80], 7, 107);
    let mut rng = stream(108);
    let raw = matrix(&[normals(7, &mut rng), normals(7, &mut rng), normals(7, &mut rng)]);
    let basis = matrix(&orthonormal(raw.as_ref()));
    let reduced = sample.statistics().reduced(basis.as_ref());
    let columns = crate::problems::columns(basis.as_ref());
    let expected = sample.mapped(3, |row| columns.iter().map(|column| dot(row, column)).collect());
    assert_matches(&reduced, &expected, DOUBLE);
}

#[test]
fn principal_components_are_those_of_all_points() {
    let sample = Sample::draw(&[15, 40, 8], 6, 109);
    let (_, total) = sample.naive_total();
    let (values, vectors) = eigen(&total, 6);
    let (components, variances) = sample.statistics().principal_components(4).unwrap();
    for j in 0..4 {
        assert!((variances[j] - values[5 - j]).abs() <= DOUBLE * values[5], "variance {j}");
        let component: Vec<f64> = components.col(j).iter().copied().collect();
        assert!((dot(&component, &component) - 1.0).abs() <= DOUBLE);
        // Eigenvectors are determined up to sign, and up to round-off divided by the gap between eigenvalues.
        let along = dot(&component, &vectors[5 - j]).abs();
        assert!((1.0 - along).abs() <= 100.0 * DOUBLE, "component {j}: {along}");
    }
    assert!(sample.statistics().principal_components(7).is_err());
}
