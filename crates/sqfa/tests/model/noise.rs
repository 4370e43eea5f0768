//! The feature noise: a number, the scale of the data, or chosen on held-out points.

use sqfa::model::Restarts;
use sqfa::optimize::Control;
use sqfa::split::stratified_split;
use sqfa::statistics::ClassAccumulator;
use sqfa::{Estimator, FittedSqfa, Noise, Qda};

use crate::problems::{Sample, given, objective, random_classes, recipe};

/// Statistics summed in one go and merged from the learning and held-out points differ by this much.
const ROUND_OFF: f64 = 1e-12;

fn chosen(sample: &Sample, seed: u64) -> FittedSqfa {
    recipe(2, "calvo-oller")
        .noise(Noise::Auto)
        .restarts(Restarts::Count(2))
        .seed(seed)
        .fit_points(sample.points(), &sample.labels, Estimator::Empirical, &mut |_| {
            Control::Continue
        })
        .unwrap()
}

#[test]
fn a_number_is_used_and_scale_is_the_mean_variance() {
    let sample = Sample::draw(&[50, 30, 80], 5, 41);
    let statistics = sample.statistics();
    let fitted = recipe(2, "calvo-oller").noise(Noise::Value(0.7)).fit(&statistics).unwrap();
    assert_eq!(fitted.noise(), 0.7);
    let fitted = recipe(2, "calvo-oller").fit(&statistics).unwrap();
    // The trace of the pooled covariance over n, classes weighted by their size.
    let expected: f64 = sample
        .naive()
        .iter()
        .map(|(count, _, covariance)| {
            *count as f64 / 160.0 * covariance.iter().step_by(6).sum::<f64>() / 5.0
        })
        .sum();
    assert!((fitted.noise() - expected).abs() <= 1e-12 * expected);
    assert!(fitted.noise_trials().is_empty());
}

#[test]
fn points_and_their_statistics_give_the_same_fit() {
    let sample = Sample::draw(&[50, 30, 80], 5, 42);
    let recipe = recipe(2, "calvo-oller").noise(Noise::Value(0.1));
    let by_statistics = recipe.fit(&sample.statistics()).unwrap();
    let by_points = recipe
        .fit_points(sample.points(), &sample.labels, Estimator::Empirical, &mut |_| {
            Control::Continue
        })
        .unwrap();
    let bits = crate::problems::bits;
    assert_eq!(bits(by_statistics.filters()), bits(by_points.filters()));
}

#[test]
fn the_grid_is_one_of_multiples_of_the_learning_parts_scale() {
    let sample = Sample::draw(&[70, 90, 60], 6, 43);
    let fitted = chosen(&sample, 5);
    let split = stratified_split(&sample.labels, 0.15, 5).unwrap();
    let mut part = ClassAccumulator::new(sample.labels.classes().clone(), 6);
    part.update_rows(sample.points(), &sample.labels, &split.learn).unwrap();
    let scale = part.finish(Estimator::Empirical).unwrap().noise_scale();
    let multiples: Vec<f64> =
        fitted.noise_trials().iter().map(|trial| trial.noise / scale).collect();
    assert!((multiples[0] - 30.0).abs() <= 1e-9, "{multiples:?}");
    assert!((multiples.last().unwrap() - 0.01).abs() <= 1e-9, "{multiples:?}");
    // From large to small in steps of about three.
    for pair in multiples.windows(2) {
        assert!((2.9..3.4).contains(&(pair[0] / pair[1])), "{multiples:?}");
    }
}

/// Asserts that the noise is the first, hence largest, of the best trials.
#[track_caller]
fn assert_best(fitted: &FittedSqfa) {
    let trials = fitted.noise_trials();
    let best = trials.iter().map(|trial| trial.accuracy).fold(0.0, f64::max);
    let first = trials.iter().find(|trial| trial.accuracy == best).unwrap();
    assert_eq!(fitted.noise(), first.noise, "{trials:?}");
}

