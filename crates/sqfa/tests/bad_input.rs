//! Invalid input is rejected with a message that names what is wrong, where, by how much, and the remedy.

#![allow(clippy::unwrap_used)]

mod common;
mod problems;

use std::fmt::Display;

use sqfa::distance::{Dissimilarity, PairGradient};
use sqfa::features::Gaussian;
use sqfa::model::{Learning, Restarts, Start};
use sqfa::optimize::{Control, Stopping};
use sqfa::pipeline::{Fitted, Labeled, Pipeline, PipelineError};
use sqfa::split::stratified_split;
use sqfa::statistics::{ClassAccumulator, GivenMatrices, StatisticsError};
use sqfa::{
    ClassStatistics, Classes, Distance, Estimator, Labels, Mat, Noise, Points, Sqfa, Table,
};

use common::{Normal, diagonal};
use problems::{Sample, axes, given, random_classes, recipe};

/// Asserts that an input was rejected and that the message contains all of the parts.
#[track_caller]
fn refused<T, E: Display>(result: Result<T, E>, parts: &[&str]) {
    let Err(error) = result else { panic!("accepted, but {parts:?} should be wrong with it") };
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "'{part}' is missing in: {message}");
    }
}

fn statistics<'a>(
    points: impl Into<Points<'a>>,
    labels: &Labels,
) -> Result<ClassStatistics, StatisticsError> {
    ClassStatistics::from_points(points.into(), labels, Estimator::Empirical)
}

/// Fits of samples with specified noise, and with noise that is selected on held-out samples.
fn fits<'a>(points: impl Into<Points<'a>>, labels: &Labels) -> [Result<Fitted, PipelineError>; 2] {
    let points = points.into();
    [Noise::Value(0.1), Noise::Auto].map(|noise| {
        let mut recipe = Pipeline::named("sqfa", 1).unwrap();
        recipe.settings.noise = noise;
        recipe.fit(Labeled::new(points, labels), &mut |_| Control::Continue)
    })
}

#[test]
fn values_that_are_not_finite() {
    let sample = Sample::draw(&[30, 30], 4, 1);
    for (value, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let mut values = sample.values.clone();
        values[17 * 4 + 2] = value;
        let parts = [name, "row 17", "column 2", "remove or replace"];
        let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let by_columns: Vec<f64> = (0..240).map(|at| values[at % 60 * 4 + at / 60]).collect();
        refused(statistics(Table::row_major(&values, 60, 4).unwrap(), &sample.labels), &parts);
        refused(statistics(Table::row_major(&singles, 60, 4).unwrap(), &sample.labels), &parts);
        refused(
            statistics(Table::column_major(&by_columns, 60, 4).unwrap(), &sample.labels),
            &parts,
        );
        for fit in fits(Table::row_major(&values, 60, 4).unwrap(), &sample.labels) {
            refused(fit, &parts);
        }
    }
}

