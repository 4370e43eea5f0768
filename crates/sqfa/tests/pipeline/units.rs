//! Units do not matter: neither constants added to columns, nor one factor for all, nor one for each.

use sqfa::Noise;
use sqfa::pipeline::{Filters, Fitted, Pipeline};
use sqfa::reduce::{Choice, Setting};
use sqfa::statistics::Scaling;

use crate::{Data, accuracy, recipe, three_classes};

/// Cosines between the features of two fits on the points of each: 1 when the filters are the same but for units.
fn agreement(first: (&Fitted, &Data), second: (&Fitted, &Data)) -> f64 {
    let m = first.0.filters().ncols();
    let (a, b) = (first.0.features_of(first.1.points()), second.0.features_of(second.1.points()));
    let (a, b) = (a.to_f64(), b.to_f64());
    let centered = |values: &[f64], j: usize| -> Vec<f64> {
        let own: Vec<f64> = values.iter().skip(j).step_by(m).copied().collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter().map(|value| value - mean).collect()
    };
    (0..m)
        .map(|j| {
            let (x, y) = (centered(&a, j), centered(&b, j));
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
            (dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt()).abs()
        })
        .fold(1.0, f64::min)
}

fn same(pipeline: &Pipeline, data: &Data, other: &Data) {
    let (a, b) = (data.fit(pipeline).unwrap(), other.fit(pipeline).unwrap());
    let candidate = |fitted: &Fitted| fitted.record.selection.as_ref().map(|own| own.candidate);
    assert_eq!(candidate(&a), candidate(&b));
    assert_eq!(a.record.scaling, b.record.scaling);
    let agreement = agreement((&a, data), (&b, other));
    assert!(agreement > 1.0 - 1e-6, "{agreement}");
}

#[test]
fn constants_and_one_factor_for_all_change_nothing() {
    let data = three_classes(240, 1);
    let shifted = data.mapped(|column, value| value + [5.0, -3e3, 0.1, 40.0, 0.0, 1e3][column]);
    let larger = data.mapped(|_, value| 1024.0 * value);
    for method in ["sqfa", "sqfa-h", "smsqfa"] {
        same(&recipe(method, 2), &data, &shifted);
        same(&recipe(method, 2), &data, &larger);
    }
}

#[test]
fn one_factor_a_column_changes_nothing_in_units_of_their_own() {
    let data = three_classes(240, 2);
    let factors = [1e-3, 1.0, 1e3, 7.0, 0.2, 1.0];
    let other = data.mapped(|column, value| factors[column] * value);
    let mut forced = recipe("sqfa-h", 2);
    forced.scaling = Some(Scaling::PerFeature);
    same(&forced, &data, &other);
    let mut default = recipe("sqfa", 3);
    default.scaling = Some(Scaling::WithinClass);
    default.settings.noise = Noise::Fraction(0.3);
    same(&default, &data, &other);
}

#[test]
fn a_column_in_thousands_costs_no_accuracy() {
    let (train, test) = (three_classes(150, 3), three_classes(300, 4));
    for factor in [1e3, 1e-3] {
        let scaled = |data: &Data| {
            data.mapped(|column, value| if column == 4 { factor * value } else { value })
        };
        let plain = accuracy(&train.fit(&recipe("sqfa", 2)).unwrap(), &test);
        let other = accuracy(&scaled(&train).fit(&recipe("sqfa", 2)).unwrap(), &scaled(&test));
        assert!((plain - other).abs() < 0.01, "{plain} {other}");
    }
}