#[test]
fn the_best_accuracy_wins_and_the_model_is_refitted_on_all_points() {
    for seed in [1, 2, 3] {
        let sample = Sample::draw(&[70, 90, 60], 6, 44 + seed);
        let fitted = chosen(&sample, seed);
        assert_best(&fitted);
        let all = sample.statistics();
        let filters = fitted.filters().as_ref();
        let expected = objective(&all, "calvo-oller", filters, fitted.noise());
        assert!((fitted.objective() - expected).abs() <= ROUND_OFF * expected);
        // At least as good as the same noise given as a number.
        let plain = recipe(2, "calvo-oller")
            .noise(Noise::Value(fitted.noise()))
            .restarts(Restarts::Count(2))
            .seed(seed)
            .fit(&all)
            .unwrap();
        assert!(fitted.objective() >= (1.0 - ROUND_OFF) * plain.objective());
        assert!(fitted.passes() > plain.passes());
    }
}

#[test]
fn ties_go_to_the_larger_noise() {
    // Classes a hundred deviations apart: every noise classifies all held-out points.
    let sample = Sample::draw(&[40, 40, 40], 5, 48);
    let codes = sample.labels.codes().to_vec();
    let mut row = 0;
    let values: Vec<f64> = (0..sample.rows())
        .flat_map(|_| {
            let class = f64::from(codes[row]);
            let shifted = sample.row(row).iter().map(|x| x + 300.0 * class).collect::<Vec<_>>();
            row += 1;
            shifted
        })
        .collect();
    let far = Sample { columns: 5, values, labels: sample.labels.clone() };
    let fitted = chosen(&far, 1);
    assert!(fitted.noise_trials().iter().all(|trial| trial.accuracy == 1.0));
    assert_eq!(fitted.noise(), fitted.noise_trials()[0].noise);
    let largest = fitted.noise_trials().iter().map(|trial| trial.noise).fold(0.0, f64::max);
    assert_eq!(fitted.noise(), largest);
}

#[test]
fn the_accuracy_reported_is_that_of_qda_on_the_held_out_points() {
    let sample = Sample::draw(&[70, 90, 60], 6, 49);
    let fitted = chosen(&sample, 7);
    let split = stratified_split(&sample.labels, 0.15, 7).unwrap();
    assert_eq!(split.held.len(), 11 + 14 + 9);
    for trial in fitted.noise_trials() {
        let hits = trial.accuracy * split.held.len() as f64;
        assert!((hits - hits.round()).abs() <= 1e-9, "{hits} of {} hits", split.held.len());
    }
    // Repeating the first trial by hand gives its accuracy.
    let mut part = ClassAccumulator::new(sample.labels.classes().clone(), 6);
    part.update_rows(sample.points(), &sample.labels, &split.learn).unwrap();
    let part = part.finish(Estimator::Empirical).unwrap();
    let first = fitted.noise_trials()[0];
    let alone = recipe(2, "calvo-oller")
        .noise(Noise::Value(first.noise))
        .restarts(Restarts::Count(2))
        .seed(7)
        .fit(&part)
        .unwrap();
    let qda = Qda::from_statistics(&part, alone.filters().as_ref(), None).unwrap();
    let held = Sample {
        columns: 6,
        values: split.held.iter().flat_map(|&row| sample.row(row).to_vec()).collect(),
        labels: sample.labels.select(&split.held),
    };
    let features = alone.transform(held.points()).unwrap();
    assert_eq!(qda.accuracy(features.as_points(2), held.labels.codes()), Ok(first.accuracy));
}

#[test]
fn noise_changes_which_filters_are_best() {
    let statistics = given(&random_classes(6, 3, 50));
    let fit = |noise| {
        recipe(2, "calvo-oller").noise(Noise::Value(noise)).fit(&statistics).unwrap().objective()
    };
    assert!(fit(0.0) > fit(0.1) && fit(0.1) > fit(1.0) && fit(1.0) > fit(10.0));
}