#[test]
fn too_few_classes_samples_or_dimensions() {
    let values = [1.0, 2.0, 3.0, 5.0, 2.0, 7.0];
    let one = Labels::from_integers(&[4, 4, 4]);
    let lonely = Labels::from_texts(&["cat", "dog", "dog"]);
    let table = Table::row_major(&values, 3, 2).unwrap();
    refused(statistics(table, &lonely), &["class 'cat'", "1 sample", "at least 2", "drop"]);
    for fit in fits(table, &one) {
        refused(fit, &["1 class", "at least 2"]);
    }
    // Statistics may describe a single class, but no fit can.
    let single = statistics(table, &one).unwrap();
    refused(
        Pipeline::named("lda", 1).unwrap().fit(single.clone(), &mut |_| Control::Continue),
        &["1 class", "at least 2"],
    );
    refused(recipe(1, "calvo-oller").fit(&single), &["1 class", "at least 2"]);
    for fit in fits(table, &lonely) {
        refused(fit, &["class 'cat'", "1 "]);
    }
    let mut sums = ClassAccumulator::new(Classes::numbered(3), 2);
    sums.update(table.into(), &Labels::from_integers(&[0, 0, 2])).unwrap();
    refused(sums.finish(Estimator::Empirical), &["class '1'", "0 sample"]);
    let none: [f64; 0] = [];
    let no_points = Table::row_major(&none, 0, 2).unwrap();
    let nothing = Labels::from_integers(&[]);
    refused(statistics(no_points, &nothing), &["0 samples", "2 columns", "at least 1"]);
    let no_features = Table::row_major(&none, 3, 0).unwrap();
    let two = Labels::from_integers(&[0, 1, 1]);
    refused(statistics(no_features, &two), &["3 samples", "0 columns", "at least 1"]);
    let six = Labels::from_integers(&[0, 1, 1, 0, 1, 0]);
    for fit in fits(Table::row_major(&none, 6, 0).unwrap(), &six) {
        refused(fit, &["6 samples", "0 columns", "at least 1"]);
    }
    for fit in fits(no_points, &nothing) {
        refused(fit, &["0 samples", "at least 1"]);
    }
    let mut empty = ClassAccumulator::new(Classes::numbered(2), 0);
    refused(empty.update(no_features.into(), &two), &["0 columns", "at least 1"]);
}

#[test]
fn labels_that_do_not_fit() {
    let sample = Sample::draw(&[10, 10], 3, 2);
    let short = sample.labels.select(&(0..17).collect::<Vec<_>>());
    let parts = ["17 labels", "20 samples", "one label per sample"];
    refused(statistics(Table::row_major(&sample.values, 20, 3).unwrap(), &short), &parts);
    for fit in fits(Table::row_major(&sample.values, 20, 3).unwrap(), &short) {
        refused(fit, &parts);
    }
    let mut sums = ClassAccumulator::new(Classes::numbered(2), 3);
    let strange = Labels::from_integers(&[9; 20]);
    refused(sums.update(sample.points(), &strange), &["'9'", "row 0", "2 known classes"]);
    let narrow = Table::row_major(&sample.values, 30, 2).unwrap();
    let labels = Labels::from_integers(&[1; 30]);
    refused(sums.update(narrow.into(), &labels), &["2 columns", "3 columns"]);
    let other = ClassAccumulator::new(Classes::numbered(2), 2);
    refused(sums.merge(&other), &["2 columns", "3 columns"]);
    let other = ClassAccumulator::new(Classes::numbered(3), 3);
    refused(sums.merge(&other), &["different sets of classes"]);
    refused(stratified_split(&sample.labels, 1.5, 0), &["1.5", "between 0 and 1"]);
}

#[test]
fn settings_that_make_no_sense() {
    let statistics = given(&random_classes(4, 3, 3));
    let fit = |recipe: Sqfa| recipe.fit(&statistics);
    refused(fit(recipe(0, "calvo-oller")), &["0 filters", "at least 1"]);
    refused(fit(recipe(5, "calvo-oller")), &["5 filters", "4 dimensions", "at most 4"]);
    for noise in [-0.5, f64::NAN, f64::INFINITY] {
        let recipe = recipe(2, "calvo-oller").noise(Noise::Value(noise));
        refused(fit(recipe), &[&format!("noise is {noise}"), "at least 0", "scale"]);
    }
    refused(
        fit(recipe(2, "calvo-oller").restarts(Restarts::Count(0))),
        &["initializations", "at least 1"],
    );
    let groups = recipe(2, "calvo-oller").learning(Learning::Sequential(0));
    refused(fit(groups), &["groups", "at least 1"]);
    for tolerance in [-1.0, f64::NAN] {
        let stopping = Stopping { tolerance, ..Stopping::default() };
        refused(fit(recipe(2, "calvo-oller").stopping(stopping)), &["tolerance", "at least 0"]);
    }
    for weights in [
        vec![1.0; 4],
        vec![0.0; 9],
        vec![-1.0; 9],
        vec![f64::NAN; 9],
        vec![0.0, 1.0, 1.0, 2.0, 0.0, 1.0, 1.0, 1.0, 0.0],
    ] {
        let parts = ["symmetric 3 × 3", "non-negative"];
        refused(fit(recipe(2, "calvo-oller").weights(weights)), &parts);
    }
}

