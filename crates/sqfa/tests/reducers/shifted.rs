//! Points far from the origin in single precision: methods that look at differences find what they find in double precision.

use sqfa::optimize::Control;
use sqfa::reduce::{Choice, ReducerSettings, Training, reducer};
use sqfa::{Labels, Mat, Points, Table};

use crate::common::{normals, stream};

/// Far enough for single precision to keep two digits of the smallest deviations.
const SHIFT: f64 = 1e5;
const COLUMNS: usize = 10;
const ROWS: usize = 240;
/// What is left of single precision in features about the mean, over gaps of the eigenvalues; products of points as they
/// stand, rounded to 1e5 · 6e-8, turn the space by more than 0.1.
const ANGLE: f64 = 1e-2;

/// Deviations from 0.05 to 0.5, classes apart by about as much, all of it rounded to single precision.
fn points() -> (Vec<f32>, Labels) {
    let drawn = normals(ROWS * COLUMNS, &mut stream(41));
    let class = |row: usize| (row % 3) as f64;
    let value = |(at, draw): (usize, &f64)| {
        let (row, column) = (at / COLUMNS, at % COLUMNS);
        let spread = 0.05 * (1.0 + column as f64);
        let center = if column < 4 { spread * class(row) * (column as f64 - 1.5) } else { 0.0 };
        (SHIFT + center + spread * draw) as f32
    };
    let codes: Vec<i64> = (0..ROWS).map(|row| (row % 3) as i64).collect();
    (drawn.iter().enumerate().map(value).collect(), Labels::from_integers(&codes))
}

fn filters(method: &str, points: Points<'_>, labels: &Labels) -> Mat<f64> {
    let settings = ReducerSettings { neighbors: Choice::Value(5.0), ..ReducerSettings::default() };
    let training = Training::from_points(points, labels).unwrap();
    let built = reducer(method, &settings).unwrap();
    built.fit_one(&training, 2, &mut |_| Control::Continue).unwrap().filters
}

#[test]
fn single_precision_far_from_the_origin_does_not_turn_the_space() {
    let (single, labels) = points();
    let double: Vec<f64> = single.iter().map(|&value| f64::from(value)).collect();
    let single = Points::F32(Table::row_major(&single, ROWS, COLUMNS).unwrap());
    let double = Points::F64(Table::row_major(&double, ROWS, COLUMNS).unwrap());
    let basis = |filters: Mat<f64>| filters.qr().compute_thin_Q();
    let expected = basis(filters("lfda", double, &labels));
    let found = basis(filters("lfda", single, &labels));
    let inside = &expected * (expected.transpose() * &found);
    let angle = (found - inside).norm_l2();
    assert!(angle < ANGLE, "the space turned by {angle}");
}
