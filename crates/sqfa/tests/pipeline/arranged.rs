//! How a table is written down does not matter: the order of rows, of columns and of classes.

use sqfa::Mat;
use sqfa::pipeline::{Fitted, Pipeline};

use crate::{Data, three_classes};

/// The table with its columns in another order.
fn with_columns(data: &Data, order: &[usize]) -> Data {
    let values = data.values.chunks(data.columns);
    let values = values.flat_map(|row| order.iter().map(|&column| row[column])).collect();
    Data { values, ..data.clone() }
}

/// Checks that another arrangement of a table has the same selection and filters; `order` are its columns.
fn assert_same(plain: &Fitted, other: &Fitted, order: &[usize], what: &str) {
    let candidate = |fitted: &Fitted| fitted.selection.as_ref().map(|own| own.candidate);
    assert_eq!(candidate(plain), candidate(other), "{what}");
    let (a, b): (Mat<f64>, Mat<f64>) = (plain.folded().0, other.folded().0);
    for j in 0..a.ncols() {
        let inner: f64 = order.iter().enumerate().map(|(at, &i)| a[(i, j)] * b[(at, j)]).sum();
        let squares = |f: &Mat<f64>| (0..f.nrows()).map(|i| f[(i, j)].powi(2)).sum::<f64>();
        let cosine = inner.abs() / (squares(&a) * squares(&b)).sqrt();
        let settings = (&plain.reduction.settings, &other.reduction.settings);
        assert!(cosine > 1.0 - 1e-4, "{what}, filter {j}: cosine {cosine}, {settings:?}");
    }
}

fn check(data: &Data, methods: &[&str], columns_too: bool) {
    let (rows, n) = (data.rows(), data.columns);
    let columns: Vec<usize> = (0..n).map(|at| (at * 7 + 3) % n).collect();
    let other_rows: Vec<usize> = (0..rows).map(|at| (at * 17 + 5) % rows).collect();
    let as_they_are: Vec<usize> = (0..n).collect();
    let renamed = Data { labels: data.labels.iter().map(|label| -label).collect(), ..data.clone() };
    for method in methods {
        let fit = |data: &Data| data.fit(&Pipeline::new(method, 2)).unwrap();
        let plain = fit(data);
        assert_same(&plain, &fit(&renamed), &as_they_are, &format!("{method}: other class names"));
        let other = fit(&data.picked(&other_rows));
        assert_same(&plain, &other, &as_they_are, &format!("{method}: other rows"));
        if columns_too {
            let other = fit(&with_columns(data, &columns));
            assert_same(&plain, &other, &columns, &format!("{method}: other columns"));
        }
    }
}

#[test]
fn few_columns_may_come_in_any_order() {
    // 121 is prime to 17, and six columns to seven.
    check(&three_classes(121, 11), &["sqfa", "sqfa-h", "lda", "sqfa+refine"], true);
}

#[test]
fn rows_and_classes_of_many_columns_may_come_in_any_order() {
    let narrow = three_classes(61, 12);
    let columns = 300;
    let mut generator = 1_u64;
    let mut noise = || {
        generator = generator.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (generator >> 40) as f64 / f64::from(1 << 24)
    };
    let values = narrow.values.chunks(6).flat_map(|row| {
        let more: Vec<f64> = (6..columns).map(|_| noise()).collect();
        [row, &more].concat()
    });
    let data = Data { values: values.collect(), columns, labels: narrow.labels.clone() };
    // Components of many columns are found by iterations that begin with random numbers in the order of columns.
    check(&data, &["sqfa", "lda"], false);
}