#[test]
fn starts_that_make_no_sense() {
    let statistics = given(&random_classes(4, 3, 4));
    let fit =
        |start: Mat<f64>| recipe(2, "calvo-oller").start(Start::Given(start)).fit(&statistics);
    refused(fit(axes(4, &[1])), &["4 × 1", "4 × 2"]);
    refused(fit(axes(3, &[0, 1])), &["3 × 2", "4 × 2"]);
    refused(
        fit(Mat::from_fn(4, 2, |_, _| f64::NAN)),
        &["initial filters", "not finite", "pass finite numbers"],
    );
    refused(fit(Mat::zeros(4, 2)), &["initial filters", "zero"]);
    let twice = recipe(2, "wasserstein")
        .constraint(sqfa::constraint::Constraint::Orthonormal)
        .start(Start::Given(axes(4, &[1, 1])))
        .fit(&statistics);
    refused(twice, &["initial filters", "linearly dependent"]);
}

/// Creates statistics of two classes, cat and dog, with the specified covariance for dog.
fn pets(covariance: Vec<f64>) -> Result<ClassStatistics, StatisticsError> {
    let order = covariance.len().isqrt();
    let classes = Classes::Texts(vec!["cat".into(), "dog".into()]);
    let identity = diagonal(&vec![1.0; order]);
    let matrices = GivenMatrices::F64(vec![identity, covariance]);
    ClassStatistics::from_moments(classes, None, &vec![0.0; 2 * order], matrices)
}

#[test]
fn covariances_that_are_none() {
    let edited = |at: usize, value: f64| {
        let mut matrix = diagonal(&[1.0, 2.0, 4.0]);
        matrix[at] = value;
        matrix
    };
    let symmetric = |i: usize, j: usize, value: f64| {
        let mut matrix = diagonal(&[1.0, 2.0, 4.0]);
        (matrix[3 * i + j], matrix[3 * j + i]) = (value, value);
        matrix
    };
    for (value, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        for at in [1, 3, 8] {
            refused(pets(edited(at, value)), &["class 'dog'", name, "remove or replace"]);
        }
    }
    let parts = ["class 'dog'", "not symmetric", "(2, 1)", "0.7", "average"];
    refused(pets(edited(7, 0.7)), &parts);
    refused(pets(edited(4, -2.0)), &["class 'dog'", "negative variance -2", "column 1", "pass"]);
    // The covariance may be at most √(2·4) = 2.83.
    refused(pets(symmetric(2, 1, 3.0)), &["class 'dog'", "(2, 1)", "3", "2.82", "pass"]);
    // Each pair of covariances is possible, but all three together are not.
    let mut impossible = diagonal(&[1.0; 3]);
    (0..9).filter(|at| at % 4 != 0).for_each(|at| impossible[at] = -0.8);
    refused(pets(impossible), &["class 'dog'", "indefinite", "positive semi-definite"]);
}

#[test]
fn given_arrays_that_do_not_fit_together() {
    let two = || Classes::numbered(2);
    let build = |counts, means: &[f64], matrices| {
        ClassStatistics::from_moments(two(), counts, means, GivenMatrices::F64(matrices))
    };
    let identity = || diagonal(&[1.0, 1.0]);
    let sound = || vec![identity(), identity()];
    build(None, &[0.0; 4], sound()).unwrap();
    refused(build(None, &[0.0; 5], sound()), &["means", "5", "4", "2 classes"]);
    refused(build(None, &[], sound()), &["0 columns", "at least 1"]);
    refused(build(None, &[0.0; 4], vec![identity()]), &["covariances", "1", "2"]);
    refused(build(None, &[0.0; 4], vec![identity(), vec![1.0]]), &["covariances", "1", "4"]);
    refused(build(Some(vec![3]), &[0.0; 4], sound()), &["counts", "1", "2"]);
    let infinite = [0.0, 0.0, f64::INFINITY, 0.0];
    refused(build(None, &infinite, sound()), &["mean", "class '1'", "inf", "remove or replace"]);
    let none = ClassStatistics::from_second_moments(
        Classes::numbered(0),
        None,
        2,
        GivenMatrices::F64(vec![]),
    );
    refused(none, &["0 class", "at least 2"]);
}

