//! Columns that are set aside, for every method.

use sqfa::pipeline::{Aside, Pipeline, SetAside, constant_columns};
use sqfa::reduce::reducers;

use crate::{accuracy, three_classes};

#[test]
fn constant_and_nearly_constant_columns_are_told_apart() {
    let mut data = three_classes(90, 1);
    for row in 0..90 {
        data.values[row * 6 + 4] = 7.0;
        data.values[row * 6 + 5] = if row == 13 { 1.0 } else { 0.0 };
    }
    let found = constant_columns(data.points(), None);
    let expected = [
        SetAside { column: 4, why: Aside::Constant },
        SetAside { column: 5, why: Aside::NearlyConstant },
    ];
    assert_eq!(found, expected);
    // Without the one other point, or with it twice.
    let mut weights = vec![1; 90];
    weights[13] = 0;
    assert_eq!(constant_columns(data.points(), Some(&weights))[1].why, Aside::Constant);
    weights[13] = 2;
    assert_eq!(constant_columns(data.points(), Some(&weights)).len(), 1);
}

#[test]
fn every_method_fits_beside_constant_columns() {
    let mut data = three_classes(150, 2);
    let plain = data.clone();
    for row in 0..150 {
        data.values[row * 6 + 4] = 3.0;
        data.values[row * 6 + 5] = f64::from(u8::from(row == 5));
    }
    for method in reducers().iter().map(|entry| entry.name) {
        let fitted = data.fit(&Pipeline::new(method, 2)).unwrap();
        assert_eq!(fitted.set_aside.len(), 2, "{method}");
        assert_eq!(fitted.filters().nrows(), 6);
        for j in 0..2 {
            assert_eq!((fitted.filters()[(4, j)], fitted.filters()[(5, j)]), (0.0, 0.0));
        }
        let alone = plain.fit(&Pipeline::new(method, 2)).unwrap();
        assert!(alone.set_aside.is_empty());
        assert!(accuracy(&fitted, &data) > 0.4, "{method} {}", accuracy(&fitted, &data));
    }
}

#[test]
fn methods_on_points_climb_the_same_way_beside_a_constant_column() {
    let plain = three_classes(120, 3);
    // The same columns with a constant one before the third.
    let mut wide = plain.clone();
    wide.columns = 7;
    wide.values =
        plain.values.chunks(6).flat_map(|row| [&row[..2], &[5.0], &row[2..]].concat()).collect();
    for method in ["ama", "lmnn", "pca+refine", "sqfa-h+refine"] {
        let (first, second) = (
            plain.fit(&Pipeline::new(method, 2)).unwrap(),
            wide.fit(&Pipeline::new(method, 2)).unwrap(),
        );
        assert_eq!(second.set_aside.len(), 1);
        for i in 0..6 {
            let own = if i < 2 { i } else { i + 1 };
            for j in 0..2 {
                let (a, b) = (first.folded().0[(i, j)], second.folded().0[(own, j)]);
                assert!((a - b).abs() <= 1e-6 * (a.abs() + b.abs()), "{method} {a} {b}");
            }
        }
    }
}
