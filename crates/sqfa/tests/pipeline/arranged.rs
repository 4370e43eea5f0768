//! How a table is written down does not matter: the order of rows and the names of classes.

use sqfa::Mat;
use sqfa::pipeline::Fitted;

use crate::{Data, recipe, three_classes};

/// Checks that another arrangement of a table has the same selection and filters.
fn assert_same(plain: &Fitted, other: &Fitted, what: &str) {
    let candidate = |fitted: &Fitted| fitted.record.selection.as_ref().map(|own| own.candidate);
    assert_eq!(candidate(plain), candidate(other), "{what}");
    let (a, b): (Mat<f64>, Mat<f64>) = (plain.folded().0, other.folded().0);
    for j in 0..a.ncols() {
        let inner: f64 = (0..a.nrows()).map(|i| a[(i, j)] * b[(i, j)]).sum();
        let squares = |f: &Mat<f64>| (0..f.nrows()).map(|i| f[(i, j)].powi(2)).sum::<f64>();
        let cosine = inner.abs() / (squares(&a) * squares(&b)).sqrt();
        let settings = (&plain.record.used, &other.record.used);
        assert!(cosine > 1.0 - 1e-4, "{what}, filter {j}: cosine {cosine}, {settings:?}");
    }
}

fn check(data: &Data, methods: &[&str]) {
    let rows = data.rows();
    let other_rows: Vec<usize> = (0..rows).map(|at| (at * 17 + 5) % rows).collect();
    let renamed = Data { labels: data.labels.iter().map(|label| -label).collect(), ..data.clone() };
    for method in methods {
        let fit = |data: &Data| data.fit(&recipe(method, 2)).unwrap();
        let plain = fit(data);
        assert_same(&plain, &fit(&renamed), &format!("{method}: other class names"));
        let other = fit(&data.picked(&other_rows));
        assert_same(&plain, &other, &format!("{method}: other rows"));
    }
}

#[test]
fn rows_and_classes_of_few_columns_may_come_in_any_order() {
    // 121 is prime to 17.
    check(&three_classes(121, 11), &["sqfa", "sqfa-h", "lda", "lfda", "sqfa+refine"]);
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
    check(&data, &["sqfa", "lda"]);
}