#[test]
fn units_within_classes_make_the_pooled_covariance_a_unit() {
    let data = three_classes(3000, 5);
    let mut pipeline = recipe("sqfa-h", 6);
    pipeline.scaling = Some(Scaling::WithinClass);
    pipeline.settings.noise = Noise::Fraction(0.3);
    let fitted = data.fit(&pipeline).unwrap();
    assert!(fitted.record.selection.is_none(), "both were specified");
    // tr(W̃⁻¹W)/n is below 1 by no more than the shrinkage, a few thousandths for 3000 points.
    let ratio = fitted.record.setting(Setting::Noise).unwrap() / 0.3;
    assert!(ratio > 0.95 && ratio <= 1.0 + 1e-9, "{ratio}");
    // A filter of length 1 in these units: the feature's variance within classes is 1 but for the shrinkage.
    let features = fitted.gaussians();
    let counts = fitted.features.counts().unwrap();
    let freedom: u64 = counts.iter().map(|count| count - 1).sum();
    for filter in 0..6 {
        let within: f64 = (0..features.len())
            .map(|class| (counts[class] - 1) as f64 * features.covariance(class)[filter * 7])
            .sum();
        let variance = within / freedom as f64;
        assert!((variance - 1.0).abs() < 0.05, "filter {filter}: {variance}");
    }
    assert_eq!(fitted.filters().nrows(), 6);
}

#[test]
fn a_shrinkage_that_nobody_gave_does_not_depend_on_units() {
    let data = three_classes(300, 4);
    // A column of noise, in units in which it has nearly all of the variance.
    let large = data.mapped(|column, value| if column == 5 { 1e4 * value } else { value });
    let lda = recipe("lda", 2);
    let (plain, found) = (data.fit(&lda).unwrap(), large.fit(&lda).unwrap());
    assert_eq!(found.record.scaling, Scaling::PerFeature);
    let (known, right) = (accuracy(&plain, &data), accuracy(&found, &large));
    assert!(known > 0.8 && right > known - 0.02, "{known} {right}");
    // Given, it is of the columns as they came, and noise wins.
    let mut given = lda.clone();
    given.settings.shrinkage = Choice::Value(0.1);
    let fitted = large.fit(&given).unwrap();
    assert_eq!(fitted.record.scaling, Scaling::None);
    assert!(accuracy(&fitted, &large) < 0.7);
    given.scaling = Some(Scaling::PerFeature);
    assert!(accuracy(&large.fit(&given).unwrap(), &large) > 0.8);
    // The number of filters is chosen in the same units.
    let counted = Pipeline { filters: Filters::Auto { max: 2 }, ..lda };
    let counts = large.fit(&counted).unwrap().record.counts;
    assert!(counts.last().unwrap().accuracy > 0.8);
}

#[test]
fn noise_that_nobody_gave_or_chose_does_not_depend_on_units() {
    let data = three_classes(300, 6);
    let other = data.mapped(|column, value| [1e-3, 1.0, 1e3, 7.0, 0.2, 1.0][column] * value);
    let ama = recipe("ama", 2);
    let (a, b) = (data.fit(&ama).unwrap(), other.fit(&ama).unwrap());
    assert_eq!((a.record.scaling, b.record.scaling), (Scaling::PerFeature, Scaling::PerFeature));
    let agreement = agreement((&a, &data), (&b, &other));
    assert!(agreement > 1.0 - 1e-6, "{agreement}");
    assert!(accuracy(&a, &data) > 0.8, "{}", accuracy(&a, &data));
    // Many columns of one unit, as pixels are, and noise that was given are taken as they come.
    let columns = 260;
    let pixels = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 257) as f64;
    let labels: Vec<i64> = (0..60).map(|row| row % 3).collect();
    let value = |at: usize| pixels(at / columns, at % columns) + 40.0 * labels[at / columns] as f64;
    let values = (0..60 * columns).map(value).collect();
    let picture = Data { values, columns, labels: labels.clone() };
    assert_eq!(picture.fit(&ama).unwrap().record.scaling, Scaling::None);
    let mut given = ama.clone();
    given.settings.noise = Noise::Value(0.1);
    assert_eq!(data.fit(&given).unwrap().record.scaling, Scaling::None);
    given.scaling = Some(Scaling::PerFeature);
    assert_eq!(data.fit(&given).unwrap().record.scaling, Scaling::PerFeature);
}