#[test]
fn zero_noise_needs_full_rank() {
    let silent = |filters| recipe(filters, "calvo-oller").noise(Noise::Value(0.0));
    // With as many samples as columns, one sample is missing for full rank.
    let few = Sample::draw(&[30, 6], 6, 5).statistics();
    let parts = ["class '1'", "6 samples", "6 dimensions", "set a positive noise", "oas"];
    refused(silent(2).fit(&few), &parts);
    let constant = Sample::draw(&[30, 30], 3, 6).mapped(4, |row| [row, &[0.1]].concat());
    let parts = ["dimension 3", "class '0'", "noise is 0", "set a positive noise", "drop"];
    refused(silent(2).fit(&constant.statistics()), &parts);
    // Two identical columns pass every check and fail in the Cholesky factorization.
    let copies = Normal { mean: vec![0.0; 2], covariance: vec![1.0; 4] };
    let sound = Normal::diagonal(&[0.0, 1.0], &[1.0, 2.0]);
    let parts = ["class '1'", "not positive definite", "pivot", "noise 0", "increase the noise"];
    refused(silent(2).fit(&given(&[sound, copies])), &parts);
}

#[test]
fn large_indefinite_covariances_are_found_out_in_feature_space() {
    // With more than 256 columns, matrices are not factored beforehand.
    let order = 260;
    let mut bad = diagonal(&vec![1.0; order]);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        (bad[i * order + j], bad[j * order + i]) = (-0.9, -0.9);
    }
    let statistics = pets(bad).unwrap();
    // The vector (1, 1, 1) has the eigenvalue 1 − 2·0.9 = −0.8.
    let start = Mat::from_fn(order, 1, |i, _| f64::from(u8::from(i < 3)));
    for noise in [0.1, 2.0] {
        let recipe = recipe(1, "calvo-oller").noise(Noise::Value(noise));
        let fit = recipe.clone().start(Start::Given(start.clone())).fit(&statistics);
        refused(fit, &["class 'dog'", "positive semi-definite"]);
        // Filters with another initialization move towards this direction, where the classes seem to differ most.
        refused(recipe.fit(&statistics), &["class 'dog'", "positive semi-definite"]);
    }
}

/// A distance that is always NaN.
struct Never;

impl Dissimilarity for Never {
    fn name(&self) -> String {
        "never".to_owned()
    }
    fn evaluate(&self, _: Gaussian<'_>, _: Gaussian<'_>, _: Option<&mut PairGradient>) -> f64 {
        f64::NAN
    }
}

#[test]
fn a_users_distance_that_is_not_a_number() {
    let fit = Sqfa::new(2)
        .unwrap()
        .distance(Distance::custom(Never))
        .fit(&given(&random_classes(4, 3, 7)));
    let parts = ["distance 'never'", "classes '0' and '1'", "NaN", "a distance of your own"];
    refused(fit, &parts);
}

#[test]
fn names_that_are_unknown() {
    refused(Distance::named("hellinge"), &["'hellinge'", "did you mean 'hellinger'?"]);
    refused(sqfa::model::Variant::named("smsqa"), &["'smsqa'", "did you mean 'smsqfa'?"]);
    refused(
        "per-featur".parse::<sqfa::statistics::Scaling>(),
        &["did you mean 'per-feature'?", "common"],
    );
}
